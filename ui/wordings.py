"""Compare wordings: one field asked in several wordings, each alone, on the same text; the answers side by side."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from engine.text.fields import clean_fields
from engine.text.labels import format_labels, parse_labels
from engine.types import ExtractRequest, ExtractResult, FieldAnswer, FieldSpec
from ui.engine import workbench
from ui.extraction import show_highlight
from ui.i18n import t
from ui.messages import plain, show_notes
from ui.runs import Runs

FIELD, LINES = "wordings_field", "wordings_lines"
_FILLED = "wordings_filled"
"""The key of what the box was last filled with: it follows the field's own wordings until somebody types."""
RUNS = Runs("wordings", stop="wordings_stop")
REMEMBERED = [FIELD, LINES, _FILLED, RUNS.ticket]
_ACROSS = 2
"""Highlights beside each other."""


def compare_wordings(request: ExtractRequest) -> None:
    """A field, its wordings, and what each of them finds in the text of the request."""
    if not request.fields:
        return
    by_name = {one.name: one for one in request.fields}
    if st.session_state.get(FIELD) not in by_name:
        st.session_state[FIELD] = request.fields[0].name
    own = _wordings(by_name[st.session_state[FIELD]])
    if st.session_state.get(LINES) in (None, st.session_state.get(_FILLED)):  # nobody has typed there
        st.session_state[LINES] = own
    st.session_state[_FILLED] = own

    def chosen() -> None:
        st.session_state[LINES] = None

    with st.expander(t("wordings.title"), icon=":material/compare:", key="wordings"):
        st.caption(t("wordings.help"))
        left, right = st.columns([1, 2], vertical_alignment="top")
        left.selectbox(t("wordings.field"), list(by_name), key=FIELD, on_change=chosen, persist_state="session")
        right.text_area(t("wordings.lines"), key=LINES, height=110, persist_state="session")
        asked = _asked(request, by_name[st.session_state[FIELD]], st.session_state[LINES] or "")
        st.button(
            t("wordings.run"), on_click=_submit, args=(request,), key="wordings_run", disabled=len(asked.fields) < 2
        )
        if len(asked.fields) < 2:
            st.caption(t("wordings.two"))
        RUNS.show_refusal()
        RUNS.result_area(asked, _show, empty=lambda: None, running=t("extract.running"))


def _submit(request: ExtractRequest) -> None:
    """Reads what is typed now; the text and the options are those that the page last showed."""
    state = st.session_state
    field = next((one for one in request.fields if one.name == state[FIELD]), None)
    if field is not None:
        RUNS.submit(_asked(request, field, state[LINES] or ""), workbench().extract)


def _wordings(field: FieldSpec) -> str:
    return "\n".join(format_labels([one]) for one in field.asked or (field.name,))


def _asked(request: ExtractRequest, field: FieldSpec, lines: str) -> ExtractRequest:
    """Each wording as a field of its own, so that each is asked alone; none takes a value from another."""
    fields = clean_fields(replace(field, name=one, asked=(), required=False) for one in parse_labels(lines))
    return ExtractRequest(request.text, fields, request.mentions, per_prompt=1, nested=True)


def _show(result: ExtractResult, request: ExtractRequest, stale: bool) -> None:
    differing = _show_table(result.fields)
    st.markdown(t("wordings.differ", count=differing) if differing else t("wordings.agree"))
    for first in range(0, len(result.fields), _ACROSS):
        for place, answer in zip(st.columns(_ACROSS), result.fields[first : first + _ACROSS], strict=False):
            with place:
                st.markdown(f"**{plain(answer.field.name)}**")
                show_highlight(request.text, [answer], stale=stale)
    show_notes(result.notes)


def _show_table(answers: Sequence[FieldAnswer]) -> int:
    """A row for each value that any wording found, a column for each wording; returns how many rows not all found."""
    scores: dict[tuple[int, int, str], list[float | None]] = {}
    for number, answer in enumerate(answers):
        for value in answer.values:
            place = (value.start or 0, value.end or 0, value.text)
            scores.setdefault(place, [None] * len(answers))[number] = value.score
    rows = []
    for (start, end, text), found in sorted(scores.items()):
        by_all = None not in found
        row: dict[str, object] = {"same": "=" if by_all else "≠", "value": text, "start": start, "end": end}
        rows.append(row | {f"score {number}": score for number, score in enumerate(found)})
    none: dict[str, object] = {"same": "", "value": t("extract.not_found"), "start": None, "end": None}
    rows.append(none | {f"score {number}": answer.absent for number, answer in enumerate(answers)})
    column = st.column_config
    heads = {
        "same": column.TextColumn("", width=40, help=t("wordings.same_help")),
        "value": column.TextColumn(t("values.value")),
        "start": column.NumberColumn(t("values.start"), width=70),
        "end": column.NumberColumn(t("values.end"), width=70),
    } | {
        f"score {number}": column.NumberColumn(answer.field.name, format="percent")
        for number, answer in enumerate(answers)
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=heads, placeholder="–", alt=t("wordings.title"))
    return sum(row["same"] == "≠" for row in rows)
