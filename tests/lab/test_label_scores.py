"""Figures of classifications are those of scikit-learn, and say what it cannot: none chosen, names outside the set."""

import random
from dataclasses import fields

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    precision_recall_fscore_support,
)
from sklearn.preprocessing import MultiLabelBinarizer

from engine.lab.evaluate import evaluate_labels
from engine.lab.label_rows import MOST_OUTSIDE, OTHERS
from engine.lab.label_scores import LabelEvaluation
from engine.lab.pairs import LabelPair

LABELS = ("体育", "财经", "科技", "never")
NONE = "(none)"


def single_rows(seed: int, rows: int, *, none: float = 0.1, outside: float = 0.1) -> list[LabelPair]:
    """Random rows; `never` is never chosen, and gold may be none or outside the set."""
    draw = random.Random(seed)
    found = []
    for number in range(rows):
        shares = [draw.random() for _ in LABELS[:3]]
        scores = dict(zip(LABELS, [share / sum(shares) for share in shares] + [0.0], strict=True))
        best = max(scores, key=lambda label: scores[label])
        chosen = () if draw.random() < none else (best,)
        what = draw.random()
        gold = () if what < none else ("外",) if what < none + outside else (draw.choice([*LABELS, best]),)
        found.append(LabelPair(number, gold, chosen, scores))
    return found


def one(names: tuple[str, ...]) -> str:
    return names[0] if names else NONE


def assert_figures(shown: LabelEvaluation, gold: object, chosen: object, names: list[str]) -> None:
    """Against scikit-learn's, over the names that occur."""
    precision, recall, f1, support = precision_recall_fscore_support(gold, chosen, labels=names, zero_division=0)
    by_name = {figures.label: figures.counts for figures in shown.labels}
    for at, name in enumerate(names):
        counts = by_name[name]
        assert (counts.precision or 0.0) == pytest.approx(precision[at])
        assert (counts.recall or 0.0) == pytest.approx(recall[at])
        assert (counts.f1 or 0.0) == pytest.approx(f1[at])
        assert counts.support == support[at]
    for average, value in (
        ("macro", shown.macro_f1.value),
        ("micro", shown.micro_f1.value),
        ("weighted", shown.weighted_f1),
    ):
        assert value == pytest.approx(f1_score(gold, chosen, labels=names, average=average, zero_division=0)), average
    macro = precision_recall_fscore_support(gold, chosen, labels=names, average="macro", zero_division=0)
    assert (shown.macro_precision, shown.macro_recall) == (pytest.approx(macro[0]), pytest.approx(macro[1]))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("none", "outside"), [(0.0, 0.0), (0.2, 0.0), (0.15, 0.15)])
def test_a_single_choice_equals_scikit_learn(seed: int, none: float, outside: float) -> None:
    rows = single_rows(seed, 120, none=none, outside=outside)
    shown = evaluate_labels(iter(rows), LABELS)
    gold, chosen = [one(row.gold) for row in rows], [one(row.chosen) for row in rows]
    assert shown.rows == len(rows)
    assert shown.accuracy.value == pytest.approx(accuracy_score(gold, chosen))
    names = [name for name in (*LABELS, "外") if name in gold or name in chosen]
    assert_figures(shown, gold, chosen, names)


@pytest.mark.parametrize("seed", range(4))
def test_the_confusion_matrix_equals_scikit_learn_and_knows_its_rows(seed: int) -> None:
    rows = single_rows(seed, 150)
    shown = evaluate_labels(rows, LABELS)
    golds, chosen = shown.axes()
    assert golds == (*LABELS, "外", None)
    assert chosen == (*LABELS, None)
    names = [NONE if name is None else name for name in (*LABELS, "外", None)]
    theirs = confusion_matrix([one(row.gold) for row in rows], [one(row.chosen) for row in rows], labels=names)
    ours = np.zeros_like(theirs)
    for cell in shown.cells:
        at = (names.index(cell.gold or NONE), names.index(cell.chosen or NONE))
        ours[at] = cell.count
        behind = [row.number for row in rows if (one(row.gold), one(row.chosen)) == (names[at[0]], names[at[1]])]
        assert list(cell.numbers) == behind[:50]
    assert (ours == theirs).all()


@pytest.mark.parametrize("seed", range(8))
def test_several_labels_equal_scikit_learn(seed: int) -> None:
    draw = random.Random(seed)
    names = [*LABELS, "外"]
    rows = []
    for number in range(100):
        scores = {label: draw.random() for label in LABELS}
        gold = tuple(name for name in names if draw.random() < 0.3)
        chosen = tuple(label for label in LABELS[:3] if draw.random() < (0.0 if seed == 0 else 0.4))
        rows.append(LabelPair(number, gold, chosen, scores))
    shown = evaluate_labels(rows, LABELS, multi=True)
    binary = MultiLabelBinarizer(classes=names).fit([])
    gold, chosen = binary.transform([row.gold for row in rows]), binary.transform([row.chosen for row in rows])
    assert shown.accuracy.value == pytest.approx(accuracy_score(gold, chosen))
    assert shown.cells == ()
    by_name = {figures.label: figures.counts for figures in shown.labels}
    precision, recall, f1, support = precision_recall_fscore_support(gold, chosen, zero_division=0)
    for at, name in enumerate(names):
        counts = by_name[name]
        found = (counts.precision or 0, counts.recall or 0, counts.f1 or 0, counts.support)
        assert found == pytest.approx((precision[at], recall[at], f1[at], support[at]))
    assert shown.micro_f1.value == pytest.approx(f1_score(gold, chosen, average="micro", zero_division=0))
    assert shown.macro_f1.value == pytest.approx(f1_score(gold, chosen, average="macro", zero_division=0))
    flat = np.array([[label in row.gold for label in LABELS] for row in rows]).ravel()
    shares = np.array([[row.scores[label] for label in LABELS] for row in rows]).ravel()
    assert shown.calibration.brier == pytest.approx(brier_score_loss(flat, shares))
    point = shown.curve[30]
    above = [[label for label in LABELS if row.scores[label] >= 0.3] for row in rows]
    then = binary.transform(above)
    micro = precision_recall_fscore_support(gold, then, average="micro", zero_division=0)
    assert (point.threshold, point.precision, point.recall, point.f1) == pytest.approx((0.3, *micro[:3]))
    assert shown.best is not None
    assert shown.best.f1 == max(point.f1 for point in shown.curve if point.f1 is not None)


@pytest.mark.parametrize("seed", range(4))
def test_brier_scores_equal_scikit_learn(seed: int) -> None:
    rows = single_rows(seed, 200, none=0.0, outside=0.2 if seed % 2 else 0.0)
    shown = evaluate_labels(rows, LABELS)
    best = [max(row.scores, key=lambda label: row.scores[label]) for row in rows]
    right = [name in row.gold for name, row in zip(best, rows, strict=True)]
    shares = [row.scores[name] for name, row in zip(best, rows, strict=True)]
    assert shown.calibration.brier == pytest.approx(brier_score_loss(right, shares))
    names = sorted((*LABELS, "外"))
    matrix = np.array([[row.scores.get(name, 0.0) for name in names] for row in rows])
    whole = brier_score_loss([row.gold[0] for row in rows], matrix, labels=names, scale_by_half=False)
    assert shown.brier == pytest.approx(whole)


def test_nothing_predicted_is_no_number() -> None:
    shown = evaluate_labels([LabelPair(0, ("a",), ()), LabelPair(1, ("b",), ())], ["a", "b", "c"])
    a, _, c = (figures.counts for figures in shown.labels)
    assert (a.precision, a.recall, a.f1) == (None, 0.0, 0.0)
    assert (c.precision, c.recall, c.f1) == (None, None, None)
    assert shown.accuracy.value == 0.0
    assert shown.macro_f1.value == 0.0
    assert shown.brier is None
    assert shown.unscored == 2


def test_no_rows_have_no_figures() -> None:
    shown = evaluate_labels([], LABELS)
    assert (shown.rows, shown.accuracy.value, shown.accuracy.interval, shown.macro_f1.value) == (0, None, None, None)
    assert [figures.label for figures in shown.labels] == list(LABELS)
    assert all(point.coverage is None and point.precision is None for point in shown.curve)


def test_none_of_these_is_right_where_gold_says_so() -> None:
    shown = evaluate_labels([LabelPair(0, (), ()), LabelPair(1, (), ("a",)), LabelPair(2, ("a",), ("a",))], ["a"])
    assert shown.accuracy.value == pytest.approx(2 / 3)
    assert {(cell.gold, cell.chosen): cell.count for cell in shown.cells} == {
        (None, None): 1,
        (None, "a"): 1,
        ("a", "a"): 1,
    }


def test_a_single_choice_is_right_with_any_of_several_gold_labels() -> None:
    shown = evaluate_labels([LabelPair(0, ("a", "b"), ("b",)), LabelPair(1, ("a", "b"), ("c",))], ["a", "b", "c"])
    assert shown.several_gold == 2
    assert (shown.micro.tp, shown.micro.fp, shown.micro.fn) == (1, 1, 1)
    assert shown.accuracy.value == 0.5
    assert {(cell.gold, cell.chosen) for cell in shown.cells} == {("b", "b"), ("a", "c")}


def test_gold_labels_outside_the_set_are_shown_and_bounded() -> None:
    rows = [LabelPair(number, (f"id-{number}",), ("a",)) for number in range(MOST_OUTSIDE + 60)]
    shown = evaluate_labels(rows, ["a"])
    outside = [figures for figures in shown.labels if not figures.known]
    assert len(outside) == MOST_OUTSIDE + 1
    assert (outside[0].label, outside[0].counts.support, outside[0].missed) == ("id-0", 1, (0,))
    assert (outside[-1].label, outside[-1].counts.support) == (OTHERS, 60)
    assert shown.accuracy.value == 0.0


def test_rows_behind_a_label_are_the_first_fifty() -> None:
    rows = [LabelPair(number, ("b",), ("a",)) for number in range(70)]
    a, b = evaluate_labels(rows, ["a", "b"]).labels
    assert (a.wrong, a.missed) == (tuple(range(50)), ())
    assert (b.wrong, b.missed) == ((), tuple(range(50)))
    assert (a.counts.fp, b.counts.fn) == (70, 70)


def test_the_threshold_curve_of_a_single_choice_is_coverage_and_accuracy() -> None:
    scored = [(0.9, True), (0.8, True), (0.6, False), (0.55, True), (0.3, False)]
    rows = [
        LabelPair(number, ("a",) if right else ("b",), ("a",), {"a": share, "b": share / 2})
        for number, (share, right) in enumerate(scored)
    ]
    curve = {round(point.threshold, 2): point for point in evaluate_labels(rows, ["a", "b"]).curve}
    assert (curve[0.0].coverage, curve[0.0].precision) == (1.0, pytest.approx(3 / 5))
    assert (curve[0.55].coverage, curve[0.55].precision) == (pytest.approx(4 / 5), pytest.approx(3 / 4))
    assert (curve[0.56].coverage, curve[0.56].precision) == (pytest.approx(3 / 5), pytest.approx(2 / 3))
    assert (curve[0.91].coverage, curve[0.91].precision) == (0.0, None)


def test_the_same_rows_give_the_same_figures() -> None:
    rows = single_rows(3, 200)
    first, second = evaluate_labels(rows, LABELS), evaluate_labels(iter(rows), LABELS)
    for one_field in fields(first):
        assert getattr(first, one_field.name) == getattr(second, one_field.name), one_field.name
    assert evaluate_labels(rows, LABELS, seed=1).accuracy.interval != first.accuracy.interval
