"""Counts of right and wrong decisions, and the figures that follow from them.

A figure whose denominator is 0 is None and never a number: nothing was measured.
"""

from collections.abc import Iterable
from dataclasses import dataclass

LISTED = 50
"""Rows that are listed behind a count; the count itself is whole."""


@dataclass(frozen=True)
class Interval:
    """A 95 % interval by the bootstrap's percentiles (Efron 1979, Annals of Statistics 7)."""

    low: float
    high: float


@dataclass(frozen=True)
class Figure:
    """A measured share in 0..1. interval: None where there are too few or too many different rows to compute it."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True)
class Counts:
    """Decisions: tp: right ones; fp: given and not gold; fn: gold and not given."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def support(self) -> int:
        """How many gold has."""
        return self.tp + self.fn

    @property
    def given(self) -> int:
        """How many the answers have."""
        return self.tp + self.fp

    @property
    def precision(self) -> float | None:
        """Share of the given ones that are right."""
        return ratio(self.tp, self.given)

    @property
    def recall(self) -> float | None:
        """Share of the gold ones that were given."""
        return ratio(self.tp, self.support)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall, 2tp / (2tp + fp + fn); None where neither side has one."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)


class Listing:
    """Numbers of the first rows of a kind."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def add(self, number: int) -> None:
        """Keep a row while there is room."""
        if len(self.numbers) < LISTED:
            self.numbers.append(number)


def ratio(part: float, whole: float) -> float | None:
    """part / whole; None where there is no whole."""
    return float(part / whole) if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are known; None without any."""
    known = [value for value in values if value is not None]
    return ratio(sum(known), len(known))
