"""When rows are kept: in groups, at once where they come late, and what happens to rows that a model failed."""

import threading
from pathlib import Path

import pytest
from job_makers import add, failed, numbered, numbers, row

from engine.errors import WorkbenchError
from engine.jobs import keeping
from engine.jobs.keeping import Keeper
from engine.jobs.store import JobStore
from engine.jobs.types import Job, Progress

MODEL = {"name": "fake", "revision": "1", "protocol": "seqgpt", "precision": "fp32", "device": "cpu"}


@pytest.fixture
def store(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path / "data")


@pytest.fixture
def job(store: JobStore, tmp_path: Path) -> Job:
    return add(store, numbered(tmp_path / "in.csv", 3))


def keeper(store: JobStore, job: Job, seen: list[Progress] | None = None, *, any_model: bool = False) -> Keeper:
    return Keeper(store, job, threading.Event(), [].append if seen is None else seen.append, any_model=any_model)


def test_rows_that_come_fast_are_kept_in_groups(store: JobStore, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "SECONDS", 1e9)
    seen: list[Progress] = []
    own = keeper(store, job, seen)
    for number in range(keeping.GROUP * 2 + 5):
        own.add(row(number))
    assert [one.done for one in seen] == [keeping.GROUP, keeping.GROUP * 2]
    own.keep()
    own.keep()
    assert [one.done for one in seen] == [keeping.GROUP, keeping.GROUP * 2, keeping.GROUP * 2 + 5]


def test_a_row_that_comes_late_is_kept_at_once(store: JobStore, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "SECONDS", 0.0)
    own = keeper(store, job)
    for number in range(3):
        own.add(row(number))
        assert store.rows(job.id).total == number + 1


def test_failures_of_rows_never_end_it(store: JobStore, job: Job) -> None:
    own = keeper(store, job)
    for number in range(40):
        own.take(failed(number, "out_of_memory"))
    own.keep()
    assert store.rows(job.id, "failed").total == 40


def test_too_many_failures_in_a_row_end_it_and_count_as_not_asked(store: JobStore, job: Job) -> None:
    def silent(number: int) -> None:
        one = failed(number)
        object.__setattr__(one, "error", WorkbenchError("model_silent", reason="x"))
        own.take(one)

    own = keeper(store, job)
    for number in range(15):
        silent(number)
    own.take(row(15))
    own.keep()
    assert numbers(store.rows(job.id, "failed").rows) == list(range(15))
    for number in range(16, 31):
        silent(number)
    with pytest.raises(WorkbenchError, match="stopped answering"):
        silent(31)
    own.keep()
    assert store.rows(job.id).total == 16


def test_the_device_makes_no_other_model_but_the_precision_does(store: JobStore, job: Job) -> None:
    own = keeper(store, job)
    own.see_model(MODEL)
    own.see_model(MODEL | {"device": "cuda"})
    with pytest.raises(WorkbenchError, match="fake 1 \\(int8\\) is loaded now") as caught:
        own.see_model(MODEL | {"precision": "int8"})
    assert caught.value.code == "job_other_model"
    other = keeper(store, store.get(job.id) or job, any_model=True)
    other.see_model(MODEL | {"precision": "int8"})
    kept = store.get(job.id)
    assert kept is not None
    assert [one["precision"] for one in kept.more_models] == ["fp32", "int8"]  # the same on a GPU is told as well


def test_a_job_that_is_gone_ends_it_at_once(store: JobStore, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "AGAIN", 60.0)
    own = keeper(store, job)
    own.add(row(0))
    store.delete(job.id)
    with pytest.raises(WorkbenchError, match="no such job"):
        own.keep()
    own.keep()  # on the way out nothing is tried again
