"""Tables of Excel workbooks (xlsx). The first row with anything in it is the head, or the first one after titles above
it; rows without anything are none.

Numbers, true and false stay what they are, dates are ISO 8601 texts, a formula counts as the value that the workbook
keeps for it. Of merged cells only the first has the value, as the workbook has it.
"""

import datetime
import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

from engine.errors import WorkbenchError
from engine.jobs.tables.cells import as_text, duration
from engine.jobs.tables.excel_book import Book, Show, Texts, package, read_book, shared_texts, tag, text_of, unescape
from engine.jobs.tables.table import Table, column_names, unreadable
from engine.jobs.tables.title_lines import LOOKED_AT, titles_above
from engine.jobs.types import Form, SourceRow
from engine.messages import Phrase

_WIDEST = 16_384
"""Columns of a sheet at most, as in Excel."""


@dataclass
class _Line:
    """A row of a sheet: values by place, and what is odd about it."""

    cells: dict[int, Any] = field(default_factory=dict)
    problem: Phrase | None = None


class ExcelTable(Table):
    """Rows of one sheet of a workbook."""

    def __init__(self, path: Path, form: Form) -> None:
        super().__init__(path, form, ())
        with closing(self._lines()) as lines:
            first = list(islice(lines, 1))
            if first and len(first[0].cells) == 1:
                with suppress(WorkbenchError):  # damage further down is told where it is reached
                    first.extend(islice(lines, LOOKED_AT))
        if not first:
            raise unreadable(path, Phrase("sheet_empty", sheet=form.sheet))
        self._titles = titles_above(_as_texts(first))
        head = first[self._titles]
        self._first, last = min(head.cells), max(head.cells)
        names = [as_text(head.cells.get(place)) for place in range(self._first, last + 1)]
        super().__init__(path, form, column_names(names))

    def _rows(self, start: int) -> Iterator[SourceRow]:
        for number, line in enumerate(islice(self._lines(), self._titles + 1, None)):
            if number >= start:
                yield self._row(number, line)

    def _row(self, number: int, line: _Line) -> SourceRow:
        places = range(self._first, self._first + len(self.columns))
        values = {name: line.cells.get(place, "") for name, place in zip(self.columns, places, strict=True)}
        outside = [value for place, value in sorted(line.cells.items()) if place not in places]
        if outside:
            values[self.extra] = outside
            count = len(self.columns) + len(outside)
            return SourceRow(
                number, values, line.problem or Phrase("row_length", cells=count, columns=len(self.columns))
            )
        return SourceRow(number, values, line.problem)

    def _lines(self) -> Generator[_Line]:
        """Rows that hold something, the head among them."""
        with package(self.path) as opened:
            book = read_book(self.path, opened)
            part = next((sheet.part for sheet in book.sheets if sheet.name == self.form.sheet), None)
            if part is None:
                names = ", ".join(sheet.name for sheet in book.sheets)
                raise unreadable(self.path, Phrase("sheet_missing", sheet=self.form.sheet, sheets=names))
            with shared_texts(opened, book.texts) as texts:
                yield from _read_sheet(opened, part, _Cells(book, texts))


def find_sheet(path: Path, wanted: str | None) -> str:
    """The sheet of that name; without one the first that is seen and not empty, else the first that is not empty."""
    with package(path) as opened:
        book = read_book(path, opened)
        if wanted:
            if all(sheet.name != wanted for sheet in book.sheets):
                names = ", ".join(sheet.name for sheet in book.sheets)
                raise unreadable(path, Phrase("sheet_missing", sheet=wanted, sheets=names))
            return wanted
        if not book.sheets:
            raise unreadable(path, Phrase("excel_no_workbook"))
        cells = _Cells(book, Texts())
        for sheet in sorted(book.sheets, key=lambda sheet: not sheet.visible):
            cells.only_seen = True
            with closing(_read_sheet(opened, sheet.part, cells)) as lines:
                if next(lines, None) is not None:
                    return sheet.name
    raise unreadable(path, Phrase("table_empty"))


def sheet_names(path: Path) -> tuple[str, ...]:
    """Names of the worksheets; those that are seen come first."""
    with package(path) as opened:
        sheets = read_book(path, opened).sheets
    return tuple(sheet.name for sheet in sorted(sheets, key=lambda sheet: not sheet.visible))


def _as_texts(lines: Sequence[_Line]) -> list[list[str]]:
    """Rows as texts of one width, from the first column that is used to the last."""
    used = {place for line in lines for place in line.cells}
    return [[as_text(line.cells.get(place)) for place in range(min(used), max(used) + 1)] for line in lines]


def _read_sheet(opened: ZipFile, part: str, cells: "_Cells") -> Generator[_Line]:
    with opened.open(part) as source:
        data: ElementTree.Element | None = None
        for event, element in ElementTree.iterparse(source, ("start", "end")):  # noqa: S314 - expat bounds entities
            kind = tag(element)
            if event == "start":
                data = element if kind == "sheetData" else data
            elif kind == "row" and data is not None:
                line = cells.line(element)
                data.clear()
                if line.cells:
                    yield line
            elif kind == "sheetData":
                return


class _Cells:
    """Makes values of a sheet's cells."""

    def __init__(self, book: Book, texts: Texts) -> None:
        self._book = book
        self._texts = texts
        self._shared: dict[str, Any] = {}
        self.only_seen = False
        """Whether it matters only that there is something: the shared texts are not there."""

    def line(self, row: ElementTree.Element) -> _Line:
        """A row; cells without a value are left out."""
        line, place = _Line(), -1
        for cell in row:
            if tag(cell) != "c":
                continue
            place = _place(cell.get("r", "").rstrip("0123456789")) if cell.get("r") else place + 1
            value = self._value(cell, line)
            if value is not None and value != "":
                line.cells[place] = value
        return line

    def _value(self, cell: ElementTree.Element, line: _Line) -> Any:
        kind, raw, formula, inline = cell.get("t", "n"), None, None, None
        for child in cell:
            name = tag(child)
            if name == "v":
                raw = child.text or ""
            elif name == "f":
                formula = child
            elif name == "is":
                inline = text_of(child)
        if formula is not None:
            written = self._formula(cell, formula)
            if not raw and (raw is None or kind != "str"):
                line.problem = line.problem or Phrase("row_formula")
                return written
        if kind == "inlineStr" or not raw:
            return inline
        if kind == "n":
            return self._number(raw, cell, line)
        return self._other(kind, raw, line)

    def _other(self, kind: str, raw: str, line: _Line) -> Any:
        """A value that is no number."""
        if kind == "e":
            line.problem = line.problem or Phrase("row_error_cell", value=raw)
            return raw
        if kind == "s":
            return raw if self.only_seen else self._texts[int(raw)]
        if kind == "b":
            return raw not in {"0", "false"}
        return unescape(raw)  # the text of a formula, a date that is written in ISO 8601

    def _number(self, raw: str, cell: ElementTree.Element, line: _Line) -> Any:
        style = int(cell.get("s", "0"))
        show = self._book.shows[style] if style < len(self._book.shows) else ""
        value = float(raw)
        if isinstance(show, str) and show:
            try:
                return _date(value, show, self._book.from_1904)
            except (ValueError, OverflowError):
                line.problem = line.problem or Phrase("row_odd_date", value=raw)
        number = _shown(raw, value)
        if isinstance(show, int) and isinstance(number, int) and number >= 0:
            return f"{number:0{show}d}"
        return number

    def _formula(self, cell: ElementTree.Element, formula: ElementTree.Element) -> str:
        """A formula as it is typed; one that is shared is moved to its cell."""
        text = f"={formula.text or ''}"
        number = formula.get("si")
        if number is None:
            return text
        from openpyxl.formula.translate import Translator

        if formula.text:
            self._shared[number] = Translator(text, cell.get("r", "A1"))
        elif number in self._shared:
            return str(self._shared[number].translate_formula(cell.get("r", "A1")))
        return text


def _date(value: float, show: Show, from_1904: bool) -> str:
    """A date, a time or both by Excel's count of days."""
    from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel

    epoch = MAC_EPOCH if from_1904 else WINDOWS_EPOCH
    found = from_excel(value, epoch, timedelta=show == "duration")
    if isinstance(found, datetime.timedelta):
        return duration(found)
    if isinstance(found, datetime.datetime) and show == "date" and found.time() == datetime.time():
        return found.date().isoformat()
    return str(found.isoformat())


def _shown(raw: str, value: float) -> int | float | str:
    """A number as Excel shows it: 15 digits, a whole one without a point. What is no finite number is text."""
    if not math.isfinite(value):
        return raw
    if raw.lstrip("+-").isdigit() and len(raw) <= 18:
        return int(raw)
    value = float(format(value, ".15g"))
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


@lru_cache(maxsize=1024)
def _place(letters: str) -> int:
    """A column's place from 0 on by its letters.

    >>> _place("A"), _place("AB")
    (0, 27)
    """
    place = 0
    for letter in letters.upper():
        place = place * 26 + ord(letter) - 64
    if not 1 <= place <= _WIDEST:
        raise ValueError(f"no column is named {letters[:20]}")
    return place - 1
