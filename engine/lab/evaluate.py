"""A job against what is right: its figures, and their main lines for the command line."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from engine.jobs.types import JobSpec, RowResult
from engine.lab.figures import Counts, Figure
from engine.lab.job_pairs import RowCounts, label_pairs, span_pairs
from engine.lab.label_scores import LabelEvaluation, evaluate_labels
from engine.lab.span_scores import SpanEvaluation, evaluate_spans

__all__ = ["JobEvaluation", "evaluate_job", "evaluate_labels", "evaluate_spans", "summary_lines"]


@dataclass(frozen=True)
class JobEvaluation:
    """A job's figures. source: what counts as right; counts: rows that are in the figures, and the others.

    labels of a classification, spans of an extraction; the other is None. With no row in the figures they hold None.
    """

    source: Literal["gold", "corrections"]
    counts: RowCounts
    labels: LabelEvaluation | None = None
    spans: SpanEvaluation | None = None


def evaluate_job(spec: JobSpec, rows: Iterable[RowResult], *, corrected: bool = False, seed: int = 0) -> JobEvaluation:
    """Evaluate a job's rows, read once in any order (`JobStore.each`). corrected, gold: see `engine.lab.job_pairs`."""
    counts = RowCounts()
    source: Literal["gold", "corrections"] = "gold" if spec.gold else "corrections"
    if spec.task == "classify":
        labels = evaluate_labels(
            label_pairs(spec, rows, counts, corrected=corrected), spec.labels, multi=spec.multi, seed=seed
        )
        return JobEvaluation(source, counts, labels=labels)
    names = [one.name for one in spec.fields]
    spans = evaluate_spans(span_pairs(spec, rows, counts, corrected=corrected), names, seed=seed)
    return JobEvaluation(source, counts, spans=spans)


def summary_lines(evaluation: JobEvaluation) -> list[str]:
    """The main figures in English, one a line; details are on the page."""
    counts = evaluation.counts
    lines = [f"evaluated: {counts.evaluated} of {counts.rows} rows against {_SOURCES[evaluation.source]}"]
    left = [
        (counts.failed, "failed"),
        (counts.no_gold, "without gold"),
        (counts.unreadable, "with gold that cannot be read"),
    ]
    if any(count for count, _ in left):
        lines.append("left out: " + ", ".join(f"{count} {why}" for count, why in left if count))
    lines += [f"row {number + 1}: {error.message}" for number, error in counts.problems[:3]]
    if not counts.evaluated:
        return lines
    if evaluation.labels is not None:
        lines += _label_lines(evaluation.labels)
    if evaluation.spans is not None:
        lines += _span_lines(evaluation.spans)
    return lines


_SOURCES = {"gold": "gold", "corrections": "corrections"}


def _label_lines(one: LabelEvaluation) -> list[str]:
    outside = [(figures.label, figures.counts.support) for figures in one.labels if not figures.known]
    lines = [
        f"accuracy{' (all labels of a row)' if one.multi else ''}: {_figure(one.accuracy)}",
        f"F1: macro {_figure(one.macro_f1)}, micro {_figure(one.micro_f1)}",
    ]
    if one.calibration.error is not None:
        lines.append(f"calibration error: {one.calibration.error:.3f}")
    if outside:
        named = ", ".join(f'"{label}" ({count})' for label, count in outside[:5])
        lines.append(f"gold labels outside the label set: {named}{', …' if len(outside) > 5 else ''}")
    return lines


def _span_lines(one: SpanEvaluation) -> list[str]:
    lines = [
        f"exact F1: {_figure(one.exact_f1)} ({_counts(one.exact)})",
        f"overlap F1: {_figure(one.overlap_f1)} ({_counts(one.overlap)})",
        f"rows all right: {_figure(one.whole)}",
    ]
    if one.grounded is not None:
        lines.append(f"values in the text: {one.grounded:.1%}")
    if one.unasked:
        lines.append(f"gold fields that were not asked: {', '.join(sorted(one.unasked)[:5])}")
    return lines


def _figure(figure: Figure) -> str:
    if figure.value is None:
        return "-"
    interval = figure.interval
    return f"{figure.value:.3f}" + ("" if interval is None else f" (95 %: {interval.low:.3f} to {interval.high:.3f})")


def _counts(counts: Counts) -> str:
    precision, recall = ("-" if value is None else f"{value:.3f}" for value in (counts.precision, counts.recall))
    return f"precision {precision}, recall {recall}"
