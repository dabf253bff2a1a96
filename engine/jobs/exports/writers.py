"""Writes rows with their answers to a file: csv, xlsx, jsonl, parquet or html. All but html can be read back.

Rows are written as they come. The file is whole or not there: it is written beside its place and then moved there.
"""

import csv
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args

from engine.errors import WorkbenchError
from engine.exports import json_line
from engine.jobs.exports.excel_writer import write_xlsx
from engine.jobs.exports.html_writer import SheetTexts, write_html
from engine.jobs.exports.layout import Layout, OutRow, input_names, json_names, json_row
from engine.jobs.exports.parquet_writer import write_parquet
from engine.jobs.tables.cells import as_text, whole
from engine.jobs.tables.guard import GUARDED, guard_name
from engine.jobs.types import BatchTask
from engine.text.spreadsheet import safe_cell

ExportKind = Literal["csv", "xlsx", "jsonl", "parquet", "html"]
_ENDINGS: dict[str, ExportKind] = {
    ".csv": "csv", ".xlsx": "xlsx", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
    ".html": "html", ".htm": "html",
}  # fmt: skip


def kind_of(path: Path) -> ExportKind:
    """The kind of an export by its name's ending.

    Raises:
        WorkbenchError: `export_kind`.
    """
    try:
        return _ENDINGS[Path(path).suffix.lower()]
    except KeyError:
        raise WorkbenchError("export_kind", name=Path(path).name, known=", ".join(_ENDINGS)) from None


def write(
    rows: Iterable[OutRow],
    columns: Sequence[str],
    task: BatchTask,
    path: Path,
    kind: ExportKind,
    *,
    fields: Sequence[str] = (),
    multi: bool = False,
    texts: SheetTexts | None = None,
) -> int:
    """Write an export; how many rows were written.

    columns: the input's. fields: names of fields, which get a column each. multi: several labels may be chosen.
    texts: what an html document says.

    Raises:
        WorkbenchError: `file_not_written`: the disk is full, the folder is not there or cannot be written; `path` then
            is as it was. Errors of `rows` go through.
    """
    if kind not in get_args(ExportKind):
        raise WorkbenchError("export_kind", name=kind, known=", ".join(get_args(ExportKind)))
    layout = Layout(columns, task, fields=fields, multi=multi)
    with whole_file(Path(path)) as target:
        if kind == "html":
            return write_html(rows, layout, target, texts)
        return _WRITERS[kind](rows, layout, target)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place at the end; after an error nothing is left of it.

    Raises:
        WorkbenchError: `file_not_written` for every OSError.
    """
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        yield draft
        with draft.open("rb+") as written:
            os.fsync(written.fileno())
        draft.replace(path)
    except OSError as error:
        raise WorkbenchError("file_not_written", path=path, reason=error.strerror or error) from None
    finally:
        draft.unlink(missing_ok=True)


def _write_csv(rows: Iterable[OutRow], layout: Layout, path: Path) -> int:
    """UTF-8 with a byte order mark; no cell can run as a formula, and `GUARDED` names those that were kept from it."""
    count = 0
    with path.open("w", encoding="utf-8-sig", newline="") as target:
        writer = csv.writer(target, lineterminator="\r\n")
        writer.writerow([*(guard_name(whole(name)) for name in layout.names), GUARDED])
        for row in rows:
            cells = {name: _csv_cell(value) for name, value in layout.row(row).items()}
            safe = {name: safe_cell(cell) for name, cell in cells.items()}
            guarded = [whole(name) for name, cell in cells.items() if safe[name] != cell]
            said = json.dumps(guarded) if guarded else ""
            writer.writerow([*safe.values(), said])
            count += 1
    return count


def _csv_cell(value: Any) -> Any:
    """Text, or a number, which is no formula whatever it begins with."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else whole(as_text(value))


def _write_jsonl(rows: Iterable[OutRow], layout: Layout, path: Path) -> int:
    needed = json_names(layout.task)
    names = input_names(layout.given, needed)
    count = 0
    with path.open("wb") as target:
        for row in rows:
            late = [name for name in row.values if name not in names]
            renamed = names | input_names([*layout.given, *late], needed) if late else names
            target.write(json_line(json_row(row, layout.task, renamed)))
            count += 1
    return count


_WRITERS: dict[str, Callable[[Iterable[OutRow], Layout, Path], int]] = {
    "csv": _write_csv,
    "jsonl": _write_jsonl,
    "xlsx": write_xlsx,
    "parquet": write_parquet,
}
