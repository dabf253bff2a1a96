"""A job against gold or corrections: figures with their intervals, tables and charts whose rows can be opened."""

import html
from typing import Any

import pandas as pd
import streamlit as st

from engine.jobs.types import Job
from engine.lab.calibration import Calibration, CurvePoint
from engine.lab.evaluate import JobEvaluation, evaluate_job
from engine.lab.figures import Figure
from engine.lab.label_scores import LabelEvaluation
from engine.lab.span_scores import SpanEvaluation
from ui.batch.charts import CONFIG, MOST_LABELS, calibration_chart, confusion, threshold_chart
from ui.batch.results_table import show_only
from ui.batch.versions import version
from ui.batch.work import Work, begun, follow
from ui.engine import jobs
from ui.i18n import error_texts, t
from ui.messages import plain

_CORRECTED = "batch_view_evaluate_corrected"
_MISTAKES = 30
_STYLE = """<style>
.wb-figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(7.8rem,1fr));gap:.6rem;margin:.3rem 0}
.wb-figures div{padding:.5rem .75rem;border-radius:.5rem;
  border:1px solid color-mix(in srgb,currentColor 16%,transparent)}
.wb-figures small{display:block;opacity:.8;line-height:1.3}
.wb-figures b{font-size:1.5rem;line-height:1.4;font-variant-numeric:tabular-nums}
</style>"""


def evaluate_panel(job: Job) -> None:
    """The figures; what to do first where nothing says what is right."""
    corrections = jobs().store.counts(job.id).get("corrected", 0)
    if not job.spec.gold and not corrections:
        st.info(t("evaluate.no_gold"), icon=":material/fact_check:")
        return
    corrected = False
    if job.spec.gold and corrections:
        corrected = st.toggle(
            t("evaluate.corrected", count=f"{corrections:,}"), key=_CORRECTED, help=t("evaluate.corrected_help")
        )
    key = ("evaluate", job.id, job.done, job.failed, version(job.id), corrected)
    if job.state != "done":
        st.caption(f":material/hourglass_bottom: {t('evaluate.part', done=f'{job.done:,}')}")

    def evaluate(work: Work[JobEvaluation]) -> JobEvaluation:
        return evaluate_job(job.spec, told(work, job), corrected=corrected)

    follow(begun(key, evaluate), t("evaluate.running"), "batch_evaluate", lambda found: _show(job, found))


def told(work: Work[Any], job: Job) -> Any:
    """A job's rows, with the work told how far it is."""
    for number, row in enumerate(jobs().store.each(job.id)):
        if not number % 200:
            work.tell(number, job.done)
        yield row


def figures_html(figures: list[tuple[str, str, str]]) -> str:
    """Cards of a name, a figure and what is said below it."""
    cards = "".join(
        f"<div><small>{html.escape(name)}</small><b>{html.escape(value)}</b><small>{html.escape(below)}</small></div>"
        for name, value, below in figures
    )
    return f'{_STYLE}<div class="wb-figures" data-testid="figures">{cards}</div>'


def figure_card(name: str, figure: Figure) -> tuple[str, str, str]:
    """A figure with its interval."""
    below = ""
    if figure.interval is not None:
        below = t("evaluate.interval", low=f"{figure.interval.low:.1%}", high=f"{figure.interval.high:.1%}")
    return name, share(figure.value), below


def share(value: float | None) -> str:
    """A share in per cent; a dash where nothing was measured."""
    return "–" if value is None else f"{value:.1%}"


def _show(job: Job, found: JobEvaluation) -> None:
    _show_counts(found)
    if not found.counts.evaluated:
        st.info(t("evaluate.nothing"), icon=":material/fact_check:")
        return
    if found.labels is not None:
        _show_labels(found.labels)
    if found.spans is not None:
        _show_spans(found.spans)


def _show_counts(found: JobEvaluation) -> None:
    counts = found.counts
    against = t("evaluate.against_gold" if found.source == "gold" else "evaluate.against_corrections")
    said = [t("evaluate.rows", count=f"{counts.evaluated:,}", total=f"{counts.rows:,}", against=against)]
    left = (
        (counts.failed, t("evaluate.left_failed", count=f"{counts.failed:,}")),
        (counts.no_gold, t("evaluate.left_no_gold", count=f"{counts.no_gold:,}")),
        (counts.unreadable, t("evaluate.left_unreadable", count=f"{counts.unreadable:,}")),
    )
    said += [what for count, what in left if count]
    st.caption(plain(" · ".join(said)))
    if counts.problems:
        lines = [
            f"- {plain(t('batch.odd_row', number=number + 1, reason=error_texts(error)[0]))}"
            for number, error in counts.problems[:3]
        ]
        st.warning("\n".join(lines), icon=":material/rule:")


def _show_labels(one: LabelEvaluation) -> None:
    cards = [
        figure_card(t("evaluate.accuracy_all" if one.multi else "evaluate.accuracy"), one.accuracy),
        figure_card(t("evaluate.macro_f1"), one.macro_f1),
        figure_card(t("evaluate.micro_f1"), one.micro_f1),
        (t("evaluate.weighted_f1"), share(one.weighted_f1), ""),
    ]
    if one.calibration.error is not None:
        cards.append((t("evaluate.ece"), f"{one.calibration.error:.3f}", t("evaluate.ece_is")))
    if one.brier is not None:
        cards.append((t("evaluate.brier"), f"{one.brier:.3f}", t("evaluate.brier_is")))
    st.html(figures_html(cards))
    rows = [
        {
            "name": figures.label if figures.known else t("evaluate.outside", label=figures.label),
            "precision": figures.counts.precision,
            "recall": figures.counts.recall,
            "f1": figures.counts.f1,
            "support": figures.counts.support,
            "given": figures.counts.given,
            "tp": figures.counts.tp,
        }
        for figures in one.labels
    ]
    numbers = [(figures.label, (*figures.wrong, *figures.missed)) for figures in one.labels]
    _figures_table(t("evaluate.by_label"), t("batch.label"), rows, numbers)
    if one.cells:
        _show_matrix(one)
    _show_charts(one.calibration, one.curve, one.best)


def _show_matrix(one: LabelEvaluation) -> None:
    st.markdown(f"**{t('evaluate.matrix')}**")
    numbers = {(cell.gold, cell.chosen): cell.numbers for cell in one.cells}
    golds, chosen = one.axes()
    matrix, mistakes = st.columns([3, 2], gap="medium")
    if max(len(golds), len(chosen)) <= MOST_LABELS:
        figure, pairs = confusion(one)

        def clicked() -> None:
            state: Any = st.session_state.get("batch_matrix")
            points = state.selection.points if state else []
            place = points[0].get("point_index") if points else None
            if place is not None and place < len(pairs):
                show_only(_pair_said(*pairs[place]), numbers[pairs[place]])

        with matrix:
            st.plotly_chart(
                figure,
                key="batch_matrix",
                on_select=clicked,
                selection_mode="points",
                config=CONFIG,
                alt=t("evaluate.matrix"),
            )
            st.caption(t("evaluate.matrix_help"))
    wrong = sorted((cell for cell in one.cells if cell.gold != cell.chosen), key=lambda cell: -cell.count)[:_MISTAKES]
    with mistakes:
        if not wrong:
            st.caption(t("evaluate.no_mistakes"))
            return
        rows = [{"gold": _name(cell.gold), "chosen": _name(cell.chosen), "count": cell.count} for cell in wrong]
        heads = {"gold": t("evaluate.gold"), "chosen": t("evaluate.chosen"), "count": t("evaluate.rows_head")}
        listed = [(_pair_said(cell.gold, cell.chosen), cell.numbers) for cell in wrong]
        clickable(rows, heads, listed, "batch_mistakes", t("evaluate.mistakes"))


def _name(label: str | None) -> str:
    return t("result.none") if label is None else label


def _pair_said(gold: str | None, chosen: str | None) -> str:
    return t("evaluate.pair", gold=_name(gold), chosen=_name(chosen))


def _show_spans(one: SpanEvaluation) -> None:
    st.html(
        figures_html(
            [
                figure_card(t("evaluate.exact_f1"), one.exact_f1),
                figure_card(t("evaluate.text_f1"), one.text_f1),
                figure_card(t("evaluate.overlap_f1"), one.overlap_f1),
                figure_card(t("evaluate.whole"), one.whole),
                (t("evaluate.grounded"), share(one.grounded), t("evaluate.grounded_is")),
                (t("evaluate.macro_f1"), share(one.macro_f1), t("evaluate.exact_is")),
            ]
        )
    )
    rows = [
        {
            "name": figures.field,
            "precision": figures.exact.precision,
            "recall": figures.exact.recall,
            "f1": figures.exact.f1,
            "overlap": figures.overlap.f1,
            "support": figures.exact.support,
            "given": figures.exact.given,
            "grounded": figures.grounded / figures.values if figures.values else None,
        }
        for figures in one.fields
    ]
    numbers = [(figures.field, (*figures.wrong, *figures.missed)) for figures in one.fields]
    _figures_table(t("evaluate.by_field"), t("values.field"), rows, numbers)
    if one.unasked:
        said = ", ".join(f"{name} ({count:,})" for name, count in list(one.unasked.items())[:8])
        st.caption(plain(t("evaluate.unasked", fields=said)))
    _show_charts(one.calibration, one.curve, one.best)


def _figures_table(
    title: str, name: str, rows: list[dict[str, Any]], numbers: list[tuple[str, tuple[int, ...]]]
) -> None:
    st.markdown(f"**{title}**")
    column = st.column_config
    heads: dict[str, Any] = {"name": column.TextColumn(name, width=170)}
    shares = {
        "precision": t("evaluate.precision"),
        "recall": t("evaluate.recall"),
        "f1": t("evaluate.f1"),
        "overlap": t("evaluate.overlap"),
        "grounded": t("evaluate.grounded"),
    }
    numbers_of = {"support": t("evaluate.support"), "given": t("evaluate.given"), "tp": t("evaluate.tp")}
    heads |= {key: column.NumberColumn(said, format="percent", width=85) for key, said in shares.items()}
    heads |= {key: column.NumberColumn(said, width=85) for key, said in numbers_of.items()}
    clickable(rows, heads, numbers, "batch_figures", title)
    st.caption(t("evaluate.table_help"))


def clickable(
    rows: list[dict[str, Any]],
    heads: dict[str, Any],
    numbers: list[tuple[str, tuple[int, ...]]],
    key: str,
    title: str,
) -> None:
    """A table whose rows open the job's rows behind them."""

    def clicked() -> None:
        state: Any = st.session_state.get(key)
        cells = state.selection.cells if state else []
        if cells and cells[0][0] < len(numbers) and numbers[cells[0][0]][1]:
            show_only(*numbers[cells[0][0]])

    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height=min(len(rows), 12) * 35 + 38,
        column_config=heads,
        on_select=clicked,
        selection_mode="single-cell",
        key=key,
        placeholder="–",
        alt=title,
    )


def _show_charts(calibration: Calibration, curve: tuple[CurvePoint, ...], best: CurvePoint | None) -> None:
    if not calibration.count:
        st.caption(t("evaluate.no_scores"))
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(f"**{t('evaluate.calibration')}**")
        st.plotly_chart(calibration_chart(calibration), key="batch_calibration", config=CONFIG)
        st.caption(t("evaluate.calibration_help"))
    with right:
        st.markdown(f"**{t('evaluate.thresholds')}**")
        st.plotly_chart(threshold_chart(curve, best), key="batch_thresholds", config=CONFIG)
        if best is None:
            st.caption(t("evaluate.thresholds_help"))
        else:
            st.caption(t("evaluate.best", threshold=f"{best.threshold:.0%}", f1=share(best.f1)))
