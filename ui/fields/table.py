"""The rows of the fields table with their history, and what a grid's edits do to them. It knows no Streamlit.

A row is what was typed, also where it is no field yet: a description without a name is kept. Only `fields_of` makes
fields of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, get_args

from engine.text.fields import FIELDS_LIMIT, clean_fields
from engine.text.labels import clean_label, format_labels, parse_labels
from engine.types import FieldSpec, ValueType

STEPS = 50
"""Edits that can be undone."""
TYPES: tuple[ValueType, ...] = get_args(ValueType)

Row = dict[str, str | bool]
EMPTY: Row = {
    "name": "",
    "type": "text",
    "asked": "",
    "detail": "",
    "many": True,
    "required": False,
    "description": "",
}
"""A new row; its keys are the columns. asked: wordings as labels are typed. detail: a list's options, or a regular
expression."""


@dataclass
class FieldTable:
    """The rows, their history, and what the grid in the browser was given."""

    rows: list[Row] | None = None
    """None until there were any."""
    base: list[Row] = field(default_factory=list)
    """What the grid got: its edits are told from here, all of them each time, as long as it lives."""
    version: int = 0
    """A grid of another version is another grid: it has no edits yet."""
    published: list[Row] | None = None
    """The rows as they were last put where other code reads them; what differs there came from other code."""
    past: list[list[Row]] = field(default_factory=list)
    future: list[list[Row]] = field(default_factory=list)
    full: bool = False
    """The last change from code had more rows than are kept."""
    lock: RLock = field(default_factory=RLock, repr=False, compare=False)
    """Streamlit may start the next run of a session while the last one is still on its way out."""

    def take(self, edits: Any) -> None:
        """Take over what was edited in the grid; the same edits once more change nothing."""
        if self.rows is not None and isinstance(edits, Mapping):
            self._step_to(edited(self.base, edits))

    def replace(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Other rows, as one step that can be undone; the first ones are no step."""
        wanted = [clean_row(row) for row in rows]
        self.full = len(wanted) > FIELDS_LIMIT
        self._step_to(wanted[:FIELDS_LIMIT])
        self.renew()

    def step(self, *, back: bool) -> None:
        """Undo or redo one step, where there is one."""
        source, target = (self.past, self.future) if back else (self.future, self.past)
        if source:
            target.append(self.rows or [])
            self.rows = source.pop()
            self.renew()

    def adopt(self, found: Any) -> None:
        """Go on from what other code put there; it is no step."""
        if isinstance(found, list) and found != self.published:
            self.published = found
            rows = [clean_row(row) for row in found if isinstance(row, Mapping)][:FIELDS_LIMIT]
            if rows != self.rows:
                self.rows = rows
                self.renew()

    def renew(self) -> None:
        """Begin another grid with the rows as they are."""
        self.base = [dict(row) for row in self.rows or []]
        self.version += 1

    def _step_to(self, rows: list[Row]) -> None:
        if self.rows is not None and self.rows != rows:
            self.past.append(self.rows)
            del self.past[:-STEPS]
            self.future.clear()
        self.rows = rows


def clean_row(given: Mapping[str, Any]) -> Row:
    """A whole row: what is missing, empty or of another kind is as in a new row (a grid sends None, a table NaN)."""
    row = dict(EMPTY)
    for name, default in EMPTY.items():
        value = given.get(name)
        if isinstance(value, type(default)):
            row[name] = value
    if row["type"] not in TYPES:
        row["type"] = "text"
    return row


def edited(base: Sequence[Row], edits: Mapping[str, Any]) -> list[Row]:
    """The rows after a grid's edits.

    edits: {"edited_rows": {place: {column: value}}, "deleted_rows": [place], "added_rows": [{column: value}]} with
        places in `base`. What does not look like this is left alone: it comes from a browser.
    """
    changes = {int(place): change for place, change in (edits.get("edited_rows") or {}).items()}
    deleted = set(edits.get("deleted_rows") or ())
    kept = [clean_row(row | changes.get(place, {})) for place, row in enumerate(base) if place not in deleted]
    return kept + [clean_row(row) for row in edits.get("added_rows") or () if isinstance(row, Mapping)]


def fields_of(rows: Iterable[Row]) -> tuple[FieldSpec, ...]:
    """The fields that the rows stand for: rows without a name are none yet, and of two with one name the first is."""
    return clean_fields(_field(row) for row in rows)


def rows_of(field_set: Iterable[FieldSpec]) -> list[Row]:
    """The inverse of `fields_of`."""
    return [
        {
            "name": one.name,
            "type": one.type,
            "asked": format_labels(one.asked),
            "detail": one.pattern if one.type == "regex" else format_labels(one.options),
            "many": one.many,
            "required": one.required,
            "description": one.description,
        }
        for one in field_set
    ]


def nameless(rows: Iterable[Row]) -> int:
    """How many rows have something typed but no name."""
    return sum(not clean_label(str(row["name"])) and row != EMPTY for row in rows)


def repeated(rows: Iterable[Row]) -> list[str]:
    """Names that more than one row has."""
    names = [clean_label(str(row["name"])) for row in rows]
    return [name for name in dict.fromkeys(names) if name and names.count(name) > 1]


def _field(row: Row) -> FieldSpec:
    kind = next(one for one in TYPES if one == row["type"])
    detail = str(row["detail"])
    return FieldSpec(
        name=str(row["name"]),
        asked=tuple(parse_labels(str(row["asked"]))),
        description=str(row["description"]),
        type=kind,
        options=tuple(parse_labels(detail)) if kind == "list" else (),
        pattern=detail.strip() if kind == "regex" else "",
        many=bool(row["many"]),
        required=bool(row["required"]),
    )
