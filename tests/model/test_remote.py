"""A model behind a server answers every task through the engine's own tasks, by whatever its server honours."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from remote_server import Remote, serve_remote

from engine.errors import Cancelled, WorkbenchError
from engine.model.loader import load_backend
from engine.model.remote.served import ServedModel
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.prompt import Prompter
from engine.settings import load_settings
from engine.text.structure import AnswerForm
from engine.types import (
    ClassifyRequest,
    ExtractRequest,
    FieldSpec,
    Note,
    PromptRequest,
    Structure,
    Writing,
)

Connect = Callable[..., ServedModel]

TEXT = "Tim Cook flew to Berlin with 3 bags, said Tim Cook."
FIELDS = (FieldSpec("person"), FieldSpec("city"), FieldSpec("price"))


def ignoring() -> Remote:
    """A server that honours nothing beyond plain completions and chats."""
    return Remote(dialects=(), kinds=(), top=0)


def codes(notes: tuple[Note, ...]) -> list[str]:
    return [note.code for note in notes]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Serves a `Remote` and loads its model as the engine does; all is closed at the end."""
    with ExitStack() as stack:

        def connected(remote: Remote, **flags: Any) -> ServedModel:
            url = stack.enter_context(serve_remote(remote))
            settings = load_settings(model=url + flags.pop("name", ""), **({"remote_retries": 0} | flags))
            backend = load_backend(settings, lambda _: None, lambda _: None, threading.Event())
            assert isinstance(backend, ServedModel)
            stack.callback(backend.close)
            remote.asked.clear()
            return backend

        yield connected


# What is loaded.


def test_what_the_server_says_of_its_model_is_shown(connect: Connect) -> None:
    info = connect(Remote()).info
    assert (info.name, info.device, info.precision, info.context, info.parameters) == ("tiny", "remote", "", 2048, 0)
    assert info.capabilities == ("score", "generate")
    assert codes(info.notes) == ["served"]
    assert info.notes[0].details["url"].startswith("http://127.0.0.1:")  # type: ignore[attr-defined]


def test_what_llama_cpp_says_of_its_model_is_shown(connect: Connect) -> None:
    meta = {"n_ctx": 1024, "n_params": 134515008, "ftype": "Q8_0"}
    info = connect(Remote([{"id": "tiny", "meta": meta}])).info
    assert (info.context, info.parameters, info.precision) == (1024, 134515008, "Q8_0")


@pytest.mark.parametrize(("said", "set_to", "context"), [(None, None, 4096), (2048, 512, 512), (None, 99, 99)])
def test_the_context_is_the_servers_within_the_setting(
    connect: Connect, said: int | None, set_to: int | None, context: int
) -> None:
    entry = {"id": "tiny"} | ({"max_model_len": said} if said else {})
    assert connect(Remote([entry]), remote_context=set_to).info.context == context


def test_of_several_models_the_named_one_is_taken(connect: Connect) -> None:
    remote = Remote([{"id": "a/b"}, {"id": "tiny"}])
    backend = connect(remote, name="#tiny")
    assert backend.info.name == "tiny"
    backend.generate(backend.encode_prompt(backend.protocol.free("Rain?"), 8).ids, beams=4, max_new_tokens=8)
    assert remote.asked[-1][1]["model"] == "tiny"
    with pytest.raises(WorkbenchError) as refused:
        connect(remote)
    assert (refused.value.code, refused.value.details["names"]) == ("remote_models", "a/b, tiny")


@pytest.mark.parametrize(
    ("remote", "found"),
    [
        (Remote(), ("prompt_logprobs", 20, "structured_outputs", "chat")),
        (Remote(kinds=("echo",), dialects=("guided",)), ("echo", 20, "guided", "chat")),
        (Remote(kinds=(), dialects=("llama",), top=5, objects=True, chat=False), ("", 5, "llama", "listed")),
        (Remote(kinds=(), dialects=("response_format",)), ("", 20, "response_format", "listed")),
        (ignoring(), ("", 0, "", "listed")),
        (Remote(chat=False), ("prompt_logprobs", 20, "structured_outputs", "plain")),
    ],
)
def test_what_a_server_honours_is_tried_and_not_believed(
    connect: Connect, remote: Remote, found: tuple[str, int, str, str]
) -> None:
    backend = connect(remote)
    able = backend._abilities
    assert (able.prompt, able.top, able.structure, backend.protocol.name) == found


def test_seqgpt_behind_a_server_is_asked_as_it_was_trained(connect: Connect) -> None:
    remote = Remote([{"id": "DAMO-NLP/SeqGPT-560M"}])
    backend = connect(remote)
    remote.says = lambda _: "person: Tim Cook\tBob\ncity: None\nprice: None\n"
    result = Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    assert remote.bodies()[0]["prompt"] == f"输入: {TEXT}\n抽取: person，city，price\n输出: [GEN]"
    assert [[value.text for value in one.values] for one in result.fields] == [["Tim Cook"], [], []]
    assert result.notes == (Note("values_left_out", {"values": "Bob"}),)


# Classify.


@pytest.mark.parametrize(
    "remote",
    [
        Remote(),
        Remote(kinds=("echo",)),
        Remote(kinds=()),
        Remote(kinds=(), top=5, objects=True, dialects=("llama",)),
        Remote(chat=False, kinds=("echo",), dialects=()),
    ],
    ids=["prompt_logprobs", "echo", "steps", "llama", "plain"],
)
def test_labels_are_weighed_by_what_the_server_tells(connect: Connect, remote: Remote) -> None:
    result = Classifier(connect(remote))(ClassifyRequest("Sad news about finance today", ("sports", "finance")))
    assert result.chosen == ("finance",)
    assert sum(one.score for one in result.labels) == pytest.approx(1)
    assert result.labels[0].score > 0.6


def test_labels_that_begin_alike_are_told_apart_by_further_steps(connect: Connect) -> None:
    labels = ("world news", "world sports", "politics")
    remote = Remote(kinds=(), dialects=())
    result = Classifier(connect(remote))(ClassifyRequest("the sports of the world", labels))
    assert result.chosen == ("world sports",)
    prompts = [body["prompt"] for body in remote.bodies()]
    assert [prompt.endswith("Category: world") for prompt in prompts] == [False, True]
    scores = {one.label: one.score for one in result.labels}
    assert scores["world sports"] > scores["world news"] > 0


def test_labels_without_a_told_probability_are_named(connect: Connect) -> None:
    class Silent(Remote):
        def _logprobs(self, *_: Any) -> dict[str, Any]:
            return {"tokens": [" sports"], "token_logprobs": [-1.0], "top_logprobs": [{" sports": -1.0, " x": -2.0}]}

    result = Classifier(connect(Silent(kinds=(), dialects=())))(ClassifyRequest("x y", ("sports", "art", "law")))
    assert [one.score for one in result.labels] == [1.0, 0.0, 0.0]
    assert Note("labels_untold", {"labels": "art, law"}) in result.notes


@pytest.mark.parametrize("remote", [ignoring(), Remote(completions=False)], ids=["no logprobs", "chats only"])
def test_a_server_without_probabilities_weighs_no_labels(connect: Connect, remote: Remote) -> None:
    backend = connect(remote)
    assert "served_unscored" in codes(backend.info.notes)
    with pytest.raises(WorkbenchError) as refused:
        Classifier(backend)(ClassifyRequest("x", ("a", "b")))
    assert refused.value.code == "remote_no_scores"


def test_a_long_text_is_cut_and_said_so(connect: Connect) -> None:
    backend = connect(Remote([{"id": "tiny", "max_model_len": 300}]))
    result = Classifier(backend)(ClassifyRequest("今天下雨 " * 200, ("雨", "雪")))
    (note,) = [note for note in result.notes if note.code == "text_cut"]
    assert 100 < note.details["kept"] < 300  # type: ignore[operator]


def test_a_prompt_that_the_server_finds_too_long_says_what_to_set(connect: Connect) -> None:
    remote = Remote([{"id": "tiny"}])
    backend = connect(remote)
    remote.models[0]["max_model_len"] = 5
    with pytest.raises(WorkbenchError) as refused:
        Classifier(backend)(ClassifyRequest("a b c d e f g", ("a", "b")))
    assert refused.value.code == "remote_too_long"
    assert "maximum context length is 5" in refused.value.message


def test_what_looks_like_a_control_token_is_none(connect: Connect) -> None:
    remote = Remote()
    result = Classifier(connect(remote))(ClassifyRequest("a <|im_end|> b </s> <b>", ("a", "b")))
    assert Note("specials_neutralised", {"tokens": "<|im_end|>, </s>"}) in result.notes
    assert not any("<|im_end|>" in body["prompt"] or "</s>" in body["prompt"] for body in remote.bodies())
    assert "a <|im_end|> b </s> <b>" in result.prompt


# Extract.


def found(result: Any) -> list[list[str]]:
    return [[value.text for value in one.values] for one in result.fields]


@pytest.mark.parametrize("remote", [Remote(), ignoring(), Remote(chat=False)], ids=["held", "ignoring", "plain"])
def test_only_what_stands_in_the_text_is_taken(connect: Connect, remote: Remote) -> None:
    backend = connect(remote)
    said = {"person": ["Tim  Cook", "Bob Dole"], "city": "BERLIN", "price": []}
    remote.says = lambda _: json.dumps(said)
    result = Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    assert found(result) == [["Tim Cook"], ["Berlin"], []]
    assert all(value.text == TEXT[value.start : value.end] for one in result.fields for value in one.values)
    assert all(value.score is None for one in result.fields for value in one.values)
    assert [one.absent for one in result.fields] == [None, None, None]
    assert Note("values_left_out", {"values": "Bob Dole"}) in result.notes
    assert result.prompts[0].raw == json.dumps(said)
    assert [line.outcome for line in result.prompts[0].lines] == ["values", "values", "none"]


def test_a_structure_is_asked_for_where_it_is_honoured(connect: Connect) -> None:
    remote = Remote()
    backend = connect(remote)
    remote.says = lambda _: "{}"
    Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    schema = remote.bodies("/chat/completions")[0]["structured_outputs"]["json"]
    assert (schema["required"], schema["additionalProperties"]) == (["person", "city", "price"], False)


@pytest.mark.parametrize(
    ("said", "values", "unread"),
    [
        ('Sure!\n```json\n{"person": ["Tim Cook"], "city": null, "price": [3]}\n```', [["Tim Cook"], [], ["3"]], ""),
        ("person: Tim Cook\ncity: Berlin\nprice: None\n", [["Tim Cook"], ["Berlin"], []], ""),
        ('<think>{"city": ["3"]}</think>{"CITY": ["Berlin"]}', [[], ["Berlin"], []], "person, price"),
        ("I cannot do that.", [[], [], []], "person, city, price"),
        ("", [[], [], []], "person, city, price"),
        ('{"person": {"name": "Tim Cook"}, "city": ["Berlin"]}', [[], [], []], "person, city, price"),
        ('{"person": ["Coo", "None"], "city": ["Berlin", "Berlin"], "price": []}', [[], ["Berlin"], []], ""),
        ('{"person": ["\\ud83d"], "city": ["\\u0042erlin"], "price": ["\\x"]}', [[], ["Berlin"], []], ""),
        ("[" * 50, [[], [], []], "person, city, price"),
    ],
)
def test_answers_are_read_whatever_they_are(connect: Connect, said: str, values: list[list[str]], unread: str) -> None:
    remote = ignoring()
    backend = connect(remote)
    remote.says = lambda _: said
    result = Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    assert found(result) == values
    told = [note.details["fields"] for note in result.notes if note.code == "fields_unread"]
    assert told == ([unread] if unread else [])


def test_an_answer_that_is_cut_gives_its_whole_values(connect: Connect) -> None:
    remote = ignoring()
    backend = connect(remote)
    remote.says = lambda _: '{"person": ["Tim Cook"], "city": ["Berlin", "Ber'
    remote.cut = True
    result = Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    assert found(result) == [["Tim Cook"], ["Berlin"], []]
    assert [line.outcome for line in result.prompts[0].lines] == ["values", "cut", "cut"]
    assert Note("answer_cut", {"fields": "city, price"}) in result.notes


def test_one_value_is_asked_and_one_is_taken(connect: Connect) -> None:
    remote = ignoring()
    backend = connect(remote)
    remote.says = lambda _: '{"n": ["3", "Berlin"]}'
    result = Extractor(backend)(ExtractRequest(TEXT, (FieldSpec("n", many=False),)))
    assert found(result) == [["3"]]


def test_many_prompts_are_asked_side_by_side_and_answered_in_order(connect: Connect) -> None:
    remote = ignoring()
    backend = connect(remote)
    remote.says = lambda body: json.dumps({name: [name] for name in "abcdefghij" if f'["{name}"]' in str(body)})
    fields = tuple(FieldSpec(name) for name in "abcdefghij")
    result = Extractor(backend)(ExtractRequest("a b c d e f g h i j", fields, per_prompt=1))
    assert found(result) == [[name] for name in "abcdefghij"]
    assert result.usage.prompts == 10


# Free prompts.


def written(backend: ServedModel, text: str = "Rain?", **options: Any) -> Any:
    writing = options.pop("writing", Writing(20))
    return backend.write(backend.encode_prompt(backend.protocol.free(text), 20).ids, writing, **options)


def test_a_free_prompt_is_a_turn_of_a_chat(connect: Connect) -> None:
    remote = Remote()
    result = Prompter(connect(remote))(PromptRequest("Rain?", Writing(20)))
    assert (result.text, result.model.name, result.notes) == (" It falls from clouds.", "tiny", ())
    (body,) = remote.bodies("/chat/completions")
    assert body["messages"] == [{"role": "user", "content": "Rain?"}]
    assert (body["max_tokens"], body["temperature"]) == (20, 0)
    assert result.usage.output_tokens == 5


def test_a_role_is_a_turn_of_the_systems(connect: Connect) -> None:
    remote = Remote()
    backend = connect(remote)
    ids = backend.encode_prompt(backend.protocol.free("Rain?", "Be short."), 20).ids
    backend.write(ids, Writing(20))
    (body,) = remote.bodies("/chat/completions")
    assert body["messages"] == [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Rain?"}]


@pytest.mark.parametrize("way", [{"chat": False}, {"setting": "completions"}])
def test_a_free_prompt_is_completed_where_there_is_no_chat(connect: Connect, way: dict[str, Any]) -> None:
    remote = Remote(chat=way.get("chat", True))
    backend = connect(remote, remote_prompts=way.get("setting", "auto"))
    assert written(backend).text == " It falls from clouds."
    assert remote.bodies()[0]["prompt"] == "Rain?"


def test_an_answer_is_shown_as_it_comes_with_its_probabilities(connect: Connect) -> None:
    shown: list[str] = []
    answer = written(connect(Remote()), alternatives=2, show=shown.append)
    assert shown == [" It", " It falls", " It falls from", " It falls from clouds", " It falls from clouds."]
    assert "".join(token.text for token in answer.tokens) == answer.text
    assert all(0 < token.probability <= 1 and len(token.alternatives) == 2 for token in answer.tokens)
    assert (answer.finish, answer.output_tokens) == ("end", 5)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_stop_string_ends_it_and_is_never_shown(connect: Connect, keeps: bool) -> None:
    remote = Remote(keeps_stops=keeps)
    backend, shown = connect(remote), list[str]()
    answer = written(backend, writing=Writing(20, stop=(" from clouds",)), show=shown.append)
    assert (answer.text, shown[-1]) == (" It falls", " It falls")
    assert answer.finish == ("end" if keeps else "stop"), "a server that stops does not say why"
    assert "".join(token.text for token in answer.tokens) == answer.text


def test_characters_come_whole_whatever_the_packets(connect: Connect) -> None:
    remote = Remote(says=lambda _: "雨从云中落下，💧。")
    shown: list[str] = []
    answer = written(connect(remote), show=shown.append)
    assert answer.text == "雨从云中落下，💧。"
    assert all(answer.text.startswith(one) for one in shown)


def test_settings_are_passed_by_the_names_that_servers_know(connect: Connect) -> None:
    remote = Remote()
    writing = Writing(20, temperature=0.7, top_p=0.9, seed=3, repetition_penalty=1.2, stop=("x",) * 6)
    answer = written(connect(remote), writing=writing)
    (body,) = remote.bodies("/chat/completions")
    passed = {name: body[name] for name in ("temperature", "top_p", "seed", "repetition_penalty")}
    assert passed == {"temperature": 0.7, "top_p": 0.9, "seed": 3, "repetition_penalty": 1.2}
    assert len(body["stop"]) == 4
    assert codes(answer.notes) == ["penalty_counts_prompt"]


def test_a_limit_is_said(connect: Connect) -> None:
    assert written(connect(Remote()), writing=Writing(2)).finish == "limit"


def test_beams_are_refused(connect: Connect) -> None:
    with pytest.raises(WorkbenchError) as refused:
        written(connect(Remote()), writing=Writing(beams=4))
    assert refused.value.code == "bad_setting"


@pytest.mark.parametrize(
    ("structure", "asked", "good"),
    [
        (Structure(choices=("yes", "no")), {"choice": ["yes", "no"]}, "no"),
        (Structure(regex="[0-9]+"), {"regex": "[0-9]+"}, "12"),
        (
            Structure(schema='{"type": "object", "properties": {}}'),
            {"json": {"type": "object", "properties": {}}},
            "{}",
        ),
    ],
)
def test_a_form_is_asked_for_and_checked(
    connect: Connect, structure: Structure, asked: dict[str, Any], good: str
) -> None:
    remote = Remote(says=lambda _: f" {good}\n")
    backend = connect(remote)
    answer = written(backend, form=AnswerForm(structure))
    assert (answer.text.strip(), answer.tokens) == (good, ())
    assert remote.bodies("/chat/completions")[0]["structured_outputs"] == asked


@pytest.mark.parametrize("structure", [Structure(choices=("yes", "no")), Structure(regex="[0-9]+")])
def test_an_answer_out_of_its_form_is_an_error_that_says_what_to_do(connect: Connect, structure: Structure) -> None:
    with pytest.raises(WorkbenchError) as refused:
        written(connect(ignoring()), form=AnswerForm(structure))
    assert refused.value.code == "remote_ignored_structure"


# Stops.


@pytest.mark.parametrize("task", ["write", "classify"])
def test_a_stop_ends_what_waits_and_closes_the_connection(connect: Connect, task: str) -> None:
    remote = Remote()
    backend = connect(remote)
    remote.hang_after = 2 if task == "write" else 0
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    begun = time.monotonic()
    request = ClassifyRequest("x", ("a", "b"))
    with pytest.raises(Cancelled):
        written(backend, stop=stop) if task == "write" else Classifier(backend)(request, stop)
    assert time.monotonic() - begun < 10, "it waited for the server"
    if task == "write":
        assert remote.gone.wait(10)
    remote.hang_after = None
    remote.open.set()
    assert written(backend).finish == "end", "the next request goes on as ever"


def test_what_show_raises_ends_the_writing(connect: Connect) -> None:
    class EnoughError(Exception):
        pass

    def show(_: str) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        written(connect(Remote()), show=show)
