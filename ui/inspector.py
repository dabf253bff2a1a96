"""Shows what people do not see in a text: invisible and look-alike characters, each with a marker and its place."""

import html
from functools import lru_cache

import pandas as pd
import streamlit as st

from engine.text.inspect import OddCharacter, invisible, reveal
from ui.i18n import t

_SHOWN = 500
"""Characters that the table lists."""
_AROUND = 60
"""Characters that are shown of a stretch with nothing to say, at each of its ends."""
_STYLE = """<style>
.wb-reveal{white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9;max-height:16rem;overflow:auto}
.wb-odd{font-size:.68em;font-weight:600;padding:.1em .35em;margin:0 .1em;border-radius:.3em;white-space:nowrap;
  background:color-mix(in srgb,#d97706 32%,transparent)}
.wb-gap{opacity:.6}
</style>"""


def inspector(text: str) -> None:
    """An expander with the characters that are not what they seem; nothing where there are none."""
    found = _found(text)
    if not found:
        return
    with st.expander(t("inspect.title", count=len(found)), icon=":material/visibility:"):
        st.html(_STYLE + _revealed(text))
        st.dataframe(
            pd.DataFrame(
                [
                    {"offset": one.offset, "code": one.code, "name": one.name, "kind": t(f"odd.{one.kind}")}
                    for one in found[:_SHOWN]
                ]
            ),
            hide_index=True,
            column_config={name: t(f"inspect.{name}") for name in ("offset", "code", "name", "kind")},
            alt=t("inspect.title", count=len(found)),
        )


@lru_cache(maxsize=8)
def _found(text: str) -> tuple[OddCharacter, ...]:
    return invisible(text)


@lru_cache(maxsize=8)
def _revealed(text: str) -> str:
    """The text with a marker at each such character; long stretches without one are cut in the middle."""
    pieces = reveal(text)
    parts = []
    for piece, odd in pieces[: 4 * _SHOWN]:
        if odd is None:
            parts.append(_shortened(piece))
            continue
        seen = html.escape(odd.char) if odd.kind == "look-alike" else ""
        parts.append(f'{seen}<span class="wb-odd" title="{html.escape(odd.name)}">{odd.code}</span>')
    if len(pieces) > 4 * _SHOWN:
        parts.append('<span class="wb-gap"> … </span>')
    return f'<div class="wb-reveal" dir="auto" data-testid="reveal">{"".join(parts)}</div>'


def _shortened(piece: str) -> str:
    if len(piece) <= 3 * _AROUND:
        return _escaped(piece)
    return f'{_escaped(piece[:_AROUND])}<span class="wb-gap"> … </span>{_escaped(piece[-_AROUND:])}'


def _escaped(piece: str) -> str:
    return html.escape(piece).replace("\n", "&#10;").replace("\r", "").replace("\t", "&#9;")
