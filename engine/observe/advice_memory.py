"""Advice where memory is nearly full, with the smaller batch to try, and where a GPU's lies idle in torch's hands."""

from collections.abc import Iterator, Sequence
from statistics import median

from engine.messages import Phrase
from engine.observe.advice_growth import gpu_name
from engine.observe.machine import human_bytes
from engine.observe.seen import Seen
from engine.observe.types import Missing, RequestRecord, Sample
from engine.types import Note

FULL = 0.9
"""The share of a memory from which on it is said to be nearly full."""

LATEST = 5
"""Samples that are looked at, so that a moment alone says nothing."""

IDLE_SHARE, IDLE_BYTES = 0.3, 512 * 2**20
"""What torch has reserved beyond the most that tensors took, of all it has reserved and in bytes, before it is said."""

_LEAST_SECONDS = 60.0
_RECENT_SECONDS = 300.0
_AIM = 0.8
"""The share of the memory that a smaller batch should keep within."""


def full(seen: Seen) -> Iterator[Note]:
    """The budget, the machine and each GPU; a budget that is nearly full says enough of its own device."""
    latest = seen.samples[-LATEST:]
    if len(latest) < LATEST:
        return
    last = latest[-1]
    on_gpu = any(_known(gpu.allocated) for gpu in last.gpus)
    if seen.budget and (used := [_of_budget(one) for one in latest]):
        yield from _full(seen, Phrase("the_budget"), used, seen.budget)
    yield from _full(
        seen, Phrase("the_machine"), [one.system_used for one in latest], last.system_total, batches=not on_gpu
    )
    for gpu in last.gpus:
        pairs = [(one.used, one.total) for sample in latest for one in sample.gpus if one.index == gpu.index]
        used = [used for used, _ in pairs if not isinstance(used, Missing)]
        if len(used) == LATEST and not isinstance(gpu.total, Missing):
            yield from _full(seen, gpu_name(gpu), used, gpu.total, batches=bool(_known(gpu.allocated)))


def fragmented(seen: Seen) -> Iterator[Note]:
    """GPUs of which torch has reserved far more than tensors took at any time of the last minutes.

    What a request takes at most is between the samples, so the peaks that were watched count as well.
    """
    if not seen.samples:
        return
    now = seen.samples[-1].time
    recent = [one for one in seen.samples if one.time >= now - _RECENT_SECONDS]
    seconds = now - recent[0].time
    if len(recent) < LATEST or seconds < _LEAST_SECONDS:
        return
    peaks = [one.peak or 0 for one in seen.requests if one.time >= now - _RECENT_SECONDS]
    for gpu in recent[-1].gpus:
        readings = [one for sample in recent for one in sample.gpus if one.index == gpu.index]
        reserved = min(_known(one.reserved) for one in readings)
        used = max([*(_known(one.allocated) for one in readings), *peaks])
        idle = reserved - used
        if used and idle >= IDLE_BYTES and idle >= IDLE_SHARE * reserved:
            yield Note(
                "advice_fragmented",
                {
                    "where": gpu_name(gpu),
                    "reserved": human_bytes(reserved),
                    "used": human_bytes(used),
                    "minutes": max(1, round(seconds / 60)),
                },
            )


def smaller_batch(requests: Sequence[RequestRecord], current: int, base: int, room: int) -> int:
    """A number of texts below the current one whose step should keep within `room` bytes; 1 at least.

    Half, or fewer where the peaks of steps say so: of what a step took above `base`, the bytes held between the steps,
    each text has its share.
    """
    each = [(one.peak - base) / one.together for one in requests if one.batch and one.peak and one.peak > base]
    half = max(1, current // 2)
    return min(half, max(1, int((room - base) / max(each)))) if each else half


def _full(seen: Seen, where: Phrase, used: list[int], total: int, *, batches: bool = True) -> Iterator[Note]:
    """batches: whether a smaller batch would help: its model is in this memory."""
    middle = int(median(used))
    if not total or middle < FULL * total:
        return
    figures: dict[str, object] = {
        "where": where,
        "share": f"{middle / total:.0%}",
        "used": human_bytes(middle),
        "total": human_bytes(total),
    }
    now = seen.samples[-1].time
    steps = [one for one in seen.requests if one.batch and one.time >= now - _RECENT_SECONDS]
    current = max((one.together for one in steps), default=0)
    if not batches or current <= 1:
        yield Note("advice_full", figures)
        return
    size = smaller_batch(steps, current, min(used), int(_AIM * total))
    yield Note("advice_full_batch", figures | {"size": size, "current": current})


def _of_budget(sample: Sample) -> int:
    """What the budget is of: torch's memory on the GPU where there is any, else the process's."""
    return sum(_known(gpu.reserved) for gpu in sample.gpus) or sample.rss


def _known(figure: int | Missing) -> int:
    return 0 if isinstance(figure, Missing) else figure
