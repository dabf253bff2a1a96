"""Finds the encoding and the separator of a text file from a bounded part of it, and opens it so that no byte is fatal.

Bytes that are no text in the encoding become `text_lines.MARK`, one for each fault, so that their row can be told.
"""

import codecs
import io
import re
from pathlib import Path
from typing import TextIO

from engine.jobs.tables.csv_records import records
from engine.jobs.tables.encodings import guess_encoding
from engine.jobs.tables.table import unreadable
from engine.jobs.tables.text_lines import MARK
from engine.jobs.tables.title_lines import LOOKED_AT, titles_above
from engine.messages import Phrase

SAMPLE = 2**18
"""Bytes that are looked at, and characters at most."""
_RECORDS = 200
"""Records that the separator is found from."""
_SEPARATORS = "\t,;|"
"""In the order of preference where all else is equal: a TAB is seldom typed in a text."""
_HINT = re.compile("sep=([,;\\t|])\r?\n")
"""A first line by which Excel is told the separator."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return MARK, error.end


codecs.register_error("workbench_mark", _mark)


def open_text(path: Path, encoding: str) -> TextIO:
    """The file as text with its line ends as they are.

    Raises:
        WorkbenchError: `table_unreadable`: UTF-16 or -32 of no byte order, in a file without a mark of it.
    """
    if codecs.lookup(encoding).name in {"utf-16", "utf-32"}:
        with path.open("rb") as source:
            if _family(_bom(source.read(4))) != _family(encoding):
                raise unreadable(path, Phrase("encoding_wrong", encoding=encoding))
    return path.open(encoding=encoding, errors="workbench_mark", newline="")


def find_encoding(path: Path) -> str:
    """The encoding, as Python names it: of a byte order mark, else of what the bytes can be."""
    with path.open("rb") as source:
        sample = source.read(SAMPLE)
        if found := _bom(sample):
            return found
        whole = len(sample) < SAMPLE
        while sample.isascii() and b"\0" not in sample and (more := source.read(SAMPLE)):
            start = max(0, more.find(b"\n"))  # a part begins with a line, so with a character
            sample, whole = more[start:] if not more.isascii() else more, len(more) < SAMPLE
    return guess_encoding(sample, whole=whole)


def check_encoding(path: Path, encoding: str) -> str:
    """An encoding that a user named, if the file can be read in it.

    Raises:
        WorkbenchError: `table_unreadable`: there is no such encoding, or most of the file is not written in it.
    """
    asked = encoding.strip()
    try:
        name = codecs.lookup(asked).name
        "".encode(name)
    except (LookupError, ValueError):  # also of codecs that make no text; of a name with a NUL
        raise unreadable(path, Phrase("encoding_unknown", encoding=encoding)) from None
    with path.open("rb") as source:
        bom = _bom(source.read(4))
    if not bom and name in {"utf-16", "utf-32"} and _family(found := find_encoding(path)) == name:
        return found  # with the byte order
    text = sample_text(path, name)
    marks = text.count(MARK)
    foreign = sum(1 for char in text if char > "\x7f") - marks
    wide = _family(name) in {"utf-16", "utf-32"}
    if (
        marks * 3 > foreign
        or (bom and _family(bom) != _family(name))
        or (wide and text and not any(char < "\x80" for char in text))
    ):
        raise unreadable(path, Phrase("encoding_wrong", encoding=encoding))
    return asked


def _bom(start: bytes) -> str:
    return next((name for mark, name in _BOMS if start.startswith(mark)), "")


def _family(encoding: str) -> str:
    """UTF-8, -16 or -32, whatever its byte order and mark; else the encoding itself."""
    return "-".join(encoding.lower().replace("_", "-").split("-")[:2])


def sample_text(path: Path, encoding: str) -> str:
    """The file's beginning, ended with a whole line where it goes on."""
    with open_text(path, encoding) as source:
        text = source.read(SAMPLE)
    if len(text) == SAMPLE:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    return text.removeprefix("\ufeff")


def find_separator(text: str) -> str:
    """What separates the cells: what the head has, and gives most rows as many cells as the head; '' for nothing.

    >>> find_separator("id,text\\n1,天气；很好\\n"), find_separator("text\\nWell, yes\\n")
    (',', '')
    """
    if hint := _HINT.match(text):
        return hint[1]
    found = [(weight, separator) for separator in _SEPARATORS if (weight := _weight(text, separator))]
    return max(found, key=lambda one: one[0])[1] if found else ""


def _weight(text: str, separator: str) -> tuple[float, float, float, int] | None:
    """How well it separates: share of rows like the head, of rows that have it, few cells after a blank, many cells."""
    rows = []
    for record in records(io.StringIO(text, newline=""), separator):
        rows.append(record.cells)
        if len(rows) == _RECORDS:
            break
    rows = rows[titles_above(rows[:LOOKED_AT]) :]
    if not rows or len(rows[0]) < 2:
        return None
    width = len(rows[0])
    like = sum(len(row) == width for row in rows) / len(rows)
    parted = sum(len(row) > 1 for row in rows) / len(rows)
    if parted <= 0.5:
        return None  # a text with a head that happens to hold the separator
    later = [cell for row in rows for cell in row[1:]]
    blank = sum(cell.startswith(" ") for cell in later) / len(later)
    return round(like, 1), round(parted, 1), -round(blank, 1), width
