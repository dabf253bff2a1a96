"""Counts of requests since the process began, for Prometheus and the pages. They only grow; a window forgets."""

import threading
from bisect import bisect_left
from dataclasses import dataclass, field

from engine.observe.types import RequestRecord

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper ends of the buckets that times are counted in; what took longer is in one more."""


@dataclass(frozen=True)
class Histogram:
    """How many times fell into each bucket of `SECONDS` and above the last, and their sum in seconds."""

    counts: tuple[int, ...] = (0,) * (len(SECONDS) + 1)
    sum: float = 0.0

    @property
    def count(self) -> int:
        """How many times there are."""
        return sum(self.counts)


@dataclass(frozen=True)
class Totals:
    """What was asked since the process began.

    requests: by task and outcome (`outcome_of`). cached: answers that were kept, by task.
    seconds: the work, and waited: the time in the queue, of requests that were answered, by task.
    prompt_tokens, output_tokens: of answers that were computed. values, grounded: of extractions that were.
    """

    requests: dict[tuple[str, str], int] = field(default_factory=dict)
    cached: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, Histogram] = field(default_factory=dict)
    waited: dict[str, Histogram] = field(default_factory=dict)
    prompt_tokens: int = 0
    output_tokens: int = 0
    values: int = 0
    grounded: int = 0

    @property
    def answered(self) -> int:
        """Requests that were answered."""
        return sum(count for (_, outcome), count in self.requests.items() if outcome == "answered")


def outcome_of(record: RequestRecord) -> str:
    """`answered`, `cancelled` (by who asked) or `failed`."""
    if not record.error:
        return "answered"
    return "cancelled" if record.error == "cancelled" else "failed"


class Counts:
    """Adds requests up, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: dict[tuple[str, str], int] = {}
        self._cached: dict[str, int] = {}
        self._seconds: dict[str, _Times] = {}
        self._waited: dict[str, _Times] = {}
        self._tokens = [0, 0]
        self._values = [0, 0]

    def add(self, record: RequestRecord) -> None:
        """Count a request that is over."""
        task, outcome = record.task, outcome_of(record)
        with self._lock:
            self._requests[task, outcome] = self._requests.get((task, outcome), 0) + 1
            if outcome != "answered":
                return
            self._seconds.setdefault(task, _Times()).add(record.latency_ms / 1e3)
            self._waited.setdefault(task, _Times()).add(record.queue_ms / 1e3)
            if record.cached:
                self._cached[task] = self._cached.get(task, 0) + 1
                return
            self._tokens[0] += record.prompt_tokens
            self._tokens[1] += record.output_tokens
            self._values[0] += record.values
            self._values[1] += record.grounded

    def read(self) -> Totals:
        """The counts as they are at one moment."""
        with self._lock:
            return Totals(
                dict(self._requests),
                dict(self._cached),
                {task: times.read() for task, times in self._seconds.items()},
                {task: times.read() for task, times in self._waited.items()},
                *self._tokens,
                *self._values,
            )


class _Times:
    """A histogram that grows."""

    def __init__(self) -> None:
        self._counts = [0] * (len(SECONDS) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        seconds = max(0.0, seconds)
        self._counts[bisect_left(SECONDS, seconds)] += 1
        self._sum += seconds

    def read(self) -> Histogram:
        return Histogram(tuple(self._counts), self._sum)
