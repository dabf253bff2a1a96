"""Corrections: a label by its digit or from a list, values as text whose place in the row's text is found.

Nothing may invent a value: one that the text does not have is refused, unless the user says that it is not there.
"""

from typing import Any

import streamlit as st

from engine.errors import WorkbenchError
from engine.jobs.types import Job, RowResult
from engine.text.align import Aligner
from engine.types import FieldSpec
from ui.batch import state
from ui.batch.answers import chosen, now, whole_row
from ui.batch.versions import changed
from ui.engine import jobs
from ui.i18n import t
from ui.messages import plain, show_error

_DIGITS = 9
_ACROSS = 3
"""Boxes of fields beside each other."""
_NOTE = "batch_correct_problem"
"""The key of what is wrong with a correction: (job, row, error)."""


def correct_labels(job: Job, row: RowResult) -> None:
    """A button a label, the first ones also by digit; where several may be chosen, each press adds or takes one."""
    picked = chosen(now(row)) if row.correction is not None or row.error is None else []
    st.caption(t("batch.correct_several" if job.spec.multi else "batch.correct_one"))
    with st.container(horizontal=True, gap="small", key="batch_labels_pick"):
        for place, label in enumerate(job.spec.labels[:_DIGITS]):
            st.button(
                plain(label),
                on_click=state.act,
                args=(_pick, job.id, row.number, label),
                key=f"batch_pick_{place}",
                shortcut=str(place + 1),
                type="primary" if label in picked else "secondary",
            )
        none = t("result.none")
        st.button(
            none,
            on_click=state.act,
            args=(_pick, job.id, row.number, None),
            key="batch_pick_none",
            shortcut="0",
            type="primary" if not picked and (row.error is None or row.correction is not None) else "secondary",
        )
    if len(job.spec.labels) > _DIGITS:
        key = f"batch_pick_more_{row.number}"

        def pick() -> None:
            label = st.session_state.get(key)
            if label:
                state.act(_pick, job.id, row.number, label)

        st.selectbox(t("batch.more_labels"), job.spec.labels, index=None, key=key, on_change=pick)
    _take_back(job, row)


def correct_fields(job: Job, row: RowResult) -> None:
    """A box a field with a value a line. What is typed and not kept yet stays while other rows are opened."""
    values = now(row).get("fields") or {}
    error = st.session_state.get(_NOTE)
    with st.container(key="batch_values"):
        st.caption(t("batch.correct_values"))
        columns = st.columns(_ACROSS, gap="small")
        for place, spec in enumerate(job.spec.fields):
            if place and not place % _ACROSS:  # a row at a time: stacked on a phone, they keep their order
                columns = st.columns(_ACROSS, gap="small")
            lines = list(dict.fromkeys(str(value.get("text", "")).strip() for value in values.get(spec.name) or ()))
            key = _box(job, row, spec)
            _fill(key, "\n".join(lines))
            height = 68 if len(lines) < 3 else 110
            columns[place % _ACROSS].text_area(plain(spec.name), key=key, height=height, persist_state="session")
        st.checkbox(t("batch.not_in_text"), key=f"batch_absent_{job.id}_{row.number}", help=t("batch.not_in_text_help"))
        st.button(
            t("batch.keep_values"),
            on_click=_save_fields,
            args=(job, row.number),
            key="batch_keep_values",
            icon=":material/check:",
            shortcut="Mod+Enter",
        )
    if error is not None and error[:2] == (job.id, row.number):
        show_error(error[2])
    _take_back(job, row)


def _fill(key: str, standing: str) -> None:
    """Have a box hold what stands, as long as nobody typed into it: another tab may have corrected the row."""
    found, seen = st.session_state, f"{key}_seen"
    if key not in found or (found[key] == found.get(seen) != standing):
        found[key] = standing
    found[seen] = standing


def _take_back(job: Job, row: RowResult) -> None:
    if row.correction is None:
        return

    def take_back() -> None:
        jobs().store.correct(job.id, row.number, None)
        changed(job.id)
        for spec in job.spec.fields:
            st.session_state.pop(_box(job, row, spec), None)

    st.button(
        t("batch.take_back"),
        on_click=state.act,
        args=(take_back,),
        key="batch_take_back",
        icon=":material/undo:",
        type="tertiary",
    )


def _pick(job_id: str, number: int, label: str | None) -> None:
    job, row = jobs().store.get(job_id), jobs().store.row(job_id, number)
    if job is None or row is None:
        return
    if label is None:
        picked: list[str] = []
    elif job.spec.multi:
        known = row.correction is not None or row.error is None
        before = chosen(now(row)) if known else []
        after = [one for one in before if one != label] if label in before else [*before, label]
        picked = [one for one in job.spec.labels if one in after]
    else:
        picked = [label]
    jobs().store.correct(job_id, number, label_correction(picked))
    changed(job_id)


def label_correction(picked: list[str]) -> dict[str, Any]:
    """A correction in the form of an answer; a person is sure."""
    return {"label": picked[0] if picked else None, "labels": picked}


def _save_fields(job: Job, number: int) -> None:
    st.session_state.pop(_NOTE, None)
    row = jobs().store.row(job.id, number)
    if row is None:
        return
    row = whole_row(row)
    absent = bool(st.session_state.get(f"batch_absent_{job.id}_{number}"))
    try:
        found = {
            spec.name: placed(row, spec, st.session_state.get(_box(job, row, spec)) or "", absent=absent)
            for spec in job.spec.fields
        }
        jobs().store.correct(job.id, number, {"fields": found})
        changed(job.id)
        for spec in job.spec.fields:  # they show what was kept
            st.session_state.pop(_box(job, row, spec), None)
    except WorkbenchError as error:
        st.session_state[_NOTE] = (job.id, number, error)


def placed(row: RowResult, spec: FieldSpec, typed: str, *, absent: bool) -> list[dict[str, Any]]:
    """The values of a field that were typed, a line each, with their places; a value that was there keeps its own.

    absent: what is not in the text is kept, marked so.

    Raises:
        WorkbenchError: `value_not_in_text`.
    """
    before: dict[str, list[dict[str, Any]]] = {}
    for source in (row.correction or {}, row.answer):
        for value in (source.get("fields") or {}).get(spec.name) or ():
            before.setdefault(str(value.get("text", "")).strip(), []).append(value)
        if before:
            break
    aligner = Aligner(row.text)
    found: list[dict[str, Any]] = []
    for line in dict.fromkeys(filter(None, map(str.strip, typed.splitlines()))):
        if line in before:
            found += before[line]
            continue
        aligned = aligner.align(line)
        if aligned.places:
            start, end = aligned.places[0]
            text = row.text[start:end]
            found.append({"text": text, "start": start, "end": end, "score": None, "status": aligned.status})
        elif absent:
            found.append({"text": line, "start": None, "end": None, "score": None, "status": "absent"})
        else:
            raise WorkbenchError("value_not_in_text", value=line, field=spec.name)
    return found


def _box(job: Job, row: RowResult, spec: FieldSpec) -> str:
    return f"batch_value_{job.id}_{row.number}_{spec.name}"
