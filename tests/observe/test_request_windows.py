"""Percentiles, rates and shares of a window of requests."""

import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from observe.records import record

from engine.observe.windows import (
    Latency,
    cache_rate,
    grounded_rate,
    length_bucket,
    look,
    percentile,
    queue_p95,
    summary,
    warmed,
)

TIMES = st.lists(st.floats(0, 1e6), min_size=1, max_size=60)


def test_latencies_by_task() -> None:
    records = [record(latency_ms=float(ms)) for ms in range(1, 101)]
    records += [record(task="extract", latency_ms=7.0)]
    got = summary(records, lambda one: one.task)
    assert list(got) == ["classify", "extract"]
    assert got["classify"] == Latency(100, 50.5, pytest.approx(95.05), pytest.approx(99.01), 50.5)
    assert got["extract"] == Latency(1, 7.0, 7.0, 7.0, 7.0)
    assert summary([], lambda one: one.task) == {}


@pytest.mark.parametrize(
    ("characters", "bucket"),
    [(0, "short"), (200, "short"), (201, "medium"), (1000, "medium"), (1001, "long"), (10**7, "long")],
)
def test_lengths_have_names(characters: int, bucket: str) -> None:
    assert length_bucket(characters) == bucket


@given(TIMES, st.floats(0, 1))
def test_percentiles_are_numpy_s(times: list[float], share: float) -> None:
    assert percentile(sorted(times), share) == pytest.approx(float(np.quantile(times, share)), rel=1e-6, abs=1e-6)


@given(TIMES, st.randoms())
def test_latencies_lie_in_order_whatever_the_order_of_requests(times: list[float], shuffle: random.Random) -> None:
    records = [record(latency_ms=one) for one in times]
    got = summary(records, lambda _: "all")["all"]
    shuffle.shuffle(records)
    assert summary(records, lambda _: "all")["all"] == got
    assert min(times) <= got.p50 <= got.p95 <= got.p99 <= max(times)
    assert got.count == len(times)
    assert got.mean == pytest.approx(statistics.fmean(times))


def test_first_requests_kept_answers_and_errors_are_no_latency_of_the_model() -> None:
    records = [
        record(latency_ms=9000.0, warm=False),
        record(latency_ms=8000.0, warm=False, task="extract", characters=5000),
        record(latency_ms=0.1, cached=True),
        record(latency_ms=0.3, cached=True),
        record(latency_ms=70_000.0, error="out_of_memory"),
        record(latency_ms=30.0, characters=201),
        record(latency_ms=20.0),
    ]
    window = look(records, 10.0)
    assert [one.latency_ms for one in warmed(records)] == [30.0, 20.0]
    assert window.by_task == {"classify": Latency(2, 25.0, pytest.approx(29.5), pytest.approx(29.9), 25.0)}
    assert {name: one.p50 for name, one in window.by_length.items()} == {"medium": 30.0, "short": 20.0}
    assert {name: one.p50 for name, one in window.cold.items()} == {"classify": 9000.0, "extract": 8000.0}
    assert window.cached is not None
    assert (window.cached.count, window.cached.p50) == (2, pytest.approx(0.2))
    assert window.failed == 1


def test_rates_are_of_the_whole_window() -> None:
    records = [record(prompt_tokens=100, output_tokens=10) for _ in range(6)]
    records += [record(cached=True, prompt_tokens=100), record(error="cancelled", prompt_tokens=100)]
    window = look(records, 4.0)
    assert window.requests_per_second == 7 / 4
    assert window.tokens_per_second == 6 * 110 / 4
    assert window.failed == 0
    assert look(records, 8.0).requests_per_second == 7 / 8


def test_an_empty_window_says_nothing() -> None:
    window = look([], 60.0)
    assert (window.by_task, window.by_length, window.cold, window.cached) == ({}, {}, {}, None)
    assert (window.requests_per_second, window.tokens_per_second, window.failed) == (0, 0, 0)
    assert (window.queue_p95, window.cache_rate, window.grounded_rate) == (None, None, None)
    assert look([record()], 0.0).requests_per_second > 0  # a window of no length divides by nothing


def test_waits_and_hits_are_of_requests_asked_one_by_one() -> None:
    batch = [record(batch=True, queue_ms=60_000.0, together=8) for _ in range(50)]
    single = [record(queue_ms=float(ms)) for ms in range(101)]
    assert queue_p95(batch + single) == pytest.approx(95.0)
    assert queue_p95(batch) is None
    assert cache_rate([*batch, record(cached=True), record(), record(), record(error="internal")]) == pytest.approx(
        1 / 3
    )
    assert cache_rate(batch) is None


def test_grounded_values_are_of_computed_answers() -> None:
    records = [
        record(task="extract", values=8, grounded=8),
        record(task="extract", values=2, grounded=1),
        record(task="extract", values=100, grounded=0, cached=True),
        record(),
    ]
    assert grounded_rate(records) == 0.9
    assert grounded_rate([record()]) is None
