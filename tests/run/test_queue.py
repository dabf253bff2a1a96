"""The worker and its tickets: order, cancelling, failures, the end."""

import gc
import logging
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from doubles import WAIT

from engine.errors import Cancelled, WorkbenchError
from engine.run import queue
from engine.run.queue import Ticket, Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    one = Worker("test-worker")
    yield one
    one.close()


class Blocker:
    """Work that holds the worker until it is let go or stopped."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.gate = threading.Event()

    def __call__(self, ticket: Ticket[str]) -> str:
        self.begun.set()
        while not self.gate.wait(0.01):
            if ticket.stop.is_set():
                raise Cancelled
        return "let go"


def hold(worker: Worker) -> tuple[Blocker, Ticket[str]]:
    """Occupy the worker; what is submitted next waits."""
    blocker = Blocker()
    ticket = worker.submit(blocker)
    assert blocker.begun.wait(WAIT)
    return blocker, ticket


def test_a_ticket_is_answered_on_the_workers_own_thread(worker: Worker) -> None:
    ticket = worker.submit(lambda _: threading.current_thread().name)
    assert ticket.result(WAIT) == "test-worker"
    assert ticket.state == "done"
    assert ticket.error is None
    assert ticket.queue_ms >= 0
    assert worker.waiting() == 0


def test_states_and_the_number_that_waits(worker: Worker) -> None:
    blocker, running = hold(worker)
    queued = [worker.submit(lambda _: 1), worker.submit(lambda _: 2)]
    assert (running.state, [one.state for one in queued], worker.waiting()) == ("running", ["queued"] * 2, 2)
    with pytest.raises(TimeoutError):
        queued[0].result(0)
    blocker.gate.set()
    assert running.result(WAIT) == "let go"
    assert [one.result(WAIT) for one in queued] == [1, 2]
    assert {one.state for one in queued} == {"done"}


def test_interactive_work_overtakes_batch_work_and_each_kind_keeps_its_order(worker: Worker) -> None:
    blocker, _ = hold(worker)
    order: list[str] = []

    def note(name: str) -> Callable[[Ticket[None]], None]:
        return lambda _: order.append(name)

    tickets = [
        worker.submit(note("batch 1"), "batch"),
        worker.submit(note("one")),
        worker.submit(note("batch 2"), "batch"),
        worker.submit(note("two"), "interactive"),
    ]
    blocker.gate.set()
    for ticket in tickets:
        ticket.result(WAIT)
    assert order == ["one", "two", "batch 1", "batch 2"]


def test_cancelled_while_queued_never_runs(worker: Worker) -> None:
    blocker, _ = hold(worker)
    ran: list[int] = []
    ticket = worker.submit(lambda _: ran.append(1))
    ticket.cancel()
    ticket.cancel()
    assert worker.waiting() == 0
    blocker.gate.set()
    with pytest.raises(Cancelled):
        ticket.result(WAIT)
    assert worker.submit(lambda _: "next").result(WAIT) == "next"
    assert ran == []


def test_cancelled_while_queued_is_over_at_once_although_the_worker_is_busy(worker: Worker) -> None:
    """Stop must not wait for the load or the answer of somebody else."""
    blocker, running = hold(worker)
    ticket = worker.submit(lambda _: 1)
    ticket.cancel()
    assert ticket.state == "done"
    assert isinstance(ticket.error, Cancelled)
    with pytest.raises(Cancelled):
        ticket.result(0)
    assert running.state == "running"
    blocker.gate.set()
    running.result(WAIT)


def test_cancelled_while_running_stops_at_its_next_step(worker: Worker) -> None:
    _, running = hold(worker)
    assert running.state == "running"
    running.cancel()
    with pytest.raises(Cancelled):
        running.result(WAIT)
    assert isinstance(running.error, Cancelled)
    assert worker.submit(lambda _: "next").result(WAIT) == "next"


def test_cancelling_an_answered_ticket_keeps_the_answer(worker: Worker) -> None:
    ticket = worker.submit(lambda _: 5)
    assert ticket.result(WAIT) == 5
    ticket.cancel()
    assert ticket.result(0) == 5
    assert ticket.error is None


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (WorkbenchError("text_empty"), "text_empty"),
        (MemoryError(), "out_of_memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "out_of_memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes."), "out_of_memory"),
        (ValueError("a secret path"), "internal"),
        (KeyError("x"), "internal"),
        (RecursionError(), "internal"),
    ],
)
def test_failures_become_sentences_and_the_worker_lives_on(
    worker: Worker, failure: Exception, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Ticket[None]) -> None:
        raise failure

    caplog.set_level(logging.ERROR)
    ticket = worker.submit(fail)
    with pytest.raises(WorkbenchError) as caught:
        ticket.result(WAIT)
    assert caught.value.code == code
    assert ticket.error is caught.value
    assert "secret" not in caught.value.message
    expected_in_log = not isinstance(failure, WorkbenchError)
    assert bool([record for record in caplog.records if record.exc_info]) == expected_in_log
    assert worker.submit(lambda _: "next").result(WAIT) == "next"


def test_a_library_that_calls_exit_does_not_end_the_worker(worker: Worker, caplog: pytest.LogCaptureFixture) -> None:
    def leave(_: Ticket[None]) -> None:
        raise SystemExit(1)

    with pytest.raises(WorkbenchError) as caught:
        worker.submit(leave).result(WAIT)
    assert caught.value.code == "internal"
    assert worker.submit(lambda _: "next").result(WAIT) == "next"


class Big:
    """Something whose memory counts."""


@pytest.fixture
def no_log() -> Iterator[None]:
    """Log records keep tracebacks, and pytest keeps log records."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("no_log")
@pytest.mark.parametrize("kind", [lambda: WorkbenchError("text_empty"), lambda: ValueError("x"), Cancelled])
def test_a_kept_failure_holds_nothing_of_what_failed(worker: Worker, kind: Callable[[], Exception]) -> None:
    """Pages keep tickets; through a traceback a failed one would keep the whole model."""
    alive: list[weakref.ref[Big]] = []

    def fail(_: Ticket[None]) -> None:
        big = Big()
        alive.append(weakref.ref(big))
        try:
            raise LookupError("the first of two")
        except LookupError:
            raise kind() from None

    ticket = worker.submit(fail)
    with pytest.raises(WorkbenchError):
        ticket.result(WAIT)
    worker.submit(lambda _: None).result(WAIT)
    gc.collect()
    assert ticket.error is not None
    assert alive[0]() is None


def test_a_failure_that_is_raised_again_and_again_does_not_grow(worker: Worker) -> None:
    """A page asks for the result at every rerun."""

    def fail(_: Ticket[None]) -> None:
        raise WorkbenchError("text_empty")

    def frames() -> int:
        with pytest.raises(WorkbenchError) as caught:
            ticket.result(WAIT)
        return len(list(traceback.walk_tb(caught.value.__traceback__)))

    ticket = worker.submit(fail)
    assert frames() == [frames() for _ in range(5)][-1]


def test_an_idle_worker_keeps_no_answer_alive(worker: Worker) -> None:
    gone = threading.Event()
    ticket = worker.submit(lambda _: Big())
    weakref.finalize(ticket.result(WAIT), gone.set)
    del ticket
    assert gone.wait(WAIT)


def test_it_tidies_up_when_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "_TIDY_SECONDS", -1.0)
    done: list[str] = []
    tidied = threading.Event()

    def tidy() -> None:
        done.append("tidied")
        tidied.set()

    worker = Worker("tidy-worker", tidy)
    blocker, first = hold(worker)
    second = worker.submit(lambda _: done.append("answered"))
    blocker.gate.set()
    first.result(WAIT)
    second.result(WAIT)
    assert tidied.wait(WAIT)
    worker.close()
    assert done == ["answered", "tidied"]


def test_it_does_not_tidy_up_after_every_answer() -> None:
    done: list[str] = []
    worker = Worker("tidy-worker", lambda: done.append("tidied"))
    for _ in range(20):
        worker.submit(lambda _: None).result(WAIT)
    worker.close()
    assert not done


def test_close_abandons_what_waits_and_stops_what_runs() -> None:
    worker = Worker("closing-worker")
    _, running = hold(worker)
    waiting = [worker.submit(lambda _: 1), worker.submit(lambda _: 2, "batch")]
    closer = threading.Thread(target=worker.close, daemon=True)
    closer.start()
    closer.join(WAIT)
    assert not closer.is_alive()
    for ticket in (running, *waiting):
        with pytest.raises(Cancelled):
            ticket.result(0)
    assert "closing-worker" not in {thread.name for thread in threading.enumerate()}


def test_after_close_tickets_are_cancelled_at_once() -> None:
    worker = Worker()
    worker.close()
    worker.close()
    ticket: Ticket[Any] = worker.submit(lambda _: 1)
    assert ticket.state == "done"
    with pytest.raises(Cancelled):
        ticket.result(0)
    assert worker.waiting() == 0


def test_work_may_close_its_own_worker() -> None:
    worker = Worker("own-end")
    ticket = worker.submit(lambda _: worker.close())
    assert ticket.result(WAIT) is None
    worker.close()
    assert "own-end" not in {thread.name for thread in threading.enumerate()}


def test_many_threads_cancel_and_submit_at_once(worker: Worker) -> None:
    """Every ticket ends, as an answer or as cancelled, and none runs after it was reported cancelled."""
    ran: set[int] = set()
    outcomes: dict[int, str] = {}
    lock = threading.Lock()
    start = threading.Barrier(8)

    def client(number: int) -> None:
        start.wait(WAIT)
        for turn in range(50):
            name = number * 100 + turn
            ticket = worker.submit(lambda _, name=name: ran.add(name), "batch" if turn % 3 else "interactive")
            if turn % 2:
                ticket.cancel()
            try:
                ticket.result(WAIT)
                outcome = "answered"
            except Cancelled:
                outcome = "cancelled"
            with lock:
                outcomes[name] = outcome

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert len(outcomes) == 400
    assert {name for name, outcome in outcomes.items() if outcome == "answered"} == ran
    assert worker.waiting() == 0
