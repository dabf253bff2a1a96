"""Rows of jobs in their tables: kept, found, corrected, forgotten; the counts of a job go with them.

Every function works inside the transaction of its caller.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import WorkbenchError
from engine.jobs.gold import answer_labels, differs, read_gold
from engine.jobs.store.job_tables import SPAN
from engine.jobs.store.stored_form import pack, pack_error, pack_phrase, unpack, unpack_error, unpack_phrase
from engine.jobs.types import Job, JobSpec, RowFilter, RowPage, RowResult
from engine.store.database import like_pattern
from engine.text.inspect import whole_characters

FLAGS: dict[RowFilter, int] = {"failed": 1, "low": 2, "not_found": 4, "differs": 8, "corrected": 16, "none": 32}
"""What a row is found by: filters by what the model said, but `corrected` and the labels by what stands now."""

_BETWEEN = "\x1f"
"""Stands around every label of a row, as no label holds it."""
_SEARCHED = 200
"""Characters of a search: SQLite's patterns are bounded."""
_COLUMNS = (
    "rows.place, score, vals, grounded, latency, key, text, answer, error, gold, problem, correction, given "
    "FROM rows JOIN bodies USING (place)"
)

Facts = tuple[int, int, float | None, int, int, float, str]
"""A row of `rows`."""
Body = tuple[int, str, str, str | None, str | None, str | None, str | None, str | None, str | None]
"""A row of `bodies`."""


def encode(job: Job, rows: Sequence[RowResult]) -> tuple[list[Facts], list[Body]]:
    """Rows as they are written, their places without the job's number. It takes a while: not inside a transaction."""
    return [_facts(job, row) for row in rows], [_body(row) for row in rows]


def insert(file: sqlite3.Connection, seq: int, facts: Sequence[Facts], bodies: Sequence[Body]) -> None:
    """Keep rows in the place of those of the same numbers, and count them."""
    base = seq * SPAN
    first, last = min(one[0] for one in facts), max(one[0] for one in facts)
    own = {one[0] for one in facts}
    found = file.execute(
        "SELECT place, flags, chosen FROM rows WHERE place BETWEEN ? AND ?", (base + first, base + last)
    )
    before = [row[1:] for row in found if row[0] - base in own]
    file.executemany("REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)", [(base + one[0], *one[1:]) for one in facts])
    file.executemany(
        "REPLACE INTO bodies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [(base + one[0], *one[1:]) for one in bodies]
    )
    _count(file, seq, [(one[1], one[6]) for one in facts], before)


def correct(file: sqlite3.Connection, seq: int, task: str, number: int, correction: dict[str, Any] | None) -> bool:
    """Put a correction beside an answer, or take it away; whether there is such a row."""
    place = seq * SPAN + number
    row = file.execute(
        "SELECT flags, chosen, answer FROM rows JOIN bodies USING (place) WHERE place = ?", (place,)
    ).fetchone()
    if row is None:
        return False
    flags, chosen, answer = row
    standing = correction if correction is not None else unpack(answer) or {}
    after = (
        flags & ~FLAGS["corrected"] | (FLAGS["corrected"] if correction is not None else 0),
        _chosen(task, standing),
    )
    file.execute("UPDATE rows SET flags = ?, chosen = ? WHERE place = ?", (*after, place))
    written = None if correction is None else pack(correction)
    file.execute("UPDATE bodies SET correction = ? WHERE place = ?", (written, place))
    _count(file, seq, [after], [(flags, chosen)])
    return True


def forget_failed(file: sqlite3.Connection, seq: int) -> int:
    """Forget the rows with an error that nobody corrected; how many."""
    given = (seq * SPAN, (seq + 1) * SPAN - 1, FLAGS["failed"] | FLAGS["corrected"], FLAGS["failed"])
    where = "place BETWEEN ? AND ? AND flags & ? = ?"
    places = f"SELECT place FROM rows WHERE {where}"  # noqa: S608 - only ours
    file.execute(f"DELETE FROM bodies WHERE place IN ({places})", given)  # noqa: S608
    gone = file.execute(f"DELETE FROM rows WHERE {where}", given).rowcount  # noqa: S608
    _change(file, seq, Counter({("filter", "all"): -gone, ("filter", "failed"): -gone}))
    return gone


def page(
    file: sqlite3.Connection, seq: int, which: RowFilter, label: str, search: str, offset: int, limit: int
) -> RowPage:
    """Rows that a filter finds, in the file's order, and how many there are."""
    where, wanted = "place BETWEEN ? AND ?", [seq * SPAN, (seq + 1) * SPAN - 1]
    given: list[Any] = list(wanted)
    if which != "all":
        where += f" AND flags & {FLAGS[which]}"
    if label:
        where += " AND instr(chosen, ?)"
        given.append(f"{_BETWEEN}{label}{_BETWEEN}")
    source = "rows"
    if search:
        source = "rows JOIN bodies USING (place)"
        sought = _storable(search[:_SEARCHED])
        if sought.lower() == sought.upper():  # it has no cases, as Chinese: many times faster
            where += " AND (instr(text, ?) OR instr(key, ?))"
            given += [sought] * 2
        else:
            where += " AND (fold(text) LIKE ? ESCAPE '!' OR fold(key) LIKE ? ESCAPE '!')"
            given += [like_pattern(sought)] * 2
    if search or (label and which != "all"):
        total = file.execute(f"SELECT count(*) FROM {source} WHERE {where}", given).fetchone()[0]  # noqa: S608
    else:
        total = count(file, seq, "label", label) if label else count(file, seq, "filter", which)
    places = f"SELECT place FROM {source} WHERE {where} ORDER BY place LIMIT ? OFFSET ?"  # noqa: S608
    found = file.execute(
        f"SELECT {_COLUMNS} WHERE rows.place IN ({places}) ORDER BY rows.place",
        [*given, max(0, limit), max(0, offset)],
    )
    return RowPage(tuple(map(_row, found)), total)


def after(file: sqlite3.Connection, seq: int, number: int, limit: int) -> Sequence[RowResult]:
    """Rows from a number on."""
    found = file.execute(
        f"SELECT {_COLUMNS} WHERE rows.place BETWEEN ? AND ? ORDER BY rows.place LIMIT ?",
        (seq * SPAN + number, (seq + 1) * SPAN - 1, limit),
    )
    return list(map(_row, found))


def numbers(file: sqlite3.Connection, seq: int, first: int, last: int) -> set[int]:
    """Numbers of the rows that are kept, from `first` up to, but not including, `last`."""
    base = seq * SPAN
    found = file.execute("SELECT place FROM rows WHERE place >= ? AND place < ?", (base + first, base + last))
    return {row[0] - base for row in found}


def count(file: sqlite3.Connection, seq: int, kind: str, name: str) -> int:
    """A count of a job's rows: of kind `filter` or `label`."""
    row = file.execute("SELECT count FROM counts WHERE job = ? AND kind = ? AND name = ?", (seq, kind, name)).fetchone()
    return 0 if row is None else int(row[0])


def counts(file: sqlite3.Connection, seq: int, kind: str) -> dict[str, int]:
    """All counts of a kind that are not 0, the largest first."""
    return dict(
        file.execute(
            "SELECT name, count FROM counts WHERE job = ? AND kind = ? AND count > 0 ORDER BY count DESC, name",
            (seq, kind),
        ).fetchall()
    )


def _facts(job: Job, row: RowResult) -> Facts:
    standing = row.correction if row.correction is not None else row.answer
    chosen = _chosen(job.spec.task, standing)
    return (row.number, _flags(job, row), row.score, row.values, row.grounded, row.latency_ms, chosen)


def _flags(job: Job, row: RowResult) -> int:
    found = FLAGS["corrected"] if row.correction is not None else 0
    if row.error is not None:
        return found | FLAGS["failed"]
    if row.score is not None and row.score < job.low:
        found |= FLAGS["low"]
    if job.spec.task == "classify":
        found |= 0 if row.answer.get("label") is not None else FLAGS["none"]
    elif not all(row.answer.get("fields", {}).values()):
        found |= FLAGS["not_found"]
    if row.gold is not None and _differs(job.spec, row):
        found |= FLAGS["differs"]
    return found


def _differs(spec: JobSpec, row: RowResult) -> bool:
    """Whether the answer is not the gold one; gold that cannot be read says nothing."""
    known = spec.labels or tuple(field.name for field in spec.fields)
    try:
        gold = read_gold(spec.task, row.gold, known, row.text)
    except WorkbenchError:
        return False
    return gold is not None and differs(spec.task, row.answer, gold, known)


def _chosen(task: str, answer: dict[str, Any]) -> str:
    """The labels chosen, or the fields with a value."""
    if task == "classify":
        names: Iterable[str] = answer_labels(answer)
    else:
        names = [name for name, values in (answer.get("fields") or {}).items() if values]
    joined = _BETWEEN.join(map(_storable, names))
    return f"{_BETWEEN}{joined}{_BETWEEN}" if joined else ""


def _body(row: RowResult) -> Body:
    text, key = _storable(row.text), _storable(row.key)
    given = None if text is row.text and key is row.key else pack([row.text, row.key])
    return (
        row.number,
        key,
        text,
        pack(row.answer) if row.answer else None,
        pack_error(row.error),
        None if row.gold is None else pack(row.gold),
        pack_phrase(row.problem),
        None if row.correction is None else pack(row.correction),
        given,
    )


def _row(found: tuple[Any, ...]) -> RowResult:
    place, score, values, grounded, latency, key, text, answer, error, gold, problem, correction, given = found
    row = RowResult(
        number=place % SPAN,
        key=key,
        text=text,
        answer=unpack(answer) or {},
        score=score,
        values=values,
        grounded=grounded,
        latency_ms=latency,
        error=unpack_error(error),
        correction=unpack(correction),
        gold=unpack(gold),
        problem=unpack_phrase(problem),
    )
    if given is None:
        return row
    text, key = unpack(given)
    return replace(row, text=text, key=key)


def _count(file: sqlite3.Connection, seq: int, new: Iterable[tuple[int, str]], old: Iterable[tuple[int, str]]) -> None:
    """Bring a job's counts up to date: rows that came, and rows that went."""
    changes: Counter[tuple[str, str]] = Counter()
    for sign, rows in ((1, new), (-1, old)):
        for (flags, chosen), times in Counter(rows).items():
            changes["filter", "all"] += sign * times
            for name, bit in FLAGS.items():
                if flags & bit:
                    changes["filter", name] += sign * times
            for label in filter(None, chosen.split(_BETWEEN)):
                changes["label", label] += sign * times
    _change(file, seq, changes)


def _change(file: sqlite3.Connection, seq: int, changes: Mapping[tuple[str, str], int]) -> None:
    """Add to a job's counts, those in its own row too."""
    file.executemany(
        "INSERT INTO counts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
        [(seq, kind, name, change) for (kind, name), change in changes.items() if change],
    )
    done, failed = changes.get(("filter", "all"), 0), changes.get(("filter", "failed"), 0)
    file.execute("UPDATE jobs SET done = done + ?, failed = failed + ? WHERE seq = ?", (done, failed, seq))


def _storable(text: str) -> str:
    """As SQLite takes it: no half of a character, and no NUL, at which its functions end a text."""
    if text.isascii():
        return text.replace("\0", "\ufffd") if "\0" in text else text
    whole = whole_characters(text)
    whole = text if whole == text else whole
    return whole.replace("\0", "\ufffd") if "\0" in whole else whole
