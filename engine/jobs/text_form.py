"""Finds the encoding and the separator of a text file from a bounded part of it, and opens it so that no byte is fatal.

Bytes that are no text in the encoding become `csv_records.MARK`, one for each fault, so that their row can be told.
"""

import codecs
import io
from collections import Counter
from pathlib import Path
from typing import TextIO

from engine.jobs.csv_records import MARK, NO_SEPARATOR, records
from engine.jobs.encodings import guess_encoding
from engine.jobs.table import unreadable
from engine.messages import Phrase

SAMPLE = 2**18
"""Bytes that are looked at, and characters at most."""
_RECORDS = 200
"""Records that the separator is found from."""
_SEPARATORS = "\t,;|"
"""In the order of preference where all else is equal: a TAB is seldom typed in a text."""
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
    """The file as text with its line ends as they are."""
    return path.open(encoding=encoding, errors="workbench_mark", newline="")


def find_encoding(path: Path) -> str:
    """The encoding, as Python names it: of a byte order mark, else of what the bytes can be."""
    with path.open("rb") as source:
        sample = source.read(SAMPLE)
        for mark, name in _BOMS:
            if sample.startswith(mark):
                return name
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
    try:
        name = codecs.lookup(encoding.strip()).name
        "".encode(name)
    except LookupError:  # also of codecs that make no text
        raise unreadable(path, Phrase("encoding_unknown", encoding=encoding)) from None
    text = sample_text(path, name)
    marks = text.count(MARK)
    foreign = sum(1 for char in text if char > "\x7f") - marks
    if marks * 10 > foreign:
        raise unreadable(path, Phrase("encoding_wrong", encoding=encoding))
    return encoding.strip()


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
    found = [(weight, separator) for separator in _SEPARATORS if (weight := _weight(text, separator))]
    return max(found, key=lambda one: one[0])[1] if found else ""


def _weight(text: str, separator: str) -> tuple[float, float, int] | None:
    """How well it separates: share of rows like the head, few cells that begin with a blank, many cells."""
    rows = []
    for record in records(io.StringIO(text, newline=""), separator):
        rows.append(record.cells)
        if len(rows) == _RECORDS:
            break
    if not rows or len(rows[0]) < 2:
        return None
    width = len(rows[0])
    like = Counter(len(row) for row in rows[1:])[width] / max(1, len(rows) - 1) if len(rows) > 1 else 1.0
    if like < 0.2:
        return None
    later = [cell for row in rows for cell in row[1:]]
    blank = sum(cell.startswith(" ") for cell in later) / max(1, len(later))
    return round(like, 1), -round(blank, 1), width


__all__ = ["MARK", "NO_SEPARATOR", "check_encoding", "find_encoding", "find_separator", "open_text", "sample_text"]
