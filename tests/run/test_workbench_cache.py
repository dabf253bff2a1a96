"""Requests that come again: answered at once, by the model that is loaded and by no other."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles import WAIT, GatedBackend, GatedLoad, Load, RecordingBackend

from engine.errors import WorkbenchError
from engine.model.fake import FakeBackend
from engine.run.queue import Ticket
from engine.run.result_file import CacheSize
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, PromptRequest

Make = Callable[..., Workbench]
REQUEST = ClassifyRequest("今天的体育新闻", ("财经", "体育"))
EXTRACT = ExtractRequest("甲方：A公司", (FieldSpec("甲方"),))
PROMPT = PromptRequest("Say 💹")


class Named(FakeBackend):
    """The fake under another name, precision or revision; counts what it is asked, and forgets when it is told."""

    def __init__(self, **identity: Any) -> None:
        super().__init__(delay=0)
        self.info = replace(self.info, **identity)
        self.asked = self.forgot = 0

    def score(self, *arguments: Any, **options: Any) -> Any:
        """Count, then score."""
        self.asked += 1
        return super().score(*arguments, **options)

    def forget(self) -> None:
        """Count."""
        self.forgot += 1


def is_hit(ticket: Ticket[Any]) -> bool:
    """Whether it was answered at once by a kept answer."""
    return ticket.state == "done" and ticket.result(0).usage.cached


def same(one: Any, other: Any) -> bool:
    """Whether two answers differ in their cost at most."""
    return bool(replace(one, usage=None) == replace(other, usage=None))


@pytest.mark.parametrize("task", ["classify", "extract", "prompt"])
def test_a_request_that_comes_again_waits_for_nothing(make_workbench: Make, task: str) -> None:
    backend = GatedBackend()
    workbench = make_workbench(lambda *_: backend)
    backend.gate.set()
    ask: Callable[..., Ticket[Any]] = getattr(workbench, task)
    request = {"classify": REQUEST, "extract": EXTRACT, "prompt": PROMPT}[task]
    first = ask(request).result(WAIT)
    backend.gate.clear()
    busy = workbench.classify(ClassifyRequest("something else", ("a", "b")))
    while busy.state != "running":
        assert not busy.wait(0.01)
    again = ask(request)
    assert is_hit(again)
    assert again.queue_ms < 1000
    assert workbench.waiting() == 0
    found = again.result(0)
    assert same(found, first)
    assert not first.usage.cached
    assert (found.usage.computed_ms, found.usage.queue_ms) == (first.usage.latency_ms, 0.0)
    assert replace(found.usage, latency_ms=0, queue_ms=0, computed_ms=None) == replace(
        first.usage, latency_ms=0, queue_ms=0
    )
    again.cancel()
    assert again.result(0) is found
    backend.gate.set()
    busy.result(WAIT)


def test_a_request_that_no_model_could_answer_is_refused_as_before(make_workbench: Make) -> None:
    workbench = make_workbench()
    workbench.classify(REQUEST).result(WAIT)
    with pytest.raises(WorkbenchError):
        workbench.classify(replace(REQUEST, text=" "))


def test_a_request_that_differs_in_anything_is_asked(make_workbench: Make) -> None:
    workbench = make_workbench()
    workbench.classify(REQUEST).result(WAIT)
    for change in ({"multi": True}, {"threshold": 0.0}, {"free": True}, {"labels": ("体育", "财经")}, {"text": "体育"}):
        assert not workbench.classify(replace(REQUEST, **change)).result(WAIT).usage.cached
    assert is_hit(workbench.classify(REQUEST))


def test_each_model_gives_its_own_answer(make_workbench: Make) -> None:
    made = [Named(), Named(precision="bf16"), Named(revision="2"), Named(name="two"), Named(), Named(protocol="plain")]
    workbench = make_workbench(Load(*(lambda one=one: one for one in made)))
    for number, backend in enumerate(made):
        workbench.load(threads=number + 1)
        result = workbench.classify(REQUEST).result(WAIT)
        assert result.model == backend.info
        assert result.usage.cached == (number == 4)
    assert [one.asked for one in made] == [1, 1, 1, 1, 0, 1]


def test_a_model_whose_files_may_change_is_asked_again_after_each_load(make_workbench: Make) -> None:
    workbench = make_workbench(lambda *_: Named(revision="local"))
    workbench.classify(REQUEST).result(WAIT)
    assert is_hit(workbench.classify(REQUEST))
    workbench.unload()
    workbench.load().result(WAIT)
    assert not workbench.classify(REQUEST).result(WAIT).usage.cached


def test_no_old_answer_is_given_while_another_model_is_on_its_way(make_workbench: Make) -> None:
    load = GatedLoad(Named, lambda: Named(name="two"))
    workbench = make_workbench(load)
    load.gate.set()
    workbench.classify(REQUEST).result(WAIT)
    load.gate.clear()
    workbench.load(model="two")
    assert not is_hit(ticket := workbench.classify(REQUEST))
    load.gate.set()
    assert ticket.result(WAIT).model.name == "two"


def test_no_answer_is_given_without_a_model(make_workbench: Make) -> None:
    def fail() -> Any:
        raise WorkbenchError("file_damaged", path="x", reason="cut short", name="fake")

    workbench = make_workbench(Load(Named, fail))
    workbench.classify(REQUEST).result(WAIT)
    workbench.unload()
    with pytest.raises(WorkbenchError) as caught:
        workbench.classify(REQUEST).result(WAIT)
    assert caught.value.code == "model_missing"
    with pytest.raises(WorkbenchError):
        workbench.load().result(WAIT)
    with pytest.raises(WorkbenchError) as caught:
        workbench.classify(REQUEST).result(WAIT)
    assert caught.value.code == "file_damaged"


def test_without_the_cache_it_is_asked_and_not_kept(make_workbench: Make) -> None:
    backend = Named()
    workbench = make_workbench(lambda *_: backend)
    for _ in range(2):
        assert not workbench.classify(REQUEST, cache=False).result(WAIT).usage.cached
    assert workbench.cache_size() == CacheSize()
    workbench.classify(REQUEST).result(WAIT)
    assert not workbench.classify(REQUEST, cache=False).result(WAIT).usage.cached
    assert backend.asked == 4
    off = make_workbench(lambda *_: backend, result_cache="0")
    for _ in range(2):
        assert not off.classify(REQUEST).result(WAIT).usage.cached


def test_the_same_request_of_many_who_wait_is_answered_once(make_workbench: Make) -> None:
    load, backend = GatedLoad(), Named()
    workbench = make_workbench(lambda *arguments: (load(*arguments), backend)[1])
    tickets = [workbench.classify(REQUEST) for _ in range(5)]
    load.gate.set()
    results = [ticket.result(WAIT) for ticket in tickets]
    assert backend.asked == 1
    assert [one.usage.cached for one in results] == [False, True, True, True, True]
    assert results[4].usage.queue_ms == pytest.approx(tickets[4].queue_ms)


def test_a_stopped_request_is_not_kept(make_workbench: Make) -> None:
    backend = GatedBackend()
    workbench = make_workbench(lambda *_: backend)
    ticket = workbench.classify(REQUEST)
    assert backend.begun.acquire(timeout=WAIT)
    ticket.cancel()
    with pytest.raises(WorkbenchError):
        ticket.result(WAIT)
    assert workbench.cache_size() == CacheSize()
    backend.gate.set()
    assert not workbench.classify(REQUEST).result(WAIT).usage.cached


def test_a_writer_in_a_models_place_is_told_apart(make_workbench: Make) -> None:
    def loaded() -> Any:
        return RecordingBackend(generates=False, writer="two")

    script = [loaded, lambda: Named(name="two"), loaded, lambda: Named(name="two", revision="2")]
    workbench = make_workbench(Load(*script))
    first = workbench.prompt(PROMPT).result(WAIT)
    assert [note.code for note in first.notes] == ["written_by"]
    assert is_hit(again := workbench.prompt(PROMPT))
    assert same(again.result(0), first)
    workbench.load(threads=1)
    other = workbench.prompt(PROMPT).result(WAIT)
    assert (other.model.revision, other.usage.cached) == ("2", False)


def test_clearing_forgets_answers_and_what_the_model_keeps(make_workbench: Make) -> None:
    backend = Named()
    workbench = make_workbench(lambda *_: backend)
    workbench.clear_cache().result(WAIT)
    workbench.classify(REQUEST).result(WAIT)
    size = workbench.cache_size()
    assert size.answers == 1
    assert 500 < size.bytes < 5000
    workbench.clear_cache().result(WAIT)
    assert workbench.cache_size() == CacheSize()
    assert backend.forgot == 1
    assert not workbench.classify(REQUEST).result(WAIT).usage.cached
    plain = make_workbench(lambda *_: RecordingBackend())
    plain.classify(REQUEST).result(WAIT)
    plain.clear_cache().result(WAIT)


def test_on_disk_it_outlives_the_process(make_workbench: Make, tmp_path: Path) -> None:
    def process(**identity: Any) -> Workbench:
        return make_workbench(lambda *_: Named(**identity), result_cache_disk=True, data_dir=tmp_path / "data")

    first = process()
    asked = [first.classify(REQUEST), first.extract(EXTRACT), first.prompt(PROMPT)]
    answers = [ticket.result(WAIT) for ticket in asked]
    first.close()
    second = process()
    second.load().result(WAIT)
    again = [second.classify(REQUEST), second.extract(EXTRACT), second.prompt(PROMPT)]
    assert all(map(is_hit, again))
    assert all(same(ticket.result(0), answer) for ticket, answer in zip(again, answers, strict=True))
    other = process(revision="2")
    assert not other.classify(REQUEST).result(WAIT).usage.cached
    assert other.cache_size().answers == 4
    other.clear_cache().result(WAIT)
    assert process().cache_size() == CacheSize()


def test_a_damaged_file_fails_no_request(make_workbench: Make, tmp_path: Path) -> None:
    (tmp_path / "results.sqlite3").write_bytes(b"no database " * 1000)
    workbench = make_workbench(result_cache_disk=True, data_dir=tmp_path)
    assert not workbench.classify(REQUEST).result(WAIT).usage.cached
    assert is_hit(workbench.classify(REQUEST))
    workbench.clear_cache().result(WAIT)
    workbench.classify(REQUEST).result(WAIT)
    assert workbench.cache_size().answers == 1
