"""Tune: a sweep over texts in a step, or over threads, on the user's own texts or on built-in ones.

The experiment lives in the process: a page that is left or loaded anew finds it, and so does another browser. Labels
and fields are those of the Classify and the Extract page.
"""

from typing import Literal, cast

import streamlit as st

from engine.errors import WorkbenchError
from engine.lab import experiment
from engine.lab.sample_texts import sample_texts
from engine.lab.sweep import Plan, SweepJob, SweepKind, start_sweep, thread_counts
from engine.model.machine import look_at_machine
from engine.types import ClassifyRequest, ExtractRequest
from ui import tab_memory
from ui.classify import LABELS as CLASSIFY_LABELS
from ui.engine import workbench
from ui.i18n import language, t
from ui.messages import plain, show_error
from ui.monitor.state import poll
from ui.monitor.tune_result import show_rows, show_sweep
from ui.prompt.state import other_fields
from ui.source import own_samples

KIND, FROM, TEXTS, TASK, SIZES, THREADS, REPEATS, BUDGET = (
    "tune_kind",
    "tune_from",
    "tune_texts",
    "tune_task",
    "tune_sizes",
    "tune_threads",
    "tune_repeats",
    "tune_budget",
)
KINDS: tuple[SweepKind, ...] = ("batch", "threads")
SOURCES = ("even", "mixed", "own")
TASKS = ("classify", "extract")
ALL_SIZES = (1, 2, 4, 8, 16, 32, 64)
_REFUSED = "tune_refused"
_DEFAULTS: dict[str, object] = {
    KIND: "batch",
    FROM: "mixed",
    TEXTS: "",
    TASK: "classify",
    SIZES: [1, 2, 4, 8, 16, 32],
    REPEATS: 2,
    BUDGET: None,
}
REMEMBERED = [*_DEFAULTS, THREADS]
_MOST_TEXTS = 2000
_POLL = 1.0
_MIB = 2**20
_LISTED = 8
"""Labels or fields that are named before the rest is counted."""


@st.cache_resource(show_spinner=False)
def _last() -> dict[str, SweepJob]:
    """The sweep that was begun last in this process, also after other experiments."""
    return {}


def last_sweep() -> SweepJob | None:
    """The sweep that was begun last, over or not."""
    return _last().get("job")


def start_state() -> None:
    """Before the widgets: what the tab remembers, else the defaults."""
    tab_memory.take_back(REMEMBERED)
    state = st.session_state
    cores = _threads()
    for key, value in (_DEFAULTS | {THREADS: list(cores)}).items():
        state.setdefault(key, value)
    for key, choices in ((KIND, KINDS), (FROM, SOURCES), (TASK, TASKS)):
        if state[key] not in choices:
            state[key] = _DEFAULTS[key]
    for key, numbers in ((SIZES, ALL_SIZES), (THREADS, cores)):
        known = [one for one in state[key] or [] if one in numbers]
        if known != state[key]:  # what is set here is sent to the browser, and undoes a click that is on its way
            state[key] = known


def tune_panel() -> None:
    """What to measure, the sweep that runs, and the result of the last one."""
    job = last_sweep()
    running = job is not None and job.state == "running"
    st.caption(t("tune.about"))
    left, right = st.columns([2, 3], gap="large")
    with left:
        _form(disabled=running)
        if another_runs():
            st.caption(f":material/hourglass_top: {t('tune.elsewhere')}")
        _start_button(running)
        refused = st.session_state.get(_REFUSED)
        if refused is not None:
            show_error(refused)
    with right:
        if job is None:
            st.info(t("tune.empty"), icon=":material/tune:")
        elif running:
            st.fragment(_running, run_every=poll(_POLL))(job)
        else:
            show_sweep(job, _kind_of(job))


def _form(*, disabled: bool) -> None:
    _choice(KIND, KINDS, disabled=disabled)
    _choice(FROM, SOURCES, disabled=disabled)
    if st.session_state[FROM] == "own":
        st.text_area(
            t("tune.texts"),
            key=TEXTS,
            height=150,
            placeholder=t("tune.texts_hint"),
            persist_state="session",
            disabled=disabled,
        )
        st.caption(t("tune.texts_count", count=len(_own_texts())))
    _choice(TASK, TASKS, disabled=disabled)
    st.caption(plain(_asked()))
    key, numbers = (SIZES, ALL_SIZES) if st.session_state[KIND] == "batch" else (THREADS, _threads())
    st.pills(
        t(f"tune.settings_{st.session_state[KIND]}"),
        numbers,
        selection_mode="multi",
        key=key,
        persist_state="session",
        disabled=disabled,
    )
    repeats, budget = st.columns(2, vertical_alignment="bottom")
    repeats.number_input(
        t("tune.repeats"), 1, 10, key=REPEATS, help=t("tune.repeats_help"), persist_state="session", disabled=disabled
    )
    budget.number_input(
        t("tune.budget"),
        1,
        key=BUDGET,
        step=256,
        placeholder=_usual_budget(),
        help=t("tune.budget_help"),
        persist_state="session",
        disabled=disabled,
    )


def _choice(key: str, choices: tuple[str, ...], *, disabled: bool) -> None:
    st.segmented_control(
        t(f"tune.{key.removeprefix('tune_')}"),
        choices,
        required=True,
        format_func=lambda one: t(f"tune.{key.removeprefix('tune_')}_{one}"),
        key=key,
        persist_state="session",
        width="stretch",
        disabled=disabled,
    )


def _start_button(running: bool) -> None:
    chosen = st.session_state[SIZES if st.session_state[KIND] == "batch" else THREADS]
    nothing = not chosen or (st.session_state[FROM] == "own" and not _own_texts())
    st.button(
        t("tune.start"),
        on_click=_begin,
        key="tune_start",
        type="primary",
        icon=":material/play_arrow:",
        disabled=running or nothing,
        width="stretch",
        help=t("tune.nothing") if nothing else None,
    )
    if st.session_state[KIND] == "threads":
        st.caption(t("tune.threads_note"))


def _running(job: SweepJob) -> None:
    """How far it is, what is measured so far, and its end."""
    if job.state != "running":
        st.rerun(scope="app")
    done, total = job.progress
    st.progress(min(1.0, done / total) if total else 0.0, t("tune.progress", done=done, total=total))
    st.button(t("tune.cancel"), on_click=job.cancel, key="tune_cancel", icon=":material/stop:")
    if job.rows:
        show_rows(job.rows, _kind_of(job))


def _begin() -> None:
    """A callback: no other widget's rerun can lose it."""
    state = st.session_state
    state.pop(_REFUSED, None)
    kind: SweepKind = "threads" if state[KIND] == "threads" else "batch"
    own = _own_texts() if state[FROM] == "own" else sample_texts(_language(), state[FROM] == "mixed")
    budget = int(state[BUDGET]) * _MIB if state.get(BUDGET) else workbench().settings.max_memory
    plan = Plan(
        texts=own,
        template=_template(),
        sizes=tuple(state[SIZES]) or (1,),
        threads=tuple(state[THREADS]),
        repeats=int(state[REPEATS] or 1),
        budget=budget,
    )
    if workbench().state().status == "empty":
        workbench().load()
    try:
        _last()["job"] = start_sweep(workbench(), kind, plan)
    except WorkbenchError as error:
        state[_REFUSED] = error


def _template() -> ClassifyRequest | ExtractRequest:
    if st.session_state[TASK] == "extract":
        return ExtractRequest("", other_fields())
    return ClassifyRequest("", _labels())


def _labels() -> tuple[str, ...]:
    """The Classify page's labels; those of its first sample where it was never opened."""
    labels = st.session_state.get(CLASSIFY_LABELS, tab_memory.kept(CLASSIFY_LABELS))
    return tuple(labels if isinstance(labels, list) else own_samples("classify")[0]["labels"])


def _asked() -> str:
    extract = st.session_state[TASK] == "extract"
    names = [one.name for one in other_fields()] if extract else list(_labels())
    shown = " · ".join(names[:_LISTED]) or "–"
    more = f" +{len(names) - _LISTED}" if len(names) > _LISTED else ""
    return t("tune.fields" if extract else "tune.labels", names=shown + more)


def _own_texts() -> tuple[str, ...]:
    """One a line."""
    lines = (st.session_state.get(TEXTS) or "").splitlines()
    return tuple(line.strip() for line in lines if line.strip())[:_MOST_TEXTS]


def _language() -> Literal["zh", "en"]:
    return "zh" if language() == "zh" else "en"


def _usual_budget() -> str:
    limit = workbench().settings.max_memory
    return f"{limit // _MIB:,}" if limit else t("tune.no_budget")


@st.cache_resource(show_spinner=False)
def _threads() -> tuple[int, ...]:
    return tuple(thread_counts(look_at_machine().cores))


def _kind_of(job: SweepJob) -> SweepKind:
    return cast("SweepKind", job.kind.removeprefix("sweep_"))


def another_runs() -> bool:
    """Whether an experiment of another kind is going on in this process."""
    other = experiment.latest()
    return other is not None and other.state == "running" and not other.kind.startswith("sweep_")
