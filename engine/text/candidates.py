"""Candidates for fields' values, from whatever proposed them, and how they compete for a place in the text."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A span, code points [start, end), that may be a value of the field's wording `query` (an index).

    probability: that it is one. bonus: breaks ties between wordings that mean the same; it is not part of the score.
    """

    start: int
    end: int
    query: int
    probability: float
    bonus: float = 0.0

    @property
    def place(self) -> tuple[int, int]:
        """Where it is."""
        return self.start, self.end


class Places:
    """Places in a text that are taken; none overlaps another."""

    def __init__(self, taken: Iterable[tuple[int, int]] = ()) -> None:
        self._taken = sorted(taken)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether a place shares a code point with one that is taken."""
        at = bisect_left(self._taken, (end,))
        return at > 0 and self._taken[at - 1][1] > start

    def take(self, start: int, end: int) -> bool:
        """Take a place; whether it was free."""
        free = not self.overlaps(start, end)
        if free:
            insort(self._taken, (start, end))
        return free


def compete(candidates: Iterable[Candidate], threshold: float, *, nested: bool) -> list[Candidate]:
    """The candidates that reach the threshold and win their place, best first.

    Of candidates that overlap the more probable one stays. nested: only those of one wording compete.
    """
    likely = [one for one in candidates if one.probability >= threshold]
    likely.sort(key=lambda one: (-one.probability - one.bonus, one.start, one.start - one.end, one.query))
    taken: defaultdict[int, Places] = defaultdict(Places)
    return [one for one in likely if taken[one.query if nested else 0].take(one.start, one.end)]
