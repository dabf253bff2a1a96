"""The Monitor: requests, figures, automatic snapshots, markers; and a system that does not tell."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine.messages import Phrase
from engine.observe import monitor as monitor_module
from engine.observe.machine import Machine, MachineReading
from engine.observe.monitor import Monitor
from engine.observe.sampler import Reading, Sampler
from engine.observe.seen import Seen
from engine.observe.types import Figures, GpuReading, Marker, Missing, RequestRecord
from engine.settings import load_settings
from engine.types import Note

RECORD = RequestRecord("r1", 0.0, "classify", False, 30, 20, 1, 12.0, 12.0, 0.5)
WHY = Missing(Phrase("gpu_none"))


class Still(Sampler):
    """Tells what the test says, when the test says so; it has no thread."""

    def __init__(self) -> None:
        super().__init__()
        self.rss = 1000
        self.gpus: tuple[GpuReading, ...] = ()
        self.failing = False
        self.take: Any = None

    def read(self, *, step: bool = False) -> Reading:
        if self.failing:
            raise OSError("no /proc here")
        return Reading(time.time(), MachineReading(self.rss, self.rss, 1.0, 5, 9, 2.0, 300), self.gpus)

    def join(self, take: Any, seconds: float) -> int:
        self.take = take
        return 1

    def leave(self, number: int) -> None:
        self.take = None

    def tick(self, *sizes: int) -> None:
        for size in sizes:
            self.rss = size
            self.take(self.read())


@pytest.fixture
def sampler() -> Still:
    return Still()


@pytest.fixture
def monitor(sampler: Still) -> Iterator[Monitor]:
    made = Monitor(load_settings(max_memory="2g", batch_size=4), lambda: 3, lambda: (70, None), sampler=sampler)
    made.start()
    yield made
    made.close()


def answer(monitor: Monitor, count: int = 1, **changes: Any) -> None:
    for _ in range(count):
        monitor.record(replace(RECORD, time=time.time(), **changes))


def tags(monitor: Monitor) -> list[str]:
    return [one.tag for one in monitor.snapshots()]


def test_a_sample_has_everything(monitor: Monitor, sampler: Still) -> None:
    one = monitor.now()
    assert (one.rss, one.waiting, one.mapped, one.answers, one.texts, one.gpus) == (1000, 3, 300, 70, None, ())
    assert monitor.samples(60) == ()  # that was a look, not one of the samples
    sampler.tick(1, 2, 3)
    assert [one.rss for one in monitor.samples(60)] == [1, 2, 3]
    assert monitor.samples(-1) == ()


def test_what_is_kept_may_not_be_told(sampler: Still) -> None:
    def fail() -> tuple[int, int]:
        raise RuntimeError

    made = Monitor(load_settings(), lambda: 0, fail, sampler=sampler)
    assert (made.now().answers, made.now().texts) == (None, None)
    assert Monitor(load_settings(), lambda: 0, sampler=sampler).now().answers is None


def test_requests_and_counts(monitor: Monitor) -> None:
    answer(monitor)
    answer(monitor, task="extract", error="internal")
    monitor.record(replace(RECORD, time=time.time() - 100))
    assert len(monitor.requests(3600)) == 3
    assert monitor.totals().answered == 2
    assert monitor.totals().requests["extract", "failed"] == 1


def test_a_model_is_warm_in_what_it_has_answered(monitor: Monitor) -> None:
    monitor.loaded("a fp32 cpu")
    answer(monitor, error="internal")
    answer(monitor, cached=True)
    assert not monitor.is_warm("classify")
    answer(monitor)
    assert monitor.is_warm("classify")
    assert not monitor.is_warm("extract")
    monitor.loaded("b fp32 cpu")
    assert not monitor.is_warm("classify")


def test_the_three_figures(monitor: Monitor, sampler: Still) -> None:
    assert monitor.figures() == Figures()
    sampler.rss = 5000
    monitor.loaded("a fp32 cpu")
    assert monitor.figures() == Figures(5000)
    answer(monitor, cached=True, peak=1)
    answer(monitor, error="internal", peak=2)
    assert monitor.figures() == Figures(5000)
    answer(monitor, peak=7000)
    answer(monitor, peak=9000)
    assert monitor.figures() == Figures(5000, 7000)
    answer(monitor, 7)
    sampler.tick(1, 1, 1)
    assert monitor.figures().steady is None
    answer(monitor)
    sampler.tick(5100, 9900, 5200)
    assert monitor.figures() == Figures(5000, 7000, 5200)
    monitor.unloaded()
    sampler.tick(1)
    assert monitor.figures() == Figures()


def test_figures_are_of_the_gpu_where_tensors_are(monitor: Monitor, sampler: Still) -> None:
    sampler.gpus = (
        GpuReading(0, "One", 400, 500, 900, 1000, WHY, WHY, WHY),
        GpuReading(1, "Two", WHY, WHY, WHY, WHY, WHY, WHY, WHY),
        GpuReading(2, "Three", 30, 60, 90, 1000, WHY, WHY, WHY),
    )
    monitor.loaded("a fp16 cuda")
    assert monitor.figures().after_load == 430


def test_a_first_request_that_was_not_watched_has_no_peak(monitor: Monitor) -> None:
    monitor.loaded("a fp32 cpu")
    answer(monitor)
    answer(monitor, peak=7000)
    assert monitor.figures().first_peak is None


def test_automatic_snapshots(monitor: Monitor, sampler: Still) -> None:
    sampler.rss = 11
    monitor.loaded("a fp32 cpu")
    sampler.rss = 12
    answer(monitor, 3, error="internal")
    answer(monitor, 99)
    assert tags(monitor) == ["snapshot_load", "snapshot_warm"]
    answer(monitor)
    assert tags(monitor) == ["snapshot_load", "snapshot_warm", "snapshot_requests"]
    sampler.rss = 99
    monitor.released(monitor.now())
    monitor.unloaded()
    monitor.loaded("b int8 cpu")
    answer(monitor, 900)
    assert tags(monitor)[3:] == ["snapshot_release", "snapshot_load", "snapshot_warm", "snapshot_requests"]
    assert [one.requests for one in monitor.snapshots()] == [0, 1, 100, 100, 100, 101, 1000]
    assert [one.model[0] for one in monitor.snapshots()] == ["a"] * 4 + ["b"] * 3
    assert [one.sample.rss for one in monitor.snapshots()] == [11, 12, 12, 99, 99, 99, 99]
    assert all(one.automatic for one in monitor.snapshots())


def test_an_automatic_snapshot_says_after_how_many_requests_although_others_end_meanwhile(
    monitor: Monitor, sampler: Still, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monitor, 99)
    read = sampler.read

    def slow(*, step: bool = False) -> Reading:
        monkeypatch.undo()
        answer(monitor, 7)
        return read(step=step)

    monkeypatch.setattr(sampler, "read", slow)
    answer(monitor)
    assert monitor.snapshots()[-1].requests == 100


def test_snapshots_by_name(monitor: Monitor) -> None:
    made = monitor.snapshot("  before lunch ")
    assert (made.tag, made.automatic, made.model, made.requests) == ("before lunch", False, "", 0)
    assert monitor.snapshots() == (made,)
    assert not monitor.snapshot("snapshot_load").automatic
    monitor.forget_snapshot(made.id)
    assert tags(monitor) == ["snapshot_load"]


def test_markers_tell_what_changed(monitor: Monitor) -> None:
    monitor.unloaded()  # nothing was there
    monitor.loaded("a fp32 cpu")
    monitor.mark("batch_size", size=8)
    monitor.released(monitor.now())
    monitor.unloaded()
    monitor.unloaded()
    assert [(one.kind, one.details) for one in monitor.markers(60)] == [
        ("load", {"model": "a fp32 cpu"}),
        ("batch_size", {"size": 8}),
        ("release", {}),
        ("unload", {"model": "a fp32 cpu"}),
    ]
    assert all(isinstance(one, Marker) and abs(one.time - time.time()) < 60 for one in monitor.markers(60))


def test_advice_is_drawn_from_all_that_is_known_and_once(
    monitor: Monitor, sampler: Still, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Seen] = []
    note = Note("free_unparsed", {"text": "x"})

    def advise(seen: Seen) -> tuple[Note, ...]:
        asked.append(seen)
        return (note,)

    monkeypatch.setattr(monitor_module, "advise", advise)
    sampler.tick(1)
    assert [monitor.advice() for _ in range(10)] == [(note,)] * 10
    assert len(asked) == 1
    assert (asked[0].budget, asked[0].batch_size) == (2 * 2**30, 4)
    monitor.mark("batch_size", size=16)
    answer(monitor)
    monitor.advice()
    assert (len(asked), asked[1].batch_size, len(asked[1].requests), len(asked[1].markers)) == (2, 16, 1, 1)
    monitor.mark("batch_size", size=None)
    monitor.advice()
    assert asked[2].batch_size is None


def test_nothing_of_the_engine_fails_where_the_system_does_not_tell(monitor: Monitor, sampler: Still) -> None:
    sampler.failing = True
    monitor.loaded("a fp32 cpu")
    answer(monitor)
    monitor.unloaded()
    assert monitor.figures() == Figures()
    assert monitor.snapshots() == ()
    assert len(monitor.markers(60)) == 2
    with pytest.raises(OSError, match="no /proc"):
        monitor.now()


def test_the_log_has_the_requests_but_never_their_text(monitor: Monitor) -> None:
    from engine.observe.log import setup_log

    setup_log(load_settings(log_level="info"))
    last = max((line.number for line in monitor.log()), default=0)
    monitor.record(replace(RECORD, id="abc123", time=time.time()), "geheime Worte 密语")
    lines = monitor.log("INFO", last)
    assert [line.text for line in lines if "abc123" in line.text]
    assert not [line for line in lines if "geheime" in line.text or "密语" in line.text]


def test_the_process_itself() -> None:
    """Nothing made up: a Monitor as the workbench has it."""
    made = Monitor(load_settings(sample_seconds=0.5), lambda: 0)
    made.start()
    end = time.monotonic() + 20
    while not made.samples(60) and time.monotonic() < end:
        time.sleep(0.01)
    made.close()
    one, direct = made.samples(60)[0], Machine().read()
    assert abs(one.time - time.time()) < 60
    assert one.system_total == direct.system_total
    assert 0.3 < one.rss / direct.rss < 3
    assert made.gpu_reason is None or made.gpu_reason.code in {"gpu_no_driver", "gpu_driver_off", "gpu_none"}
    with made.watch_peak() as watch:
        block = bytearray(64 * 2**20)
        block[::4096] = b"x" * len(block[::4096])
        time.sleep(0.1)
        del block
    assert watch.peak is not None
    assert watch.peak > direct.rss
