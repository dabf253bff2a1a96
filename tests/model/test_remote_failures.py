"""Whatever goes wrong with a server is one clear error, in time, without its key, and no word that came is lost."""

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from email.utils import formatdate
from typing import Any

import pytest
from remote_server import Remote, serve_remote

from engine.errors import Cancelled, WorkbenchError
from engine.model.loader import load_backend
from engine.model.remote import client as client_module
from engine.model.remote.address import Address, parse_address, without_user_info
from engine.model.remote.served import ServedModel
from engine.model.resolve import resolve
from engine.run.classify import Classifier
from engine.run.slot import Slot
from engine.settings import load_settings
from engine.types import ClassifyRequest, Writing

KEY = "sk-secret-4711"
Load = Callable[..., ServedModel]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow at once."""
    monkeypatch.setattr(client_module, "_FIRST_PAUSE", 0.001)


@pytest.fixture
def load() -> Iterator[Load]:
    """Loads an address as the engine does; closed at the end."""
    with ExitStack() as stack:

        def loaded(url: str, stop: threading.Event | None = None, **flags: Any) -> ServedModel:
            settings = load_settings(model=url, **({"remote_retries": 2} | flags))
            backend = load_backend(settings, lambda _: None, lambda _: None, stop or threading.Event())
            assert isinstance(backend, ServedModel)
            stack.callback(backend.close)
            return backend

        yield loaded


@pytest.fixture
def serve() -> Iterator[Callable[[Remote], str]]:
    with ExitStack() as stack:
        yield lambda remote: stack.enter_context(serve_remote(remote))


Serve = Callable[[Remote], str]


def write(backend: ServedModel, limit: int = 20, **options: Any) -> Any:
    return backend.write(backend.encode_prompt(backend.protocol.free("Rain?"), limit).ids, Writing(limit), **options)


def refused(call: Callable[[], Any]) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        call()
    return caught.value


# Addresses.


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("http://localhost:8000/v1", Address("http://localhost:8000/v1")),
        (" HTTPS://Host.example/v1/#org/model ", Address("https://Host.example/v1", "org/model")),
        ("http://[::1]:80#m", Address("http://[::1]:80", "m")),
    ],
)
def test_an_address_is_read(name: str, address: Address) -> None:
    assert parse_address(name) == address
    assert resolve(name, load_settings()).server == address


@pytest.mark.parametrize(
    "name",
    ["http://", "http://:80/v1", "http://h:x/v1", "http://h:99999", "http://h:0", "http://a b", "http://h/v1?k=1"],
)
def test_a_faulty_address_is_refused(name: str) -> None:
    assert refused(lambda: resolve(name, load_settings())).code == "remote_address"


@pytest.mark.parametrize(
    "name", ["http://user:pa55@h:80/v1", "https://pa55@h", "http://u:pa55/x@h/v1", "http://u:pa55@x@h/v1#a@b"]
)
def test_user_info_is_refused_and_never_shown(name: str) -> None:
    error = refused(lambda: resolve(name, load_settings()))
    assert error.code == "remote_address"
    assert "pa55" not in str(error)
    assert "pa55" not in without_user_info(name)


@pytest.mark.parametrize("name", ["auto", "owner/name", "http://h:80/v1#org/model@main", "./folder@x"])
def test_names_without_user_info_are_shown_as_they_are(name: str) -> None:
    assert without_user_info(name) == name


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("localhost", True),
        ("[::1]", True),
        ("127.0.0.1.example", False),
        ("localhost.example", False),
        ("0.0.0.0", False),  # noqa: S104 - nothing is bound
        ("10.0.0.1", False),
        ("127.1", False),
    ],
)
def test_offline_mode_reaches_this_machine_only(host: str, here: bool, load: Load) -> None:
    assert parse_address(f"http://{host}:1/v1").loopback is here
    if not here:
        assert refused(lambda: load(f"http://{host}:1/v1", offline=True)).code == "remote_offline"


def test_offline_mode_takes_a_server_of_this_machine(serve: Serve, load: Load) -> None:
    assert load(serve(Remote()), offline=True).info.name == "tiny"


# Reaching it.


def test_nothing_that_listens(load: Load) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        error = refused(lambda: load(url))
    assert (error.code, error.details["url"]) == ("remote_unreachable", url)
    assert "nothing listens there" in error.message


def test_a_name_that_is_not_known(load: Load) -> None:
    error = refused(lambda: load("http://no-such-host.invalid/v1"))
    assert (error.code, "its name is not known" in error.message) == ("remote_unreachable", True)


def test_a_server_that_speaks_no_tls(serve: Serve, load: Load) -> None:
    url = serve(Remote()).replace("http:", "https:")
    error = refused(lambda: load(url))
    assert (error.code, "no secure connection" in error.message) == ("remote_unreachable", True)


def test_no_proxy_stands_between_programs_of_one_machine(
    serve: Serve, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert load(serve(Remote())).info.name == "tiny"


def test_a_load_can_be_stopped(serve: Serve, load: Load) -> None:
    remote = Remote()
    remote.statuses = [(429, {"Retry-After": "20"}, b"")] * 9
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        load(serve(remote), stop)
    assert time.monotonic() - begun < 15, "it waited for the server's time"


# The key.


def test_a_key_is_sent_and_never_shown(
    serve: Serve, load: Load, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    remote = Remote(key=KEY)
    url = serve(remote)
    denied = refused(lambda: load(url))
    assert (denied.code, denied.details["status"]) == ("remote_denied", 401)
    monkeypatch.setenv("WORKBENCH_REMOTE_KEY", f" {KEY}\n")
    backend = load(url)
    assert set(remote.keys[1:]) == {f"Bearer {KEY}"}
    remote.statuses = [(400, {}, json.dumps({"error": {"message": f"odd key {KEY}"}}).encode())]
    error = refused(lambda: write(backend))
    assert (error.code, error.details["said"]) == ("remote_rejected", "odd key …")
    settings = load_settings()
    assert KEY not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()} {backend.info}"
    assert KEY not in caplog.text


@pytest.mark.parametrize("key", ["sk-é4711", "sk\n4711", "sk\x004711"])
def test_a_key_that_no_header_takes_is_refused_unshown(key: str) -> None:
    error = refused(lambda: load_settings(remote_key=key))
    assert (error.code, error.details["name"]) == ("bad_setting", "remote_key")
    assert "4711" not in str(error)


def test_a_key_of_another_kind_is_refused_unshown() -> None:
    error = refused(lambda: load_settings(remote_key=4711))
    assert (error.code, "4711" in str(error)) == ("bad_setting", False)


def test_a_redirect_takes_no_key_elsewhere(serve: Serve, load: Load) -> None:
    elsewhere = Remote()
    other = serve(elsewhere)
    remote = Remote(statuses=[(307, {"Location": f"{other}/models"}, b"")])
    assert refused(lambda: load(serve(remote), remote_key=KEY)).code == "remote_rejected"
    assert elsewhere.asked == []


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


# In the slot.


def test_a_failed_load_says_why_and_leaves_nothing_open(serve: Serve) -> None:
    slot = Slot(load_backend, "auto")
    url = serve(Remote(key=KEY))
    with pytest.raises(WorkbenchError):
        slot.load(load_settings(model=url), threading.Event())
    assert slot.state.error is not None
    assert (slot.state.status, slot.state.error.code) == ("failed", "remote_denied")
