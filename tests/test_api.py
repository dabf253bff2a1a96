"""The HTTP routes over a Workbench with the fake backend."""

from collections.abc import Callable
from typing import Any

import pytest
from doubles import WAIT, Load
from starlette.applications import Starlette
from starlette.testclient import TestClient

from engine.api import BODY_LIMIT, routes
from engine.errors import WorkbenchError

URL = "/api/v1/classify"


@pytest.fixture
def client(make_workbench: Callable[..., Any]) -> TestClient:
    bench = make_workbench()
    return TestClient(Starlette(routes=routes(lambda: bench)))


def test_alive_before_a_model_is_there_and_ready_after(make_workbench: Callable[..., Any]) -> None:
    bench = make_workbench()
    client = TestClient(Starlette(routes=routes(lambda: bench)))
    assert client.get("/api/health").json() == {"status": "ok"}
    assert client.get("/api/ready").status_code == 503
    bench.load().result(WAIT)
    ready = client.get("/api/ready")
    assert ready.status_code == 200
    assert ready.json()["model"]["name"] == "fake"


def test_a_failed_load_is_told(make_workbench: Callable[..., Any]) -> None:
    def fail() -> None:
        raise WorkbenchError("memory_short", name="m", needed="9 GB", precision="fp32", limit="1 GB")

    bench = make_workbench(Load(fail))
    client = TestClient(Starlette(routes=routes(lambda: bench)))
    answer = client.post(URL, json={"text": "t1", "labels": ["a", "b"]})
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "memory_short"
    assert client.get("/api/ready").json()["error"]["code"] == "memory_short"


@pytest.mark.parametrize("labels", [["sports", "a, b"], 'sports,"a, b"'])
def test_classify(client: TestClient, labels: object) -> None:
    answer = client.post(URL, json={"text": "sports today", "labels": labels})
    assert answer.status_code == 200
    body = answer.json()
    assert [one["label"] for one in body["labels"]] == ["sports", "a, b"]
    assert body["chosen"] == ["sports"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"not json", 400, "bad_request"),
        (b"\xff\xfe", 400, "bad_request"),
        (b'{"text": "x1"}', 422, "bad_request"),
        (b'{"text": "x1", "labels": ["a"], "more": 1}', 422, "bad_request"),
        (b'{"text": "x1", "labels": ["a"], "threshold": 2}', 422, "bad_request"),
        (b'{"text": " ", "labels": ["a"]}', 422, "text_empty"),
        (b'{"text": "x1", "labels": []}', 422, "labels_empty"),
        (b'"' + b"x" * BODY_LIMIT + b'"', 413, "body_too_large"),
    ],
)
def test_bad_bodies(client: TestClient, body: bytes, status: int, code: str) -> None:
    answer = client.post(URL, content=body)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]
