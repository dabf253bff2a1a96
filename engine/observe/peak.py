"""The most memory that was held while something ran: a high-water mark of a stretch of time.

Where torch holds memory on a GPU: the most bytes of its tensors there, by torch's own counters, exact. Else: the most
bytes that the process held, looked at every 20 ms by one thread for all who watch; a shorter peak in between is seen
only where it is the highest of the process's life.
"""

import logging
import threading
import time

from engine.observe.machine import held_now, process_memory
from engine.observe.torch_gpu import cuda

_LOOK_SECONDS = 0.02
_IDLE_SECONDS = 2.0
"""The thread waits so long for the next to watch before it ends."""
_log = logging.getLogger(__name__)


class PeakWatch:
    """One stretch of time: `with watch: ...`, once. peak: bytes, when it is over; None before, or where none tells."""

    def __init__(self, peaks: "Peaks") -> None:
        self.peak: int | None = None
        self.process = 0
        """Of the process, so far."""
        self.gpu: int | None = None
        """Of torch on GPUs, so far; None where it held nothing there when the watch began."""
        self.known = True
        """Whether torch told whenever it was asked."""
        self._peaks, self._before = peaks, 0

    def __enter__(self) -> "PeakWatch":
        """Begin to watch."""
        self._before = self._peaks.begin(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Be done."""
        self._peaks.end(self, self._before)


class Peaks:
    """Everybody who watches now, and the one thread that looks for them. Safe from any thread."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._watches: list[PeakWatch] = []
        self._thread: threading.Thread | None = None

    def watch(self) -> PeakWatch:
        """One that has not begun. Watches may overlap and lie in each other."""
        return PeakWatch(self)

    def begin(self, watch: PeakWatch) -> int:
        """For `PeakWatch`: look for it from now on; the most that the process has held so far."""
        held, most = _memory()
        with self._change:
            self._note_gpu()  # the counter is about to begin anew: what it says belongs to those who watch already
            watch.process, watch.gpu = held, _begin_gpu()
            self._watches.append(watch)
            if self._thread is None and watch.gpu is None:
                self._thread = threading.Thread(target=self._look, name="memory-peaks", daemon=True)
                self._thread.start()
            self._change.notify_all()
        return most

    def end(self, watch: PeakWatch, before: int) -> None:
        """For `PeakWatch`: look for it no more, and say the peak."""
        held, most = _memory()
        with self._change:
            self._note_gpu()
            self._watches.remove(watch)
        # a most that grew since the start was reached since the start
        watch.process = max(watch.process, held, most if most > before else 0)
        if watch.gpu is None:
            watch.peak = watch.process or None
        else:
            watch.peak = watch.gpu if watch.known else None

    def _look(self) -> None:
        while True:
            with self._change:
                if not self._change.wait_for(lambda: self._watches, _IDLE_SECONDS):
                    self._thread = None
                    return
            time.sleep(_LOOK_SECONDS)
            held = _held()
            with self._change:
                for watch in self._watches:
                    watch.process = max(watch.process, held)

    def _note_gpu(self) -> None:
        most = _gpu_peak()
        for watch in self._watches:
            if watch.gpu is not None:
                watch.gpu = max(watch.gpu, most or 0)
                watch.known = watch.known and most is not None


def _memory() -> tuple[int, int]:
    """Bytes held, and the most ever; zeros where the system does not tell."""
    try:
        return process_memory()
    except Exception:  # a request must not fail because its memory cannot be told
        _log.debug("the process's memory cannot be told", exc_info=True)
        return 0, 0


def _held() -> int:
    try:
        return held_now()
    except Exception:
        _log.debug("the process's memory cannot be told", exc_info=True)
        return 0


def _begin_gpu() -> int | None:
    """Let torch's counters begin anew; bytes of tensors now, on all GPUs. None where it holds nothing there."""
    there = cuda()
    if there is None:
        return None
    try:
        devices = range(there.device_count())
        held = sum(there.memory_allocated(device) for device in devices)
        if not held:
            return None
        for device in devices:
            there.reset_peak_memory_stats(device)
        return int(held)
    except Exception:
        _log.debug("torch does not tell its memory", exc_info=True)
        return None


def _gpu_peak() -> int | None:
    """The most bytes of tensors since `_begin_gpu`: of several GPUs the sum of each one's most."""
    there = cuda()
    if there is None:
        return None
    try:
        return int(sum(there.max_memory_allocated(device) for device in range(there.device_count())))
    except Exception:
        _log.debug("torch does not tell its memory", exc_info=True)
        return None


PEAKS = Peaks()
