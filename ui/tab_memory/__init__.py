"""Keeps what was typed across a reload, in the browser tab's own sessionStorage: not in the link, not on a disk.

Widget values live in Streamlit's session, which a reload ends. This component mirrors the listed session_state keys
into the tab and hands them back to a fresh session before anything else of it is shown.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_RESTORED = "tab_memory_restored"
_KEPT = "tab_memory_kept"
_KEY = "tab_memory"
_LIMIT = 3_000_000
"""Characters kept: browsers allow about 5 million a site."""


def remember(keys: Sequence[str], replaces: Callable[[str, Any], bool] = lambda _key, _kept: True) -> None:
    """Mirror these session_state keys (plain JSON values); call once a run, after the page's widgets.

    What other pages of the session remembered stays. replaces: whether the value that the tab remembers for a key
    takes the place of the one that a fresh session began with.
    """
    kept = st.session_state.setdefault(_KEPT, {})
    kept.update({key: st.session_state[key] for key in keys if key in st.session_state})
    component = st.components.v2.component(
        "workbench_tab_memory", html="<span hidden></span>", js=(_HERE / "tab_memory.js").read_text("utf-8")
    )
    restored = is_restored()
    component(
        key=_KEY,
        data={"restored": restored, "snapshot": _snapshot(kept), "asked": 0 if restored else time.monotonic_ns()},
        on_memory_change=lambda: _restore(keys, replaces),
        height="content",
    )


def take_back(keys: Sequence[str]) -> None:
    """Call before a page's widgets: what the tab remembers for keys that this session does not have.

    A page that was not the first after a reload gets its values here, as does one that comes back without them.
    """
    kept = st.session_state.get(_KEPT, {})
    for key in keys:
        if key in kept and key not in st.session_state:
            st.session_state[key] = kept[key]


def is_restored() -> bool:
    """Whether the tab has handed over what it remembers.

    A fragment that runs by itself before that sends the widgets' old values along, which may undo it.
    """
    return bool(st.session_state.get(_RESTORED))


def kept(key: str) -> Any:
    """What the tab remembers for a key, of any page; None where it remembers nothing."""
    return st.session_state.get(_KEPT, {}).get(key)


def kept_keys(beginning: str) -> list[str]:
    """The keys that begin so, of those that the tab remembers."""
    return [key for key in st.session_state.get(_KEPT, {}) if key.startswith(beginning)]


def _snapshot(kept: dict[str, Any]) -> str:
    """As much as the browser takes, small values first: better the options without a huge text than nothing."""
    parts = sorted((f"{json.dumps(key)}: {json.dumps(value)}" for key, value in kept.items()), key=len)
    room = _LIMIT
    fitting = []
    for part in parts:
        room -= len(part) + 2
        if room < 0:
            break
        fitting.append(part)
    return "{" + ", ".join(fitting) + "}"


def _restore(keys: Sequence[str], replaces: Callable[[str, Any], bool]) -> None:
    """Runs before the script, so that widgets start with the restored values.

    Any use of session_state may end it, where a new request is there. So it says last that it is done: until then every
    run of the page asks the tab again.
    """
    raw = _memory()
    if st.session_state.get(_RESTORED) or raw is None:
        return
    try:
        kept = json.loads(raw or "{}")
    except ValueError:
        kept = {}
    if isinstance(kept, dict):
        for key in keys:
            if key in kept and replaces(key, kept[key]):
                st.session_state[key] = kept[key]
        st.session_state[_KEPT] = kept
    st.session_state[_RESTORED] = True


def _memory() -> str | None:
    state: Any = st.session_state.get(_KEY)
    value = state.get("memory") if state is not None else None
    return value if isinstance(value, str) else None
