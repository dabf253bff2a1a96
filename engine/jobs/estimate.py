"""A try before a job: some rows answered, and what they say about the time and memory that the whole file takes."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Thread

from engine.errors import Cancelled, WorkbenchError
from engine.jobs.requests import request_of, result_of, text_of
from engine.jobs.running import cancel_on, check_columns
from engine.jobs.tables import Table
from engine.jobs.types import JobSpec, RowResult, SourceRow
from engine.run.batch import Request
from engine.run.queue import Ticket
from engine.run.workbench import Workbench
from engine.types import ModelInfo

_LOOKED_AT = 200
"""Rows at the file's beginning among which those that are tried are chosen."""


@dataclass(frozen=True)
class Estimate:
    """What a try gave.

    seconds: that the whole file takes, by the time of the rows that were tried; None where none was answered.
    memory: the most bytes that the process, or the model on its device, held meanwhile; 0 where that is not known.
    rows: what the tried rows gave, in the file's order. total: rows of the file.
    """

    seconds: float | None
    memory: int
    rows: tuple[RowResult, ...]
    total: int


def try_rows(workbench: Workbench, spec: JobSpec, table: Table, count: int = 8) -> Ticket[Estimate]:
    """Answer a few rows, of every length that the file's beginning has; the ticket's progress counts them.

    It runs on a thread of its own and waits its turn like a job's rows; the load of a model is not part of the time.
    """
    ticket = Ticket[Estimate](lambda own: _try(workbench, spec, table, count, own))
    Thread(target=ticket.run, name="job-try", daemon=True).start()
    return ticket


def spread(texts: Sequence[str], count: int) -> list[int]:
    """Places of texts whose lengths stand for those of all: evenly from the shortest to the longest.

    >>> spread(["aaa", "a", "aa", "aaaa", "aaaaa"], 2)
    [2, 3]
    """
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    if len(order) <= count:
        return sorted(order)
    return sorted(order[int((number + 0.5) * len(order) / count)] for number in range(count))


def _try(workbench: Workbench, spec: JobSpec, table: Table, count: int, ticket: Ticket[Estimate]) -> Estimate:
    check_columns(spec, table.columns)
    seen = table.preview(_LOOKED_AT)
    asked: list[tuple[SourceRow, Request]] = []
    refused = []
    for place in spread([text_of(spec, row) for row in seen], count):
        request = request_of(spec, seen[place])
        if isinstance(request, WorkbenchError):
            refused.append(result_of(spec, seen[place], request))
        else:
            asked.append((seen[place], request))
    _await(workbench.ensure_loaded(), ticket.stop)
    rows, seconds, memory = _answer(workbench, spec, asked, ticket)
    total = len(seen) if len(seen) < _LOOKED_AT else table.count()
    share = len(asked) / max(1, len(asked) + len(refused))
    whole = seconds / len(asked) * share * total if asked else None
    return Estimate(whole, memory, tuple(sorted([*rows, *refused], key=lambda row: row.number)), total)


def _answer(
    workbench: Workbench, spec: JobSpec, asked: Sequence[tuple[SourceRow, Request]], ticket: Ticket[Estimate]
) -> tuple[list[RowResult], float, int]:
    """The rows, the seconds that they took, and the most bytes held meanwhile."""

    def report(done: int, _: int | None) -> None:
        ticket.progress = (done, len(asked))

    over = Event()
    with workbench.monitor.watch_peak() as watch:
        started = time.perf_counter()
        batch = workbench.many([request for _, request in asked], batch_size=spec.batch_size, report=report)
        Thread(target=cancel_on, args=(batch, ticket.stop, over), name="job-try-stop", daemon=True).start()
        try:
            rows = [result_of(spec, asked[row.number][0], row.answer) for row in batch]
        finally:
            over.set()
            batch.close()
        seconds = time.perf_counter() - started
    return rows, seconds, watch.peak or 0


def _await(load: Ticket[ModelInfo], stop: Event) -> None:
    while not load.wait(0.1):
        if stop.is_set():
            raise Cancelled
    load.result()
