"""The HTTP routes over a Workbench on the fake backend."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from doubles import WAIT, GatedBackend, GatedLoad, Load, RecordingBackend
from starlette.applications import Starlette
from starlette.testclient import TestClient

from engine.api import BODY_LIMIT, ExtractBody, GenerateBody, routes
from engine.errors import WorkbenchError
from engine.model.fake import FakeBackend
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest, PromptRequest, Structure, Writing

CLASSIFY = "/api/v1/classify"
EXTRACT = "/api/v1/extract"
GENERATE = "/api/v1/generate"
BODY = {"text": "今天的体育新闻", "labels": ["财经", "体育"]}


class Api:
    """A client and the Workbench behind it."""

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self.client = TestClient(Starlette(routes=routes(lambda: workbench)))

    def post(
        self, body: Any = None, raw: bytes | str | None = None, path: str = CLASSIFY
    ) -> tuple[int, dict[str, Any]]:
        content = raw if raw is not None else json.dumps(body)
        answer = self.client.post(path, content=content, headers={"content-type": "application/json"})
        assert answer.headers["content-type"] == "application/json"
        return answer.status_code, answer.json()

    def refused(self, body: Any = None, raw: bytes | str | None = None, path: str = CLASSIFY) -> tuple[int, str]:
        status, answer = self.post(body, raw, path)
        assert set(answer) == {"error"}
        assert set(answer["error"]) == {"code", "message", "hint"}
        assert all(answer["error"].values())
        return status, answer["error"]["code"]


@pytest.fixture
def make_api(make_workbench: Callable[..., Workbench]) -> Callable[..., Api]:
    return lambda load=None: Api(make_workbench(load))


@pytest.fixture
def api(make_api: Callable[..., Api]) -> Iterator[Api]:
    one = make_api()
    with one.client:
        yield one


# Liveness and readiness.


def test_health_needs_no_model(make_api: Callable[..., Api]) -> None:
    api = make_api(load := Load())
    answer = api.client.get("/api/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert load.calls == []


def test_ready_before_while_and_after_the_load(make_api: Callable[..., Api]) -> None:
    load = GatedLoad()
    api = make_api(load)
    answer = api.client.get("/api/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "empty", "model": None})
    ticket = api.workbench.load()
    assert load.begun.acquire(timeout=WAIT)
    answer = api.client.get("/api/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "loading", "model": None})
    load.gate.set()
    ticket.result(WAIT)
    answer = api.client.get("/api/ready")
    assert (answer.status_code, answer.json()["status"], answer.json()["model"]["name"]) == (200, "ready", "fake")


def test_ready_says_why_a_load_failed(make_api: Callable[..., Api]) -> None:
    def fail() -> None:
        raise WorkbenchError("memory_short", name="m", needed="9 GiB", precision="fp32", limit="1 GiB")

    api = make_api(Load(fail))
    with pytest.raises(WorkbenchError):
        api.workbench.load().result(WAIT)
    answer = api.client.get("/api/ready")
    assert answer.status_code == 503
    assert answer.json()["status"] == "failed"
    assert set(answer.json()["error"]) == {"code", "message", "hint"}
    assert api.refused(BODY) == (503, "memory_short")


# Answers.


def test_classify(api: Api) -> None:
    status, answer = api.post(BODY)
    assert status == 200
    assert set(answer) == {"labels", "chosen", "usage", "model", "notes"}
    assert [one["label"] for one in answer["labels"]] == ["体育", "财经"]
    assert sum(one["score"] for one in answer["labels"]) == pytest.approx(1, abs=1e-5)
    assert answer["chosen"] == ["体育"]
    assert answer["model"]["name"] == "fake"


def test_labels_as_a_string_are_split_as_in_the_pages(api: Api) -> None:
    _, answer = api.post(BODY | {"labels": '财经，体育\n"a, b";c'})
    assert {one["label"] for one in answer["labels"]} == {"财经", "体育", "a, b", "c"}
    _, answer = api.post(BODY | {"labels": ["财经，体育", "c"]})
    assert {one["label"] for one in answer["labels"]} == {"财经，体育", "c"}


def test_every_option(api: Api) -> None:
    status, answer = api.post(BODY | {"multi": True, "threshold": 0, "free": True, "labels": ["体育", "体育", "b"]})
    assert status == 200
    assert answer["chosen"] == ["体育", "b"]
    assert answer["free"]["chosen"] == ["体育"]
    assert [note["code"] for note in answer["notes"]] == ["labels_merged"]
    _, answer = api.post(BODY | {"threshold": 1.0})
    assert answer["chosen"] == []
    _, answer = api.post(BODY | {"threshold": None})
    assert answer["chosen"] == ["体育"]


@pytest.mark.parametrize("text", ["💹👨🏻\u200d🚒a", "<script>alert(1)</script>", "x\x00y\u2028z", "\u202bשלום"])
def test_odd_texts_and_labels_come_back_as_they_were(api: Api, text: str) -> None:
    status, answer = api.post({"text": text, "labels": [text.replace("\x00", "").replace("\u2028", ""), "b"]})
    assert status == 200
    assert text.replace("\x00", "").replace("\u2028", "") in {one["label"] for one in answer["labels"]}


def test_the_first_request_loads_the_model_and_waits_for_it(make_api: Callable[..., Api]) -> None:
    api = make_api(load := Load())
    assert api.post(BODY)[0] == 200
    assert len(load.calls) == 1


# Refusals.


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"text": ""}, "text_empty"),
        ({"text": " \u200b\n"}, "text_empty"),
        ({"labels": []}, "labels_empty"),
        ({"labels": " ,， "}, "labels_empty"),
        ({"labels": ["", " "]}, "labels_empty"),
        ({"labels": ["长" * 2000, "b"]}, "label_too_long"),
        ({"labels": [f"{number:020}" for number in range(60)]}, "labels_too_long"),
    ],
)
def test_input_that_cannot_be_answered_is_422_with_the_engines_code(
    api: Api, change: dict[str, Any], code: str
) -> None:
    assert api.refused(BODY | change) == (422, code)


@pytest.mark.parametrize(
    "body",
    [
        BODY | {"nonsense": 1},
        {"text": "x"},
        {"labels": ["a"]},
        {},
        [],
        None,
        "text",
        BODY | {"text": 5},
        BODY | {"text": None},
        BODY | {"labels": {"a": 1}},
        BODY | {"labels": ["a", None]},
        BODY | {"threshold": 2},
        BODY | {"threshold": -0.1},
        BODY | {"threshold": float("nan")},
        BODY | {"multi": "perhaps"},
    ],
)
def test_a_body_of_another_form_is_422(api: Api, body: Any) -> None:
    assert api.refused(raw=json.dumps(body)) == (422, "bad_request")


@pytest.mark.parametrize("change", [{"text": "a\ud83d"}, {"labels": ["a\ud83d", "b"]}, {"labels": "a\ud83d, b"}])
def test_half_a_character_is_answered_or_refused(api: Api, change: dict[str, Any]) -> None:
    """JSON can spell what no UTF-8 can: a browser sends it where a text was cut inside an emoji."""
    status, _ = api.post(BODY | change)
    assert status in {200, 422}


def test_a_refusal_names_the_field(api: Api) -> None:
    _, answer = api.post(BODY | {"nonsense": 1})
    assert answer["error"]["message"].startswith("nonsense: ")
    _, answer = api.post([])
    assert not answer["error"]["message"].startswith(":")


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b"text=x", b"{'text': 'x'}", b"[" * 100_000, b'{"a":' * 100_000]
)
def test_a_body_that_is_no_json_is_400(api: Api, raw: bytes) -> None:
    assert api.refused(raw=raw) == (400, "bad_request")


def test_a_body_over_the_limit_is_413_and_one_below_is_read(api: Api) -> None:
    def sized(size: int) -> str:
        empty = json.dumps({"text": "", "labels": ["a", "b"]})
        return json.dumps({"text": "x" * (size - len(empty)), "labels": ["a", "b"]})

    assert api.refused(raw=sized(BODY_LIMIT + 1)) == (413, "body_too_large")
    status, answer = api.post(raw=sized(BODY_LIMIT))
    assert status == 200
    assert [note["code"] for note in answer["notes"]] == ["text_cut"]


def test_a_body_without_an_end_is_cut_off(api: Api) -> None:
    sent: list[int] = []

    def endless() -> Iterator[bytes]:
        while len(sent) < 1000:
            sent.append(1)
            yield b"x" * 65_536

    answer = api.client.post(CLASSIFY, content=endless())
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", CLASSIFY, 405), ("POST", "/api/health", 405), ("GET", "/api/nothing", 404)],
)
def test_other_methods_and_paths(api: Api, method: str, path: str, status: int) -> None:
    assert api.client.request(method, path).status_code == status


def test_a_fault_of_ours_is_503_without_its_details(make_api: Callable[..., Api]) -> None:
    class Faulty(GatedBackend):
        def score(self, *_: Any, **__: Any) -> Any:
            raise IndexError("secret")

    api = make_api(lambda *_: Faulty())
    status, answer = api.post(BODY)
    assert (status, answer["error"]["code"]) == (503, "internal")
    assert "secret" not in json.dumps(answer)


def test_a_request_that_waits_does_not_block_the_others(make_api: Callable[..., Api]) -> None:
    """Waiting happens beside the event loop: health answers meanwhile."""
    import threading

    backend = GatedBackend()
    api = make_api(lambda *_: backend)
    answers: list[tuple[int, Any]] = []
    with api.client:
        thread = threading.Thread(target=lambda: answers.append(api.post(BODY)), daemon=True)
        thread.start()
        assert backend.begun.acquire(timeout=WAIT)
        assert api.client.get("/api/health").status_code == 200
        backend.gate.set()
        thread.join(WAIT)
    assert answers[0][0] == 200


# Extraction.


def test_extract_keeps_the_contract(api: Api) -> None:
    text = "💹联系人：张三，价格：3.5万元"
    fields = ["联系人", {"name": "总价", "asked": ["价格"], "type": "money", "many": False}]
    status, answer = api.post({"text": text, "fields": fields}, path=EXTRACT)
    assert status == 200
    assert list(answer) == ["fields", "not_found", "usage", "model", "notes", "prompts"]
    (name,), (price,) = answer["fields"]["联系人"], answer["fields"]["总价"]
    assert {key: name[key] for key in ("text", "start", "end", "status")} == {
        "text": "张三",
        "start": 5,
        "end": 7,
        "status": "exact",
    }
    assert 0 < name["score"] <= 1
    assert text[price["start"] : price["end"]] == price["text"] == "3.5万元"
    assert price["normalised"] == {"amount": 35000, "currency": "CNY"}
    assert price["asked"] == "价格"


@pytest.mark.parametrize("fields", ["甲方，乙方", ["甲方", "乙方"]])
def test_extract_takes_names_in_any_form(api: Api, fields: Any) -> None:
    status, answer = api.post({"text": "甲方：A公司，乙方：B公司", "fields": fields, "mentions": "all"}, path=EXTRACT)
    assert status == 200
    assert {name: [one["text"] for one in values] for name, values in answer["fields"].items()} == {
        "甲方": ["A公司"],
        "乙方": ["B公司"],
    }


@pytest.mark.parametrize("nested", [False, True])
def test_fields_may_overlap_where_told(api: Api, nested: bool) -> None:
    body = {"text": "甲方：A公司", "fields": ["甲方"]} | ({"nested": True} if nested else {})
    assert ExtractBody.model_validate(body).request().nested is nested
    assert api.post(body, path=EXTRACT)[0] == 200


def test_free_extraction_says_what_is_grounded(api: Api) -> None:
    _, answer = api.post({"text": "name: Ann", "fields": ["name", "city"], "free": True}, path=EXTRACT)
    assert set(answer["free"]) >= {"fields", "grounded", "differences", "prompts", "notes"}
    assert all(one["score"] is None for values in answer["free"]["fields"].values() for one in values)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"text": "\u3000"}, "text_empty"),
        ({"fields": []}, "fields_empty"),
        ({"fields": [{"title": "x"}]}, "fields_unreadable"),
        ({"fields": [{"name": "x", "many": "yes"}]}, "fields_unreadable"),
        ({"fields": [{"name": "x", "type": "list"}]}, "field_without_options"),
        ({"fields": [{"name": "x", "type": "regex", "pattern": "("}]}, "field_pattern"),
        ({"mentions": "some"}, "bad_request"),
        ({"per_prompt": 0}, "bad_setting"),
        ({"labels": ["x"]}, "bad_request"),
    ],
)
def test_extractions_that_cannot_be_answered(api: Api, change: dict[str, Any], code: str) -> None:
    assert api.refused({"text": "x", "fields": ["y"]} | change, path=EXTRACT) == (422, code)


@pytest.mark.parametrize("field", ['{"name": "a", "\\ud800": 1}', '{"name": "a", "type": "\\ud800"}'])
def test_a_refusal_may_hold_half_a_character(api: Api, field: str) -> None:
    assert api.refused(raw=f'{{"text": "x", "fields": [{field}]}}', path=EXTRACT) == (422, "fields_unreadable")


def test_half_a_character_comes_back_as_it_was_sent(api: Api) -> None:
    raw = '{"text": "name: a\\ud800b c", "fields": ["name"]}'
    status, answer = api.post(raw=raw, path=EXTRACT)
    assert status == 200
    assert answer["fields"]["name"][0]["text"] == "a\ud800b"


# Free prompts.


def test_generate_keeps_the_contract(api: Api) -> None:
    status, answer = api.post({"text": "Say 💹", "max_new_tokens": 100}, path=GENERATE)
    assert status == 200
    assert list(answer) == ["text", "usage", "model", "notes", "finish", "prompt"]
    assert (answer["finish"], answer["prompt"]) == ("end", "Say 💹")
    assert (answer["text"], answer["usage"]["output_tokens"], answer["model"]["name"]) == ("Say 💹", 5, "fake")


def test_generate_says_which_model_wrote(make_api: Callable[..., Api]) -> None:
    api = make_api(Load(lambda: RecordingBackend(generates=False, writer="fake"), RecordingBackend))
    _, answer = api.post({"text": "Say it"}, path=GENERATE)
    assert [note["code"] for note in answer["notes"]] == ["written_by"]
    api = make_api(Load(lambda: RecordingBackend(generates=False)))
    assert api.refused({"text": "Say it"}, path=GENERATE) == (503, "prompt_unsupported")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"text": " "}, "text_empty"),
        ({"text": None}, "bad_request"),
        ({"labels": ["a"]}, "bad_request"),
        ({"max_new_tokens": 0}, "bad_setting"),
        ({"max_new_tokens": 513}, "bad_setting"),
        ({"max_new_tokens": 1.5}, "bad_request"),
        ({"temperature": -1}, "bad_setting"),
        ({"stop": [""]}, "bad_setting"),
        ({"schema": "{"}, "bad_structure"),
        ({"schema": 3}, "bad_request"),
        ({"json_schema": "{}"}, "bad_request"),
        ({"regex": "a", "choices": "a"}, "bad_structure"),
        ({"grounded": True}, "bad_structure"),
        ({"role": "r" * 1000, "text": "word " * 100}, "role_too_long"),
    ],
)
def test_prompts_that_cannot_be_answered(api: Api, change: dict[str, Any], code: str) -> None:
    assert api.refused({"text": "x"} | change, path=GENERATE) == (422, code)


def events(answer: Any) -> list[tuple[str, dict[str, Any]]]:
    """Server-sent events by name, in order."""
    parts = [part.split("\n") for part in answer.text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in parts]


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({}, PromptRequest("x")),
        (
            {"role": "r", "max_new_tokens": 9, "temperature": 0.5, "top_p": 0.9, "repetition_penalty": 1.2, "seed": 3},
            PromptRequest("x", Writing(9, 1, 0.5, 0.9, 1.2, 3), "r"),
        ),
        ({"beams": 2, "stop": ["a", "b"]}, PromptRequest("x", Writing(beams=2, stop=("a", "b")))),
        ({"stop": "\n", "alternatives": 2}, PromptRequest("x", Writing(stop=("\n",)), alternatives=2)),
        ({"schema": {"type": "null"}}, PromptRequest("x", structure=Structure('{"type": "null"}'))),
        ({"schema": "{}", "grounded": True}, PromptRequest("x", structure=Structure("{}", grounded=True), source="x")),
        (
            {"schema": "{}", "grounded": True, "source": "s"},
            PromptRequest("x", structure=Structure("{}", grounded=True), source="s"),
        ),
        ({"regex": "a+"}, PromptRequest("x", structure=Structure(regex="a+"))),
        ({"choices": "a，b"}, PromptRequest("x", structure=Structure(choices=("a", "b")))),
        ({"choices": ["a,b", "c"]}, PromptRequest("x", structure=Structure(choices=("a,b", "c")))),
    ],
)
def test_every_field_of_a_prompt_arrives(change: dict[str, Any], asked: PromptRequest) -> None:
    assert GenerateBody.model_validate({"text": "x"} | change).request() == asked


def test_a_structured_answer(api: Api) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]}
    _, answer = api.post({"text": "x", "schema": schema, "alternatives": 1}, path=GENERATE)
    assert (answer["text"], answer["finish"]) == ('{"a":null}', "end")
    _, answer = api.post({"text": "ab", "alternatives": 2}, path=GENERATE)
    assert [set(token) for token in answer["tokens"]] == [{"text", "probability", "alternatives"}] * 2
    assert len(answer["tokens"][0]["alternatives"]) == 2


def test_an_answer_is_streamed_as_it_grows(make_api: Callable[..., Api]) -> None:
    api = make_api(lambda *_: FakeBackend(delay=0.4))
    body = {"text": "Say 💹 please", "max_new_tokens": 100}
    answer = api.client.post(GENERATE, json=body | {"stream": True})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    *texts, (last, done) = events(answer)
    assert {name for name, _ in texts} == {"text"}
    assert len(texts) > 2
    assert "".join(part["text"] for _, part in texts) == done["text"] == body["text"]
    assert last == "done"
    _, whole = api.post(body, path=GENERATE)
    assert whole.pop("usage")["cached"]
    assert {name: done[name] for name in whole} == whole


def test_a_kept_answer_is_streamed_at_once(api: Api) -> None:
    for _ in range(2):
        found = events(api.client.post(GENERATE, json={"text": "Say it", "stream": True}))
    assert found[0] == ("text", {"text": "Say it"})
    assert found[1][1]["usage"]["cached"]


def test_what_goes_wrong_is_an_event_once_the_stream_has_begun(make_api: Callable[..., Api], api: Api) -> None:
    broken = make_api(Load(lambda: RecordingBackend(generates=False)))
    (found,) = events(broken.client.post(GENERATE, json={"text": "Say it", "stream": True}))
    assert (found[0], found[1]["error"]["code"]) == ("error", "prompt_unsupported")
    assert api.refused({"text": " ", "stream": True}, path=GENERATE) == (422, "text_empty")


@pytest.mark.parametrize("version", ["2.0", "2.4"])
def test_a_client_that_goes_away_ends_the_writing(make_workbench: Callable[..., Workbench], version: str) -> None:
    workbench = make_workbench(lambda *_: FakeBackend(delay=WAIT))
    app = Starlette(routes=routes(lambda: workbench))
    raw = json.dumps({"text": "x" * 500, "stream": True, "max_new_tokens": 512}).encode()
    messages = [{"type": "http.request", "body": raw, "more_body": False}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        while not any(b"event: text" in one.get("body", b"") for one in sent):
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": GENERATE, "headers": [], "query_string": b"",
        "asgi": {"spec_version": version},
    }  # fmt: skip
    asyncio.run(asyncio.wait_for(app(scope, receive, send), WAIT))
    assert not any(b"event: done" in one.get("body", b"") for one in sent)
    begun = time.monotonic()
    workbench.classify(ClassifyRequest("x", ("a",)), cache=False).cancel()
    workbench.unload().result(WAIT)
    assert time.monotonic() - begun < WAIT / 2, "the worker is free again"


def test_a_client_that_leaves_a_call_cancels_it(make_workbench: Callable[..., Workbench]) -> None:
    backend = GatedBackend()
    workbench = make_workbench(lambda *_: backend)
    app = Starlette(routes=routes(lambda: workbench))
    messages = [{"type": "http.request", "body": json.dumps(BODY).encode(), "more_body": False}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        while not backend.begun.acquire(blocking=False):
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": CLASSIFY, "headers": [], "query_string": b"",
        "asgi": {"spec_version": "2.0"},
    }  # fmt: skip
    asyncio.run(asyncio.wait_for(app(scope, receive, send), WAIT))
    assert b"cancelled" in sent[-1]["body"]
    assert workbench.monitor.requests(WAIT)[-1].error == "cancelled"


def test_an_answer_bears_the_id_that_the_log_has(api: Api) -> None:
    answers = [api.client.post(CLASSIFY, json=BODY | {"cache": False}) for _ in range(2)]
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert ids == [record.id for record in api.workbench.monitor.requests(WAIT)]
    refused = api.client.post(CLASSIFY, json=BODY | {"text": " "})
    assert "x-request-id" not in refused.headers


# Answers that are kept.


@pytest.mark.parametrize(
    ("path", "body"),
    [(CLASSIFY, BODY), (EXTRACT, {"text": "name: Ann", "fields": ["name"]}), (GENERATE, {"text": "Say it"})],
)
def test_an_answer_that_is_kept_says_so_and_can_be_passed_by(api: Api, path: str, body: dict[str, Any]) -> None:
    answers = [api.post(body | change, path=path)[1] for change in ({}, {"cache": True}, {"cache": False})]
    usages = [answer.pop("usage") for answer in answers]
    assert answers[0] == answers[1] == answers[2]
    assert [usage["cached"] for usage in usages] == [False, True, False]
    assert [usage["computed_ms"] for usage in usages] == [None, usages[0]["latency_ms"], None]
    assert api.refused(body | {"cache": "never"}, path=path) == (422, "bad_request")


def test_the_cache_is_shown_and_cleared(api: Api) -> None:
    api.post(BODY)
    kept = api.client.get("/api/v1/cache")
    assert (kept.status_code, kept.json()["answers"]) == (200, 1)
    assert kept.json()["bytes"] > 500
    cleared = api.client.delete("/api/v1/cache")
    assert (cleared.status_code, cleared.json()) == (200, {"answers": 0, "bytes": 0})
    assert api.post(BODY)[1]["usage"]["cached"] is False
    assert api.client.post("/api/v1/cache").status_code == 405


def test_a_cache_that_cannot_be_cleared_is_an_error(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise WorkbenchError("file_not_written", path="x", reason="locked")

    monkeypatch.setattr(api.workbench, "clear_cache", fail)
    answer = api.client.delete("/api/v1/cache")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "file_not_written")
