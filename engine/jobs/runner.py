"""Runs the jobs of a store one after another, in the order in which they were queued, on a thread of its own."""

import logging
import threading

from engine.errors import WorkbenchError
from engine.jobs.alone import recover
from engine.jobs.meter import Meter
from engine.jobs.running import run_here
from engine.jobs.store import JobStore
from engine.jobs.types import JobState, Progress
from engine.run.failures import as_workbench_error, forget_frames
from engine.run.workbench import Workbench

__all__ = ["Runner", "run_here"]

_log = logging.getLogger(__name__)

_ENDABLE: dict[JobState, tuple[JobState, ...]] = {
    "paused": ("queued",),
    "cancelled": ("queued", "paused", "failed"),
}
"""The states in which a job that does not run can be paused or cancelled."""
_IDLE = 5.0
"""Seconds after which an idle runner looks for jobs whose process has ended."""


class Runner:
    """The runner of one process. Every method may be called from any thread; only `close` and `delete` wait.

    All of them raise a WorkbenchError, `jobs_unusable`, where the store cannot be used.
    """

    def __init__(self, workbench: Workbench, store: JobStore) -> None:
        self._workbench, self._store = workbench, store
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = self._woken = False
        self._job_id: str | None = None
        """The job that runs."""
        self._stop = threading.Event()
        self._after: JobState = "paused"
        """What the job that runs becomes when it is stopped."""
        self._interrupted = False
        """Whether it is stopped because the process ends."""
        self._progress: Progress | None = None
        self._any_model: set[str] = set()
        """Jobs that may go on with another model."""
        self._troubles: dict[str, WorkbenchError] = {}
        """Why a job ended, where the store could not be told."""

    def start(self) -> None:
        """Begin to run what is queued; jobs that an ended process left running are paused. Idempotent."""
        with self._changed:
            if self._thread is None:
                self._closed = self._interrupted = False
                self._thread = threading.Thread(target=self._loop, name="job-runner", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Pause the job that runs, and end the thread. Idempotent."""
        with self._changed:
            self._closed = True
            self._after = "paused"
            self._interrupted = True
            self._stop.set()
            self._changed.notify_all()
            thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def submit(self, job_id: str) -> None:
        """Queue a job that is not queued yet, and see to it that it is run."""
        self._store.set_state(job_id, "queued", only_from=("paused", "cancelled", "failed"))
        self.start()
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def pause(self, job_id: str) -> None:
        """Stop a job, or take it out of the queue; what is done is kept.

        Raises:
            WorkbenchError: `job_elsewhere`: who runs it must stop it.
        """
        self._end(job_id, "paused")

    def cancel(self, job_id: str) -> None:
        """Give a job up; what is done is kept, and it may be resumed. Raises as `pause`."""
        self._end(job_id, "cancelled")

    def resume(self, job_id: str, *, any_model: bool = False) -> None:
        """Go on with a job that was paused, cancelled, or failed.

        any_model: also with another model than the one of the rows that are done, which the job then names.
        """
        with self._changed:
            self._troubles.pop(job_id, None)
            self._any_model.add(job_id) if any_model else self._any_model.discard(job_id)
        self.submit(job_id)

    def retry_failed(self, job_id: str, *, any_model: bool = False) -> int:
        """Ask the rows with an error again; how many there are. Nothing is done while the job is queued or runs."""
        job = self._store.get(job_id)
        if job is None or job.state in ("queued", "running"):
            return 0
        # first the state: a job that ends here as "done" would never ask what it has forgotten
        was_done = self._store.set_state(job_id, "paused", only_from=("done",))
        count = self._store.forget_failed(job_id)
        if count:
            self.resume(job_id, any_model=any_model)
        elif was_done:
            self._store.set_state(job_id, "done", only_from=("paused",))
        return count

    def delete(self, job_id: str) -> None:
        """Stop a job and forget it, its rows and its copy of the file."""
        try:
            self._end(job_id, "cancelled")
        except WorkbenchError as error:
            if error.code not in ("job_missing", "job_elsewhere"):
                raise
        with self._changed:
            self._changed.wait_for(lambda: self._job_id != job_id, timeout=10)
        self._store.delete(job_id)

    def progress(self, job_id: str) -> Progress:
        """How a job stands.

        Raises:
            WorkbenchError: `job_missing`.
        """
        with self._changed:
            live = self._progress if self._job_id == job_id else None
        job = self._store.get(job_id)
        if job is None:
            raise WorkbenchError("job_missing")
        if live is not None and job.state == "running":
            return live
        return Meter().progress(job, self._store.queued_before(job_id) if job.state == "queued" else 0)

    def trouble(self, job_id: str) -> WorkbenchError | None:
        """Why a job ended here, where the store could not be told; its state in the store is out of date then."""
        with self._changed:
            return self._troubles.get(job_id)

    def _end(self, job_id: str, state: JobState) -> None:
        with self._changed:
            if self._job_id == job_id:
                self._after = state
                self._stop.set()
                return
        if not self._store.set_state(job_id, state, only_from=_ENDABLE[state]):
            job = self._store.get(job_id)
            if job is not None and job.state == "running":
                raise WorkbenchError("job_elsewhere")

    def _loop(self) -> None:
        while True:
            job_id = self._next()
            if job_id is None:
                with self._changed:
                    self._changed.wait_for(lambda: self._woken or self._closed, _IDLE)
                    self._woken = False
                    if self._closed:
                        return
            else:
                self._run(job_id)

    def _next(self) -> str | None:
        """The job whose turn it is, taken: from now on it can be stopped."""
        try:
            recover(self._store)
            job = self._store.next_queued()
        except WorkbenchError as error:
            _log.debug("the jobs cannot be looked through: %s", error.code)
            return None
        with self._changed:
            if job is None or self._closed:
                return None
            self._job_id, self._progress, self._after = job.id, None, "paused"
            self._stop = threading.Event()
            return job.id

    def _run(self, job_id: str) -> None:
        error: WorkbenchError | None = None
        with self._changed:
            stop, any_model = self._stop, job_id in self._any_model
        try:
            job = self._store.get(job_id)
            if job is not None and job.state == "queued":
                run_here(self._workbench, self._store, job, stop, self._see, any_model=any_model)
        except BaseException as failed:  # the other jobs must go on
            error = as_workbench_error(failed)
            if error is not failed:
                _log.exception("a job ended by a fault", extra={"may_quote": True})
            forget_frames(failed)
        self._settle(job_id, stop, error)
        with self._changed:
            self._job_id = self._progress = None
            self._any_model.discard(job_id)
            self._changed.notify_all()

    def _settle(self, job_id: str, stop: threading.Event, error: WorkbenchError | None) -> None:
        """Give a job that was stopped, or that ended badly, its state."""
        try:
            if error is not None and error.code == "job_elsewhere":
                self._store.set_state(job_id, "running", only_from=("queued",))
            elif error is not None and error.code != "job_missing":
                self._store.set_state(job_id, "failed", error, only_from=("queued", "running", "paused"))
            elif stop.is_set() and error is None:
                with self._changed:
                    after, interrupted = self._after, self._interrupted
                reason = WorkbenchError("job_interrupted") if interrupted else None
                self._store.set_state(job_id, after, reason, only_from=("running", "paused"))
        except WorkbenchError as untold:
            if untold.code != "job_missing":
                with self._changed:
                    self._troubles[job_id] = error or untold

    def _see(self, progress: Progress) -> None:
        with self._changed:
            self._progress = progress
