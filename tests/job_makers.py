"""Jobs, rows and files for tests of jobs."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from engine.errors import WorkbenchError
from engine.jobs.store import JobStore
from engine.jobs.types import Form, Job, JobSpec, RowResult
from engine.types import FieldSpec

LABELS = ("delivery", "price", "quality")
CSV = Form("csv", "utf-8", ",")
CLASSIFY = JobSpec("classify", ("text",), "id", labels=LABELS)
EXTRACT = JobSpec("extract", ("text",), "id", fields=(FieldSpec("name"), FieldSpec("price")))


def write_csv(path: Path, rows: Iterable[Sequence[str]], head: Sequence[str] = ("id", "text")) -> Path:
    """A CSV file in UTF-8."""
    with path.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(head)
        writer.writerows(rows)
    return path


def numbered(path: Path, count: int) -> Path:
    """A file of so many rows, each with a text of its own."""
    return write_csv(path, ((f"{number:03}", f"delivery number {number} was late") for number in range(count)))


def add(store: JobStore, source: Path, spec: JobSpec = CLASSIFY, **options: Any) -> Job:
    """Add a job over a CSV file."""
    given = {"copy": False} | options
    return store.add(spec, source.name, source, CSV, "0" * 64, **given)


def row(number: int, label: str | None = "delivery", score: float = 0.9, **more: Any) -> RowResult:
    """An answered row of a classification."""
    answer = {"label": label, "labels": [{"label": label or "price", "score": score}]}
    return RowResult(
        **({"number": number, "key": f"k{number}", "text": f"text {number}", "answer": answer, "score": score} | more)
    )


def failed(number: int, code: str = "text_empty") -> RowResult:
    """A row with an error."""
    return RowResult(number, f"k{number}", "", {}, error=WorkbenchError(code))


def numbers(rows: Iterable[RowResult]) -> list[int]:
    """The rows' numbers."""
    return [one.number for one in rows]
