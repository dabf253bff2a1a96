"""Memory and processor time of this process and of the machine, by psutil and the system. No GPU here.

Byte counts are plain bytes; `human_bytes` makes them readable.
"""

import functools
import os
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.observe.control_group import group_memory

_STATUS = Path("/proc/self/status")
_STATM = "/proc/{}/statm"
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_LEAST_SECONDS = 0.1
"""Processor time over less than this says more about the clock than about the load."""


def process_memory() -> tuple[int, int]:
    """Bytes that this process holds, and the most that it has held; models in it and all else included."""
    held = _process(os.getpid()).memory_info()
    return held.rss, max(held.rss, _most_held(held))


def held_now() -> int:
    """Bytes that this process holds: the quickest look, for one every few milliseconds."""
    if sys.platform == "linux":
        try:
            return int(os.pread(_sizes(os.getpid()), 64, 0).split()[1]) * _PAGE
        except (OSError, ValueError, IndexError):
            pass  # a /proc without it: the usual way
    return int(_process(os.getpid()).memory_info().rss)


@functools.lru_cache(maxsize=1)
def _sizes(number: int) -> int:
    """An open file that tells the process's sizes anew whenever it is read; opening it takes longer than that."""
    return os.open(_STATM.format(number), os.O_RDONLY)


@functools.lru_cache(maxsize=1)
def _process(number: int) -> Any:
    """psutil's view of this process; by its number, for a fork has another."""
    import psutil

    return psutil.Process(number)


def _most_held(held: Any) -> int:
    """The most bytes of memory that this process has held; on Linux without what the program before it held.

    There `ru_maxrss` is handed on by exec, so a process begun by a large one would start with the other's peak.
    """
    if sys.platform == "win32":
        return int(held.peak_wset)
    if sys.platform == "linux":
        try:
            for line in _STATUS.read_bytes().splitlines():
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * 1024
        except (OSError, ValueError, IndexError):
            pass  # a /proc without it: the older way
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def free_bytes() -> int:
    """Bytes that the system can give without swapping; in a container, within its limit."""
    import psutil

    free, group = int(psutil.virtual_memory().available), group_memory()
    return free if group is None else max(0, min(free, group.limit - group.used))


def system_memory() -> tuple[int, int]:
    """Bytes of memory in use and in all: of the machine, or of the container where that may use less."""
    import psutil

    memory, group = psutil.virtual_memory(), group_memory()
    if group is not None and group.limit < memory.total:
        return min(group.used, group.limit), group.limit
    # not memory.used: that leaves out what the system cannot take back at once; used and available make the total
    return int(memory.total) - int(memory.available), int(memory.total)


def human_bytes(count: int) -> str:
    """`1536` -> `1.5 KiB`: binary units, at most one decimal."""
    value, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1023.95 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


@dataclass(frozen=True)
class MachineReading:
    """The machine at one moment; the fields are those of `types.Sample`."""

    rss: int
    peak: int
    cpu: float
    system_used: int
    system_total: int
    system_cpu: float
    mapped: int | None


@dataclass(frozen=True)
class _Times:
    """Seconds, of the clock and of processors, since moments that do not matter."""

    clock: float
    process: float
    busy: float
    all: float


class Machine:
    """Readings; percents are over the time since the last reading that was a step. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._before: _Times | None = None
        self._percents = (0.0, 0.0)

    def read(self, *, step: bool = True) -> MachineReading:
        """What holds now.

        step: begin the next stretch of time for the percents here. Looks in between leave the stretch alone.

        Raises:
            OSError, psutil.Error: the system does not tell.
        """
        held = _process(os.getpid()).memory_info()
        peak = max(held.rss, _most_held(held))
        mapped = int(held.shared) if sys.platform == "linux" else None
        used, total = system_memory()
        now = _times()
        with self._lock:
            before = self._before or _start(now)
            percents = _percents(before, now) or self._percents
            if step and now.clock - before.clock >= _LEAST_SECONDS:
                self._before, self._percents = now, percents
        return MachineReading(held.rss, peak, percents[0], used, total, percents[1], mapped)


def _times() -> _Times:
    import psutil

    all_cores = psutil.cpu_times()
    # guest time is inside user and nice time already
    total = sum(all_cores) - getattr(all_cores, "guest", 0.0) - getattr(all_cores, "guest_nice", 0.0)
    idle = all_cores.idle + getattr(all_cores, "iowait", 0.0)
    return _Times(time.monotonic(), time.process_time(), total - idle, total)


def _start(now: _Times) -> _Times:
    """Where the first stretch of time begins: with this process, and the machine's start for all others."""
    alive = time.time() - _process(os.getpid()).create_time()
    return _Times(now.clock - alive, 0.0, 0.0, 0.0)


def _percents(before: _Times, now: _Times) -> tuple[float, float] | None:
    """Percent of one core that this process used, and of all cores that everybody used; None: too short a time."""
    seconds = now.clock - before.clock
    if seconds < _LEAST_SECONDS:
        return None
    everybody = now.all - before.all
    share = (now.busy - before.busy) / everybody if everybody > 0 else 0.0
    return max(0.0, (now.process - before.process) / seconds * 100), min(100.0, max(0.0, share * 100))
