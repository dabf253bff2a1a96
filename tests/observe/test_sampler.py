"""The sampler: one thread, whoever reads; it survives what a reading raises, and ends."""

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from observe.fake_nvml import CALLS, GIB, error, install, two_gpus

from engine.observe.machine import Machine
from engine.observe.monitor import Monitor
from engine.observe.sampler import Reading, Sampler
from engine.observe.types import Missing
from engine.settings import load_settings

FAST = 0.02


@pytest.fixture
def sampler() -> Iterator[Sampler]:
    made = Sampler()
    yield made
    for number in list(made._readers):
        made.leave(number)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads that looked, one for each look."""
    seen: list[str] = []
    read = Machine.read

    def counted(self: Machine, *, step: bool = True) -> Any:
        seen.append(threading.current_thread().name)
        return read(self, step=step)

    monkeypatch.setattr(Machine, "read", counted)
    return seen


def until(true: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "sampler"]


def monitor(sampler: Sampler) -> Monitor:
    return Monitor(load_settings(sample_seconds=0.5), lambda: 0, sampler=sampler)


def test_one_thread_for_any_number_of_monitors(sampler: Sampler) -> None:
    before = len(threads())
    monitors = [monitor(sampler) for _ in range(5)]
    assert len(threads()) == before  # nothing begins by itself
    for one in monitors:
        one.start()
        one.start()
    assert len(threads()) == before + 1
    for one in monitors:
        until(lambda one=one: one.samples(60))
    for one in monitors[1:]:
        one.close()
    assert len(threads()) == before + 1
    monitors[0].close()
    monitors[0].close()
    assert len(threads()) == before
    kept = len(monitors[0].samples(60))
    monitors[0].start()
    until(lambda: len(monitors[0].samples(60)) > kept)  # it goes on
    monitors[0].close()
    assert len(threads()) == before


def test_starting_and_closing_from_many_threads_leaves_none(sampler: Sampler) -> None:
    before = len(threads())
    one = monitor(sampler)

    def turn_on_and_off() -> None:
        for _ in range(20):
            one.start()
            one.close()

    together = [threading.Thread(target=turn_on_and_off) for _ in range(8)]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join(60)
    one.close()
    until(lambda: len(threads()) == before)
    assert sampler._readers == {}


def test_readers_cost_no_readings(sampler: Sampler, looks: list[str]) -> None:
    """However many ask for what was seen, the only looks are the sampler's own."""
    one = monitor(sampler)
    one.start()
    until(lambda: one.samples(60))
    over = threading.Event()
    asked = [0] * 10

    def ask(number: int) -> None:
        while not over.wait(0.01):
            one.samples(300), one.requests(300), one.markers(300), one.advice(), one.figures(), one.totals()
            asked[number] += 1

    readers = [threading.Thread(target=ask, args=(number,)) for number in range(10)]
    for thread in readers:
        thread.start()
    until(lambda: min(asked) > 10)
    over.set()
    for thread in readers:
        thread.join(20)
    one.close()
    assert len(looks) == len(one.samples(60))
    assert set(looks) == {"sampler"}


def test_those_who_are_due_together_share_a_reading(sampler: Sampler, looks: list[str]) -> None:
    taken: dict[int, list[Reading]] = {number: [] for number in range(6)}
    numbers = [sampler.join(taken[number].append, 0.2) for number in range(6)]
    until(lambda: min(map(len, taken.values())) >= 4)
    for number in numbers:
        sampler.leave(number)
    assert len(looks) <= 2 * max(map(len, taken.values()))
    shared = {id(reading) for reading in taken[0]} & {id(reading) for reading in taken[5]}
    assert len(shared) >= 2


def test_each_has_its_own_period(sampler: Sampler) -> None:
    often, seldom = [], []  # type: ignore[var-annotated]
    sampler.join(often.append, FAST)
    sampler.join(seldom.append, 3600)
    until(lambda: len(often) > 10)
    assert len(seldom) == 1


@pytest.mark.parametrize("raised", [OSError("gone"), RuntimeError("x"), MemoryError(), AssertionError()], ids=repr)
def test_a_reading_that_fails_is_a_gap_and_said_once(
    sampler: Sampler, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, raised: Exception
) -> None:
    read, failing, failed = Machine.read, threading.Event(), [0]

    def fails(self: Machine, *, step: bool = True) -> Any:
        if failing.is_set():
            failed[0] += 1
            raise raised
        return read(self, step=step)

    monkeypatch.setattr(Machine, "read", fails)
    taken: list[Reading] = []
    sampler.join(taken.append, FAST)
    until(lambda: taken)
    failing.set()
    until(lambda: failed[0] > 3)
    count = len(taken)
    until(lambda: failed[0] > 6)
    assert len(taken) == count  # nothing is made up for the gap
    failing.clear()
    until(lambda: len(taken) > count)
    assert len([record for record in caplog.records if record.name == "engine.observe.sampler"]) == 1


def test_who_fails_to_take_one_spoils_it_for_nobody(sampler: Sampler, caplog: pytest.LogCaptureFixture) -> None:
    calls, taken = [0], []  # type: ignore[var-annotated]

    def refuse(_: Reading) -> None:
        calls[0] += 1
        raise ZeroDivisionError

    sampler.join(refuse, FAST)
    sampler.join(taken.append, FAST)
    until(lambda: calls[0] > 3 and len(taken) > 3)
    assert len([one for one in caplog.records if one.name == "engine.observe.sampler"]) == 1


def test_a_queue_that_cannot_be_counted_ends_nothing(sampler: Sampler) -> None:
    waiting: list[int] = []
    one = Monitor(load_settings(sample_seconds=0.5), lambda: waiting[0], sampler=sampler)
    one.start()
    time.sleep(0.1)
    assert one.samples(60) == ()
    waiting.append(3)
    until(lambda: one.samples(60))
    assert one.samples(60)[0].waiting == 3
    one.close()


def test_closing_does_not_wait_for_a_reading_that_hangs(sampler: Sampler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.observe.sampler._CLOSE_SECONDS", 0.1)
    hung, go_on = threading.Event(), threading.Event()

    def hang(self: Machine, *, step: bool = True) -> Any:
        hung.set()
        go_on.wait(20)
        raise OSError

    monkeypatch.setattr(Machine, "read", hang)
    number = sampler.join(lambda _: None, FAST)
    assert hung.wait(20)
    began = time.monotonic()
    sampler.leave(number)
    assert time.monotonic() - began < 5
    thread = sampler._thread
    assert thread is not None
    assert thread.daemon  # nor does the program
    go_on.set()
    thread.join(20)
    assert not thread.is_alive()


def test_leaving_from_the_thread_itself(sampler: Sampler) -> None:
    numbers: list[int] = []
    left = threading.Event()

    def leave(_: Reading) -> None:
        if numbers:
            sampler.leave(numbers[0])
            left.set()

    numbers.append(sampler.join(leave, FAST))
    assert left.wait(20)
    until(lambda: sampler._thread is None)
    taken: list[Reading] = []
    sampler.join(taken.append, FAST)  # and another may join again
    until(lambda: taken)


def test_a_monitor_that_nobody_holds_goes_with_all_that_it_knows(sampler: Sampler) -> None:
    class Model:
        def waiting(self) -> int:
            return 0

    model = Model()
    one = Monitor(load_settings(sample_seconds=0.5), model.waiting, sampler=sampler)
    one.start()
    until(partial(one.samples, 60))
    gone = weakref.ref(model)
    del one, model
    until(lambda: (gc.collect(), gone() is None)[1])
    until(lambda: sampler._thread is None)  # at its next turn


def test_the_gpus_are_let_go_with_the_last_reader(sampler: Sampler, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, two_gpus())
    taken: list[Reading] = []
    for _ in range(2):
        number = sampler.join(taken.append, FAST)
        until(lambda: taken and taken[-1].gpus)
        assert fake.open == 1
        sampler.leave(number)
        assert fake.open == 0
        taken.clear()


def test_gpus_that_fail_leave_the_rest_of_a_sample(sampler: Sampler, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, two_gpus())
    taken: list[Reading] = []
    sampler.join(taken.append, FAST)
    until(lambda: len(taken) > 1)
    assert taken[-1].gpus[0].used == 9 * GIB
    for call in CALLS:
        fake.failing[call] = error("NVMLError_GpuIsLost")
    count = len(taken)
    until(lambda: len(taken) > count + 2)
    assert taken[-1].machine.rss > 0
    assert {type(gpu.used) for gpu in taken[-1].gpus} == {Missing}
