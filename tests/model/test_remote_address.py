"""Servers' addresses and keys: what is meant, what is refused, what is reached, and what is never shown."""

import json
import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from remote_server import Remote

from engine.errors import Cancelled, WorkbenchError
from engine.model.loader import load_backend
from engine.model.remote.address import Address, parse_address, without_user_info
from engine.model.remote.served import ServedModel
from engine.model.resolve import resolve
from engine.run.slot import Slot
from engine.settings import load_settings
from engine.types import Writing

KEY = "sk-secret-4711"
Load = Callable[..., ServedModel]
Serve = Callable[[Remote], str]


def refused(call: Callable[[], Any]) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        call()
    return caught.value


def write(backend: ServedModel, limit: int = 20, **options: Any) -> Any:
    return backend.write(backend.encode_prompt(backend.protocol.free("Rain?"), limit).ids, Writing(limit), **options)


# Addresses.


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("http://localhost:8000/v1", Address("http://localhost:8000/v1")),
        (" HTTPS://Host.example/v1/#org/model ", Address("https://Host.example/v1", "org/model")),
        ("http://[::1]:80#m", Address("http://[::1]:80/v1", "m")),
        ("http://127.0.0.1:8080/", Address("http://127.0.0.1:8080/v1")),
        ("http://h/api/openai", Address("http://h/api/openai")),
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
    write(backend)
    assert "Rain" not in caplog.text, "no text is logged"
    assert "falls" not in caplog.text


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


# In the slot.


def test_a_failed_load_says_why_and_leaves_nothing_open(serve: Serve) -> None:
    slot = Slot(load_backend, "auto")
    url = serve(Remote(key=KEY))
    with pytest.raises(WorkbenchError):
        slot.load(load_settings(model=url), threading.Event())
    assert slot.state.error is not None
    assert (slot.state.status, slot.state.error.code) == ("failed", "remote_denied")
