"""One job, run to its end: a file read as a stream, its rows asked in batches, what comes kept in groups.

Memory does not grow with the file: one window of the batch and one group of results are held. Nothing here knows who
runs it, a page's thread or the command line.
"""

import logging
import time
from collections.abc import Callable, Iterator
from threading import Event, Thread

from engine.contracts import model_json
from engine.errors import Cancelled, WorkbenchError
from engine.jobs.alone import alone
from engine.jobs.meter import Meter
from engine.jobs.requests import Answer, request_of, result_of
from engine.jobs.store import JobStore
from engine.jobs.tables import Table, open_table
from engine.jobs.types import Job, JobSpec, JobState, Progress, RowResult, SourceRow
from engine.run.batch import Batch, Request
from engine.run.workbench import Workbench
from engine.types import ModelInfo

_log = logging.getLogger(__name__)

GROUP = 256
"""Rows that are kept together at most."""
SECONDS = 0.5
"""And for how long they wait for each other at most."""
PATIENCE = 30.0
"""Seconds for which keeping rows is tried again, while the disk is full or the file is locked."""
_LAST = 6.0
"""And for how long after a stop."""
_LOOKED_UP = 10_000
"""Row numbers that are looked up at a time."""
_GONE = {"model_silent", "remote_unreachable", "remote_denied", "remote_busy", "remote_silent", "remote_missing"}
"""Errors that say more of the model than of a row."""
_MANY = 16
"""So many rows in a row with such an error, and the model cannot be used."""
_IDENTITY = ("name", "revision", "protocol", "precision")
"""What makes two models different: the device does not."""

Report = Callable[[Progress], None]
"""Told how the job stands after every group."""


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
    with alone(store, job.id):
        store.set_state(job.id, "running")
        run = _Run(workbench, store, job, stop, report, any_model)
        try:
            run.all()
        except Cancelled:
            given = None if stop.is_set() else WorkbenchError("job_interrupted")
            store.set_state(job.id, "paused", given, only_from=("running",))
        except WorkbenchError as error:
            if error.code in ("jobs_unusable", "job_missing"):
                raise
            state: JobState = "paused" if error.code == "job_other_model" else "failed"
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

    def __init__(
        self, workbench: Workbench, store: JobStore, job: Job, stop: Event, report: Report, any_model: bool
    ) -> None:
        self._workbench, self._store, self._job, self._stop, self._report = workbench, store, job, stop, report
        self._spec, self._any_model = job.spec, any_model
        self._group: list[RowResult] = []
        self._since = self._kept = time.monotonic()
        self._waiting: dict[int, SourceRow] = {}
        """Rows that are asked, by the request's number."""
        self._asked = 0
        self._seen = 0
        """Rows of the file that were read."""
        self._whole = False
        """Whether all of them were."""
        self._doubtful: list[RowResult] = []
        """The last rows, where all of them failed by the model's fault: kept when it answers another."""
        self._model: ModelInfo | None = None
        """The one that answered last."""
        self._meter = Meter()
        self._meter.tell(job.done)

    def all(self) -> None:
        """Answer every row that is not done.

        Raises:
            WorkbenchError: why no more rows can be answered; `cancelled` where it was stopped.
        """
        table = open_table(self._job.source, self._job.form)
        check_columns(self._spec, table.columns)
        if self._job.total is None:
            Thread(target=self._count, args=(table,), name="job-count", daemon=True).start()
        self._await_model()
        batch = self._workbench.many(self._requests(table), batch_size=self._spec.batch_size)
        over = Event()
        Thread(target=cancel_on, args=(batch, self._stop, over), name="job-stop", daemon=True).start()
        try:
            for row in batch:
                self._take(self._waiting.pop(row.number), row.answer)
        finally:
            over.set()
            batch.close()
            self._keep()
        if not self._whole:
            raise Cancelled
        self._settle_doubts()
        self._keep()
        self._store.set_total(self._job.id, self._seen)

    def _requests(self, table: Table) -> Iterator[Request]:
        """The requests of the rows that are left; a row with nothing to ask is kept at once."""
        done: set[int] = set()
        known = 0
        for row in table.rows():
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
                self._add(result_of(self._spec, row, request))
            else:
                self._waiting[self._asked] = row
                self._asked += 1
                yield request
        self._whole = True

    def _take(self, row: SourceRow, answer: Answer) -> None:
        if not isinstance(answer, WorkbenchError) and answer.model is not self._model:
            self._see_model(answer.model)
        result = result_of(self._spec, row, answer)
        if result.error is not None and result.error.code in _GONE:
            self._doubtful.append(result)
            if len(self._doubtful) >= _MANY:
                raise result.error
        else:
            self._settle_doubts()
            self._add(result)

    def _settle_doubts(self) -> None:
        """Keep the rows that failed by the model's fault: it answers, or nothing more is asked."""
        for result in self._doubtful:
            self._add(result)
        self._doubtful = []

    def _add(self, result: RowResult) -> None:
        now = time.monotonic()
        if not self._group:
            self._since = now
        self._group.append(result)
        if len(self._group) >= GROUP or now - self._since >= SECONDS:
            self._keep()

    def _keep(self) -> None:
        """Have the store keep the group, with patience where it cannot just now."""
        if not self._group:
            return
        end = time.monotonic() + PATIENCE
        while True:
            now = time.monotonic()
            try:
                self._store.keep(self._job.id, self._group, seconds=now - self._kept)
                break
            except WorkbenchError as error:
                if error.code != "jobs_unusable" or now > end:
                    self._group = []  # not tried again on the way out
                    raise
            if self._stop.is_set():
                end = min(end, now + _LAST)
            time.sleep(0.5)
        self._kept = now
        self._group = []
        self._tell()

    def _tell(self) -> None:
        job = self._store.get(self._job.id)
        if job is not None:
            self._meter.tell(job.done)
            self._report(self._meter.progress(job))

    def _await_model(self) -> None:
        """Wait for the model, and see that it is the one of the rows that are done."""
        ticket = self._workbench.ensure_loaded()
        while not ticket.wait(0.1):
            if self._stop.is_set():
                raise Cancelled
        self._check_model(model_json(ticket.result()))

    def _see_model(self, model: ModelInfo) -> None:
        """Note which model answers from here on."""
        body = model_json(model)
        self._check_model(body)
        self._keep()
        self._store.set_model(self._job.id, body)
        if not self._job.model:
            self._job = self._store.get(self._job.id) or self._job
        self._model = model

    def _check_model(self, model: dict[str, object]) -> None:
        """Refuse another model than that of the rows that are done, unless the user wants that."""
        first = self._job.model
        if first and not self._any_model and any(first.get(name) != model.get(name) for name in _IDENTITY):
            raise WorkbenchError("job_other_model", first=model_name(first), loaded=model_name(model))

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


def model_name(model: dict[str, object]) -> str:
    """A model of `contracts.model_json` in a few words: name, revision, precision."""
    return f"{model.get('name')} {str(model.get('revision'))[:12]} ({model.get('precision')})"
