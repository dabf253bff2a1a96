"""Writes exports as Excel workbooks, row by row. Texts are texts there: none is a formula, an error or a date.

What Excel cannot hold is cut in sight: texts end with `CUT` after 32,767 characters, rows go on in a further sheet.

The package is written here, because openpyxl puts all rows into a temporary file elsewhere first, cuts texts without a
word, and cannot be stopped cleanly when the disk is full.
"""

import math
import re
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from engine.jobs.exports.layout import Layout, OutRow
from engine.jobs.tables.cells import as_text, whole
from engine.text.spreadsheet import safe_cell

CUT = "… [cut]"
_LONGEST = 32_767
_ROWS = 1_048_576
"""Of a sheet at most, the head among them."""
_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_QUOTED = ' s="1"'
"""The style of texts that stay texts when a user opens the cell and leaves it again."""
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2">'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
_VIEW = (
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" '
    'state="frozen"/></sheetView></sheetViews>'
)


def write_xlsx(rows: Iterable[OutRow], layout: Layout, path: Path, most: int = _ROWS) -> int:
    """Write the rows; how many they were. most: rows in a sheet."""
    left, count, sheets = iter(rows), 0, 0
    letters = [_letters(place) for place in range(len(layout.names))]
    with path.open("wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        first = next(left, None)
        while first is not None or not sheets:
            sheets += 1
            some = islice(chain([] if first is None else [first], left), most - 1)
            with out.open(f"xl/worksheets/sheet{sheets}.xml", "w", force_zip64=True) as part:
                part.write(f'{_HEAD}<worksheet xmlns="{_MAIN}">{_VIEW}<sheetData>'.encode())
                part.write(_line(1, letters, layout.names))
                number = 1
                for number, row in enumerate(some, 2):
                    part.write(_line(number, letters, layout.row(row).values()))
                part.write(b"</sheetData></worksheet>")
            count += number - 1
            first = next(left, None)
        for name, content in _parts(sheets):
            out.writestr(name, content)
    return count


def excel_text(text: str) -> str:
    """A text as a workbook holds it: characters that XML cannot hold as `_x000D_`, and no longer than a cell.

    >>> excel_text("a\\rb"), excel_text("_x000D_")
    ('a_x000D_b', '_x005F_x000D_')
    """
    text = whole(text)
    escaped = _escape(text)
    keep = _LONGEST - len(CUT)
    while len(escaped) > _LONGEST:
        escaped = _escape(text[:keep]) + CUT
        keep -= max(1, (len(escaped) - _LONGEST) // len("_x000D_"))
    return escaped


def _line(number: int, letters: list[str], cells: Iterable[Any]) -> bytes:
    inner = "".join(_cell(f"{letter}{number}", value) for letter, value in zip(letters, cells, strict=True))
    return f'<row r="{number}">{inner}</row>'.encode()


def _cell(place: str, value: Any) -> str:
    """A cell of the value's own type; nothing for nothing. Whole numbers that Excel would round are text."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{value:d}</v></c>'
    if (isinstance(value, float) and math.isfinite(value)) or (isinstance(value, int) and abs(value) < 10**15):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    text = as_text(value)
    style = "" if safe_cell(text) == text else _QUOTED
    shown = escape(excel_text(text))
    return f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{shown}</t></is></c>'


def _parts(sheets: int) -> Iterator[tuple[str, str]]:
    """The parts beside the sheets."""
    listed, related, typed = "", "", ""
    for number in range(1, sheets + 1):
        name = "rows" if number == 1 else f"rows {number}"
        listed += f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        related += f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        typed += f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    related += f'<Relationship Id="rId0" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    yield "xl/styles.xml", _STYLES
    yield (
        "xl/workbook.xml",
        f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
    )
    yield "xl/_rels/workbook.xml.rels", _relations(related)
    main = f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    yield "_rels/.rels", _relations(main)
    yield (
        "[Content_Types].xml",
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{typed}</Types>',
    )


def _relations(listed: str) -> str:
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _letters(place: int) -> str:
    """A column's letters by its place from 0 on.

    >>> _letters(0), _letters(27)
    ('A', 'AB')
    """
    letters, place = "", place + 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
