"""Experiments: long work beside the requests, one at a time in a process, with progress, a stop, and rows so far.

An experiment has a thread of its own, which asks the workbench as everybody does. It measures nothing itself.
"""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Literal, TypeVar

from engine.errors import Cancelled, WorkbenchError
from engine.run.failures import as_workbench_error, forget_frames

Row = TypeVar("Row")
Result = TypeVar("Result")
ExperimentState = Literal["running", "done", "cancelled", "failed"]

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_latest: list["Experiment[Any, Any]"] = []
"""The one that was begun last; nothing before the first."""


class Experiment(Generic[Row, Result]):
    """One experiment: any thread may look at it and cancel it.

    rows: what is measured so far, also after a stop or a failure. progress: steps done and in all.
    result: once it is done. error: why it failed.
    """

    def __init__(self, kind: str) -> None:
        """Begin nothing yet. `kind`: what the pages call it."""
        self.id = secrets.token_urlsafe(9)
        self.kind = kind
        self.state: ExperimentState = "running"
        self.progress: tuple[int, int] = (0, 0)
        self.rows: tuple[Row, ...] = ()
        self.result: Result | None = None
        self.error: WorkbenchError | None = None
        self.stop = threading.Event()
        self._over = threading.Event()
        self._cancel_now: Callable[[], None] = lambda: None

    def cancel(self) -> None:
        """Stop at the next step. Idempotent; returns at once."""
        self.stop.set()
        self._cancel_now()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is over, at most so long; whether it is."""
        return self._over.wait(seconds)

    @contextmanager
    def cancelling(self, cancel: Callable[[], None]) -> Iterator[None]:
        """While it lasts, `cancel` is called by a stop: it ends what the experiment waits for.

        Raises:
            Cancelled: the stop was asked for already.
        """
        self._cancel_now = cancel
        try:
            self.check()
            yield
        finally:
            self._cancel_now = lambda: None

    def check(self) -> None:
        """Raise `Cancelled` where a stop was asked for."""
        if self.stop.is_set():
            raise Cancelled

    def run(self, work: Callable[["Experiment[Row, Result]"], Result]) -> None:
        """Do the work on the calling thread, and keep what becomes of it."""
        try:
            self.result = work(self)
            self.state = "done"
        except Cancelled:
            self.state = "cancelled" if self.stop.is_set() else "failed"
            self.error = None if self.stop.is_set() else Cancelled()
        except Exception as error:
            if not isinstance(error, WorkbenchError):
                _log.exception("an experiment failed", extra={"may_quote": True})
            forget_frames(error)
            self.error, self.state = as_workbench_error(error), "failed"
        finally:
            self._over.set()


def start(kind: str, work: Callable[[Experiment[Row, Result]], Result]) -> Experiment[Row, Result]:
    """Begin an experiment on a thread of its own.

    Raises:
        WorkbenchError: `experiment_running`: another one is not over.
    """
    with _lock:
        if any(not one.wait(0) for one in _latest):
            raise WorkbenchError("experiment_running")
        made = Experiment[Row, Result](kind)
        _latest[:] = [made]
        threading.Thread(target=made.run, args=(work,), name=f"experiment-{kind}", daemon=True).start()
    return made


def latest() -> Experiment[Any, Any] | None:
    """The experiment that was begun last in this process, over or not."""
    return next(iter(_latest), None)
