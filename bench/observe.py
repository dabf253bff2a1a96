"""What looking at memory and load costs: the sampler thread's share of one core, alone and with ten pages open.

    python -m bench.observe [--seconds 30] [--period 0.5] [--readers 10] [--requests 5000]

The thread's own processor time (its clock, as `time.thread_time` reads it) is divided by the time that passed. Each
reader asks once a second for what an open Monitor page asks for: the samples of five minutes, requests, markers,
figures and advice; its rings are full of requests from the start. A request's peak is watched by a second thread,
which is measured while one is watched all the time. Linux and others with per-thread clocks. It runs no model.
"""

import argparse
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from engine.observe.monitor import Monitor
from engine.observe.sampler import SAMPLER
from engine.observe.types import RequestRecord
from engine.settings import load_settings

_RECORD = RequestRecord("r", 0.0, "classify", False, 60, 40, 1, 12.0, 12.0, 0.5)


def main() -> None:
    """One table."""
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--period", type=float, default=0.5)
    options.add_argument("--readers", type=int, default=10)
    options.add_argument("--requests", type=int, default=5000)
    given = options.parse_args()
    monitor = Monitor(load_settings(sample_seconds=given.period), lambda: 0)
    for number in range(given.requests):  # over the last five minutes, the oldest first
        when = time.time() - 300 * (1 - number / given.requests)
        monitor.record(replace(_RECORD, id=f"r{number}", time=when, characters=20 + number % 900))
    gpus = len(SAMPLER.read().gpus)
    print(f"a look every {given.period} s, {given.seconds:.0f} s each; GPUs: {gpus}")
    print("| thread | readers | looks | ms of processor | % of a core |")
    print("|---|---|---|---|---|")
    monitor.start()
    time.sleep(2 * given.period)
    for readers in (0, given.readers):
        over = threading.Event()
        threads = [threading.Thread(target=read, args=(monitor, over)) for _ in range(readers)]
        for thread in threads:
            thread.start()
        looks = len(monitor.samples(1e9))
        spent, passed = measure("sampler", given.seconds)
        looks = len(monitor.samples(1e9)) - looks
        over.set()
        for thread in threads:
            thread.join()
        print(f"| sampler | {readers} | {looks} | {spent * 1e3:.1f} | {100 * spent / passed:.3f} |")
    with monitor.watch_peak():
        spent, passed = measure("memory-peaks", min(given.seconds, 10))
    print(f"| peaks of requests | - | - | {spent * 1e3:.1f} | {100 * spent / passed:.3f} |")
    monitor.close()


def measure(name: str, seconds: float) -> tuple[float, float]:
    """Seconds of processor that the thread of this name used, and seconds of the clock that passed."""
    clock = clock_of(name)
    began, spent = time.perf_counter(), clock()
    time.sleep(seconds)
    return clock() - spent, time.perf_counter() - began


def clock_of(name: str) -> Callable[[], float]:
    """The processor time of a thread, in seconds."""
    (ident,) = {thread.ident for thread in threading.enumerate() if thread.name == name}
    number = time.pthread_getcpuclockid(ident or 0)
    return lambda: time.clock_gettime(number)


def read(monitor: Monitor, over: threading.Event) -> None:
    """What an open page asks for, once a second."""
    while not over.wait(1):
        monitor.samples(300)
        monitor.requests(300)
        monitor.markers(300)
        monitor.figures()
        monitor.advice()


if __name__ == "__main__":
    main()
