"""Whether a difference between two runs could be noise: McNemar's test, and agreement beyond chance."""

import math
from collections.abc import Mapping

import numpy as np

_EXACT = 1000
"""Rows up to which the test is computed in whole numbers."""


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided p of McNemar's exact test (McNemar 1947, Psychometrika 12).

    Of rows where just one run is right: how probable a split at least this uneven is, if each run were as likely to be
    the right one. 1 without such rows.
    """
    total, fewer = only_first + only_second, min(only_first, only_second)
    if total == 0:
        return 1.0
    if total <= _EXACT:
        below: int = sum(math.comb(total, k) for k in range(fewer + 1))
        return min(1.0, 2 * below / (1 << total))
    # log C(n, k) step by step: (n - k + 1) / k more for each k
    steps = np.arange(1, fewer + 1, dtype=np.float64)
    logs = np.concatenate([[0.0], np.cumsum(np.log((total - steps + 1) / steps))]) - total * math.log(2)
    top = float(logs.max())
    return min(1.0, 2 * math.exp(top) * float(np.exp(logs - top).sum()))


def kappa(pairs: Mapping[tuple[object, object], int]) -> float | None:
    """Cohen's kappa of counted pairs of choices: agreement beyond what both runs' frequencies give by chance
    (Cohen 1960, Educational and Psychological Measurement 20). None without rows, or where chance agrees always."""
    total = sum(pairs.values())
    if not total:
        return None
    first: dict[object, int] = {}
    second: dict[object, int] = {}
    for (one, other), count in pairs.items():
        first[one] = first.get(one, 0) + count
        second[other] = second.get(other, 0) + count
    agreed = sum(count for (one, other), count in pairs.items() if one == other) / total
    chance = sum(count * second.get(name, 0) for name, count in first.items()) / total**2
    return None if chance == 1.0 else (agreed - chance) / (1 - chance)
