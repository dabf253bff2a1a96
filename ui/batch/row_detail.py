"""One row whole: its text with the values marked, the answer, the gold, and what a user puts in its place.

By keyboard: digits choose a label, J and K go to the next and the previous row, Ctrl+Enter keeps typed values. The
model's answer stays in sight beside a correction.
"""

import html
from collections.abc import Callable

import streamlit as st

from engine.jobs.tables.cells import as_text
from engine.jobs.types import Job, RowResult
from engine.text.highlight import highlight_html, legend_html, marks_of
from engine.text.highlight_style import STYLE
from ui.batch import state
from ui.batch.answers import answer_text, chosen, field_answers, note_texts, now, scores, state_text, whole_row
from ui.batch.correct import correct_fields, correct_labels
from ui.batch.open_elsewhere import open_elsewhere
from ui.engine import jobs
from ui.i18n import t
from ui.results import STYLE as RESULT_STYLE

_BOX = """.wb-box{max-height:20rem;overflow:auto;padding:.6rem .8rem;border-radius:.5rem;
  border:1px solid color-mix(in srgb,currentColor 18%,transparent)}
.wb-plain{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
.wb-said{display:grid;grid-template-columns:auto 1fr;gap:.15rem .8rem;font-size:.9rem;margin:.4rem 0}
dl.wb-said{padding:0!important}
.wb-said dt{opacity:.7;margin:0;padding:0}.wb-said dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}"""
_BARS = 8


def row_detail(job: Job, number: int, step: Callable[[str, bool], None]) -> None:
    """Show the row of a number; step: a callback that opens the next (True) or the previous one of the table."""
    row = jobs().store.row(job.id, number)
    row = None if row is None else whole_row(row)
    with st.container(border=True, key="batch_detail"):
        _head(job, number, step)
        if row is None:
            st.caption(t("batch.row_not_done"))
            return
        left, right = st.columns([3, 2], gap="medium")
        with left:
            st.html(_text_html(job, row))
            if job.spec.task == "classify":
                correct_labels(job, row)
        with right:
            st.html(_answer_html(job, row))
        if job.spec.task == "extract":
            correct_fields(job, row)


def _head(job: Job, number: int, step: Callable[[str, bool], None]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="batch_detail_head"):
        st.markdown(f"**{t('batch.row', number=f'{number + 1:,}')}**", width="content")
        for name, said, forward, key in (
            ("previous", t("batch.row_previous"), False, "K"),
            ("next", t("batch.row_next"), True, "J"),
        ):
            st.button(
                said,
                on_click=step,
                args=(job.id, forward),
                key=f"batch_row_{name}",
                shortcut=key,
                type="tertiary",
            )
        st.button(
            t("batch.open_in_classify" if job.spec.task == "classify" else "batch.open_in_extract"),
            on_click=open_elsewhere,
            args=(job.id, number),
            key="batch_open_elsewhere",
            help=t("batch.open_in_help"),
            icon=":material/open_in_new:",
            type="tertiary",
        )
        st.button(
            "",
            on_click=_close,
            key="batch_row_close",
            help=t("batch.row_close"),
            icon=":material/close:",
            type="tertiary",
        )


def _close() -> None:
    st.session_state.pop(state.ROW, None)


def _text_html(job: Job, row: RowResult) -> str:
    if job.spec.task == "classify":
        shown = html.escape(row.text).replace("\n", "&#10;")
        return f'<style>{_BOX}</style><div class="wb-box wb-plain" dir="auto" data-testid="row-text">{shown}</div>'
    answers = field_answers(now(row), job.spec.fields)
    return (
        f'<style>{STYLE}{_BOX}</style><div data-testid="row-text">{legend_html(answers, t("extract.not_found"))}'
        f'<div class="wb-box">{highlight_html(row.text, marks_of(answers))}</div></div>'
    )


def _answer_html(job: Job, row: RowResult) -> str:
    """The model's answer, the correction beside it, the gold, and what is special about the row."""
    said = []
    if row.error is None:
        said.append((t("batch.answered"), answer_text(row.answer, job.spec)))
    if row.correction is not None:
        said.append((t("batch.corrected_to"), answer_text(row.correction, job.spec)))
    if job.spec.gold and row.gold is not None:
        said.append((job.spec.gold, as_text(row.gold)))
    if (special := state_text(row)) and (row.error is not None or row.problem is not None):
        said.append((t("batch.row_state"), special))
    said += [(t("batch.note"), note) for note in note_texts(row.answer)]
    items = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in said)
    return (
        f'{RESULT_STYLE}<style>{_BOX}</style>{_bars_html(row)}<dl class="wb-said" data-testid="row-said">{items}</dl>'
    )


def _bars_html(row: RowResult) -> str:
    picked = chosen(row.answer)
    bars = []
    for label, score in scores(row.answer)[:_BARS]:
        on = " wb-on" if label in picked else ""
        name = html.escape(label)
        bars.append(
            f'<div class="wb-label" title="{name}">{name}</div><div class="wb-track">'
            f'<div class="wb-fill{on}" style="width:{score:.2%}"></div></div><div class="wb-score">{score:.1%}</div>'
        )
    return f'<div class="wb-bars">{"".join(bars)}</div>' if bars else ""
