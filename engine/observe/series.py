"""What was seen lately, in order of time and bounded: old things give way to new ones. Safe from any thread."""

import threading
import time
from collections import deque
from typing import Generic, Protocol, TypeVar

from engine.observe.types import Marker, RequestRecord, Sample

WINDOW_SECONDS = 1800.0
"""What a page can look back on."""
FASTEST_SECONDS = 0.5
SAMPLES = int(WINDOW_SECONDS / FASTEST_SECONDS)
REQUESTS = 20_000
"""Some 10 MB. A fast batch fills them before the 30 minutes are over; windows then begin later."""
MARKERS = 500


class Timed(Protocol):
    """Anything with a time, in seconds since 1970."""

    @property
    def time(self) -> float:
        """When it was."""


Item = TypeVar("Item", bound=Timed)


class Series(Generic[Item]):
    """The last `most` items that were added."""

    def __init__(self, most: int) -> None:
        self._items: deque[Item] = deque(maxlen=most)
        self._lock = threading.Lock()
        self.added = 0
        """How many were added in all."""

    def add(self, item: Item) -> None:
        """Put one at the end; the oldest goes where there is no more room."""
        with self._lock:
            self._items.append(item)
            self.added += 1

    def last(self, seconds: float, now: float | None = None) -> tuple[Item, ...]:
        """Those of the last `seconds`, the oldest first.

        The look goes back from the newest until one is too old: what it costs depends on the window, not on the ring.
        """
        start = (time.time() if now is None else now) - seconds
        found: list[Item] = []
        with self._lock:
            for item in reversed(self._items):
                if item.time < start:
                    break
                found.append(item)
        return tuple(reversed(found))

    def newest(self) -> Item | None:
        """The one that was added last."""
        with self._lock:
            return self._items[-1] if self._items else None

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._items)


def samples_ring() -> Series[Sample]:
    """A ring for samples: half an hour at the shortest period."""
    return Series(SAMPLES)


def requests_ring() -> Series[RequestRecord]:
    """A ring for requests that are over."""
    return Series(REQUESTS)


def markers_ring() -> Series[Marker]:
    """A ring for markers."""
    return Series(MARKERS)
