"""Writes exports as Excel workbooks, row by row. Texts are texts there: none is a formula, an error or a date.

What Excel cannot hold is cut in sight: texts end with `CUT` after 32,767 characters, rows go on in a further sheet.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.jobs.cells import as_text, whole
from engine.jobs.layout import Layout, OutRow
from engine.text.spreadsheet import safe_cell

CUT = "… [cut]"
_LONGEST = 32_767
_ROWS = 1_048_576
"""Of a sheet at most, the head among them."""
_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def write_xlsx(rows: Iterable[OutRow], layout: Layout, path: Path, most: int = _ROWS) -> int:
    """Write the rows; how many they were. most: rows in a sheet."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet, count = None, 0
    for row in rows:
        if sheet is None or count % (most - 1) == 0:
            sheet = _sheet(book, layout, count // (most - 1))
        sheet.append([_cell(sheet, value) for value in layout.row(row).values()])
        count += 1
    if sheet is None:
        _sheet(book, layout, 0)
    book.save(path)
    return count


def _sheet(book: Any, layout: Layout, number: int) -> Any:
    sheet = book.create_sheet("rows" if not number else f"rows {number + 1}")
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, name) for name in layout.names])
    return sheet


def _cell(sheet: Any, value: Any) -> Any:
    """A cell of the value's own type; whole numbers that Excel would round are text."""
    from openpyxl.cell import WriteOnlyCell

    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int) and abs(value) < 10**15:
        return value
    text = as_text(value)
    if not text:
        return None
    cell = WriteOnlyCell(sheet, excel_text(text))
    cell.data_type = "s"
    if safe_cell(text) != text:
        cell.quotePrefix = True  # it stays text when a user opens the cell and leaves it again
    return cell


def excel_text(text: str) -> str:
    """A text as a workbook holds it: characters that XML cannot hold as `_x000D_`, and no longer than a cell.

    >>> excel_text("a\\rb"), excel_text("_x000D_")
    ('a_x000D_b', '_x005F_x000D_')
    """
    text = whole(text)
    escaped = _escape(text)
    keep = _LONGEST
    while len(escaped) > _LONGEST:
        keep -= max(1, len(CUT), len(escaped) - _LONGEST)
        escaped = _escape(text[: max(0, keep)]) + CUT
    return escaped


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
