"""What an export says of each row, by column, and what becomes of input columns that have such a name already.

JSON Lines, the contract of `workbench batch`: the row's columns as given, plus `label` and `labels` (with `chosen`
where several labels may be) or `fields`, plus `error`: null, or code, message and hint. `problem` and `corrected` are
there only where there is one, or it is so.

Tables (csv, xlsx, parquet) have the same and `score`, one column a field with its values side by side, and `more`: what
the row has beyond the file's columns, as JSON. In csv and xlsx, `labels` and `fields` are JSON as text.

An input column of a name that the export needs is kept as `input_` and that name, `input_label` for `label`.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import WorkbenchError
from engine.jobs.tables.cells import as_text
from engine.jobs.tables.guard import GUARDED
from engine.jobs.tables.table import free_name
from engine.jobs.types import BatchTask
from engine.messages import Phrase

SIDE_BY_SIDE = " | "
"""Between values in one cell."""
_ANSWERS: dict[BatchTask, tuple[str, ...]] = {"classify": ("label", "labels", "chosen"), "extract": ("fields",)}
_ABOUT = ("error", "problem", "corrected")
_MORE = "more"


@dataclass(frozen=True)
class OutRow:
    """A row of the file with what became of it; where a user corrected the answer, the correction.

    values: the row's cells as given. label: the best of the labels that were chosen, None for none of them. labels:
    {"label", "score"} best first, or names where a user gave them. chosen: names, where several may be; else None.
    fields: values by field, as in `contracts.extract_json`. text: what was read.
    """

    values: dict[str, Any]
    label: str | None = None
    labels: Sequence[Any] | None = None
    fields: dict[str, Any] | None = None
    error: WorkbenchError | None = None
    corrected: bool = False
    problem: Phrase | None = None
    chosen: Sequence[str] | None = None
    score: float | None = None
    text: str = ""


class Layout:
    """The columns of an export as a table.

    columns: the input's. names: heads, in order. fields: names of fields that get a column of their own.
    """

    def __init__(self, columns: Iterable[str], task: BatchTask, *, fields: Sequence[str] = (), multi: bool = False):
        self.task = task
        self.given = tuple(columns)
        answers = [name for name in _ANSWERS[task] if multi or name != "chosen"]
        own = [*answers, "score", *_ABOUT, _MORE, GUARDED]
        self._inputs = input_names(self.given, own)
        taken = {*own, *self._inputs.values()}
        self._fields: dict[str, str] = {}
        for name in fields if task == "extract" else ():
            self._fields[name] = free_name(name or "field", taken)
            taken.add(self._fields[name])
        self.answers = tuple(answers)
        self.names = (*self._inputs.values(), *self._fields.values(), *answers, "score", *_ABOUT, _MORE)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Heads of the input's columns."""
        return tuple(self._inputs.values())

    def row(self, row: OutRow) -> dict[str, Any]:
        """The cells by head, in plain JSON types; None for what is not there."""
        cells: dict[str, Any] = {head: row.values.get(name) for name, head in self._inputs.items()}
        found = row.fields or {}
        for name, head in self._fields.items():
            cells[head] = SIDE_BY_SIDE.join(_value_text(value) for value in found.get(name) or ()) or None
        for name in self.answers:
            cells[name] = getattr(row, name)
        cells["score"] = row.score
        cells["error"] = None if row.error is None else f"{row.error.code}: {row.error.message}"
        cells["problem"] = None if row.problem is None else str(row.problem)
        cells["corrected"] = True if row.corrected else None
        more = {name: value for name, value in row.values.items() if name not in self._inputs}
        cells[_MORE] = json.dumps(more, ensure_ascii=False) if more else None
        return cells


def json_row(row: OutRow, task: BatchTask, names: dict[str, str]) -> dict[str, Any]:
    """A row as JSON Lines have it. names: new names of input columns, by their own (`input_names`)."""
    body = {names.get(name, name): value for name, value in row.values.items()}
    if task == "classify":
        body["label"] = row.label
        body["labels"] = None if row.labels is None else list(row.labels)
        if row.chosen is not None:
            body["chosen"] = list(row.chosen)
    else:
        body["fields"] = row.fields
    body["error"] = error_json(row.error)
    if row.problem is not None:
        body["problem"] = str(row.problem)
    if row.corrected:
        body["corrected"] = True
    return body


def input_names(columns: Iterable[str], needed: Iterable[str]) -> dict[str, str]:
    """For every input column its head in an export that needs some names itself; no two are the same.

    >>> input_names(["text", "label"], ["label"])
    {'text': 'text', 'label': 'input_label'}
    """
    given, own = list(columns), set(needed)
    taken = own | set(given)
    names = {}
    for name in given:
        if name in own:
            names[name] = free_name(f"input_{name}", taken)
            taken.add(names[name])
        else:
            names[name] = name
    return names


def json_names(task: BatchTask) -> tuple[str, ...]:
    """Names that JSON Lines need for themselves."""
    return (*_ANSWERS[task], *_ABOUT)


def error_json(error: WorkbenchError | None) -> dict[str, str] | None:
    """An error as the HTTP API writes it; None where there is none."""
    return None if error is None else {"code": error.code, "message": error.message, "hint": error.hint}


def _value_text(value: Any) -> str:
    return as_text(value.get("text")) if isinstance(value, dict) else as_text(value)
