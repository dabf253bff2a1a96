"""Tables of separated text. Cells are text as typed: NA, 007 and 1e5 stay so, and an empty cell stays empty."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.jobs.csv_records import NO_SEPARATOR, Record, records
from engine.jobs.guard import GUARDED, unguard, unguard_name
from engine.jobs.table import Table, column_names, unreadable
from engine.jobs.text_form import open_text
from engine.jobs.types import Form, SourceRow
from engine.messages import Phrase


class CsvTable(Table):
    """Rows of separated text; the first record is the head.

    The last column `GUARDED` marks an export of the workbench's own: it names the cells that got an apostrophe there,
    and these come back without it.
    """

    def __init__(self, path: Path, form: Form) -> None:
        with open_text(path, form.encoding) as source:
            head = _head(records(source, _delimiter(form)))
        if head is None:
            raise unreadable(path, Phrase("table_empty"))
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
            found = records(source, _delimiter(self.form), self._width)
            _head(found)
            yield from found

    def _row(self, number: int, record: Record) -> SourceRow:
        cells = record.cells
        if not self._own or len(cells) != self._width:
            return self.row_of(number, cells, record.problem)
        row = self.row_of(number, cells[:-1], record.problem)
        if cells[-1]:
            _restore(row.values, cells[-1])
        return row


def _head(found: Iterator[Record]) -> Record | None:
    """The first record, after the line with which Excel is told the separator."""
    head = next(found, None)
    return next(found, None) if head is not None and head.cells == ["sep=", ""] else head


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
