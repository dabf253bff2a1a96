"""The history of prompts: order, search, stars, bounds, migrations, other processes, and files that cannot be used."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.errors import WorkbenchError
from engine.messages import Phrase
from engine.store import database, sqlite_file
from engine.store.database import Database
from engine.store.history import ENTRY_LIMIT, NAME, PromptHistory

ROOT = Path(__file__).parents[2]


@pytest.fixture
def history(tmp_path: Path) -> PromptHistory:
    return PromptHistory(tmp_path / "data")


def add(history: PromptHistory, *names: str) -> None:
    for name in names:
        assert history.add(f"run {name}", f"ask {name}", f"answer {name}", f'{{"name": "{name}"}}')


def prompts(history: PromptHistory, search: str = "", **options: int) -> list[str]:
    return [entry.prompt for entry in history.list(search, **options).entries]


def refused(use: object) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        use()  # type: ignore[operator]
    assert caught.value.code == "store_unusable"
    return caught.value


def test_newest_first_in_pages(history: PromptHistory) -> None:
    add(history, *"abcde")
    assert prompts(history) == ["ask e", "ask d", "ask c", "ask b", "ask a"]
    assert prompts(history, offset=1, limit=2) == ["ask d", "ask c"]
    page = history.list(limit=2)
    assert (len(page.entries), page.total) == (2, 5)
    assert history.list(offset=9).entries == ()


def test_an_entry_comes_back_whole(history: PromptHistory) -> None:
    long = "雨\n" * 5000
    history.add("r", long, long + "!", '{"x": "\\ud800"}')
    listed = history.list().entries[0]
    assert (len(listed.prompt), listed.body) == (300, "")
    whole = history.load(listed.id)
    assert whole is not None
    assert (whole.prompt, whole.answer, whole.body) == (long, long + "!", '{"x": "\\ud800"}')
    assert history.load(listed.id + 1) is None


def test_a_run_is_kept_once(history: PromptHistory) -> None:
    assert history.add("r", "a", "b", "{}")
    assert not history.add("r", "a", "b", "{}")
    assert history.list().total == 1


def test_the_same_texts_again_are_one_entry_at_the_top_with_its_star(history: PromptHistory) -> None:
    add(history, "a", "b")
    oldest = history.list().entries[-1]
    history.star(oldest.id, True)
    again = (oldest.prompt, oldest.answer, '{"name": "a"}')
    assert history.add("another run", *again)
    assert [(entry.prompt, entry.starred) for entry in history.list().entries] == [("ask a", True), ("ask b", False)]
    assert history.add("a third", oldest.prompt, oldest.answer, '{"name": "other"}')
    assert prompts(history) == ["ask a", "ask a", "ask b"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("今天", ["今天下雨 100%"]),
        ("雨 1", ["今天下雨 100%"]),
        ("0%", ["今天下雨 100%"]),
        ("%", ["今天下雨 100%"]),
        ("_", ["a_b!c\\d"]),
        ("a!b", []),
        ("b!C\\D", ["a_b!c\\d"]),
        ("ÉTÉ", ["été '; DROP TABLE prompts; --"]),
        ("drop table", ["été '; DROP TABLE prompts; --"]),
        ("after", ["nul\ufffdafter"]),
        ("answer", ["nul\ufffdafter", "été '; DROP TABLE prompts; --", "a_b!c\\d", "今天下雨 100%"]),
        ("x" * 100_000, []),
        ("\ud800", ["nul\ufffdafter"]),
    ],
)
def test_search_finds_the_very_text(history: PromptHistory, search: str, found: list[str]) -> None:
    for number, prompt in enumerate(["今天下雨 100%", "a_b!c\\d", "été '; DROP TABLE prompts; --", "nul\0after"]):
        history.add(str(number), prompt, "Answer", "{}")
    assert prompts(history, search) == found


def test_stars_and_deletions(history: PromptHistory) -> None:
    add(history, *"abcd")
    ids = {entry.prompt[-1]: entry.id for entry in history.list().entries}
    history.star(ids["a"], True)
    history.star(ids["b"], True)
    history.star(ids["b"], False)
    assert [entry.prompt for entry in history.list(starred=True).entries] == ["ask a"]
    history.delete(ids["c"])
    history.delete(ids["c"])
    assert prompts(history) == ["ask d", "ask b", "ask a"]
    assert history.delete_unstarred() == 2
    assert prompts(history) == ["ask a"]
    assert history.delete_all() == 1
    assert history.list().total == 0


def test_the_oldest_without_a_star_make_room(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path, most=3)
    add(history, "a")
    history.star(history.list().entries[0].id, True)
    add(history, *"bcde")
    assert prompts(history) == ["ask e", "ask d", "ask a"]


def test_the_new_one_stays_where_all_others_have_stars(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path, most=2)
    add(history, "a", "b")
    for entry in history.list().entries:
        history.star(entry.id, True)
    add(history, "c")
    assert prompts(history) == ["ask c", "ask b", "ask a"]
    add(history, "d")
    assert prompts(history) == ["ask d", "ask b", "ask a"]


def test_bytes_are_bounded_too(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path, most_bytes=2000)
    for name in "abc":
        history.add(name, name * 900, "", "")
    assert [prompt[0] for prompt in prompts(history)] == ["c", "b"]
    assert not history.add("huge", "x" * (ENTRY_LIMIT + 1), "", "")


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "data")
    assert history.list("x").total == 0
    assert history.load(1) is None
    history.star(1, True)
    history.delete(1)
    assert (history.delete_unstarred(), history.delete_all()) == (0, 0)
    assert not (tmp_path / "data").exists()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_only_the_user_may_read_it(history: PromptHistory, tmp_path: Path) -> None:
    add(history, "a")
    files = list((tmp_path / "data").iterdir())
    assert {path.name for path in files} >= {NAME}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_what_is_deleted_is_gone_from_the_disk(history: PromptHistory, tmp_path: Path) -> None:
    history.add("r", "unmistakable secret", "", "")
    history.delete_all()
    history.close()
    assert b"unmistakable" not in b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir())


def test_many_threads_at_once(history: PromptHistory) -> None:
    threads = [threading.Thread(target=add, args=(history, *(f"{name}{n}" for n in range(10)))) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert history.list().total == 40


def test_two_processes_at_once(history: PromptHistory, tmp_path: Path) -> None:
    """Both begin without a file: each must find, or make, a whole one."""
    code = (
        "import sys; from pathlib import Path; from engine.store.history import PromptHistory\n"
        "history = PromptHistory(Path(sys.argv[1]))\n"
        "for n in range(20): history.add(f'{sys.argv[2]} {n}', f'p {sys.argv[2]} {n}', 'a', '{}')\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "data"), name], cwd=ROOT) for name in ("x", "y")
    ]
    add(history, *map(str, range(20)))
    assert [process.wait(60) for process in running] == [0, 0]
    assert history.list().total == 60
    assert history.list("p x").total == 20


def test_migrations_lead_from_any_version_to_the_last(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite3"
    steps = [["CREATE TABLE words (word TEXT)"], ["ALTER TABLE words ADD COLUMN size INTEGER NOT NULL DEFAULT 7"]]
    old = Database(path, steps[:1])
    old.write(lambda file: file.execute("INSERT INTO words VALUES ('kept')"), create=True)
    old.close()
    new = Database(path, steps)
    assert new.read(lambda file: file.execute("SELECT * FROM words").fetchall(), []) == [("kept", 7)]
    assert new.read(lambda file: file.execute("PRAGMA user_version").fetchone(), ()) == (2,)
    assert new.read(lambda file: file.execute("PRAGMA journal_mode").fetchone(), ()) == ("wal",)
    new.close()
    later = refused(lambda: old.read(lambda file: file.execute("SELECT 1"), None))
    assert later.details["reason"] == Phrase("store_later")


def test_a_migration_is_done_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite3"
    broken = Database(path, [["CREATE TABLE a (x)", "CREATE TABLE nonsense nonsense"]])
    refused(lambda: broken.write(lambda file: None, create=True))
    good = Database(path, [["CREATE TABLE a (x)"]])
    assert good.read(lambda file: file.execute("SELECT count(*) FROM a").fetchone(), ()) == (0,)


def test_a_write_that_fails_leaves_nothing(history: PromptHistory, tmp_path: Path) -> None:
    add(history, "a")
    file = Database(tmp_path / "data" / NAME, [])
    file._migrations = history._file._migrations

    def half(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM prompts")
        connection.execute("SELECT nonsense")

    refused(lambda: file.write(half))
    assert history.list().total == 1


def test_a_damaged_file_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"this is no database " * 100)
    history = PromptHistory(tmp_path)
    error = refused(history.list)
    assert error.details["reason"] == Phrase("store_damaged")
    assert NAME in str(error)
    refused(lambda: history.add("r", "p", "a", "{}"))
    assert (tmp_path / NAME).read_bytes().startswith(b"this is no database")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    history = PromptHistory(tmp_path / "file")
    assert history.list().total == 0
    assert refused(lambda: history.add("r", "p", "a", "{}")).details["reason"] == Phrase("store_read_only")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        error = refused(lambda: PromptHistory(tmp_path).add("r", "p", "a", "{}"))
        assert error.details["reason"] == Phrase("store_read_only")
    finally:
        tmp_path.chmod(0o700)


def test_what_may_not_be_opened_is_said(history: PromptHistory, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a file or folder of somebody else."""
    add(history, "a")
    history.close()

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(sqlite_file.os, "open", refuse)
        first = refused(history.list)
    assert first.details["reason"] == Phrase("store_read_only")
    monkeypatch.setattr(history._file, "_resumes", 0.0)
    assert prompts(history) == ["ask a"]


def test_a_locked_file_is_said_and_waited_for_once(
    history: PromptHistory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_WAIT", 0.05)
    add(history, "a")
    other = sqlite3.connect(tmp_path / "data" / NAME, isolation_level=None)
    history.close()  # the next connection has the shorter wait
    other.execute("BEGIN IMMEDIATE")
    assert history.list().total == 1, "readers do not wait for a writer"
    first = refused(lambda: history.add("r", "p", "a", "{}"))
    assert first.details["reason"] == Phrase("store_locked")
    other.execute("ROLLBACK")
    other.close()
    assert refused(lambda: history.add("r", "p", "a", "{}")) is first, "not tried again at once"
    monkeypatch.setattr(history._file, "_resumes", 0.0)
    assert history.add("r", "p", "a", "{}")


def test_a_file_that_was_moved_away_is_begun_anew(history: PromptHistory, tmp_path: Path) -> None:
    add(history, "a")
    for path in (tmp_path / "data").iterdir():
        path.unlink()
    assert history.list().total == 0
    add(history, "b")
    assert prompts(history) == ["ask b"]
