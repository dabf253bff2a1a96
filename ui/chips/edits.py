"""What is remembered beside a list of labels, and what one edit from the browser does to it. No Streamlit here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from engine.text.labels import clean_label, parse_labels

STEPS = 50
"""Edits that can be undone."""


@dataclass
class Log:
    """The history of one list, and how far the browser's edits are taken over."""

    session: str = field(default_factory=lambda: uuid4().hex)
    """Another one tells the browser that its earlier edits are not known here."""
    past: list[list[str]] = field(default_factory=list)
    future: list[list[str]] = field(default_factory=list)
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

    def unseen(self, sent: Any) -> list[dict[str, Any]]:
        """The edits in what the browser sent that are new, in order; they count as taken over from now on.

        sent: {"from": str, "list": [{"seq": int, "op": str, ...}]}. What does not look like this is left alone: it
            comes from a browser.
        """
        if not isinstance(sent, dict) or not isinstance(sent.get("list"), list):
            return []
        if sent.get("from") != self.source:
            self.source, self.ack = str(sent.get("from")), 0
        fresh = []
        for edit in sent["list"]:
            sound = isinstance(edit, dict) and isinstance(edit.get("seq"), int) and isinstance(edit.get("op"), str)
            if sound and edit["seq"] > self.ack:
                self.ack = edit["seq"]
                fresh.append(edit)
        return fresh

    def skip(self, sent: Any) -> None:
        """Count what the browser sent as taken over."""
        self.unseen(sent)

    def tell(self, merged: tuple[str, ...], *, full: bool) -> None:
        """What came of a change, for the browser to show."""
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
