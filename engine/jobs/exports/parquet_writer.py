"""Writes exports as Parquet files, group by group, in a form that does not depend on the rows.

Input columns are text, whatever they were (null where there was nothing), because a later row may hold anything.
`labels` is a list of label and score; `fields`, whose values differ in form, is JSON as text.
"""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from engine.jobs.exports.layout import Layout, OutRow
from engine.jobs.tables.cells import as_text, whole

_GROUP = 10_000
"""Rows that are held at once."""


def write_parquet(rows: Iterable[OutRow], layout: Layout, path: Path) -> int:
    """Write the rows; how many they were."""
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema([(whole(name), _type(name, layout)) for name in layout.names])
    count, left = 0, iter(rows)
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while group := [layout.row(row) for row in islice(left, _GROUP)]:
            columns = [
                pyarrow.array([_value(name, row[name], layout) for row in group], field.type)
                for name, field in zip(layout.names, schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
            count += len(group)
    return count


def _own(name: str, layout: Layout) -> bool:
    return name not in layout.inputs


def _type(name: str, layout: Layout) -> Any:
    import pyarrow

    text = pyarrow.string()
    if not _own(name, layout):
        return text
    if name == "labels":
        return pyarrow.list_(pyarrow.struct([("label", text), ("score", pyarrow.float64())]))
    kinds = {"chosen": pyarrow.list_(text), "score": pyarrow.float64(), "corrected": pyarrow.bool_()}
    return kinds.get(name, text)


def _value(name: str, value: Any, layout: Layout) -> Any:
    if value is None:
        return None
    if _own(name, layout):
        if name == "labels":
            return [_label(one) for one in value]
        if name == "chosen":
            return [whole(one) for one in value]
        if name in {"score", "corrected"}:
            return value
    return whole(as_text(value))


def _label(one: Any) -> dict[str, Any]:
    """A label with its score; one that a user gave has none."""
    if isinstance(one, dict):
        return {"label": whole(as_text(one.get("label"))), "score": one.get("score")}
    return {"label": whole(as_text(one)), "score": None}
