"""What comes of a job's rows is kept in groups, and the job says which model answered. Runners of every kind use it."""

import time
from collections.abc import Callable, Mapping
from threading import Event

from engine.errors import WorkbenchError
from engine.jobs.meter import Meter
from engine.jobs.store import JobStore
from engine.jobs.types import Job, Progress, RowResult

GROUP = 256
"""Rows that are kept together at most."""
SECONDS = 0.5
"""A row that comes so long after the last ones were kept is not made to wait for others."""
PATIENCE = 30.0
"""Seconds for which keeping rows is tried again, while the disk is full or the file is locked."""
AGAIN = 0.5
"""Seconds between two tries."""
_LAST = 6.0
"""And for how long after a stop."""
_GONE = {"model_silent", "remote_unreachable", "remote_denied", "remote_busy", "remote_silent", "remote_missing"}
"""Errors that say more of the model than of a row."""
_MANY = 16
"""So many rows in a row with such an error, and the model cannot be used."""
_IDENTITY = ("name", "revision", "protocol", "precision")
"""What makes two models different: the device does not."""

Report = Callable[[Progress], None]
"""Told how the job stands after every group."""


class Keeper:
    """Keeps rows of one job; for one thread.

    any_model: whether rows may come from another model than that of the rows that are done.
    """

    def __init__(self, store: JobStore, job: Job, stop: Event, report: Report, *, any_model: bool) -> None:
        self._store, self._job, self._stop, self._report = store, job, stop, report
        self._any_model = any_model
        self._group: list[RowResult] = []
        self._doubtful: list[RowResult] = []
        """The last rows, where all of them failed by the model's fault: kept when it answers another."""
        self._kept = time.monotonic()
        self._meter = Meter()
        self._begun = False

    def add(self, result: RowResult) -> None:
        """Take a row; it is kept at once, or with others that come within half a second.

        Raises:
            WorkbenchError: `jobs_unusable`, `job_missing`.
        """
        if not self._begun:  # the load of the model before it says nothing of the rate
            self._begun = True
            self._meter.tell(self._job.done)
        self._group.append(result)
        if len(self._group) >= GROUP or time.monotonic() - self._kept >= SECONDS:
            self.keep()

    def take(self, result: RowResult) -> None:
        """Take a row that a model answered, or failed to.

        Raises:
            WorkbenchError: that of the row, where the model has failed many in a row: they count as not asked.
        """
        if result.error is not None and result.error.code in _GONE:
            self._doubtful.append(result)
            if len(self._doubtful) >= _MANY:
                raise result.error
        else:
            self.settle()
            self.add(result)

    def settle(self) -> None:
        """Keep also the rows that failed by the model's fault: it answers, or nothing more is asked."""
        for result in self._doubtful:
            self.add(result)
        self._doubtful = []

    def keep(self) -> None:
        """Have the store keep the group, with patience where it cannot just now.

        Raises:
            WorkbenchError: `jobs_unusable`, `job_missing`.
        """
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
            time.sleep(AGAIN)
        self._kept = now
        self._group = []
        self._tell()

    def check_model(self, model: Mapping[str, object]) -> None:
        """Refuse another model than that of the rows that are done, unless the user wants that.

        Raises:
            WorkbenchError: `job_other_model`.
        """
        first = self._job.model
        if first and not self._any_model and any(first.get(name) != model.get(name) for name in _IDENTITY):
            raise WorkbenchError("job_other_model", first=model_name(first), loaded=model_name(model))

    def see_model(self, model: dict[str, object]) -> None:
        """Note which model answers from here on.

        Raises:
            WorkbenchError: `job_other_model`.
        """
        self.check_model(model)
        self.keep()
        self._store.set_model(self._job.id, model)
        if not self._job.model:
            self._job = self._store.get(self._job.id) or self._job

    def _tell(self) -> None:
        job = self._store.get(self._job.id)
        if job is not None:
            self._meter.tell(job.done)
            self._report(self._meter.progress(job))


def model_name(model: Mapping[str, object]) -> str:
    """A model of `contracts.model_json` in a few words: name, revision, precision."""
    return f"{model.get('name')} {str(model.get('revision'))[:12]} ({model.get('precision')})"
