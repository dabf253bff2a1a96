"""Jobs that are gone, run elsewhere, or were made of files of odd names."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from job_makers import CLASSIFY, CSV, add, failed, numbered, row

from engine.errors import WorkbenchError
from engine.jobs.alone import alone
from engine.jobs.runner import Runner, run_here
from engine.jobs.store import JobStore
from engine.jobs.tables import find_form, open_table
from engine.jobs.types import Progress
from engine.model.fake import FakeBackend


@pytest.fixture
def store(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path / "data")


@pytest.fixture
def runner(make_workbench: Callable[..., Any], store: JobStore) -> Runner:
    """One that was not started: it runs nothing."""
    return Runner(make_workbench(lambda *_: FakeBackend()), store)


@pytest.mark.parametrize("act", ["pause", "cancel"])
def test_a_job_of_another_process_is_not_stopped_and_that_is_said(
    runner: Runner, store: JobStore, tmp_path: Path, act: str
) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 3))
    store.set_state(job.id, "running")
    with alone(store, job.id), pytest.raises(WorkbenchError) as refused:
        getattr(runner, act)(job.id)
    assert refused.value.code == "job_elsewhere"
    assert store.get(job.id).state == "running"  # type: ignore[union-attr]


def test_what_is_gone_is_deleted_without_a_word(runner: Runner, store: JobStore, tmp_path: Path) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 3))
    runner.delete(job.id)
    runner.delete(job.id)
    assert store.count() == 0


def test_a_job_that_loses_its_process_while_failed_rows_are_forgotten_asks_them(
    runner: Runner, store: JobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = add(store, numbered(tmp_path / "in.csv", 2))
    store.keep(job.id, [row(0), failed(1)])
    store.set_state(job.id, "done")
    forget = store.forget_failed

    def killed(job_id: str) -> int:
        forget(job_id)
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "forget_failed", killed)
    with pytest.raises(KeyboardInterrupt):
        runner.retry_failed(job.id)
    found = store.get(job.id)
    assert found is not None
    assert (found.state, found.done) == ("paused", 1)  # it can go on: "done" could not


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are text there")
@pytest.mark.parametrize("copy", [True, False])
def test_a_file_whose_name_is_no_text(store: JobStore, tmp_path: Path, copy: bool) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    numbered(path, 3)
    job = store.add(CLASSIFY, path.name, path, CSV, "digest", copy=copy)
    found = store.get(job.id)
    assert found is not None
    assert found.name == "caf\ufffd.csv"
    assert found.source.read_bytes() == path.read_bytes()
    store.rename(job.id, "\ud800")
    assert store.get(job.id).name == "\ufffd"  # type: ignore[union-attr]


def test_columns_whose_names_hold_half_of_a_character_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"a\\ud800": "1", "a\ufffd": "2", "a\\udfff": "3", "b": "\\ud800"}\n', "utf-8")
    table = open_table(path, find_form(path))
    assert table.columns == ("a\ufffd_2", "a\ufffd", "a\ufffd_3", "b")
    assert table.preview()[0].values == {"a\ufffd_2": "1", "a\ufffd": "2", "a\ufffd_3": "3", "b": "\ud800"}


def test_a_model_that_is_unloaded_midway_pauses_the_job(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path
) -> None:
    workbench = make_workbench(lambda *_: FakeBackend(0.01))
    job = add(store, numbered(tmp_path / "in.csv", 200))
    unloaded = []

    def report(_: Progress) -> None:
        if not unloaded:
            unloaded.append(workbench.unload())

    ended = run_here(workbench, store, job, threading.Event(), report)
    assert ended.error is not None
    assert (ended.state, ended.error.code) == ("paused", "model_missing")
    assert 0 < ended.done < 200
    workbench.load().result(10)
    again = run_here(workbench, store, ended, threading.Event())
    assert (again.state, again.error) == ("done", None)
