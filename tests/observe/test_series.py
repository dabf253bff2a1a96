"""Rings are bounded, and a window holds what lies in it."""

import threading
from dataclasses import dataclass

import pytest

from engine.observe.series import MARKERS, REQUESTS, SAMPLES, Series, markers_ring, requests_ring, samples_ring
from engine.settings import Settings


@dataclass(frozen=True)
class At:
    time: float


def series(*times: float, most: int = 5) -> Series[At]:
    made = Series[At](most)
    for time in times:
        made.add(At(time))
    return made


def test_the_oldest_go_first() -> None:
    made = series(*range(12))
    assert len(made) == 5
    assert [item.time for item in made.last(1000, now=12)] == [7, 8, 9, 10, 11]
    assert made.added == 12
    assert made.newest() == At(11)


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, [4]), (1, [3, 4]), (2.5, [2, 3, 4]), (1e9, [1, 2, 3, 4]), (-1, [])]
)
def test_a_window(seconds: float, expected: list[float]) -> None:
    assert [item.time for item in series(1, 2, 3, 4).last(seconds, now=4)] == expected


def test_nothing_was_added() -> None:
    assert series().last(60) == ()
    assert series().newest() is None
    assert len(series()) == 0


def test_what_is_far_in_the_past_is_in_no_window_of_now() -> None:
    assert series(1, 2, 3).last(60) == ()


def test_a_clock_that_was_put_back_loses_nothing() -> None:
    assert [item.time for item in series(100, 101, 50, 51).last(10, now=51)] == [100, 101, 50, 51]


def test_half_an_hour_at_the_shortest_period_fits() -> None:
    shortest = next(part.ge for part in Settings.model_fields["sample_seconds"].metadata if hasattr(part, "ge"))
    assert shortest * SAMPLES >= 1800
    made = samples_ring()
    for number in range(SAMPLES + 10):
        made.add(At(number))  # type: ignore[arg-type]
    assert len(made) == SAMPLES
    assert (requests_ring()._items.maxlen, markers_ring()._items.maxlen) == (REQUESTS, MARKERS)


def test_readers_and_writers_at_once() -> None:
    made, wrong = Series[At](100), []

    def write() -> None:
        for number in range(3000):
            made.add(At(number))

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        times = [item.time for item in made.last(1e9)]
        if times != sorted(times) or len(times) > 100:
            wrong.append(times)
    writer.join()
    assert wrong == []
    assert len(made) == 100
