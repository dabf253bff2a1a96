"""How often a job's corrections were changed in this process: what was computed of earlier ones is found to be old."""

from collections import Counter

import streamlit as st


def changed(job_id: str) -> None:
    """A correction was made or taken back."""
    _counts()[job_id] += 1


def version(job_id: str) -> int:
    """Grows with each change."""
    return _counts()[job_id]


@st.cache_resource(show_spinner=False)
def _counts() -> "Counter[str]":
    return Counter()
