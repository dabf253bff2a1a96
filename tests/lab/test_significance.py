"""McNemar's test, kappa and intervals, against scipy, scikit-learn and resampling row by row."""

import random

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score, f1_score

from engine.lab.bootstrap import MOST_PATTERNS, Patterns, divide, f1_of, interval, macro_f1_of
from engine.lab.evaluate import evaluate_labels
from engine.lab.pairs import LabelPair
from engine.lab.significance import kappa, mcnemar


@pytest.mark.parametrize(
    ("first", "second"),
    [(0, 0), (0, 1), (1, 0), (0, 6), (5, 5), (3, 12), (40, 60), (499, 501), (499, 502), (510, 700), (30_000, 31_000)],
)
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    total = first + second
    expected = binomtest(first, total, 0.5).pvalue if total else 1.0
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-8)
    assert mcnemar(second, first) == mcnemar(first, second)


def test_mcnemar_of_very_many_rows_is_a_probability() -> None:
    assert mcnemar(500_000, 500_000) == pytest.approx(1.0)
    assert mcnemar(100, 900_000) == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_kappa_equals_scikit_learn(seed: int) -> None:
    draw = random.Random(seed)
    pairs = [(one := draw.choice("abc"), one if draw.random() < 0.6 else draw.choice("abcd")) for _ in range(150)]
    counts = {pair: pairs.count(pair) for pair in set(pairs)}
    expected = cohen_kappa_score([one for one, _ in pairs], [other for _, other in pairs])
    assert kappa(counts) == pytest.approx(expected)


def test_kappa_is_unknown_where_chance_agrees_always() -> None:
    assert kappa({("a", "a"): 9}) is None
    assert kappa({}) is None
    assert kappa({("a", "b"): 5, ("b", "a"): 5}) == pytest.approx(-1.0)


def test_the_interval_is_the_bootstrap_of_rows() -> None:
    """Against drawing rows one by one: the same distribution, so nearly the same percentiles."""
    draw = np.random.default_rng(0)
    gold, chosen = draw.integers(0, 3, 300), draw.integers(0, 3, 300)
    chosen = np.where(draw.random(300) < 0.6, gold, chosen)
    shown = evaluate_labels(
        [LabelPair(n, (str(g),), (str(c),)) for n, (g, c) in enumerate(zip(gold, chosen, strict=True))], "012"
    )
    picks = draw.integers(0, 300, (400, 300))
    accuracy = np.percentile([(gold[pick] == chosen[pick]).mean() for pick in picks], [2.5, 97.5])
    macro = np.percentile([f1_score(gold[pick], chosen[pick], average="macro") for pick in picks], [2.5, 97.5])
    assert shown.accuracy.interval is not None
    assert shown.macro_f1.interval is not None
    assert [shown.accuracy.interval.low, shown.accuracy.interval.high] == pytest.approx(list(accuracy), abs=0.015)
    assert [shown.macro_f1.interval.low, shown.macro_f1.interval.high] == pytest.approx(list(macro), abs=0.015)


def test_an_interval_is_the_same_for_the_same_seed_alone() -> None:
    weights, columns = np.array([3000, 2001]), np.array([[1.0, 1.0], [0.0, 1.0]])

    def shown(seed: int) -> object:
        return interval(weights, columns, lambda sums: divide(sums[:, 0], sums[:, 1]), seed=seed)

    assert shown(0) == shown(0)
    assert shown(0) != shown(1)


def test_a_run_without_faults_has_an_interval_without_width() -> None:
    found: Patterns[tuple[int, int, int]] = Patterns()
    for _ in range(10):
        found.add((1, 0, 0))
    shown = found.interval(lambda row: row, f1_of)
    assert shown is not None
    assert (shown.low, shown.high) == (1.0, 1.0)


def test_too_few_or_too_many_different_rows_have_no_interval() -> None:
    one: Patterns[tuple[int, int, int]] = Patterns()
    assert one.interval(lambda row: row, f1_of) is None
    one.add((1, 0, 0))
    assert one.interval(lambda row: row, f1_of) is None
    many: Patterns[int] = Patterns()
    for number in range(MOST_PATTERNS + 1):
        many.add(number)
    assert (len(many.counts), many.full) == (MOST_PATTERNS, True)
    assert many.interval(lambda row: (row, 0, 0), f1_of) is None


def test_sums_that_are_too_many_are_not_even_gathered() -> None:
    """Of thousands of labels and of different rows they would take gigabytes, for an interval that is left out."""
    many: Patterns[int] = Patterns()
    for number in range(MOST_PATTERNS):
        many.add(number)
    asked = []

    def additive(row: int) -> np.ndarray:
        asked.append(row)
        return np.zeros(3 * 1200)

    assert many.interval(additive, macro_f1_of) is None
    assert len(asked) == 1


def test_a_draw_without_a_value_is_left_out() -> None:
    nothing: Patterns[tuple[int, int, int]] = Patterns()
    for _ in range(3):
        nothing.add((0, 0, 0))
    assert nothing.interval(lambda row: row, f1_of) is None
    assert np.isnan(macro_f1_of(np.zeros((1, 6)))).all()
    assert macro_f1_of(np.array([[2.0, 1, 1, 0, 0, 0]]))[0] == pytest.approx(2 / 3)
