"""The label editor: chips that are typed, pasted, moved, edited and removed, with undo. A components-v2 component.

The browser's copy leads while it has edits that Python has not seen (`seq` beyond `ack`), so that fast typing during a
slow rerun loses nothing; otherwise Python's list leads. Typed text is split in Python alone (engine.text.labels).
The list lives in session_state under a plain key, not in the widget, so that it survives page changes.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from engine.text.labels import format_labels, normalise_labels, parse_labels

_HERE = Path(__file__).parent
_STEPS = 50
"""Edits that can be undone."""


@dataclass(frozen=True)
class ChipTexts:
    """What the editor says, in the page's language."""

    label: str
    placeholder: str
    remove: str
    undo: str
    redo: str
    clear: str
    twins: str


def label_chips(key: str, *, texts: ChipTexts) -> tuple[str, ...]:
    """Show the editor of the labels under session_state[key]; returns them as they are now."""
    labels = tuple(st.session_state.setdefault(key, []))
    twins = [label for group in normalise_labels(labels).twins for label in group]
    component = st.components.v2.component(
        "workbench_label_chips",
        html=(_HERE / "chips.html").read_text("utf-8"),
        css=(_HERE / "chips.css").read_text("utf-8"),
        js=(_HERE / "chips.js").read_text("utf-8"),
    )
    component(
        key=f"{key}_chips",
        data={
            "labels": list(labels),
            "copy": format_labels(labels),
            "twins": twins,
            "ack": st.session_state.get(_ack(key), 0),
            "undo": bool(st.session_state.get(_past(key))),
            "redo": bool(st.session_state.get(_future(key))),
            "texts": asdict(texts),
        },
        on_edits_change=lambda: take_edits(key),
        height="content",
    )
    return labels


def set_labels(key: str, labels: Sequence[str]) -> None:
    """Replace the list from code, as one step that can be undone."""
    wanted = list(normalise_labels(labels).labels)
    current = st.session_state.get(key)
    if current == wanted:
        return
    if current is not None:
        past = st.session_state.setdefault(_past(key), [])
        past.append(current)
        del past[:-_STEPS]
        st.session_state[_future(key)] = []
    st.session_state[key] = wanted


def undo(key: str) -> None:
    """Go back one step; nothing to undo is fine."""
    _step(key, _past(key), _future(key))


def redo(key: str) -> None:
    """Go forward one undone step; nothing to redo is fine."""
    _step(key, _future(key), _past(key))


def apply_edit(key: str, edit: dict[str, Any]) -> None:
    """Take over what the browser sent.

    edit: {"seq", "items": [{"label"} | {"raw"}]} with the whole list, or {"seq", "command": "undo" | "redo"}; a raw
        item is typed or pasted text, still to be split. An edit that was taken over before is left alone.
    """
    seq = int(edit.get("seq", 0))
    if seq <= st.session_state.get(_ack(key), 0):
        return
    if "items" in edit:
        labels: list[str] = []
        for item in edit["items"]:
            labels += parse_labels(str(item["raw"])) if "raw" in item else [str(item.get("label", ""))]
        set_labels(key, labels)
    if edit.get("command") == "undo":
        undo(key)
    elif edit.get("command") == "redo":
        redo(key)
    st.session_state[_ack(key)] = seq


def take_edits(key: str) -> None:
    """Take over what the browser has sent so far; call it first in a callback that reads or replaces the labels.

    Leaving the label box and pressing a button arrive together, and Streamlit may call the button's callback first.
    """
    state: Any = st.session_state.get(f"{key}_chips")
    for edit in (state.get("edits") if state is not None else None) or []:
        apply_edit(key, edit)


def _step(key: str, source: str, target: str) -> None:
    steps = st.session_state.get(source) or []
    if steps:
        st.session_state.setdefault(target, []).append(st.session_state[key])
        st.session_state[key] = steps.pop()


def _past(key: str) -> str:
    return f"{key}_past"


def _future(key: str) -> str:
    return f"{key}_future"


def _ack(key: str) -> str:
    return f"{key}_ack"
