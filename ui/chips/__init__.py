"""The label editor: chips that are typed, pasted, moved, edited and removed, with undo. A components-v2 component.

The browser shows Python's list plus the edits that Python has not taken over yet, and sends those again with every new
one until they are acknowledged: typing during a slow run loses nothing, and a late answer never undoes newer work.
Edits name labels, not places, so they still fit when code has replaced the list meanwhile. Typed text is split in
Python alone (engine.text.labels). The list lives in session_state under a plain key, not in the widget, so that it
survives page changes and other code may read and replace it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from engine.text.labels import format_labels, normalise_labels
from ui.chips.edits import MOST, LabelList

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "workbench_label_chips",
    html=(_HERE / "chips.html").read_text("utf-8"),
    css=(_HERE / "chips.css").read_text("utf-8"),
    js="\n".join((_HERE / name).read_text("utf-8") for name in ("pending.js", "chips.js", "drawing.js")),
)


@dataclass(frozen=True)
class ChipTexts:
    """What the editor says, in the page's language; {label}, {place} and {count} are filled in by the editor."""

    label: str = "Labels"
    placeholder: str = "Add labels: Enter, commas or paste"
    remove: str = "Remove"
    undo: str = "Undo"
    redo: str = "Redo"
    clear: str = "Remove all"
    twins: str = "differs from another label only in width or case"
    keys: str = "Arrow keys: walk; Alt with arrow keys: move; Enter: edit; Delete: remove"
    place: str = "{label}, {place} of {count}"
    added: str = "Added: {label}"
    removed: str = "Removed: {label}"
    cleared: str = "All labels removed"
    known: str = "Already there: {label}"
    changed: str = "{count} labels"
    copied: str = "Copied"
    full: str = "Only the first {count} labels are kept."


def label_chips(
    key: str, *, texts: ChipTexts | None = None, default: Sequence[str] = (), disabled: bool = False
) -> tuple[str, ...]:
    """Show the editor of the labels under session_state[key]; returns them as they are now.

    default: the labels where there are none under the key yet. disabled: shown, but not to be edited.
    """
    with _change(key) as own:
        if own.labels is None:
            own.replace(default)
        known = normalise_labels(own.labels or [])
        data = {
            "labels": list(known.labels),
            "copy": format_labels(known.labels),
            "twins": [label for group in known.twins for label in group],
            "session": own.session,
            "from": own.source,
            "ack": own.ack,
            "undo": bool(own.past),
            "redo": bool(own.future),
            "notice": own.notice,
            "merged": list(own.merged),
            "full": MOST if own.full else 0,
            "disabled": disabled,
            "texts": asdict(texts or ChipTexts()),
        }
    _component(key=_widget(key), data=data, on_edits_change=lambda: take_edits(key), height="content")
    return known.labels


def set_labels(key: str, labels: Sequence[str]) -> None:
    """Replace the list from code, as one step that can be undone."""
    with _change(key) as own:
        own.replace(labels)


def undo(key: str) -> None:
    """Go back one step; nothing to undo is fine."""
    with _change(key) as own:
        own.step(back=True)


def redo(key: str) -> None:
    """Go forward one undone step; nothing to redo is fine."""
    with _change(key) as own:
        own.step(back=False)


def take_edits(key: str) -> None:
    """Take over what the browser has sent so far; call it first in a callback that reads the labels.

    Leaving the label box and pressing a button arrive together, and Streamlit calls the button's callback first.
    """
    with _change(key):
        pass


@contextmanager
def _change(key: str) -> Iterator[LabelList]:
    """The list with the browser's edits taken over, to be changed; afterwards it is under its key for other code.

    A new request ends a run, and a callback too, at any use of session_state. So the edits and the change are made to
    one object in memory, at one go, and what is under the key follows: at the next run where this one ends before it.
    """
    state: Any = st.session_state.get(_widget(key))
    own: LabelList = st.session_state.setdefault(f"{key}_edits", LabelList())
    with own.lock:
        own.adopt(st.session_state.get(key))
        if state is not None:
            own.take(state.get("edits"))
        yield own
        if own.labels is not None and own.labels != own.published:
            st.session_state[key] = list(own.labels)
            own.published = list(own.labels)


def _widget(key: str) -> str:
    return f"{key}_chips"
