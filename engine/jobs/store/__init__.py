"""Jobs and their rows in one SQLite file of the data folder: kept before they are counted, found again after a crash.

What `keep` was given is on the disk when it returns, together with the job's counts; all of it or nothing. Readers wait
for no writer: they have a connection of their own.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from engine.errors import WorkbenchError
from engine.jobs.store import row_tables
from engine.jobs.store.job_list import JobList, need_job
from engine.jobs.types import RowFilter, RowPage, RowResult
from engine.store.database import Database

Found = TypeVar("Found")

_PIECE = 2000
"""Rows that are read at a time, so that others come in between."""


class JobStore(JobList):
    """The jobs of one data folder and their rows; see `JobList`."""

    def keep(self, job_id: str, rows: Sequence[RowResult], *, seconds: float = 0.0) -> None:
        """Keep rows, in the place of those of the same numbers; durable, with the job's counts, when it returns.

        seconds: that the job took since the last time.
        """
        job = self.get(job_id)
        if job is None:
            raise WorkbenchError("job_missing")
        facts, bodies = row_tables.encode(job, rows)

        def put(file: sqlite3.Connection) -> None:
            seq, _ = need_job(file, job_id)
            if facts:
                row_tables.insert(file, seq, facts, bodies)
            file.execute("UPDATE jobs SET seconds = seconds + ? WHERE seq = ?", (seconds, seq))

        self._write.write(put)

    def done_numbers(self, job_id: str, first: int, last: int) -> set[int]:
        """Numbers of the rows that are kept, from `first` up to, but not including, `last`."""
        return self._of(job_id, lambda file, seq: row_tables.numbers(file, seq, first, last), set())

    def rows(
        self,
        job_id: str,
        which: RowFilter = "all",
        *,
        label: str = "",
        search: str = "",
        offset: int = 0,
        limit: int = 50,
    ) -> RowPage:
        """Rows that a filter finds, in the file's order, and how many there are.

        label: only those for which it is chosen, or which have a value of that field. search: in text and key, in
        either case.
        """
        return self._of(
            job_id,
            lambda file, seq: row_tables.page(file, seq, which, label, search, offset, limit),
            RowPage(),
            source=self._scan if search else self._read,
        )

    def row(self, job_id: str, number: int) -> RowResult | None:
        """One row; None where it is not done."""
        found = self._after(job_id, number, 1)
        return found[0] if found and found[0].number == number else None

    def each(self, job_id: str) -> Iterator[RowResult]:
        """Every row that is done, in the file's order."""
        number = 0
        while found := self._after(job_id, number, _PIECE):
            yield from found
            number = found[-1].number + 1

    def correct(self, job_id: str, number: int, correction: dict[str, Any] | None) -> None:
        """Put {"label", "labels"} or {"fields"} in the place of a row's answer, which stays; None takes it away.

        Raises:
            WorkbenchError: `job_missing` also where the row is not done.
        """

        def change(file: sqlite3.Connection) -> None:
            seq, job = need_job(file, job_id)
            if not row_tables.correct(file, seq, job.spec.task, number, correction):
                raise WorkbenchError("job_missing")

        self._write.write(change)

    def forget_failed(self, job_id: str) -> int:
        """Forget the rows with an error that nobody corrected, so that they are asked again; how many."""
        return self._write.write(lambda file: row_tables.forget_failed(file, need_job(file, job_id)[0])) or 0

    def labels(self, job_id: str) -> dict[str, int]:
        """How many rows have each label, or a value of each field, the most frequent first."""
        return self._of(job_id, lambda file, seq: row_tables.counts(file, seq, "label"), {})

    def counts(self, job_id: str) -> dict[str, int]:
        """How many rows each filter finds; those that find none are left out."""
        return self._of(job_id, lambda file, seq: row_tables.counts(file, seq, "filter"), {})

    def _after(self, job_id: str, number: int, limit: int) -> Sequence[RowResult]:
        none: Sequence[RowResult] = ()
        return self._of(job_id, lambda file, seq: row_tables.after(file, seq, number, limit), none)

    def _of(
        self,
        job_id: str,
        use: Callable[[sqlite3.Connection, int], Found],
        missing: Found,
        source: Database | None = None,
    ) -> Found:
        """What is found of a job's rows; `missing` where there is no such job."""

        def find(file: sqlite3.Connection) -> Found:
            file.execute("BEGIN")  # rows and counts of one moment, whoever writes
            try:
                row = file.execute("SELECT seq FROM jobs WHERE id = ?", (job_id,)).fetchone()
                return missing if row is None else use(file, row[0])
            finally:
                if file.in_transaction:  # some faults have ended it
                    file.execute("ROLLBACK")

        return (source or self._read).read(find, missing)
