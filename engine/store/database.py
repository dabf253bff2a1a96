"""One SQLite file of the data folder: opened late, migrated by number, used from any thread and any process.

It holds users' texts: only the user may read it, and what is deleted is overwritten. Whatever is wrong with the file is
one error, `store_unusable` where its owner names no other; a damaged file is left as it is. What the tables hold is its
owner's.
"""

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from engine.errors import WorkbenchError
from engine.messages import Phrase
from engine.store.sqlite_file import LaterVersionError, Migrations, connect, transaction

Found = TypeVar("Found")

_WAIT = 1.0
"""Seconds to wait while another process writes."""
_PAUSE = 5.0
"""Seconds in which a file that could not be used is not tried again: a page asks many times."""
_REASONS = {
    sqlite3.SQLITE_BUSY: "store_locked",
    sqlite3.SQLITE_LOCKED: "store_locked",
    sqlite3.SQLITE_FULL: "store_full",
    sqlite3.SQLITE_READONLY: "store_read_only",
    sqlite3.SQLITE_CANTOPEN: "store_read_only",
    sqlite3.SQLITE_PERM: "store_read_only",
    sqlite3.SQLITE_CORRUPT: "store_damaged",
    sqlite3.SQLITE_NOTADB: "store_damaged",
}


class Database:
    """The file at `path`, which need not exist yet: it is made by the first `write`."""

    def __init__(
        self,
        path: Path,
        migrations: Migrations,
        *,
        code: str = "store_unusable",
        durable: bool = False,
        wait: float = _WAIT,
    ) -> None:
        """Open nothing yet.

        code: of the error where it cannot be used. durable: what is written outlives a loss of power, not only the end
        of the process. wait: seconds for another process that writes.
        """
        self.path = path
        self._migrations = migrations
        self._code, self._durable, self._wait = code, durable, wait
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._failed: WorkbenchError | None = None
        self._resumes = 0.0
        """When the file may be tried again, by the monotonic clock."""

    def read(self, use: Callable[[sqlite3.Connection], Found], missing: Found) -> Found:
        """What `use` finds; `missing` where there is no file.

        Raises:
            WorkbenchError: `store_unusable`, or the owner's code.
        """
        with self._lock:
            return self._guarded(use) if self._exists() else missing

    def write(self, use: Callable[[sqlite3.Connection], Found], *, create: bool = False) -> Found | None:
        """Do `use` in one transaction that others wait for; None, and nothing is done, where there is no file.

        create: make the file and its folder.

        Raises:
            WorkbenchError: `store_unusable`; then nothing of it was done.
        """

        def change(file: sqlite3.Connection) -> Found:
            with transaction(file):
                return use(file)

        with self._lock:
            return self._guarded(change) if create or self._exists() else None

    def shrink(self) -> None:
        """Give the room of what was deleted back, unless another process is reading just now."""
        self._tidy("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)")

    def settle(self) -> None:
        """Leave nothing of what was deleted in the log beside the file, unless another process is reading just now."""
        self._tidy("PRAGMA wal_checkpoint(TRUNCATE)")

    def _tidy(self, *statements: str) -> None:
        def tidy(file: sqlite3.Connection) -> None:
            try:
                for statement in statements:
                    file.execute(statement)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                    raise

        self.read(tidy, None)

    def close(self) -> None:
        """Let go of the file; another use opens it again."""
        with self._lock:
            self._drop()

    # Holding the lock.

    def _exists(self) -> bool:
        try:
            there = self.path.exists()
        except OSError:  # a folder that may not be looked into: opening it says why
            return True
        if not there:  # it may have been moved away under an open connection
            self._drop()
        return there

    def _guarded(self, use: Callable[[sqlite3.Connection], Found]) -> Found:
        if self._failed is not None and time.monotonic() < self._resumes:
            raise self._failed.with_traceback(None)
        try:
            found = use(self._open())
        except (sqlite3.Error, OSError) as error:
            self._drop()
            self._failed = WorkbenchError(self._code, path=self.path, reason=_reason(error))
            self._resumes = time.monotonic() + _PAUSE
            raise self._failed from None
        self._failed = None
        return found

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self.path, self._migrations, self._wait, durable=self._durable)
            self._connection.create_function("fold", 1, _fold, deterministic=True)
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def like_pattern(text: str) -> str:
    """The pattern of `fold(column) LIKE ? ESCAPE '!'` that finds this very text, in either case."""
    folded = _fold(text)
    for special in ("!", "%", "_"):
        folded = folded.replace(special, f"!{special}")
    return f"%{folded}%"


def _fold(text: str) -> str:
    """As text is compared: SQLite itself folds ASCII only."""
    return text.casefold()


def _reason(error: Exception) -> object:
    if isinstance(error, LaterVersionError):
        return Phrase("store_later")
    if isinstance(error, OSError):
        read_only = isinstance(error, PermissionError | NotADirectoryError | FileExistsError | IsADirectoryError)
        return Phrase("store_read_only") if read_only else error.strerror or error
    code = getattr(error, "sqlite_errorcode", None)
    return Phrase(_REASONS[code & 0xFF]) if code is not None and code & 0xFF in _REASONS else error
