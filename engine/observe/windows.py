"""What a span of time shows of its requests: percentiles by task and by length, rates, waits, hits.

Percentiles are of answers that were computed by a warm model: the first request of each task after a load is apart
(`cold`), and so are answers that were kept, which take no time. Percentiles interpolate between the two nearest values
(type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.observe.types import RequestRecord

Length = Literal["short", "medium", "long"]

SHORT, MEDIUM = 200, 1000
"""Characters of a text up to which it is short, and up to which it is of medium length."""


@dataclass(frozen=True)
class Latency:
    """Milliseconds of the work of `count` requests."""

    count: int
    p50: float
    p95: float
    p99: float
    mean: float


@dataclass(frozen=True)
class Window:
    """Requests that ended in a span of `seconds`.

    by_task, by_length: computed answers of a warm model. cold: the first ones after a load, by task.
    cached: milliseconds to look a kept answer up; None where there was none.
    requests_per_second: answered. tokens_per_second: read and written, of computed answers.
    queue_p95: milliseconds. cache_rate: share of answers that were kept ones. Both of requests asked one by one.
    grounded_rate: share of values that are in their text. Each None where nothing tells.
    failed: requests that ended with an error; stops are none.
    """

    seconds: float
    by_task: dict[str, Latency]
    by_length: dict[str, Latency]
    cold: dict[str, Latency]
    cached: Latency | None
    requests_per_second: float
    tokens_per_second: float
    queue_p95: float | None
    cache_rate: float | None
    grounded_rate: float | None
    failed: int


def length_bucket(characters: int) -> Length:
    """Whether a text is short, of medium length or long."""
    if characters <= SHORT:
        return "short"
    return "medium" if characters <= MEDIUM else "long"


def look(records: Iterable[RequestRecord], seconds: float) -> Window:
    """What these requests show. seconds: the span they are all of those of, which rates are by."""
    every = list(records)
    answered = [one for one in every if not one.error]
    computed = [one for one in answered if not one.cached]
    warm = warmed(every)
    kept = summary([one for one in answered if one.cached], lambda _: "")
    span = max(seconds, 1e-9)
    return Window(
        seconds=seconds,
        by_task=summary(warm, lambda one: one.task),
        by_length=summary(warm, lambda one: length_bucket(one.characters)),
        cold=summary([one for one in computed if not one.warm], lambda one: one.task),
        cached=kept.get(""),
        requests_per_second=len(answered) / span,
        tokens_per_second=sum(one.prompt_tokens + one.output_tokens for one in computed) / span,
        queue_p95=queue_p95(every),
        cache_rate=cache_rate(every),
        grounded_rate=grounded_rate(every),
        failed=sum(bool(one.error) and one.error != "cancelled" for one in every),
    )


def warmed(records: Iterable[RequestRecord]) -> list[RequestRecord]:
    """Those that tell how fast the model is: answered, computed, and not the first of their task after a load."""
    return [one for one in records if one.warm and not one.cached and not one.error]


def summary(records: Iterable[RequestRecord], key: Callable[[RequestRecord], str]) -> dict[str, Latency]:
    """Latencies by what `key` gives of a request, in the order of the keys; of all these requests."""
    groups: dict[str, list[float]] = {}
    for one in records:
        groups.setdefault(key(one), []).append(one.latency_ms)
    return {name: _latency(groups[name]) for name in sorted(groups)}


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which this share (0 to 1) of the ordered values lies; there must be one at least."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def queue_p95(records: Iterable[RequestRecord]) -> float | None:
    """Milliseconds that 95 % waited no longer than, of requests that were asked one by one: batches wait by design."""
    waits = sorted(one.queue_ms for one in records if not one.batch)
    return percentile(waits, 0.95) if waits else None


def cache_rate(records: Iterable[RequestRecord]) -> float | None:
    """Share of the answers that were kept ones, of requests that were asked one by one: batches look for none."""
    answered = [one.cached for one in records if not one.batch and not one.error]
    return sum(answered) / len(answered) if answered else None


def grounded_rate(records: Iterable[RequestRecord]) -> float | None:
    """Share of the values of extractions that are in their text; of computed answers."""
    found = [(one.values, one.grounded) for one in records if not one.cached]
    values = sum(one for one, _ in found)
    return sum(one for _, one in found) / values if values else None


def _latency(values: list[float]) -> Latency:
    ordered = sorted(values)
    p50, p95, p99 = (percentile(ordered, share) for share in (0.5, 0.95, 0.99))
    return Latency(len(ordered), p50, p95, p99, sum(ordered) / len(ordered))
