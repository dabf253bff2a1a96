"""What the process has observed in a span of time, taken once a tick and shared by every page that is open.

Ten tabs cost one look at the monitor and one building of each plot a tick: results are kept here by the tick they are
of. A view is plain values; a page that is paused keeps the view that it stopped at.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import streamlit as st

from engine.observe.monitor import Monitor
from engine.observe.types import Marker, RequestRecord, Sample
from engine.observe.windows import Window, look
from ui.engine import workbench

LONGEST = 1800
"""Seconds that a view can be asked for."""
TICK = 1.0
"""Seconds between two views."""
_KEPT = 64
Made = TypeVar("Made")


@dataclass(frozen=True)
class View:
    """Observations up to `until` (seconds since 1970): all of the last half hour, shown over the last `seconds`.

    started: when the first sample was taken that is still there; None: there is none yet.
    """

    until: float
    seconds: int
    all_samples: tuple[Sample, ...]
    all_requests: tuple[RequestRecord, ...]
    all_markers: tuple[Marker, ...]

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """Those in the span, oldest first."""
        return self._within(self.all_samples)

    @cached_property
    def requests(self) -> tuple[RequestRecord, ...]:
        """Those that ended in the span."""
        return self._within(self.all_requests)

    @cached_property
    def markers(self) -> tuple[Marker, ...]:
        """Those in the span."""
        return self._within(self.all_markers)

    @cached_property
    def window(self) -> Window:
        """Percentiles and rates over the part of the span in which this process observed anything."""
        begun = self.samples[0].time if self.samples else self.until - self.seconds
        return look(self.requests, max(1.0, self.until - begun))

    @property
    def latest(self) -> Sample | None:
        """The newest sample."""
        return self.all_samples[-1] if self.all_samples else None

    @property
    def begin(self) -> float:
        """Where plots begin: the span is not drawn emptier than a minute."""
        first = self.all_samples[0].time if self.all_samples else self.until
        return max(self.until - self.seconds, min(first, self.until - 60))

    def last(self, seconds: float) -> tuple[RequestRecord, ...]:
        """Requests that ended in the last so many seconds."""
        return tuple(one for one in self.all_requests if one.time > self.until - seconds)

    def narrowed(self, seconds: int) -> "View":
        """The same moment over another span."""
        return View(self.until, seconds, self.all_samples, self.all_requests, self.all_markers)

    def _within(self, all_of_them: tuple[Any, ...]) -> tuple[Any, ...]:
        start = self.until - self.seconds
        return tuple(one for one in all_of_them if start < one.time <= self.until)


class Kept:
    """Values by key, each of one moment; the same moment is not made twice, by however many pages at once."""

    def __init__(self, most: int = _KEPT) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()

    def get(self, key: Hashable, moment: Hashable, make: Callable[[], Made]) -> Made:
        """The value of a key at a moment; another moment's is let go. One value is made at a time."""
        with self._lock:
            known = self._values.get(key)
            if known is not None and known[0] == moment:
                self._values.move_to_end(key)
                return known[1]  # type: ignore[no-any-return]  # what `make` gave under this key
            made = make()
            self._values[key] = (moment, made)
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
            return made


@st.cache_resource(show_spinner=False)
def _views() -> Kept:
    return Kept(8)


@st.cache_resource(show_spinner=False)
def drawn() -> Kept:
    """What was drawn of views: by what it is, and the moment of the view."""
    return Kept()


def monitor() -> Monitor:
    """The monitor of this process."""
    return workbench().monitor


def take_view(seconds: int) -> View:
    """What was observed until now, at most `TICK` seconds old."""
    tick = int(time.time() / TICK)

    def look_now() -> View:
        seen = monitor()
        longest = LONGEST
        return View(time.time(), seconds, seen.samples(longest), seen.requests(longest), seen.markers(longest))

    return _views().get(seconds, tick, look_now)


def fresh(key: str, seconds: float, make: Callable[[], Made]) -> Made:
    """Something of this process that is made at most once in so many seconds, for every page."""
    return _views().get(key, int(time.time() / seconds), make)
