"""Rows of a job become pairs: what counts as gold and as answer, and what is left out is counted."""

import random
from typing import Any

import pytest

from engine.errors import WorkbenchError
from engine.jobs.gold import GoldSpan, differs, read_gold
from engine.jobs.types import JobSpec, RowResult
from engine.lab.evaluate import evaluate_job, summary_lines
from engine.lab.job_pairs import RowCounts, label_pairs, span_pairs
from engine.types import FieldSpec

LABELS = ("体育", "财经")
CLASSIFY = JobSpec("classify", ("text",), gold="gold", labels=LABELS)
EXTRACT = JobSpec("extract", ("text",), gold="gold", fields=(FieldSpec("人名"), FieldSpec("地名")))


def classified(number: int, label: str | None, gold: Any = None, **more: Any) -> RowResult:
    """A row of a single choice."""
    scores = [{"label": one, "score": 0.8 if one == label else 0.2} for one in LABELS]
    return RowResult(number, "", "文本", {"label": label, "labels": scores}, gold=gold, **more)


def extracted(number: int, text: str, fields: dict[str, Any], gold: Any = None, **more: Any) -> RowResult:
    """A row with values."""
    return RowResult(number, "", text, {"fields": fields}, gold=gold, **more)


def failed(number: int, gold: Any = None) -> RowResult:
    return RowResult(number, "", "", {}, error=WorkbenchError("text_empty"), gold=gold)


def test_rows_that_make_no_pair_are_counted_by_why() -> None:
    rows = [
        classified(0, "体育", "体育"),
        classified(1, "体育", ""),
        classified(2, "体育", None),
        failed(3, "体育"),
        classified(4, "财经", '["体育"'),
        classified(5, "财经", "体育"),
    ]
    shown = evaluate_job(CLASSIFY, iter(rows))
    counts = shown.counts
    assert (counts.rows, counts.evaluated, counts.failed, counts.no_gold, counts.unreadable) == (6, 2, 1, 2, 1)
    assert [(number, error.code) for number, error in counts.problems] == [(4, "gold_unreadable")]
    assert shown.labels is not None
    assert shown.labels.accuracy.value == 0.5
    assert (shown.source, shown.spans) == ("gold", None)


def test_with_a_gold_column_the_models_own_answer_is_judged() -> None:
    rows = [
        classified(0, "体育", "财经", correction={"label": "财经", "labels": ["财经"]}),
        classified(1, "财经", "财经"),
    ]
    own, corrected = evaluate_job(CLASSIFY, rows), evaluate_job(CLASSIFY, rows, corrected=True)
    assert own.labels is not None
    assert corrected.labels is not None
    assert (own.labels.accuracy.value, corrected.labels.accuracy.value) == (0.5, 1.0)


def test_a_failed_row_that_was_corrected_has_an_answer_only_where_corrections_count() -> None:
    row = RowResult(
        0, "", "", {}, error=WorkbenchError("internal", kind="x"), gold="体育", correction={"label": "体育"}
    )
    assert evaluate_job(CLASSIFY, [row]).counts.failed == 1
    assert evaluate_job(CLASSIFY, [row], corrected=True).counts.evaluated == 1


def test_without_a_gold_column_corrections_are_gold() -> None:
    spec = JobSpec("classify", ("text",), labels=LABELS)
    rows = [
        classified(0, "体育"),
        classified(1, "体育", correction={"label": "财经", "labels": ["财经"]}),
        classified(2, "财经", correction={"label": "财经", "labels": ["财经"]}),
        classified(3, "财经", correction={"label": None, "labels": []}),
    ]
    shown = evaluate_job(spec, rows)
    assert (shown.source, shown.counts.evaluated, shown.counts.no_gold) == ("corrections", 3, 1)
    assert shown.labels is not None
    assert shown.labels.accuracy.value == pytest.approx(1 / 3)


def test_a_gold_label_with_a_separator_is_one_label_of_the_set() -> None:
    spec = JobSpec("classify", ("text",), gold="gold", labels=("食品,饮料", "酒"))
    row = RowResult(0, "", "x", {"label": "食品,饮料", "labels": []}, gold="食品,饮料")
    shown = evaluate_job(spec, [row]).labels
    assert shown is not None
    assert (shown.accuracy.value, shown.several_gold) == (1.0, 0)


def test_several_labels_are_judged_as_sets() -> None:
    spec = JobSpec("classify", ("text",), gold="gold", labels=LABELS, multi=True)
    body = {"label": "体育", "labels": [{"label": "体育", "score": 0.9}], "chosen": ["体育", "财经"]}
    shown = evaluate_job(spec, [RowResult(0, "", "x", body, gold=["财经", "体育"])]).labels
    assert shown is not None
    assert (shown.multi, shown.accuracy.value, shown.micro.tp) == (True, 1.0, 2)


def test_values_keep_their_probabilities() -> None:
    fields = {
        "人名": [{"text": "甲", "start": 0, "end": 1, "score": 0.7}],
        "地名": [{"text": "乙", "start": 1, "end": 2}],
    }
    (pair,) = span_pairs(EXTRACT, [extracted(3, "甲乙", fields, '{"人名": ["甲"]}')], RowCounts())
    assert pair.number == 3
    assert pair.gold == (GoldSpan("人名", "甲"),)
    assert pair.found == (GoldSpan("人名", "甲", 0, 1), GoldSpan("地名", "乙", 1, 2))
    assert pair.scores == (0.7, None)


def test_gold_offsets_are_checked_against_the_row() -> None:
    rows = [extracted(0, "甲乙", {}, [[0, 1, "人名"]]), extracted(1, "甲", {}, [[0, 9, "人名"]])]
    counts = RowCounts()
    assert [pair.number for pair in span_pairs(EXTRACT, rows, counts)] == [0]
    assert counts.unreadable == 1


def test_pairs_are_drawn_one_by_one() -> None:
    """A file of any length is never held."""
    drawn = []

    def rows() -> Any:
        for number in range(10**9):
            drawn.append(number)
            yield classified(number, "体育", "体育")

    pairs = label_pairs(CLASSIFY, rows(), RowCounts())
    assert [next(pairs).number for _ in range(3)] == [0, 1, 2]
    assert len(drawn) == 3


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_differ_from_gold_are_those_that_are_not_right(seed: int) -> None:
    """The results' filter and the figures agree row by row."""
    draw = random.Random(seed)
    labels = [draw.sample(LABELS, draw.randint(0, 2)) for _ in range(2)]
    several = JobSpec("classify", ("text",), gold="gold", labels=LABELS, multi=True)
    single = {"label": draw.choice([*LABELS, None]), "labels": []}
    text = "甲乙丙甲"
    cells: list[Any] = [[0, 1, "人名"], [1, 3, "地名"], [3, 4, "人名"], [0, 2, "职务"]]
    places = draw.sample(cells, draw.randint(0, 4))
    found: dict[str, Any] = {"人名": [], "地名": []}
    for start, end, name in draw.sample(cells[:3], draw.randint(0, 3)):
        found[name].append({"text": text[start:end], "start": start, "end": end})
    values = {name: [text[start:end] for start, end, one in places if one == name] for name in ("人名", "地名")}
    for spec, answer, cell in (
        (CLASSIFY, single, labels[0]),
        (several, {"label": None, "labels": [], "chosen": labels[1]}, labels[0]),
        (EXTRACT, {"fields": found}, places),
        (EXTRACT, {"fields": found}, values),
    ):
        shown = evaluate_job(spec, [RowResult(0, "", text, answer, gold=cell)])
        right = shown.labels.accuracy.value if shown.labels else shown.spans.whole.value if shown.spans else None
        gold = read_gold(spec.task, cell, spec.labels, text)
        assert gold is not None
        assert differs(spec.task, answer, gold, spec.labels) is (right == 0.0), (answer, cell)


def test_the_command_line_says_the_main_figures() -> None:
    rows = [classified(n, "体育", "体育" if n % 3 else "文化") for n in range(30)] + [
        failed(30),
        classified(31, "体育", "{'"),
    ]
    lines = summary_lines(evaluate_job(CLASSIFY, rows))
    assert lines[0] == "evaluated: 30 of 32 rows against gold"
    assert lines[1] == "left out: 1 failed, 1 with gold that cannot be read"
    assert lines[2].startswith("row 32: The gold cell cannot be read")
    assert lines[3].startswith("accuracy: 0.667 (95 %: 0.")
    assert lines[-1] == 'gold labels outside the label set: "文化" (10)'


def test_the_command_line_says_the_main_figures_of_values() -> None:
    fields = {"人名": [{"text": "甲", "start": 0, "end": 1, "score": 0.7}], "地名": []}
    lines = summary_lines(
        evaluate_job(EXTRACT, [extracted(n, "甲乙", fields, '{"人名": ["甲"], "职务": ["乙"]}') for n in range(4)])
    )
    assert lines[1].startswith("exact F1: 1.000 (95 %: 1.000 to 1.000) (precision 1.000, recall 1.000)")
    assert "values in the text: 100.0%" in lines
    assert lines[-1] == "gold fields that were not asked: 职务"


def test_without_a_row_in_them_there_are_no_figures() -> None:
    lines = summary_lines(evaluate_job(CLASSIFY, [failed(0)]))
    assert lines == ["evaluated: 0 of 1 rows against gold", "left out: 1 failed"]
    assert summary_lines(evaluate_job(EXTRACT, [])) == ["evaluated: 0 of 0 rows against gold"]
