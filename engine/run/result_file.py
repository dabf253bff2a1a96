"""Answers kept on disk between processes: one SQLite file, bounded, the least recently used out first.

Any number of processes and threads may use it. It holds users' texts, so that only the user may read it, and what is
let go is overwritten. A file that is locked, damaged or cannot be written is logged and left alone: nobody waits for it
or fails because of it. It does not know what an answer is.
"""

import logging
import math
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engine.errors import WorkbenchError
from engine.store.sqlite_file import Migrations, connect, transaction

Found = TypeVar("Found")

ENTRY_BYTES = 200
"""What an answer takes beside its own bytes, about: its key, its place in an index or a table."""

_log = logging.getLogger(__name__)
_NAME = "results.sqlite3"
_WAIT = 0.5
"""Seconds to wait while another process writes."""
_PAUSE = 30.0
"""Seconds that a file is left alone after it could not be used."""
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
}
"""Faults that may be over later; after any other, the file is left alone until it is cleared."""

_MIGRATIONS: Migrations = (
    (
        "CREATE TABLE results "
        "(digest BLOB PRIMARY KEY, body BLOB NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL)",
        "CREATE INDEX results_by_use ON results (used)",
        "CREATE TABLE total (answers INTEGER NOT NULL, bytes INTEGER NOT NULL)",
        "INSERT INTO total VALUES (0, 0)",
        "CREATE TRIGGER result_comes AFTER INSERT ON results "
        "BEGIN UPDATE total SET answers = answers + 1, bytes = bytes + NEW.bytes; END",
        "CREATE TRIGGER result_goes AFTER DELETE ON results "
        "BEGIN UPDATE total SET answers = answers - 1, bytes = bytes - OLD.bytes; END",
    ),
)


@dataclass(frozen=True)
class CacheSize:
    """How much is kept: answers, and the bytes that they take."""

    answers: int = 0
    bytes: int = 0


class ResultFile:
    """The file of one data folder, which need not exist yet. `limit`: bytes of answers at most."""

    def __init__(self, data_dir: Path, limit: int) -> None:
        self.path = data_dir / _NAME
        self._limit = limit
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._resumes = 0.0
        """When the file may be tried again, by the monotonic clock."""

    def get(self, digest: bytes) -> bytes | None:
        """What is kept under a digest."""

        def find(file: sqlite3.Connection) -> bytes | None:
            row = file.execute("SELECT body FROM results WHERE digest = ?", (digest,)).fetchone()
            return None if row is None else bytes(row[0])

        body = self._try(find)
        if body is not None:
            now = time.time_ns()
            self._try(lambda file: file.execute("UPDATE results SET used = ? WHERE digest = ?", (now, digest)))
        return body

    def put(self, digest: bytes, body: bytes) -> None:
        """Keep something, and let go of what was not used for longest where there is no room."""
        size = len(body) + ENTRY_BYTES
        if size > self._limit:
            return

        def keep(file: sqlite3.Connection) -> None:
            with transaction(file):
                file.execute(
                    "INSERT INTO results VALUES (?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET used = excluded.used",
                    (digest, body, size, time.time_ns()),
                )
                self._make_room(file)

        self._try(keep)

    def drop(self, digest: bytes) -> None:
        """Let go of what is kept under a digest."""
        self._try(lambda file: file.execute("DELETE FROM results WHERE digest = ?", (digest,)))

    def size(self) -> CacheSize:
        """How much is kept; nothing where the file cannot be read."""
        if not self.path.exists():
            return CacheSize()
        found = self._try(lambda file: CacheSize(*file.execute("SELECT answers, bytes FROM total").fetchone()))
        return found or CacheSize()

    def clear(self) -> None:
        """Let go of everything, also of a file that is damaged, and give its room back.

        Raises:
            WorkbenchError: `file_not_written`.
        """
        with self._lock:
            try:
                if self.path.exists():
                    self._empty()
                else:
                    self._drop_connection()
                self._resumes = 0.0
            except (sqlite3.Error, OSError) as error:
                raise WorkbenchError("file_not_written", path=self.path, reason=_reason(error)) from None

    def close(self) -> None:
        """Let go of the file; another use opens it again."""
        with self._lock:
            self._drop_connection()

    def _try(self, use: Callable[[sqlite3.Connection], Found]) -> Found | None:
        """Use the file where that is possible."""
        with self._lock:
            if time.monotonic() < self._resumes:
                return None
            try:
                return use(self._open())
            except (sqlite3.Error, OSError, TypeError, ValueError) as error:  # what lies there may be anything
                passing = _passes(error)
                self._resumes = time.monotonic() + _PAUSE if passing else math.inf
                self._drop_connection()
                outlook = "for a while" if passing else "until the result cache is cleared"
                _log.warning("%s is not used %s: %s", self.path, outlook, _reason(error))
                return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = connect(self.path, _MIGRATIONS, _WAIT)
            try:
                _look_into(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _make_room(self, file: sqlite3.Connection) -> None:
        over = file.execute("SELECT bytes FROM total").fetchone()[0] - self._limit
        oldest = file.execute("SELECT digest, bytes FROM results ORDER BY used, digest") if over > 0 else ()
        gone = []
        for digest, size in oldest:
            if over <= 0:
                break
            gone.append((digest,))
            over -= size
        file.executemany("DELETE FROM results WHERE digest = ?", gone)

    def _empty(self) -> None:
        try:
            file = self._open()
            file.execute("DELETE FROM results")
            with suppress(sqlite3.OperationalError):  # while another process reads, its room is not given back yet
                file.execute("VACUUM")
                file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            if _passes(error):
                raise
            self._drop_connection()
            for ending in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _look_into(file: sqlite3.Connection) -> None:
    """Whether the tables are there, as they were made."""
    file.execute("SELECT digest, body, bytes, used FROM results LIMIT 1").fetchone()
    if file.execute("SELECT answers, bytes FROM total").fetchone() is None:
        raise sqlite3.DatabaseError("it holds no total")


def _passes(error: Exception) -> bool:
    """Whether a fault may be over later."""
    if isinstance(error, OSError):
        return True
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _PASSING


def _reason(error: Exception) -> object:
    return getattr(error, "strerror", None) or error
