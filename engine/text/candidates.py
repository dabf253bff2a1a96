"""Candidates for fields' values, from whatever proposed them, and how they compete for a place in the text."""

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


def compete(candidates: Iterable[Candidate], threshold: float, *, nested: bool) -> list[Candidate]:
    """The candidates that reach the threshold and win their place, best first.

    Of candidates that overlap the more probable one stays. nested: only those of one wording compete.
    """
    likely = [one for one in candidates if one.probability >= threshold]
    likely.sort(key=lambda one: (-one.probability - one.bonus, one.start, one.start - one.end, one.query))
    taken: dict[int, list[tuple[int, int]]] = {}
    kept = []
    for one in likely:
        places = taken.setdefault(one.query if nested else 0, [])
        if all(one.end <= start or end <= one.start for start, end in places):
            places.append((one.start, one.end))
            kept.append(one)
    return kept
