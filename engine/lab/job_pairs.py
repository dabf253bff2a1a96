"""Pairs of gold and answer from a job's rows, and what became of the rows that make none.

Where the job has a gold column, the model's own answers are compared with it. Corrections then are answers at most
(`corrected`): what the file will say after them. Without a gold column, corrections are gold: they are what a person
says is right; rows without one make no pair, since nobody said that they are right.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine.errors import WorkbenchError
from engine.jobs.gold import Gold, answer_labels, answer_scores, answer_spans, read_gold
from engine.jobs.types import JobSpec, RowResult
from engine.lab.figures import LISTED
from engine.lab.pairs import LabelPair, SpanPair

Pair = TypeVar("Pair")


@dataclass
class RowCounts:
    """Rows that were seen, counted while pairs are drawn.

    evaluated: those that made a pair; failed: without an answer; no_gold: with an empty gold cell or no correction;
    unreadable: whose gold cell cannot be read; problems: the first of these with their error.
    """

    rows: int = 0
    evaluated: int = 0
    failed: int = 0
    no_gold: int = 0
    unreadable: int = 0
    problems: list[tuple[int, WorkbenchError]] = field(default_factory=list)


def label_pairs(
    spec: JobSpec, rows: Iterable[RowResult], counts: RowCounts, *, corrected: bool = False
) -> Iterator[LabelPair]:
    """Pairs of a classification; see the module."""

    def pair(row: RowResult, answer: dict[str, Any], gold: Gold) -> LabelPair:
        return LabelPair(row.number, gold.labels or (), answer_labels(answer), answer_scores(row.answer))

    return _pairs(spec, rows, counts, corrected, pair)


def span_pairs(
    spec: JobSpec, rows: Iterable[RowResult], counts: RowCounts, *, corrected: bool = False
) -> Iterator[SpanPair]:
    """Pairs of an extraction; see the module."""

    def pair(row: RowResult, answer: dict[str, Any], gold: Gold) -> SpanPair:
        scores = tuple(_score(value) for values in (answer.get("fields") or {}).values() for value in values or ())
        found = answer_spans(answer)
        return SpanPair(row.number, gold.spans or (), found, scores if len(scores) == len(found) else ())

    return _pairs(spec, rows, counts, corrected, pair)


def row_gold(spec: JobSpec, row: RowResult) -> Gold | None:
    """What is right for a row: its gold cell, or its correction where the job has no gold column; None: not known.

    Raises WorkbenchError `gold_unreadable`.
    """
    if spec.gold:
        return read_gold(spec.task, row.gold, spec.labels, row.text)
    if row.correction is None:
        return None
    if spec.task == "classify":
        return Gold(labels=answer_labels(row.correction))
    return Gold(spans=answer_spans(row.correction))


def row_answer(spec: JobSpec, row: RowResult, corrected: bool) -> dict[str, Any] | None:
    """What counts as a row's answer; None where it has none."""
    if corrected and spec.gold and row.correction is not None:
        return row.correction
    return None if row.error is not None else row.answer


def _pairs(
    spec: JobSpec,
    rows: Iterable[RowResult],
    counts: RowCounts,
    corrected: bool,
    pair: Callable[[RowResult, dict[str, Any], Gold], Pair],
) -> Iterator[Pair]:
    for row in rows:
        counts.rows += 1
        answer = row_answer(spec, row, corrected)
        if answer is None:
            counts.failed += 1
            continue
        try:
            gold = row_gold(spec, row)
        except WorkbenchError as error:
            counts.unreadable += 1
            if len(counts.problems) < LISTED:
                counts.problems.append((row.number, error))
            continue
        if gold is None:
            counts.no_gold += 1
            continue
        counts.evaluated += 1
        yield pair(row, answer, gold)


def _score(value: Any) -> float | None:
    score = value.get("score") if isinstance(value, dict) else None
    return float(score) if isinstance(score, int | float) else None
