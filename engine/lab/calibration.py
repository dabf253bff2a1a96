"""Whether probabilities mean what they say, and what a threshold on them would do. One pass, fixed memory.

It sees decisions, each with its probability and whether it was right: the best label of a row, a label of a row where
several may be chosen, a value that was found.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.lab.figures import ratio

BINS = 10
STEPS = 100
"""Thresholds of a curve are 0, 1/STEPS, ... 1."""
_FLUSH = 50_000

_EDGES = np.linspace(0.0, 1.0, BINS + 1)
_THRESHOLDS = np.arange(STEPS + 1) / STEPS


@dataclass(frozen=True)
class Bin:
    """Decisions with a probability from `low` to `high`. probability, right: their means; None where there are none."""

    low: float
    high: float
    count: int
    probability: float | None
    right: float | None


@dataclass(frozen=True)
class Calibration:
    """Bins of equal width and what follows from them; None where no decision has a probability.

    error: expected calibration error, the mean distance of probability and share of right ones, by the bins' counts
    (Guo et al. 2017, arXiv:1706.04599). brier: mean of (probability - right) squared (Brier 1950), 0 best, 1 worst.
    """

    count: int
    bins: tuple[Bin, ...]
    error: float | None
    brier: float | None


@dataclass(frozen=True)
class CurvePoint:
    """What a threshold would do: decisions below it are not given.

    coverage: share of decisions that are given; precision: share of right ones among them; recall: share of all gold
    ones that are given; f1 of both. None where the denominator is 0.
    """

    threshold: float
    coverage: float | None
    precision: float | None
    recall: float | None
    f1: float | None


class Decisions:
    """Counts decisions by their probability."""

    def __init__(self) -> None:
        self._chances: list[float] = []
        self._rights: list[bool] = []
        self._bins = np.zeros((3, BINS))  # count, sum of probabilities, right
        self._squares = 0.0
        self._steps = np.zeros((2, STEPS + 2))  # decisions and right ones, by how many thresholds they reach

    def add(self, probability: float, right: bool) -> None:
        """Count one; probabilities a rounding error outside 0..1 are taken for 0 or 1."""
        self._chances.append(probability)
        self._rights.append(right)
        if len(self._chances) >= _FLUSH:
            self._flush()

    def calibration(self) -> Calibration:
        """What was counted so far, as bins."""
        self._flush()
        counts, sums, rights = self._bins
        total = int(counts.sum())
        bins = tuple(
            Bin(float(_EDGES[at]), float(_EDGES[at + 1]), int(count), ratio(sums[at], count), ratio(rights[at], count))
            for at, count in enumerate(counts)
        )
        return Calibration(
            total,
            bins,
            ratio(float(np.abs(sums - rights).sum()), total),
            ratio(self._squares, total),
        )

    def curve(self, gold: int) -> tuple[CurvePoint, ...]:
        """What each threshold would do. gold: how many right decisions there could be, given or not."""
        self._flush()
        given, right = (steps[::-1].cumsum()[::-1][1:] for steps in self._steps)
        total = float(self._steps[0].sum())
        return tuple(
            CurvePoint(
                float(threshold),
                ratio(given[at], total),
                ratio(right[at], given[at]),
                ratio(right[at], gold),
                ratio(2 * right[at], given[at] + gold),
            )
            for at, threshold in enumerate(_THRESHOLDS)
        )

    def _flush(self) -> None:
        if not self._chances:
            return
        chances: npt.NDArray[np.float64] = np.clip(np.array(self._chances), 0.0, 1.0)
        rights = np.array(self._rights, dtype=np.float64)
        places = np.minimum((chances * BINS).astype(int), BINS - 1)
        for row, weights in enumerate((np.ones_like(chances), chances, rights)):
            self._bins[row] += np.bincount(places, weights, minlength=BINS)
        self._squares += float(((chances - rights) ** 2).sum())
        reached = np.searchsorted(_THRESHOLDS, chances, side="right")
        for row, weights in enumerate((np.ones_like(chances), rights)):
            self._steps[row] += np.bincount(reached, weights, minlength=STEPS + 2)
        self._chances.clear()
        self._rights.clear()


def best_point(curve: tuple[CurvePoint, ...]) -> CurvePoint | None:
    """The lowest threshold with the highest F1; None where none has one."""
    known = [point for point in curve if point.f1 is not None]
    return max(known, key=lambda point: (point.f1 or 0.0, -point.threshold), default=None)
