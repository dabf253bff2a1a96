"""The Classify page's parts: the editor of text, labels and options, and the area of its answer.

State: widgets keep their values for the session; the label set is under LABELS and in the link; the ticket of the last
run is under TICKET, so that page changes and reloads find the run, going on or answered. Nothing here computes.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import WorkbenchError
from engine.run.queue import Ticket
from engine.text.labels import format_labels, parse_labels
from engine.types import ClassifyRequest, ClassifyResult
from ui import tab_memory
from ui.chips import ChipTexts, label_chips, set_labels, take_edits
from ui.engine import keep, recall, workbench
from ui.i18n import language, t
from ui.messages import show_error
from ui.results import show_busy, show_classification
from ui.sidebar import progress_text

TEXT, LABELS, MULTI, FREE = "classify_text", "classify_labels", "classify_multi", "classify_free"
LEAST_ONE, LEAST_SEVERAL = "classify_least_one", "classify_least_several"
TICKET, ERROR, LINKED = "classify_ticket", "classify_error", "classify_linked"
_DEFAULTS: dict[str, bool | int] = {MULTI: False, FREE: False, LEAST_ONE: 0, LEAST_SEVERAL: 20}
_LINK = "labels"
_TEXT_LIMIT = 200_000
_MOMENT, _POLL = 0.8, 1.0
"""Seconds a run of the page waits for an answer itself, and between polls after that."""
_SAMPLES = Path(__file__).parent.parent / "assets" / "samples" / "classify.json"


@cache
def samples() -> list[dict[str, Any]]:
    """Sample texts with label sets: {"language", "name", "text", "labels"}."""
    return list(json.loads(_SAMPLES.read_text("utf-8")))


def editor() -> ClassifyRequest:
    """Text, labels and options; returns what Run would ask now."""
    _start_state()
    own = [sample for sample in samples() if sample["language"] == language()]
    with st.container(horizontal=True, key="samples"):
        for number, sample in enumerate(own):
            st.button(sample["name"], on_click=_use_sample, args=(sample,), key=f"sample_{number}", type="tertiary")
    st.text_area(t("classify.text"), key=TEXT, height=160, max_chars=_TEXT_LIMIT, placeholder=t("classify.text_hint"))
    label_chips(LABELS, texts=_chip_texts())
    _options()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            t("classify.run"),
            type="primary",
            on_click=_submit,
            key="run",
            shortcut="Mod+Enter",
            width="stretch",
        )
    stronger = [LABELS] if st.session_state[LINKED] else []  # a link shows its labels, whatever the tab held before
    tab_memory.remember([TEXT, LABELS, *_DEFAULTS, TICKET], stronger)
    _link_labels()
    return _request()


def result_area(request: ClassifyRequest) -> None:
    """The last run: none yet, going on, failed, or answered, perhaps for earlier input."""
    if ERROR in st.session_state:
        show_error(st.session_state[ERROR])
    run = recall(st.session_state.get(TICKET))
    if run is None:
        if ERROR not in st.session_state:
            st.info(t("classify.empty"), icon=":material/label:")
        return
    asked, ticket = run
    place = st.empty()
    with place.container():
        if not ticket.wait(0):
            _progress(ticket)
    # Most answers come within a moment: they are shown in this very run. Others are polled for, not faster than a run
    # of the page takes on a busy machine: a poll interrupts the run before it, and an answer would never be shown.
    if not ticket.wait(_MOMENT):
        place.empty()
        st.fragment(_waiting, run_every=_POLL)(ticket)
        return
    place.empty()
    try:
        result: ClassifyResult = ticket.result(0)
    except WorkbenchError as error:
        show_error(error)
        return
    stale = asked != request
    if stale:
        st.caption(f":material/history: {t('classify.stale')}")
    show_classification(result, asked, stale=stale)


def _start_state() -> None:
    """Before the widgets: the link's labels, else the first sample."""
    first = next(sample for sample in samples() if sample["language"] == language())
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


def _options() -> None:
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
    st.toggle(t("classify.free"), key=FREE, help=t("classify.free_help"), persist_state="session")


def _request() -> ClassifyRequest:
    state = st.session_state
    several = bool(state.get(MULTI))
    least = state.get(LEAST_SEVERAL if several else LEAST_ONE, 0)
    return ClassifyRequest(
        state.get(TEXT) or "", tuple(state.get(LABELS) or ()), several, least / 100, bool(state.get(FREE))
    )


def _submit() -> None:
    """A callback, so that another widget's rerun cannot lose the run; it reads what is typed now."""
    take_edits(LABELS)
    st.session_state.pop(ERROR, None)
    request = _request()
    earlier = recall(st.session_state.get(TICKET))
    if earlier is not None:
        earlier[1].cancel()
    try:
        ticket = workbench().classify(request)
    except WorkbenchError as error:
        st.session_state[ERROR] = error
        return
    st.session_state[TICKET] = keep(request, ticket)


def _waiting(ticket: Ticket[ClassifyResult]) -> None:
    if ticket.state == "done":
        st.rerun(scope="app")
    _progress(ticket)
    st.button(t("classify.stop"), on_click=ticket.cancel, key="stop", icon=":material/stop:")


def _progress(ticket: Ticket[ClassifyResult]) -> None:
    state = workbench().state()
    if state.status == "loading":
        fraction = state.progress.fraction if state.progress else None
        st.progress(fraction or 0.0, progress_text(state.progress))
    else:
        text = t("classify.queued", count=workbench().waiting()) if ticket.state == "queued" else t("classify.running")
        show_busy(text)


def _chip_texts() -> ChipTexts:
    slots = {name: f"{{{name}}}" for name in ("label", "place", "count")}  # the editor fills these in
    return ChipTexts(**{name: t(f"chips.{name}", **slots) for name in ChipTexts.__dataclass_fields__})
