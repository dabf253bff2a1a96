"""Tables of Parquet files, read a few thousand rows at a time; values become plain JSON types."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.jobs.cells import plain
from engine.jobs.table import Table, column_names, unreadable
from engine.jobs.types import Form, SourceRow
from engine.messages import Phrase

_BATCH = 1024


class ParquetTable(Table):
    """Rows of a Parquet file. Dates and times come as ISO 8601, decimals as text, bytes as text or Base64."""

    def __init__(self, path: Path, form: Form) -> None:
        with _opened(path) as file:
            super().__init__(path, form, column_names(file.schema_arrow.names))

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
                columns = [[plain(value) for value in column.to_pylist()] for column in batch.columns]
                for cells in zip(*columns, strict=True):
                    if number >= start:
                        yield self.row_of(number, cells)
                    number += 1

    def _count(self) -> int:
        with _opened(self.path) as file:
            return int(file.metadata.num_rows)


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
