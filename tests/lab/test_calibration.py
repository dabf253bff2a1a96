"""Bins, errors and thresholds of probabilities, against a plain computation."""

import random

import pytest

from engine.lab.calibration import BINS, Decisions, best_point


def counted(decisions: list[tuple[float, bool]]) -> Decisions:
    found = Decisions()
    for share, right in decisions:
        found.add(share, right)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_bins_and_their_error(seed: int) -> None:
    draw = random.Random(seed)
    decisions = [(draw.choice([draw.random(), 0.0, 1.0, 0.95]), draw.random() < 0.4) for _ in range(300)]
    shown = counted(decisions).calibration()
    assert shown.count == 300
    error = 0.0
    for at, one in enumerate(shown.bins):
        inside = [(share, right) for share, right in decisions if min(int(share * BINS), BINS - 1) == at]
        assert one.count == len(inside)
        if not inside:
            assert (one.probability, one.right) == (None, None)
            continue
        assert one.probability == pytest.approx(sum(share for share, _ in inside) / len(inside))
        assert one.right == pytest.approx(sum(right for _, right in inside) / len(inside))
        assert one.low - 1e-9 <= one.probability <= one.high + 1e-9
        error += abs(one.probability - one.right) * len(inside) / 300
    assert shown.error == pytest.approx(error)
    assert shown.brier == pytest.approx(sum((share - right) ** 2 for share, right in decisions) / 300)


def test_a_threshold_counts_what_reaches_it() -> None:
    draw = random.Random(2)
    decisions = [(draw.choice([draw.random(), 0.29, 0.57, 1.0, 0.0]), draw.random() < 0.5) for _ in range(200)]
    for point in counted(decisions).curve(gold=120):
        kept = [right for share, right in decisions if share >= point.threshold]
        assert point.coverage == pytest.approx(len(kept) / 200)
        assert point.precision == (pytest.approx(sum(kept) / len(kept)) if kept else None)
        assert point.recall == pytest.approx(sum(kept) / 120)
        assert point.f1 == pytest.approx(2 * sum(kept) / (len(kept) + 120))


def test_nothing_counted_is_no_number() -> None:
    none = Decisions()
    assert (none.calibration().count, none.calibration().error, none.calibration().brier) == (0, None, None)
    curve = none.curve(gold=0)
    assert [point for point in curve if (point.coverage, point.precision, point.f1) != (None, None, None)] == []
    assert best_point(curve) is None


def test_a_perfect_run_has_no_error_and_its_best_threshold_is_the_lowest() -> None:
    sure = counted([(1.0, True)] * 5)
    assert (sure.calibration().error, sure.calibration().brier) == (0.0, 0.0)
    best = best_point(sure.curve(gold=5))
    assert best is not None
    assert (best.threshold, best.f1) == (0.0, 1.0)


def test_more_decisions_than_are_held_at_once_count_alike() -> None:
    draw = random.Random(1)
    decisions = [(draw.random(), draw.random() < 0.5) for _ in range(1000)] * 120
    few, many = counted(decisions[:1000]).calibration(), counted(decisions).calibration()
    assert many.count == 120_000
    assert many.error == pytest.approx(few.error)
    assert many.brier == pytest.approx(few.brier)


def test_a_rounding_error_outside_the_range_is_taken_for_its_end() -> None:
    shown = counted([(1.0000001, True), (-1e-9, False)]).calibration()
    assert (shown.bins[0].count, shown.bins[-1].count, shown.brier) == (1, 1, 0.0)
