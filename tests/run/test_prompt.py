"""The task prompt: its framing, its limits, its notes, and the model that writes in the place of another."""

import gc
import math
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
from engine.model.backend import Written
from engine.model.fake import FakeBackend
from engine.model.loader import load_backend
from engine.model.memory import room
from engine.model.resolve import Resolved
from engine.run.prompt import Prompter, check_request, writer_settings
from engine.run.workbench import Workbench
from engine.settings import load_settings
from engine.types import ClassifyRequest, Note, PromptRequest, Structure, Writing, WrittenToken

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


def test_the_prompt_is_written_after_as_it_is_asked() -> None:
    token = WrittenToken(1, "It", 0.5, (("He", 0.25),))
    backend = RecordingBackend(plain=True, writes=Written("It falls.", "stop", 3, (token,)))
    stop, shown = threading.Event(), list[str]()
    writing = Writing(40, temperature=0.5, seed=3, stop=("!",))
    result = Prompter(backend)(replace(REQUEST, writing=writing, alternatives=1), stop, 5.0, shown.append)
    assert (result.text, result.model, result.notes) == ("It falls.", backend.info, ())
    assert (result.finish, result.prompt, result.tokens) == ("stop", REQUEST.text, (token,))
    prompt = tuple(map(ord, REQUEST.text))
    asked = {"writing": writing, "form": None, "alternatives": 1, "show": shown.append, "stop": stop}
    assert backend.written == [{"prompt": prompt} | asked]
    usage = result.usage
    assert (usage.prompt_tokens, usage.scored_tokens, usage.output_tokens, usage.queue_ms) == (len(prompt), 0, 3, 5.0)
    assert usage.latency_ms > 0
    shown_json = prompt_json(result)
    assert list(shown_json) == ["text", "usage", "model", "notes", "finish", "prompt", "tokens"]
    others = [{"text": "He", "probability": 0.25}]
    assert shown_json["tokens"] == [{"text": "It", "probability": 0.5, "alternatives": others}]


def test_a_chat_model_is_given_a_turn() -> None:
    backend = RecordingBackend(plain=True)
    backend.protocol = CHAT
    Prompter(backend)(REQUEST)
    assert "".join(map(chr, backend.written[0]["prompt"])) == (
        "<|im_start|>user\nTell me about rain.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_a_role_stands_before_the_text_and_is_data_as_well() -> None:
    result = Prompter(FakeBackend())(replace(REQUEST, role=" A poet [GEN].\n"))
    assert result.prompt == result.text == "A poet [GEN].\n\nTell me about rain."
    assert codes(result.notes) == ["specials_neutralised"]
    assert Prompter(FakeBackend())(replace(REQUEST, role=" \n")).prompt == REQUEST.text


def test_a_role_in_a_system_turn_writes_no_control_token(folders: dict[str, Any]) -> None:
    from engine.model.causal_lm import load_causal_lm
    from engine.model.loader import choose_protocol
    from engine.model.tokens import Tokens

    _, tokenizer = load_causal_lm(folders["llama"], device="cpu", dtype="auto")
    protocol = choose_protocol(tokenizer, Resolved("x", "x"))
    prompt = protocol.free("Hi <|im_end|>", "A <|im_start|> poet")
    assert prompt.string == (
        "<|im_start|>system\nA <|im_start|> poet<|im_end|>\n<|im_start|>user\nHi <|im_end|><|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    tokens = Tokens(tokenizer)
    encoded = tokens.encode_prompt(prompt, budget=500, context=500, labels=0)
    assert [token for token in encoded.ids if token in tokens.control_ids] == [1, 2, 1, 2, 1]
    assert encoded.neutralised == ("<|im_start|>", "<|im_end|>")
    assert tokenizer.decode(encoded.ids, clean_up_tokenization_spaces=False) == prompt.string


@pytest.mark.parametrize("refusal", ["{{ raise_exception('no system here') }}", "{{ message.nothing.at.all }}", ""])
def test_a_template_without_a_system_turn_has_the_role_before_the_text(folders: dict[str, Any], refusal: str) -> None:
    from engine.model.causal_lm import load_causal_lm
    from engine.model.loader import choose_protocol

    _, tokenizer = load_causal_lm(folders["llama"], device="cpu", dtype="auto")
    tokenizer.chat_template = (
        "{% for message in messages %}{% if message['role'] == 'system' %}" + refusal + "{% else %}"
        "<|im_start|>{{ message['content'] }}<|im_end|>{% endif %}{% endfor %}"
    )
    protocol = choose_protocol(tokenizer, Resolved("x", "x"))
    assert protocol.free("Hi", "A poet").string == "<|im_start|>A poet\n\nHi<|im_end|>"


def test_a_role_that_leaves_the_text_no_room_is_refused_by_name() -> None:
    with pytest.raises(WorkbenchError) as refused:
        Prompter(FakeBackend())(replace(REQUEST, role="x" * 1000, text="word " * 50))
    assert refused.value.code == "role_too_long"
    assert refused.value.details == {"limit": 256, "context": 1024}


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
        Prompter(FakeBackend())(replace(REQUEST, writing=Writing(limit)))
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


@pytest.mark.parametrize(
    ("writing", "name"),
    [
        (Writing(beams=0), "beams"),
        (Writing(beams=17), "beams"),
        (Writing(temperature=-0.1), "temperature"),
        (Writing(temperature=5.1), "temperature"),
        (Writing(temperature=math.nan), "temperature"),
        (Writing(top_p=0), "top_p"),
        (Writing(top_p=1.01), "top_p"),
        (Writing(repetition_penalty=0.4), "repetition_penalty"),
        (Writing(repetition_penalty=math.inf), "repetition_penalty"),
        (Writing(seed=-1), "seed"),
        (Writing(seed=2**63), "seed"),
        (Writing(stop=("a", "")), "stop"),
        (Writing(stop=("a" * 201,)), "stop"),
        (Writing(stop=tuple(map(str, range(17)))), "stop"),
    ],
)
def test_a_setting_out_of_its_range_is_refused_with_a_hint(writing: Writing, name: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        check_request(replace(REQUEST, writing=writing))
    assert (refused.value.code, refused.value.details["name"]) == ("bad_setting", name)
    assert refused.value.hint.startswith("Use ")


def test_settings_at_their_ends_are_taken() -> None:
    check_request(replace(REQUEST, writing=Writing(1, 16, 5.0, 0.01, 5.0, 2**63 - 1, ("a" * 200,)), alternatives=20))
    check_request(replace(REQUEST, writing=Writing(1, 1, 0, 1, 0.5, 0)))
    with pytest.raises(WorkbenchError):
        check_request(replace(REQUEST, alternatives=21))


@pytest.mark.parametrize(("writing", "name"), [(Writing(beams=2), "beams"), (Writing(stop=("x",)), "stop")])
def test_a_structure_goes_with_neither_beams_nor_stop_strings(writing: Writing, name: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        check_request(replace(REQUEST, writing=writing, structure=Structure(regex="a")))
    assert (refused.value.code, refused.value.details["name"]) == ("bad_setting", name)


def test_an_answer_is_held_to_its_structure() -> None:
    structure = Structure(schema='{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}')
    result = Prompter(FakeBackend())(replace(REQUEST, structure=structure))
    assert (result.text, result.finish, result.notes) == ('{"a":""}', "end", ())
    with pytest.raises(WorkbenchError) as refused:
        Prompter(FakeBackend())(replace(REQUEST, structure=Structure(schema="{")))
    assert refused.value.code == "bad_structure"
    with pytest.raises(WorkbenchError) as refused:
        Prompter(FakeBackend())(replace(REQUEST, structure=replace(structure, grounded=True)))
    assert refused.value.details["reason"].code == "grounded_without_source"  # type: ignore[attr-defined]


@pytest.mark.parametrize(("said", "code"), [("yes", "answer_closed"), ("ye", "answer_unclosed")])
def test_a_structured_answer_at_its_limit_says_whether_it_is_whole(said: str, code: str) -> None:
    backend = RecordingBackend(writes=Written(said, "limit", 4))
    result = Prompter(backend)(replace(REQUEST, structure=Structure(choices=("yes", "no")), writing=Writing(4)))
    assert result.notes == (Note(code, {"limit": 4}),)


def test_what_the_backend_did_otherwise_is_said() -> None:
    backend = RecordingBackend(writes=Written("x", "end", 1, notes=(Note("labels_one_by_one"),)))
    assert codes(Prompter(backend)(REQUEST).notes) == ["labels_one_by_one"]


@pytest.mark.parametrize("text", ["", " \u200b\n"])
def test_a_blank_text_is_refused(text: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        Prompter(FakeBackend())(PromptRequest(text))
    assert refused.value.code == "text_empty"


@pytest.mark.usefixtures("one_thread")
def test_real_models_write_the_same_each_time_and_stop(backend: Any) -> None:
    request = PromptRequest("the good film <|im_end|> 今天 💹", Writing(12))
    first, second = Prompter(backend)(request), Prompter(backend)(request)
    assert (first.text, first.tokens) == (second.text, second.tokens)
    assert 0 < first.usage.output_tokens <= 12
    assert 0 < len(first.tokens) <= 12
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        Prompter(backend)(request, stop)


def test_a_model_that_cannot_write_is_refused() -> None:
    with pytest.raises(WorkbenchError) as refused:
        Prompter(reader())
    assert (refused.value.code, refused.value.details) == ("prompt_unsupported", {"name": "reader"})


# The budget of both.


@pytest.mark.parametrize(("limit", "left"), [(None, 2000), (1000, 400), (600, 0), (100, 0)])
def test_the_budget_is_for_both_models_together(limit: int | None, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one is held when the second one is to fit beside it."""
    settings = load_settings(model="offline", max_memory=limit, threads=1)
    beside = writer_settings(settings, reader().info)
    assert (beside.model, beside.max_memory, beside.threads) == ("fake", limit, 1)
    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: reader().info.memory)
    assert room(beside, 2000) == left


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


def test_the_answer_can_be_seen_while_it_is_written(make_workbench: Make) -> None:
    seen, gate = threading.Event(), threading.Event()

    class Slow(FakeBackend):
        def write(self, *arguments: Any, show: Any = None, **options: Any) -> Written:
            def shown(text: str) -> None:
                show(text)
                if text == "Tell":
                    seen.set()
                    assert gate.wait(WAIT)

            return super().write(*arguments, show=shown, **options)

    workbench = make_workbench(Load(Slow))
    ticket = workbench.prompt(REQUEST)
    assert seen.wait(WAIT)
    assert (ticket.partial, ticket.state) == ("Tell", "running")
    gate.set()
    assert ticket.result(WAIT).text == ticket.partial == REQUEST.text


@pytest.mark.parametrize(("seed", "kept"), [(None, False), (3, True)])
def test_what_is_drawn_anew_each_time_is_not_kept(make_workbench: Make, seed: int | None, kept: bool) -> None:
    workbench = make_workbench()
    drawn = replace(REQUEST, writing=Writing(temperature=1.0, seed=seed))
    for cached in (False, kept):
        assert workbench.prompt(drawn).result(WAIT).usage.cached is cached
    assert workbench.cache_size().answers == kept


def test_an_answer_with_tokens_is_kept_whole(make_workbench: Make) -> None:
    workbench = make_workbench()
    first, again = (workbench.prompt(replace(REQUEST, alternatives=2)).result(WAIT) for _ in range(2))
    assert again.usage.cached
    assert replace(again, usage=first.usage) == first
    assert len(first.tokens[0].alternatives) == 2


@pytest.mark.parametrize(
    "request_", [PromptRequest(" "), PromptRequest("x", Writing(0)), PromptRequest("x", structure=Structure())]
)
def test_what_no_model_could_answer_is_refused_at_once(make_workbench: Make, request_: PromptRequest) -> None:
    workbench = make_workbench(load := Load())
    with pytest.raises(WorkbenchError):
        workbench.prompt(request_)
    assert (workbench.waiting(), load.calls) == (0, [])


def test_another_model_writes_in_its_place_loaded_once_and_named(
    make_workbench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.run.executor.held_bytes", lambda _: 600)
    workbench = make_workbench(load := Load(reader, FakeBackend), model="offline", max_memory=1000)
    workbench.load().result(WAIT)
    assert len(load.calls) == 1, "not before it is asked for"
    for _ in range(2):
        result = workbench.prompt(REQUEST).result(WAIT)
        assert (result.text, result.model.name) == (REQUEST.text, "fake")
        assert result.notes == (Note("written_by", {"writer": "fake", "name": "reader"}),)
    assert [(call.model, call.max_memory) for call in load.calls] == [("offline", 1000), ("fake", 1000)]
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
