"""Rows on their way between machines: numbers beside compact JSON, in Arrow tables, never pickled objects of ours."""

from collections.abc import Sequence
from typing import Any

import pyarrow

from engine.errors import WorkbenchError
from engine.jobs.store.stored_form import pack, pack_error, pack_phrase, unpack, unpack_error, unpack_phrase
from engine.jobs.types import JobSpec, RowResult, SourceRow


def block(spec: JobSpec, rows: Sequence[SourceRow]) -> pyarrow.Table:
    """Rows as they travel to a worker: number (int64) and row (JSON); of their columns those that it needs."""
    wanted = {*spec.columns, *filter(None, (spec.id_column, spec.gold))}
    bodies = [
        pack([{name: value for name, value in row.values.items() if name in wanted}, pack_phrase(row.problem)])
        for row in rows
    ]
    return pyarrow.table({"number": pyarrow.array([row.number for row in rows], pyarrow.int64()), "row": bodies})


def unpack_source(number: int, body: str) -> SourceRow:
    """The row that `block` was given."""
    values, problem = unpack(body)
    return SourceRow(int(number), values, unpack_phrase(problem))


def pack_result(result: RowResult) -> str:
    """A row's result as JSON."""
    plain: dict[str, Any] = {
        "key": result.key,
        "text": result.text,
        "answer": result.answer,
        "score": result.score,
        "values": result.values,
        "grounded": result.grounded,
        "latency_ms": result.latency_ms,
        "gold": result.gold,
    }
    return pack([plain, pack_error(result.error), pack_phrase(result.problem)])


def unpack_result(number: int, body: str) -> RowResult:
    """The result that `pack_result` was given."""
    plain, error, problem = unpack(body)
    return RowResult(int(number), error=unpack_error(error), problem=unpack_phrase(problem), **plain)


def read_fatal(body: str) -> WorkbenchError | None:
    """Why a worker can answer nothing at all; None where it can."""
    return unpack_error(body) if body else None
