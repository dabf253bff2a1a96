"""A watch sees the most memory that was held while it lasted, on the CPU and by torch's counters on a GPU."""

import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from observe.fake_nvml import FakeCuda, two_gpus

from engine.observe import peak
from engine.observe.machine import held_now
from engine.observe.peak import Peaks

MIB = 2**20


@pytest.fixture(autouse=True)
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())


@pytest.fixture
def peaks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Peaks]:
    monkeypatch.setattr(peak, "_IDLE_SECONDS", 0.05)
    before = set(threading.enumerate())
    yield Peaks()
    for thread in set(threading.enumerate()) - before:
        if thread.name == "memory-peaks":
            thread.join(20)
            assert not thread.is_alive(), "it looks on though nobody watches"


def hold(size: int, seconds: float = 0.0) -> None:
    """Take memory, every page of it, and let it go."""
    block = bytearray(size)
    block[::4096] = b"x" * len(block[::4096])
    time.sleep(seconds)


def lookers() -> int:
    return sum(thread.name == "memory-peaks" for thread in threading.enumerate())


def test_a_temporary_allocation(peaks: Peaks) -> None:
    hold(200 * MIB)  # the process has held more before: its own high-water mark says nothing
    base = held_now()
    with peaks.watch() as watch:
        assert watch.peak is None
        hold(64 * MIB, 0.2)
    assert watch.peak is not None
    assert 60 * MIB < watch.peak - base < 100 * MIB
    assert held_now() < watch.peak - 50 * MIB  # it is gone by now


def test_the_highest_of_its_life_is_seen_however_short(peaks: Peaks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peak, "_LOOK_SECONDS", 0.3)
    memory = iter([(100, 500), (120, 900)])  # held and most ever: at the start, at the end
    monkeypatch.setattr(peak, "process_memory", lambda: next(memory))
    monkeypatch.setattr(peak, "held_now", lambda: 110)
    with peaks.watch() as watch:
        pass
    assert watch.peak == 900


def test_a_peak_from_before_is_not_this_ones(peaks: Peaks, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = iter([(100, 500), (120, 500)])
    monkeypatch.setattr(peak, "process_memory", lambda: next(memory))
    monkeypatch.setattr(peak, "held_now", lambda: 110)
    with peaks.watch() as watch:
        pass
    assert watch.peak == 120


def test_it_is_said_after_a_failure_too(peaks: Peaks) -> None:
    watch = peaks.watch()
    with pytest.raises(ZeroDivisionError), watch:
        raise ZeroDivisionError
    assert watch.peak


def test_many_watch_and_one_thread_looks(peaks: Peaks) -> None:
    before, seen = lookers(), []
    ready = threading.Barrier(9)

    def watch() -> None:
        with peaks.watch() as mine:
            ready.wait(20)
            ready.wait(20)
        seen.append(mine.peak)

    threads = [threading.Thread(target=watch) for _ in range(8)]
    for thread in threads:
        thread.start()
    ready.wait(20)
    base = held_now()
    assert lookers() == before + 1
    hold(64 * MIB, 0.2)
    ready.wait(20)
    for thread in threads:
        thread.join(20)
    assert len(seen) == 8
    assert min(peak or 0 for peak in seen) > base + 60 * MIB


def test_watches_that_follow_share_the_thread(peaks: Peaks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peak, "_IDLE_SECONDS", 5)
    begun = []
    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda self: (begun.append(self.name), start(self))[1])
    for _ in range(50):
        with peaks.watch():
            pass
    assert begun == ["memory-peaks"]
    monkeypatch.setattr(peak, "_IDLE_SECONDS", 0)
    with peaks.watch():  # its next wait is short
        time.sleep(0.05)


def test_a_system_that_does_not_tell(peaks: Peaks, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise OSError("no /proc here")

    monkeypatch.setattr(peak, "process_memory", fail)
    monkeypatch.setattr(peak, "held_now", fail)
    with peaks.watch() as watch:
        time.sleep(0.06)
    assert watch.peak is None


# On a GPU.


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    there = FakeCuda(two_gpus())
    there.allocated, there.most = [1000, 0], [9000, 0]
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=there))
    return there


def test_torch_counts_on_a_gpu(peaks: Peaks, cuda: FakeCuda) -> None:
    before = lookers()
    with peaks.watch() as watch:
        cuda.hold(0, 500)
        cuda.hold(0, -400)
        assert lookers() == before  # nobody needs to look
    assert watch.peak == 1500  # not the 9000 from before


def test_of_two_gpus_the_sum(peaks: Peaks, cuda: FakeCuda) -> None:
    with peaks.watch() as watch:
        cuda.hold(0, 500)
        cuda.hold(1, 70)
        cuda.hold(1, -70)
    assert watch.peak == 1570


def test_a_watch_within_another_takes_nothing_from_it(peaks: Peaks, cuda: FakeCuda) -> None:
    with peaks.watch() as outer:
        cuda.hold(0, 5000)
        cuda.hold(0, -5000)
        with peaks.watch() as inner:
            cuda.hold(0, 300)
            cuda.hold(0, -300)
        with peaks.watch() as second:
            pass
    assert (outer.peak, inner.peak, second.peak) == (6000, 1300, 1000)


def test_an_inner_peak_is_the_outer_ones_too(peaks: Peaks, cuda: FakeCuda) -> None:
    with peaks.watch() as outer, peaks.watch() as inner:
        cuda.hold(0, 700)
        cuda.hold(0, -700)
    assert (outer.peak, inner.peak) == (1700, 1700)


def test_without_tensors_on_a_gpu_the_process_counts(peaks: Peaks, cuda: FakeCuda) -> None:
    cuda.allocated = [0, 0]
    with peaks.watch() as watch:
        pass
    assert watch.peak is not None
    assert watch.peak > MIB


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_gpu_that_fails(peaks: Peaks, cuda: FakeCuda, when: str) -> None:
    failure = RuntimeError("CUDA error")
    cuda.failing = failure if when == "before" else None
    with peaks.watch() as watch:
        cuda.hold(0, 500)
        cuda.failing = failure
    if when == "before":
        assert watch.peak is not None
        assert watch.peak > MIB  # of the process
    else:
        assert watch.peak is None
