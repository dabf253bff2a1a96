"""Free prompts to a server: streamed and shown, held to forms, ended by strings, by limits and by the user."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from doubles import WAIT
from remote_server import Remote, ignoring

from engine.errors import Cancelled, WorkbenchError
from engine.model.loader import load_backend
from engine.model.remote.served import ServedModel
from engine.run.classify import Classifier
from engine.run.prompt import Prompter
from engine.text.structure import AnswerForm
from engine.types import ClassifyRequest, PromptRequest, Structure, Writing

Connect = Callable[..., ServedModel]


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


def test_a_server_with_chats_alone_tells_probabilities_too(connect: Connect) -> None:
    answer = written(connect(Remote(completions=False)), alternatives=1)
    assert [len(token.alternatives) for token in answer.tokens] == [1] * 5


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
    assert [note.code for note in answer.notes] == ["penalty_counts_prompt"]


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
    (body,) = remote.bodies("/chat/completions")
    assert (body["structured_outputs"], "logprobs" in body) == (asked, False)


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
    remote = Remote()
    backend = connect(remote)
    for error in (ValueError("enough"), KeyError("enough"), Cancelled(), RuntimeError("enough")):

        def show(text: str, error: Exception = error) -> None:
            if text.endswith("."):  # at the very end too
                raise error

        with pytest.raises(type(error)):
            written(backend, show=show)


def test_the_workbench_answers_and_keeps_what_it_answered(
    serve: Callable[[Remote], str], make_workbench: Callable[..., Any]
) -> None:
    remote = Remote()
    workbench = make_workbench(load_backend, model=serve(remote))
    request = ClassifyRequest("the sports of today", ("sports", "art"))
    first = workbench.classify(request).result(WAIT)
    count = len(remote.asked)
    again = workbench.classify(request).result(WAIT)
    assert (again.labels, again.usage.cached, len(remote.asked)) == (first.labels, True, count)
    assert workbench.prompt(PromptRequest("Rain?", Writing(20))).result(WAIT).text == " It falls from clouds."
    many = [ClassifyRequest(text, request.labels) for text in ("sports", "art")]
    answers = [row.answer for row in workbench.many(many)]
    assert [one.chosen for one in answers if not isinstance(one, WorkbenchError)] == [("sports",), ("art",)]
