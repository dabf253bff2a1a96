"""The label editor: chips that are typed, pasted, moved, edited and removed, with undo. A components-v2 component.

The browser shows Python's list plus the edits that Python has not taken over yet, and sends those again with every new
one until they are acknowledged: typing during a slow run loses nothing, and a late answer never undoes newer work.
Edits name labels, not places, so they still fit when code has replaced the list meanwhile. Typed text is split in
Python alone (engine.text.labels). The list lives in session_state under a plain key, not in the widget, so that it
survives page changes and other code may read it.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from engine.text.labels import format_labels, normalise_labels
from ui.chips.edits import STEPS, Log, edited

MOST = 1000
"""Labels that are kept: more than any model's context holds, and what a browser still draws at once."""

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
    first = _log_key(key) not in st.session_state
    if key not in st.session_state:
        _replace(key, default)
    take_edits(key)
    known = normalise_labels(st.session_state[key])
    if list(known.labels) != st.session_state[key]:
        st.session_state[key] = list(known.labels)  # other code put it there as it liked
    log = _log(key)
    result = _component(
        key=_widget(key),
        data={
            "labels": list(known.labels),
            "copy": format_labels(known.labels),
            "twins": [label for group in known.twins for label in group],
            "session": log.session,
            "from": log.source,
            "ack": log.ack,
            "undo": bool(log.past),
            "redo": bool(log.future),
            "notice": log.notice,
            "merged": list(log.merged),
            "full": MOST if log.full else 0,
            "disabled": disabled,
            "texts": asdict(texts or ChipTexts()),
        },
        on_edits_change=lambda: take_edits(key),
        height="content",
    )
    if first:
        # A browser that outlived its session (the server was restarted) still holds that session's last edits.
        log.skip(result.edits)
    return known.labels


def set_labels(key: str, labels: Sequence[str]) -> None:
    """Replace the list from code, as one step that can be undone."""
    take_edits(key)
    _replace(key, labels)


def undo(key: str) -> None:
    """Go back one step; nothing to undo is fine."""
    take_edits(key)
    _step(key, back=True)


def redo(key: str) -> None:
    """Go forward one undone step; nothing to redo is fine."""
    take_edits(key)
    _step(key, back=False)


def take_edits(key: str) -> None:
    """Take over what the browser has sent so far; call it first in a callback that reads the labels.

    Leaving the label box and pressing a button arrive together, and Streamlit calls the button's callback first.
    """
    state: Any = st.session_state.get(_widget(key))
    if state is not None:
        apply_edits(key, state.get("edits"))


def apply_edits(key: str, sent: Any) -> None:
    """Take over edits: {"from", "list": [{"seq", "op", ...}]}; those that were taken over before are left alone.

    The operations are those of `ui.chips.edits.edited`, and "undo" and "redo".
    """
    for edit in _log(key).unseen(sent):
        if edit["op"] in {"undo", "redo"}:
            _step(key, back=edit["op"] == "undo")
        else:
            _replace(key, edited(st.session_state.get(key) or [], edit))


def _replace(key: str, labels: Sequence[str]) -> None:
    wanted = normalise_labels(labels)
    log = _log(key)
    log.tell(wanted.merged, full=len(wanted.labels) > MOST)
    kept = list(wanted.labels[:MOST])
    current = st.session_state.get(key)
    if current is not None and current != kept:
        log.past.append(current)
        del log.past[:-STEPS]
        log.future.clear()
    st.session_state[key] = kept


def _step(key: str, *, back: bool) -> None:
    log = _log(key)
    source, target = (log.past, log.future) if back else (log.future, log.past)
    if source:
        log.tell((), full=False)
        target.append(st.session_state.get(key) or [])
        st.session_state[key] = source.pop()


def _log(key: str) -> Log:
    log: Log = st.session_state.setdefault(_log_key(key), Log())
    return log


def _log_key(key: str) -> str:
    return f"{key}_edits"


def _widget(key: str) -> str:
    return f"{key}_chips"
