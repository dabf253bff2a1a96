"""Tables of separated text. Cells are text as typed: NA, 007 and 1e5 stay so, and an empty cell stays empty."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from engine.jobs.tables.csv_records import NO_SEPARATOR, Record, records
from engine.jobs.tables.guard import GUARDED, unguard, unguard_name
from engine.jobs.tables.table import Table, column_names, unreadable
from engine.jobs.tables.text_form import open_text
from engine.jobs.tables.title_lines import LOOKED_AT, titles_above
from engine.jobs.types import Form, SourceRow
from engine.messages import Phrase

_WIDEST = 100_000
"""Columns at most: a line of separators alone would make millions."""


class CsvTable(Table):
    """Rows of separated text; the first record is the head, or the first one after titles above it.

    The last column `GUARDED` marks an export of the workbench's own: it names the cells that got an apostrophe there,
    and these come back without it.
    """

    def __init__(self, path: Path, form: Form) -> None:
        with open_text(path, form.encoding) as source:
            first = list(islice(_records(records(source, _delimiter(form))), LOOKED_AT))
        if not first:
            raise unreadable(path, Phrase("table_empty"))
        self._titles = titles_above([record.cells for record in first])
        head = first[self._titles]
        if len(head.cells) > _WIDEST:
            raise unreadable(path, Phrase("table_too_wide", columns=len(head.cells), limit=_WIDEST))
        self._own = len(head.cells) > 1 and head.cells[-1] == GUARDED
        names = [unguard_name(name) for name in head.cells[:-1]] if self._own else head.cells
        self._width = len(head.cells)
        super().__init__(path, form, column_names(names))

    def _rows(self, start: int) -> Iterator[SourceRow]:
        for number, record in enumerate(self._records()):
            if number >= start:
                yield self._row(number, record)

    def _count(self) -> int:
        return sum(1 for _ in self._records())

    def _records(self) -> Iterator[Record]:
        with open_text(self.path, self.form.encoding) as source:
            yield from islice(_records(records(source, _delimiter(self.form), self._width)), self._titles + 1, None)

    def _row(self, number: int, record: Record) -> SourceRow:
        cells = record.cells
        if not self._own or len(cells) != self._width:
            return self.row_of(number, cells, record.problem)
        row = self.row_of(number, cells[:-1], record.problem)
        if cells[-1]:
            _restore(row.values, cells[-1])
        return row


def _records(found: Iterator[Record]) -> Iterator[Record]:
    """The records without the line with which Excel is told the separator."""
    first = next(found, None)
    if first is not None and first.cells != ["sep=", ""]:
        yield first
    yield from found


def _delimiter(form: Form) -> str:
    return form.separator or NO_SEPARATOR


def _restore(values: dict[str, Any], guarded: str) -> None:
    """Take the apostrophes off the cells that are named, wherever they are still there."""
    try:
        names = json.loads(guarded)
    except ValueError:
        return
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and isinstance(values.get(name), str):
            values[name] = unguard(values[name])
