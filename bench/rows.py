"""A job over a file of many rows, from the file to its exports: rows a second, and the most memory of the process.

    python -m bench.rows [--rows 1000000] [--batch-size N] [--understands] [--folder DIR]

A CSV of made-up rows is written into a temporary folder as a stream, run through the runner of jobs with the fake
model, paged and searched like a page does, and exported as CSV and JSON Lines. `--understands`: by a model that takes
many texts at once and does next to nothing, so that everything around a model is what is measured.
"""

import argparse
import csv
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from engine.jobs.exports.outputs import export
from engine.jobs.runner import run_here
from engine.jobs.store import JobStore
from engine.jobs.tables import digest, find_form
from engine.jobs.types import Job, JobSpec, Progress
from engine.model.backend import WeighedLabels
from engine.model.fake import FakeBackend
from engine.run.workbench import Workbench
from engine.settings import load_settings

LABELS = ("delivery", "price", "quality")
_SHOWN = 10.0
"""Seconds between two lines."""


class Reader(FakeBackend):
    """A model that understands, by the lengths of texts."""

    threshold = 0.5

    def __init__(self) -> None:
        super().__init__(0)
        self.info = replace(self.info, capabilities=("understand",), protocol="encoder")

    def weigh_labels(
        self, texts: Sequence[str], labels: Sequence[str], stop: Event | None = None
    ) -> tuple[WeighedLabels, ...]:
        """The label whose number is the text's length, in turn."""
        return tuple(
            WeighedLabels(
                tuple(2.0 * (len(text) % len(labels) == place) for place in range(len(labels))), 1.0, len(text)
            )
            for text in texts
        )


def write_rows(path: Path, count: int) -> None:
    """The file."""
    with path.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(("id", "text", "gold"))
        for number in range(count):
            text = (
                ""
                if number % 1000 == 999
                else f"订单 {number}: the delivery was {number % 17} days late, 退款 {number % 91}"
            )
            writer.writerow((f"{number:07}", text, LABELS[number % 3]))


def peak() -> float:
    """The most memory of this process so far, in GB (2^30 bytes)."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


@contextmanager
def timed(what: str, rows: int = 0) -> Iterator[None]:
    """A line of the table: what, how long, how fast, the peak so far."""
    started = time.perf_counter()
    yield
    taken = time.perf_counter() - started
    rate = f"{rows / taken:,.0f}" if rows else ""
    print(f"| {what} | {taken:,.3f} | {rate} | {peak():.2f} |", flush=True)


def look(store: JobStore, job: Job) -> None:
    """What a page asks for."""
    asked: dict[str, Callable[[], Any]] = {
        "first page": lambda: store.rows(job.id),
        "last page": lambda: store.rows(job.id, offset=max(0, job.done - 50)),
        "failed, last page": lambda: store.rows(job.id, "failed", offset=max(0, job.failed - 50)),
        "differs from gold, page in the middle": lambda: store.rows(job.id, "differs", offset=job.done // 3),
        "a label, page in the middle": lambda: store.rows(job.id, label=LABELS[0], offset=job.done // 6),
        "low of a label": lambda: store.rows(job.id, "low", label=LABELS[0]),
        "a search": lambda: store.rows(job.id, search="退款 77"),
        "labels and counts": lambda: (store.labels(job.id), store.counts(job.id)),
    }
    for what, ask in asked.items():
        with timed(what):
            ask()


def run(folder: Path, rows: int, batch_size: int | None, *, understands: bool) -> None:
    """Everything, as a table."""
    source = folder / "rows.csv"
    print("| | s | rows/s | peak, GB |\n|---|---|---|---|")
    print(f"| begin | | | {peak():.2f} |")
    with timed("file written", rows):
        write_rows(source, rows)
    store = JobStore(folder / "data")
    workbench = Workbench(
        load_settings(model="fake", data_dir=folder / "data", log_level="warning", batch_size=batch_size),
        lambda *_: Reader() if understands else FakeBackend(0),
    )
    shown = [time.monotonic()]

    def report(progress: Progress) -> None:
        if time.monotonic() - shown[0] > _SHOWN:
            shown[0] = time.monotonic()
            print(
                f"{progress.done:,} rows, {progress.rate or 0:,.0f}/s, peak {peak():.2f} GB",
                file=sys.stderr,
                flush=True,
            )

    spec = JobSpec("classify", ("text",), "id", "gold", labels=LABELS)
    with timed("form and digest found", rows):
        form, hashed = find_form(source), digest(source)
    job = store.add(spec, source.name, source, form, hashed, copy=False, state="paused")
    try:
        with timed("job", rows):
            job = run_here(workbench, store, job, threading.Event(), report)
    finally:
        workbench.close()
    assert (job.state, job.done, job.total) == ("done", rows, rows), job
    look(store, job)
    for kind in ("csv", "jsonl"):
        with timed(f"export as {kind}", rows):
            assert export(job, store, kind, folder / f"out.{kind}") == rows
    with timed("deleted", rows):
        store.delete(job.id)
    store.close()


def main() -> None:
    """One table."""
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--batch-size", type=int)
    options.add_argument("--understands", action="store_true")
    options.add_argument("--folder", type=Path, help="where the temporary folder is made")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        run(Path(folder), chosen.rows, chosen.batch_size, understands=chosen.understands)


if __name__ == "__main__":
    main()
