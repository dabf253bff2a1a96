"""What a job gives as a file: the input's rows with their answers, and a manifest beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.jobs.exports.html_writer import SheetTexts
from engine.jobs.exports.layout import OutRow
from engine.jobs.exports.manifest import manifest, write_manifest
from engine.jobs.exports.writers import ExportKind, write
from engine.jobs.gold import answer_labels, answer_scores
from engine.jobs.source import open_source
from engine.jobs.store import JobStore
from engine.jobs.tables import Table
from engine.jobs.types import Job, RowResult


def out_rows(job: Job, store: JobStore, table: Table) -> Iterator[OutRow]:
    """The file's rows that are done, with their answers; corrections in the place of what they correct."""
    results = store.each(job.id)
    result = next(results, None)
    if result is None:
        return
    for row in table.rows():
        if result.number == row.number:
            yield _out_row(job, row.values, result)
            result = next(results, None)
            if result is None:
                return  # before the next row is read: what follows may be damaged


def export(job: Job, store: JobStore, kind: ExportKind, path: Path, texts: SheetTexts | None = None) -> int:
    """Write what is done of a job, and its manifest beside it; how many rows were written.

    texts: what an html document says.

    Raises:
        WorkbenchError: `file_not_written`; `table_unreadable` or `bad_file` where the input is gone, `job_file_changed`
            where it is another one by now.
    """
    table = open_source(job)
    fields = [field.name for field in job.spec.fields]
    rows = out_rows(job, store, table)
    written = write(rows, table.columns, job.spec.task, path, kind, fields=fields, multi=job.spec.multi, texts=texts)
    corrected = store.counts(job.id).get("corrected", 0)
    write_manifest(manifest(job, corrected=corrected, export=path), path)
    return written


def _out_row(job: Job, values: dict[str, Any], result: RowResult) -> OutRow:
    corrected = result.correction is not None
    standing = result.correction if result.correction is not None else result.answer
    error = None if corrected else result.error
    if job.spec.task == "extract":
        return OutRow(
            values,
            fields=standing.get("fields"),
            error=error,
            corrected=corrected,
            problem=result.problem,
            score=result.score,
            text=result.text,
        )
    names = answer_labels(standing)
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
        score=result.score,
        text=result.text,
    )
