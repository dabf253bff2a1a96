"""Where a value stands in a text: verbatim, or else spelled in another width, case or with invisible characters.

Offsets are code points of the text as given. It does not choose among several places, and it knows no meaning: a
synonym or a typing error is absent.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from engine.text.inspect import IGNORABLE, UNSPACED, script
from engine.types import Grounding

_IGNORED = re.compile(f"[{IGNORABLE}]")
_SAME = str.maketrans(
    dict.fromkeys("‘’‚‛", "'")
    | dict.fromkeys("“”„‟", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
"""Quotes and dashes, which word processors and models replace."""
_MOST_MARKS = 30
"""Marks kept with one character, as in Unicode's stream-safe format: to sort thousands would take minutes."""
_JOINERS = "\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
"""What makes one emoji of two: the zero-width joiner and skin tones."""


@dataclass(frozen=True)
class Alignment:
    """All places of a value, in order, and how its spelling compares there; absent has none."""

    places: tuple[tuple[int, int], ...]
    status: Grounding


class Aligner:
    """Finds values in one text, which is prepared once, at the first value that is not verbatim in it."""

    def __init__(self, text: str) -> None:
        """text: the text as given; offsets count its code points."""
        self._text = text

    def occurrences(self, value: str) -> list[tuple[int, int]]:
        """Every verbatim place, overlapping ones too; where some are whole words, only those.

        A value without a visible character stands nowhere.

        >>> Aligner("start art").occurrences("art")
        [(6, 9)]
        """
        if not _compared(value):
            return []
        return self._words([(at, at + len(value)) for at in _finds(value, self._text)])

    def align(self, value: str) -> Alignment:
        """The places of a value: verbatim ones, else those that differ in spelling only.

        Compared are compatibility decompositions, casefolded, without ignorable characters, with runs of blanks as
        one, quotes and dashes alike. A match holds whole characters: no "k" in ㎏, no "e" in é.

        >>> Aligner("服用２片").align("2片")
        Alignment(places=((2, 4),), status='normalised')
        """
        if exact := self.occurrences(value):
            return Alignment(tuple(exact), "exact")
        wanted = _compared(value)
        if not wanted:
            return Alignment((), "absent")
        found = (self._folded.place(at, at + len(wanted)) for at in _finds(wanted, self._folded.string))
        places = self._words([place for place in found if place])
        return Alignment(tuple(places), "normalised" if places else "absent")

    @cached_property
    def _folded(self) -> "_Folded":
        return _fold(self._text)

    def _words(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        return [place for place in places if self._is_whole(*place)] or places

    def _is_whole(self, start: int, end: int) -> bool:
        return not self._joined(start) and not self._joined(end)

    def _joined(self, at: int) -> bool:
        """Whether the characters before and after a place belong to one word, number or emoji."""
        if not 0 < at < len(self._text):
            return False
        after = self._text[at]
        if (_attaches(after) and not _IGNORED.match(after)) or after in _JOINERS or self._text[at - 1] == "\u200d":
            return True
        before = at - 1
        while before > max(0, at - _MOST_MARKS) and _attaches(self._text[before]):
            before -= 1  # a mark is of the word that its letter is of
        return _run(self._text[before]) == _run(after) != ""


@dataclass(frozen=True)
class _Folded:
    """A text as it is compared: its k-th unit, string[offsets[k] : offsets[k + 1]], is text[starts[k] : ends[k]]."""

    string: str
    offsets: list[int]
    starts: list[int]
    ends: list[int]

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a stretch of the string is in the text; None where it begins or ends inside a unit."""
        first, last = bisect_left(self.offsets, start), bisect_left(self.offsets, end)
        if self.offsets[first] != start or self.offsets[last] != end:
            return None
        return self.starts[first], self.ends[last - 1]


def _fold(text: str) -> _Folded:
    """Unit by unit: a character with its marks, or a run of blanks. Ignorable characters make no unit."""
    starts: list[int] = []
    ends: list[int] = []
    pieces: list[str] = []
    marks: dict[int, int] = {}
    for place, char in enumerate(text):
        piece = _piece(char)
        if not piece:
            continue
        last = len(pieces) - 1
        if last >= 0 and pieces[last] == " ":
            if piece == " ":
                ends[last] = place + 1
                continue
        elif last >= 0 and _attaches(char) and marks.get(last, 0) < _MOST_MARKS:
            marks[last] = marks.get(last, 0) + 1
            ends[last] = place + 1
            continue
        starts.append(place)
        ends.append(place + 1)
        pieces.append(piece)
    for unit in marks:
        pieces[unit] = _decomposed(_IGNORED.sub("", text[starts[unit] : ends[unit]]))
    return _Folded("".join(pieces), [0, *accumulate(map(len, pieces))], starts, ends)


def _compared(value: str) -> str:
    return _fold(value).string.strip(" ")


@lru_cache(maxsize=1 << 16)
def _piece(char: str) -> str:
    """A character as it is compared: nothing if it is ignorable, one blank for any blank."""
    if _IGNORED.match(char):
        return ""
    if char.isspace():
        return " "
    return _decomposed(char)


def _decomposed(chars: str) -> str:
    """Again after the case is folded: Unicode's caseless match of compatibility equivalents."""
    folded = unicodedata.normalize("NFKD", chars).casefold()
    folded = unicodedata.normalize("NFKD", folded).translate(_SAME)
    return chars if folded.startswith(" ") else folded  # a spacing accent is no blank with a mark


@lru_cache(maxsize=1 << 16)
def _attaches(char: str) -> bool:
    """Whether a character is part of the one before it: combining marks, ﾞ and ﾟ, vowels and finals of Hangul."""
    if "\u1161" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb":
        return True
    if unicodedata.category(char).startswith("M"):
        return True
    return unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) > 0


@lru_cache(maxsize=1 << 16)
def _run(char: str) -> str:
    """What must not go on beyond the edge of a whole word: digits, or letters of a script that puts blanks."""
    if char.isdigit():
        return "digits"
    name = script(char)
    return "" if name in UNSPACED else name


def _finds(wanted: str, text: str) -> Iterator[int]:
    """Every place, overlapping ones too, also of ===== in a long line of = within a second."""
    # Two places are never closer than the first half of the value is to itself.
    step = wanted.find(wanted[: (len(wanted) + 1) // 2], 1)
    at = text.find(wanted)
    while at >= 0:
        yield at
        if step > 0 and text.startswith(wanted, at + step):
            at += step
        else:
            at = text.find(wanted, at + 1)
