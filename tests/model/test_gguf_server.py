"""The server behind a GGUF model: stops, what it keeps, its port, and what becomes of one that fails."""

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from tiny_gguf import FORMS, TEXT, exact, ids, load, make_tiny

from engine.errors import Cancelled, WorkbenchError
from engine.model.gguf import server as server_module
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.text.structure import make_form
from engine.types import Writing


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_tiny(tmp_path_factory.mktemp("gguf"))


@pytest.fixture(scope="module")
def tiny(made: dict[str, Path]) -> Iterator[Any]:
    with exact(made["gguf"]) as backend:
        yield backend


def test_a_stop_ends_whatever_is_done(tiny: Any) -> None:
    stop = Event()
    stop.set()
    grammar = ExtractGrammar(TEXT, (GrammarLine("x", many=True),))
    for call in (
        lambda: tiny.score(ids(tiny), [tiny.encode_answer("a"), tiny.encode_answer("b")], stop=stop),
        lambda: tiny.write(ids(tiny), Writing(50), stop=stop),
        lambda: tiny.generate(ids(tiny), beams=3, max_new_tokens=50, stop=stop),
        lambda: tiny.decode([ids(tiny)], [grammar], limits=[50], stop=stop),
        lambda: tiny.write(ids(tiny), Writing(50), form=make_form(FORMS[2]), stop=stop),
    ):
        with pytest.raises(Cancelled):
            call()
    assert tiny.write(ids(tiny), Writing(3)).output_tokens == 3, "it goes on afterwards"


def test_a_stop_while_writing_adds_one_token_at_most(tiny: Any) -> None:
    stop, shown = Event(), list[str]()

    def show(text: str) -> None:
        shown.append(text)
        if len(shown) == 2:
            stop.set()

    with pytest.raises(Cancelled):
        tiny.write(ids(tiny), Writing(200), show=show, stop=stop)
    assert len(shown) == 2


def test_a_stop_while_a_long_prompt_is_read(tiny: Any) -> None:
    long = tuple(range(100, 160)) * 30
    stop = Event()
    read, told = tiny._server._server.handle_completions, list[Any]()

    class Stopping:
        def handle_completions(self, request: dict[str, Any], *callback: Callable[[Any], bool]) -> Any:
            if not callback:
                return read(request)
            return read(request, lambda chunk: (told.append(chunk), stop.set(), callback[0](chunk))[2])

    tiny._server._server, kept = Stopping(), tiny._server._server
    try:
        with pytest.raises(Cancelled):
            tiny.write(long, Writing(1), stop=stop)
    finally:
        tiny._server._server = kept
    assert len(told) == 1, "the rest is not read"
    assert tiny.write(long, Writing(1)).output_tokens == 1


def test_what_show_raises_ends_the_writing(tiny: Any) -> None:
    def refuse(_: str) -> None:
        raise KeyError("gone")

    with pytest.raises(KeyError):
        tiny.write(ids(tiny), Writing(5), show=refuse)


def test_what_was_read_is_kept_until_it_is_forgotten(tiny: Any) -> None:
    def cached(prompt: tuple[int, ...]) -> int:
        answer = tiny._server.step(prompt, {})
        return int(answer["usage"]["prompt_tokens_details"]["cached_tokens"])

    prompt = tuple(range(200, 230))
    cached(prompt)
    assert cached(prompt) == len(prompt) - 1
    tiny.forget()
    assert cached(prompt) == 0


def test_the_port_is_ours_alone_and_gone_with_the_model(made: dict[str, Path]) -> None:
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    backend = load(made["gguf"])
    address = httpx.URL(backend._server.address)
    assert address.host == "127.0.0.1"
    body = {"content": "x", "prompt": "x"}
    for path in ("/tokenize", "/completion", "/v1/completions", "/slots", "/props"):
        assert httpx.post(address.join(path), json=body, trust_env=False).status_code in {401, 404, 405}
    backend.close()
    with socket.socket() as probe:
        assert probe.connect_ex((address.host, address.port or 0)) != 0
    with pytest.raises(WorkbenchError) as caught:
        backend.write(ids_of_nothing(), Writing(1))
    assert caught.value.code == "model_silent"
    backend.close()
    assert not [one for one in threading.enumerate() if one.name == "gguf-request"]


def ids_of_nothing() -> tuple[int, ...]:
    return (100, 101)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (RuntimeError("gone"), "model_silent"),
        ({"error": {"message": "Failed to find a memory slot"}}, "out_of_memory"),
        ({"error": {"message": "Compute error."}}, "model_silent"),
        ({"choices": []}, "model_silent"),
        (None, "model_silent"),
    ],
)
def test_a_server_that_fails_gives_one_message(tiny: Any, answer: Any, code: str) -> None:
    class Failing:
        def handle_completions(self, *_: object) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

    tiny._server._server, kept = Failing(), tiny._server._server
    try:
        with pytest.raises(WorkbenchError) as caught:
            tiny.write((100, 101), Writing(2))
    finally:
        tiny._server._server = kept
    assert caught.value.code == code


def test_a_server_that_hangs_is_left_alone(made: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    backend = load(made["gguf"])
    release = Event()

    class Hanging:
        def handle_completions(self, *_: object) -> Any:
            release.wait(20)

    monkeypatch.setattr(server_module, "_PATIENCE", 0.2)
    monkeypatch.setattr(server_module, "_hung", [])
    real, backend._server._server = backend._server._server, Hanging()
    for _ in range(2):
        with pytest.raises(WorkbenchError) as caught:
            backend.write((100, 101), Writing(2))
        assert caught.value.code == "model_silent"
    backend.close()
    assert len(server_module._hung) == 1, "to let go of it would wait for it"
    release.set()
    del real


def test_a_connection_that_was_closed_is_opened_again(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    post, tries = tiny._server._http.post, list[str]()

    def closed_once(path: str, **options: Any) -> Any:
        tries.append(path)
        if len(tries) == 1:
            raise httpx.RemoteProtocolError("Server disconnected")
        return post(path, **options)

    monkeypatch.setattr(tiny._server._http, "post", closed_once)
    assert tiny._tokens.plain("the")
    assert len(tries) == 2
    monkeypatch.setattr(tiny._server._http, "post", lambda *_, **__: post("/gone"))
    with pytest.raises(WorkbenchError) as caught:
        tiny._tokens.plain("the")
    assert caught.value.code == "model_silent"


def test_long_prompts_push_each_other_out(tiny: Any) -> None:
    """Of four, two fit: each is answered, and as when it is alone."""
    prompts = [tuple((start + step) % 500 + 3 for step in range(0, 1500 * 7, 7)) for start in range(4)]
    together = [tiny.write(prompt, Writing(2)).text for prompt in prompts]
    tiny.forget()
    assert tiny.write(prompts[3], Writing(2)).text == together[3]
    assert tiny.generate(prompts[0], beams=4, max_new_tokens=2).output_tokens <= 2
    assert tiny.write(prompts[1], Writing(2)).text == together[1]
