"""Whether a figure grows with every request: a robust slope, and when it may be believed.

A process that works in order is not still: heaps grow in steps and are trimmed, garbage piles up until it is collected,
longer texts take more for a while, a second model may be loaded. What tells a leak from these is that memory does not
come back. So a span of requests is cut into blocks of equal numbers of requests, of each the least is taken, and these
must rise: nearly all of them (Kendall's tau), most of them by much, in every third of the span, and above everything
before. The slope is the median of all pairs' (Theil 1950, Sen 1968), which odd samples do not move.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import median

from engine.observe.types import Sample

SPANS = (45.0, 300.0, 1800.0)
"""Seconds up to now that are looked at: the first finds fast leaks soon, the last finds slow ones."""
LEAST_REQUESTS = 40
LEAST_SECONDS = 38.0
LEAST_BYTES = 56 * 2**20
"""What must have been asked, have passed, and have grown before anything is said."""

_BLOCKS, _FEW_BLOCKS, _IN_BLOCK = 9, 6, 5
"""Blocks of a span, fewer where samples are few, and samples in one on average: of fewer, the least is by chance."""
_POINTS = 100
"""Samples that the slope is taken from at most: its pairs are their square."""
_TAU = 0.7
_RISE, _RISING = 0.04, 0.6
"""Heaps that grow in few steps rise there alone. So this share of the rises from block to block is each more than that
share of the growth."""
_THIRD, _SLOWING = 0.15, 0.55
"""The least share of the growth that lies between the middles of neighbouring thirds of the span: of even growth about
a third; and how much the later of these two is of the earlier one. Caches that are nearly full, and new maxima, which
come ever more rarely, have less at the end."""

Value = Callable[[Sample], float | None]
"""The figure of a sample that may grow, in bytes; None where it is not known."""


@dataclass(frozen=True)
class Growth:
    """How a figure grew over `requests` requests in `seconds`: bytes a request, and bytes in all."""

    per_request: float
    total: float
    requests: int
    seconds: float


@dataclass(frozen=True)
class _Point:
    requests: int
    time: float
    value: float


def growth(samples: Sequence[Sample], times: Sequence[float], value: Value) -> Growth | None:
    """How a figure grows with every request, from the shortest span that shows it; None where it does not.

    samples: oldest first, of one regime: no load, unload or warm-up among them.
    times: when requests ended, in order; at least all of those that ended between the samples.
    """
    points = [
        _Point(bisect_right(times, one.time), one.time, held) for one in samples if (held := value(one)) is not None
    ]
    for span in SPANS:
        found = _growth(points, span)
        if found is not None:
            return found
    return None


def slope(pairs: Sequence[tuple[float, float]]) -> float:
    """The median of the slopes of all pairs of points (x, y) whose x differ; 0 where there are none."""
    slopes = [(b - y) / (a - x) for (x, y), (a, b) in combinations(pairs, 2) if a != x]
    return median(slopes) if slopes else 0.0


def _growth(points: list[_Point], span: float) -> Growth | None:
    if not points:
        return None
    begin = bisect_right(points, points[-1].time - span, key=lambda one: one.time)
    before, now = points[:begin], points[begin:]
    if len(now) < _FEW_BLOCKS * _IN_BLOCK:
        return None
    requests, seconds = now[-1].requests - now[0].requests, now[-1].time - now[0].time
    if requests < LEAST_REQUESTS or seconds < LEAST_SECONDS:
        return None
    lows = _lows(now)
    if lows is None or not _rise(lows):
        return None
    if lows[-1][1] <= _sustained(before):
        return None  # it has been there, and came back
    step = max(1, len(now) // _POINTS)
    per_request = slope([(one.requests, one.value) for one in now[::step]])
    return Growth(per_request, per_request * requests, requests, seconds)


def _sustained(points: list[_Point]) -> float:
    """The most that was held in three samples running: what a request takes for a moment is less than that."""
    triples = zip(points, points[1:], points[2:], strict=False)
    return max((min(one.value for one in triple) for triple in triples), default=float("-inf"))


def _lows(points: list[_Point]) -> list[tuple[float, float]] | None:
    """Of blocks of as many requests each, the middle of their numbers and the least value; None where one is empty.

    Whatever a pause or a load does while nothing is asked falls into one block.
    """
    count = min(_BLOCKS, len(points) // _IN_BLOCK)
    first, whole = points[0].requests, points[-1].requests - points[0].requests
    blocks: list[list[_Point]] = [[] for _ in range(count)]
    for one in points:
        blocks[min(count - 1, (one.requests - first) * count // whole)].append(one)
    if not all(blocks):
        return None
    middles = [first + (number + 0.5) * whole / count for number in range(count)]
    return [(middle, min(one.value for one in block)) for middle, block in zip(middles, blocks, strict=True)]


def _rise(lows: list[tuple[float, float]]) -> bool:
    """Whether the least values rise as those of a leak do."""
    values = [value for _, value in lows]
    total, third = values[-1] - values[0], len(values) // 3
    if total < LEAST_BYTES:
        return False
    rises = [late - early for early, late in pairwise(values)]
    if sum(one > _RISE * total for one in rises) < _RISING * len(rises):
        return False
    pairs = list(combinations(values, 2))
    if sum((late > early) - (late < early) for early, late in pairs) < _TAU * len(pairs):
        return False
    middles = [median(values[:third]), median(values[third:-third]), median(values[-third:])]
    early, late = (later - earlier for earlier, later in pairwise(middles))
    return min(early, late) >= _THIRD * total and late >= _SLOWING * early
