"""The Extract page's parts: the editor of text, fields and options, and the area of its answer.

State: widgets keep their values for the session; the fields are under FIELDS and in the link; the last run is found
again by ui.runs. Nothing here computes.
"""

import json
from typing import Any

import streamlit as st

from engine.text.fields import clean_fields, read_field_set
from engine.types import Capability, ExtractRequest, FieldSpec, Mentions
from ui import tab_memory, wordings
from ui.engine import capabilities, workbench
from ui.extraction import show_extraction
from ui.fields import fields_editor, link_fields, linked_fields, set_fields, take_edits
from ui.fields.table import clean_row, fields_of
from ui.i18n import t
from ui.inspector import inspector
from ui.runs import Runs
from ui.source import own_samples, sample_buttons, text_box

TEXT, FIELDS, MENTIONS, NESTED, PER_PROMPT, FREE = (
    "extract_text",
    "extract_fields",
    "extract_mentions",
    "extract_nested",
    "extract_per_prompt",
    "extract_free",
)
LINKED = "extract_linked"
RUNS = Runs("extract")
_MOST_WORDINGS = 12
_DEFAULTS: dict[str, bool | int | str] = {
    MENTIONS: "first",
    NESTED: False,
    PER_PROMPT: ExtractRequest.per_prompt,
    FREE: False,
}
_REMEMBERED = [TEXT, FIELDS, *_DEFAULTS, RUNS.ticket, *wordings.REMEMBERED]
_STICKY = """<style>
[data-testid=stLayoutWrapper]:has(>.st-key-extract_result){position:sticky;top:4rem}
</style>"""
"""The editor is tall: a run's progress stays in sight where Run was pressed."""


def editor() -> ExtractRequest:
    """Text, fields and options; returns what Run would ask now."""
    _start_state()
    able = capabilities()
    sample_buttons("extract", _use_sample)
    text_box(TEXT, height=180)
    inspector(st.session_state.get(TEXT) or "")
    sets = {sample["name"]: sample_fields(sample) for sample in own_samples("extract")}
    fields_editor(FIELDS, sets, on_edit=_run_late_edit)
    _options(able)
    st.button(t("extract.run"), type="primary", on_click=_submit, key="run", shortcut="Mod+Enter", width="stretch")
    RUNS.show_refusal()
    request = _request(able)
    linked = request.fields if st.session_state.get(LINKED) else None

    def replaces(key: str, kept: Any) -> bool:
        """A link shows its fields, whatever the tab held; of the same fields the tab also has unfinished rows."""
        return key != FIELDS or linked is None or (isinstance(kept, list) and fields_of(map(clean_row, kept)) == linked)

    tab_memory.remember(_REMEMBERED, replaces)
    link_fields(request.fields)
    return request


def result_area(request: ExtractRequest) -> None:
    """The last run: none yet, going on, failed, or answered, perhaps for earlier input."""

    def empty() -> None:
        st.info(t("extract.empty"), icon=":material/ink_highlighter:")

    st.html(_STICKY)
    with st.container(key="extract_result"):
        RUNS.result_area(request, show_extraction, empty=empty, running=t("extract.running"))


def sample_fields(sample: dict[str, Any]) -> tuple[FieldSpec, ...]:
    """The field set of a sample."""
    return read_field_set(json.dumps(sample["fields"]))


def _start_state() -> None:
    """Before the widgets: what the tab remembers, the link's fields, else the first sample."""
    tab_memory.take_back(_REMEMBERED)
    first = own_samples("extract")[0]
    for key, value in ((TEXT, first["text"]), *_DEFAULTS.items()):
        st.session_state.setdefault(key, value)
    if FIELDS not in st.session_state:
        linked = linked_fields(FIELDS)
        set_fields(FIELDS, linked or sample_fields(first))
        st.session_state[LINKED] = linked is not None


def _use_sample(sample: dict[str, Any]) -> None:
    take_edits(FIELDS)
    st.session_state[TEXT] = sample["text"]
    set_fields(FIELDS, sample_fields(sample))


def _offered(able: tuple[Capability, ...] | None) -> frozenset[str]:
    """Options that the loaded model has a use for. While none is loaded, those of a model that is asked by prompts."""
    if able is None:
        return frozenset({PER_PROMPT, FREE})
    uses: dict[Capability, str] = {"understand": NESTED, "score": PER_PROMPT, "generate": FREE}
    return frozenset(option for capability, option in uses.items() if capability in able)


def _options(able: tuple[Capability, ...] | None) -> None:
    """The options; what is not offered keeps its value for the model that has a use for it."""
    offered = _offered(able)
    mentions, beside = st.columns(2, vertical_alignment="bottom", gap="medium")
    choices: list[Mentions] = ["first", "all"]
    mentions.segmented_control(
        t("mentions.title"),
        choices,
        required=True,
        format_func=lambda one: t(f"mentions.{one}"),
        key=MENTIONS,
        help=t("mentions.help"),
        persist_state="session",
        width="stretch",
    )
    if PER_PROMPT in offered:
        beside.slider(
            t("extract.per_prompt"),
            1,
            _MOST_WORDINGS,
            key=PER_PROMPT,
            help=t("extract.per_prompt_help"),
            persist_state="session",
        )
    if NESTED in offered:
        beside.toggle(t("extract.nested"), key=NESTED, help=t("extract.nested_help"), persist_state="session")
    if FREE in offered:
        st.toggle(t("classify.free"), key=FREE, help=t("classify.free_help"), persist_state="session")


def _request(able: tuple[Capability, ...] | None) -> ExtractRequest:
    """What is typed and chosen; an option that is not offered is not asked for."""
    state, offered = st.session_state, _offered(able)
    return ExtractRequest(
        state.get(TEXT) or "",
        clean_fields(fields_of(state.get(FIELDS) or [])),
        "all" if state.get(MENTIONS) == "all" else "first",
        int((PER_PROMPT in offered and state.get(PER_PROMPT)) or ExtractRequest.per_prompt),
        FREE in offered and bool(state.get(FREE)),
        NESTED in offered and bool(state.get(NESTED)),
    )


def _submit() -> None:
    """A callback, so that another widget's rerun cannot lose the run; it reads what is typed now."""
    take_edits(FIELDS)
    RUNS.submit(_request(capabilities()), workbench().extract)


def _run_late_edit() -> None:
    """A cell's edit reaches us a moment after it was made: pressing Run at once asked without it, so ask again."""
    if RUNS.was_just_asked():
        RUNS.submit(_request(capabilities()), workbench().extract)
