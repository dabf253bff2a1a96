"""Intervals by resampling rows, without resampling them one by one.

Rows that count alike are one pattern. Drawing n rows with replacement is drawing how often each pattern comes, from a
multinomial distribution: the same bootstrap (Efron 1979), in memory and time that depend on patterns and not on rows.
Seeded: the same rows give the same interval.
"""

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from engine.lab.figures import Interval

DRAWS = 2000
"""Resamples of an interval."""
MOST_PATTERNS = 10_000
_MOST_WORK = 4e9
"""Multiplications of an interval at most, some seconds; beyond, it is left out."""
_CHUNK = 4_000_000
"""Numbers held at once."""

Floats = npt.NDArray[np.float64]
Pattern = TypeVar("Pattern", bound=Hashable)


class Patterns(Generic[Pattern]):
    """How many rows count alike; gives up beyond `MOST_PATTERNS` different ones, so that its size is bounded."""

    def __init__(self) -> None:
        self.counts: dict[Pattern, int] = {}
        self.full = False

    def add(self, pattern: Pattern) -> None:
        """Count one row."""
        if pattern in self.counts:
            self.counts[pattern] += 1
        elif len(self.counts) < MOST_PATTERNS:
            self.counts[pattern] = 1
        else:
            self.full = True

    def interval(
        self, additive: Callable[[Pattern], Any], statistic: Callable[[Floats], Floats], *, seed: int = 0
    ) -> Interval | None:
        """Of a statistic of sums over rows; None where patterns are too many, or fewer than 2 rows.

        additive: what one row of a pattern adds to each sum. statistic: sums (draws, sums) to values (draws); nan where
        a draw has no value.
        """
        first = next(iter(self.counts), None)
        if self.full or first is None or _too_much(len(self.counts), len(additive(first)), DRAWS):
            return None  # looked at first: the sums of all patterns may be more than memory should hold
        columns = np.array([additive(pattern) for pattern in self.counts], dtype=np.float64)
        return interval(np.fromiter(self.counts.values(), dtype=np.int64), columns, statistic, seed=seed)


def interval(
    weights: npt.NDArray[np.int64],
    columns: Floats,
    statistic: Callable[[Floats], Floats],
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> Interval | None:
    """As `Patterns.interval`, of patterns that come `weights` times and add `columns` (patterns, sums)."""
    rows = int(weights.sum())
    kinds, sums = columns.shape
    if rows < 2 or _too_much(kinds, sums, draws):
        return None
    random = np.random.default_rng(seed)
    step = max(1, _CHUNK // max(kinds, sums))
    values = []
    for start in range(0, draws, step):
        often = random.multinomial(rows, weights / rows, size=min(step, draws - start))
        values.append(statistic(often.astype(np.float64) @ columns))
    known = np.concatenate(values)
    known = known[~np.isnan(known)]
    if not known.size:
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return Interval(float(low), float(high))


def _too_much(kinds: int, sums: int, draws: int) -> bool:
    return float(kinds) * sums * draws > _MOST_WORK


def divide(part: Floats, whole: Floats) -> Floats:
    """part / whole; nan where there is no whole."""
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)


def f1_of(sums: Floats) -> Floats:
    """F1 of sums (draws, 3): tp, fp, fn."""
    return divide(2 * sums[:, 0], 2 * sums[:, 0] + sums[:, 1] + sums[:, 2])


def macro_f1_of(sums: Floats) -> Floats:
    """Mean F1 of the labels that come in a draw: sums (draws, 3 * labels), each label's tp, fp and fn."""
    counts = sums.reshape(len(sums), -1, 3)
    whole = 2 * counts[..., 0] + counts[..., 1] + counts[..., 2]
    each = np.divide(2 * counts[..., 0], whole, out=np.zeros_like(whole), where=whole > 0)
    return divide(each.sum(axis=1), (whole > 0).sum(axis=1).astype(np.float64))
