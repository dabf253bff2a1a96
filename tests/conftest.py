"""What every test stands on: a clean environment, no network beyond this machine, and the cases users reported."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

settings.register_profile("workbench", deadline=None, derandomize=True, database=None, max_examples=100)
settings.load_profile("workbench")

_LOOPBACK = ("127.", "::1", "localhost")


class _ByFile(LoadFileScheduling):  # type: ignore[misc]
    """A file's tests stay on one worker, which makes its models once; those of the browser are all on one."""

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        return "browser" if file.startswith("tests/e2e/") else file

    def _assign_work_unit(self, node: Any) -> None:
        if "browser" in self.workqueue:  # the longest: begun last, it would keep one worker waiting
            self.workqueue.move_to_end("browser", last=False)
        super()._assign_work_unit(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """How tests are dealt out; groups by mark do not work with pytest 9.2 and pytest-xdist 3.8."""
    return _ByFile(config, log)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """What a test has logged may hold halves of characters, which no worker can hand to the main process."""
    outcome: Any = yield
    report = outcome.get_result()
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]


@pytest.fixture(scope="session")
def cases() -> dict[str, dict[str, Any]]:
    """The reported faults by id; tests/cases.jsonl holds one a line."""
    lines = (Path(__file__).parent / "cases.jsonl").read_text("utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


@pytest.fixture(autouse=True)
def clean_environment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the developer's machine reaches a test; tests of the real model keep its cache."""
    kept = {"WORKBENCH_CACHE_DIR"} if request.node.get_closest_marker("model") else set()
    for name in os.environ:
        if name.startswith("WORKBENCH_") and name not in kept:
            monkeypatch.delenv(name)
    monkeypatch.setenv("WORKBENCH_CONFIG", str(tmp_path / "no-workbench.toml"))
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    if not kept:
        monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection or a name lookup beyond loopback is an error, except to fetch the real model."""
    if request.node.get_closest_marker("model"):
        return

    def guarded(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: socket.socket, address: Any) -> Any:
            if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
                raise OSError(f"a test may not connect to {address[0]}")
            return original(self, address)

        return call

    lookup = socket.getaddrinfo

    def local_lookup(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and not str(name).startswith((*_LOOPBACK, "0.0.0.0", "::")):  # noqa: S104 - only compared
            raise socket.gaierror(socket.EAI_NONAME, f"a test may not look up {name}")
        return lookup(host, *arguments, **options)

    monkeypatch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", local_lookup)


@pytest.fixture
def make_workbench() -> Iterator[Callable[..., Any]]:
    """Builds Workbenches, by default over the fake backend, and closes each at the end."""
    from engine.model.fake import FakeBackend
    from engine.run.workbench import Workbench
    from engine.settings import load_settings

    made: list[Workbench] = []

    def make(load: Callable[..., Any] | None = None, **flags: Any) -> Workbench:
        chosen = load or (lambda *_: FakeBackend())
        made.append(Workbench(load_settings(**({"model": "fake"} | flags)), chosen))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny checkpoints by kind."""
    from checkpoints import make_bloom, make_llama

    root = tmp_path_factory.mktemp("checkpoints")
    return {"bloom": make_bloom(root / "bloom"), "llama": make_llama(root / "llama")}


@pytest.fixture(scope="session")
def build(folders: dict[str, Path]) -> Callable[..., Any]:
    """A new backend of a kind: a model and a tokenizer of its own."""
    from checkpoints import load_tiny

    return lambda kind, **options: load_tiny(kind, folders[kind], **options)


@pytest.fixture(scope="session")
def backends(build: Callable[..., Any]) -> dict[str, Any]:
    """One backend of each kind for the tests that leave it as it was."""
    made = {"bloom": build("bloom"), "llama": build("llama", context=512)}
    for backend in made.values():
        backend.warm_up()
    return made


@pytest.fixture(params=["bloom", "llama"])
def backend(request: pytest.FixtureRequest, backends: dict[str, Any]) -> Any:
    """Each kind in turn."""
    return backends[request.param]


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """The checkpoints are too small for more: threads would only wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
