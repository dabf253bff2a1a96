"""One worker thread that owns the model, and the tickets of those who wait for it.

Two priorities: interactive requests overtake batch work that has not begun. A ticket can be cancelled while it waits
and while it runs. It knows nothing of models; a page never blocks on it.
"""

import heapq
import itertools
import logging
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, Generic, Literal, TypeVar

from engine.errors import Cancelled, WorkbenchError
from engine.run.failures import as_workbench_error, forget_frames

Result = TypeVar("Result")
Priority = Literal["interactive", "batch"]
TicketState = Literal["queued", "running", "done"]

_log = logging.getLogger(__name__)
_RANKS: dict[Priority, int] = {"interactive": 0, "batch": 1}
_TIDY_SECONDS = 3.0


class Ticket(Generic[Result]):
    """A request's place in the queue, and its answer once there is one. Safe to use from any thread."""

    def __init__(self, work: Callable[["Ticket[Result]"], Result]) -> None:
        self.id = secrets.token_hex(4)
        """What the log calls it."""
        self.stop = threading.Event()
        self.created = time.perf_counter()
        self.started: float | None = None
        self.progress: tuple[int, int] | None = None
        """Steps done and in all, of work that has steps; set by the work itself."""
        self.partial = ""
        """The answer's text so far, of work that writes one; set by the work itself."""
        self._work = work
        self._future: Future[Result] = Future()
        self._claim = threading.Lock()
        """Held to decide whether it begins or is cancelled before."""

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

    def then(self, call: Callable[[], object]) -> None:
        """Have `call` called once it is over: on the thread that ends it, or now where it is over already."""
        self._future.add_done_callback(lambda _: call())

    def cancel(self) -> None:
        """End now if it has not begun, else stop at its next step; `result` then raises `Cancelled`. Idempotent."""
        self.stop.set()
        with self._claim:
            if self.started is None and not self._future.done():
                self._future.set_exception(Cancelled())

    def result(self, timeout: float | None = None) -> Result:
        """The answer, waiting up to `timeout` seconds.

        Raises:
            WorkbenchError: whatever went wrong, as a user may read it.
            TimeoutError: it is not over yet.
        """
        failed = self._future.exception(timeout)
        if failed is not None:
            raise failed.with_traceback(None)  # raised many times, by every rerun of a page: frames would pile up
        return self._future.result()

    def run(self) -> None:
        """Do the work on the calling thread; the worker calls this once."""
        with self._claim:
            if self._future.done():  # cancelled while it waited
                return
            self.started = time.perf_counter()
        try:
            answer = self._work(self)
        except BaseException as error:  # a library that calls exit must not end the worker either
            if not isinstance(error, WorkbenchError):  # a fault of ours: the log gets the traceback
                _log.exception("a request failed", extra={"may_quote": True})
            forget_frames(error)  # tickets are kept for long
            self._future.set_exception(as_workbench_error(error))
        else:
            self._future.set_result(answer)


class Worker:
    """Runs tickets one at a time on a daemon thread of its own, interactive ones first.

    tidy: called after an answer when nothing waits, at most every few seconds.
    """

    def __init__(self, name: str = "model-worker", tidy: Callable[[], None] = lambda: None) -> None:
        self._tidy, self._tidied = tidy, time.monotonic()
        self._heap: list[tuple[int, int, Ticket[Any]]] = []
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._running: Ticket[Any] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Ticket[Result]], Result], priority: Priority = "interactive") -> Ticket[Result]:
        """Queue a piece of work; it is called with its own ticket, whose `stop` it should watch."""
        ticket = Ticket(work)
        with self._changed:
            if self._closed:
                ticket.cancel()
            else:
                heapq.heappush(self._heap, (_RANKS[priority], next(self._order), ticket))
                self._changed.notify()
        return ticket

    def waiting(self) -> int:
        """How many tickets have not begun and were not cancelled."""
        with self._changed:
            return sum(not ticket.stop.is_set() for _, _, ticket in self._heap)

    def close(self) -> None:
        """Cancel what waits and end the thread after the work in hand, which is asked to stop."""
        with self._changed:
            self._closed = True
            for _, _, ticket in self._heap:
                ticket.cancel()
            self._heap.clear()
            if self._running is not None:
                self._running.cancel()
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._heap or self._closed)
                if self._closed:
                    return
                self._running = heapq.heappop(self._heap)[2]
            self._running.run()
            with self._changed:
                self._running = None  # an answer must not live on because the worker is idle
                idle = not self._heap
            if idle and time.monotonic() - self._tidied > _TIDY_SECONDS:
                self._tidy()
                self._tidied = time.monotonic()
