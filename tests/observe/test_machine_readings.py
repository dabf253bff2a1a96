"""Memory and processor time: a planted allocation is seen, percents are sane, and odd systems tell what they can."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from engine.observe import machine
from engine.observe.machine import Machine, free_bytes, held_now, process_memory

MIB = 2**20


def allocate(size: int) -> bytearray:
    """Memory that is really there: every page of it is written to."""
    block = bytearray(size)
    block[::4096] = b"x" * len(block[::4096])
    return block


def work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


def test_a_planted_allocation_is_seen_and_its_end_too() -> None:
    seen = Machine()
    before = seen.read()
    block = allocate(96 * MIB)
    during = seen.read()
    assert 90 * MIB < during.rss - before.rss < 130 * MIB
    assert during.peak >= during.rss
    assert abs(held_now() - during.rss) < 16 * MIB
    del block
    after = seen.read()
    assert after.rss < during.rss - 80 * MIB
    assert after.peak >= during.rss - MIB  # the most stays
    assert before.system_total == after.system_total <= psutil.virtual_memory().total
    assert 0 < after.system_used < after.system_total
    assert 0 < free_bytes() < after.system_total


def test_percent_of_one_core() -> None:
    seen = Machine()
    seen.read()
    began, spent = time.monotonic(), time.process_time()
    work(0.3)
    spent, seconds = time.process_time() - spent, time.monotonic() - began
    busy = seen.read()
    assert busy.cpu == pytest.approx(100 * spent / seconds, rel=0.5)
    assert 0 <= busy.system_cpu <= 100
    time.sleep(0.3)
    assert seen.read().cpu < busy.cpu


def test_a_look_in_between_leaves_the_stretch_of_time_alone() -> None:
    seen = Machine()
    seen.read()
    work(0.2)
    looked = seen.read(step=False).cpu
    assert looked > 10
    assert seen.read(step=False).cpu > 10  # not nothing since a moment ago
    assert seen.read().cpu > 10


def test_looks_that_follow_at_once_tell_the_percents_of_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_LEAST_SECONDS", 3600)
    seen = Machine()
    seen._percents = (12.5, 50.0)
    seen._before = machine._times()
    assert (seen.read().cpu, seen.read().system_cpu) == (12.5, 50.0)


def test_the_first_look_is_over_the_life_of_the_process() -> None:
    first = Machine().read()
    assert 0 <= first.cpu <= 100 * (os.cpu_count() or 1)
    assert 0 <= first.system_cpu <= 100


def test_clocks_that_go_back_give_no_negative_load() -> None:
    before, now = machine._Times(10, 5, 100, 1000), machine._Times(11, 4.9, 90, 1001)
    assert machine._percents(before, now) == (0.0, 0.0)
    assert machine._percents(before, machine._Times(11, 5.5, 100, 1000)) == (50.0, 0.0)
    assert machine._percents(before, machine._Times(12, 8, 400, 1100)) == (150.0, 100.0)


def test_the_peak_without_a_proc_file_that_tells_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for text in (None, b"Name: x\n", b"VmHWM:\n", b"VmHWM:\tmany kB\n"):
        status = tmp_path / "status"
        if text is not None:
            status.write_bytes(text)
        monkeypatch.setattr(machine, "_STATUS", status)
        now, peak = process_memory()
        assert now <= peak < 2**40
    status.write_bytes(b"Name: x\nVmHWM:\t  99999999 kB\n")
    monkeypatch.setattr("sys.platform", "linux")
    assert process_memory()[1] == 99999999 * 1024


def test_what_windows_tells() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.platform", "win32")
        assert machine._most_held(SimpleNamespace(rss=1, peak_wset=7)) == 7


def test_pages_of_files_are_told_apart(tmp_path: Path) -> None:
    if not hasattr(psutil.Process().memory_info(), "shared"):
        pytest.skip("only Linux tells")
    import mmap

    path = tmp_path / "large"
    path.write_bytes(b"x" * (32 * MIB))
    seen = Machine()
    before = seen.read()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert len(mapped[::4096]) == 32 * MIB // 4096
        during = seen.read()
        assert before.mapped is not None
        assert during.mapped is not None
        assert during.mapped - before.mapped > 24 * MIB


def test_many_threads_may_look() -> None:
    seen, failed = Machine(), []

    def look() -> None:
        try:
            for _ in range(30):
                assert 0 <= seen.read().system_cpu <= 100
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failed == []


def test_the_quick_look_without_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for text in (None, b"", b"12 many"):
        odd = tmp_path / "statm"
        if text is not None:
            odd.write_bytes(text)
        machine._sizes.cache_clear()
        monkeypatch.setattr(machine, "_STATM", str(odd))
        assert 0.5 < held_now() / process_memory()[0] < 2
    machine._sizes.cache_clear()


def test_a_fork_looks_at_itself() -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    code = (
        "import os, sys; from engine.observe.machine import held_now, process_memory\n"
        "held_now(), process_memory(); read, write = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    block = b'x' * (64 << 20); os.write(write, b'%d' % held_now()); os._exit(0)\n"
        "os.wait(); print(int(os.read(read, 20)) - held_now())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) > 40 * MIB
