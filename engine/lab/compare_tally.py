"""Counts of two runs side by side, whatever their task: what changed, and who is right."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from engine.lab.bootstrap import Floats, Patterns, divide, f1_of
from engine.lab.figures import Counts, Interval, Listing, ratio
from engine.lab.significance import kappa

MOST_TRANSITIONS = 5000
"""Different transitions that are told apart."""
_MOST_CHOICES = 100_000

Move = tuple[str | None, tuple[str, ...], tuple[str, ...]]
"""A field (None of a classification), its old and its new labels or values."""
Sums = tuple[int, int, int, int, int, int, int, int]
"""Of a row, for A then B: 1 where all is right, then tp, fp, fn."""


@dataclass(frozen=True)
class Group:
    """Rows of a kind: how many, and the numbers of the first."""

    count: int = 0
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Transition:
    """What became of an answer in B. old, new: labels, or values of `field`; empty: none.

    better, worse: rows that are right in B alone, in A alone, where gold is known.
    """

    field: str | None
    old: tuple[str, ...]
    new: tuple[str, ...]
    count: int
    numbers: tuple[int, ...]
    better: int = 0
    worse: int = 0


@dataclass(frozen=True)
class Difference:
    """A figure in A and in B, and B - A with its paired bootstrap interval; None where it is not known."""

    a: float | None = None
    b: float | None = None
    value: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True)
class Judged:
    """One row in both runs. a, b: the answers as they are compared; moves: where they differ.

    sums: where gold is known; else None.
    """

    a: Hashable
    b: Hashable
    moves: tuple[Move, ...]
    sums: Sums | None


@dataclass
class _Counted:
    count: int = 0
    better: int = 0
    worse: int = 0
    listing: Listing = field(default_factory=Listing)

    def group(self) -> Group:
        return Group(self.count, tuple(self.listing.numbers))

    def add(self, number: int) -> None:
        self.count += 1
        self.listing.add(number)


class Tally:
    """Counts of one pass over rows that both runs answered. choices: whether answers are few enough to count pairs."""

    def __init__(self, *, choices: bool) -> None:
        self.rows = 0
        self.changed = _Counted()
        self.more = 0
        self.standing: dict[tuple[bool, bool], _Counted] = {
            (one, other): _Counted() for one in (True, False) for other in (True, False)
        }
        self.patterns: Patterns[Sums] = Patterns()
        self.totals = [0] * 8
        self._moves: dict[Move, _Counted] = {}
        self._choices: Counter[tuple[Hashable, Hashable]] | None = Counter() if choices else None

    def add(self, number: int, row: Judged) -> None:
        """Count one row."""
        self.rows += 1
        rights = None
        if row.sums is not None:
            rights = (bool(row.sums[0]), bool(row.sums[4]))
            self.standing[rights].add(number)
            self.patterns.add(row.sums)
            self.totals = [total + more for total, more in zip(self.totals, row.sums, strict=True)]
        if row.a != row.b:
            self.changed.add(number)
        for move in row.moves:
            self._move(move, number, rights)
        if self._choices is not None:
            self._choices[row.a, row.b] += 1
            if len(self._choices) > _MOST_CHOICES:
                self._choices = None

    def transitions(self) -> tuple[Transition, ...]:
        """The most frequent first."""
        kept = sorted(self._moves.items(), key=lambda one: -one[1].count)
        return tuple(
            Transition(*move, one.count, tuple(one.listing.numbers), one.better, one.worse) for move, one in kept
        )

    def kappa(self) -> float | None:
        """Cohen's; None also where pairs of answers are not counted, or too many."""
        return None if self._choices is None else kappa(self._choices)

    def accuracy(self, seed: int) -> Difference:
        """Share of rows that are right."""
        gold = sum(one.count for one in self.standing.values())
        a, b = ratio(self.totals[0], gold), ratio(self.totals[4], gold)
        interval = self.patterns.interval(lambda row: (*row, 1), _accuracies, seed=seed)
        return difference(a, b, interval)

    def f1(self, seed: int) -> Difference:
        """F1 of all decisions together."""
        a, b = (Counts(*self.totals[at : at + 3]).f1 for at in (1, 5))
        interval = self.patterns.interval(lambda row: row, lambda sums: _f1s(sums, 5) - _f1s(sums, 1), seed=seed)
        return difference(a, b, interval)

    def _move(self, move: Move, number: int, rights: tuple[bool, bool] | None) -> None:
        one = self._moves.get(move)
        if one is None:
            if len(self._moves) >= MOST_TRANSITIONS:
                self.more += 1
                return
            one = self._moves[move] = _Counted()
        one.add(number)
        one.better += rights == (False, True)
        one.worse += rights == (True, False)


def difference(a: float | None, b: float | None, interval: Interval | None) -> Difference:
    """B - A where both are known."""
    return Difference(a, b, None, None) if a is None or b is None else Difference(a, b, b - a, interval)


def _accuracies(sums: Floats) -> Floats:
    return divide(sums[:, 4] - sums[:, 0], sums[:, -1])


def _f1s(sums: Floats, start: int) -> Floats:
    return f1_of(sums[:, start : start + 3])
