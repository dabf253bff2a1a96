"""Tables of JSON: an object a line, or one array of objects. Values stay as they are, nested ones too.

A line that is no object is a row with a problem, and its text is kept.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from engine.jobs.csv_records import LONGEST, MARK
from engine.jobs.table import Table, free_name, unreadable
from engine.jobs.text_form import open_text
from engine.jobs.types import Form, SourceRow
from engine.messages import Phrase

_FIRST = 1000
"""Rows whose names make the columns."""


class JsonlTable(Table):
    """Rows of JSON objects; columns are the names of the first rows, in the order of their coming."""

    def __init__(self, path: Path, form: Form) -> None:
        super().__init__(path, form, ())
        names: dict[str, None] = {}
        for row in islice(self.rows(), _FIRST):
            if row.problem is None or self.extra not in row.values:
                names.update(dict.fromkeys(row.values))
        if not names:
            raise unreadable(path, Phrase("table_no_objects"))
        super().__init__(path, form, names)

    def rows(self, start: int = 0) -> Iterator[SourceRow]:
        """See `Table.rows`."""
        for number, (text, value) in enumerate(self._values()):
            if number >= start:
                yield self._row(number, text, value)

    def _row(self, number: int, text: str, value: Any) -> SourceRow:
        problem = Phrase("row_bytes") if MARK in text else None
        if not isinstance(value, dict):
            return SourceRow(number, {self.extra: text.replace(MARK, "\ufffd")}, Phrase("row_not_json"))
        return SourceRow(number, value, problem)

    def _values(self) -> Iterator[tuple[str, Any]]:
        with open_text(self.path, self.form.encoding) as source:
            while line := source.readline(LONGEST):
                text = line.removeprefix("\ufeff").strip()
                if text:
                    yield text, read_json(text.replace(MARK, "\ufffd"))


def read_json(text: str) -> Any:
    """A JSON value; None where it is none. A name that comes twice in an object gets a number, so that both are kept."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        made = {}
        for name, value in pairs:
            made[free_name(name, made)] = value
    return made
