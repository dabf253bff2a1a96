"""The Prompt page as a whole: what stands where, Run, and what follows an answer.

Without a comparison Run and the answer are beside the editor, in sight at any place of it; with one the two settings
are there, and the two answers below.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.errors import WorkbenchError
from engine.types import PromptResult
from ui.engine import recall, workbench
from ui.i18n import t
from ui.messages import show_error
from ui.prompt.decoding import settings_form, settings_text, structure_form
from ui.prompt.editor import prompt_editor, show_filled, writer_name
from ui.prompt.follow import Lane, show_lanes, wait_a_moment
from ui.prompt.history_panel import history_panel, record
from ui.prompt.pace import pace
from ui.prompt.state import COMPARE, RUNS, draft, remember, start

_PORT = "http://127.0.0.1:8501"
"""The server's address where the browser does not tell it."""
_STICKY = """<style>
[data-testid=stLayoutWrapper]:has(>.st-key-prompt_result){position:sticky;top:4rem}
@media (max-width:640px){[data-testid=stLayoutWrapper]:has(>.st-key-prompt_result){position:static}}
</style>"""


def prompt_page() -> None:
    """The editor, the settings, the answers and the history."""
    start()
    two = bool(st.session_state[COMPARE])
    left, right = st.columns([1, 1], gap="large")
    with left:
        prompt_editor()
        if not two:
            with st.expander(t("decoding.title"), icon=":material/tune:", key="prompt_settings"):
                settings_form("a")
            with st.expander(t("form.head"), icon=":material/data_object:", key="prompt_structure"):
                structure_form()
    if two:
        with right:
            _two_settings()
            with st.expander(t("form.head"), icon=":material/data_object:", key="prompt_structure"):
                structure_form()
            facts = _run_row()
        above = st.empty()
        lanes = _two_lanes()
    else:
        with right:
            st.html(_STICKY)
            with st.container(key="prompt_result"):
                facts, above = _run_row(), st.empty()
                lanes = [Lane("a", RUNS["a"], draft("a"), st.empty())]
    panel = st.container()
    remember()
    wait_a_moment(lanes)
    for lane in lanes:
        _take_down(lane)
    with facts:
        show_filled(draft("a"))
    with panel:
        history_panel()
    show_lanes(lanes, _address(), above)


def _two_lanes() -> list[Lane]:
    columns = st.columns(len(RUNS), gap="large")
    lanes = []
    for (name, runs), column in zip(RUNS.items(), columns, strict=True):
        now = draft(name)
        with column:
            lanes.append(Lane(name, runs, now, st.empty(), settings_text(now.writing)))
    return lanes


def _two_settings() -> None:
    for name, column in zip(RUNS, st.columns(len(RUNS), gap="medium"), strict=True):
        with column:
            st.markdown(f"**{name.upper()}**")
            settings_form(name)


def _run_row() -> DeltaGenerator:
    """Run, the switch of the comparison, and room for what the prompt comes to: a new answer changes its estimates."""
    info = workbench().state().info
    if info is not None and writer_name() is None:
        show_error(WorkbenchError("prompt_unsupported", name=info.name))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(t("classify.run"), type="primary", on_click=_submit, key="run", shortcut="Mod+Enter", width="stretch")
        st.toggle(t("prompt.compare"), key=COMPARE, help=t("prompt.compare_help"), persist_state="session")
    return st.container()


def _submit() -> None:
    """A callback, so that another widget's rerun cannot lose the run; it reads what is typed now."""
    for name in RUNS if st.session_state.get(COMPARE) else ("a",):
        RUNS[name].submit(draft(name), lambda asked: workbench().prompt(asked.request()))


def _take_down(lane: Lane) -> None:
    """What an answer leaves when it is there: the pace, and an entry of the history, also where it was stopped."""
    run = st.session_state.get(lane.runs.ticket)
    found = recall(run)
    if run is None or found is None or found[1].state != "done":
        return
    asked, ticket = found
    try:
        result: PromptResult = ticket.result(0)
    except WorkbenchError as error:
        if error.code == "cancelled":
            record(run, asked, ticket.partial, {"finish": "stopped"})
        return
    pace().note(run, asked.whole(), asked.writing, result)
    record(run, asked, result.text, {"finish": result.finish, "model": result.model.name})


def _address() -> str:
    """Where the browser found this server."""
    parts = (st.context.url or _PORT).split("/")
    return "/".join(parts[:3])
