"""The one thread of the process that looks at memory and load from time to time, for everybody who wants to know.

A reading that fails leaves a gap, is logged once, and the thread goes on.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.messages import Phrase
from engine.observe.gpu import Gpus
from engine.observe.machine import Machine, MachineReading
from engine.observe.types import GpuReading

_log = logging.getLogger(__name__)
_CLOSE_SECONDS = 3.0
_NEAR = 0.05
"""Seconds: who is due so soon gets the same reading."""


@dataclass(frozen=True)
class Reading:
    """The machine and its GPUs at one moment, in seconds since 1970."""

    time: float
    machine: MachineReading
    gpus: tuple[GpuReading, ...]


Take = Callable[[Reading], object]
"""What gets a reading; it returns False where it wants no more."""


@dataclass
class _Reader:
    number: int
    take: Take
    seconds: float
    due: float


class Sampler:
    """Runs its thread while somebody has joined. Safe from any thread."""

    def __init__(self) -> None:
        self._machine = Machine()
        self._gpus = Gpus()
        self._change = threading.Condition()
        self._readers: dict[int, _Reader] = {}
        self._thread: threading.Thread | None = None
        self._told: set[str] = set()

    @property
    def gpu_reason(self) -> Phrase | None:
        """Why NVML lists no GPU; None where it lists one."""
        return self._gpus.reason

    def read(self, *, step: bool = False) -> Reading:
        """A look at this moment, on the caller's thread.

        step: whether percents of processor time begin anew here.

        Raises:
            OSError, psutil.Error: the system does not tell.
        """
        return Reading(time.time(), self._machine.read(step=step), self._gpus.read())

    def join(self, take: Take, seconds: float) -> int:
        """Have `take` called on the thread with a reading now and every so many seconds; the number to leave by."""
        with self._change:
            number = max(self._readers, default=0) + 1
            self._readers[number] = _Reader(number, take, seconds, time.monotonic())
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
                self._thread.start()
            self._change.notify_all()
        return number

    def leave(self, number: int) -> None:
        """No more readings for this one; with the last one the thread ends. Leaving twice is no error."""
        with self._change:
            self._readers.pop(number, None)
            ending = None if self._readers else self._thread
            self._change.notify_all()
            if ending is None or ending is threading.current_thread():
                return
            # a driver may hang, and somebody else may join meanwhile, for whom the thread goes on
            self._change.wait_for(lambda: self._readers or self._thread is not ending, _CLOSE_SECONDS)
            gone = self._thread is not ending
        if gone:
            ending.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        while self._wait():
            try:
                reading = self.read(step=True)
            except Exception as error:
                self._tell(error, "memory and load cannot be read")
                reading = None
            now = time.monotonic()
            for reader in self._due(now):
                if reading is not None:
                    try:
                        if reader.take(reading) is False:
                            self.leave(reader.number)
                    except Exception as error:
                        self._tell(error, "a reading was lost")
        self._gpus.close()

    def _wait(self) -> bool:
        """Until somebody is due; False where nobody is left, and the thread ends."""
        with self._change:
            while self._readers:
                wait = min(reader.due for reader in self._readers.values()) - time.monotonic()
                if wait <= 0:
                    return True
                self._change.wait(wait)
            self._thread = None
            self._change.notify_all()
            return False

    def _due(self, now: float) -> list[_Reader]:
        """Those who get the reading of now; their next one is a whole period from here, however late this one was."""
        with self._change:
            due = [reader for reader in self._readers.values() if reader.due <= now + _NEAR]
        for reader in due:
            reader.due = max(reader.due + reader.seconds, now + reader.seconds / 2)
        return due

    def _tell(self, error: Exception, what: str) -> None:
        kind = f"{what} {type(error).__name__}"
        if kind not in self._told:
            self._told.add(kind)
            _log.warning("%s (%s); this is said once", what, type(error).__name__, exc_info=error)


SAMPLER = Sampler()
"""The process's."""
