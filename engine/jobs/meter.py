"""How fast a job goes: rows a second over the last minute, and how long the rest will take."""

import time
from collections import deque

from engine.jobs.types import Job, Progress

_SECONDS = 60.0
_APART = 0.5
"""Seconds between two readings that are kept."""
_ENOUGH = 2.0
"""Seconds that must be seen before anything is said."""


class Meter:
    """Told now and then how many rows are done; one thread tells, any may ask."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def tell(self, done: int, now: float | None = None) -> None:
        """So many rows are done. now: seconds of a clock that does not jump."""
        now = time.monotonic() if now is None else now
        seen = self._seen
        if len(seen) > 1 and seen[-1][0] - seen[-2][0] < _APART:
            seen.pop()
        seen.append((now, done))
        while seen[0][0] < now - _SECONDS and len(seen) > 2:
            seen.popleft()

    def rate(self) -> float | None:
        """Rows a second; None while it is not known."""
        try:
            (first, before), (last, done) = self._seen[0], self._seen[-1]
        except IndexError:
            return None
        return (done - before) / (last - first) if last - first >= _ENOUGH and done > before else None

    def progress(self, job: Job, ahead: int = 0) -> Progress:
        """How a job stands; rate and rest only while it runs."""
        rate = self.rate() if job.state == "running" else None
        left = None if job.total is None else max(0, job.total - job.done)
        return Progress(
            job.state, job.done, job.failed, job.total, rate, None if not rate or left is None else left / rate, ahead
        )
