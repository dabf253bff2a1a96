"""Who runs a job: one process at a time, by a lock in the job's folder that ends with the process."""

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from engine.errors import WorkbenchError
from engine.jobs.store import JobStore


@contextmanager
def alone(store: JobStore, job_id: str) -> Iterator[None]:
    """Hold a job, so that no other process or thread runs it.

    Raises:
        WorkbenchError: `job_elsewhere`; `jobs_unusable` where its folder cannot be made.
    """
    folder = store.folder(job_id)
    lock = FileLock(folder / "lock", mode=0o600)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise WorkbenchError("job_elsewhere") from None
    except OSError as error:
        raise WorkbenchError("jobs_unusable", path=folder, reason=error.strerror or error) from None
    try:
        yield
    finally:
        lock.release()


def recover(store: JobStore) -> None:
    """Have jobs that stand as running, though nobody runs them, be paused, and say why."""
    for job in store.running():
        try:
            with alone(store, job.id):
                store.set_state(job.id, "paused", WorkbenchError("job_interrupted"), only_from=("running",))
        except WorkbenchError as error:
            if error.code not in ("job_elsewhere", "job_missing"):
                raise
