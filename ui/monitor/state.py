"""The Monitor page's keys in session_state, what a fresh page begins with, and what the tab remembers."""

from typing import Literal, cast

import streamlit as st

from ui import tab_memory
from ui.monitor.view import View, take_view

Panel = Literal["live", "snapshots", "log", "tune"]
PANELS: tuple[Panel, ...] = ("live", "snapshots", "log", "tune")
PANEL, SPAN, PAUSED, LEVEL = "monitor_panel", "monitor_span", "monitor_paused", "monitor_level"
SPANS = (60, 300, 1800)
"""Seconds that the plots show."""
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
ACTIONS = ("release", "collect", "unload")
_FROZEN, _SHOWN = "monitor_frozen", "monitor_shown"
_DEFAULTS: dict[str, object] = {PANEL: "live", SPAN: 300, PAUSED: False, LEVEL: "INFO"}


def action_key(action: str) -> str:
    """Where the id of an action's last ticket is."""
    return f"monitor_{action}_ticket"


REMEMBERED = [*_DEFAULTS, *map(action_key, ACTIONS)]


def start() -> None:
    """Before the widgets: what the tab remembers, else the defaults. A value that is no choice here is a default."""
    tab_memory.take_back(REMEMBERED)
    state = st.session_state
    for key, value in _DEFAULTS.items():
        state.setdefault(key, value)
    for key, choices in ((PANEL, PANELS), (SPAN, SPANS), (LEVEL, LEVELS)):
        if state[key] not in choices:
            state[key] = _DEFAULTS[key]


def panel() -> Panel:
    """Which part of the page is open."""
    return cast("Panel", st.session_state[PANEL])


def span() -> int:
    """Seconds that are shown."""
    return int(st.session_state[SPAN])


def paused() -> bool:
    """Whether the page stands still."""
    return bool(st.session_state.get(PAUSED))


def every(seconds: float) -> float | None:
    """Seconds between two runs of a fragment that follows by itself; None while nothing follows."""
    return None if paused() else poll(seconds)


def poll(seconds: float) -> float | None:
    """As `every`, of what is waited for also while the page is paused."""
    return seconds if tab_memory.is_restored() else None


def current_view() -> View:
    """What is to be shown: the newest view, or while the page is paused the one that it was paused at."""
    state = st.session_state
    if not paused():
        state.pop(_FROZEN, None)
        view = take_view(span())
        state[_SHOWN] = view
        return view
    frozen: View | None = state.get(_FROZEN)
    if frozen is None:
        frozen = state[_FROZEN] = state.get(_SHOWN) or take_view(span())
    return frozen if frozen.seconds == span() else frozen.narrowed(span())
