"""Tables of Parquet files, read a few thousand rows at a time; values become plain JSON types."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.jobs.tables.cells import plain
from engine.jobs.tables.table import Table, column_names, unreadable
from engine.jobs.types import Form, SourceRow
from engine.messages import Phrase

_BATCH = 1024


class ParquetTable(Table):
    """Rows of a Parquet file. Dates and times come as ISO 8601, decimals as text, bytes as text or Base64."""

    def __init__(self, path: Path, form: Form) -> None:
        with _opened(path) as file:
            names = column_names(file.schema_arrow.names)
        if not names:
            raise unreadable(path, Phrase("table_empty"))
        super().__init__(path, form, names)

    def _rows(self, start: int) -> Iterator[SourceRow]:
        """Whole groups of rows before `start` are not read."""
        with _opened(self.path) as file:
            number = 0
            groups: list[int] = []
            for group in range(file.metadata.num_row_groups):
                size = file.metadata.row_group(group).num_rows
                if not groups and number + size <= start:
                    number += size
                else:
                    groups.append(group)
            for batch in file.iter_batches(batch_size=_BATCH, row_groups=groups) if groups else ():
                columns = [_values(column) for column in batch.columns]
                for row in zip(*columns, strict=True):
                    if number >= start:
                        problem = next((one.problem for one in row if isinstance(one, _Odd)), None)
                        cells = [one.text if isinstance(one, _Odd) else one for one in row]
                        yield self.row_of(number, cells, problem)
                    number += 1

    def _count(self) -> int:
        with _opened(self.path) as file:
            return int(file.metadata.num_rows)


@dataclass(frozen=True)
class _Odd:
    """A cell that Python has no value for: how it reads, and what is odd about it."""

    text: str
    problem: Phrase


def _values(column: Any) -> list[Any]:
    """A column's values; one by one where some of them are odd, so that these cost no other row."""
    try:
        return [plain(value) for value in column.to_pylist()]
    except Exception:  # dates beyond the year 9999, unknown time zones (whose errors are of another package), no UTF-8
        return [_value(scalar) for scalar in column]


def _value(scalar: Any) -> Any:
    try:
        return plain(scalar.as_py())
    except UnicodeDecodeError as error:
        if isinstance(error.object, bytes):
            return _Odd(error.object.decode("utf-8", "replace"), Phrase("row_bytes"))
        raise
    except Exception:
        text = _written(scalar)
        return _Odd(text, Phrase("row_odd_date", value=text))


def _written(scalar: Any) -> str:
    """A date or time as Arrow writes it, else the number that the file has; of lists and structs what Arrow shows."""
    import pyarrow

    for kind in (pyarrow.string(), pyarrow.int64(), pyarrow.int32()):
        with suppress(pyarrow.ArrowException):
            text = str(scalar.cast(kind))
            if not text.startswith("<"):  # "<value out of range: 1>"
                return text
    return " ".join(str(pyarrow.array([scalar], scalar.type)).split())


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False) as file:
            yield file
    except (FileNotFoundError, PermissionError):
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise unreadable(path, Phrase("table_damaged", said=str(error).partition("\n")[0])) from None
