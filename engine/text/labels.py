"""Label sets as people type and paste them: splitting, writing back, duplicates and look-alikes.

A label is one line of text without blanks around it. It knows no model.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from engine.text.inspect import whole_characters

SEPARATORS = ",，、;；\n\r\t"
"""What separates labels: commas, semicolons, the enumeration comma, line ends, and TAB as spreadsheets paste it."""

_QUOTES = {'"': '"', "“": "”"}
_EDGES = " \u3000\ufeff\u200b\u00a0\t\r\n"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True)
class NormalisedLabels:
    """A label set as it is asked.

    merged: labels that were given more than once.
    twins: groups of kept labels that differ only in width or case.
    """

    labels: tuple[str, ...]
    merged: tuple[str, ...]
    twins: tuple[tuple[str, ...], ...]


def clean_label(raw: str) -> str:
    """One label: control characters and line ends become a blank, blanks around it go, broken characters show as �."""
    return whole_characters(_CONTROL.sub(" ", raw)).strip(_EDGES)


def parse_labels(raw: str) -> list[str]:
    """Split at any separator that no double quotes protect; order is kept, empty parts are dropped.

    Inside quotes a doubled quote is one quote, as in CSV. A quote that is never closed is a plain character.

    >>> parse_labels('食品,饮料\\n"酒, 茶"；水、奶，  ，茶')
    ['食品', '饮料', '酒, 茶', '水', '奶', '茶']
    """
    labels, place = [], 0
    while place < len(raw):
        quoted = _quoted(raw, place)
        if quoted is not None:
            label, place = quoted
        else:
            end = next((at for at in range(place, len(raw)) if raw[at] in SEPARATORS), len(raw))
            label, place = raw[place:end], end + 1
        if label := clean_label(label):
            labels.append(label)
    return labels


def format_labels(labels: Iterable[str]) -> str:
    """The inverse of `parse_labels`, with quotes only where they are needed."""
    return ",".join(_quote(label) for label in labels)


def normalise_labels(labels: Iterable[str]) -> NormalisedLabels:
    """Clean labels in order, each once; look-alikes are kept and reported, for only their author knows."""
    kept: dict[str, None] = {}
    merged: dict[str, None] = {}
    for label in filter(None, map(clean_label, labels)):
        (merged if label in kept else kept)[label] = None
    groups: dict[str, list[str]] = {}
    for label in kept:
        groups.setdefault(unicodedata.normalize("NFKC", label).casefold(), []).append(label)
    twins = tuple(tuple(group) for group in groups.values() if len(group) > 1)
    return NormalisedLabels(tuple(kept), tuple(merged), twins)


def _quoted(raw: str, start: int) -> tuple[str, int] | None:
    """A quoted label that begins at `start`, and the place after its separator; None if there is none."""
    while start < len(raw) and raw[start] in " \u3000":
        start += 1
    closing = _QUOTES.get(raw[start : start + 1])
    if closing is None:
        return None
    opening = raw[start]
    label, place = "", start + 1
    while place < len(raw):
        if raw[place] == opening != closing:
            return None  # curly quotes do not nest; this also keeps a paste of openings linear
        if raw[place] != closing:
            label += raw[place]
            place += 1
        elif raw[place + 1 : place + 2] == closing:
            label += closing
            place += 2
        else:
            return _after_quotes(raw, label, place + 1)
    return None


def _after_quotes(raw: str, label: str, place: int) -> tuple[str, int] | None:
    """Only a separator or the end may follow the closing quote, else the quotes were plain characters."""
    while place < len(raw) and raw[place] in " \u3000":
        place += 1
    if place < len(raw) and raw[place] not in SEPARATORS:
        return None
    return label, place + 1


def _quote(label: str) -> str:
    if any(char in SEPARATORS for char in label) or label[:1] in _QUOTES:
        return '"' + label.replace('"', '""') + '"'
    return label
