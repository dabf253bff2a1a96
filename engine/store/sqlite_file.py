"""Opens an SQLite file that holds users' texts: for the user alone, in the form of this version.

What is deleted is overwritten; any number of processes may use the file at once. It knows no tables.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

Migrations = Sequence[Sequence[str]]
"""The statements that lead from each version of a file (`PRAGMA user_version`, from 0) to the next."""


class LaterVersionError(sqlite3.DatabaseError):
    """The file was written by a later version of this package."""


def connect(path: Path, migrations: Migrations, wait: float, *, durable: bool = False) -> sqlite3.Connection:
    """A connection for any thread; the file and its folder are made where they are missing.

    wait: seconds for another process that writes. durable: a commit returns when the disk has it, so that it outlives a
    loss of power; else it outlives the process only.

    Raises:
        sqlite3.Error: also LaterVersionError.
        OSError: the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)  # SQLite gives its other files the same mode
    connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
    try:
        _use_wal(connection, wait)
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.execute("PRAGMA secure_delete = ON")
        _migrate(connection, migrations)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(file: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; others wait."""
    file.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if file.in_transaction:  # some faults have ended it
            file.execute("ROLLBACK")
        raise
    file.execute("COMMIT")


def _use_wal(file: sqlite3.Connection, wait: float) -> None:
    end = time.monotonic() + wait
    while file.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            file.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError:  # two who begin at once do not wait for each other
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def _migrate(file: sqlite3.Connection, migrations: Migrations) -> None:
    if _version(file) < len(migrations):
        with transaction(file):  # another process may have done it while this one waited
            for number, steps in enumerate(migrations[_version(file) :], _version(file) + 1):
                for step in steps:
                    file.execute(step)
                file.execute(f"PRAGMA user_version = {number}")
    if _version(file) > len(migrations):
        raise LaterVersionError("it was written by a later version")


def _version(file: sqlite3.Connection) -> int:
    return int(file.execute("PRAGMA user_version").fetchone()[0])
