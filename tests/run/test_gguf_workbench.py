"""A GGUF model as users have it: loaded, asked, stopped, cleared and unloaded through the workbench."""

import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tiny_gguf import TEXT, make_tiny

from engine.errors import Cancelled, WorkbenchError
from engine.model.loader import load_backend
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, PromptRequest, Writing

WAIT = 60
CLASSIFY = ClassifyRequest(TEXT, ("sports", "finance", "体育"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    return make_tiny(tmp_path_factory.mktemp("tiny"))["gguf"]


@pytest.fixture
def workbench(tiny: Path, make_workbench: Callable[..., Workbench]) -> Workbench:
    return make_workbench(load_backend, model=str(tiny), threads=1)


def port_of(workbench: Workbench) -> int:
    backend: Any = workbench._executor._slot.backend
    return int(httpx.URL(backend._server.address).port or 0)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_all_tasks_from_load_to_unload(workbench: Workbench) -> None:
    info = workbench.load().result(WAIT)
    assert (info.name, info.precision) == ("tiny", "f32")
    first = workbench.classify(CLASSIFY).result(WAIT)
    assert workbench.classify(CLASSIFY).result(WAIT).usage.cached
    rows = list(workbench.many([CLASSIFY, ExtractRequest(TEXT, (FieldSpec("person"),)), CLASSIFY]))
    assert len(rows) == 3
    workbench.clear_cache().result(WAIT)
    again = workbench.classify(CLASSIFY).result(WAIT)
    assert not again.usage.cached
    assert [one.score for one in again.labels] == pytest.approx([one.score for one in first.labels], abs=1e-3)
    prompt = PromptRequest(TEXT, Writing(8))
    assert workbench.prompt(prompt).result(WAIT).text == workbench.prompt(prompt, cache=False).result(WAIT).text
    port = port_of(workbench)
    assert listens(port)
    workbench.unload().result(WAIT)
    assert not listens(port)
    assert workbench.state().status == "empty"


def test_a_stop_is_noticed_and_the_model_stays(workbench: Workbench) -> None:
    workbench.load().result(WAIT)
    ticket = workbench.prompt(PromptRequest(TEXT, Writing(1000)), cache=False)
    deadline = time.monotonic() + WAIT
    while ticket.state != "running" and time.monotonic() < deadline:
        time.sleep(0.01)
    ticket.cancel()
    with pytest.raises(Cancelled):
        ticket.result(WAIT)
    assert workbench.classify(CLASSIFY).result(WAIT).labels


def test_a_damaged_file_says_so_and_another_loads_after_it(workbench: Workbench, tiny: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(tiny.read_bytes()[:40_000])
    with pytest.raises(WorkbenchError) as caught:
        workbench.load(model=str(cut)).result(WAIT)
    assert caught.value.code == "file_damaged"
    assert workbench.state().status == "failed"
    assert workbench.load(model=str(tiny)).result(WAIT).name == "tiny"


def test_another_model_frees_the_port_first(workbench: Workbench) -> None:
    workbench.load().result(WAIT)
    port = port_of(workbench)
    workbench.load(model="fake").result(WAIT)
    assert not listens(port)
    assert not [one for one in threading.enumerate() if one.name == "gguf-request"]
