"""The jobs of this machine: how each stands, its place in the queue, open and delete."""

import html

import streamlit as st

from engine.errors import WorkbenchError
from engine.jobs.types import Job, Progress
from ui.batch import state
from ui.batch.export_panel import drop_exports
from ui.batch.times import when
from ui.engine import jobs
from ui.i18n import t
from ui.messages import plain, show_error

_PAGE = 10
_SHOWN, _SURE, _PROBLEM = "batch_jobs_shown", "batch_jobs_sure", "batch_jobs_problem"
_POLL, _REST = 2.0, 5.0
_LIVE = ("queued", "running")
ICONS = {"queued": "…", "running": "▸", "paused": "‖", "cancelled": "■", "failed": "✗", "done": "✓"}
"""Signs that no font draws as a coloured picture."""
_STYLE = """<style>
.wb-job{display:grid;gap:.05rem;min-width:0;line-height:1.35}
[class*=st-key-batch_entry_]{flex-wrap:nowrap!important}
[class*=st-key-batch_entry_]>:first-child{flex:1 1 0;min-width:0}
.wb-job b,.wb-job small{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.wb-job small{opacity:.8}
.wb-job .wb-track{height:.35rem;margin-top:.25rem;border-radius:.2rem;overflow:hidden;
  background:color-mix(in srgb,currentColor 12%,transparent)}
.wb-job .wb-track i{display:block;height:100%;background:#0d9488}
</style>"""


def jobs_list() -> None:
    """The list; it follows what goes on without being asked."""
    live = any(job.state in _LIVE for job in jobs().store.list(0, _PAGE))
    st.markdown(f"**{t('batch.jobs')}**")
    st.fragment(_entries, run_every=_POLL if live else _REST)()


def state_said(job_state: str, ahead: int = 0) -> str:
    """A state in words, with the place in the queue."""
    if job_state == "queued" and ahead:
        return t("batch.state.queued_behind", count=ahead)
    return t(f"batch.state.{job_state}")


def _entries() -> None:
    if st.session_state.get(state.JOB) is not None:  # one was opened: that takes the whole page
        st.rerun(scope="app")
    shown = int(st.session_state.get(_SHOWN, _PAGE))
    found = jobs().store.list(0, shown + 1)
    if not found:
        st.caption(t("batch.no_jobs"))
        return
    st.html(_STYLE)
    if _PROBLEM in st.session_state:  # here: a press of these buttons draws no more than this
        show_error(st.session_state[_PROBLEM])
    for job in found[:shown]:
        try:
            _entry(job, jobs().runner.progress(job.id))
        except WorkbenchError:  # deleted elsewhere just now
            continue
    if len(found) > shown:
        st.button(t("history.more"), on_click=_more, key="batch_jobs_more", type="tertiary")


def _entry(job: Job, progress: Progress) -> None:
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"batch_entry_{job.id}")
    row.html(_entry_html(job, progress), width="stretch")
    row.button(t("batch.open"), on_click=state.open_job, args=(job.id,), key=f"batch_open_{job.id}", type="tertiary")
    sure = st.session_state.get(_SURE) == job.id
    row.button(
        t("history.sure") if sure else "",
        on_click=_delete,
        args=(job.id,),
        key=f"batch_delete_{job.id}",
        help=t("batch.delete"),
        icon=":material/delete:",
        type="tertiary",
    )


def _entry_html(job: Job, progress: Progress) -> str:
    rows = f"{progress.done:,}" if progress.total is None else f"{progress.done:,} / {progress.total:,}"
    facts = [f"{ICONS[progress.state]} {state_said(progress.state, progress.ahead)}", rows, t(f"page.{job.spec.task}")]
    if progress.failed:
        facts.append(t("batch.failed_count", count=f"{progress.failed:,}"))
    facts.append(when(job.created))
    bar = ""
    if progress.total and progress.state != "done":
        share = min(1.0, progress.done / progress.total)
        bar = f'<div class="wb-track"><i style="width:{share:.1%}"></i></div>'
    return (
        f'<div class="wb-job" data-testid="job" data-state="{progress.state}"><b>{html.escape(job.name)}</b>'
        f"<small>{html.escape(' · '.join(facts))}</small>{bar}</div>"
    )


def _delete(job_id: str) -> None:
    """The first press asks, the second deletes: the rows, the corrections and the job's copy of the file."""
    if st.session_state.get(_SURE) != job_id:
        st.session_state[_SURE] = job_id
        return
    st.session_state.pop(_SURE)
    st.session_state.pop(_PROBLEM, None)
    try:
        job = jobs().store.get(job_id)
        jobs().runner.delete(job_id)
        drop_exports(job_id)
        if job is not None:
            st.toast(plain(t("batch.deleted", name=job.name)))
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _more() -> None:
    st.session_state[_SHOWN] = int(st.session_state.get(_SHOWN, _PAGE)) + _PAGE
