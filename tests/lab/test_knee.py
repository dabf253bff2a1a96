"""Which setting of a sweep is advised: over measured rows with noise, budgets, errors, and odd shapes."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.lab.knee import WITHIN, SweepRow, best, knee

SIZES = (1, 2, 4, 8, 16, 32)


def rows(*rates: float, peaks: tuple[int, ...] = ()) -> list[SweepRow]:
    peaks = peaks or tuple(100 + size for size in SIZES)
    return [
        SweepRow(size, texts_per_second=rate, peak=peak) for size, rate, peak in zip(SIZES, rates, peaks, strict=False)
    ]


def failed(row: SweepRow) -> SweepRow:
    error = WorkbenchError("out_of_memory")
    return SweepRow(row.setting, error=error.code, problem=error)


@pytest.mark.parametrize(
    ("rates", "fastest", "advised"),
    [
        ((10, 20, 30, 40, 50, 60), 32, 32),  # the more the better
        ((10, 20, 38.1, 39, 40, 39.5), 16, 4),  # it levels off
        ((10, 20, 37.9, 39, 40, 39.5), 16, 8),  # just outside of what is about as fast
        ((10, 30, 50, 30, 20, 10), 4, 4),  # a peak in the middle
        ((60, 50, 40, 30, 20, 10), 1, 1),  # company does harm
        ((10, 10, 10, 10, 10, 10), 1, 1),  # it makes no difference
        ((7,), 1, 1),
    ],
)
def test_the_smallest_that_is_about_as_fast_as_the_best(rates: tuple[float, ...], fastest: int, advised: int) -> None:
    assert (best(rows(*rates)), knee(rows(*rates))) == (fastest, advised)


def test_only_settings_within_the_budget_count() -> None:
    made = rows(10, 20, 30, 40, 50, 60)
    assert (best(made, 108), knee(made, 108)) == (8, 8)
    assert (best(made, 107), knee(made, 107)) == (4, 4)
    level = rows(10, 58, 59, 60, 90, 90)
    assert (best(level, 108), knee(level, 108)) == (8, 2), "of those within the budget"
    assert (best(made, 100), knee(made, 100)) == (None, None)


def test_memory_need_not_grow_with_the_setting() -> None:
    made = rows(10, 20, 30, 40, peaks=(100, 900, 100, 900))
    assert (best(made, 500), knee(made, 500)) == (4, 4)


def test_failed_settings_are_never_advised() -> None:
    made = rows(10, 20, 30, 40, 50, 60)
    made[3:] = [failed(made[3]), *(replace(one, error="sweep_skipped", texts_per_second=0) for one in made[4:])]
    assert (best(made), knee(made)) == (4, 4)
    assert (best(map(failed, made)), knee(list(map(failed, made)))) == (None, None)


def test_a_rate_beside_an_error_does_not_count() -> None:
    made = rows(10, 20, 30)
    made[2] = replace(made[2], error="out_of_memory")
    assert (best(made), knee(made)) == (2, 2)


def test_nothing_measured_is_no_advice() -> None:
    assert (best([]), knee([])) == (None, None)
    assert (best([SweepRow(4)]), knee([SweepRow(4)])) == (None, None)


def test_how_near_is_about_as_fast_can_be_said() -> None:
    made = rows(10, 20, 30, 40, 50, 60)
    assert (knee(made, within=0), knee(made, within=0.5), knee(made, within=1)) == (32, 4, 1)


@given(
    st.lists(st.tuples(st.floats(0.01, 1e4), st.integers(0, 1000)), min_size=1, max_size=8),
    st.integers(0, 1000) | st.none(),
)
def test_the_advice_is_within_the_promise(measured: list[tuple[float, int]], budget: int | None) -> None:
    """Within 10 % of the best throughput that was measured under the budget, whatever was measured."""
    made = [SweepRow(2**place, rate, peak=peak) for place, (rate, peak) in enumerate(measured)]
    usable = [one for one in made if not budget or one.peak <= budget]
    advised = knee(made, budget)
    assert (advised is None) == (not usable)
    if advised is None:
        return
    (row,) = [one for one in made if one.setting == advised]
    assert row in usable
    most = max(one.texts_per_second for one in usable)
    assert row.texts_per_second >= 0.9 * most
    assert all(one.texts_per_second < (1 - WITHIN) * most for one in usable if one.setting < advised)


@pytest.mark.parametrize("seed", range(20))
def test_noise_moves_the_advice_no_further_than_it_reaches(seed: int) -> None:
    """Of true rates that level off, and measurements up to 2 % off, the advice is truly within 10 % of the best."""
    draw = random.Random(seed)
    true = [40 * size / (size + 2) for size in SIZES]
    advised = knee(rows(*(rate * draw.uniform(0.98, 1.02) for rate in true)))
    assert advised is not None
    assert true[SIZES.index(advised)] >= 0.9 * max(true)
