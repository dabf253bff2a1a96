"""A model behind a server is found, tried, and weighs labels by whatever its server tells."""

from collections.abc import Callable
from typing import Any

import pytest
from remote_server import Remote, ignoring

from engine.errors import WorkbenchError
from engine.model.remote.served import ServedModel
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, Note

Connect = Callable[..., ServedModel]


# What is loaded.


def test_what_the_server_says_of_its_model_is_shown(connect: Connect, noted: list[Note]) -> None:
    info = connect(Remote()).info
    assert (info.name, info.device, info.precision, info.context, info.parameters) == ("tiny", "remote", "", 2048, 0)
    assert info.capabilities == ("score", "generate")
    assert [note.code for note in noted] == ["served"]
    assert str(noted[0].details["url"]).startswith("http://127.0.0.1:")


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


def test_a_named_model_need_not_be_listed(connect: Connect) -> None:
    assert connect(Remote(), name="#an-alias").info.name == "an-alias"
    assert connect(Remote(statuses=[(404, {}, b"")]), name="#tiny").info.name == "tiny"


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
    backend, text = connect(remote), "Tim Cook flew to Berlin."
    fields = (FieldSpec("person"), FieldSpec("city"), FieldSpec("price"))
    remote.says = lambda _: "person: Tim Cook\tBob\ncity: None\nprice: None\n"
    result = Extractor(backend)(ExtractRequest(text, fields))
    assert remote.bodies()[0]["prompt"] == f"输入: {text}\n抽取: person，city，price\n输出: [GEN]"
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
def test_a_server_without_probabilities_weighs_no_labels(connect: Connect, noted: list[Note], remote: Remote) -> None:
    backend = connect(remote)
    assert "served_unscored" in [note.code for note in noted]
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
