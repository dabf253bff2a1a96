"""Opens a file as a table: what kind it is and how it is written, by its content first and its name second.

Kinds: separated text (csv, tsv), Excel (xlsx), JSON Lines or one array of objects (jsonl), Parquet. All stream.
"""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from engine.jobs.tables.csv_file import CsvTable
from engine.jobs.tables.excel_file import ExcelTable, find_sheet, sheet_names
from engine.jobs.tables.jsonl_file import JsonlTable, read_json
from engine.jobs.tables.parquet_file import ParquetTable
from engine.jobs.tables.suggest import Suggestion, suggest_columns
from engine.jobs.tables.table import Table, of_files, refuse_overrides, unreadable
from engine.jobs.tables.text_form import check_encoding, find_encoding, find_separator, sample_text
from engine.jobs.types import Form, TableKind
from engine.messages import Phrase

__all__ = ["Suggestion", "Table", "digest", "find_form", "open_table", "sheets", "suggest_columns"]

_KINDS: dict[TableKind, Callable[[Path, Form], Table]] = {
    "csv": CsvTable, "tsv": CsvTable, "xlsx": ExcelTable, "jsonl": JsonlTable, "parquet": ParquetTable
}  # fmt: skip
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_FOREIGN = (
    (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf", "7z"),
    (b"Rar!", "rar"), (b"%PDF", "PDF"), (b"\x89PNG", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"SQLite format 3", "SQLite"),
    (b"PARE", "Parquet"),
)  # fmt: skip


_MARKUP = re.compile(r"<(?:(\?xml)|!doctype html|html|head|meta|body|table)\b", re.IGNORECASE)
"""How pages and XML begin that other programs write under a spreadsheet's name."""


def find_form(
    path: Path,
    *,
    kind: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
) -> Form:
    """How the file is written; what is given is taken as given.

    Raises:
        WorkbenchError: `bad_file`: it cannot be opened. `table_unreadable`: it is no table, or not of what is given.
    """
    path = Path(path)
    if kind and kind not in get_args(TableKind):
        raise unreadable(path, Phrase("table_kind", kind=kind, known=", ".join(get_args(TableKind))))
    with of_files(path):
        binary = _binary_kind(path)
        if binary:
            if kind and kind != binary:
                raise unreadable(path, Phrase("table_other_kind", kind=kind, found=binary))
            refuse_overrides(path, binary, encoding, separator, None if binary == "xlsx" else sheet)
            return Form("xlsx", sheet=find_sheet(path, sheet)) if binary == "xlsx" else Form("parquet")
        if kind in {"xlsx", "parquet"}:
            raise unreadable(path, Phrase("table_other_kind", kind=kind, found="text"))
        return _text_form(path, kind, encoding, separator, sheet)


def open_table(path: Path, form: Form) -> Table:
    """The file as a table.

    Raises:
        WorkbenchError: as `find_form`.
    """
    with of_files(Path(path)):
        return _KINDS[form.kind](Path(path), form)


def sheets(path: Path) -> tuple[str, ...]:
    """Names of a workbook's sheets, those that are seen first; empty for files of other kinds."""
    with of_files(Path(path)):
        return sheet_names(Path(path)) if _binary_kind(Path(path)) == "xlsx" else ()


def digest(path: Path) -> str:
    """SHA-256 of the file, in hexadecimal."""
    with of_files(Path(path)), Path(path).open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _binary_kind(path: Path) -> TableKind | None:
    """The kind of a file that is no text; None for text."""
    with path.open("rb") as source:
        head = source.read(2**16)
    if not head:
        raise unreadable(path, Phrase("table_empty"))
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        return "xlsx"
    if head.startswith(_OLE):
        locked = "EncryptedPackage".encode("utf-16-le")
        with path.open("rb") as source:
            found = any(locked in part for part in iter(lambda: source.read(2**20), b""))
        raise unreadable(path, Phrase("excel_encrypted") if found else Phrase("excel_old"))
    for start, name in _FOREIGN:
        if head.startswith(start):
            raise unreadable(path, Phrase("table_foreign", kind=name))
    return None


def _text_form(path: Path, kind: str | None, encoding: str | None, separator: str | None, sheet: str | None) -> Form:
    if sheet:
        raise unreadable(path, Phrase("table_no_sheets", kind=kind or "csv"))
    encoding = check_encoding(path, encoding) if encoding else find_encoding(path)
    text = sample_text(path, encoding)
    if not text.strip():
        raise unreadable(path, Phrase("table_empty"))
    if sum(1 for char in text if char < " " and char not in "\t\n\r\f\x1a") * 10 > len(text):
        raise unreadable(path, Phrase("table_not_text"))
    if kind is None and separator is None and (markup := _MARKUP.match(text.lstrip())):
        raise unreadable(path, Phrase("table_foreign", kind="XML" if markup[1] else "HTML"))
    if kind == "jsonl" or (kind is None and not separator and _is_json(path, text)):
        if separator:
            raise unreadable(path, Phrase("table_no_encoding", kind="jsonl"))
        return Form("jsonl", encoding)
    if separator is not None:
        separator = {"\\t": "\t", "tab": "\t", "TAB": "\t"}.get(separator, separator)
        if len(separator) > 1 or separator in {"\n", "\r", '"'}:
            raise unreadable(path, Phrase("separator_odd", separator=separator))
    elif kind == "tsv":
        separator = "\t"
    else:
        separator = find_separator(text)
    return Form("tsv" if separator == "\t" else "csv", encoding, separator)


def _is_json(path: Path, text: str) -> bool:
    """By its name where it begins as JSON does, else where its first line is an object."""
    start = text.lstrip()
    if path.suffix.lower() in {".jsonl", ".ndjson", ".json"}:
        return start.startswith(("{", "["))
    return start.startswith("{") and isinstance(read_json(start.split("\n", 1)[0]), dict)
