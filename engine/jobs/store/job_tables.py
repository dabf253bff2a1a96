"""The tables of jobs: what is in the file, and a job out of a row of it.

`rows` holds the few facts by which rows are filtered and paged, so that a million of them are looked through in tens
of milliseconds; `bodies` holds what is shown of a row. Both go by a `place`: the job's own number times 2^40, plus the
row's number.
"""

import sqlite3
from typing import Any

from engine.jobs.store.stored_form import path_out, unpack, unpack_error, unpack_form, unpack_spec
from engine.jobs.types import Job
from engine.store.sqlite_file import Migrations

SPAN = 2**40
"""Places of a job: more rows than any file has."""

MIGRATIONS: Migrations = (
    (
        "CREATE TABLE jobs (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, "
        "source TEXT NOT NULL, form TEXT NOT NULL, spec TEXT NOT NULL, digest TEXT NOT NULL, state TEXT NOT NULL, "
        "created REAL NOT NULL, queued REAL NOT NULL, started REAL, ended REAL, seconds REAL NOT NULL DEFAULT 0, "
        "total INTEGER, done INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, "
        "model TEXT NOT NULL DEFAULT '{}', more_models TEXT NOT NULL DEFAULT '[]', error TEXT, low REAL NOT NULL, "
        "engine TEXT NOT NULL, mark TEXT NOT NULL DEFAULT '')",
        "CREATE INDEX jobs_by_state ON jobs (state, queued, seq)",
        "CREATE INDEX jobs_by_mark ON jobs (mark) WHERE mark != ''",
        "CREATE TABLE rows (place INTEGER PRIMARY KEY, flags INTEGER NOT NULL, score REAL, vals INTEGER NOT NULL, "
        "grounded INTEGER NOT NULL, latency REAL NOT NULL, chosen TEXT NOT NULL)",
        "CREATE TABLE bodies (place INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL, answer TEXT, "
        "error TEXT, gold TEXT, problem TEXT, correction TEXT, given TEXT)",
        "CREATE TABLE counts (job INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL, "
        "PRIMARY KEY (job, kind, name)) WITHOUT ROWID",
        "CREATE TABLE gone (seq INTEGER PRIMARY KEY)",
    ),
)

JOB_COLUMNS = (
    "seq, id, name, source, form, spec, digest, state, created, started, ended, seconds, total, done, failed, model, "
    "more_models, error, low, engine"
)


def job_of(row: tuple[Any, ...]) -> Job:
    """The job of a row with `JOB_COLUMNS`."""
    _, ident, name, source, form, spec, digest, state, created, started, ended, seconds, total, done, failed = row[:15]
    model, more_models, error, low, engine = row[15:]
    return Job(
        id=ident,
        name=name,
        source=path_out(source),
        form=unpack_form(form),
        spec=unpack_spec(spec),
        digest=digest,
        state=state,
        created=created,
        started=started,
        ended=ended,
        seconds=seconds,
        total=total,
        done=done,
        failed=failed,
        model=unpack(model),
        error=unpack_error(error),
        low=low,
        engine=engine,
        more_models=tuple(unpack(more_models)),
    )


def find_job(file: sqlite3.Connection, job_id: str) -> tuple[int, Job] | None:
    """A job and its own number, which places are made of."""
    row = file.execute(f"SELECT {JOB_COLUMNS} FROM jobs WHERE id = ?", (job_id,)).fetchone()  # noqa: S608 - only ours
    return None if row is None else (row[0], job_of(row))
