"""The Classify page's parts: the editor of text, labels and options, and the area of its answer.

State: widgets keep their values for the session; the label set is under LABELS and in the link; the last run is found
again by ui.runs. Nothing here computes.
"""

from typing import Any

import streamlit as st

from engine.text.labels import format_labels, parse_labels
from engine.types import Capability, ClassifyRequest, ClassifyResult
from ui import tab_memory
from ui.chips import ChipTexts, label_chips, set_labels, take_edits
from ui.engine import capabilities, workbench
from ui.i18n import t
from ui.results import show_classification
from ui.runs import Runs
from ui.source import own_samples, sample_buttons, text_box

TEXT, LABELS, MULTI, FREE = "classify_text", "classify_labels", "classify_multi", "classify_free"
LEAST_ONE, LEAST_SEVERAL = "classify_least_one", "classify_least_several"
LINKED = "classify_linked"
RUNS = Runs("classify")
_DEFAULTS: dict[str, bool | int] = {MULTI: False, FREE: False, LEAST_ONE: 0, LEAST_SEVERAL: 20}
_REMEMBERED = [TEXT, LABELS, *_DEFAULTS, RUNS.ticket]
_LINK = "labels"


def editor() -> ClassifyRequest:
    """Text, labels and options; returns what Run would ask now."""
    _start_state()
    able = capabilities()
    sample_buttons("classify", _use_sample)
    text_box(TEXT, height=160)
    label_chips(LABELS, texts=chip_texts())
    _options(able)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            t("classify.run"),
            type="primary",
            on_click=_submit,
            key="run",
            shortcut="Mod+Enter",
            width="stretch",
        )
    linked = bool(st.session_state.get(LINKED))  # a link shows its labels, whatever the tab held
    tab_memory.remember(_REMEMBERED, lambda key, _: key != LABELS or not linked)
    _link_labels()
    return _request(able)


def result_area(request: ClassifyRequest) -> None:
    """The last run: none yet, going on, failed, or answered, perhaps for earlier input."""

    def show(result: ClassifyResult, asked: ClassifyRequest, stale: bool) -> None:
        show_classification(result, asked, stale=stale)

    def empty() -> None:
        st.info(t("classify.empty"), icon=":material/label:")

    RUNS.show_refusal()
    RUNS.result_area(request, show, empty=empty, running=t("classify.running"))


def _start_state() -> None:
    """Before the widgets: what the tab remembers, the link's labels, else the first sample."""
    tab_memory.take_back(_REMEMBERED)
    first = own_samples("classify")[0]
    for key, value in ((TEXT, first["text"]), *_DEFAULTS.items()):
        st.session_state.setdefault(key, value)
    if LABELS not in st.session_state:
        linked = parse_labels(st.query_params.get(_LINK, ""))
        set_labels(LABELS, linked or first["labels"])
        st.session_state[LINKED] = bool(linked)


def _link_labels() -> None:
    linked = format_labels(st.session_state[LABELS])
    if st.query_params.get(_LINK) != linked:
        st.query_params[_LINK] = linked


def _use_sample(sample: dict[str, Any]) -> None:
    take_edits(LABELS)
    st.session_state[TEXT] = sample["text"]
    set_labels(LABELS, sample["labels"])


def _may_generate(able: tuple[Capability, ...] | None) -> bool:
    """Whether free decoding is offered: the loaded model can, or none is loaded yet."""
    return able is None or "generate" in able


def _options(able: tuple[Capability, ...] | None) -> None:
    several = bool(st.session_state[MULTI])
    choice, least = st.columns(2, vertical_alignment="bottom", gap="medium")
    choice.segmented_control(
        t("classify.mode"),
        [False, True],
        required=True,
        format_func=lambda multi: t("classify.several" if multi else "classify.one"),
        key=MULTI,
        persist_state="session",
        width="stretch",
    )
    least.slider(
        t("classify.least"),
        0,
        100,
        format="%d %%",
        key=LEAST_SEVERAL if several else LEAST_ONE,
        help=t("classify.least_help"),
        persist_state="session",
    )
    if _may_generate(able):
        st.toggle(t("classify.free"), key=FREE, help=t("classify.free_help"), persist_state="session")


def _request(able: tuple[Capability, ...] | None) -> ClassifyRequest:
    """What is typed and chosen; an option that is not offered is not asked for."""
    state = st.session_state
    free = _may_generate(able) and bool(state.get(FREE))
    several = bool(state.get(MULTI))
    least = state.get(LEAST_SEVERAL if several else LEAST_ONE, 0)
    return ClassifyRequest(state.get(TEXT) or "", tuple(state.get(LABELS) or ()), several, least / 100, free)


def _submit() -> None:
    """A callback, so that another widget's rerun cannot lose the run; it reads what is typed now."""
    take_edits(LABELS)
    RUNS.submit(_request(capabilities()), workbench().classify)


def chip_texts() -> ChipTexts:
    """What the label editor says, in the session's language."""
    slots = {name: f"{{{name}}}" for name in ("label", "place", "count")}  # the editor fills these in
    return ChipTexts(**{name: t(f"chips.{name}", **slots) for name in ChipTexts.__dataclass_fields__})
