"""Values that must be one of a list or match a pattern.

The pattern is a user's own and may be built to hang: `regex` stops a match after a time, and patterns that would
already take seconds or gigabytes to compile (it writes out counted groups) are refused before it sees them.
"""

import re
import unicodedata
from collections.abc import Iterator

from engine.messages import Phrase
from engine.types import TypedValue

LONGEST_PATTERN = 300
_SECONDS = 0.1
_SEARCH_SECONDS = 2.0
"""A long text with many matches takes a good part of a second."""
_LARGEST = 30_000
"""Nodes of a compiled pattern; 30,000 are some 50 MB and a tenth of a second at worst."""

_COUNT = re.compile(r"\{\s*([0-9]+)")
_REPEATED_GROUP = re.compile(r"[)}]\s*(?:\{\s*([0-9]+)|\+)")
_COMMENTED = re.compile(r"\(\?(?:#|\w*x)")
"""Comments, and the flag that allows them anywhere: they could hide a repeat from `_REPEATED_GROUP`."""


def read_option(text: str, options: tuple[str, ...]) -> TypedValue:
    """The first option that differs from the text in width, case and blanks at most."""
    wanted = _folded(text)
    option = next((option for option in options if _folded(option) == wanted), None)
    return TypedValue(None, Phrase("not_in_list")) if option is None else TypedValue(option)


def read_match(text: str, pattern: str) -> TypedValue:
    """The text, if the pattern matches the whole of it."""
    import regex

    if check_pattern(pattern) is not None:
        return TypedValue(None, Phrase("bad_pattern"))
    try:
        match = regex.fullmatch(pattern, text, timeout=_SECONDS)
    except (TimeoutError, MemoryError):
        return TypedValue(None, Phrase("bad_pattern"))
    return TypedValue(None, Phrase("not_matching")) if match is None else TypedValue(text)


def find_options(text: str, options: tuple[str, ...]) -> list[tuple[int, int]]:
    """Places in a text, code points, that hold an option as a word of its own, in any case; of overlapping ones the
    first, of two that begin alike the longer."""
    import regex

    word = r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{N}]"
    inside = regex.compile(rf"(?<={word})(?={word})")
    lowered = _lowered(text)
    places = [
        (start, start + len(option))
        for option in {_lowered(option.strip()) for option in options}
        for start in _finds(option, lowered)
        if not inside.match(text, start) and not inside.match(text, start + len(option))
    ]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def find_matches(text: str, pattern: str) -> list[tuple[int, int]]:
    """Places in a text, code points, that a user's pattern matches, empty ones left out; what it found in time."""
    import regex

    found: list[tuple[int, int]] = []
    if check_pattern(pattern) is not None:
        return found
    try:
        for match in regex.finditer(pattern, text, timeout=_SEARCH_SECONDS):
            if match.end() > match.start():
                found.append(match.span())
    except (TimeoutError, MemoryError):
        return found
    return found


def _lowered(text: str) -> str:
    """One code point for one, so that places hold."""
    return "".join(next((low for low in (char.casefold(), char.lower()) if len(low) == 1), char) for char in text)


def _finds(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def check_pattern(pattern: str) -> str | None:
    """What is wrong with a pattern, as its compiler says it; None where nothing is."""
    import regex

    if len(pattern) > LONGEST_PATTERN or _COMMENTED.search(pattern) or _size(pattern) > _LARGEST:
        return Phrase("pattern_too_large", limit=LONGEST_PATTERN)
    try:
        regex.compile(pattern)
    except RecursionError:
        return Phrase("pattern_too_large", limit=LONGEST_PATTERN)
    except (regex.error, ValueError, OverflowError) as complaint:
        return str(complaint)
    return None


def _size(pattern: str) -> int:
    """An upper bound of the compiled pattern, as if every repeated group held all the others."""
    size = len(pattern) + sum(int(count) for count in _COUNT.findall(pattern))
    for count in _REPEATED_GROUP.findall(pattern):
        size *= max(int(count or 1), 1) + 1
    return size


def _folded(text: str) -> str:
    wide = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", wide).split())
