"""What a job gives as a file: the input's rows with their answers, and a manifest beside it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import WorkbenchError
from engine.jobs.gold import answer_labels, answer_scores
from engine.jobs.manifest import manifest
from engine.jobs.store import JobStore
from engine.jobs.tables import Table, open_table
from engine.jobs.types import Job, RowResult
from engine.jobs.writers import ExportKind, OutRow, write

__all__ = ["KINDS", "export", "kind_of", "manifest_path", "out_rows"]

KINDS: dict[str, ExportKind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".parquet": "parquet",
    ".html": "html",
    ".htm": "html",
}
"""What a file is written as, by its name's ending."""


def kind_of(path: Path) -> ExportKind | None:
    """What a file of that name is written as; None for an ending that says nothing."""
    return KINDS.get(path.suffix.lower())


def manifest_path(path: Path) -> Path:
    """Where the manifest of an output lies: beside it."""
    return path.with_name(f"{path.name}.manifest.json")


def out_rows(job: Job, store: JobStore, table: Table) -> Iterator[OutRow]:
    """The file's rows that are done, with their answers; corrections in the place of what they correct."""
    results = store.each(job.id)
    result = next(results, None)
    for row in table.rows():
        while result is not None and result.number < row.number:
            result = next(results, None)
        if result is None:
            return
        if result.number == row.number:
            yield _out_row(job, row.values, result)


def export(job: Job, store: JobStore, kind: ExportKind, path: Path) -> None:
    """Write what is done of a job, and its manifest; what stood there before is replaced when all is written.

    Raises:
        WorkbenchError: `file_not_written`; `table_unreadable` or `bad_file` where the input is gone.
    """
    table = open_table(job.source, job.form)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    beside = manifest_path(part)
    try:
        try:
            write(out_rows(job, store, table), table.columns, job.spec.task, part, kind)
            beside.write_text(json.dumps(manifest(job), ensure_ascii=False, indent=2) + "\n", "utf-8")
            part.replace(path)
            beside.replace(manifest_path(path))
        finally:
            part.unlink(missing_ok=True)
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise WorkbenchError("file_not_written", path=path, reason=error.strerror or error) from None


def _out_row(job: Job, values: dict[str, Any], result: RowResult) -> OutRow:
    corrected = result.correction is not None
    standing = result.correction if result.correction is not None else result.answer
    error = None if result.error is None or corrected else result.error.message
    if job.spec.task == "extract":
        fields = standing.get("fields")
        return OutRow(values, fields=fields, error=error, corrected=corrected, problem=result.problem)
    names = list(answer_labels(standing))
    labels = standing.get("labels")
    if corrected:
        scores = answer_scores(result.answer)
        labels = [{"label": name, "score": scores.get(name)} for name in names]
    return OutRow(
        values,
        label=names[0] if names else None,
        labels=labels,
        chosen=names if job.spec.multi and error is None else None,
        error=error,
        corrected=corrected,
        problem=result.problem,
    )
