"""The jobs of a store: added, found, changed, deleted; a job's own copy of a file lies in a folder of its own."""

import os
import secrets
import shutil
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.errors import WorkbenchError
from engine.jobs.store.job_tables import JOB_COLUMNS, MIGRATIONS, SPAN, find_job, job_of
from engine.jobs.store.stored_form import pack, pack_error, pack_form, pack_spec, path_in
from engine.jobs.types import Form, Job, JobSpec, JobState
from engine.store.database import Database
from engine.text.inspect import whole_characters

NAME = "jobs.sqlite3"
_HOLLOW = 16 * 2**20
"""Bytes of deleted rows that the file may hold."""
_PIECE = 2000
"""Rows that are deleted at a time, so that others come in between."""


class JobList:
    """The jobs of one data folder; safe from any thread, beside other processes.

    Every method raises a WorkbenchError, `jobs_unusable`, where the file cannot be used; those that change a job raise
    `job_missing` where there is none.
    """

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "jobs"
        path = data_dir / NAME
        self._read = Database(path, MIGRATIONS, code="jobs_unusable")
        self._scan = Database(path, MIGRATIONS, code="jobs_unusable")
        """For what may take seconds: nobody else waits for it."""
        self._write = Database(path, MIGRATIONS, code="jobs_unusable", durable=True, wait=5.0)

    def add(
        self,
        spec: JobSpec,
        name: str,
        source: Path,
        form: Form,
        digest: str,
        *,
        copy: bool,
        low: float = 0.5,
        engine: str = "local",
        state: JobState = "queued",
        mark: str = "",
    ) -> Job:
        """Add a job. copy: keep a copy of the file with it. mark: what it is found again by (`find`).

        Raises:
            WorkbenchError: `file_not_written` where the file cannot be copied.
        """
        job_id, now = secrets.token_urlsafe(12), time.time()
        kept = self._copy(job_id, source) if copy else source.absolute()
        name = whole_characters(name)
        given = (
            job_id,
            name,
            path_in(kept),
            pack_form(form),
            pack_spec(spec),
            digest,
            state,
            now,
            now,
            low,
            engine,
            mark,
        )

        def insert(file: sqlite3.Connection) -> None:
            file.execute(
                "INSERT INTO jobs (id, name, source, form, spec, digest, state, created, queued, low, engine, mark) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                given,
            )

        try:
            self._write.write(insert, create=True)
        except WorkbenchError:
            shutil.rmtree(self.folder(job_id), ignore_errors=True)
            raise
        return Job(job_id, name, kept, form, spec, digest, state, now, low=low, engine=engine)

    def get(self, job_id: str) -> Job | None:
        """A job; None where it is gone."""
        found = self._read.read(lambda file: find_job(file, job_id), None)
        return None if found is None else found[1]

    def find(self, mark: str) -> Job | None:
        """The newest job with that mark."""
        return self._one("mark = ? AND mark != '' ORDER BY seq DESC", mark)

    def next_queued(self) -> Job | None:
        """The job whose turn it is."""
        return self._one("state = 'queued' ORDER BY queued, seq")

    def queued_before(self, job_id: str) -> int:
        """How many queued jobs come before this one."""
        return self._read.read(
            lambda file: int(
                file.execute(
                    "SELECT count(*) FROM jobs, (SELECT queued AS mine, seq AS own FROM jobs WHERE id = ?) "
                    "WHERE state = 'queued' AND (queued, seq) < (mine, own)",
                    (job_id,),
                ).fetchone()[0]
            ),
            0,
        )

    def list(self, offset: int = 0, limit: int = 50) -> tuple[Job, ...]:
        """Jobs, the newest first."""
        return self._several("1 ORDER BY seq DESC LIMIT ? OFFSET ?", max(0, limit), max(0, offset))

    def running(self) -> tuple[Job, ...]:
        """Jobs that some process runs, or ran when it ended."""
        return self._several("state = 'running' ORDER BY seq")

    def count(self) -> int:
        """How many jobs there are."""
        return self._read.read(lambda file: int(file.execute("SELECT count(*) FROM jobs").fetchone()[0]), 0)

    def set_state(
        self,
        job_id: str,
        state: JobState,
        error: WorkbenchError | None = None,
        *,
        only_from: Sequence[JobState] = (),
    ) -> bool:
        """Change a job's state; whether it was. only_from: the states that it may be changed from; empty: any.

        error: why it failed or is paused. Queued anew, it is the last of the queue.
        """
        now = time.time()

        def change(file: sqlite3.Connection) -> bool:
            _, job = need_job(file, job_id)
            if only_from and job.state not in only_from:
                return False
            changes: dict[str, object] = {"state": state, "error": pack_error(error)}
            if state == "queued":
                changes |= {"queued": now, "ended": None}
            elif state == "running":
                changes |= {"started": job.started or now, "ended": None}
            elif job.started is not None:
                changes["ended"] = now
            _update(file, job_id, changes)
            return True

        return bool(self._write.write(change))

    def set_total(self, job_id: str, total: int) -> None:
        """Say how many rows its file has."""
        self._change(job_id, total=total)

    def set_model(self, job_id: str, model: dict[str, Any]) -> None:
        """Say which model answered: the first one, or one more."""

        def change(file: sqlite3.Connection) -> None:
            _, job = need_job(file, job_id)
            if not job.model:
                _update(file, job_id, {"model": pack(model)})
            elif model != job.model and model not in job.more_models:
                _update(file, job_id, {"more_models": pack([*job.more_models, model])})

        self._write.write(change)

    def rename(self, job_id: str, name: str) -> None:
        """Give a job another name."""
        self._change(job_id, name=whole_characters(name))

    def delete(self, job_id: str) -> None:
        """Forget a job, its rows and its copy of the file; none of that id is fine."""

        def forget(file: sqlite3.Connection) -> None:
            found = find_job(file, job_id)
            if found is not None:
                file.execute("INSERT INTO gone VALUES (?)", found[:1])
                file.execute("DELETE FROM counts WHERE job = ?", found[:1])
                file.execute("DELETE FROM jobs WHERE seq = ?", found[:1])

        self._write.write(forget)
        shutil.rmtree(self.folder(job_id), ignore_errors=True)
        self.sweep()
        self._write.shrink() if self._read.read(_is_hollow, False) else self._write.settle()

    def sweep(self) -> None:
        """Take away the rows of deleted jobs, some at a time; goes on where an earlier one was broken off."""

        def some(file: sqlite3.Connection) -> bool:
            seq = file.execute("SELECT seq FROM gone LIMIT 1").fetchone()
            if seq is None:
                return False
            first = file.execute(
                "SELECT place FROM rows WHERE place >= ? ORDER BY place LIMIT 1", (seq[0] * SPAN,)
            ).fetchone()
            if first is None or first[0] >= (seq[0] + 1) * SPAN:
                file.execute("DELETE FROM gone WHERE seq = ?", seq)
                return True
            ends = (first[0], min(first[0] + _PIECE, (seq[0] + 1) * SPAN))
            file.execute("DELETE FROM rows WHERE place >= ? AND place < ?", ends)
            file.execute("DELETE FROM bodies WHERE place >= ? AND place < ?", ends)
            return True

        while self._write.write(some):
            pass

    def folder(self, job_id: str) -> Path:
        """Where a job's own files lie; it need not exist."""
        return self._folder / job_id

    def close(self) -> None:
        """Let go of the file; another use opens it again."""
        self._read.close()
        self._scan.close()
        self._write.close()

    def _one(self, where: str, *given: object) -> Job | None:
        return next(iter(self._several(f"{where} LIMIT 1", *given)), None)

    def _several(self, where: str, *given: object) -> tuple[Job, ...]:
        def find(file: sqlite3.Connection) -> tuple[Job, ...]:
            found = file.execute(f"SELECT {JOB_COLUMNS} FROM jobs WHERE {where}", given)  # noqa: S608 - only ours
            return tuple(map(job_of, found))

        return self._read.read(find, ())

    def _change(self, job_id: str, **changes: object) -> None:
        def change(file: sqlite3.Connection) -> None:
            need_job(file, job_id)
            _update(file, job_id, changes)

        self._write.write(change)

    def _copy(self, job_id: str, source: Path) -> Path:
        folder = self.folder(job_id)
        target = folder / f"source{source.suffix.lower()}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700)
            with source.open("rb") as given, os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as kept:
                shutil.copyfileobj(given, kept, 2**20)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise WorkbenchError("file_not_written", path=target, reason=error.strerror or error) from None
        return target


def need_job(file: sqlite3.Connection, job_id: str) -> tuple[int, Job]:
    """A job and its own number.

    Raises:
        WorkbenchError: `job_missing`.
    """
    found = find_job(file, job_id)
    if found is None:
        raise WorkbenchError("job_missing")
    return found


def _update(file: sqlite3.Connection, job_id: str, changes: dict[str, Any]) -> None:
    names = ", ".join(f"{name} = ?" for name in changes)
    file.execute(f"UPDATE jobs SET {names} WHERE id = ?", [*changes.values(), job_id])  # noqa: S608 - our own names


def _is_hollow(file: sqlite3.Connection) -> bool:
    """Whether most of a large file is the room of what was deleted."""
    size, pages, free = (
        file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
    )
    return bool(free * size > _HOLLOW and free * 2 > pages)
