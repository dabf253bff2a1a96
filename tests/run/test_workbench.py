"""One model, one worker, many users at once: loads, answers, stops and the end."""

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from doubles import WAIT, GatedBackend, GatedLoad, Load, RecordingBackend

from engine.errors import Cancelled, WorkbenchError
from engine.model.fake import FakeBackend
from engine.run.classify import Classifier
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest

Make = Callable[..., Workbench]
REQUEST = ClassifyRequest("今天的体育新闻", ("财经", "体育"))


def failing() -> Any:
    raise WorkbenchError("file_damaged", path="x", reason="cut short", name="fake")


def at_once(count: int, call: Callable[[int], Any]) -> list[Any]:
    """Call from so many threads at the same moment; their answers, in the order of their numbers."""
    start = threading.Barrier(count)
    answers: dict[int, Any] = {}

    def one(number: int) -> None:
        start.wait(WAIT)
        answers[number] = call(number)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    return [answers[number] for number in range(count)]


# Loading.


@pytest.mark.parametrize("how", ["ensure_loaded", "load", "both", "classify"])
def test_five_browsers_cause_one_load(make_workbench: Make, cases: dict[str, Any], how: str) -> None:
    load = GatedLoad()
    workbench = make_workbench(load)

    def ask(number: int) -> Any:
        if how == "classify":
            return workbench.classify(REQUEST)
        return workbench.load() if how == "load" or (how == "both" and number % 2) else workbench.ensure_loaded()

    tickets = at_once(cases["run-once"]["n"], ask)
    assert workbench.state().status == "loading"
    load.gate.set()
    answers = [ticket.result(WAIT) for ticket in tickets]
    assert len(load.calls) == 1
    if how != "classify":
        assert len(set(map(id, tickets))) == 1
        assert {info.name for info in answers} == {"fake"}
    assert workbench.load() is workbench.ensure_loaded()
    assert len(load.calls) == 1


def test_nothing_is_loaded_unasked(make_workbench: Make) -> None:
    workbench = make_workbench(load := Load())
    assert workbench.state().status == "empty"
    with pytest.raises(WorkbenchError):
        workbench.classify(ClassifyRequest("", ("a",)))
    with pytest.raises(WorkbenchError):
        workbench.classify(ClassifyRequest("x", ()))
    assert workbench.waiting() == 0
    workbench.unload().result(WAIT)
    assert load.calls == []


def test_a_load_that_waits_its_turn_is_shown_as_loading(make_workbench: Make) -> None:
    load = GatedLoad()
    workbench = make_workbench(load)
    workbench.load()
    assert load.begun.acquire(timeout=WAIT)
    state = workbench.state()
    assert (state.status, state.requested) == ("loading", "fake")
    assert state.progress is not None
    load.gate.set()


def test_another_model_stops_the_load_under_way(make_workbench: Make) -> None:
    load = GatedLoad()
    workbench = make_workbench(load)
    first = workbench.load(model="one")
    assert load.begun.acquire(timeout=WAIT)
    second = workbench.load(model="two", device="cpu")
    assert workbench.settings.model == "two"
    with pytest.raises(Cancelled):
        first.result(WAIT)
    assert load.begun.acquire(timeout=WAIT)
    assert (workbench.state().status, workbench.state().requested) == ("loading", "two")
    load.gate.set()
    second.result(WAIT)
    assert [call.model for call in load.calls] == ["one", "two"]
    assert (workbench.state().status, workbench.state().requested) == ("ready", "two")


def test_a_model_that_was_only_asked_for_in_passing_is_never_loaded(make_workbench: Make) -> None:
    load = GatedLoad()
    workbench = make_workbench(load)
    tickets = [workbench.load(model="one")]
    assert load.begun.acquire(timeout=WAIT)
    tickets += [workbench.load(model=name) for name in ("two", "three", "four")]
    load.gate.set()
    tickets[-1].result(WAIT)
    for ticket in tickets[1:-1]:
        with pytest.raises(Cancelled):
            ticket.result(WAIT)
    assert {call.model for call in load.calls} <= {"one", "four"}
    assert load.calls[-1].model == "four"


def test_another_precision_is_another_load_and_the_same_one_is_not(make_workbench: Make) -> None:
    workbench = make_workbench(load := Load())
    workbench.load().result(WAIT)
    workbench.load(precision="bf16").result(WAIT)
    workbench.load(precision="bf16").result(WAIT)
    workbench.load().result(WAIT)
    assert [call.precision for call in load.calls] == ["auto", "bf16"]


@pytest.mark.parametrize("cache", [True, False])
def test_a_request_without_a_model_is_written_down(make_workbench: Make, cache: bool) -> None:
    workbench = make_workbench(lambda *_: failing())
    with pytest.raises(WorkbenchError):
        workbench.classify(REQUEST, cache=cache).result(WAIT)
    assert [one.error for one in workbench.monitor.requests(WAIT)] == ["file_damaged"]


def test_a_failed_load_is_told_and_tried_again_only_when_asked(make_workbench: Make) -> None:
    workbench = make_workbench(load := Load(failing, FakeBackend))
    with pytest.raises(WorkbenchError) as caught:
        workbench.ensure_loaded().result(WAIT)
    assert (workbench.state().status, workbench.state().error) == ("failed", caught.value)
    with pytest.raises(WorkbenchError) as asked:
        workbench.classify(REQUEST).result(WAIT)
    assert asked.value.code == "file_damaged"
    with pytest.raises(WorkbenchError):
        workbench.ensure_loaded().result(WAIT)
    assert len(load.calls) == 1
    workbench.load().result(WAIT)
    assert workbench.state().status == "ready"
    assert workbench.classify(REQUEST).result(WAIT).chosen == ("体育",)
    assert len(load.calls) == 2


def test_a_failed_change_leaves_no_old_model_to_answer_in_silence(make_workbench: Make) -> None:
    workbench = make_workbench(Load(FakeBackend, failing))
    workbench.load().result(WAIT)
    with pytest.raises(WorkbenchError):
        workbench.load(model="two").result(WAIT)
    with pytest.raises(WorkbenchError) as caught:
        workbench.classify(REQUEST).result(WAIT)
    assert caught.value.code == "file_damaged"


def test_requests_wait_for_a_load_under_way(make_workbench: Make) -> None:
    load = GatedLoad()
    workbench = make_workbench(load)
    ticket = workbench.classify(REQUEST)
    assert load.begun.acquire(timeout=WAIT)
    assert (ticket.state, workbench.waiting()) == ("queued", 1)
    load.gate.set()
    result = ticket.result(WAIT)
    assert result.usage.queue_ms == pytest.approx(ticket.queue_ms)
    assert workbench.waiting() == 0


# Unloading and the end.


def test_unload_frees_the_model_and_load_brings_it_back(make_workbench: Make) -> None:
    built: list[weakref.ref[FakeBackend]] = []

    def build() -> FakeBackend:
        backend = RecordingBackend(plain=True)
        built.append(weakref.ref(backend))
        return backend

    workbench = make_workbench(Load(build))
    answered = workbench.classify(REQUEST)
    answered.result(WAIT)
    workbench.unload().result(WAIT)
    assert workbench.state().status == "empty"
    gc.collect()
    assert built[0]() is None
    with pytest.raises(WorkbenchError) as caught:
        workbench.classify(REQUEST).result(WAIT)
    assert caught.value.code == "model_missing"
    assert len(built) == 1, "an unloaded model does not come back by itself"
    workbench.load().result(WAIT)
    assert workbench.classify(REQUEST).result(WAIT).labels == answered.result(0).labels


def test_unload_stops_a_load(make_workbench: Make) -> None:
    load = GatedLoad()
    workbench = make_workbench(load)
    ticket = workbench.load()
    assert load.begun.acquire(timeout=WAIT)
    workbench.unload().result(WAIT)
    with pytest.raises(Cancelled):
        ticket.result(WAIT)
    assert workbench.state().status == "empty"
    load.gate.set()
    workbench.load().result(WAIT)
    assert workbench.state().status == "ready"


def test_close_ends_the_thread_frees_the_model_and_stops_every_request(make_workbench: Make) -> None:
    before = {thread.ident for thread in threading.enumerate()}
    backends: list[Any] = []
    workbench = make_workbench(lambda *_: backends.append(GatedBackend()) or backends[-1])
    workbench.load().result(WAIT)
    running, waiting = workbench.classify(REQUEST), workbench.classify(REQUEST)
    assert backends[0].begun.acquire(timeout=WAIT)
    closer = threading.Thread(target=workbench.close, daemon=True)
    closer.start()
    closer.join(WAIT)
    assert not closer.is_alive()
    for ticket in (running, waiting):
        with pytest.raises(Cancelled):
            ticket.result(0)
    for thread in threading.enumerate():
        if thread.ident not in before:
            thread.join(WAIT)  # one that looked at the memory of the request that was stopped
            assert not thread.is_alive()
    assert workbench.state().status == "empty"
    backend = weakref.ref(backends.pop())
    gc.collect()
    assert backend() is None
    with pytest.raises(Cancelled):
        workbench.classify(REQUEST).result(0)
    workbench.close()


def test_close_stops_a_load(make_workbench: Make) -> None:
    load = GatedLoad()
    workbench = make_workbench(load)
    ticket = workbench.load()
    assert load.begun.acquire(timeout=WAIT)
    workbench.close()
    with pytest.raises(Cancelled):
        ticket.result(0)


# Requests.


def test_a_request_is_stopped_while_it_waits_and_while_it_runs(make_workbench: Make) -> None:
    backend = GatedBackend()
    workbench = make_workbench(lambda *_: backend)
    running, waiting = workbench.classify(REQUEST), workbench.classify(REQUEST)
    assert backend.begun.acquire(timeout=WAIT)
    waiting.cancel()
    with pytest.raises(Cancelled):
        waiting.result(WAIT)
    running.cancel()
    with pytest.raises(Cancelled):
        running.result(WAIT)
    backend.gate.set()
    assert workbench.classify(REQUEST).result(WAIT).chosen == ("体育",)
    assert len(backend.asked) == 2


def test_batch_work_lets_people_pass(make_workbench: Make) -> None:
    backend = GatedBackend()
    workbench = make_workbench(lambda *_: backend)
    first = workbench.classify(ClassifyRequest("first", ("a", "b")))
    assert backend.begun.acquire(timeout=WAIT)
    rows = [workbench.classify(ClassifyRequest(f"row {number}", ("a", "b")), "batch") for number in range(3)]
    person = workbench.classify(ClassifyRequest("person", ("a", "b")))
    backend.gate.set()
    for ticket in (first, *rows, person):
        ticket.result(WAIT)
    asked = [prompt.removeprefix("输入: ").split("\n")[0] for prompt in backend.asked]
    assert asked == ["first", "person", "row 0", "row 1", "row 2"]


def test_a_fault_of_ours_is_one_sentence_and_the_next_request_is_answered(make_workbench: Make) -> None:
    class Faulty(FakeBackend):
        def score(self, prompt: Any, *arguments: Any, **options: Any) -> Any:
            if ord("!") in prompt:
                raise IndexError("index 7 is out of bounds")
            return super().score(prompt, *arguments, **options)

    workbench = make_workbench(lambda *_: Faulty())
    with pytest.raises(WorkbenchError) as caught:
        workbench.classify(ClassifyRequest("bad!", ("a", "b"))).result(WAIT)
    assert (caught.value.code, caught.value.details) == ("internal", {"kind": "IndexError"})
    assert workbench.classify(REQUEST).result(WAIT).chosen == ("体育",)


def test_sixteen_threads_of_mixed_calls_each_get_their_own_answer(make_workbench: Make, cases: dict[str, Any]) -> None:
    workbench = make_workbench()

    def request(number: int, turn: int) -> ClassifyRequest:
        labels = tuple(f"类{(number * 7 + turn * 3 + step) % 40}" for step in range(2 + turn % 5))
        return ClassifyRequest(f"线程{number}第{turn}条", labels, multi=bool(turn % 2), free=turn % 5 == 0)

    def client(number: int) -> list[Any]:
        answers = []
        for turn in range(50):
            ticket = workbench.classify(request(number, turn), "batch" if turn % 3 == 0 else "interactive")
            if turn % 11 == 10:
                ticket.cancel()
                workbench.ensure_loaded()
            try:
                answers.append(ticket.result(WAIT))
            except Cancelled:
                answers.append(None)
        return answers

    everything = at_once(cases["run-threads"]["n"], client)
    alone = Classifier(FakeBackend(delay=0))
    for number, answers in enumerate(everything):
        assert len(answers) == 50
        for turn, answer in enumerate(answers):
            if answer is None:
                assert turn % 11 == 10
                continue
            expected = alone(request(number, turn))
            assert (answer.prompt, answer.labels, answer.chosen) == (
                expected.prompt,
                expected.labels,
                expected.chosen,
            )
            assert (answer.free and answer.free.raw) == (expected.free and expected.free.raw)
    assert workbench.waiting() == 0
