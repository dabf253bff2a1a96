"""A budget of memory: steps that shrink and grow back, requests that wait, proceed, are refused or cancelled."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from doubles import WAIT
from understanding import ByText

from engine.errors import Cancelled, WorkbenchError
from engine.model.fake import FakeBackend
from engine.run.batch import SIZE, Batch, BatchRow
from engine.run.budget import FULL, NEAR, Budget
from engine.run.queue import Ticket
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest, ClassifyResult, Note, PromptRequest

Make = Callable[..., Workbench]
LABELS = ("财经", "体育")
LIMIT = 1000
CALM, CLOSE, OVER = int(NEAR * LIMIT) - 1, int(NEAR * LIMIT), int(FULL * LIMIT)


class Memory:
    """Memory that a test fills; `let_go` frees `kept`, and what is called is written down."""

    def __init__(self, held: int = 0, kept: int = 0) -> None:
        self.held, self.kept = held, kept
        self.calls: list[str] = []

    def __call__(self) -> int:
        return self.held + self.kept

    def trim(self) -> None:
        """Nothing is freed by it."""
        self.calls.append("trim")

    def let_go(self) -> None:
        """What was kept is free."""
        self.calls.append("let go")
        self.kept = 0

    def budget(self, **options: Any) -> Budget:
        """A budget of 1000 bytes of this memory."""
        return Budget(**({"limit": LIMIT, "held": self, "trim": self.trim, "let_go": self.let_go} | options))


def ticket() -> Ticket[None]:
    return Ticket[None](lambda _: None)


def ask(count: int) -> list[ClassifyRequest]:
    return [ClassifyRequest(f"第{number:03}条", LABELS) for number in range(count)]


# How many requests a step may have.


def test_without_a_budget_nothing_changes() -> None:
    memory = Memory(10 * LIMIT)
    budget = memory.budget(limit=None)
    assert [budget.most(size) for size in (1, 8, 32)] == [1, 8, 32]
    budget.admit(ticket())
    assert memory.calls == []


def test_near_the_budget_steps_are_halved_down_to_one() -> None:
    budget = Memory(CLOSE).budget()
    assert [budget.most(16) for _ in range(7)] == [8, 4, 2, 1, 1, 1, 1]


def test_they_grow_back_slowly_when_memory_falls() -> None:
    memory = Memory(CLOSE)
    budget = memory.budget()
    assert [budget.most(8) for _ in range(9)][-1] == 1
    memory.held = CALM
    sizes = [budget.most(8) for _ in range(14)]
    assert sizes == sorted(sizes)
    assert (sizes[0], set(sizes), sizes[-1]) == (1, {1, 2, 4, 8}, 8)
    assert sizes.count(2) == sizes.count(4) == 4
    memory.held = CLOSE
    assert budget.most(8) == 4


def test_a_bend_of_memory_begins_the_count_anew() -> None:
    memory = Memory(CLOSE)
    budget = memory.budget()
    budget.most(8)
    sizes = []
    for held in (CALM, CALM, CALM, CLOSE, CALM, CALM, CALM, CALM):
        memory.held = held
        sizes.append(budget.most(8))
    assert sizes == [4, 4, 4, 2, 2, 2, 2, 4]


def test_just_below_it_nothing_shrinks() -> None:
    assert Memory(CALM).budget().most(8) == 8


def test_a_step_of_one_is_not_looked_at() -> None:
    def held() -> int:
        raise AssertionError

    assert Memory().budget(held=held).most(1) == 1


def test_memory_that_cannot_be_told_limits_nothing() -> None:
    def held() -> int:
        raise OSError("no /proc")

    budget = Memory().budget(held=held)
    assert budget.most(8) == 8
    budget.admit(ticket())


# Whether a request may begin.


def test_below_it_a_request_begins_at_once() -> None:
    memory = Memory(CALM)
    memory.budget().admit(ticket())
    assert memory.calls == []


def test_near_it_freed_pages_go_back_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.run.budget._TRIM_SECONDS", 1e9)
    memory = Memory(CLOSE)
    budget = memory.budget()
    for _ in range(3):
        budget.admit(ticket())
    assert memory.calls == ["trim"], "they take time, so not before every request"


def test_what_is_kept_makes_room_before_anybody_waits() -> None:
    memory = Memory(held=CALM, kept=LIMIT)
    started = time.monotonic()
    memory.budget(patience=WAIT).admit(ticket())
    assert time.monotonic() - started < WAIT / 2
    assert memory.calls == ["trim", "let go", "trim"]


def test_pages_that_were_free_are_enough() -> None:
    memory = Memory(OVER)

    def trim() -> None:
        memory.held = CALM

    memory.budget(trim=trim).admit(ticket())
    assert "let go" not in memory.calls


def test_it_is_said_once_that_memory_is_short(caplog: pytest.LogCaptureFixture) -> None:
    """A batch comes back with its step again and again."""
    memory = Memory(OVER)
    budget = memory.budget()

    def refused() -> list[str]:
        caplog.clear()
        with pytest.raises(WorkbenchError):
            budget.admit(ticket(), 0)
        return [record.levelname for record in caplog.records if record.levelname != "DEBUG"]

    assert [refused() for _ in range(3)] == [["WARNING"], [], []]
    memory.held = 0
    budget.admit(ticket())
    memory.held = OVER
    assert refused() == ["WARNING"]


def test_without_room_a_request_is_refused_with_figures() -> None:
    memory = Memory(OVER)
    with pytest.raises(WorkbenchError) as refused:
        memory.budget(patience=0.05).admit(ticket())
    assert refused.value.code == "memory_budget"
    assert refused.value.details == {"held": f"{OVER} B", "limit": f"{LIMIT} B"}
    assert "--max-memory" in refused.value.hint


def test_the_wait_counts_from_when_it_was_asked() -> None:
    """Those that waited behind the first one are refused with it, not one after the other."""
    asked = ticket()
    asked.created -= 60
    started = time.monotonic()
    with pytest.raises(WorkbenchError):
        Memory(OVER).budget(patience=59).admit(asked)
    assert time.monotonic() - started < 30


def test_a_request_that_waits_goes_on_when_memory_falls() -> None:
    memory, admitted = Memory(OVER), threading.Event()
    budget = memory.budget(patience=WAIT)
    thread = threading.Thread(target=lambda: (budget.admit(ticket()), admitted.set()))
    thread.start()
    assert not admitted.wait(0.25)
    memory.held = CLOSE
    assert admitted.wait(WAIT)
    thread.join()


def test_a_request_that_waits_can_be_cancelled() -> None:
    waiting, errors = ticket(), list[BaseException]()

    def wait() -> None:
        try:
            budget.admit(waiting)
        except WorkbenchError as error:
            errors.append(error)

    budget = Memory(OVER).budget(patience=WAIT)
    thread = threading.Thread(target=wait)
    thread.start()
    waiting.cancel()
    thread.join(WAIT)
    assert [type(one) for one in errors] == [Cancelled]


# In the workbench.


class Filled(ByText):
    """Its steps hold memory, so many bytes a text, until the next one."""

    def __init__(self, memory: Memory, each: int) -> None:
        super().__init__()
        self._memory, self._each, self._before = memory, each, memory.held

    def weigh_labels(self, texts: Sequence[str], labels: Sequence[str], stop: Any = None) -> Any:
        self._memory.held = self._before + self._each * len(texts)
        return super().weigh_labels(texts, labels, stop)


@pytest.fixture
def made(make_workbench: Make, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Workbench]]:
    """A loaded workbench of that budget over a memory."""

    def make(memory: Memory, backend: Any = None, *, patience: float = WAIT, limit: int | None = LIMIT) -> Workbench:
        monkeypatch.setattr("engine.run.executor.held_bytes", lambda _: memory())
        workbench = make_workbench(lambda *_: backend or FakeBackend(delay=0), max_memory=limit)
        workbench.load().result(WAIT)
        workbench._executor.budget.patience = patience
        return workbench

    return make


def notes(row: BatchRow) -> list[Note]:
    assert isinstance(row.answer, ClassifyResult)
    return [note for note in row.answer.notes if note.code == "batch_shrunk"]


def test_the_steps_of_a_batch_shrink_and_recover(made: Callable[..., Workbench]) -> None:
    memory = Memory()
    backend = Filled(memory, 0)
    rows = []
    for row in made(memory, backend).many(ask(300)):
        rows.append(row)
        if row.number == 20:
            memory.held = backend._before = CLOSE
        if row.number == 60:
            memory.held = backend._before = CALM
    assert [row.number for row in rows] == list(range(300))
    sizes = list(map(len, backend.calls))
    assert sum(sizes) == 300
    assert (sizes[0], min(sizes), max(sizes)) == (SIZE, 1, SIZE)
    low = sizes.index(1)
    assert sizes[:low] == sorted(sizes[:low], reverse=True), "halved, then halved again"
    assert SIZE in sizes[low:], "and whole again, within the same window of requests"
    shrunk = [row for row in rows if notes(row)]
    assert {tuple(note.details.items()) for row in shrunk for note in notes(row)} >= {
        (("count", SIZE), ("size", 1)),
        (("count", SIZE), ("size", 4)),
    }
    assert not notes(rows[0])
    assert not notes(rows[-1])


def test_what_is_left_of_a_step_is_cut_by_the_same_size(made: Callable[..., Workbench]) -> None:
    """Not by a share of what is left."""
    memory = Memory()
    backend = Filled(memory, 0)
    workbench = made(memory, backend)
    memory.held = backend._before = CLOSE
    for _ in range(2):
        assert workbench._executor.budget.most(64) > 8
    backend._before = memory.held = CALM
    list(workbench.many(ask(21), batch_size=64))
    assert list(map(len, backend.calls)) == [16, 5]


def test_a_batch_without_a_budget_is_as_before(made: Callable[..., Workbench]) -> None:
    memory = Memory(50 * LIMIT)
    backend = Filled(memory, 0)
    rows = list(made(memory, backend, limit=None).many(ask(20)))
    assert list(map(len, backend.calls)) == [SIZE, SIZE, 4]
    assert not any(map(notes, rows))


def test_steps_that_fill_the_memory_become_smaller_by_themselves(made: Callable[..., Workbench]) -> None:
    memory = Memory(600)
    backend = Filled(memory, 35)
    rows = list(made(memory, backend).many(ask(40)))
    assert len(rows) == 40
    assert max(map(len, backend.calls)) == SIZE
    assert len(backend.calls[1]) == SIZE // 2


def test_a_request_is_refused_and_the_next_one_answered(made: Callable[..., Workbench]) -> None:
    memory = Memory()
    workbench = made(memory, patience=0.05)
    memory.held = OVER
    asked = [
        workbench.classify(ClassifyRequest("体育", LABELS)),
        workbench.prompt(PromptRequest("Tell.")),
    ]
    for one in asked:
        with pytest.raises(WorkbenchError) as refused:
            one.result(WAIT)
        assert refused.value.code == "memory_budget"
    memory.held = 0
    assert workbench.classify(ClassifyRequest("体育", LABELS)).result(WAIT).chosen


def test_kept_answers_go_first_and_are_still_given_where_they_stay(made: Callable[..., Workbench]) -> None:
    memory = Memory()
    workbench = made(memory, patience=0.05)
    request = ClassifyRequest("体育", LABELS)
    workbench.classify(request).result(WAIT)
    memory.held = OVER
    assert workbench.classify(request).result(WAIT).usage.cached, "it needs no memory"
    with pytest.raises(WorkbenchError):
        workbench.classify(ClassifyRequest("财经", LABELS)).result(WAIT)
    assert workbench.cache_size().answers == 0


def test_a_batch_waits_outside_of_the_queue(made: Callable[..., Workbench]) -> None:
    """A step without room does not keep the worker: who asks meanwhile is refused or answered in its turn."""
    memory = Memory()
    workbench = made(memory, ByText())
    memory.held = OVER
    rows, over = list[BatchRow](), threading.Event()
    batch = workbench.many(ask(20))
    thread = threading.Thread(target=lambda: (rows.extend(batch), over.set()))
    thread.start()
    deadline = time.monotonic() + WAIT
    while workbench.waiting() or not batch._ticket:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert workbench.forget().result(WAIT) is None, "the worker is free"
    assert not over.wait(0.3)
    memory.held = 0
    assert over.wait(WAIT)
    thread.join()
    assert [row.number for row in rows] == list(range(20))
    assert not any(isinstance(row.answer, WorkbenchError) for row in rows)


def test_a_batch_ends_when_its_patience_does_and_keeps_what_is_done(made: Callable[..., Workbench]) -> None:
    memory = Memory()
    workbench = made(memory, ByText(), patience=0.05)
    batch = workbench.many(ask(40))
    kept = [next(batch), next(batch)]
    memory.held = OVER
    with pytest.raises(WorkbenchError) as refused:
        kept.extend(batch)
    assert refused.value.code == "memory_budget"
    assert [row.number for row in kept] == list(range(len(kept)))
    assert SIZE <= len(kept) < 40


def test_a_batch_that_waits_can_be_stopped(made: Callable[..., Workbench]) -> None:
    memory = Memory(OVER)
    batch: Batch = made(memory, ByText()).many(ask(20))
    threading.Timer(0.3, batch.cancel).start()
    with pytest.raises(Cancelled):
        list(batch)


def test_the_budget_is_that_of_the_last_load(make_workbench: Make) -> None:
    workbench = make_workbench(max_memory=2**40)
    assert workbench._executor.budget.limit is None
    workbench.load().result(WAIT)
    assert workbench._executor.budget.limit == 2**40
    assert 2**20 < workbench._executor.budget._held() < 2**40
