"""The second step: what is asked of every row, a try on the first ones with an estimate, and Start."""

import html
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from engine.errors import WorkbenchError
from engine.jobs.estimate import Estimate, try_rows
from engine.jobs.tables import open_table
from engine.jobs.types import Form, JobSpec
from engine.model.memory import human_bytes
from engine.run.classify import check_request as check_classify
from engine.run.extract import check_request as check_extract
from engine.types import ClassifyRequest, ExtractRequest, Mentions
from ui.batch import state
from ui.batch.answers import row_cells
from ui.batch.source_step import Reading
from ui.batch.times import seconds_text
from ui.batch.uploads import Upload
from ui.chips import label_chips
from ui.classify import chip_texts
from ui.engine import jobs, workbench
from ui.extract import sample_fields
from ui.fields import fields_editor
from ui.i18n import t
from ui.source import own_samples

TRY = 8
"""Rows of a try."""
_NAME = "batch_name"
_MOST_WORDINGS = 12
_LARGEST_STEP = 4096

Asked = tuple[JobSpec, Form, str]
"""What a try was asked: the spec, how the file is read, and its digest."""


def ask_step(given: Upload, found: Reading) -> None:
    """Show the step for a file that can be read."""
    st.segmented_control(
        t("batch.task"),
        ["classify", "extract"],
        required=True,
        format_func=lambda one: t(f"page.{one}"),
        key=state.TASK,
        persist_state="session",
        width="stretch",
    )
    if st.session_state[state.TASK] == "classify":
        label_chips(state.LABELS, texts=chip_texts())
        _classify_options()
    else:
        sets = {sample["name"]: sample_fields(sample) for sample in own_samples("extract")}
        fields_editor(state.FIELDS, sets)
        _extract_options()
    _job_options(given)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            t("batch.try", count=TRY),
            on_click=state.act,
            args=(_try, given, found),
            key="batch_try",
            icon=":material/science:",
        )
        st.button(
            t("batch.start"),
            on_click=state.act,
            args=(_start, given, found),
            key="batch_start",
            type="primary",
            icon=":material/play_arrow:",
            shortcut="Mod+Enter",
        )


def trial_area(given: Upload, found: Reading) -> None:
    """What a few rows gave, and what the whole file will take; refusals apart."""
    state.RUNS.show_refusal()
    now: Asked = (state.spec(), found.form, given.digest)

    def show(estimate: Estimate, asked: Asked, stale: bool) -> None:
        _show_trial(estimate, asked[0], stale=stale)

    state.RUNS.result_area(now, show, empty=lambda: None, running=t("batch.trying"))


def _show_trial(estimate: Estimate, spec: JobSpec, *, stale: bool) -> None:
    kind = "wb-stale" if stale else "wb-fresh"
    said = [t("batch.takes_about", time=seconds_text(estimate.seconds))] if estimate.seconds is not None else []
    if estimate.memory:
        said.append(t("batch.memory_about", size=human_bytes(estimate.memory)))
    st.html(f'<div class="{kind}" data-testid="estimate"><b>{" · ".join(map(html.escape, said))}</b></div>')
    rows = [row_cells(row, spec) for row in estimate.rows]
    shown = pd.DataFrame(rows)[["number", "text", "answer", "score"]] if rows else pd.DataFrame()
    st.dataframe(shown, hide_index=True, column_config=result_columns(spec), alt=t("batch.first_rows"), placeholder="")


def result_columns(spec: JobSpec) -> dict[str, Any]:
    """The heads of a table of results."""
    column = st.column_config
    return {
        "number": column.NumberColumn("#", width=50, help=t("batch.number_help")),
        "key": column.TextColumn(spec.id_column or t("batch.id"), width=80),
        "text": column.TextColumn(t("text.label"), width=300),
        "answer": column.TextColumn(t("batch.label" if spec.task == "classify" else "values.title"), width=170),
        "score": column.NumberColumn(t("values.score"), format="percent", width=70, help=t("batch.score_help")),
        "gold": column.TextColumn(spec.gold or t("batch.gold_short"), width=110),
        "state": column.TextColumn(t("batch.row_state"), width=170),
    }


def _classify_options() -> None:
    several = bool(st.session_state[state.MULTI])
    choice, least = st.columns(2, vertical_alignment="bottom", gap="medium")
    choice.segmented_control(
        t("classify.mode"),
        [False, True],
        required=True,
        format_func=lambda multi: t("classify.several" if multi else "classify.one"),
        key=state.MULTI,
        persist_state="session",
        width="stretch",
    )
    least.slider(
        t("classify.least"),
        0,
        100,
        format="%d %%",
        key=state.LEAST_SEVERAL if several else state.LEAST_ONE,
        help=t("classify.least_help"),
        persist_state="session",
    )


def _extract_options() -> None:
    offered = state.offered()
    mentions, beside = st.columns(2, vertical_alignment="bottom", gap="medium")
    choices: list[Mentions] = ["first", "all"]
    mentions.segmented_control(
        t("mentions.title"),
        choices,
        required=True,
        format_func=lambda one: t(f"mentions.{one}"),
        key=state.MENTIONS,
        help=t("mentions.help"),
        persist_state="session",
        width="stretch",
    )
    if state.PER_PROMPT in offered:
        beside.slider(
            t("extract.per_prompt"),
            1,
            _MOST_WORDINGS,
            key=state.PER_PROMPT,
            help=t("extract.per_prompt_help"),
            persist_state="session",
        )
    if state.NESTED in offered:
        beside.toggle(t("extract.nested"), key=state.NESTED, help=t("extract.nested_help"), persist_state="session")


def _job_options(given: Upload) -> None:
    """What is of the job, not of a row: rarely changed, so folded away."""
    with st.expander(t("batch.settings"), icon=":material/tune:", key="batch_settings"):
        st.text_input(t("batch.name"), key=_NAME, placeholder=given.name, max_chars=200, persist_state="session")
        size, low = st.columns(2, gap="medium", vertical_alignment="bottom")
        size.number_input(
            t("batch.size"),
            1,
            _LARGEST_STEP,
            value=None,
            step=1,
            key=state.SIZE,
            placeholder=t("batch.size_usual"),
            help=t("batch.size_help"),
            persist_state="session",
        )
        low.slider(
            t("batch.low"), 0, 100, format="%d %%", key=state.LOW, help=t("batch.low_help"), persist_state="session"
        )
        if state.FREE in state.offered():
            st.toggle(t("classify.free"), key=state.FREE, help=t("classify.free_help"), persist_state="session")


def _checked() -> JobSpec:
    """What is asked now.

    Raises:
        WorkbenchError: no model could answer it.
    """
    asked = state.spec_in_callback()
    if not asked.columns:
        raise WorkbenchError("no_text_column")
    if asked.task == "classify":
        check_classify(ClassifyRequest("a", asked.labels, asked.multi, asked.threshold))
    else:
        check_extract(ExtractRequest("a", asked.fields, asked.mentions, asked.per_prompt))
    return asked


def _try(given: Upload, found: Reading) -> None:
    asked = _checked()
    table = open_table(Path(given.path), found.form)
    state.RUNS.submit((asked, found.form, given.digest), lambda one: try_rows(workbench(), one[0], table, count=TRY))


def _start(given: Upload, found: Reading) -> None:
    """The job has a copy of the file of its own: the one here stays, for another job with other labels."""
    asked = _checked()
    name = (st.session_state.get(_NAME) or "").strip() or given.name
    own = jobs()
    job = own.store.add(asked, name, Path(given.path), found.form, given.digest, copy=True, low=state.low())
    own.runner.submit(job.id)
    st.session_state[_NAME] = ""
    state.open_job(job.id)
