"""The store of jobs: what is kept is there, counted, found, corrected, deleted, beside other threads and processes."""

import sqlite3
import stat
import threading
from datetime import date
from pathlib import Path

import pytest
from job_makers import CLASSIFY, CSV, EXTRACT, add, failed, numbered, numbers, row

from engine.errors import WorkbenchError
from engine.jobs.store import JobStore
from engine.jobs.store.job_tables import MIGRATIONS
from engine.jobs.types import JobSpec, RowResult
from engine.messages import Phrase
from engine.store import database
from engine.store.sqlite_file import connect


@pytest.fixture
def store(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path / "data")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return numbered(tmp_path / "in.csv", 3)


def test_looking_makes_nothing(store: JobStore, tmp_path: Path) -> None:
    assert store.list() == ()
    assert store.get("none") is None
    assert store.next_queued() is None
    assert store.rows("none").total == 0
    assert not (tmp_path / "data").exists()


def test_a_job_comes_back_as_it_was_added(store: JobStore, source: Path, tmp_path: Path) -> None:
    spec = JobSpec("extract", ("text", "标题"), "id", "gold", fields=EXTRACT.fields, mentions="all", free=True)
    job = store.add(spec, "文件 ☃.csv", source, CSV, "ab", copy=False, low=0.25, engine="ray")
    again = JobStore(tmp_path / "data").get(job.id)
    assert again == job
    assert again is not None
    assert (again.spec, again.form, again.name, again.low) == (spec, CSV, "文件 ☃.csv", 0.25)


def test_a_copy_of_the_file_is_the_users_alone(store: JobStore, source: Path) -> None:
    job = add(store, source, copy=True)
    assert job.source.read_bytes() == source.read_bytes()
    assert job.source.parent == store.folder(job.id)
    assert stat.S_IMODE(job.source.stat().st_mode) == 0o600
    assert stat.S_IMODE(job.source.parent.stat().st_mode) == 0o700
    store.delete(job.id)
    assert not store.folder(job.id).exists()
    assert source.exists()


def test_a_file_that_cannot_be_copied_leaves_no_job(store: JobStore, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="cannot be written") as caught:
        add(store, tmp_path / "none.csv", copy=True)
    assert caught.value.code == "file_not_written"
    assert store.list() == ()
    assert list((tmp_path / "data" / "jobs").iterdir()) == []


def test_jobs_are_listed_newest_first_and_queue_in_order(store: JobStore, source: Path) -> None:
    first, second, third = (add(store, source) for _ in range(3))
    assert [job.id for job in store.list()] == [third.id, second.id, first.id]
    assert [job.id for job in store.list(offset=1, limit=1)] == [second.id]
    assert store.count() == 3
    assert [store.queued_before(job.id) for job in (first, second, third)] == [0, 1, 2]
    store.set_state(first.id, "paused")
    assert store.next_queued() == store.get(second.id)
    store.set_state(first.id, "queued")  # queued anew, it is the last
    assert store.queued_before(first.id) == 2
    assert [job.id for job in store.list()] == [third.id, second.id, first.id]


def test_a_state_changes_only_from_the_states_named(store: JobStore, source: Path) -> None:
    job = add(store, source)
    assert not store.set_state(job.id, "paused", only_from=("running",))
    assert store.set_state(job.id, "running", only_from=("queued",))
    running = store.get(job.id)
    assert running is not None
    assert running.started is not None
    assert store.set_state(job.id, "failed", WorkbenchError("device_missing", device="cuda", reason=Phrase("no_mps")))
    ended = store.get(job.id)
    assert ended is not None
    assert ended.ended is not None
    assert ended.error is not None
    assert isinstance(ended.error.details["reason"], Phrase)
    store.set_state(job.id, "queued")
    assert store.get(job.id).error is None  # type: ignore[union-attr]


def test_models_are_named_once_each(store: JobStore, source: Path) -> None:
    job = add(store, source)
    for name in ("a", "b", "a", "b", "c"):
        store.set_model(job.id, {"name": name})
    kept = store.get(job.id)
    assert kept is not None
    assert (kept.model, kept.more_models) == ({"name": "a"}, ({"name": "b"}, {"name": "c"}))


def test_a_mark_finds_the_newest_job(store: JobStore, source: Path) -> None:
    add(store, source, mark="m")
    job = add(store, source, mark="m")
    assert store.find("m") == job
    assert store.find("") is None


def test_rows_come_back_as_they_were_kept(store: JobStore, source: Path) -> None:
    job = add(store, source)
    kept = [
        row(0, "delivery", text="第一 \ud800 half", key="a\0b", gold=["delivery", "price"]),
        row(1, None, 0.2, problem=Phrase("row_length", cells=3, columns=2), gold=date(2026, 11, 30)),
        RowResult(
            2, "", "x" * 100_000, {}, error=WorkbenchError("bad_file", path=Path("a"), reason="{r}"), latency_ms=1.5
        ),
    ]
    store.keep(job.id, kept, seconds=2.5)
    first, second, third = store.each(job.id)
    assert first == kept[0]
    assert second.gold == "2026-11-30"
    assert second.problem == kept[1].problem
    assert second.problem is not None
    assert second.problem.details == {"cells": 3, "columns": 2}
    assert third.error is not None
    assert (third.error.code, third.error.message) == ("bad_file", "The file a cannot be read: {r}.")
    assert store.row(job.id, 1) == second
    assert store.row(job.id, 3) is None
    after = store.get(job.id)
    assert after is not None
    assert (after.done, after.failed, after.seconds) == (3, 1, 2.5)


def test_a_row_kept_again_takes_the_place_of_the_first(store: JobStore, source: Path) -> None:
    job = add(store, source)
    store.keep(job.id, [row(0, "price", 0.1), failed(1), row(2)])
    store.keep(job.id, [row(1, None, 0.2), row(0, "delivery")])
    kept = store.get(job.id)
    assert kept is not None
    assert (kept.done, kept.failed) == (3, 0)
    assert store.counts(job.id) == {"all": 3, "low": 1, "none": 1}
    assert store.labels(job.id) == {"delivery": 2}


def test_nothing_of_a_group_is_kept_where_one_row_cannot_be(store: JobStore, source: Path) -> None:
    job = add(store, source)
    with pytest.raises(WorkbenchError):
        store.keep(job.id, [row(0), row(1, values=None)])
    assert numbers(store.each(job.id)) == []
    assert store.get(job.id) == job


def test_filters_find_their_rows_and_count_them(store: JobStore, source: Path) -> None:
    spec = JobSpec("classify", ("text",), "id", "gold", labels=("delivery", "price", "a, b"), multi=True)
    job = add(store, source, spec, low=0.4)
    chosen = {"label": "delivery", "labels": [{"label": "delivery", "score": 0.7}], "chosen": ["delivery", "price"]}
    store.keep(
        job.id,
        [
            row(0, answer=chosen, score=0.7, gold="price; delivery"),
            row(1, answer=chosen, score=0.39, gold="delivery"),
            row(2, answer={"label": None, "labels": [], "chosen": []}, gold="[]"),
            row(3, answer={"label": "a, b", "labels": [], "chosen": ["a, b"]}, gold="a, b"),
            row(4, answer=chosen, gold='["broken'),
            failed(5),
            row(6, answer=chosen, gold=""),
        ],
    )
    found = {which: numbers(store.rows(job.id, which).rows) for which in ("all", "failed", "low", "differs", "none")}  # type: ignore[arg-type]
    assert found == {"all": [0, 1, 2, 3, 4, 5, 6], "failed": [5], "low": [1], "differs": [1], "none": [2]}
    assert store.counts(job.id) == {"all": 7, "differs": 1, "failed": 1, "low": 1, "none": 1}
    assert store.labels(job.id) == {"delivery": 4, "price": 4, "a, b": 1}
    assert numbers(store.rows(job.id, label="price").rows) == [0, 1, 4, 6]
    assert store.rows(job.id, label="price").total == 4
    low = store.rows(job.id, "low", label="price")
    assert (numbers(low.rows), low.total) == ([1], 1)
    assert store.rows(job.id, label="pric").total == 0


def test_filters_of_an_extraction(store: JobStore, source: Path) -> None:
    job = add(store, source, JobSpec("extract", ("text",), gold="g", fields=EXTRACT.fields))
    value = {"text": "Ann", "start": 0, "end": 3, "score": 0.3}
    store.keep(
        job.id,
        [
            RowResult(0, "", "Ann 3", {"fields": {"name": [value], "price": []}}, 0.3, 1, 1, gold={"name": "Ann"}),
            RowResult(1, "", "Ann 3", {"fields": {"name": [value], "price": [value]}}, 0.9, 1, 1, gold={"name": "Bob"}),
        ],
    )
    assert store.counts(job.id) == {"all": 2, "differs": 1, "low": 1, "not_found": 1}
    assert numbers(store.rows(job.id, "not_found").rows) == [0]
    assert numbers(store.rows(job.id, "differs").rows) == [1]
    assert store.labels(job.id) == {"name": 2, "price": 1}


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("STRASSE", [0]),
        ("straße", [0]),
        ("100%", [1]),
        ("%", [1]),
        ("K2", [2]),
        ("\ud800", [3]),
        ("x", []),
        ("二", [4]),
        ("1", [0, 1]),
        ("' OR 1", []),
    ],
)
def test_search_looks_into_text_and_key(store: JobStore, source: Path, search: str, found: list[int]) -> None:
    job = add(store, source)
    texts = ["Straße 1", "100% sure", "two", "half \ud800", "第二"]
    store.keep(job.id, [row(number, text=text) for number, text in enumerate(texts)])
    page = store.rows(job.id, search=search)
    assert (numbers(page.rows), page.total) == (found, len(found))


def test_a_search_that_takes_long_keeps_nobody_waiting(store: JobStore, source: Path) -> None:
    job = add(store, source)
    store.keep(job.id, [row(0)])
    begun, go = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> None:
        begun.set()
        go.wait(30)

    slow = threading.Thread(target=lambda: store._scan.read(hold, None))
    slow.start()
    assert begun.wait(30)
    store.keep(job.id, [row(1)])
    assert store.rows(job.id).total == 2
    go.set()
    slow.join()
    assert store.rows(job.id, search="text").total == 2


def test_pages_follow_each_other_over_gaps(store: JobStore, source: Path) -> None:
    job, other = add(store, source), add(store, source)
    kept = [number for number in range(100) if number % 7]
    store.keep(other.id, [row(number) for number in range(100)])
    store.keep(job.id, [row(number, "price" if number % 2 else "quality") for number in kept])
    seen: list[int] = []
    while page := store.rows(job.id, offset=len(seen), limit=9).rows:
        seen += numbers(page)
    assert seen == kept
    assert store.rows(job.id, offset=1000).rows == ()
    assert store.rows(job.id, limit=0).total == len(kept)
    assert numbers(store.rows(job.id, label="price", offset=3, limit=2).rows) == [9, 11]
    assert store.done_numbers(job.id, 5, 9) == {5, 6, 8}
    assert numbers(store.each(job.id)) == kept


def test_a_correction_stands_beside_the_answer(store: JobStore, source: Path) -> None:
    job = add(store, source)
    store.keep(job.id, [row(0, "price", 0.1), row(1, "price"), failed(2)])
    correction = {"label": "quality", "labels": ["quality"]}
    store.correct(job.id, 0, correction)
    store.correct(job.id, 2, correction)
    first = store.row(job.id, 0)
    assert first is not None
    assert (first.answer["label"], first.correction) == ("price", correction)
    assert store.labels(job.id) == {"quality": 2, "price": 1}
    assert store.counts(job.id) == {"all": 3, "corrected": 2, "failed": 1, "low": 1}
    assert numbers(store.rows(job.id, label="quality").rows) == [0, 2]
    store.correct(job.id, 0, {"label": None, "labels": []})
    assert store.labels(job.id) == {"price": 1, "quality": 1}
    store.correct(job.id, 0, None)
    assert store.labels(job.id) == {"price": 2, "quality": 1}
    assert store.counts(job.id)["corrected"] == 1
    with pytest.raises(WorkbenchError, match="no such job"):
        store.correct(job.id, 77, correction)


def test_failed_rows_are_forgotten_but_not_those_a_user_corrected(store: JobStore, source: Path) -> None:
    job = add(store, source)
    store.keep(job.id, [row(0), failed(1), failed(2), failed(3, "out_of_memory")])
    store.correct(job.id, 2, {"label": "price", "labels": ["price"]})
    assert store.forget_failed(job.id) == 2
    assert numbers(store.each(job.id)) == [0, 2]
    kept = store.get(job.id)
    assert kept is not None
    assert (kept.done, kept.failed) == (2, 1)
    assert store.counts(job.id) == {"all": 2, "corrected": 1, "failed": 1}
    assert store.forget_failed(job.id) == 0


def test_a_deleted_job_leaves_nothing_and_others_alone(store: JobStore, source: Path, tmp_path: Path) -> None:
    job, other = add(store, source, copy=True), add(store, source)
    for one in (job, other):
        store.keep(one.id, [row(number, text=f"secret{number}") for number in range(5000)])
    store.delete(job.id)
    store.delete(job.id)
    assert store.get(job.id) is None
    assert store.rows(job.id).total == 0
    assert store.rows(other.id).total == 5000
    for change in (
        lambda: store.keep(job.id, [row(0)]),
        lambda: store.set_state(job.id, "done"),
        lambda: store.rename(job.id, "x"),
        lambda: store.forget_failed(job.id),
    ):
        with pytest.raises(WorkbenchError) as caught:
            change()
        assert caught.value.code == "job_missing"
    file = sqlite3.connect(tmp_path / "data" / "jobs.sqlite3")
    assert file.execute("SELECT count(*) FROM rows").fetchone()[0] == 5000
    assert file.execute("SELECT count(*) FROM bodies").fetchone()[0] == 5000
    assert file.execute("SELECT count(*) FROM gone").fetchone()[0] == 0
    file.close()


def test_a_deletion_that_was_broken_off_goes_on(store: JobStore, source: Path, tmp_path: Path) -> None:
    job = add(store, source)
    store.keep(job.id, [row(number) for number in range(10)])
    file = sqlite3.connect(tmp_path / "data" / "jobs.sqlite3", isolation_level=None)
    file.execute("INSERT INTO gone SELECT seq FROM jobs")
    file.execute("DELETE FROM jobs")
    store.sweep()
    assert file.execute("SELECT count(*) FROM rows").fetchone()[0] == 0
    newer = add(store, source)  # its rows are not those of the number that was free
    assert store.rows(newer.id).total == 0
    file.close()


# The file.


def test_what_is_kept_reaches_the_disk(store: JobStore, source: Path, tmp_path: Path) -> None:
    add(store, source)
    assert stat.S_IMODE((tmp_path / "data" / "jobs.sqlite3").stat().st_mode) == 0o600
    modes = store._write.read(
        lambda file: [file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "journal_mode")], []
    )
    assert modes == [2, "wal"]  # FULL


def test_files_of_every_earlier_version_are_brought_up_to_date(tmp_path: Path, source: Path) -> None:
    wanted = columns_of(tmp_path / "new", len(MIGRATIONS))
    for version in range(1, len(MIGRATIONS) + 1):
        folder = tmp_path / str(version)
        file = connect(folder / "jobs.sqlite3", MIGRATIONS[:version], 1)
        file.close()
        store = JobStore(folder)
        job = add(store, source)
        store.keep(job.id, [row(0)])
        assert store.rows(job.id).total == 1
        assert columns_of(folder, len(MIGRATIONS)) == wanted


def columns_of(folder: Path, version: int) -> list[tuple[str, ...]]:
    file = connect(folder / "jobs.sqlite3", MIGRATIONS, 1)
    assert file.execute("PRAGMA user_version").fetchone()[0] == version
    found = file.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    file.close()
    return found


def test_a_file_of_a_later_version_is_left_as_it_is(tmp_path: Path, source: Path) -> None:
    connect(tmp_path / "jobs.sqlite3", [*MIGRATIONS, ("CREATE TABLE later (x)",)], 1).close()
    with pytest.raises(WorkbenchError, match="later version") as caught:
        add(JobStore(tmp_path), source)
    assert caught.value.code == "jobs_unusable"


def test_readers_wait_for_no_writer(store: JobStore, source: Path, tmp_path: Path) -> None:
    job = add(store, source)
    store.keep(job.id, [row(0)])
    file = sqlite3.connect(tmp_path / "data" / "jobs.sqlite3", isolation_level=None)
    file.execute("BEGIN EXCLUSIVE")
    file.execute("UPDATE jobs SET name = 'held'")
    assert store.rows(job.id).total == 1
    assert store.list()[0].name == "in.csv"
    file.execute("ROLLBACK")
    file.close()


def test_a_locked_file_is_an_error_and_then_works_again(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_PAUSE", 0.0)
    store = JobStore(tmp_path)
    store._write._wait = 0.05
    job = add(store, source)
    file = sqlite3.connect(tmp_path / "jobs.sqlite3", isolation_level=None)
    file.execute("BEGIN IMMEDIATE")
    with pytest.raises(WorkbenchError, match="another program is writing") as caught:
        store.keep(job.id, [row(0)])
    assert caught.value.code == "jobs_unusable"
    file.execute("ROLLBACK")
    file.close()
    store.keep(job.id, [row(0)])
    assert store.rows(job.id).total == 1


def test_a_full_disk_keeps_what_was_kept(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_PAUSE", 0.0)
    store = JobStore(tmp_path)
    job = add(store, source)
    store.keep(job.id, [row(0)])
    store._write.read(lambda file: file.execute("PRAGMA max_page_count = 30").fetchone(), None)
    with pytest.raises(WorkbenchError, match="disk is full"):
        store.keep(job.id, [row(number, text="x" * 1000) for number in range(1, 500)])
    assert numbers(store.each(job.id)) == [0]
    store.keep(job.id, [row(1)])  # another connection: there is room again
    assert numbers(JobStore(tmp_path).each(job.id)) == [0, 1]
    assert store.get(job.id).done == 2  # type: ignore[union-attr]


def test_many_readers_while_one_writes(tmp_path: Path, source: Path) -> None:
    """A page and its total are of one moment: nobody sees rows that are not counted."""
    store = JobStore(tmp_path)
    job_id = add(store, source, CLASSIFY).id
    wrong: list[object] = []
    over = threading.Event()

    def look(own: JobStore) -> None:
        last = 0
        while not over.is_set():
            page = own.rows(job_id, limit=1000)
            if len(page.rows) != page.total or page.total < last:
                wrong.append((len(page.rows), page.total, last))
            last = page.total

    readers = [threading.Thread(target=look, args=(one,)) for one in (store, store, JobStore(tmp_path))]
    for reader in readers:
        reader.start()
    for group in range(60):
        store.keep(job_id, [row(group * 5 + number) for number in range(5)])
    over.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert store.rows(job_id).total == 300
