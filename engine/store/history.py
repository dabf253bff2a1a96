"""The history of free prompts: what was asked and answered, newest first, searched, starred, deleted, bounded.

One SQLite file of the data folder, which nothing makes before the first entry. What an entry means beside its prompt
and its answer is the caller's: text that comes back as it was given.
"""

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.store.database import Database, like_pattern
from engine.store.sqlite_file import Migrations
from engine.text.inspect import whole_characters

NAME = "history.sqlite3"
MOST_ENTRIES = 1000
MOST_BYTES = 64 * 2**20
ENTRY_LIMIT = 4 * 2**20
"""Bytes of an entry; larger ones are not kept."""
_SHOWN = 300
"""Characters of prompt and answer in a list."""
_SEARCHED = 200
"""Characters of a search: SQLite's patterns are bounded."""

_MIGRATIONS: Migrations = (
    (
        "CREATE TABLE prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, created REAL NOT NULL, "
        "starred INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL, "
        "prompt TEXT NOT NULL, answer TEXT NOT NULL, body TEXT NOT NULL)",
        "CREATE INDEX prompts_by_star ON prompts (starred, id)",
    ),
)


@dataclass(frozen=True)
class Entry:
    """One kept prompt. created: seconds since 1970.

    prompt, answer: in a list their beginnings, without broken characters; body: in a list empty.
    """

    id: int
    created: float
    starred: bool
    prompt: str
    answer: str
    body: str = ""


@dataclass(frozen=True)
class Page:
    """Some entries, newest first, and how many there are in all."""

    entries: tuple[Entry, ...] = ()
    total: int = 0


class PromptHistory:
    """The history in one data folder; safe from any thread, beside other processes.

    Every method raises a WorkbenchError, `store_unusable`, where the file cannot be used.
    """

    def __init__(self, data_dir: Path, most: int = MOST_ENTRIES, most_bytes: int = MOST_BYTES) -> None:
        self._file = Database(data_dir / NAME, _MIGRATIONS)
        self._most, self._most_bytes = most, most_bytes

    def add(self, run: str, prompt: str, answer: str, body: str) -> bool:
        """Keep a prompt and its answer, once a run; the oldest without a star make room. Whether it is kept now.

        An entry of the same texts gives its place and its star to the new one.

        run: an id of the run. Starred entries are never let go, and neither is the new one.
        """
        texts = tuple(map(_storable, (prompt, answer, body)))
        size = sum(len(text.encode()) for text in texts)
        if size > ENTRY_LIMIT:
            return False

        same = "run != ? AND bytes = ? AND prompt = ? AND answer = ? AND body = ?"

        def keep(file: sqlite3.Connection) -> bool:
            starred = file.execute(f"SELECT max(starred) FROM prompts WHERE {same}", (run, size, *texts)).fetchone()[0]  # noqa: S608
            done = file.execute(
                "INSERT INTO prompts (run, created, starred, bytes, prompt, answer, body) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (run) DO NOTHING",
                (run, time.time(), starred or 0, size, *texts),
            )
            if done.rowcount <= 0 or done.lastrowid is None:
                return False
            file.execute(f"DELETE FROM prompts WHERE {same}", (run, size, *texts))  # noqa: S608
            self._make_room(file, done.lastrowid)
            return True

        return bool(self._file.write(keep, create=True))

    def list(self, search: str = "", *, offset: int = 0, limit: int = 20, starred: bool = False) -> Page:
        """A page of the entries whose prompt or answer holds `search`, in either case; all for an empty one.

        starred: only those with a star.
        """
        wanted: list[Any] = []
        where = "starred = 1" if starred else "1"
        if search:
            pattern = like_pattern(_storable(search[:_SEARCHED]))
            where += " AND (fold(prompt) LIKE ? ESCAPE '!' OR fold(answer) LIKE ? ESCAPE '!')"
            wanted += [pattern, pattern]

        def find(file: sqlite3.Connection) -> Page:
            total = file.execute(f"SELECT count(*) FROM prompts WHERE {where}", wanted).fetchone()[0]  # noqa: S608 - only ours
            rows = file.execute(
                f"SELECT id, created, starred, substr(prompt, 1, {_SHOWN}), substr(answer, 1, {_SHOWN}) "  # noqa: S608
                f"FROM prompts WHERE {where} ORDER BY id DESC LIMIT ? OFFSET ?",
                [*wanted, max(0, limit), max(0, offset)],
            ).fetchall()
            return Page(tuple(Entry(row[0], row[1], bool(row[2]), row[3], row[4]) for row in rows), total)

        return self._file.read(find, Page())

    def load(self, entry: int) -> Entry | None:
        """A whole entry; None where it is gone."""

        def find(file: sqlite3.Connection) -> Entry | None:
            row = file.execute(
                "SELECT id, created, starred, prompt, answer, body FROM prompts WHERE id = ?", (entry,)
            ).fetchone()
            return None if row is None else Entry(row[0], row[1], bool(row[2]), row[3], row[4], row[5])

        return self._file.read(find, None)

    def star(self, entry: int, starred: bool) -> None:
        """Give an entry a star, or take it."""
        self._file.write(
            lambda file: file.execute("UPDATE prompts SET starred = ? WHERE id = ?", (int(starred), entry)).rowcount
        )

    def delete(self, entry: int) -> None:
        """Forget an entry; none of that id is fine."""
        self._file.write(lambda file: file.execute("DELETE FROM prompts WHERE id = ?", (entry,)).rowcount)

    def delete_unstarred(self) -> int:
        """Forget every entry without a star; how many there were."""
        return self._delete_many("starred = 0")

    def delete_all(self) -> int:
        """Forget everything; how many entries there were."""
        return self._delete_many("1")

    def close(self) -> None:
        """Let go of the file; another use opens it again."""
        self._file.close()

    def _delete_many(self, where: str) -> int:
        count = self._file.write(lambda file: file.execute(f"DELETE FROM prompts WHERE {where}").rowcount)  # noqa: S608
        if count:
            self._file.shrink()
        return count or 0

    def _make_room(self, file: sqlite3.Connection, new: int) -> None:
        entries, size = file.execute("SELECT count(*), total(bytes) FROM prompts").fetchone()
        over, over_bytes = entries - self._most, size - self._most_bytes
        gone = []
        if over > 0 or over_bytes > 0:
            oldest = file.execute("SELECT id, bytes FROM prompts WHERE starred = 0 AND id != ? ORDER BY id", (new,))
            for entry, taken in oldest:
                if over <= 0 and over_bytes <= 0:
                    break
                gone.append((entry,))
                over, over_bytes = over - 1, over_bytes - taken
        file.executemany("DELETE FROM prompts WHERE id = ?", gone)


def _storable(text: str) -> str:
    """As SQLite takes it: no half of a character, and no NUL, at which its functions end a text."""
    return whole_characters(text).replace("\0", "\ufffd")
