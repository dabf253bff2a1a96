"""Whatever a server answers or fails to is one clear error, in time, and no word that came is lost."""

import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest
from remote_server import Remote

from engine.errors import WorkbenchError
from engine.model.remote import client as client_module
from engine.model.remote.served import ServedModel
from engine.run.classify import Classifier
from engine.types import ClassifyRequest, Writing

Load = Callable[..., ServedModel]
Serve = Callable[[Remote], str]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow at once."""
    monkeypatch.setattr(client_module, "_FIRST_PAUSE", 0.001)


def write(backend: ServedModel, limit: int = 20, **options: Any) -> Any:
    return backend.write(backend.encode_prompt(backend.protocol.free("Rain?"), limit).ids, Writing(limit), **options)


def refused(call: Callable[[], Any]) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        call()
    return caught.value


# Answers that are errors.


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "remote_denied"),
        (403, "remote_denied"),
        (404, "remote_missing"),
        (422, "remote_rejected"),
        (429, "remote_busy"),
        (500, "remote_busy"),
        (503, "remote_busy"),
    ],
)
@pytest.mark.parametrize("body", [b"", b"<html>no</html>", b'{"error": "x"}', b'{"detail": [{"msg": "x"}]}', b"\xff{"])
def test_each_refusal_has_its_code(serve: Serve, load: Load, status: int, code: str, body: bytes) -> None:
    remote = Remote()
    url = serve(remote)
    remote.statuses = [(status, {}, body)] * 9
    error = refused(lambda: load(url))
    assert error.code == code
    assert "<" not in str(error)
    assert len(remote.asked) == (3 if code == "remote_busy" else 1), "two retries, where these may help"


@pytest.mark.parametrize(
    "header", [{}, {"Retry-After": "0"}, {"Retry-After": formatdate(usegmt=True)}, {"Retry-After": "soon"}]
)
def test_a_busy_server_is_asked_again(serve: Serve, load: Load, header: dict[str, str]) -> None:
    remote = Remote(statuses=[(429, header, b""), (503, header, b"")])
    backend = load(serve(remote))
    remote.statuses = [(500, header, b""), (429, header, b"")]
    assert write(backend).text == " It falls from clouds."


def test_a_connection_that_was_closed_meanwhile_is_made_anew(serve: Serve, load: Load) -> None:
    remote = Remote()
    backend = load(serve(remote))
    remote.statuses = [(0, {}, b"")]
    assert write(backend).text == " It falls from clouds."
    remote.statuses = [(0, {}, b"")] * 9
    assert refused(lambda: write(backend)).code == "remote_unreachable"


def test_a_server_that_is_busy_while_it_is_tried_loses_nothing(serve: Serve, load: Load) -> None:
    busy = (429, {}, b"")
    remote = Remote(
        kinds=("echo",), dialects=("guided",), statuses=[None, busy, None, None, busy, None, busy, None, busy]
    )
    able = load(serve(remote))._abilities
    assert (able.top, able.prompt, able.structure) == (20, "echo", "guided")


def test_a_server_that_fails_at_fields_it_does_not_know_is_taken_as_it_is(serve: Serve, load: Load) -> None:
    class Strict(Remote):
        def _refused(self, path: str, body: dict[str, Any]) -> Any:
            known = {"model", "prompt", "messages", "max_tokens", "temperature", "stream", "stream_options"}
            return (500, {}, b"TypeError") if body.keys() - known else None

    backend = load(serve(Strict()))
    assert (backend._abilities.top, backend._abilities.prompt, backend._abilities.structure) == (0, "", "")
    assert write(backend).text == " It falls from clouds."


def test_what_a_server_asks_for_is_waited(serve: Serve, load: Load) -> None:
    remote = Remote(statuses=[(429, {"Retry-After": "0.3"}, b"")])
    begun = time.monotonic()
    load(serve(remote))
    assert time.monotonic() - begun >= 0.3


def test_a_server_that_asks_for_an_hour_is_not_waited_for(serve: Serve, load: Load) -> None:
    remote = Remote(statuses=[(429, {"Retry-After": "3600"}, b"")])
    assert refused(lambda: load(serve(remote))).code == "remote_busy"
    assert len(remote.asked) == 1


# Answers that are none.


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>",
        b"",
        b"[]",
        b"null",
        b"3",
        b"[" * 100_000,
        b'{"data": 3}',
        b'{"data": [3, {}, {"id": 7}]}',
        b"\xff\xfe",
    ],
)
def test_garbage_in_place_of_the_models(serve: Serve, load: Load, raw: bytes) -> None:
    assert refused(lambda: load(serve(Remote(raw=raw)))).code == "remote_garbage"


def test_garbage_in_place_of_all_else(serve: Serve, load: Load) -> None:
    remote = Remote()
    url = serve(remote)
    remote.raw = b'{"id": "x", "data": [{"id": "tiny"}]}'
    assert refused(lambda: load(url)).code == "remote_missing", "it has neither completions nor chats"


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>",
        b"[]",
        b"{}",
        b'{"choices": 3}',
        b'{"choices": []}',
        b'{"choices": [3]}',
        b'{"choices": [{"prompt_logprobs": null}]}',
        b'{"choices": [{"prompt_logprobs": [null, {"1": {"logprob": "x"}}]}]}',
        b'{"choices": [{"prompt_logprobs": [null, {}]}]}',
        b'{"choices": [{"prompt_logprobs": [null, {"1": {"logprob": NaN}}]}]}',
        b'{"choices": [{"prompt_logprobs": []}]}',
    ],
)
def test_json_of_another_shape(serve: Serve, load: Load, raw: bytes) -> None:
    remote = Remote()
    backend = load(serve(remote))
    remote.raw = raw
    request = ClassifyRequest("x", ("a", "b"))
    assert refused(lambda: Classifier(backend)(request)).code == "remote_garbage"


def test_a_huge_answer_is_not_read_to_its_end(serve: Serve, load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_MOST", 2**20)
    remote = Remote(raw=b'{"x": "' + b"x" * 2**22)
    assert refused(lambda: load(serve(remote))).code == "remote_too_big"


# Streams.


@pytest.mark.parametrize("pings", [False, True], ids=["silent", "pinging"])
@pytest.mark.parametrize("after", [0, 3])
def test_a_stream_that_hangs_gives_what_came(serve: Serve, load: Load, after: int, pings: bool) -> None:
    remote = Remote()
    backend = load(serve(remote), remote_read_timeout=5)
    backend._client._silence = 0.3
    backend._client._http.timeout = 0.3
    remote.hang_after, remote.pings = after, pings
    shown: list[str] = []
    error = refused(lambda: write(backend, show=shown.append))
    if after:
        assert (error.code, error.details["text"]) == ("remote_partial", " It falls from")
        assert shown[-1] == " It falls from"
        assert "0.3 seconds" in error.message
    else:
        assert error.code == "remote_silent"


@pytest.mark.parametrize("after", [0, 3])
def test_a_stream_that_drops_gives_what_came(serve: Serve, load: Load, after: int) -> None:
    remote = Remote()
    backend = load(serve(remote))
    remote.drop_after = after
    error = refused(lambda: write(backend))
    assert error.code == ("remote_partial" if after else "remote_broken")
    assert error.details.get("text", "") == (" It falls from" if after else "")


def test_an_endless_stream_is_cut_at_the_limit(serve: Serve, load: Load) -> None:
    remote = Remote()
    backend = load(serve(remote))
    remote.endless = True
    answer = write(backend, limit=8)
    assert answer.finish == "limit"
    assert len(answer.text) < 1000
    assert remote.gone.wait(10), "the connection is closed"


def test_slow_tokens_are_no_failure(serve: Serve, load: Load) -> None:
    remote = Remote()
    backend = load(serve(remote), remote_read_timeout=5)
    backend._client._silence = backend._client._http.timeout = 0.5
    remote.pace = 0.15  # longer in all than the silence that is allowed
    assert write(backend).text == " It falls from clouds."


class Raw(Remote):
    """Streams these bytes, and then ends well."""

    stream = b""

    def _stream(self, handler: Any, *_: Any) -> None:
        handler.begin()
        for at in range(0, len(self.stream), 3):
            handler.chunk(self.stream[at : at + 3])
        handler.chunk(b"")


def test_a_line_without_end_is_not_read_to_its_end(serve: Serve, load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_MOST", 2**16)

    class Endless(Raw):
        def _stream(self, handler: Any, *_: Any) -> None:
            handler.begin()
            handler.chunk(event(TEXT) + b"data: ")
            while True:
                handler.chunk(b"x" * 2**12)

    remote = Endless()
    error = refused(lambda: write(load(serve(remote))))
    assert (error.code, error.details["text"]) == ("remote_partial", "雨")
    assert remote.gone.wait(10), "the connection is closed"


def event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()


TEXT = '{"choices": [{"delta": {"content": "雨"}, "finish_reason": null}]}'
END = '{"choices": [{"delta": {}, "finish_reason": "stop"}]}'


@pytest.mark.parametrize(
    ("stream", "code", "text"),
    [
        (event(TEXT) + event(END), "", "雨"),
        (
            b": ping\r\nevent: x\r\nid: 3\r\n" + event(TEXT).replace(b"\n", b"\r\n") + event(END) + event("[DONE]"),
            "",
            "雨",
        ),
        (event(TEXT) + event(END).rstrip(), "", "雨"),
        (event(TEXT) + event("[DONE]"), "remote_partial", "雨"),
        (event(TEXT), "remote_partial", "雨"),
        (event(TEXT) + event(END.replace("stop", "abort")), "remote_partial", "雨"),
        (event(TEXT) + event("{"), "remote_partial", "雨"),
        (event(TEXT) + event("[]"), "remote_partial", "雨"),
        (event(TEXT) + event('{"error": {"message": "CUDA out of memory"}}'), "remote_partial", "雨"),
        (event(TEXT) + event('{"choices": [{"delta": {"content": 3}}]}'), "remote_partial", "雨"),
        (event('{"error": {"message": "no"}}'), "remote_rejected", ""),
        (event("\xff"), "remote_garbage", ""),
        (b"", "remote_broken", ""),
        (b"<html>no</html>", "remote_broken", ""),
    ],
)
def test_every_stream_ends_in_an_answer_or_an_error(
    serve: Serve, load: Load, stream: bytes, code: str, text: str
) -> None:
    remote = Raw()
    backend = load(serve(remote))
    remote.stream = stream
    if not code:
        assert write(backend).text == text
        return
    error = refused(lambda: write(backend))
    assert (error.code, error.details.get("text", "")) == (code, text)
