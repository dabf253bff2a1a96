"""Jobs that run: in order, paused, cancelled, resumed, retried, and what ends them."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles import WAIT, Load
from job_makers import CLASSIFY, CSV, EXTRACT, add, numbered, numbers, row, write_csv

from engine.errors import WorkbenchError
from engine.jobs import keeping, running
from engine.jobs import runner as runner_module
from engine.jobs.alone import alone, recover
from engine.jobs.meter import Meter
from engine.jobs.runner import Runner, run_here
from engine.jobs.store import JobStore
from engine.jobs.tables import digest
from engine.jobs.tables.csv_file import CsvTable
from engine.jobs.types import Job, JobSpec, Progress, SourceRow
from engine.model.backend import WeighedLabels
from engine.model.fake import FakeBackend
from engine.store import database
from engine.types import ClassifyRequest

NEVER = threading.Event()


@pytest.fixture
def store(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path / "data")


@pytest.fixture
def make_runner(make_workbench: Callable[..., Any], store: JobStore) -> Iterator[Callable[..., Runner]]:
    """Runners over the fake backend, closed at the end. delay: seconds that it takes for a row."""
    made: list[Runner] = []

    def make(delay: float = 0.0, workbench: Any = None) -> Runner:
        made.append(Runner(workbench or make_workbench(lambda *_: FakeBackend(delay)), store))
        return made[-1]

    yield make
    for one in made:
        one.close()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


def state(store: JobStore, job: Job) -> str:
    found = store.get(job.id)
    return "gone" if found is None else found.state


def ended(store: JobStore, job: Job) -> Job:
    until(lambda: state(store, job) not in ("queued", "running"))
    found = store.get(job.id)
    assert found is not None
    return found


class Counting(FakeBackend):
    """Notes the texts that it is asked about. `fails`: those that are refused, with which code."""

    def __init__(self, delay: float = 0.0) -> None:
        super().__init__(delay)
        self.asked: list[str] = []
        self.fails: dict[str, str] = {}

    def encode_prompt(self, prompt: Any, *args: Any, **options: Any) -> Any:
        if prompt.text.strip():  # else it is the labels' prior
            self.asked.append(prompt.text)
        if code := self.fails.get(prompt.text):
            raise WorkbenchError(code) if code == "out_of_memory" else WorkbenchError(code, reason="x")
        return super().encode_prompt(prompt, *args, **options)


class Reader:
    """A model that takes many texts at once, and finds the first label in all."""

    threshold = 0.5

    def __init__(self) -> None:
        self.info = replace(FakeBackend().info, capabilities=("understand",), protocol="encoder")

    def weigh_labels(self, texts: Any, labels: Any, stop: Any = None) -> Any:
        return tuple(WeighedLabels((3.0,) + (0.0,) * (len(labels) - 1), 1.0, len(text)) for text in texts)

    def forget(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing to give back."""


# From beginning to end.


def test_a_job_answers_every_row(make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 300), copy=True)
    make_runner().submit(job.id)
    done = ended(store, job)
    assert (done.state, done.done, done.failed, done.total, done.error) == ("done", 300, 0, 300, None)
    assert done.model["name"] == "fake"
    assert done.seconds > 0
    assert numbers(store.each(job.id)) == list(range(300))
    kept = store.row(job.id, 17)
    assert kept is not None
    assert (kept.key, kept.text, kept.answer["label"]) == ("017", "delivery number 17 was late", "delivery")


def test_rows_that_cannot_be_answered_stop_nothing(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path
) -> None:
    backend = Counting()
    backend.fails = {"bad": "out_of_memory", "broken": "model_silent"}
    texts = ["fine", "", "bad", "   ", "broken", "\u200b", "fine again"]
    job = add(store, write_csv(tmp_path / "in.csv", [(str(place), text) for place, text in enumerate(texts)]))
    done = run_here(make_workbench(lambda *_: backend), store, job, NEVER)
    codes = [one.error.code if one.error else "" for one in store.each(job.id)]
    assert codes == ["", "text_empty", "out_of_memory", "text_empty", "model_silent", "text_empty", ""]
    assert (done.state, done.done, done.failed) == ("done", 7, 5)


def test_a_file_of_nothing_but_bad_rows_is_done(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path
) -> None:
    job = add(store, write_csv(tmp_path / "in.csv", [("x", "")] * 700))
    done = run_here(make_workbench(), store, job, NEVER)
    assert (done.state, done.done, done.failed, done.total) == ("done", 700, 700, 700)


def test_an_extraction(make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path) -> None:
    job = add(store, write_csv(tmp_path / "in.csv", [("1", "name: Ann"), ("2", "价格：5")]), EXTRACT)
    run_here(make_workbench(), store, job, NEVER)
    first, second = store.each(job.id)
    assert [value["text"] for value in first.answer["fields"]["name"]] == ["Ann"]
    assert set(second.answer["fields"]) == {"name", "price"}


def test_jobs_run_one_after_another_in_order(
    make_workbench: Callable[..., Any], make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    backend = Counting()
    jobs = [add(store, write_csv(tmp_path / f"{name}.csv", [("1", f"{name}1"), ("2", f"{name}2")])) for name in "abc"]
    runner = make_runner(workbench=make_workbench(lambda *_: backend))
    runner.start()
    for job in reversed(jobs):
        runner.submit(job.id)
    for job in jobs:
        assert ended(store, job).state == "done"
    assert backend.asked == ["a1", "a2", "b1", "b2", "c1", "c2"]  # as they were added


def test_progress_from_the_queue_to_the_end(
    make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    first, second = (add(store, numbered(tmp_path / f"{name}.csv", 2000)) for name in "ab")
    runner = make_runner(0.01)
    runner.submit(first.id)
    until(lambda: runner.progress(first.id).done > 0)
    seen = runner.progress(first.id)
    assert (seen.state, seen.total, seen.ahead) == ("running", 2000, 0)
    assert (runner.progress(second.id).state, runner.progress(second.id).ahead) == ("queued", 0)
    until(lambda: runner.progress(first.id).rate is not None)
    seen = runner.progress(first.id)
    assert seen.rate is not None
    assert seen.eta is not None
    assert seen.eta == pytest.approx((2000 - seen.done) / seen.rate)
    with pytest.raises(WorkbenchError, match="no such job"):
        runner.progress("none")


def test_interactive_requests_overtake(
    make_workbench: Callable[..., Any], make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    workbench = make_workbench(lambda *_: FakeBackend(0.02))
    job = add(store, numbered(tmp_path / "in.csv", 500))
    make_runner(workbench=workbench).submit(job.id)
    until(lambda: state(store, job) == "running" and workbench.state().status == "ready")
    workbench.classify(ClassifyRequest("now", ("a", "b"))).result(WAIT)
    assert state(store, job) == "running"


def test_a_long_text_keeps_no_answer_from_being_kept(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short texts are asked first: the long one at the beginning of the file comes last."""
    monkeypatch.setattr(keeping, "GROUP", 10)
    texts = ["delivery " * 40, *(f"price {number}" for number in range(99))]
    job = add(store, write_csv(tmp_path / "in.csv", [("x", text) for text in texts]))
    first: list[int] = []

    def look(progress: Progress) -> None:
        if progress.done >= 10 and not first:
            first.extend(numbers(store.each(job.id)))

    assert run_here(make_workbench(), store, job, NEVER, look).done == 100
    assert 0 not in first
    assert len(first) < 100
    assert numbers(store.each(job.id)) == list(range(100))


# Stops.


def test_a_paused_job_keeps_what_is_done_and_goes_on(
    make_workbench: Callable[..., Any], make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    backend = Counting(0.005)
    job = add(store, numbered(tmp_path / "in.csv", 200))
    runner = make_runner(workbench=make_workbench(lambda *_: backend))
    runner.submit(job.id)
    until(lambda: len(backend.asked) > 20)
    runner.pause(job.id)
    paused = ended(store, job)
    assert (paused.state, paused.error) == ("paused", None)
    assert 20 <= paused.done < 200
    asked = len(backend.asked)
    assert asked - paused.done <= 2  # at most the step in hand and the next one are asked again
    time.sleep(0.05)
    assert len(backend.asked) == asked
    runner.resume(job.id)
    assert ended(store, job).state == "done"
    assert numbers(store.each(job.id)) == list(range(200))
    assert len(backend.asked) <= 202


def test_a_cancelled_job_may_be_resumed(make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path) -> None:
    job, waiting = add(store, numbered(tmp_path / "in.csv", 100)), add(store, numbered(tmp_path / "w.csv", 2))
    runner = make_runner(0.01)
    runner.cancel(waiting.id)
    assert state(store, waiting) == "cancelled"
    runner.submit(job.id)
    until(lambda: state(store, job) == "running")
    runner.cancel(job.id)
    until(lambda: state(store, job) == "cancelled")
    runner.resume(job.id)
    runner.resume(waiting.id)
    assert ended(store, waiting).state == "done"
    assert ended(store, job).done == 100


def test_a_queued_job_can_be_paused(make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 5))
    runner = make_runner()
    runner.pause(job.id)
    runner.start()
    time.sleep(0.05)
    assert state(store, job) == "paused"
    runner.resume(job.id)
    assert ended(store, job).state == "done"


def test_closing_pauses_with_a_reason(make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 500))
    runner = make_runner(0.01)
    runner.submit(job.id)
    until(lambda: runner.progress(job.id).done > 0)
    runner.close()
    found = store.get(job.id)
    assert found is not None
    assert found.state == "paused"
    assert found.error is not None
    assert found.error.code == "job_interrupted"
    runner.resume(job.id)  # begins anew
    until(lambda: runner.progress(job.id).done > found.done)


def test_a_job_deleted_while_it_runs_is_gone(
    make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    job, after = add(store, numbered(tmp_path / "in.csv", 500), copy=True), add(store, numbered(tmp_path / "a.csv", 3))
    runner = make_runner(0.005)
    runner.submit(job.id)
    until(lambda: runner.progress(job.id).done > 0)
    runner.delete(job.id)
    assert store.get(job.id) is None
    assert not store.folder(job.id).exists()
    assert ended(store, after).state == "done"


def test_a_job_deleted_behind_the_runner_ends_it_quietly(
    make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    job, after = add(store, numbered(tmp_path / "in.csv", 5000)), add(store, numbered(tmp_path / "a.csv", 3))
    runner = make_runner(0.002)
    runner.submit(job.id)
    until(lambda: runner.progress(job.id).done > 0)
    store.delete(job.id)
    assert ended(store, after).state == "done"
    assert runner.trouble(job.id) is None


def test_jobs_that_come_one_by_one_do_not_wait_for_each_other(
    make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "_IDLE", WAIT)
    source, runner = numbered(tmp_path / "in.csv", 1), make_runner()
    runner.start()
    started = time.monotonic()
    for _ in range(20):
        job = add(store, source)
        runner.submit(job.id)
        assert ended(store, job).state == "done"
    assert time.monotonic() - started < WAIT


# Processes.


def test_what_an_ended_process_left_running_is_paused(store: JobStore, tmp_path: Path) -> None:
    left, held = (add(store, numbered(tmp_path / f"{name}.csv", 3)) for name in "ab")
    for job in (left, held):
        store.set_state(job.id, "running")
    with alone(store, held.id):
        thread = threading.Thread(target=recover, args=(JobStore(tmp_path / "data"),))
        thread.start()
        thread.join()
        found = store.get(left.id)
        assert found is not None
        assert found.state == "paused"
        assert found.error is not None
        assert "ended before" in found.error.message
        assert state(store, held) == "running"


def test_two_never_run_one_job(make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path) -> None:
    backend = Counting(0.002)
    workbench = make_workbench(lambda *_: backend)
    job = add(store, numbered(tmp_path / "in.csv", 100))
    refused: list[str] = []

    def run() -> None:
        try:
            run_here(workbench, JobStore(tmp_path / "data"), job, NEVER)
        except WorkbenchError as error:
            refused.append(error.code)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["job_elsewhere"] * 3
    assert len(backend.asked) == 100
    assert state(store, job) == "done"


def test_two_runners_share_a_queue(
    make_workbench: Callable[..., Any], make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    backend, jobs = Counting(0.001), [add(store, numbered(tmp_path / f"{name}.csv", 10)) for name in "abcdef"]
    runners = [make_runner(workbench=make_workbench(lambda *_: backend)) for _ in range(2)]
    for runner in runners:
        runner.start()
    for job in jobs:
        assert ended(store, job).state == "done"
        assert numbers(store.each(job.id)) == list(range(10))
    assert len(backend.asked) == 60


# What ends a job.


def test_a_model_that_cannot_be_loaded_fails_the_job_and_resume_tries_again(
    make_workbench: Callable[..., Any], make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    def refuse() -> Any:
        raise WorkbenchError("unknown_model", name="x", known="y")

    workbench = make_workbench(Load(refuse, FakeBackend))
    job = add(store, numbered(tmp_path / "in.csv", 5))
    runner = make_runner(workbench=workbench)
    runner.submit(job.id)
    failed = ended(store, job)
    assert failed.state == "failed"
    assert failed.error is not None
    assert failed.error.code == "unknown_model"
    workbench.load()
    runner.resume(job.id)
    assert ended(store, job).state == "done"


def test_a_model_that_stops_answering_fails_the_job_and_not_its_rows(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path
) -> None:
    backend = Counting()
    backend.fails = {f"delivery number {number} was late": "model_silent" for number in range(50, 100)}
    workbench = make_workbench(lambda *_: backend)
    job = add(store, numbered(tmp_path / "in.csv", 100))
    failed = run_here(workbench, store, job, NEVER)
    assert failed.state == "failed"
    assert failed.error is not None
    assert failed.error.code == "model_silent"
    assert (failed.done, failed.failed) == (50, 0)
    backend.fails = {}
    assert run_here(workbench, store, failed, NEVER).state == "done"
    assert store.get(job.id).failed == 0  # type: ignore[union-attr]


def test_another_model_is_not_mixed_in_unless_it_is_wanted(
    make_workbench: Callable[..., Any], make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 60))
    store.keep(job.id, [row(number) for number in range(10)])
    store.set_model(job.id, {"name": "seqgpt-560m", "revision": "abc", "protocol": "seqgpt", "precision": "fp32"})
    runner = make_runner()
    runner.submit(job.id)
    paused = ended(store, job)
    assert (paused.state, paused.done) == ("paused", 10)
    assert paused.error is not None
    assert paused.error.code == "job_other_model"
    assert "seqgpt-560m abc (fp32)" in paused.error.message
    runner.resume(job.id, any_model=True)
    done = ended(store, job)
    assert (done.state, done.done, done.error) == ("done", 60, None)
    assert [one["name"] for one in (done.model, *done.more_models)] == ["seqgpt-560m", "fake"]


def test_a_model_changed_meanwhile_pauses_the_job(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path
) -> None:
    other = FakeBackend()
    other.info = replace(other.info, precision="int8")
    workbench = make_workbench(Load(lambda: FakeBackend(0.003), lambda: other))
    job = add(store, numbered(tmp_path / "in.csv", 300))

    def change(progress: Progress) -> None:
        if progress.done > 20:
            workbench.load(threads=1)

    paused = run_here(workbench, store, job, NEVER, change)
    assert paused.state == "paused"
    assert paused.error is not None
    assert paused.error.code == "job_other_model"
    assert 20 < paused.done < 300
    assert paused.more_models == ()


@pytest.mark.parametrize("spec", [JobSpec("classify", ("txt",)), JobSpec("classify", ("text",), gold="txt")])
def test_a_missing_column_fails_the_job_and_names_those_there_are(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path, spec: JobSpec
) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 5), spec)
    failed = run_here(make_workbench(), store, job, NEVER)
    assert failed.error is not None
    assert (failed.state, str(failed.error)) == ("failed", 'The file has no column "txt". It has these: id, text.')


def test_a_file_that_is_gone_fails_the_job(make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path) -> None:
    job = add(store, tmp_path / "none.csv")
    failed = run_here(make_workbench(), store, job, NEVER)
    assert failed.error is not None
    assert (failed.state, failed.error.code) == ("failed", "bad_file")


def test_rows_of_a_file_that_changed_are_not_answered_as_the_jobs(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path
) -> None:
    source = numbered(tmp_path / "in.csv", 5)
    job = store.add(CLASSIFY, "in", source, CSV, digest(source), copy=False)
    store.keep(job.id, [row(0)])
    numbered(source, 6)
    os.utime(source, (job.created + 9,) * 2)
    paused = run_here(make_workbench(), store, job, threading.Event())
    assert (paused.state, paused.error and paused.error.code, paused.done) == ("paused", "job_file_changed", 1)
    numbered(source, 5)
    os.utime(source, (job.created + 9,) * 2)
    done = run_here(make_workbench(), store, paused, threading.Event())
    assert (done.state, done.error, done.done) == ("done", None, 5)


def test_the_rows_before_a_damage_are_answered(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = CsvTable.rows

    def rows(self: CsvTable, start: int = 0) -> Iterator[SourceRow]:
        for one in real(self, start):
            if one.number == 300:
                raise WorkbenchError("bad_file", path="in.csv", reason="it ends here")
            yield one

    monkeypatch.setattr(CsvTable, "rows", rows)
    job = add(store, numbered(tmp_path / "in.csv", 500))
    failed = run_here(make_workbench(), store, job, NEVER)
    assert (failed.state, failed.done) == ("failed", 300)
    assert failed.error is not None
    assert failed.error.code == "bad_file"
    monkeypatch.undo()
    assert run_here(make_workbench(), store, failed, NEVER).done == 500


def test_a_fault_of_ours_leaves_the_job_paused_and_the_runner_alive(
    make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (add(store, numbered(tmp_path / f"{name}.csv", 3)) for name in "ab")
    real = running.result_of

    def break_once(*given: Any) -> Any:
        monkeypatch.setattr(running, "result_of", real)
        raise ZeroDivisionError

    monkeypatch.setattr(running, "result_of", break_once)
    make_runner().submit(first.id)
    assert ended(store, second).state == "done"
    until(lambda: state(store, first) == "failed")
    found = store.get(first.id)
    assert found is not None
    assert found.error is not None
    assert found.error.code == "internal"


def test_a_store_that_cannot_keep_rows_is_tried_again(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 10))
    real, left = store.keep, [2]

    def keep(*given: Any, **options: Any) -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise WorkbenchError("jobs_unusable", path="x", reason="y")
        real(*given, **options)

    monkeypatch.setattr(store, "keep", keep)
    monkeypatch.setattr(keeping, "AGAIN", 0.01)
    assert run_here(make_workbench(), store, job, NEVER).done == 10
    assert left[0] < 0


def test_a_full_disk_ends_the_run_and_loses_nothing(
    make_workbench: Callable[..., Any],
    make_runner: Callable[..., Runner],
    store: JobStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database, "_PAUSE", 0.0)
    monkeypatch.setattr(keeping, "PATIENCE", 0.05)
    monkeypatch.setattr(keeping, "AGAIN", 0.01)
    job = add(store, numbered(tmp_path / "in.csv", 1000))
    real = store.keep

    def keep(*given: Any, **options: Any) -> None:
        store._write.read(lambda file: file.execute("PRAGMA max_page_count = 40").fetchone(), None)
        real(*given, **options)

    monkeypatch.setattr(store, "keep", keep)
    runner = make_runner()
    runner.submit(job.id)
    until(lambda: state(store, job) not in ("queued", "running") or runner.trouble(job.id) is not None)
    error = runner.trouble(job.id) or store.get(job.id).error  # type: ignore[union-attr]
    assert error is not None
    assert "disk is full" in error.message
    found = store.get(job.id)
    assert found is not None
    assert numbers(store.each(job.id)) == list(range(found.done))
    monkeypatch.setattr(store, "keep", real)
    until(lambda: state(store, job) in ("failed", "paused"))
    runner.resume(job.id)
    done = ended(store, job)
    assert (done.state, done.done, runner.trouble(job.id)) == ("done", 1000, None)


# Again.


def test_failed_rows_are_asked_again_and_no_others(
    make_workbench: Callable[..., Any], make_runner: Callable[..., Runner], store: JobStore, tmp_path: Path
) -> None:
    backend = Counting()
    backend.fails = {f"delivery number {number} was late": "out_of_memory" for number in (3, 40)}
    job = add(store, numbered(tmp_path / "in.csv", 50))
    runner = make_runner(workbench=make_workbench(lambda *_: backend))
    runner.submit(job.id)
    assert (ended(store, job).state, ended(store, job).failed) == ("done", 2)
    store.correct(job.id, 5, {"label": "price", "labels": ["price"]})
    backend.fails, backend.asked = {}, []
    assert runner.retry_failed(job.id) == 2
    until(lambda: state(store, job) == "done" and store.get(job.id).failed == 0)  # type: ignore[union-attr]
    assert backend.asked == ["delivery number 3 was late", "delivery number 40 was late"]
    assert numbers(store.each(job.id)) == list(range(50))
    assert store.row(job.id, 5).correction is not None  # type: ignore[union-attr]
    assert runner.retry_failed(job.id) == 0
    assert state(store, job) == "done"


# Sizes.


def test_twenty_thousand_rows_take_no_more_memory_than_a_few(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path
) -> None:
    """Counted in the interpreter's blocks, of which a result takes some twenty."""
    job = add(store, numbered(tmp_path / "in.csv", 20_000), CLASSIFY)
    held: list[int] = []

    def look(progress: Progress) -> None:
        held.append(sys.getallocatedblocks())

    workbench = make_workbench(lambda *_: Reader(), batch_size=64)
    workbench.monitor.record = lambda *_: None  # of which it keeps the last 20,000
    done = run_here(workbench, store, job, NEVER, look)
    assert (done.state, done.done) == ("done", 20_000)
    assert len(held) >= 20_000 // keeping.GROUP
    assert max(held[10:]) - held[10] < 60_000


def test_a_meter_tells_the_last_minute() -> None:
    meter = Meter()
    assert meter.rate() is None
    meter.tell(0, 0.0)
    meter.tell(10, 1.0)
    assert meter.rate() is None  # too soon
    meter.tell(100, 10.0)
    assert meter.rate() == 10
    for second in range(11, 200):
        meter.tell(100 + (second - 10) * 2, float(second))
    assert meter.rate() == pytest.approx(2, rel=0.05)
    for tick in range(5000):
        meter.tell(500, 200 + tick / 100)
    assert len(meter._seen) < 300
