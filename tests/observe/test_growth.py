"""Memory that grows with every request is told from memory that moves; made processes, no clock."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from observe.processes import Process, filling, leak, loaded, saw, slowing, steps, trimmed
from observe.recorded import CLEAN_RUN, LEAKY_RUN, Row, seen
from observe.records import GIB, MIB, record, sample

from engine.observe.advice import advise
from engine.observe.growth import growth, slope
from engine.observe.seen import Seen
from engine.observe.types import Marker, Sample

ALARMS = {"advice_leak", "advice_growth"}
SEEDS = range(6)


def alarms(process: Process, step: float = 5.0) -> dict[str, float]:
    return {code: when for code, when in process.run().codes(step).items() if code in ALARMS}


# The alarm within 60 seconds.


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rate", [2.0, 3.0, 5.0])
def test_tensors_kept_for_every_request_raise_the_alarm_within_a_minute(seed: int, rate: float) -> None:
    process = Process(seed, rate, requests=int(rate * 60), held=(leak(MIB),))
    found = alarms(process)
    assert found.get("advice_leak", 99.0) <= 60.0
    (note,) = [one for one in advise(process.seen(60.0)) if one.code == "advice_leak"] or [None]
    if note is not None:
        assert 0.7 * MIB <= bytes_of(str(note.details["per_request"])) <= 1.4 * MIB


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "noise",
    [
        (saw(40 * MIB, 40),),
        (trimmed(30 * MIB, 4.0),),
        (steps(16 * MIB, 40, 90),),
        (saw(20 * MIB, 30), trimmed(20 * MIB, 3.0)),
    ],
    ids=["garbage", "trim", "arenas", "both"],
)
def test_noise_does_not_hide_a_leak(seed: int, noise: tuple[object, ...]) -> None:
    found = alarms(Process(seed, 4.0, requests=360, held=(leak(MIB), *noise)))  # type: ignore[arg-type]
    assert found.get("advice_leak", 999.0) <= 90.0


@pytest.mark.parametrize(("every", "soon"), [(0.5, 60.0), (1.0, 60.0), (2.0, 80.0), (5.0, 180.0)])
def test_a_leak_is_found_however_often_the_sampler_looks(every: float, soon: float) -> None:
    found = alarms(Process(2, 4.0, requests=720, every=every, held=(leak(2 * MIB),)))
    assert found.get("advice_leak", 999.0) <= soon


def test_a_leak_that_begins_late_is_found_soon() -> None:
    found = alarms(Process(3, 4.0, requests=1300, held=(leak(MIB, 1000),)))
    assert 250.0 < found.get("advice_leak", 999.0) <= 310.0


def test_a_moment_of_much_memory_does_not_hide_a_leak() -> None:
    """A long text took a GiB for two seconds; what grows since has not been there for longer."""
    moment = lambda _, time: GIB if 120 <= time < 122 else 0.0  # noqa: E731 - a part like the others
    process = Process(3, 4.0, requests=1060, held=(leak(MIB, 800), moment), moment=0.0)
    assert 184.0 < alarms(process).get("advice_leak", 999.0) <= 244.0


def test_a_slow_leak_is_found_later() -> None:
    found = alarms(Process(3, 4.0, requests=2400, held=(leak(0.08 * MIB),)), 30.0)
    assert found.get("advice_leak", 999.0) > 60.0


def test_a_leak_beside_caches_that_fill_is_found_and_their_share_is_told() -> None:
    process = Process(4, 4.0, requests=240, held=(leak(MIB),), texts=filling(0.5 * MIB, 256 * MIB))
    assert "advice_leak" in alarms(process)
    (note,) = [one for one in advise(process.seen()) if one.code == "advice_leak"]
    assert 20 <= int(str(note.details["explained"]).rstrip("%")) <= 45


def test_a_leak_on_a_gpu_is_of_that_gpu() -> None:
    process = Process(5, 4.0, requests=240, held=(leak(MIB),), on_gpu=True)
    assert "advice_leak" in alarms(process)
    notes = [one for one in advise(process.seen()) if one.code == "advice_leak"]
    assert [str(one.details["where"]) for one in notes] == ["GPU 0 (Test GPU)"]


@pytest.mark.parametrize("unknown", ["answers", "texts", "mapped"])
def test_without_figures_of_what_is_kept_the_cause_is_not_known(unknown: str) -> None:
    found = alarms(Process(4, 4.0, requests=240, held=(leak(MIB),), **{unknown: None}))  # type: ignore[arg-type]
    assert list(found) == ["advice_growth"]


# Recorded runs.


def recorded(rows: list[Row], **given: float) -> list[float]:
    """When the alarm is on, of every third second."""
    times = [float(time) for time in range(16, int(rows[-1][0]), 3)]
    return [time for time in times if {note.code for note in advise(seen(rows, time, **given))} & ALARMS]  # type: ignore[arg-type]


def test_a_recorded_clean_run_raises_no_alarm() -> None:
    assert recorded(CLEAN_RUN) == []


def test_a_recorded_leak_raises_the_alarm_within_a_minute_and_keeps_it() -> None:
    times = recorded(LEAKY_RUN)
    assert times[0] <= 60.0
    assert 3 * len(times) >= 0.8 * (LEAKY_RUN[-1][0] - times[0])


@pytest.mark.parametrize(("each", "soon"), [(MIB, 60.0), (0.5 * MIB, 75.0), (5 * MIB, 50.0)])
def test_leaks_within_a_recorded_run_are_found(each: float, soon: float) -> None:
    times = recorded(CLEAN_RUN, leak=each)
    assert times[0] <= soon
    assert 3 * len(times) >= 0.8 * (CLEAN_RUN[-1][0] - times[0])


def test_a_leak_that_begins_within_a_recorded_run_is_found_within_a_minute() -> None:
    begins, first = next((time, count) for time, count, *_ in CLEAN_RUN if count >= 160)
    times = recorded(CLEAN_RUN, leak=MIB, first=first)
    assert begins < times[0] <= begins + 60.0


# No alarm.

CLEAN = {
    "even": Process(),
    "busy": Process(moment=300 * MIB),
    "garbage": Process(held=(saw(100 * MIB, 40),)),
    "garbage of long": Process(held=(saw(30 * MIB, 400),)),
    "trim": Process(held=(trimmed(80 * MIB, 4.0),)),
    "trim and garbage": Process(held=(trimmed(40 * MIB, 7.0), saw(60 * MIB, 35))),
    "arenas": Process(held=(steps(64 * MIB, 30, 75, 300),)),
    "texts are kept": Process(texts=filling(0.8 * MIB, 256 * MIB)),
    "answers and texts are kept": Process(texts=filling(1.5 * MIB, 256 * MIB), answers=filling(0.2 * MIB, 64 * MIB)),
    "a file is read": Process(mapped=slowing(300 * MIB)),
    "a file is read evenly": Process(mapped=filling(MIB, 600 * MIB)),
    "longer texts": Process(held=(slowing(70 * MIB),)),
    "another model": Process(held=(loaded(600 * MIB, 200),)),
    "warm-up": Process(held=(filling(12 * MIB, 120 * MIB),)),
    "slow": Process(rate=0.7),
    "fast": Process(rate=12.0),
    "seldom": Process(every=5.0),
    "often": Process(every=0.5),
    "on a GPU": Process(on_gpu=True, texts=filling(MIB, 256 * MIB), held=(filling(MIB, 256 * MIB),)),
    "nothing known": Process(answers=None, texts=None, mapped=None),
}


@pytest.mark.parametrize("name", CLEAN)
def test_five_hundred_requests_of_a_clean_process_raise_no_alarm(name: str) -> None:
    made = CLEAN[name]
    for seed in range(4):
        again = Process(**{**made.__dict__, "seed": seed, "records": [], "samples": []})
        assert alarms(again, 8.0) == {}, seed


def test_a_load_between_begins_anew() -> None:
    """Growth before a load says nothing of the model after it."""
    process = Process(1, 4.0, requests=400, held=(leak(MIB),))
    process.run()
    at = process.samples[-1].time - 20
    process.markers = (Marker(at, "load", {"model": "m"}),)
    assert {note.code for note in advise(process.seen(at - 1))} & ALARMS
    assert not {note.code for note in advise(process.seen())} & ALARMS


def test_garbage_that_was_collected_once_is_believed_the_next_time() -> None:
    """A first rise of 100 seconds looks like a leak; the second one does not, since memory came back before."""
    process = Process(1, 3.0, requests=900, held=(saw(180 * MIB, 300),)).run()
    early = [note.code for now in range(40, 100, 10) for note in advise(process.seen(float(now)))]
    assert set(early) & ALARMS
    late = [note.code for now in range(120, 290, 10) for note in advise(process.seen(float(now)))]
    assert not set(late) & ALARMS


def test_thin_evidence_says_nothing() -> None:
    steep = Process(1, 4.0, requests=400, held=(leak(20 * MIB),)).run()
    assert not advise(Seen([], []))
    assert not advise(steep.seen(20.0))
    assert not advise(Seen(steep.samples, []))
    assert not advise(Seen(steep.samples, steep.records[:40]))
    assert not advise(Seen(steep.samples[:1], steep.records))


def test_a_leak_where_answers_were_kept_is_one_too() -> None:
    process = Process(1, 4.0, requests=240, held=(leak(MIB),)).run()
    kept = [record(one.time, cached=True) for one in process.records]
    assert {note.code for note in advise(Seen(process.samples, kept))} & ALARMS


# What grows on purpose is told as such.


def test_caches_that_fill_are_told_until_they_are_full() -> None:
    process = Process(2, 4.0, requests=700, texts=filling(MIB, 256 * MIB), answers=filling(0.1 * MIB, 64 * MIB)).run()
    (note,) = [one for one in advise(process.seen(60.0)) if one.code != "advice_cache_unused"]
    assert note.code == "advice_filling"
    assert str(note.details["where"]) == "the process"
    assert bytes_of(str(note.details["kept"])) > 150 * MIB
    assert {one.code for one in advise(process.seen(170.0))} <= {"advice_cache_unused"}


def test_pages_of_files_are_told() -> None:
    process = Process(2, 4.0, requests=300, mapped=filling(MIB, 600 * MIB)).run()
    (note,) = advise(process.seen(60.0))
    assert note.code == "advice_files"


# The slope and its conditions.


def line(values: list[float], every: float = 1.0, per_sample: int = 3) -> tuple[list[Sample], list[float]]:
    samples = [sample(number * every, value) for number, value in enumerate(values)]
    times = [number * every / per_sample for number in range(len(values) * per_sample)]
    return samples, times


@given(st.lists(st.tuples(st.integers(0, 1000), st.floats(-1e9, 1e9)), max_size=30))
def test_the_slope_is_the_median_of_the_pairs(points: list[tuple[float, float]]) -> None:
    got = slope(points)
    slopes = sorted((y - b) / (x - a) for i, (x, y) in enumerate(points) for a, b in points[:i] if a != x)
    if slopes:
        assert slopes[0] <= got <= slopes[-1]
        assert sum(one <= got + 1e-9 * abs(got) + 1e-9 for one in slopes) >= len(slopes) / 2
    else:
        assert got == 0.0


@given(st.integers(8, 40), st.floats(0.01, 100), st.integers(0, 2**32))
def test_a_third_of_wild_values_does_not_move_the_slope(count: int, true: float, seed: int) -> None:
    chance = random.Random(seed)
    points = [(float(x), true * x) for x in range(count)]
    for x in chance.sample(range(count), count // 6):
        points[x] = (float(x), chance.uniform(-1e6, 1e6))
    assert slope(points) == pytest.approx(true, rel=0.5)


@given(st.lists(st.floats(0, 64 * MIB), min_size=60, max_size=120), st.floats(0, 100 * GIB))
@settings(max_examples=40)
def test_noise_about_a_level_is_no_growth(noise: list[float], level: float) -> None:
    """Whatever the values: shuffled evenly they do not rise everywhere."""
    assume(max(noise) - min(noise) > 0)
    mirrored = noise + noise[::-1]
    samples, times = line([level + one for one in mirrored])
    assert growth(samples, times, lambda one: one.rss) is None or mirrored[-1] > max(noise)


@given(st.floats(-5 * MIB, 0), st.integers(40, 200))
def test_memory_that_falls_or_stays_never_grows(each: float, count: int) -> None:
    samples, times = line([10 * GIB + each * number for number in range(count)])
    assert growth(samples, times, lambda one: one.rss) is None


@given(st.floats(1.5 * MIB, 50 * MIB), st.integers(60, 200), st.integers(1, 8))
def test_an_even_rise_is_growth_with_its_slope(each: float, count: int, per_sample: int) -> None:
    samples, times = line([GIB + each * number for number in range(count)], per_sample=per_sample)
    found = growth(samples, times, lambda one: one.rss)
    assert found is not None
    assert found.per_request == pytest.approx(each / per_sample, rel=0.05)
    assert found.total == pytest.approx(found.per_request * found.requests)


@given(st.integers(1, 8), st.floats(0, 2000 * MIB))
def test_one_step_is_no_growth_wherever_it_is(place: int, size: float) -> None:
    samples, times = line([GIB + (size if number >= place * 12 else 0) for number in range(120)])
    assert growth(samples, times, lambda one: one.rss) is None


@pytest.mark.parametrize(
    "heights",
    [
        [0, 110, 19, 29, 81, 19, 111, 118, 66],  # up and down, though there is more in every third
        [0, 4, 8, 4, 10, 12, 60, 70, 80],  # one step, though there is a little more all the time
        [0, 20, 40, 44, 52, 56, 60, 64, 68],  # ever less
        [0, 0, 30, 30, 30, 60, 60, 60, 90],  # few steps
        [0, 6, 12, 18, 24, 30, 36, 42, 48],  # little
    ],
)
def test_values_that_rise_otherwise_are_no_growth(heights: list[int]) -> None:
    even = [0, 15, 30, 45, 60, 75, 90, 105, 120]
    samples, times = line([GIB + even[number // 10] * MIB for number in range(90)])
    assert growth(samples, times, lambda one: one.rss) is not None
    samples, times = line([GIB + heights[number // 10] * MIB for number in range(90)])
    assert growth(samples, times, lambda one: one.rss) is None


def test_a_figure_that_is_sometimes_missing_is_left_out() -> None:
    samples, times = line([GIB + 3 * MIB * number for number in range(120)])
    found = growth(samples, times, lambda one: None if int(one.time) % 3 else one.rss)
    assert found is not None
    assert growth(samples, times, lambda _: None) is None


def bytes_of(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit]
