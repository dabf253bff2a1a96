"""Jobs on Ray Data: the answers of one machine, in spite of workers that are killed and rows that cannot be read."""

import csv
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest

from engine.errors import WorkbenchError
from engine.jobs.ray_data import run as ray_run
from engine.jobs.ray_data.rows import block, pack_result, unpack_result, unpack_source
from engine.jobs.ray_data.run import Share, run_on_ray, share_of
from engine.jobs.ray_data.worker import RowWorker
from engine.jobs.running import run_here
from engine.jobs.store import JobStore
from engine.jobs.store.stored_form import pack_spec, unpack_error
from engine.jobs.tables import digest, find_form
from engine.jobs.types import Job, JobSpec, Progress, RowResult, SourceRow
from engine.messages import Phrase
from engine.settings import Settings, load_settings

ray = pytest.importorskip("ray")
SPEC = JobSpec("classify", ("text",), id_column="id", gold="gold", labels=("财经", "体育"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JobStore]:
    """Jobs of one folder."""
    made = JobStore(tmp_path / "data")
    yield made
    made.close()


def settings(tmp_path: Path, **flags: Any) -> Settings:
    return load_settings(model="fake", data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", **flags)


def add_job(store: JobStore, path: Path, rows: int, spec: JobSpec = SPEC) -> Job:
    """A file of so many rows, every fiftieth without a text, and the job over it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "gold", "more"])
        for number in range(rows):
            text = "" if number % 50 == 7 else f"第{number}条体育或财经新闻，甲方：A公司" + "很长" * (number % 9)
            writer.writerow([f"{number:04}", text, "体育", "x"])
    form = find_form(path)
    return store.add(spec, path.name, path, form, digest(path), copy=False, state="paused")


def answers(store: JobStore, job: Job) -> list[RowResult]:
    """What is kept, without what it cost."""
    return [comparable(row) for row in store.each(job.id)]


def comparable(row: RowResult) -> RowResult:
    error = row.error and (row.error.code, sorted(row.error.details.items()))
    return replace(row, latency_ms=0.0, error=error)  # type: ignore[arg-type]


# Without a cluster.


def test_rows_travel_as_they_are() -> None:
    row = SourceRow(3, {"text": "a\ud800=1\n", "id": 7, "gold": ["x"], "other": "left"}, Phrase("asked_for"))
    table = block(SPEC, [row])
    there = unpack_source(*[table[name][0].as_py() for name in ("number", "row")])
    assert there == replace(row, values={"text": "a\ud800=1\n", "id": 7, "gold": ["x"]})
    for result in (
        RowResult(3, "7", "a", {"label": "体育", "labels": []}, 0.5, 1, 1, 2.5, None, None, ["x"], Phrase("asked_for")),
        RowResult(4, "", "", {}, error=WorkbenchError("bad_setting", name="n", value=Phrase("asked_for"), hint="h")),
    ):
        assert comparable(unpack_result(result.number, pack_result(result))) == comparable(result)


@pytest.mark.parametrize(
    ("cluster", "share"),
    [
        ((1, 0, 1), Share(1, 0.5, 0.0, 1)),
        ((2, 0, 1), Share(1, 1.0, 0.0, 1)),
        ((4, 0, 2), Share(3, 1.0, 0.0, 1)),
        ((16, 0, 1), Share(3, 4.0, 0.0, 4)),
        ((64, 0, 4), Share(15, 4.0, 0.0, 4)),
        ((8, 2, 1), Share(2, 1.0, 1.0, 1)),
    ],
)
def test_workers_leave_cpus_to_ray(cluster: tuple[int, int, int], share: Share) -> None:
    found = share_of(*cluster, load_settings(model="fake"))
    assert found == share
    assert found.workers * found.cpus < cluster[0]


def test_gpus_are_left_alone_where_another_device_is_asked_for() -> None:
    assert share_of(8, 2, 1, load_settings(model="fake", device="cpu")).gpus == 0
    assert share_of(8, 0, 1, load_settings(model="fake", threads=7)) == Share(1, 7.0, 0.0, 7)


def test_a_worker_raises_nothing(tmp_path: Path) -> None:
    given = ray_run._sent(settings(tmp_path), 1, remote=False)
    rows = block(SPEC, [SourceRow(0, {"text": "体育"}), SourceRow(1, {"text": " "}), SourceRow(2, {})])
    worker = RowWorker(given, pack_spec(SPEC), ray_run.__version__)
    out = worker(rows.to_pydict())
    by_number = {number: unpack_result(number, body) for number, body in zip(out["number"], out["result"], strict=True)}
    assert by_number[0].answer["label"] in SPEC.labels
    assert [by_number[number].error.code for number in (1, 2)] == ["text_empty", "text_missing"]  # type: ignore[union-attr]
    worker._workbench.close()


def test_what_ends_a_job_comes_back_as_a_row(tmp_path: Path) -> None:
    rows = block(SPEC, [SourceRow(0, {"text": "体育"})]).to_pydict()
    other = RowWorker(ray_run._sent(settings(tmp_path), 1, remote=False), pack_spec(SPEC), "0.0.0")
    assert unpack_error(other(rows)["fatal"][0]).code == "ray_other_version"  # type: ignore[union-attr]
    missing = load_settings(model=str(tmp_path / "nowhere"), offline=True, data_dir=tmp_path, cache_dir=tmp_path)
    broken = RowWorker(ray_run._sent(missing, 1, remote=False), pack_spec(SPEC), ray_run.__version__)
    for _ in range(2):
        out = broken(rows)
        assert out["number"] == [-1]
        assert unpack_error(out["fatal"][0]) is not None
    for worker in (other, broken):
        worker._workbench.close()


def test_other_machines_have_their_own_folders_and_the_key_travels(tmp_path: Path) -> None:
    asked = settings(tmp_path, remote_key="secret")
    assert "cache_dir" in ray_run._sent(asked, 2, remote=False)
    sent = ray_run._sent(asked, 2, remote=True)
    assert {"cache_dir", "data_dir"}.isdisjoint(sent)
    assert (sent["remote_key"], sent["threads"]) == ("secret", 2)


def test_a_run_that_hangs_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_run, "STALLED", 0.3)
    held = Event()

    def hangs() -> Iterator[dict[str, Any]]:
        yield {"number": [1]}
        held.wait(10)

    coming = ray_run._watched(hangs(), Event())
    assert next(coming) == {"number": [1]}
    with pytest.raises(WorkbenchError) as caught:
        next(coming)
    assert caught.value.code == "ray_stalled"
    held.set()


def test_a_stop_ends_a_run_that_gives_nothing() -> None:
    held, stop = Event(), Event()

    def hangs() -> Iterator[dict[str, Any]]:
        held.wait(10)
        yield {}

    threading.Timer(0.2, stop.set).start()
    with pytest.raises(WorkbenchError) as caught:
        next(ray_run._watched(hangs(), stop))
    assert caught.value.code == "cancelled"
    held.set()


def test_a_fault_of_ray_is_one_line() -> None:
    def fails() -> Iterator[dict[str, Any]]:
        raise RuntimeError("first\n  last line.\n")
        yield {}

    with pytest.raises(WorkbenchError) as caught:
        next(ray_run._watched(fails(), Event()))
    assert (caught.value.code, caught.value.details["reason"]) == ("ray_failed", "last line")


# On a cluster of two machines, which are processes here.


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of two CPUs each."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "object_store_memory": 80 * 2**20, "include_dashboard": False},
    )
    made.add_node(num_cpus=2, object_store_memory=80 * 2**20)
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made
    ray.shutdown()
    made.shutdown()


def workers() -> list[psutil.Process]:
    """The processes of Ray Data's workers."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if line.startswith("ray::") and "RowWorker" in line:
            found.append(process)
    return found


@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_answers_of_one_process(
    cluster: Any, store: JobStore, tmp_path: Path, make_workbench: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,000 rows, one worker of which is killed midway."""
    monkeypatch.setattr(ray_run, "_CALL_ROWS", 16)
    asked = settings(tmp_path)
    here, there = (add_job(store, tmp_path / f"{name}.csv", 1000) for name in ("here", "there"))
    killed: list[int] = []
    told: list[Progress] = []

    def report(progress: Progress) -> None:
        told.append(progress)
        if progress.done >= 200 and not killed:
            victim = workers()[0]
            killed.append(victim.pid)
            os.kill(victim.pid, signal.SIGKILL)

    ended = run_on_ray(store, there, asked, stop=Event(), report=report)
    assert killed
    assert told
    assert (ended.state, ended.total, ended.done, ended.failed) == ("done", 1000, 1000, 20)
    alone = run_here(make_workbench(), store, here, Event())
    assert (alone.state, alone.done, alone.model) == (ended.state, ended.done, ended.model)
    assert answers(store, there) == answers(store, here)


@pytest.mark.filterwarnings("default")
def test_a_stopped_run_goes_on_where_it_was(cluster: Any, store: JobStore, tmp_path: Path) -> None:
    job = add_job(store, tmp_path / "rows.csv", 600)
    stop = Event()

    def report(progress: Progress) -> None:
        if progress.done >= 100:
            stop.set()

    paused = run_on_ray(store, job, settings(tmp_path), stop=stop, report=report)
    assert paused.state == "paused"
    assert 100 <= paused.done < 600
    before = {row.number: row for row in store.each(job.id)}
    ended = run_on_ray(store, paused, settings(tmp_path), stop=Event())
    assert (ended.state, ended.done) == ("done", 600)
    after = {row.number: row for row in store.each(job.id)}
    assert {number: after[number].latency_ms for number in before} == {
        number: row.latency_ms for number, row in before.items()
    }


@pytest.mark.filterwarnings("default")
def test_a_model_that_no_worker_can_load_fails_the_job(cluster: Any, store: JobStore, tmp_path: Path) -> None:
    job = add_job(store, tmp_path / "rows.csv", 40)
    asked = load_settings(model=str(tmp_path / "nowhere"), offline=True, data_dir=tmp_path, cache_dir=tmp_path)
    started = time.monotonic()
    ended = run_on_ray(store, job, asked, stop=Event())
    assert ended.state == "failed"
    assert ended.error is not None
    assert ended.error.code not in ("ray_failed", "ray_stalled", "internal")
    assert (ended.done, time.monotonic() - started < 60) == (0, True)
