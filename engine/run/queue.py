"""One worker thread that owns the model, and the tickets of those who wait for it.

Two priorities: interactive requests overtake batch work that has not begun. A ticket can be cancelled while it waits
and while it runs. It knows nothing of models; a page never blocks on it.
"""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, Generic, Literal, TypeVar

from engine.errors import Cancelled, WorkbenchError

Result = TypeVar("Result")
Priority = Literal["interactive", "batch"]
TicketState = Literal["queued", "running", "done"]

_log = logging.getLogger(__name__)
_RANKS: dict[Priority, int] = {"interactive": 0, "batch": 1}


class Ticket(Generic[Result]):
    """A request's place in the queue, and its answer once there is one. Safe to use from any thread."""

    def __init__(self, work: Callable[["Ticket[Result]"], Result]) -> None:
        self.stop = threading.Event()
        self.created = time.perf_counter()
        self.started: float | None = None
        self._work = work
        self._future: Future[Result] = Future()

    @property
    def state(self) -> TicketState:
        """Waiting, being worked on, or over (answered, failed or cancelled)."""
        if self._future.done():
            return "done"
        return "queued" if self.started is None else "running"

    @property
    def queue_ms(self) -> float:
        """Milliseconds between asking and the start of the work."""
        return 0.0 if self.started is None else (self.started - self.created) * 1e3

    @property
    def error(self) -> WorkbenchError | None:
        """Why it failed; None while it is not over and when it was answered."""
        failed = self._future.exception() if self._future.done() else None
        return failed if isinstance(failed, WorkbenchError) else None

    def wait(self, seconds: float) -> bool:
        """Wait until it is over, at most so long; whether it is."""
        wait([self._future], seconds)
        return self._future.done()

    def cancel(self) -> None:
        """Stop at the next step, or before the first; `result` then raises `Cancelled`. Idempotent."""
        self.stop.set()

    def result(self, timeout: float | None = None) -> Result:
        """The answer, waiting up to `timeout` seconds.

        Raises:
            WorkbenchError: whatever went wrong, as a user may read it.
            TimeoutError: it is not over yet.
        """
        return self._future.result(timeout)

    def run(self) -> None:
        """Do the work on the calling thread; the worker calls this once."""
        self.started = time.perf_counter()
        try:
            if self.stop.is_set():
                raise Cancelled
            answer = self._work(self)
        except WorkbenchError as error:
            self._future.set_exception(error)
        except Exception as error:  # a fault of ours: the log gets the traceback, the user a sentence
            _log.exception("a request failed")
            self._future.set_exception(_as_workbench_error(error))
        else:
            self._future.set_result(answer)

    def abandon(self) -> None:
        """End as cancelled without having run."""
        self.stop.set()
        if not self._future.done():
            self._future.set_exception(Cancelled())


class Worker:
    """Runs tickets one at a time on a daemon thread of its own, interactive ones first."""

    def __init__(self, name: str = "model-worker") -> None:
        self._heap: list[tuple[int, int, Ticket[Any]]] = []
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Ticket[Result]], Result], priority: Priority = "interactive") -> Ticket[Result]:
        """Queue a piece of work; it is called with its own ticket, whose `stop` it should watch."""
        ticket = Ticket(work)
        with self._changed:
            if self._closed:
                ticket.abandon()
            else:
                heapq.heappush(self._heap, (_RANKS[priority], next(self._order), ticket))
                self._changed.notify()
        return ticket

    def waiting(self) -> int:
        """How many tickets have not begun and were not cancelled."""
        with self._changed:
            return sum(not ticket.stop.is_set() for _, _, ticket in self._heap)

    def close(self) -> None:
        """Abandon what waits and end the thread after the work in hand, which is asked to stop."""
        with self._changed:
            self._closed = True
            for _, _, ticket in self._heap:
                ticket.abandon()
            self._heap.clear()
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._heap or self._closed)
                if self._closed:
                    return
                ticket = heapq.heappop(self._heap)[2]
            ticket.run()
            del ticket  # an answer must not live on because the worker is idle


def _as_workbench_error(error: Exception) -> WorkbenchError:
    memory = isinstance(error, MemoryError) or "out of memory" in str(error).lower()
    return WorkbenchError("out_of_memory") if memory else WorkbenchError("internal", kind=type(error).__name__)
