"""The task prompt: its framing, its limits, its notes, and the model that writes in the place of another."""

import gc
import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from checkpoints import CHAT
from doubles import WAIT, GatedBackend, GatedLoad, Load, RecordingBackend

from engine.contracts import prompt_json
from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Generation
from engine.model.fake import FakeBackend
from engine.model.loader import load_backend
from engine.run.prompt import Prompter, writer_settings
from engine.run.workbench import Workbench
from engine.settings import load_settings
from engine.types import ClassifyRequest, Note, PromptRequest, Writing

Make = Callable[..., Workbench]
REQUEST = PromptRequest("Tell me about rain.")


def codes(notes: tuple[Note, ...]) -> list[str]:
    return [note.code for note in notes]


def reader(writer: str | None = "fake") -> RecordingBackend:
    """A model that cannot write."""
    backend = RecordingBackend(generates=False, writer=writer)
    backend.info = replace(backend.info, name="reader", memory=600)
    return backend


# The task.


def test_the_prompt_is_decoded_greedily_within_the_limit() -> None:
    backend = RecordingBackend(plain=True, says=Generation("It falls.", 3, True))
    stop = threading.Event()
    result = Prompter(backend)(replace(REQUEST, max_new_tokens=40), stop, 5.0)
    assert (result.text, result.model, result.notes) == ("It falls.", backend.info, ())
    prompt = tuple(map(ord, REQUEST.text))
    assert backend.generated == [{"prompt": prompt, "beams": 1, "max_new_tokens": 40, "stop": stop}]
    usage = result.usage
    assert (usage.prompt_tokens, usage.scored_tokens, usage.output_tokens, usage.queue_ms) == (len(prompt), 0, 3, 5.0)
    assert usage.latency_ms > 0
    assert list(prompt_json(result)) == ["text", "usage", "model", "notes"]


def test_a_chat_model_is_given_a_turn() -> None:
    backend = RecordingBackend(plain=True, says=Generation("", 0, True))
    backend.protocol = CHAT
    Prompter(backend)(REQUEST)
    assert "".join(map(chr, backend.generated[0]["prompt"])) == (
        "<|im_start|>user\nTell me about rain.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_an_answer_that_reaches_its_limit_says_so() -> None:
    result = Prompter(FakeBackend())(PromptRequest("abcdef", Writing(4)))
    assert (result.text, result.usage.output_tokens) == ("abcd", 4)
    assert result.notes == (Note("free_limit", {"limit": 4}),)


def test_a_text_that_does_not_fit_is_cut_and_said_so() -> None:
    result = Prompter(FakeBackend())(PromptRequest("word " * 400, Writing(512)))
    assert result.notes[0] == Note("text_cut", {"kept": 512, "total": 2000})
    assert result.usage.prompt_tokens == 512


def test_control_tokens_and_languages_are_noted() -> None:
    backend = FakeBackend()
    backend.info = replace(backend.info, languages=("en",))
    result = Prompter(backend)(PromptRequest("写[GEN]诗"))
    assert codes(result.notes) == ["language_unknown", "specials_neutralised"]


@pytest.mark.parametrize("limit", [-1, 0, 513])
def test_a_limit_out_of_range_is_refused(limit: int) -> None:
    with pytest.raises(WorkbenchError) as refused:
        Prompter(FakeBackend())(replace(REQUEST, max_new_tokens=limit))
    assert (refused.value.code, refused.value.details["name"]) == ("bad_setting", "max_new_tokens")


def test_a_limit_that_leaves_a_short_context_no_text_is_refused(backends: dict[str, Any]) -> None:
    backend = backends["llama"]
    small = replace(backend.info, context=100)
    before, backend.info = backend.info, small
    try:
        with pytest.raises(WorkbenchError) as refused:
            Prompter(backend)(PromptRequest("word " * 400, Writing(50)))
    finally:
        backend.info = before
    assert refused.value.code == "bad_setting"


@pytest.mark.parametrize("text", ["", " \u200b\n"])
def test_a_blank_text_is_refused(text: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        Prompter(FakeBackend())(PromptRequest(text))
    assert refused.value.code == "text_empty"


@pytest.mark.usefixtures("one_thread")
def test_real_models_write_the_same_each_time_and_stop(backend: Any) -> None:
    request = PromptRequest("the good film <|im_end|> 今天 💹", Writing(12))
    first, second = Prompter(backend)(request), Prompter(backend)(request)
    assert first.text == second.text
    assert 0 < first.usage.output_tokens <= 12
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        Prompter(backend)(request, stop)


def test_a_model_that_cannot_write_is_refused() -> None:
    with pytest.raises(WorkbenchError) as refused:
        Prompter(reader())
    assert (refused.value.code, refused.value.details) == ("prompt_unsupported", {"name": "reader"})


# The budget of both.


@pytest.mark.parametrize(("limit", "left"), [(None, None), (1000, 400), (600, 1), (100, 1)])
def test_the_budget_is_for_both_models_together(limit: int | None, left: int | None) -> None:
    settings = load_settings(model="offline", max_memory=limit, threads=1)
    beside = writer_settings(settings, reader().info)
    assert (beside.model, beside.max_memory, beside.threads) == ("fake", left, 1)


def test_a_model_without_a_writer_says_so() -> None:
    with pytest.raises(WorkbenchError) as refused:
        writer_settings(load_settings(), reader(None).info)
    assert refused.value.code == "prompt_unsupported"


# In the workbench.


def test_a_model_that_writes_answers_itself(make_workbench: Make) -> None:
    workbench = make_workbench(load := Load())
    ticket = workbench.prompt(REQUEST)
    result = ticket.result(WAIT)
    assert (result.text, result.notes, len(load.calls)) == (REQUEST.text, (), 1)
    assert result.usage.queue_ms == pytest.approx(ticket.queue_ms)


@pytest.mark.parametrize("request_", [PromptRequest(" "), PromptRequest("x", Writing(0))])
def test_what_no_model_could_answer_is_refused_at_once(make_workbench: Make, request_: PromptRequest) -> None:
    workbench = make_workbench(load := Load())
    with pytest.raises(WorkbenchError):
        workbench.prompt(request_)
    assert (workbench.waiting(), load.calls) == (0, [])


def test_another_model_writes_in_its_place_loaded_once_and_named(make_workbench: Make) -> None:
    workbench = make_workbench(load := Load(reader, FakeBackend), model="offline", max_memory=1000)
    workbench.load().result(WAIT)
    assert len(load.calls) == 1, "not before it is asked for"
    for _ in range(2):
        result = workbench.prompt(REQUEST).result(WAIT)
        assert (result.text, result.model.name) == (REQUEST.text, "fake")
        assert result.notes == (Note("written_by", {"writer": "fake", "name": "reader"}),)
    assert [(call.model, call.max_memory) for call in load.calls] == [("offline", 1000), ("fake", 400)]
    state = workbench.state()
    assert (state.status, state.info and state.info.name, state.writer and state.writer.name) == (
        "ready",
        "reader",
        "fake",
    )


def test_without_a_writer_a_prompt_is_refused_and_the_model_stays(make_workbench: Make) -> None:
    workbench = make_workbench(Load(lambda: reader(None)))
    with pytest.raises(WorkbenchError) as refused:
        workbench.prompt(REQUEST).result(WAIT)
    assert refused.value.code == "prompt_unsupported"
    assert workbench.state().status == "ready"


def test_without_a_model_a_prompt_says_why(make_workbench: Make) -> None:
    def failing() -> Any:
        raise WorkbenchError("file_damaged", path="x", reason="cut short", name="fake")

    workbench = make_workbench(Load(failing))
    with pytest.raises(WorkbenchError) as refused:
        workbench.prompt(REQUEST).result(WAIT)
    assert refused.value.code == "file_damaged"


class SecondGated(GatedLoad):
    """Loads a model that cannot write, and holds the load of its writer."""

    def __init__(self) -> None:
        super().__init__(reader, FakeBackend)

    def __call__(self, *arguments: Any) -> Any:
        """Load once more."""
        return super().__call__(*arguments) if len(self.calls) == 1 else Load.__call__(self, *arguments)


@pytest.mark.parametrize("end", ["cancel", "unload", "load", "close"])
def test_the_load_of_a_writer_ends_with_what_it_is_for(make_workbench: Make, end: str) -> None:
    workbench = make_workbench(load := SecondGated())
    workbench.load().result(WAIT)
    ticket = workbench.prompt(REQUEST)
    assert load.begun.acquire(timeout=WAIT)
    {
        "cancel": ticket.cancel,
        "unload": lambda: workbench.unload().result(WAIT),
        "load": lambda: workbench.load(model="other").result(WAIT),
        "close": workbench.close,
    }[end]()
    with pytest.raises(Cancelled):
        ticket.result(WAIT)
    assert workbench.state().status == ("ready" if end in {"cancel", "load"} else "empty")
    assert workbench.state().writer is None


@pytest.mark.parametrize("end", ["unload", "load"])
def test_no_writer_is_loaded_for_a_model_that_is_about_to_go(make_workbench: Make, end: str) -> None:
    backend = GatedBackend()
    backend.info = reader().info
    workbench = make_workbench(load := Load(lambda: backend, FakeBackend))
    running = workbench.classify(ClassifyRequest("x", ("a", "b")))
    assert backend.begun.acquire(timeout=WAIT)
    ticket = workbench.prompt(REQUEST)
    last: Any = workbench.unload() if end == "unload" else workbench.load(model="other")
    backend.gate.set()
    running.result(WAIT)
    with pytest.raises(Cancelled):
        ticket.result(WAIT)
    last.result(WAIT)
    assert [call.model for call in load.calls] == (["fake"] if end == "unload" else ["fake", "other"])


@pytest.mark.model
def test_the_real_offline_model_and_its_writer(make_workbench: Make) -> None:
    workbench = make_workbench(load_backend, model="offline")
    try:
        result = workbench.prompt(PromptRequest("What is the capital of France?", Writing(40))).result(600)
    except WorkbenchError as error:
        if error.code != "download_failed" or os.environ.get("WORKBENCH_REQUIRE_MODEL") == "1":
            raise
        pytest.skip(f"the offline model cannot be fetched: {error.message}")
    assert "Paris" in result.text
    assert result.model.name == "smollm2-135m"
    assert codes(result.notes)[0] == "written_by"


@pytest.mark.parametrize("end", ["unload", "load", "close"])
def test_a_writer_is_freed_with_what_it_writes_for(make_workbench: Make, end: str) -> None:
    held: list[weakref.ref[FakeBackend]] = []

    def build(make: Callable[[], FakeBackend]) -> Callable[[], FakeBackend]:
        def made() -> FakeBackend:
            if len(held) == 2:
                assert [one() for one in held] == [None, None], "both are gone before the next is read"
            backend = make()
            held.append(weakref.ref(backend))
            return backend

        return made

    workbench = make_workbench(Load(build(reader), build(FakeBackend)))
    workbench.prompt(REQUEST).result(WAIT)
    assert all(one() is not None for one in held)
    {
        "unload": lambda: workbench.unload().result(WAIT),
        "load": lambda: workbench.load(model="other").result(WAIT),
        "close": workbench.close,
    }[end]()
    gc.collect()
    assert [one() for one in held[:2]] == [None, None]
    assert workbench.state().writer is None
    if end == "load":
        assert workbench.prompt(REQUEST).result(WAIT).notes == ()
