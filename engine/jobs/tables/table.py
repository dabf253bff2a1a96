"""What tables of every kind have in common: columns, rows that stream, and names for what a head leaves unnamed."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from engine.errors import WorkbenchError
from engine.jobs.types import Form, SourceRow, TableKind
from engine.messages import Phrase

EXTRA = "extra_cells"
"""Under this name, or one that begins so, stands what a row has beyond its head, or a line that cannot be read."""


class Table(ABC):
    """A file as rows. It holds no row; every call of `rows` reads the file again from its beginning.

    columns: names in the file's order, none twice and none empty. Rows may hold more: `EXTRA`, and in a file of JSON
    objects names that come late; there a row has no name that its line has not.
    """

    def __init__(self, path: Path, form: Form, columns: Iterable[str]) -> None:
        self.path = path
        self.form = form
        self.columns = tuple(columns)
        self.extra = free_name(EXTRA, self.columns)

    def rows(self, start: int = 0) -> Generator[SourceRow]:
        """The rows from number `start` on.

        Raises:
            WorkbenchError: `table_unreadable` or `bad_file` where the file cannot be read any further.
        """
        with of_files(self.path):
            yield from self._rows(start)

    def count(self) -> int:
        """How many rows there are; reads the whole file. Raises as `rows` does."""
        with of_files(self.path):
            return self._count()

    def preview(self, n: int = 20) -> tuple[SourceRow, ...]:
        """The first rows."""
        with closing(self.rows()) as rows:
            return tuple(islice(rows, n))

    @abstractmethod
    def _rows(self, start: int) -> Iterator[SourceRow]:
        """The rows from number `start` on."""

    def _count(self) -> int:
        return sum(1 for _ in self._rows(0))

    def row_of(self, number: int, cells: Sequence[Any], problem: Phrase | None = None) -> SourceRow:
        """A row by the places of its cells: missing ones are empty, others are kept under `extra`."""
        width = len(self.columns)
        if len(cells) == width:
            return SourceRow(number, dict(zip(self.columns, cells, strict=True)), problem)
        values: dict[str, Any] = dict.fromkeys(self.columns, "")
        values.update(zip(self.columns, cells, strict=False))
        if len(cells) > width:
            values[self.extra] = list(cells[width:])
        return SourceRow(number, values, problem or Phrase("row_length", cells=len(cells), columns=width))


@contextmanager
def of_files(path: Path) -> Iterator[None]:
    """What the operating system says of the file becomes the error `bad_file`."""
    try:
        yield
    except OSError as error:
        raise WorkbenchError("bad_file", path=path, reason=error.strerror or error) from None


def unreadable(path: Path, reason: Phrase) -> WorkbenchError:
    """The error of a file that is no table."""
    return WorkbenchError("table_unreadable", name=path.name, reason=reason)


def refuse_overrides(
    path: Path, kind: TableKind, encoding: str | None = None, separator: str | None = None, sheet: str | None = None
) -> None:
    """An error where something is given that files of this kind do not have."""
    if encoding or separator:
        raise unreadable(path, Phrase("table_no_encoding", kind=kind))
    if sheet:
        raise unreadable(path, Phrase("table_no_sheets", kind=kind))


def column_names(head: Iterable[str]) -> tuple[str, ...]:
    """Names of columns: an empty one gets the number of its place, one that was there before a number of its own.

    >>> column_names(["id", "text", "", "text"])
    ('id', 'text', 'column_3', 'text_2')
    """
    given = list(head)
    taken = set(given) - {""}
    names: list[str] = []
    used: set[str] = set()
    numbers: dict[str, int] = {}  # by name, the number that was given last: a head may have one name very often
    for place, name in enumerate(given, 1):
        chosen = name or f"column_{place}"
        if chosen in used or (not name and chosen in taken):
            number = numbers.get(chosen, 1) + 1
            while f"{chosen}_{number}" in used or f"{chosen}_{number}" in taken:
                number += 1
            numbers[chosen] = number
            chosen = f"{chosen}_{number}"
        used.add(chosen)
        names.append(chosen)
    return tuple(names)


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name itself, or with a number from 2 on where it is taken."""
    others = taken if isinstance(taken, Set | Mapping) else set(taken)
    if name not in others:
        return name
    number = 2
    while f"{name}_{number}" in others:
        number += 1
    return f"{name}_{number}"
