"""One job, run to its end: a file read as a stream, its rows asked in batches, what comes kept in groups.

Memory does not grow with the file: one window of the batch and one group of results are held. Nothing here knows who
runs it, a page's thread or the command line.
"""

import logging
from collections.abc import Callable, Iterator
from threading import Event, Thread

from engine.contracts import model_json
from engine.errors import Cancelled, WorkbenchError
from engine.jobs.alone import alone
from engine.jobs.keeping import Keeper, Report
from engine.jobs.requests import Answer, request_of, result_of
from engine.jobs.source import open_source
from engine.jobs.store import JobStore
from engine.jobs.tables import Table
from engine.jobs.types import Job, JobSpec, JobState, SourceRow
from engine.run.batch import Batch, Request
from engine.run.failures import forget_frames
from engine.run.workbench import Workbench
from engine.types import ModelInfo

_log = logging.getLogger(__name__)

_MAY_PASS = {"job_other_model", "job_file_changed", "memory_budget", "model_missing"}
"""Errors that say nothing against the job: it may go on as it is later."""
_LOOKED_UP = 10_000
"""Row numbers that are looked up at a time."""


def run_here(
    workbench: Workbench,
    store: JobStore,
    job: Job,
    stop: Event,
    report: Report = lambda _: None,
    *,
    any_model: bool = False,
) -> Job:
    """Run a job on this thread until it is done, fails, or `stop` is set; then it is paused. How it stands at the end.

    any_model: go on with a model that is not the one of the rows that are done.

    Raises:
        WorkbenchError: `job_elsewhere`, `job_missing` (deleted meanwhile), `jobs_unusable`: what is kept stays.
    """
    run = _Run(workbench, store, job, stop, Keeper(store, job, stop, report, any_model=any_model))
    return run_to_end(store, job, stop, run.all)


def run_to_end(store: JobStore, job: Job, stop: Event, work: Callable[[], None]) -> Job:
    """Hold a job while `work` answers its rows, and say at the end how it stands: done, paused or failed.

    Raises:
        WorkbenchError: as `run_here`.
    """
    with alone(store, job.id):
        store.set_state(job.id, "running")
        try:
            work()
        except Cancelled:
            given = None if stop.is_set() else WorkbenchError("job_interrupted")
            store.set_state(job.id, "paused", given, only_from=("running",))
        except WorkbenchError as error:
            if error.code in ("jobs_unusable", "job_missing"):
                raise
            state: JobState = "paused" if error.code in _MAY_PASS else "failed"
            store.set_state(job.id, state, error, only_from=("running",))
        except BaseException:  # Ctrl+C, or a fault of ours: not a job that nobody runs and that stands as running
            store.set_state(job.id, "paused", WorkbenchError("job_interrupted"), only_from=("running",))
            raise
        else:
            store.set_state(job.id, "done", only_from=("running",))
    ended = store.get(job.id)
    if ended is None:
        raise WorkbenchError("job_missing")
    return ended


class _Run:
    """A job while it runs."""

    def __init__(self, workbench: Workbench, store: JobStore, job: Job, stop: Event, keeper: Keeper) -> None:
        self._workbench, self._store, self._job, self._stop = workbench, store, job, stop
        self._spec, self._keeper = job.spec, keeper
        self._waiting: dict[int, SourceRow] = {}
        """Rows that are asked, by the request's number."""
        self._asked = 0
        self._seen = 0
        """Rows of the file that were read."""
        self._whole = False
        """Whether all of them were."""
        self._broken: WorkbenchError | None = None
        """Why the file cannot be read any further: the rows before that are asked nonetheless."""
        self._model: ModelInfo | None = None
        """The one that answered last."""

    def all(self) -> None:
        """Answer every row that is not done.

        Raises:
            WorkbenchError: why no more rows can be answered; `cancelled` where it was stopped.
        """
        table = open_source(self._job)
        check_columns(self._spec, table.columns)
        if self._job.total is None:
            Thread(target=self._count, args=(table,), name="job-count", daemon=True).start()
        self._await_model()
        batch = self._workbench.many(self._requests(table), batch_size=self._spec.batch_size)
        batch.in_order = False  # the store sorts, and what is answered is seen at once
        over = Event()
        Thread(target=cancel_on, args=(batch, self._stop, over), name="job-stop", daemon=True).start()
        try:
            for row in batch:
                self._take(self._waiting.pop(row.number), row.answer)
        finally:
            over.set()
            batch.close()
            self._keeper.keep()
        if not self._whole and self._broken is None:
            raise Cancelled
        self._keeper.settle()
        self._keeper.keep()
        if self._broken is not None:
            raise self._broken
        self._store.set_total(self._job.id, self._seen)

    def _requests(self, table: Table) -> Iterator[Request]:
        """The requests of the rows that are left; a row with nothing to ask is kept at once."""
        done: set[int] = set()
        known = 0
        for row in self._read(table):
            if self._stop.is_set():
                return
            self._seen = row.number + 1
            if row.number >= known:
                done = self._store.done_numbers(self._job.id, row.number, row.number + _LOOKED_UP)
                known = row.number + _LOOKED_UP
            if row.number in done:
                continue
            request = request_of(self._spec, row)
            if isinstance(request, WorkbenchError):
                self._keeper.add(result_of(self._spec, row, request))
            else:
                self._waiting[self._asked] = row
                self._asked += 1
                yield request
        self._whole = self._broken is None

    def _read(self, table: Table) -> Iterator[SourceRow]:
        """The file's rows, as far as it can be read."""
        try:
            yield from table.rows()
        except WorkbenchError as error:
            forget_frames(error)
            self._broken = error

    def _take(self, row: SourceRow, answer: Answer) -> None:
        if not isinstance(answer, WorkbenchError) and answer.model is not self._model:
            self._keeper.see_model(model_json(answer.model))
            self._model = answer.model
        self._keeper.take(result_of(self._spec, row, answer))

    def _await_model(self) -> None:
        """Wait for the model, and see that it is the one of the rows that are done."""
        ticket = self._workbench.ensure_loaded()
        while not ticket.wait(0.1):
            if self._stop.is_set():
                raise Cancelled
        self._keeper.check_model(model_json(ticket.result()))

    def _count(self, table: Table) -> None:
        """Count the file's rows beside the work: until then nobody knows how long it takes."""
        try:
            self._store.set_total(self._job.id, table.count())
        except WorkbenchError as error:  # whatever is wrong with the file, who reads the rows says it
            _log.debug("the rows were not counted: %s", error.code)


def cancel_on(batch: Batch, stop: Event, over: Event) -> None:
    """Have a stop reach the step in hand, which may take long."""
    while not over.wait(0.05):
        if stop.is_set():
            batch.cancel()
            return


def check_columns(spec: JobSpec, columns: tuple[str, ...]) -> None:
    """See that a file has the columns that are asked for.

    Raises:
        WorkbenchError: `column_missing`.
    """
    for name in filter(None, (*spec.columns, spec.id_column, spec.gold)):
        if name not in columns:
            raise WorkbenchError("column_missing", name=name, columns=", ".join(columns))
