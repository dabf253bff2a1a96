"""The Batch page as a whole: a job that is open, else a new one step by step beside the list of jobs."""

import streamlit as st

from engine.errors import WorkbenchError
from ui.batch import state
from ui.batch.ask_step import ask_step, trial_area
from ui.batch.job_view import NAME, job_view, no_job
from ui.batch.jobs_list import jobs_list
from ui.batch.open_elsewhere import follow
from ui.batch.source_step import Reading, source_step
from ui.batch.uploads import Upload
from ui.engine import jobs
from ui.i18n import t
from ui.messages import show_error


def batch_page() -> None:
    """Everything below the title. What is wrong with the data folder is one sentence; nothing typed is lost."""
    follow()
    state.start()
    try:
        _show()
    except WorkbenchError as error:
        show_error(error)
    state.remember()


def _show() -> None:
    job_id = _open_job()
    if job_id is None:
        _new_job()
        return
    job = jobs().store.get(job_id)
    if job is None:
        no_job()
    else:
        job_view(job)


def _open_job() -> str | None:
    """The job of the link; coming back from another page, whose link names none, the one that was open.

    Where that is drawn already, the browser went back to before it was: then none is open.
    """
    linked = st.query_params.get("job")
    if linked and linked != st.session_state.get(state.JOB):
        state.open_job(linked)
    elif not linked and st.session_state.get(state.JOB):
        if NAME in st.session_state:  # a widget's: gone after a run of another page
            state.open_job(None)
        else:
            st.query_params["job"] = st.session_state[state.JOB]
    return st.session_state.get(state.JOB)


def _new_job() -> None:
    """While there is no file, the jobs are beside it; then both steps are in sight at once, and the jobs below."""
    if state.upload() is None:
        left, right = st.columns([5, 3], gap="large")
        with left:
            _file()
            st.info(t("batch.empty"), icon=":material/table_rows:")
        with right:
            jobs_list()
        return
    left, right = st.columns(2, gap="large")
    with left:
        given = _file()
    with right:
        if given is not None:
            st.markdown(f"**{t('batch.step_ask')}**")
            ask_step(*given)
    if given is not None:
        trial_area(*given)
    jobs_list()


def _file() -> tuple[Upload, Reading] | None:
    st.markdown(f"**{t('batch.step_file')}**")
    given = source_step()
    if state.PROBLEM in st.session_state:
        show_error(st.session_state[state.PROBLEM])
    return given
