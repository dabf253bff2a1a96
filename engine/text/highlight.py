"""Shows where values are in a text: spans that may overlap, nest or coincide become runs, and runs become HTML.

The markup is the text and nothing else: field names and figures stand in attributes, so that copying the text copies
the text. Offsets are code points of the text as given. It knows no page, no language and no model.
"""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import regex

from engine.text import highlight_style as style
from engine.types import FieldAnswer, FoundValue

_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_BROKEN = re.compile("[\x00\ud800-\udfff]")
_CLOSING = re.compile("(?<=<)(?=/)|(?<=[-!?\\]])(?=>)")
"""Inside what a sanitiser takes for the end of a comment or of an element; it would drop the whole attribute."""
_TAG_LIMIT = 24
"""Characters of a field's name that its label at a value shows."""


@dataclass(frozen=True)
class Mark:
    """A span of the text, the number of its field (which gives the colour), the field's name, what is said of it."""

    start: int
    end: int
    field: int
    name: str
    about: str = ""


@dataclass(frozen=True)
class Segment:
    """A run of the text under one set of marks: their places in the list of marks, the outermost first."""

    start: int
    end: int
    marks: tuple[int, ...]


def segments(text: str, marks: Sequence[Mark]) -> list[Segment]:
    """The whole text as runs, each with the marks that cover it; what lies outside the text is left out.

    >>> [(one.start, one.end, one.marks) for one in segments("abcd", [Mark(1, 3, 0, "x"), Mark(2, 3, 1, "y")])]
    [(0, 1, ()), (1, 2, (0,)), (2, 3, (0, 1)), (3, 4, ())]
    """
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for number, mark in enumerate(marks):
        start, end = max(0, mark.start), min(len(text), mark.end)
        if start < end:
            opening.setdefault(start, []).append(number)
            closing.setdefault(end, []).append(number)
    found: list[Segment] = []
    active: set[int] = set()
    for start, end in pairwise(sorted({0, len(text), *opening, *closing})):
        active.difference_update(closing.get(start, ()))
        active.update(opening.get(start, ()))
        outermost_first = sorted(active, key=lambda number: (*_outermost(marks[number]), number))
        found.append(Segment(start, end, tuple(outermost_first)))
    return found


def whole_clusters(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The same marks, each widened to whole characters as people see them: an emoji or an accent is never cut."""
    if not marks:
        return []
    borders = [*(match.start() for match in regex.finditer(r"\X", text, regex.DOTALL)), len(text)]
    widened = []
    for mark in marks:
        start = borders[max(0, bisect_right(borders, mark.start) - 1)]
        end = borders[min(len(borders) - 1, bisect_left(borders, mark.end))]
        widened.append(replace(mark, start=start, end=end))
    return widened


def marks_of(answers: Iterable[FieldAnswer]) -> list[Mark]:
    """The values that are in the text; a field's number is its place in the answers."""
    return [
        Mark(value.start, value.end, number, answer.field.name, about(answer.field.name, value))
        for number, answer in enumerate(answers)
        for value in answer.values
        if value.start is not None and value.end is not None
    ]


def about(name: str, value: FoundValue) -> str:
    """A value's field, score and offsets, the same in every language."""
    score = "" if value.score is None else f" · {value.score:.1%}"
    return f"{name}{score} · {value.start}–{value.end}"


def highlight_html(text: str, marks: Sequence[Mark]) -> str:
    """The text as escaped HTML with its marks coloured; `highlight_style.STYLE` gives the look.

    The innermost mark gives a run its ground, every mark its own underline, and a label where it ends.
    """
    shown = whole_clusters(text, marks)
    lanes, depths = _lanes(shown)
    parts = []
    for segment in segments(text, shown):
        chunk = _escaped(text[segment.start : segment.end])
        if not segment.marks:
            parts.append(chunk)
            continue
        said = "\n".join(marks[number].about or marks[number].name for number in segment.marks)
        ground = f"{_underlines(segment.marks, shown, lanes)},{style.ground(shown[segment.marks[-1]].field)}"
        depth = depths[segment.marks[0]]
        parts.append(f'<mark title="{_attribute(said)}" style="--wb-depth:{depth};background:{ground}">{chunk}</mark>')
        ending = [number for number in segment.marks if shown[number].end == segment.end]
        staying = [number for number in segment.marks if number not in ending]
        parts += [_tag(marks[number], _underlines(staying, shown, lanes), depth) for number in reversed(ending)]
    return f'<div class="wb-hl" dir="auto">{"".join(parts)}</div>'


def legend_html(answers: Sequence[FieldAnswer], not_found: str = "not found") -> str:
    """A chip a field: its colour, its name, how many values; a dashed one, with its probability, where none."""
    chips = []
    for number, answer in enumerate(answers):
        name = _escaped(answer.field.name)
        swatch = f'<i style="background:{style.underline(number)}"></i>'
        if answer.values:
            chips.append(f"<span>{swatch}{name} <b>{len(answer.values)}</b></span>")
        else:
            sure = "" if answer.absent is None else f" {answer.absent:.0%}"
            said = _escaped(f"{not_found}{sure}")
            chips.append(f'<span class="wb-absent">{swatch}{name} <small>{said}</small></span>')
    return f'<div class="wb-legend">{"".join(chips)}</div>'


def _outermost(mark: Mark) -> tuple[int, int]:
    return (mark.start, -mark.end)


def _lanes(marks: Sequence[Mark]) -> tuple[list[int], list[int]]:
    """For every mark its underline's place, 0 the lowest, and how many underlines its group of overlaps has."""
    lanes, depths = [0] * len(marks), [1] * len(marks)
    group: list[int] = []
    ends: list[int] = []
    for number in sorted(range(len(marks)), key=lambda number: _outermost(marks[number])):
        mark = marks[number]
        if group and mark.start >= max(ends):
            group, ends = [], []
        lane = next((lane for lane, end in enumerate(ends) if end <= mark.start), len(ends))
        ends[lane : lane + 1] = [mark.end]
        lanes[number] = lane
        group.append(number)
        for member in group if len(ends) > depths[group[0]] else [number]:
            depths[member] = len(ends)
    return lanes, depths


def _underlines(numbers: Sequence[int], marks: Sequence[Mark], lanes: Sequence[int]) -> str:
    return ",".join(
        f"{style.underline(marks[number].field)} 0 calc(100% - {lanes[number] * style.LANE}px)/100% 3px no-repeat"
        for number in numbers
    )


def _tag(mark: Mark, underlines: str, depth: int) -> str:
    """A value's label: an empty element, drawn by CSS from its attribute; the underlines of what goes on run through.

    It takes the keyboard's focus and then says what hovering says.
    """
    name = mark.name if len(mark.name) <= _TAG_LIMIT else f"{mark.name[: _TAG_LIMIT - 1]}…"
    ground = f"background:{underlines};" if underlines else ""
    said = _attribute(mark.about or mark.name)
    return (
        f'<span class="wb-tag{" wb-striped" if style.is_striped(mark.field) else ""}" tabindex="0" role="note" '
        f'aria-label="{said}" title="{said}" data-about="{said}" data-tag="{_attribute(name)}" '
        f'data-start="{mark.start}" data-end="{mark.end}" '
        f'style="--wb-depth:{depth};{ground}{style.own(mark.field)}"></span>'
    )


def _escaped(text: str) -> str:
    """Text as HTML without a line end of its own, for whoever strips or indents lines; broken characters as U+FFFD."""
    ended = _LINE_END.sub("\n", _BROKEN.sub("\ufffd", text))
    return html.escape(ended).replace("\n", "&#10;").replace("\t", "&#9;")


def _attribute(text: str) -> str:
    return _escaped(_CLOSING.sub("\u2060", text))
