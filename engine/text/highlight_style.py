"""The look of highlighted values: twelve colours and the CSS that pages and exported documents share.

Colours are CSS variables, so that a page can be light or dark without another markup. It holds no text and no data.
"""

PALETTE = (
    "#026fd7",
    "#e16c10",
    "#019a46",
    "#d84497",
    "#7e4ed7",
    "#b18e15",
    "#08a2af",
    "#d73337",
    "#789f04",
    "#b24dc8",
    "#8f5a14",
    "#6f7f8c",
)
"""Hues far apart in the order of use, each with a contrast of 3 or more to a white and to a nearly black ground."""

LANE = 4
"""Pixels between the underlines of values that overlap."""

PATTERNS = 2 * len(PALETTE)
"""Looks of fields: the colours plain, then the colours striped; then they come again."""


def _variables() -> str:
    """Of every look its colour, its underline (s) and its ground (f)."""
    declared = []
    for number in range(PATTERNS):
        colour = PALETTE[number % len(PALETTE)]
        ground = f"color-mix(in srgb,{colour} 24%,transparent)"
        if is_striped(number):
            underline = f"repeating-linear-gradient(90deg,{colour} 0 4px,transparent 4px 6px)"
            ground = f"repeating-linear-gradient(135deg,{ground} 0 4px,transparent 4px 7px)"
        else:
            underline, ground = f"linear-gradient({colour},{colour})", f"linear-gradient({ground},{ground})"
        declared.append(f"--wb-c{number}:{colour};--wb-s{number}:{underline};--wb-f{number}:{ground}")
    return ";".join(declared)


def underline(number: int) -> str:
    """The image of a field's underline and swatch."""
    return f"var(--wb-s{number % PATTERNS})"


def ground(number: int) -> str:
    """The image behind a field's value."""
    return f"var(--wb-f{number % PATTERNS})"


def own(number: int) -> str:
    """A declaration of the colour that a field's label takes."""
    return f"--wb-own:var(--wb-c{number % PATTERNS})"


def is_striped(number: int) -> bool:
    """Whether a field has the second pattern of its colour."""
    return number % PATTERNS >= len(PALETTE)


STYLE = f""".wb-hl,.wb-legend{{{_variables()}}}
.wb-hl{{position:relative;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;tab-size:4;
  line-height:calc(1.75em + {LANE}px);padding-bottom:2.2em}}
.wb-hl mark,.wb-hl .wb-tag{{line-height:calc(1.75em + {LANE}px + (var(--wb-depth) - 1)*{2 * LANE}px)}}
.wb-hl mark{{color:inherit;padding:.1em 0 calc(var(--wb-depth)*{LANE}px);
  -webkit-box-decoration-break:clone;box-decoration-break:clone}}
.wb-hl .wb-tag{{padding-bottom:calc(var(--wb-depth)*{LANE}px);outline:none;cursor:help;white-space:nowrap;
  unicode-bidi:isolate}}
.wb-hl .wb-tag::after{{content:"\\2060" attr(data-tag);font-size:.66em;font-weight:600;line-height:1;
  padding:.1em .4em;margin:0 .25em 0 .12em;border-radius:.35em;vertical-align:.14em;user-select:none;
  background:color-mix(in srgb,var(--wb-own) 34%,transparent)}}
.wb-hl .wb-tag.wb-striped::after{{border:1px dashed var(--wb-own);padding:.05em .35em}}
.wb-hl .wb-tag:hover::after{{background:color-mix(in srgb,var(--wb-own) 55%,transparent)}}
.wb-hl .wb-tag:focus-visible::after{{outline:2px solid var(--wb-own);outline-offset:1px}}
.wb-hl .wb-tag:focus-visible::before{{content:attr(data-about);position:absolute;inset-inline-start:0;z-index:2;
  max-width:100%;box-sizing:border-box;margin-top:calc(1.5em + var(--wb-depth)*{LANE}px);padding:.3em .6em;
  font-size:.85em;line-height:1.4;white-space:pre-line;background:#15211f;color:#fff;
  border-left:4px solid var(--wb-own);border-radius:.4em;box-shadow:0 2px 8px #0007}}
@supports (position-area:end){{
.wb-hl .wb-tag:focus-visible{{anchor-name:--wb-focus}}
.wb-hl .wb-tag:focus-visible::before{{position-anchor:--wb-focus;position-area:end span-all;inset:auto;margin:.2em 0 0;
  justify-self:anchor-center}}
}}
.wb-legend{{display:flex;flex-wrap:wrap;gap:.35rem .5rem;margin:0 0 .6rem}}
.wb-legend span{{display:inline-flex;align-items:center;gap:.4em;padding:.12rem .55rem;border-radius:1rem;
  font-size:.85rem;line-height:1.5;border:1px solid color-mix(in srgb,currentColor 22%,transparent);
  overflow-wrap:anywhere}}
.wb-legend i{{flex:none;width:.8em;height:.8em;border-radius:.25em}}
.wb-legend b{{font-weight:600;font-variant-numeric:tabular-nums}}
.wb-legend small{{font-size:.92em;opacity:.85}}
.wb-legend .wb-absent{{border-style:dashed;opacity:.72}}
"""
