"""Advice where memory grows with every request: how fast, and what the figures say of the cause.

What is kept on purpose and the pages of files are subtracted before a leak is suspected, and told of where they
are what grows.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from engine.messages import Phrase
from engine.observe.growth import Growth, Value, growth, slope
from engine.observe.machine import human_bytes
from engine.observe.seen import Seen
from engine.observe.types import GpuReading, Missing, Sample
from engine.types import Note

WARM_UP = 10
"""Requests after a load, a release or another batch size that say nothing yet: buffers get their size then."""

_HALF = 0.5
"""The share of the growth from which on something explains it."""
_WORTH_SAYING = 64 * 2**20
"""Bytes: growth on purpose is no news before."""


def growing(seen: Seen) -> Iterator[Note]:
    """Memory of the process, and what torch holds on each GPU."""
    times = sorted(one.time for one in seen.requests)
    samples = _regime(seen, times)
    if not samples:
        return
    on_gpus = [gpu for gpu in samples[-1].gpus if _held(gpu)]
    yield from _of_process(samples, times, with_texts=not on_gpus)
    for gpu in on_gpus:
        yield from _of_gpu(samples, times, gpu, alone=len(on_gpus) == 1)


def _regime(seen: Seen, times: Sequence[float]) -> Sequence[Sample]:
    """The samples since the last marker and the requests that warm up after it."""
    since = max((one.time for one in seen.markers), default=float("-inf"))
    first = bisect_right(times, since) + WARM_UP
    if first > len(times):
        return ()
    return seen.samples[bisect_left(seen.samples, times[first - 1], key=lambda one: one.time) :]


def _of_process(samples: Sequence[Sample], times: Sequence[float], *, with_texts: bool) -> Iterator[Note]:
    """with_texts: whether the texts that a model has read are in the process's memory."""

    def kept(sample: Sample) -> int:
        return (sample.answers or 0) + ((sample.texts or 0) if with_texts else 0)

    where, last = Phrase("the_process"), samples[-1]
    left = growth(samples, times, lambda one: one.rss - (one.mapped or 0) - kept(one))
    if left is not None:
        figures = [last.mapped, last.answers, last.texts if with_texts else 0]
        known = None not in figures
        yield _unexplained(where, left, _over(samples, times, left, kept) if known else None)
        return
    whole = growth(samples, times, lambda one: one.rss)
    if whole is None or whole.total < _WORTH_SAYING:
        return
    per_request = human_bytes(round(whole.per_request))
    if _over(samples, times, whole, kept) >= _HALF * whole.total:
        yield Note("advice_filling", {"where": where, "per_request": per_request, "kept": human_bytes(kept(last))})
    elif _over(samples, times, whole, lambda one: one.mapped) >= _HALF * whole.total:
        mapped = human_bytes(last.mapped or 0)
        yield Note("advice_files", {"where": where, "per_request": per_request, "mapped": mapped})


def _of_gpu(samples: Sequence[Sample], times: Sequence[float], gpu: GpuReading, *, alone: bool) -> Iterator[Note]:
    """alone: no other GPU holds tensors, so what is kept of texts is on this one."""

    def held(sample: Sample) -> int | None:
        return next((_held(one) for one in sample.gpus if one.index == gpu.index), None)

    def kept(sample: Sample) -> int:
        return (sample.texts or 0) if alone else 0

    def rest(sample: Sample) -> int | None:
        now = held(sample)
        return None if now is None else now - kept(sample)

    where, last = gpu_name(gpu), samples[-1]
    left = growth(samples, times, rest)
    if left is not None:
        known = alone and last.texts is not None
        yield _unexplained(where, left, _over(samples, times, left, kept) if known else None)
        return
    whole = growth(samples, times, held)
    if whole is not None and _over(samples, times, whole, kept) >= max(_WORTH_SAYING, _HALF * whole.total):
        per_request = human_bytes(round(whole.per_request))
        yield Note("advice_filling", {"where": where, "per_request": per_request, "kept": human_bytes(kept(last))})


def _unexplained(where: object, left: Growth, kept: float | None) -> Note:
    """kept: bytes by which what is kept has grown besides; None where nobody can tell."""
    figures = {
        "where": where,
        "requests": left.requests,
    }
    if kept is None:
        grown = {"per_request": human_bytes(round(left.per_request)), "total": human_bytes(round(left.total))}
        return Note("advice_growth", figures | grown)
    total = left.total + max(0.0, kept)
    grown = {"per_request": human_bytes(round(total / left.requests)), "total": human_bytes(round(total))}
    return Note("advice_leak", figures | grown | {"explained": f"{max(0.0, kept) / total:.0%}"})


def _over(samples: Sequence[Sample], times: Sequence[float], seen: Growth, value: Value) -> float:
    """Bytes by which a figure has grown over the span in which another has."""
    begin = bisect_left(samples, samples[-1].time - seen.seconds, key=lambda one: one.time)
    span = samples[begin:]
    points = [
        (float(bisect_right(times, one.time)), held)
        for one in span[:: max(1, len(span) // 100)]
        if (held := value(one)) is not None
    ]
    return slope(points) * seen.requests


def _held(gpu: GpuReading) -> int:
    """Bytes in tensors of this process."""
    return 0 if isinstance(gpu.allocated, Missing) else gpu.allocated


def gpu_name(gpu: GpuReading) -> Phrase:
    """A GPU as advice calls it."""
    return Phrase("gpu_numbered", index=gpu.index, name=gpu.name)
