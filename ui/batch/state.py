"""The Batch page's keys in session_state, what a fresh page begins with, and what of it makes a job.

Widgets keep their values under these keys for the session; the tab remembers them across a reload (ui.tab_memory).
"""

from typing import Any, get_args

import streamlit as st

from engine.errors import WorkbenchError
from engine.jobs.types import BatchTask, Job, JobSpec, TableKind
from engine.text.fields import clean_fields
from engine.types import ExtractRequest, FieldSpec
from ui import classify, extract, tab_memory
from ui.batch.uploads import Upload, drop, find
from ui.chips import set_labels, take_edits
from ui.engine import capabilities
from ui.fields import set_fields
from ui.fields import take_edits as take_field_edits
from ui.fields.table import clean_row, fields_of, rows_of
from ui.runs import Runs
from ui.source import own_samples

TOKEN, KIND, ENCODING, SEPARATOR, SHEET = (
    "batch_token",
    "batch_kind",
    "batch_encoding",
    "batch_separator",
    "batch_sheet",
)
COLUMNS, ID, GOLD = "batch_columns", "batch_id_column", "batch_gold"
TASK, LABELS, FIELDS = "batch_task", "batch_labels", "batch_fields"
MULTI, LEAST_ONE, LEAST_SEVERAL, FREE = "batch_multi", "batch_least_one", "batch_least_several", "batch_free"
MENTIONS, PER_PROMPT, NESTED, SIZE, LOW = (
    "batch_mentions",
    "batch_per_prompt",
    "batch_nested",
    "batch_size",
    "batch_low",
)
PROBLEM = "batch_problem"
"""The key of the error that the page's last action met."""
RUNS = Runs("batch_try", stop="batch_try_stop")
"""The runs of a few rows before a job is started."""
JOB, ROW = "batch_job", "batch_row"
"""The job that is open, and the number of its row that is."""

KINDS: tuple[TableKind, ...] = get_args(TableKind)
HOW = (KIND, ENCODING, SEPARATOR, SHEET)
"""How a file is read; empty: as it was found."""
_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(HOW, ""),
    TASK: "classify",
    MULTI: False,
    LEAST_ONE: 0,
    LEAST_SEVERAL: 20,
    FREE: False,
    MENTIONS: "first",
    PER_PROMPT: ExtractRequest.per_prompt,
    NESTED: False,
    SIZE: None,
    LOW: 50,
}
_REMEMBERED = [TOKEN, COLUMNS, ID, GOLD, LABELS, FIELDS, RUNS.ticket, *_DEFAULTS]


def start() -> None:
    """Before the widgets: what the tab remembers, else the labels and fields of the other pages."""
    tab_memory.take_back(_REMEMBERED)
    state = st.session_state
    for key, value in _DEFAULTS.items():
        state.setdefault(key, value)
    if LABELS not in state:
        set_labels(LABELS, _elsewhere(classify.LABELS) or own_samples("classify")[0]["labels"])
    if FIELDS not in state:
        rows = _elsewhere(extract.FIELDS)
        given = fields_of(clean_row(row) for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
        set_fields(FIELDS, given or extract.sample_fields(own_samples("extract")[0]))


def remember() -> None:
    """After the widgets: mirror it all into the tab."""
    tab_memory.remember(_REMEMBERED)


def upload() -> Upload | None:
    """The file that was given last and is still there."""
    return find(st.session_state.get(TOKEN))


def new_upload(given: Upload | None) -> None:
    """Another file, or none: it is read as it is found, and its columns are chosen anew."""
    drop(st.session_state.get(TOKEN))
    for key in HOW:
        st.session_state[key] = ""
    for key in (COLUMNS, ID, GOLD):
        st.session_state.pop(key, None)
    if given is None:
        st.session_state[TOKEN] = None
    else:
        st.session_state[TOKEN] = given.token


def take_columns(columns: tuple[str, ...], text: tuple[str, ...], id_column: str, gold: str) -> None:
    """Before the widgets: chosen columns that the file has stay, else the suggested ones are chosen."""
    state = st.session_state
    kept = [name for name in state.get(COLUMNS) or () if name in columns]
    if not kept and (COLUMNS not in state or state[COLUMNS]):
        kept = [name for name in text if name in columns]
    if state.get(COLUMNS) != kept:
        state[COLUMNS] = kept
    for key, suggested in ((ID, id_column), (GOLD, gold)):
        if key not in state or (state[key] and state[key] not in columns):
            state[key] = suggested if suggested in columns else ""


def offered() -> frozenset[str]:
    """Options that the loaded model has a use for; while none is loaded, those of one that is asked by prompts."""
    able = capabilities()
    if able is None:
        return frozenset({PER_PROMPT, FREE})
    uses = {"understand": NESTED, "score": PER_PROMPT, "generate": FREE}
    return frozenset(option for capability, option in uses.items() if capability in able)


def spec() -> JobSpec:
    """What is typed and chosen; an option that is not offered is not asked for."""
    state, may = st.session_state, offered()
    common: dict[str, Any] = {
        "columns": tuple(state.get(COLUMNS) or ()),
        "id_column": state.get(ID) or "",
        "gold": state.get(GOLD) or "",
        "free": FREE in may and bool(state.get(FREE)),
        "batch_size": state.get(SIZE),
    }
    if _task() == "classify":
        several = bool(state.get(MULTI))
        least = state.get(LEAST_SEVERAL if several else LEAST_ONE) or 0
        labels = tuple(state.get(LABELS) or ())
        return JobSpec("classify", labels=labels, multi=several, threshold=least / 100, **common)
    return JobSpec(
        "extract",
        fields=clean_fields(fields_of(state.get(FIELDS) or [])),
        mentions="all" if state.get(MENTIONS) == "all" else "first",
        per_prompt=int((PER_PROMPT in may and state.get(PER_PROMPT)) or ExtractRequest.per_prompt),
        nested=NESTED in may and bool(state.get(NESTED)),
        **common,
    )


def spec_in_callback() -> JobSpec:
    """The same with what the editors have just sent."""
    take_edits(LABELS)
    take_field_edits(FIELDS)
    return spec()


def low() -> float:
    """The bound below which an answer counts as unsure."""
    return float(st.session_state.get(LOW) or 0) / 100


def ask_again(job: Job) -> None:
    """Put what a job asked into the page, to start another one like it."""
    state, asked = st.session_state, job.spec
    state[COLUMNS], state[ID], state[GOLD] = list(asked.columns), asked.id_column, asked.gold
    state[TASK], state[FREE], state[SIZE], state[LOW] = asked.task, asked.free, asked.batch_size, round(job.low * 100)
    if asked.task == "classify":
        take_edits(LABELS)
        set_labels(LABELS, asked.labels)
        state[MULTI] = asked.multi
        state[LEAST_SEVERAL if asked.multi else LEAST_ONE] = round((asked.threshold or 0) * 100)
    else:
        put_fields(asked.fields)
        state[MENTIONS], state[PER_PROMPT], state[NESTED] = asked.mentions, asked.per_prompt, asked.nested


def put_fields(fields: tuple[FieldSpec, ...]) -> None:
    """Other fields, as one step that can be undone."""
    take_field_edits(FIELDS)
    if st.session_state.get(FIELDS) != rows_of(fields):
        set_fields(FIELDS, fields)


def act(action: Any, *arguments: object) -> None:
    """A callback: do it, or leave the reason where the page shows it; what was typed stays."""
    st.session_state.pop(PROBLEM, None)
    try:
        action(*arguments)
    except WorkbenchError as error:
        st.session_state[PROBLEM] = error


def open_job(job_id: str | None) -> None:
    """Show a job, or with None the page that starts one; for callbacks."""
    st.session_state.pop(PROBLEM, None)
    if job_id != st.session_state.get(JOB):
        for key in [str(key) for key in st.session_state if str(key).startswith("batch_view_")]:
            st.session_state.pop(key)
        st.session_state.pop(ROW, None)
    st.session_state[JOB] = job_id
    if job_id is None:
        st.query_params.pop("job", None)
    else:
        st.query_params["job"] = job_id


def _task() -> BatchTask:
    return "extract" if st.session_state.get(TASK) == "extract" else "classify"


def _elsewhere(key: str) -> Any:
    """What another page has, or what the tab remembers of it."""
    return st.session_state.get(key, tab_memory.kept(key))
