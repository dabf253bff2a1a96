"""Opens a row on the Classify or the Extract page. What is typed there stays: the text and the set can be put back."""

import streamlit as st

from ui import classify, extract, tab_memory
from ui.chips import set_labels, take_edits
from ui.engine import jobs
from ui.fields import set_fields
from ui.fields.table import rows_of
from ui.source import replace_text

TARGET = "batch_target"


def open_elsewhere(job_id: str, number: int) -> None:
    """A callback: put the row there; `follow` goes there in the run that comes after."""
    job, row = jobs().store.get(job_id), jobs().store.row(job_id, number)
    if job is None or row is None:
        return
    spec = job.spec
    if spec.task == "classify":
        tab_memory.take_back([classify.TEXT, classify.LABELS])
        take_edits(classify.LABELS)
        replace_text(classify.TEXT, row.text)
        if st.session_state.get(classify.LABELS) != list(spec.labels):
            set_labels(classify.LABELS, spec.labels)
        st.session_state[classify.MULTI] = spec.multi
        least = classify.LEAST_SEVERAL if spec.multi else classify.LEAST_ONE
        st.session_state[least] = round((spec.threshold or 0) * 100)
    else:
        tab_memory.take_back([extract.TEXT, extract.FIELDS])
        replace_text(extract.TEXT, row.text)
        if st.session_state.get(extract.FIELDS) != rows_of(spec.fields):
            set_fields(extract.FIELDS, spec.fields)
        st.session_state[extract.MENTIONS] = spec.mentions
        st.session_state[extract.PER_PROMPT] = spec.per_prompt
        st.session_state[extract.NESTED] = spec.nested
    st.session_state[TARGET] = f"pages/{spec.task}.py"


def follow() -> None:
    """Go to the page that a row was opened on; call it before anything is drawn."""
    target = st.session_state.pop(TARGET, None)
    if target is not None:
        st.switch_page(target)
