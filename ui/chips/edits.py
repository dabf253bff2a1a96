"""A list of labels with its history, and what the browser's edits do to it. It knows no Streamlit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any
from uuid import uuid4

from engine.text.labels import clean_label, normalise_labels, parse_labels

STEPS = 50
"""Edits that can be undone."""
MOST = 1000
"""Labels that are kept: more than any model's context holds, and what a browser still draws at once."""


@dataclass
class LabelList:
    """The labels, their history, and how far the browser's edits are taken over."""

    labels: list[str] | None = None
    """None until there were any."""
    published: list[str] | None = None
    """The labels as they were last put where other code reads them; what differs there came from other code."""
    past: list[list[str]] = field(default_factory=list)
    future: list[list[str]] = field(default_factory=list)
    session: str = field(default_factory=lambda: uuid4().hex)
    """Sent to the browser and back: edits made for another session (the server was restarted) are not for this list."""
    source: str = ""
    """The editor in the browser that the last edits came from; its edits are numbered from 1."""
    ack: int = 0
    """The number of the last edit taken over from it."""
    notice: int = 0
    """Grows with each change, so that the browser shows what came of it once."""
    merged: tuple[str, ...] = ()
    """Labels that the last change gave once more."""
    full: bool = False
    """The last change gave more labels than are kept."""
    lock: RLock = field(default_factory=RLock, repr=False, compare=False)
    """Streamlit may start the next run of a session while the last one is still on its way out."""

    def take(self, sent: Any) -> None:
        """Take over edits from the browser; those that were taken over before are left alone.

        sent: {"session": str, "from": str, "list": [{"seq": int, "op": str, ...}]}, the operations those of `edited`
            and "undo" and "redo". What does not look like this is left alone: it comes from a browser.
        """
        if not isinstance(sent, dict) or sent.get("session") != self.session or not isinstance(sent.get("list"), list):
            return
        if sent.get("from") != self.source:
            self.source, self.ack = str(sent.get("from")), 0
        for edit in sent["list"]:
            sound = isinstance(edit, dict) and isinstance(edit.get("seq"), int) and isinstance(edit.get("op"), str)
            if sound and edit["seq"] > self.ack:
                self.ack = edit["seq"]
                if edit["op"] in {"undo", "redo"}:
                    self.step(back=edit["op"] == "undo")
                else:
                    self.replace(edited(self.labels or [], edit))

    def replace(self, labels: Sequence[str]) -> None:
        """Other labels, cleaned, as one step that can be undone; the first ones are no step."""
        wanted = normalise_labels(labels)
        kept = list(wanted.labels[:MOST])
        self._tell(wanted.merged, full=len(wanted.labels) > MOST)
        if self.labels is not None and self.labels != kept:
            self.past.append(self.labels)
            del self.past[:-STEPS]
            self.future.clear()
        self.labels = kept

    def step(self, *, back: bool) -> None:
        """Undo or redo one step, where there is one."""
        source, target = (self.past, self.future) if back else (self.future, self.past)
        if source:
            self._tell((), full=False)
            target.append(self.labels or [])
            self.labels = source.pop()

    def adopt(self, found: Sequence[str] | None) -> None:
        """Go on from what other code put there; it is no step."""
        if found is not None and list(found) != self.published:
            self.published = list(found)
            self.labels = list(normalise_labels(found).labels[:MOST])

    def _tell(self, merged: tuple[str, ...], *, full: bool) -> None:
        self.notice += 1
        self.merged, self.full = merged, full


def edited(labels: Sequence[str], edit: dict[str, Any]) -> list[str]:
    """The list after one edit; an edit of a label that is gone changes nothing.

    edit: {"op": "add", "raw"} appends typed or pasted text, split; {"op": "edit", "label", "raw"} replaces one label by
        one, or removes it for blank text; {"op": "remove", "label"}; {"op": "move", "label", "before"} puts it before
        another label, or last for None; {"op": "clear"}.
    """
    operation, label, kept = edit["op"], edit.get("label"), list(labels)
    if operation == "add":
        return kept + parse_labels(str(edit.get("raw", "")))
    if operation == "clear":
        return []
    if label not in kept:
        return kept
    place = kept.index(label)
    del kept[place]
    if operation == "edit":
        kept[place:place] = _one(str(edit.get("raw", "")))
    elif operation == "move":
        before = edit.get("before")
        kept.insert(kept.index(before) if before in kept else len(kept), str(label))
    return kept if operation in {"edit", "move", "remove"} else list(labels)


def _one(raw: str) -> list[str]:
    """A chip stays one label: quotes around all of it are taken off, a comma within is part of it."""
    parsed = parse_labels(raw)
    if len(parsed) == 1:
        return parsed
    return [label for label in [clean_label(raw)] if label]
