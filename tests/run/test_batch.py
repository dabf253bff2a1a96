"""Many requests in steps: order, memory that runs out, faults, others that pass, stops, and how far it looks ahead."""

import itertools
import random
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from doubles import WAIT, GatedBackend, GatedLoad, WritingBackend
from understanding import ByText

from engine.errors import Cancelled, WorkbenchError
from engine.model.fake import FakeBackend
from engine.run.batch import CHARACTERS, SIZE, SIZE_ELSEWHERE, WINDOW, Batch, BatchRow, Request, usual_size
from engine.run.classify import Classifier
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest, ClassifyResult, ExtractRequest, ExtractResult, FieldSpec, Note

Make = Callable[..., Workbench]
LABELS = ("财经", "体育")
FIELDS = (FieldSpec("人名"), FieldSpec("地名"))


def ask(*texts: str) -> list[ClassifyRequest]:
    return [ClassifyRequest(text, LABELS) for text in texts]


def numbered(count: int) -> list[ClassifyRequest]:
    return ask(*(f"第{number:03}条" for number in range(count)))


def over(make: Make, backend: Any) -> Workbench:
    """A workbench whose model is loaded."""
    workbench = make(lambda *_: backend)
    workbench.load().result(WAIT)
    return workbench


def notes(row: BatchRow) -> tuple[Note, ...]:
    assert isinstance(row.answer, ClassifyResult | ExtractResult)
    return row.answer.notes


def codes(rows: Iterable[BatchRow]) -> list[str]:
    return [row.answer.code if isinstance(row.answer, WorkbenchError) else "answered" for row in rows]


def until_the_end(rows: Iterator[BatchRow]) -> tuple[list[BatchRow], WorkbenchError | None]:
    """The rows that come, and why no more do."""
    kept = []
    try:
        for row in rows:
            kept.append(row)
    except WorkbenchError as error:
        return kept, error
    return kept, None


# Order and answers.


@pytest.mark.parametrize("backend", [FakeBackend, ByText])
def test_rows_come_in_the_order_of_the_requests_and_with_their_answers(make_workbench: Make, backend: Any) -> None:
    draw = random.Random(7)
    requests: list[Request] = []
    for number in range(2 * WINDOW + 5):
        text = f"{number}张三在北京看体育" + "字" * draw.randrange(60)
        requests.append(draw.choice([ClassifyRequest(text, LABELS), ExtractRequest(text, FIELDS)]))
    rows = list(over(make_workbench, backend()).many(requests))
    assert [row.number for row in rows] == list(range(len(requests)))
    assert [row.request for row in rows] == requests
    alone = Classifier(backend())
    for row in rows:
        if isinstance(row.request, ClassifyRequest):
            assert isinstance(row.answer, ClassifyResult)
            assert row.answer.labels == alone(row.request).labels
        else:
            assert isinstance(row.answer, ExtractResult)
            (place,) = {one.end for one in row.answer.fields[0].values} or {None}
            assert place is None or place <= len(row.request.text)


def test_without_order_a_row_comes_as_soon_as_it_is_answered(make_workbench: Make) -> None:
    workbench = over(make_workbench, FakeBackend())
    batch = workbench.many(ask("长" * 60, "中" * 30, "短"), batch_size=1)
    batch.in_order = False
    assert next(batch).number == 2  # the shortest, which is asked first
    assert sorted(row.number for row in batch) == [0, 1]


def test_like_is_asked_with_like_the_shortest_first(make_workbench: Make) -> None:
    backend = ByText()
    texts = ["甲" * 30, "乙", "丙" * 20]
    requests = [ClassifyRequest(text, labels) for text in texts for labels in (LABELS, ("a", "b"))]
    list(over(make_workbench, backend).many(requests))
    assert backend.calls == [["乙", "丙" * 20, "甲" * 30]] * 2


def test_a_step_is_bounded_by_texts_and_by_characters(make_workbench: Make) -> None:
    backend = ByText()
    workbench = over(make_workbench, backend)
    list(workbench.many(numbered(SIZE + 1)))
    assert list(map(len, backend.calls)) == [SIZE, 1]
    backend.calls.clear()
    list(workbench.many(numbered(5), batch_size=2))
    assert list(map(len, backend.calls)) == [2, 2, 1]
    backend.calls.clear()
    list(workbench.many(ask(*["字" * (CHARACTERS // 3)] * 5, "字" * CHARACTERS * 3)))
    assert list(map(len, backend.calls)) == [2, 2, 1, 1]


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_below_one_is_refused_at_once(make_workbench: Make, size: int) -> None:
    with pytest.raises(WorkbenchError) as caught:
        make_workbench().many([], batch_size=size)
    assert caught.value.code == "bad_setting"


def test_no_requests_are_no_rows_and_load_nothing(make_workbench: Make) -> None:
    workbench = make_workbench()
    assert list(workbench.many([])) == []
    assert workbench.state().status == "empty"


def test_a_batch_loads_the_model(make_workbench: Make) -> None:
    assert codes(make_workbench().many(numbered(3))) == ["answered"] * 3


def test_progress(make_workbench: Make) -> None:
    seen: list[tuple[int, int | None]] = []
    workbench = over(make_workbench, ByText())
    list(workbench.many(numbered(5), batch_size=2, report=lambda done, total: seen.append((done, total))))
    assert seen == [(2, 5), (4, 5), (5, 5)]
    batch = workbench.many(iter(numbered(3)))
    list(batch)
    assert (batch.done, batch.total) == (3, None)


# Faults.


def test_a_request_that_no_model_could_answer_has_its_error_in_its_place(make_workbench: Make) -> None:
    requests: list[Request] = [*ask("a", " ", "b"), ClassifyRequest("c", ()), ExtractRequest("d", FIELDS, per_prompt=0)]
    rows = list(over(make_workbench, ByText()).many(requests))
    assert codes(rows) == ["answered", "text_empty", "answered", "labels_empty", "bad_setting"]


class Faulty(ByText):
    """It stumbles over a character."""

    def _begin(self, texts: Any, stop: Any) -> None:
        super()._begin(texts, stop)
        if any("!" in text for text in texts):
            raise IndexError("index 7 is out of bounds")


def test_one_bad_row_costs_no_other(make_workbench: Make) -> None:
    backend = Faulty()
    rows = list(over(make_workbench, backend).many(ask(*"a!cde"), batch_size=3))
    assert codes(rows) == ["answered", "internal", "answered", "answered", "answered"]
    assert backend.calls == [["a", "!", "c"], ["a"], ["!"], ["c"], ["d", "e"]]


def test_the_monitor_counts_every_row_once_also_those_that_fail(make_workbench: Make) -> None:
    workbench = over(make_workbench, Faulty())
    assert len(list(workbench.many(ask(*"a!cde"), batch_size=3))) == 5
    assert workbench.monitor.totals().requests == {("classify", "answered"): 4, ("classify", "failed"): 1}
    assert [one.error for one in workbench.monitor.requests(60) if one.error] == ["internal"]


def test_out_of_memory_halves_the_batch_and_the_smaller_size_stays(make_workbench: Make) -> None:
    backend = ByText(most=2)
    batch = over(make_workbench, backend).many(numbered(WINDOW + 4), batch_size=8)
    rows = list(batch)
    assert list(map(len, backend.calls)) == [8, 4, *[2] * (WINDOW // 2 + 2)]
    assert batch.size == 2
    assert codes(rows) == ["answered"] * (WINDOW + 4)
    halved = Note("batch_halved", {"count": 8, "size": 2})
    assert [halved in notes(row) for row in rows] == [True] * 8 + [False] * (WINDOW - 4)


def test_an_odd_step_is_halved_down_to_one(make_workbench: Make) -> None:
    backend = ByText(most=1)
    rows = list(over(make_workbench, backend).many(numbered(5), batch_size=5))
    assert list(map(len, backend.calls)) == [5, 2, 1, 1, 1, 1, 1]
    assert [notes(row)[-1].details for row in rows] == [{"count": 5, "size": 1}] * 5


def test_a_request_that_is_too_large_alone_has_its_error_and_the_rest_goes_on(make_workbench: Make) -> None:
    class Small(ByText):
        def _begin(self, texts: Any, stop: Any) -> None:
            super()._begin(texts, stop)
            if any("大" in text for text in texts):
                raise MemoryError

    rows = list(over(make_workbench, Small()).many(ask("a", "b", "大", "d", "e", "f")))
    assert codes(rows) == ["answered", "answered", "out_of_memory", "answered", "answered", "answered"]


def test_extractions_are_halved_as_well(make_workbench: Make) -> None:
    class Small(WritingBackend):
        def decode(self, prompts: Any, *arguments: Any, **options: Any) -> Any:
            if len(prompts) > 1:
                raise RuntimeError("MPS backend out of memory")
            return super().decode(prompts, *arguments, **options)

    backend = Small(lambda grammar: grammar.empty_answer())
    rows = list(over(make_workbench, backend).many([ExtractRequest(text, FIELDS) for text in "甲乙丙"]))
    assert codes(rows) == ["answered"] * 3
    assert backend.batches == [1, 1, 1]


# Others pass.


def test_who_asks_meanwhile_waits_for_one_step(make_workbench: Make) -> None:
    backend = ByText(gate=(gate := threading.Semaphore(0)))
    workbench = over(make_workbench, backend)
    rows: list[BatchRow] = []
    thread = threading.Thread(target=lambda: rows.extend(workbench.many(ask(*"abcdef"), batch_size=2)), daemon=True)
    thread.start()
    assert backend.begun.acquire(timeout=WAIT)
    person = workbench.classify(ClassifyRequest("person", LABELS))
    gate.release(2)
    assert isinstance(person.result(WAIT), ClassifyResult)
    assert backend.calls[:2] == [["a", "b"], ["person"]]
    gate.release(2)
    thread.join(WAIT)
    assert backend.calls == [["a", "b"], ["person"], ["c", "d"], ["e", "f"]]
    assert codes(rows) == ["answered"] * 6


def test_where_rows_are_answered_one_by_one_others_pass_between_them(make_workbench: Make) -> None:
    backend = GatedBackend()
    workbench = over(make_workbench, backend)
    rows: list[BatchRow] = []
    thread = threading.Thread(target=lambda: rows.extend(workbench.many(ask(*"abc"))), daemon=True)
    thread.start()
    assert backend.begun.acquire(timeout=WAIT)
    person = workbench.classify(ClassifyRequest("person", LABELS))
    backend.gate.set()
    person.result(WAIT)
    thread.join(WAIT)
    asked = [prompt.removeprefix("输入: ").split("\n")[0] for prompt in backend.asked]
    assert asked == ["a", "person", "b", "c"]


def test_how_many_make_a_step() -> None:
    writes, understands = FakeBackend().info, ByText().info
    models = (None, writes, replace(writes, device="cuda"), understands)
    classify, extract = ClassifyRequest("a", LABELS), ExtractRequest("a", FIELDS)
    assert [usual_size(model, classify) for model in models] == [SIZE, 1, 1, SIZE]
    assert [usual_size(model, extract) for model in models] == [SIZE, SIZE, SIZE_ELSEWHERE, SIZE]
    assert {usual_size(model, ExtractRequest("a", FIELDS, free=True)) for model in models} == {1}


def test_a_size_that_is_asked_for_counts_where_company_gains(make_workbench: Make) -> None:
    backend = WritingBackend(lambda grammar: grammar.empty_answer())
    workbench = over(make_workbench, backend)
    requests = [ExtractRequest(str(number), FIELDS) for number in range(20)]
    list(workbench.many(requests))
    list(workbench.many(requests, batch_size=15))
    assert backend.batches == [8, 8, 4, 15, 5]


def test_two_batches_take_turns(make_workbench: Make) -> None:
    backend = ByText()
    workbench = over(make_workbench, backend)
    one, other = (workbench.many(ask(*texts), batch_size=1) for texts in ("abc", "xyz"))
    rows = [next(batch) for _ in range(3) for batch in (one, other)]
    assert [row.request.text for row in rows] == list("axbycz")
    assert until_the_end(one) == until_the_end(other) == ([], None)


# Stopping and the end.


def test_cancel_keeps_what_is_done(make_workbench: Make) -> None:
    def report(done: int, _total: int | None) -> None:
        if done >= 4:
            batch.cancel()

    backend = ByText()
    workbench = over(make_workbench, backend)
    batch: Batch = workbench.many(numbered(40), batch_size=2, report=report)
    rows, error = until_the_end(batch)
    assert isinstance(error, Cancelled)
    assert 4 <= len(rows) == batch.done <= 6
    assert codes(rows) == ["answered"] * len(rows)
    assert workbench.waiting() == 0
    assert len(backend.calls) <= 3
    assert until_the_end(batch) == ([], None)


def test_cancel_keeps_what_stands_after_a_gap(make_workbench: Make) -> None:
    backend = ByText(gate=(gate := threading.Semaphore(0)))
    workbench = over(make_workbench, backend)
    batch = workbench.many(ask("长长长", "长长", "短"), batch_size=1)
    ended: list[Any] = []
    thread = threading.Thread(target=lambda: ended.append(until_the_end(batch)), daemon=True)
    thread.start()
    gate.release(1)
    assert backend.begun.acquire(timeout=WAIT)
    assert backend.begun.acquire(timeout=WAIT)
    batch.cancel()
    thread.join(WAIT)
    ((rows, error),) = ended
    assert [row.number for row in rows] == [2]
    assert isinstance(error, Cancelled)


def test_what_a_stop_leaves_half_answered_is_no_row(make_workbench: Make) -> None:
    def answer(grammar: Any) -> str:
        batch.cancel()
        return str(grammar.empty_answer())

    workbench = over(make_workbench, WritingBackend(answer))
    batch = workbench.many([ExtractRequest("字" * 3000, FIELDS), ExtractRequest("字", FIELDS)])
    rows, error = until_the_end(batch)
    assert [row.number for row in rows] == [1]
    assert isinstance(error, Cancelled)
    assert [one.characters for one in workbench.monitor.requests(WAIT)] == [1], "and no request that is over"


def test_a_stop_before_the_start_answers_nothing(make_workbench: Make) -> None:
    backend = ByText()
    batch = over(make_workbench, backend).many(numbered(3))
    batch.cancel()
    rows, error = until_the_end(batch)
    assert (rows, backend.calls) == ([], [])
    assert isinstance(error, Cancelled)


def test_a_batch_that_waits_for_a_load_can_be_stopped(make_workbench: Make) -> None:
    load = GatedLoad()
    workbench = make_workbench(load)
    batch = workbench.many(numbered(3))
    ended: list[Any] = []
    thread = threading.Thread(target=lambda: ended.append(until_the_end(batch)), daemon=True)
    thread.start()
    assert load.begun.acquire(timeout=WAIT)
    batch.cancel()
    thread.join(WAIT)
    assert isinstance(ended[0][1], Cancelled)
    load.gate.set()


def test_a_batch_that_nobody_reads_on_leaves_no_work_behind(make_workbench: Make) -> None:
    workbench = over(make_workbench, ByText())
    batch = workbench.many(numbered(40), batch_size=1)
    next(batch)
    batch.close()
    workbench.classify(ClassifyRequest("a", LABELS)).result(WAIT)
    assert workbench.waiting() == 0
    assert until_the_end(batch) == ([], None)


def test_the_end_of_the_workbench_ends_a_batch(make_workbench: Make) -> None:
    workbench = over(make_workbench, ByText())
    batch = workbench.many(numbered(WINDOW * 2))
    next(batch)
    workbench.close()
    rows, error = until_the_end(batch)
    assert len(rows) < WINDOW
    assert isinstance(error, Cancelled)


def test_without_a_model_the_batch_ends_and_says_why(make_workbench: Make) -> None:
    def failing() -> Any:
        raise WorkbenchError("file_damaged", path="x", reason="cut short", name="fake")

    rows, error = until_the_end(make_workbench(lambda *_: failing()).many(numbered(3)))
    assert rows == []
    assert error is not None
    assert error.code == "file_damaged"
    workbench = over(make_workbench, ByText())
    batch = workbench.many(numbered(WINDOW * 2))
    next(batch)
    workbench.unload().result(WAIT)
    rows, error = until_the_end(batch)
    assert len(rows) < WINDOW
    assert error is not None
    assert error.code == "model_missing"


# How far it looks ahead.


def test_an_endless_source_is_read_a_window_at_a_time(make_workbench: Make) -> None:
    taken = itertools.count()
    drawn: list[int] = []

    def endless() -> Iterator[ClassifyRequest]:
        for number in taken:
            drawn.append(number)
            yield ClassifyRequest(f"第{number}条", LABELS)

    batch = over(make_workbench, ByText()).many(endless())
    assert drawn == []
    for number in range(WINDOW + 1):
        assert next(batch).number == number
        assert len(drawn) == (1 + number // WINDOW) * WINDOW
    assert batch.total is None
    batch.close()


def test_a_source_that_fails_raises_and_leaves_no_work_behind(make_workbench: Make) -> None:
    def broken() -> Iterator[ClassifyRequest]:
        yield from numbered(WINDOW)
        raise OSError("the disk is gone")

    workbench = over(make_workbench, ByText())
    batch = workbench.many(broken())
    assert len([next(batch) for _ in range(WINDOW)]) == WINDOW
    with pytest.raises(OSError, match="disk"):
        next(batch)
    assert workbench.waiting() == 0
