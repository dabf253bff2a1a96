"""Metrics as a scraper reads them: parsed by Prometheus' own parser, from made figures and from the route."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from doubles import WAIT, Load
from hypothesis import given
from hypothesis import strategies as st
from observe.records import GIB, gpu, record, sample
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.testclient import TestClient

from engine.api import routes
from engine.errors import WorkbenchError
from engine.messages import Phrase
from engine.observe.prometheus import CONTENT_TYPE, STATES, metrics_text
from engine.observe.totals import SECONDS, Counts, Totals
from engine.observe.types import Missing, Sample
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec

Labels = tuple[tuple[str, str], ...]


class Scraped:
    """A scrape: values by name and labels, types by family."""

    def __init__(self, text: bytes) -> None:
        self.values: dict[tuple[str, Labels], float] = {}
        self.types: dict[str, str] = {}
        self.helps: dict[str, str] = {}
        for family in text_string_to_metric_families(text.decode()):
            assert family.name not in self.types, "a family comes once"
            self.types[family.name] = family.type
            self.helps[family.name] = family.documentation
            for one in family.samples:
                key = (one.name, tuple(sorted(one.labels.items())))
                assert key not in self.values
                self.values[key] = one.value

    def __call__(self, name: str, /, **labels: str) -> float | None:
        return self.values.get((name, tuple(sorted(labels.items()))))

    def named(self, name: str) -> list[dict[str, str]]:
        return [dict(labels) for known, labels in self.values if known == name]


class Still:
    """A monitor whose figures are given."""

    def __init__(self, totals: Totals | None = None, now: Sample | Exception | None = None) -> None:
        self._totals, self._now = totals or Totals(), now or sample()

    def totals(self) -> Totals:
        return self._totals

    def now(self) -> Sample:
        if isinstance(self._now, Exception):
            raise self._now
        return self._now


def scrape(monitor: Any, state: str = "empty", model: dict[str, str] | None = None) -> Scraped:
    return Scraped(metrics_text(monitor, state, model or {}))


def counted(*records: Any) -> Totals:
    counts = Counts()
    for one in records:
        counts.add(one)
    return counts.read()


def test_requests_are_counted_by_task_and_outcome() -> None:
    got = scrape(
        Still(
            counted(
                record(),
                record(cached=True, latency_ms=0.1),
                record(error="cancelled"),
                record(error="out_of_memory"),
                record(error="internal"),
                record(task="extract", values=5, grounded=4, prompt_tokens=100, output_tokens=30),
            )
        )
    )
    assert got("workbench_requests_total", task="classify", outcome="answered") == 2
    assert got("workbench_requests_total", task="classify", outcome="cancelled") == 1
    assert got("workbench_requests_total", task="classify", outcome="failed") == 2
    assert got("workbench_requests_total", task="extract", outcome="answered") == 1
    assert got("workbench_cache_hits_total", task="classify") == 1
    assert got("workbench_tokens_total", kind="prompt") == 140
    assert got("workbench_tokens_total", kind="output") == 31
    assert (got("workbench_values_total"), got("workbench_grounded_values_total")) == (5, 4)
    assert got.types["workbench_requests"] == "counter"


def test_times_fall_into_the_first_bucket_that_reaches_them() -> None:
    got = scrape(Still(counted(*(record(latency_ms=ms, queue_ms=1e6) for ms in (5, 5.001, 240, 119_999, 120_001)))))
    below = {
        one["le"]: got("workbench_request_seconds_bucket", **one)
        for one in got.named("workbench_request_seconds_bucket")
    }
    assert [float(end) for end in below] == [*SECONDS, float("inf")]
    assert (below["0.005"], below["0.01"], below["0.1"], below["0.25"]) == (1, 2, 2, 3)
    assert (below["120.0"], below["+Inf"]) == (4, 5)
    assert got("workbench_request_seconds_count", task="classify") == 5
    assert got("workbench_request_seconds_sum", task="classify") == pytest.approx(240.251, abs=1e-3)
    assert got("workbench_queue_seconds_bucket", task="classify", le="120.0") == 0
    assert got.types["workbench_request_seconds"] == "histogram"


@given(st.lists(st.floats(0, 1e6), max_size=30))
def test_buckets_only_grow_and_the_last_holds_all(times: list[float]) -> None:
    got = scrape(Still(counted(*(record(latency_ms=ms) for ms in times))))
    buckets = [got("workbench_request_seconds_bucket", **one) for one in got.named("workbench_request_seconds_bucket")]
    assert buckets == sorted(buckets, key=lambda one: one or 0)
    if times:
        assert buckets[-1] == got("workbench_request_seconds_count", task="classify") == len(times)
        for end in SECONDS:
            inside = sum(ms / 1e3 <= end for ms in times)
            assert got("workbench_request_seconds_bucket", task="classify", le=str(end)) == inside


def test_memory_of_process_and_machine() -> None:
    got = scrape(Still(now=sample(rss=3 * GIB, peak=4 * GIB, waiting=7, mapped=GIB, answers=5, texts=0, cpu=150.0)))
    assert [got("workbench_memory_bytes", kind=kind) for kind in ("rss", "peak", "mapped")] == [3 * GIB, 4 * GIB, GIB]
    assert got("workbench_memory_bytes", kind="system_total") == 16 * GIB
    assert got("workbench_queue_waiting") == 7
    assert (got("workbench_cache_bytes", kind="answers"), got("workbench_cache_bytes", kind="texts")) == (5, 0)
    assert (got("workbench_cpu_ratio", kind="process"), got("workbench_cpu_ratio", kind="system")) == (1.5, 0.3)


def test_what_is_not_known_is_left_out() -> None:
    got = scrape(Still())
    assert got("workbench_memory_bytes", kind="mapped") is None
    assert got.named("workbench_cache_bytes") == []
    assert not [name for name in got.types if name.startswith("workbench_gpu")]
    assert got("workbench_model_info") is None


def test_each_gpu_tells_what_it_can() -> None:
    why = Missing(Phrase("no_cuda_device"))
    got = scrape(Still(now=sample(gpus=(gpu(), gpu(1, used=why, utilisation=why, temperature=71.0)))))
    assert got("workbench_gpu_memory_bytes", gpu="0", name="Test GPU", kind="used") == 6 * GIB
    assert got("workbench_gpu_memory_bytes", gpu="1", name="Test GPU", kind="used") is None
    assert got("workbench_gpu_memory_bytes", gpu="1", name="Test GPU", kind="allocated") == 4 * GIB
    assert got("workbench_gpu_utilisation_ratio", gpu="0", name="Test GPU") == 0.4
    assert got("workbench_gpu_utilisation_ratio", gpu="1", name="Test GPU") is None
    assert got("workbench_gpu_temperature_celsius", gpu="1", name="Test GPU") == 71


def test_counts_are_told_where_the_system_tells_nothing() -> None:
    got = scrape(Still(counted(record()), OSError("no /proc")), "ready")
    assert got("workbench_requests_total", task="classify", outcome="answered") == 1
    assert got("workbench_memory_bytes", kind="rss") is None


@pytest.mark.parametrize("state", STATES)
def test_the_state_is_one_of_all(state: str) -> None:
    got = scrape(Still(), state)
    assert {one: got("workbench_model_state", state=one) for one in STATES} == {
        one: float(one == state) for one in STATES
    }


@given(st.text(max_size=40))
def test_any_name_of_a_model_is_a_label(name: str) -> None:
    got = scrape(Still(), "ready", {"name": name, "device": "cpu"})
    (labels,) = got.named("workbench_model_info")
    assert labels == {"name": name, "device": "cpu"}


@pytest.mark.parametrize("name", ['a"} 1\nworkbench_forged 5 #', "back\\slash\\n", "half \ud83d", "\r\u2028"])
def test_a_model_s_name_cannot_forge_a_metric(name: str) -> None:
    got = scrape(Still(), "ready", {"name": name})
    assert "workbench_forged" not in {known for known, _ in got.values}
    assert got.named("workbench_model_info")[0]["name"] == name.replace("\ud83d", "?")


def test_names_follow_the_conventions() -> None:
    got = scrape(
        Still(counted(record(cached=True), record()), sample(gpus=(gpu(),), answers=1)), "ready", {"name": "m"}
    )
    for name, kind in got.types.items():
        assert name.startswith("workbench_")
        assert got.helps[name].endswith("."), name
        if kind != "counter":
            assert name.endswith(("_seconds", "_bytes", "_ratio", "_celsius", "_info", "_state", "_waiting")), name
    for name, _ in got.values:
        family = next(one for one in got.types if name.startswith(one) and got.types[one])
        assert got.types[family] != "counter" or name.endswith("_total"), name


def test_counts_from_many_threads_lose_nothing() -> None:
    counts = Counts()
    threads = [
        threading.Thread(target=lambda: [counts.add(record(latency_ms=100.0)) for _ in range(500)]) for _ in range(8)
    ]
    for one in threads:
        one.start()
    while any(one.is_alive() for one in threads):
        seen = counts.read()
        whole = seen.requests.get(("classify", "answered"), 0)
        assert seen.seconds["classify"].count == whole if whole else True
    assert counts.read().answered == 4000
    assert counts.read().prompt_tokens == 4000 * 40


# The route.


@pytest.fixture
def client(make_workbench: Callable[..., Workbench]) -> Callable[..., tuple[Workbench, TestClient]]:
    def make(load: Load | None = None) -> tuple[Workbench, TestClient]:
        workbench = make_workbench(load)
        return workbench, TestClient(Starlette(routes=routes(lambda: workbench)))

    return make


def fetched(client: TestClient) -> Scraped:
    answer = client.get("/api/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == CONTENT_TYPE
    return Scraped(answer.content)


def test_the_route_answers_while_no_model_is_loaded(client: Any) -> None:
    _, web = client(load := Load())
    got = fetched(web)
    assert got("workbench_model_state", state="empty") == 1
    assert got.named("workbench_model_info") == []
    assert (got("workbench_memory_bytes", kind="rss") or 0) > 2**20
    assert load.calls == []


def test_the_route_counts_what_was_asked(client: Any) -> None:
    workbench, web = client()
    request = ClassifyRequest("今天的体育新闻", ("财经", "体育"))
    workbench.classify(request).result(WAIT)
    workbench.classify(request).result(WAIT)
    workbench.extract(ExtractRequest("价格：3元", (FieldSpec("价格"),))).result(WAIT)
    for _ in range(100):  # a ticket is answered a moment before it is counted
        got = fetched(web)
        if got("workbench_requests_total", task="extract", outcome="answered"):
            break
        time.sleep(0.02)
    assert got("workbench_requests_total", task="classify", outcome="answered") == 2
    assert got("workbench_cache_hits_total", task="classify") == 1
    assert got("workbench_requests_total", task="extract", outcome="answered") == 1
    assert got("workbench_request_seconds_count", task="classify") == 2
    assert got("workbench_model_state", state="ready") == 1
    assert got.named("workbench_model_info")[0]["name"] == "fake"


def test_the_route_counts_failures_and_says_the_state(client: Any) -> None:
    def fail() -> None:
        raise WorkbenchError("memory_short", name="m", needed="9 GiB", precision="fp32", limit="1 GiB")

    workbench, web = client(Load(fail))
    with pytest.raises(WorkbenchError):
        workbench.classify(ClassifyRequest("a", ("b", "c")), cache=False).result(WAIT)
    got = fetched(web)
    assert got("workbench_model_state", state="failed") == 1
    assert got("workbench_requests_total", task="classify", outcome="failed") == 1


def test_the_route_takes_no_body_and_writes_nothing(client: Any) -> None:
    _, web = client()
    assert web.post("/api/metrics").status_code == 405
