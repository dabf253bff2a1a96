"""Advice from what became of requests: errors, waits, lengths, first requests, kept answers, ungrounded values."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from engine.observe.machine import human_bytes
from engine.observe.seen import Seen
from engine.observe.types import RequestRecord
from engine.observe.windows import percentile, warmed
from engine.types import Note

_FAILING, _FAILING_OF = 0.05, 20
_WAIT_MS, _WAITERS, _SHARE, _SLOW_MS, _SLOWER = 1000.0, 3, 0.6, 3000.0, 5.0
"""One blocks others: so many waited so long, most of it for one that ran so long, and so many times the median."""
_STEPS, _TEXTS, _FILLED = 5, 40, 0.65
_COLD_WARM, _COLD_TIMES, _COLD_MS = 10, 2.0, 500.0
_UNUSED_OF, _UNUSED_BYTES = 200, 8 * 2**20
_VALUES = 20


def failing(seen: Seen) -> Iterator[Note]:
    """Many requests failed."""
    ended = [one for one in seen.requests if one.error != "cancelled"]
    codes = Counter(one.error for one in ended if one.error)
    failed = codes.total()
    if len(ended) >= _FAILING_OF and failed >= _FAILING * len(ended):
        code, most = codes.most_common(1)[0]
        yield Note("advice_failing", {"failed": failed, "count": len(ended), "most": most, "code": code})


@dataclass(frozen=True)
class _Run:
    """A stretch of the worker's time, for one request or one step of a batch."""

    begin: float
    end: float
    record: RequestRecord


def blocked(seen: Seen) -> Iterator[Note]:
    """Several requests waited for one slow one; of several such, the one that most waited for."""
    waited = [one for one in seen.requests if one.queue_ms >= _WAIT_MS and not (one.batch or one.cached)]
    if len(waited) < _WAITERS:
        return
    runs = _runs(seen.requests)
    ends = [run.end for run in runs]
    waiters: dict[int, list[float]] = {}
    for one in waited:
        start = one.time - one.latency_ms / 1e3
        asked = start - one.queue_ms / 1e3
        for place in range(bisect_left(ends, asked), len(runs)):
            run = runs[place]
            if run.begin >= start:
                break
            if min(run.end, start) - max(run.begin, asked) >= _SHARE * (start - asked):
                waiters.setdefault(place, []).append(one.queue_ms)
    if not waiters:
        return
    place = max(waiters, key=lambda one: len(waiters[one]))
    slow, waits = runs[place].record, waiters[place]
    usual = median([one.latency_ms for one in warmed(seen.requests)] or [0.0])
    if len(waits) >= _WAITERS and slow.latency_ms >= max(_SLOW_MS, _SLOWER * usual):
        yield Note(
            "advice_blocked",
            {
                "count": len(waits),
                "wait": f"{max(waits) / 1e3:.1f}",
                "seconds": f"{slow.latency_ms / 1e3:.1f}",
                "task": slow.task,
                "id": slow.id,
                "characters": slow.characters,
                "tokens": slow.prompt_tokens + slow.output_tokens,
            },
        )


def mixed(seen: Seen) -> Iterator[Note]:
    """Steps of batches hold texts of very different lengths."""
    steps: dict[str, list[int]] = {}
    for one in seen.requests:
        if one.together > 1 and one.step:
            steps.setdefault(one.step, []).append(one.characters)
    kept = [lengths for lengths in steps.values() if len(lengths) > 1]
    texts = sum(len(lengths) for lengths in kept)
    room = sum(len(lengths) * max(lengths) for lengths in kept)
    if len(kept) < _STEPS or texts < _TEXTS or not room:
        return
    filled = sum(sum(lengths) for lengths in kept) / room
    if filled <= _FILLED:
        size = max(1, max(len(lengths) for lengths in kept) // 2)
        yield Note("advice_mixed", {"filled": f"{filled:.0%}", "texts": texts, "steps": len(kept), "size": size})


def cold(seen: Seen) -> Iterator[Note]:
    """The first requests after loads make the difference of the slowest 5 %."""
    warm = sorted(one.latency_ms for one in warmed(seen.requests) if not one.batch)
    first = [one.latency_ms for one in seen.requests if not (one.warm or one.batch or one.cached or one.error)]
    if len(warm) < _COLD_WARM or not first:
        return
    without, with_cold = percentile(warm, 0.95), percentile(sorted(warm + first), 0.95)
    if with_cold >= max(_COLD_MS, _COLD_TIMES * without):
        count = len(warm) + len(first)
        yield Note("advice_cold", {"count": count, "with_cold": round(with_cold), "without": round(without)})


def unused_cache(seen: Seen) -> Iterator[Note]:
    """Answers are kept, and none is asked for again."""
    asked = [one for one in seen.requests if not one.batch and not one.error]
    kept = seen.samples[-1].answers if seen.samples else None
    if kept is None or kept < _UNUSED_BYTES or len(asked) < _UNUSED_OF or any(one.cached for one in asked):
        return
    yield Note("advice_cache_unused", {"count": len(asked), "kept": human_bytes(kept)})


def ungrounded(seen: Seen) -> Iterator[Note]:
    """Values of extractions that are not in their text."""
    found = [one for one in seen.requests if not one.cached]
    values, grounded = sum(one.values for one in found), sum(one.grounded for one in found)
    if values >= _VALUES and grounded < values:
        share = min(f"{grounded / values:.1%}", "99.9%", key=lambda text: float(text[:-1]))
        yield Note("advice_ungrounded", {"count": values - grounded, "values": values, "share": share})


def _runs(requests: Sequence[RequestRecord]) -> list[_Run]:
    """What the worker did, in order; a step of a batch once."""
    runs: dict[str, _Run] = {}
    for one in requests:
        if not one.cached:
            runs.setdefault(one.step or one.id, _Run(one.time - one.latency_ms / 1e3, one.time, one))
    return sorted(runs.values(), key=lambda run: run.end)
