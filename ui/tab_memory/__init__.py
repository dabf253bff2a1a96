"""Keeps what was typed across a reload, in the browser tab's own sessionStorage: not in the link, not on a disk.

Widget values live in Streamlit's session, which a reload ends. This component mirrors the listed session_state keys
into the tab and hands them back to a fresh session before anything else of it is shown.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_RESTORED = "tab_memory_restored"
_KEY = "tab_memory"
_LIMIT = 1_000_000
"""Characters kept: browsers allow about 5 MB a site."""


def remember(keys: Sequence[str], stronger: Sequence[str] = ()) -> None:
    """Mirror these session_state keys (plain JSON values); call once a run, after the page's widgets.

    stronger: keys whose values in a fresh session are not replaced by what the tab remembers.
    """
    snapshot = json.dumps({key: st.session_state[key] for key in keys if key in st.session_state})
    component = st.components.v2.component(
        "workbench_tab_memory", html="<span hidden></span>", js=(_HERE / "tab_memory.js").read_text("utf-8")
    )
    component(
        key=_KEY,
        data={
            "restored": bool(st.session_state.get(_RESTORED)),
            "snapshot": snapshot if len(snapshot) <= _LIMIT else "{}",
        },
        on_memory_change=lambda: _restore([key for key in keys if key not in stronger]),
        height="content",
    )


def _restore(keys: Sequence[str]) -> None:
    """Runs before the script, so that widgets start with the restored values."""
    raw = _memory()
    if st.session_state.get(_RESTORED) or raw is None:
        return
    st.session_state[_RESTORED] = True
    try:
        kept = json.loads(raw or "{}")
    except ValueError:
        return
    if isinstance(kept, dict):
        for key in keys:
            if key in kept:
                st.session_state[key] = kept[key]


def _memory() -> str | None:
    state: Any = st.session_state.get(_KEY)
    value = state.get("memory") if state is not None else None
    return value if isinstance(value, str) else None
