"""Models behind servers for the tests of backends: served, loaded as the engine loads them, closed at the end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from remote_server import Remote, serve_remote

from engine.model.loader import load_backend
from engine.model.remote.served import ServedModel
from engine.settings import load_settings
from engine.types import Note


@pytest.fixture
def serve() -> Iterator[Callable[[Remote], str]]:
    """Serves a `Remote`; gives its address."""
    with ExitStack() as stack:
        yield lambda remote: stack.enter_context(serve_remote(remote))


@pytest.fixture
def noted() -> list[Note]:
    """What `load` said of the models that it loaded."""
    return []


@pytest.fixture
def load(noted: list[Note]) -> Iterator[Callable[..., ServedModel]]:
    """Loads the model of an address; two retries, unless flags say otherwise."""
    with ExitStack() as stack:

        def loaded(url: str, stop: threading.Event | None = None, **flags: Any) -> ServedModel:
            settings = load_settings(model=url, **({"remote_retries": 2} | flags))
            backend = load_backend(settings, lambda _: None, noted.append, stop or threading.Event())
            assert isinstance(backend, ServedModel)
            stack.callback(backend.close)
            return backend

        yield loaded


@pytest.fixture
def connect(serve: Callable[[Remote], str], load: Callable[..., ServedModel]) -> Callable[..., ServedModel]:
    """Serves and loads; what was asked at load is forgotten. name: said after the address."""

    def connected(remote: Remote, name: str = "", **flags: Any) -> ServedModel:
        backend = load(serve(remote) + name, **flags)
        remote.asked.clear()
        return backend

    return connected
