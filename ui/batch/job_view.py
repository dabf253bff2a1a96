"""One job: how far it is and what can be done with it, then its rows, figures, comparisons and files."""

import html

import streamlit as st

from engine.errors import WorkbenchError
from engine.jobs.tables.table import of_files
from engine.jobs.types import Job, Progress
from engine.text.labels import format_labels
from ui.batch import state
from ui.batch.compare_panel import compare_panel
from ui.batch.evaluate_panel import evaluate_panel
from ui.batch.export_panel import export_panel
from ui.batch.jobs_list import ICONS, state_said
from ui.batch.results_table import SECTION, results
from ui.batch.times import seconds_text, when
from ui.batch.uploads import take
from ui.engine import jobs
from ui.i18n import t
from ui.messages import show_error

NAME = "batch_view_name"
"""The key of the box of the job's name."""
_POLL, _REST = 1.0, 4.0
"""Seconds between looks at a job that goes on, and at one that another browser may take up again."""
_LIVE = ("queued", "running")
_FACTS = "display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.875rem;opacity:.85;overflow-wrap:anywhere"
SECTIONS = ("results", "evaluate", "compare", "export")


def job_view(job: Job) -> None:
    """Show a job that is there."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="batch_head"):
        st.button(
            t("batch.all_jobs"),
            on_click=state.open_job,
            args=(None,),
            key="batch_back",
            icon=":material/arrow_back:",
            type="tertiary",
        )
        st.button(
            t("batch.again"),
            on_click=state.act,
            args=(_again, job.id),
            key="batch_again",
            help=t("batch.again_help"),
            icon=":material/add:",
            type="tertiary",
        )
    _name(job)
    st.html(_about_html(job))
    live = job.state in _LIVE
    st.fragment(_progress, run_every=_POLL if live else _REST)(job.id, job.state)
    st.segmented_control(
        t("batch.section"),
        SECTIONS,
        required=True,
        default="results" if SECTION not in st.session_state else None,
        format_func=lambda one: t(f"batch.section.{one}"),
        key=SECTION,
        label_visibility="collapsed",
    )
    section = st.session_state.get(SECTION)
    if section == "evaluate":
        evaluate_panel(job)
    elif section == "compare":
        compare_panel(job)
    elif section == "export":
        export_panel(job)
    else:
        results(job, live=live)


def _name(job: Job) -> None:
    if NAME not in st.session_state:
        st.session_state[NAME] = job.name

    def rename() -> None:
        name = (st.session_state.get(NAME) or "").strip()
        if name and name != job.name:
            jobs().store.rename(job.id, name)
        st.session_state[NAME] = name or job.name

    st.text_input(
        t("batch.name"),
        key=NAME,
        on_change=state.act,
        args=(rename,),
        icon=":material/edit:",
        label_visibility="collapsed",
        max_chars=200,
    )


def _about_html(job: Job) -> str:
    """What was asked, of what, by which model: a line of facts."""
    spec = job.spec
    facts = [t(f"page.{spec.task}"), t("batch.of_columns", columns=", ".join(spec.columns))]
    names = list(spec.labels) if spec.task == "classify" else [one.name for one in spec.fields]
    shown = ", ".join(format_labels([name]) for name in names)
    facts.append(shown if len(shown) <= 160 else f"{shown[:160]}…")
    if spec.task == "classify":
        facts.append(t("classify.several" if spec.multi else "classify.one"))
        if spec.threshold:
            facts.append(f"≥ {spec.threshold:.0%}")
    if spec.gold:
        facts.append(t("batch.gold_is", column=spec.gold))
    model = " · ".join(filter(None, (str(job.model.get(name, "")) for name in ("name", "precision", "device"))))
    facts += [model, when(job.created)]
    spans = "".join(f"<span>{html.escape(fact)}</span>" for fact in facts if fact)
    return f'<div class="wb-facts" data-testid="job-about" style="{_FACTS}">{spans}</div>'


def _progress(job_id: str, shown: str) -> None:
    """How far it is, and its buttons; the page follows where its state changes."""
    own = jobs()
    try:
        progress = own.runner.progress(job_id)
    except WorkbenchError as error:  # deleted elsewhere, or the store cannot be used just now
        if error.code == "job_missing":
            st.rerun(scope="app")
        show_error(error)
        return
    if progress.state != shown:
        st.rerun(scope="app")
    share = min(1.0, progress.done / progress.total) if progress.total else 0.0
    if progress.state != "done":
        st.progress(share)
    st.html(_progress_html(progress))
    job = own.store.get(job_id)
    trouble = own.runner.trouble(job_id) or (job.error if job is not None else None)
    if trouble is not None:
        show_error(trouble)
    elif progress.state == "paused":
        st.info(t("batch.paused_is"), icon=":material/pause_circle:")
    elif progress.state == "cancelled":
        st.info(t("batch.cancelled_is"), icon=":material/stop_circle:")
    with st.container(horizontal=True, gap="small", key="batch_actions"):
        _buttons(job_id, progress, trouble)
    beside_a_row = st.session_state.get(state.ROW) is not None and st.session_state.get(SECTION, "results") == "results"
    if state.PROBLEM in st.session_state and not beside_a_row:  # here: a press of these buttons draws no more than this
        show_error(st.session_state[state.PROBLEM])


def _progress_html(progress: Progress) -> str:
    rows = f"{progress.done:,}" if progress.total is None else f"{progress.done:,} / {progress.total:,}"
    facts = [t("batch.rows_done", rows=rows)]
    if progress.failed:
        facts.append(t("batch.failed_count", count=f"{progress.failed:,}"))
    if progress.rate is not None and progress.state == "running":
        facts.append(t("batch.rate", rate=f"{progress.rate:,.1f}"))
    if progress.eta is not None and progress.state == "running":
        facts.append(t("batch.eta", time=seconds_text(progress.eta)))
    said = f"{ICONS[progress.state]} {state_said(progress.state, progress.ahead)}"
    spans = "".join(f"<span>{html.escape(fact)}</span>" for fact in facts)
    return (
        f'<div role="status" data-testid="job-progress" data-state="{progress.state}" data-done="{progress.done}" '
        f'style="{_FACTS};font-variant-numeric:tabular-nums"><b>{html.escape(said)}</b>{spans}</div>'
    )


def _buttons(job_id: str, progress: Progress, error: WorkbenchError | None) -> None:
    runner = jobs().runner

    def resume_with_other() -> None:
        runner.resume(job_id, any_model=True)

    if progress.state in _LIVE:
        _button("pause", t("batch.pause"), runner.pause, job_id, ":material/pause:")
        _button("cancel", t("batch.cancel"), runner.cancel, job_id, ":material/stop:")
    elif progress.state in ("paused", "cancelled", "failed"):
        _button("resume", t("batch.resume"), runner.resume, job_id, ":material/play_arrow:", primary=True)
        if error is not None and error.code == "job_other_model":
            st.button(t("batch.any_model"), on_click=state.act, args=(resume_with_other,), key="batch_any_model")
    if progress.failed and progress.state not in _LIVE:
        _button("retry", t("batch.retry"), runner.retry_failed, job_id, ":material/replay:")


def _button(name: str, said: str, do: object, job_id: str, icon: str, *, primary: bool = False) -> None:
    st.button(
        said,
        on_click=state.act,
        args=(do, job_id),
        key=f"batch_{name}",
        icon=icon,
        type="primary" if primary else "secondary",
    )


def _again(job_id: str) -> None:
    """Begin another job on the same file, asked as this one was: change one thing and compare."""
    job = jobs().store.get(job_id)
    if job is None:
        return
    name = job.source.name if not job.name.endswith(job.source.suffix) else job.name
    with of_files(job.source), job.source.open("rb") as source:
        given = take(name, source)
    state.new_upload(given)
    form = job.form
    values = (form.kind, form.encoding, form.separator, form.sheet)
    for key, value in zip(state.HOW, values, strict=True):
        st.session_state[key] = value
    state.ask_again(job)
    state.open_job(None)


def no_job() -> None:
    """A link to a job that is not there: nothing to come back to."""
    st.session_state.pop(state.JOB, None)
    show_error(WorkbenchError("job_missing"))
    st.button(
        t("batch.all_jobs"), on_click=state.open_job, args=(None,), key="batch_back", icon=":material/arrow_back:"
    )
