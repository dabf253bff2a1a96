"""Two runs on one file: what changed, who is right, and whether it may be noise."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score

from engine.errors import WorkbenchError
from engine.jobs.types import Form, Job, JobSpec, RowResult
from engine.lab.compare import Comparison, compare_jobs, join_rows
from engine.types import FieldSpec

LABELS = ("a", "b", "c")
CLASSIFY = JobSpec("classify", ("text",), gold="gold", labels=LABELS)
EXTRACT = JobSpec("extract", ("text",), gold="gold", fields=(FieldSpec("人名"), FieldSpec("地名")))


def a_job(spec: JobSpec = CLASSIFY, name: str = "f.csv", **more: Any) -> Job:
    return Job(name, name, Path("f.csv"), Form("csv"), spec, more.pop("digest", "d"), "done", 0.0, **more)


def row(number: int, label: str | None, gold: Any = None, **more: Any) -> RowResult:
    scores = [{"label": one, "score": 1 / len(LABELS)} for one in LABELS]
    return RowResult(number, "", "t", {"label": label, "labels": scores}, gold=gold, **more)


def runs(gold: str, a: str, b: str) -> Comparison:
    """A comparison of rows given by one letter each; '-' chooses no label, in gold it is an empty cell."""

    def rows(chosen: str) -> list[RowResult]:
        return [
            row(n, None if one == "-" else one, None if right == "-" else right)
            for n, (one, right) in enumerate(zip(chosen, gold, strict=True))
        ]

    return compare_jobs(a_job(), rows(a), a_job(), rows(b))


def drawn(seed: int, rows: int, right_a: float, right_b: float) -> tuple[str, str, str]:
    draw = random.Random(seed)
    gold = "".join(draw.choice(LABELS) for _ in range(rows))
    a, b = (
        "".join(one if draw.random() < share else draw.choice(LABELS) for one in gold) for share in (right_a, right_b)
    )
    return gold, a, b


@pytest.mark.parametrize("seed", range(5))
def test_figures_equal_those_of_scikit_learn_and_scipy(seed: int) -> None:
    gold, a, b = drawn(seed, 150, 0.5, 0.6)
    shown = runs(gold, a, b)
    sides = [(list(gold), list(a)), (list(gold), list(b))]
    assert (shown.accuracy.a, shown.accuracy.b) == pytest.approx([accuracy_score(*side) for side in sides])
    assert (shown.f1.a, shown.f1.b) == pytest.approx([f1_score(*side, average="macro") for side in sides])
    assert shown.f1_kind == "macro"
    assert shown.kappa == pytest.approx(cohen_kappa_score(list(a), list(b)))
    assert shown.agreement == pytest.approx(sum(x == y for x, y in zip(a, b, strict=True)) / 150)
    only_a = sum(x == g != y for g, x, y in zip(gold, a, b, strict=True))
    only_b = sum(y == g != x for g, x, y in zip(gold, a, b, strict=True))
    assert (shown.only_a.count, shown.only_b.count) == (only_a, only_b)
    assert shown.both_right.count + only_a + only_b + shown.neither.count == shown.gold_rows == 150
    assert shown.p == pytest.approx(binomtest(only_a, only_a + only_b).pvalue)
    for difference in (shown.accuracy, shown.f1):
        assert difference.value == pytest.approx((difference.b or 0) - (difference.a or 0))
        assert difference.interval is not None
        assert difference.interval.low < difference.value < difference.interval.high
    assert runs(gold, a, b) == shown


def test_the_interval_of_a_difference_is_paired() -> None:
    """Two runs that agree but for a few rows differ by little, whatever each one's own interval is."""
    gold, a = "abc" * 100, "abb" * 100
    b = "abc" * 4 + a[12:]
    shown = runs(gold, a, b)
    assert shown.accuracy.interval is not None
    assert shown.accuracy.interval.high - shown.accuracy.interval.low < 0.03


def test_who_is_right_row_by_row() -> None:
    shown = runs("aaaa-a", "aabbaa", "abab--")
    assert shown.both_right.numbers == (0,)
    assert shown.only_a.numbers == (1, 5)
    assert shown.only_b.numbers == (2,)
    assert shown.neither.numbers == (3,)
    assert shown.gold_rows == 5
    assert shown.changed.numbers == (1, 2, 4, 5)


def test_transitions_are_counted_with_what_they_did() -> None:
    shown = runs("bbba", "aaab", "bbbb")
    (first,) = shown.transitions
    assert (first.field, first.old, first.new, first.count) == (None, ("a",), ("b",), 3)
    assert (first.numbers, first.better, first.worse) == ((0, 1, 2), 3, 0)
    none = runs("--", "a-", "-a").transitions
    assert {(one.old, one.new) for one in none} == {(("a",), ()), ((), ("a",))}


def test_many_transitions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.lab.compare_tally.MOST_TRANSITIONS", 2)
    shown = runs("aaaa", "aabb", "bcca")
    assert (len(shown.transitions), shown.more_transitions, shown.changed.count) == (2, 2, 4)


# Verdicts.


def test_the_same_answers_say_so() -> None:
    shown = runs("aab", "abb", "abb")
    assert (shown.verdict.code, shown.verdict.details) == ("verdict_same", {"rows": 3})
    assert (shown.p, shown.kappa, shown.agreement) == (1.0, 1.0, 1.0)


def test_a_clear_gain_and_a_clear_loss() -> None:
    gold, a = "a" * 40, "b" * 30 + "a" * 10
    better = runs(gold, a, "a" * 40)
    assert (better.verdict.code, better.p) == ("verdict_labels_better", pytest.approx(2 * 0.5**30))
    assert "p < 0.001" in better.verdict
    assert runs(gold, "a" * 40, a).verdict.code == "verdict_labels_worse"


def test_a_small_gain_may_be_noise() -> None:
    shown = runs("a" * 40, "a" * 20 + "b" * 20, "b" * 8 + "a" * 24 + "b" * 8)
    assert (shown.only_a.count, shown.only_b.count) == (8, 12)
    assert shown.verdict.code == "verdict_labels_noise"
    assert shown.accuracy.interval is not None
    assert shown.accuracy.interval.low < 0 < shown.accuracy.interval.high


def test_five_rows_are_too_few_whatever_they_say() -> None:
    assert runs("a" * 9, "b" * 5 + "a" * 4, "a" * 9).verdict.code == "verdict_few"
    assert runs("a" * 9, "b" * 6 + "a" * 3, "a" * 9).verdict.code == "verdict_labels_better"


def test_without_gold_nobody_is_right() -> None:
    shown = runs("---", "aba", "abb")
    assert (shown.verdict.code, shown.p, shown.gold_rows) == ("verdict_no_gold", None, 0)
    assert (shown.accuracy.a, shown.f1.b, shown.accuracy.interval) == (None, None, None)
    assert runs("", "", "").verdict.code == "verdict_no_rows"


# Rows that only one run has.


def test_rows_that_are_missing_or_failed_are_apart() -> None:
    error = WorkbenchError("text_empty")
    a = [row(0, "a"), row(1, "a"), row(2, "a", error=error), row(3, "a"), row(5, "a", error=error)]
    a.append(row(8, "a", error=error))
    b = [
        row(0, "a"),
        row(2, "a"),
        row(3, "a", error=error),
        row(4, "b"),
        row(5, "a", error=error),
        row(7, "b"),
        row(8, "a"),
    ]
    shown = compare_jobs(a_job(), iter(a), a_job(), iter(b))
    assert (shown.rows, shown.only_in_a, shown.only_in_b) == (1, 1, 2)
    assert (shown.failed_a, shown.failed_b, shown.failed_both) == (2, 1, 1)


def test_rows_are_joined_by_their_number() -> None:
    draw = random.Random(0)
    a, b = (sorted(draw.sample(range(60), 40)) for _ in range(2))
    joined = list(join_rows(iter([row(n, "a") for n in a]), iter([row(n, "b") for n in b])))
    numbers = [(one or other).number for one, other in joined if one or other]  # type: ignore[union-attr]
    assert numbers == sorted(set(a) | set(b))
    assert {one.number for one, other in joined if one and other} == set(a) & set(b)


def test_other_files_and_other_tasks_are_refused() -> None:
    with pytest.raises(WorkbenchError) as caught:
        compare_jobs(a_job(), [], a_job(digest="e"), [])
    assert caught.value.code == "compare_other_file"
    with pytest.raises(WorkbenchError) as caught:
        compare_jobs(a_job(), [], a_job(EXTRACT), [])
    assert caught.value.code == "compare_other_task"


# What counts as gold.


def test_gold_is_of_the_job_that_has_a_column() -> None:
    without = replace(CLASSIFY, gold="")
    a, b = [row(0, "a")], [row(0, "b", "b")]
    assert compare_jobs(a_job(without), a, a_job(), b).only_b.count == 1
    assert compare_jobs(a_job(), b, a_job(without), a).only_a.count == 1


def test_corrections_of_either_run_are_gold_where_no_job_has_a_column() -> None:
    spec = replace(CLASSIFY, gold="")
    right = {"label": "b", "labels": ["b"]}
    assert compare_jobs(a_job(spec), [row(0, "a", correction=right)], a_job(spec), [row(0, "b")]).only_b.count == 1
    assert compare_jobs(a_job(spec), [row(0, "a")], a_job(spec), [row(0, "b", correction=right)]).only_b.count == 1


def test_gold_that_cannot_be_read_is_counted_and_the_row_still_compared() -> None:
    shown = compare_jobs(a_job(), [row(0, "a", '["a"')], a_job(), [row(0, "b", '["a"')])
    assert (shown.unreadable, shown.gold_rows, shown.changed.count) == (1, 0, 1)


def test_labels_worded_otherwise_can_be_taken_for_the_same() -> None:
    words = replace(CLASSIFY, labels=("体育", "财经"))
    a, b = [row(0, "a", "a"), row(1, "b", "b")], [row(0, "体育", "a"), row(1, "财经", "b")]
    assert compare_jobs(a_job(), a, a_job(words), b).agreement == 0.0
    same = compare_jobs(a_job(), a, a_job(words), b, aliases={"体育": "a", "财经": "b"})
    assert (same.agreement, same.both_right.count) == (1.0, 2)


def test_several_labels_are_compared_as_sets() -> None:
    spec = replace(CLASSIFY, multi=True)

    def rows(*chosen: list[str]) -> list[RowResult]:
        return [
            RowResult(n, "", "t", {"label": None, "labels": [], "chosen": one}, gold=["a", "b"])
            for n, one in enumerate(chosen)
        ]

    shown = compare_jobs(a_job(spec), rows(["a", "b"], ["a"]), a_job(spec), rows(["b", "a"], ["a", "b"]))
    assert (shown.changed.numbers, shown.f1_kind) == ((1,), "micro")
    assert (shown.accuracy.a, shown.accuracy.b) == (0.5, 1.0)
    assert (shown.f1.a, shown.f1.b) == pytest.approx((6 / 7, 1.0))


# Values.


def values(number: int, gold: Any, **fields: list[tuple[int, int]]) -> RowResult:
    text = "甲乙丙丁戊己"
    found = {
        name: [{"text": text[start:end], "start": start, "end": end} for start, end in fields.get(name, ())]
        for name in ("人名", "地名")
    }
    return RowResult(number, "", text, {"fields": found}, gold=gold)


def test_values_are_compared_field_by_field() -> None:
    gold = [[0, 1, "人名"], [2, 4, "地名"]]
    a = [values(0, gold, 人名=[(0, 1)], 地名=[(2, 3)]), values(1, gold, 人名=[(0, 1)], 地名=[(2, 4)])]
    b = [values(0, gold, 人名=[(0, 1)], 地名=[(2, 4)]), values(1, gold, 人名=[(0, 1)], 地名=[(2, 4)])]
    shown = compare_jobs(a_job(EXTRACT), a, a_job(EXTRACT), b)
    assert [(one.field, one.old, one.new, one.better) for one in shown.transitions] == [("地名", ("丙",), ("丙丁",), 1)]
    assert (shown.only_b.count, shown.both_right.count, shown.kappa) == (1, 1, None)
    assert (shown.f1_kind, shown.f1.a, shown.f1.b) == ("exact", pytest.approx(0.75), 1.0)


def test_verdicts_of_values_follow_the_interval_of_their_f1() -> None:
    gold = [[0, 1, "人名"]]
    right, wrong = {"人名": [(0, 1)]}, {"人名": [(1, 2)]}

    def rows(*kinds: bool) -> list[RowResult]:
        return [values(n, gold, **(right if kind else wrong)) for n, kind in enumerate(kinds)]

    half = [n % 2 == 0 for n in range(40)]
    better = compare_jobs(a_job(EXTRACT), rows(*half), a_job(EXTRACT), rows(*[True] * 40))
    assert better.verdict.code == "verdict_spans_better"
    worse = compare_jobs(a_job(EXTRACT), rows(*[True] * 40), a_job(EXTRACT), rows(*half))
    assert worse.verdict.code == "verdict_spans_worse"
    noise = compare_jobs(a_job(EXTRACT), rows(*half), a_job(EXTRACT), rows(*half[1:], True))
    assert noise.verdict.code == "verdict_spans_noise"
    touching = compare_jobs(a_job(EXTRACT), rows(False, *[True] * 39), a_job(EXTRACT), rows(*[True] * 40))
    assert touching.f1.interval is not None
    assert (touching.f1.interval.low, touching.verdict.code) == (0.0, "verdict_spans_noise")
    one = compare_jobs(a_job(EXTRACT), rows(True), a_job(EXTRACT), rows(False))
    assert one.verdict.code == "verdict_unmeasured"


def test_fields_of_one_job_alone_are_a_difference_and_not_a_fault() -> None:
    more = replace(EXTRACT, fields=(*EXTRACT.fields, FieldSpec("职务")))
    gold = {"人名": ["甲"], "职务": ["乙"]}
    shown = compare_jobs(
        a_job(EXTRACT), [values(0, gold, 人名=[(0, 1)])], a_job(more), [values(0, gold, 人名=[(0, 1)])]
    )
    assert shown.both_right.count == 1
    assert [(one.part.code, one.a, one.b) for one in shown.differences] == [("spec_fields", "", "职务")]


# What was asked otherwise.


def test_differences_of_specs_and_models() -> None:
    model = {"name": "m", "revision": "r1", "precision": "fp32", "device": "cpu"}
    b = replace(CLASSIFY, labels=("a", "b", "d,e"), threshold=0.3, multi=True, columns=("text", "title"))
    shown = compare_jobs(
        a_job(model=model), [], a_job(b, model=model | {"precision": "int8", "revision": "r2"}), []
    ).differences
    assert {one.part.code: (str(one.a), str(one.b)) for one in shown} == {
        "spec_labels": ("c", '"d,e"'),
        "spec_threshold": ("", "0.3"),
        "spec_several": ("no", "yes"),
        "spec_columns": ("text", "text, title"),
        "spec_revision": ("r1", "r2"),
        "spec_precision": ("fp32", "int8"),
    }


def test_the_order_of_labels_and_the_wording_of_fields_are_differences() -> None:
    turned = replace(CLASSIFY, labels=LABELS[::-1])
    (order,) = compare_jobs(a_job(), [], a_job(turned), []).differences
    assert (order.part.code, order.a, order.b) == ("spec_order", "a,b,c", "c,b,a")
    worded = replace(
        EXTRACT, fields=(FieldSpec("人名", asked=("人物", "姓名")), FieldSpec("地名", type="list", options=("甲",)))
    )
    shown = compare_jobs(a_job(EXTRACT), [], a_job(worded), []).differences
    assert [(one.part.details["name"], one.a, one.b) for one in shown] == [
        ("人名", "人名", "人物,姓名"),
        ("地名", "地名", "地名 · list · 甲"),
    ]
    assert compare_jobs(a_job(), [], a_job(), []).differences == ()
