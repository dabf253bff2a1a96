"""Reads records of separated text as RFC 4180 writes them, and goes on sensibly after those that are not so.

A quoted cell must end before a separator or a line end. Where it does not, or does not end at all, its record is taken
to be the one line that it begins with, whose quotes are characters, and reading goes on with the next line: one lost
quote costs one row, not the file.
"""

import csv
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from engine.messages import Phrase

LONGEST = 2**24
"""Characters of a record at most: a longer line is cut, a longer quoted cell counts as one that does not end."""
MARK = "\udcff"
"""What `text_form.open_text` puts in the place of bytes that are no text; half a character, so no text holds it."""
NO_SEPARATOR = "\udcfe"
"""A separator that no text holds: each line is one cell."""

csv.field_size_limit(2 * LONGEST)


@dataclass(frozen=True)
class Record:
    """The cells of a record, and what is odd about it."""

    cells: list[str]
    problem: Phrase | None = None


class _EndlessError(Exception):
    """A record goes on for longer than `LONGEST`."""


class _Lines:
    """Lines of a file; those of the record that is being read are kept, so that it can be read again."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._again: deque[str] = deque()
        self._begun = False
        self.taken: list[str] = []
        self._size = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._source.readline(LONGEST)
        if not line:
            raise StopIteration
        if len(line) == LONGEST and not line.endswith(("\n", "\r")):
            self._drop_rest()
        if not self._begun:
            self._begun, line = True, line.removeprefix("\ufeff")
        self.taken.append(line)
        self._size += len(line)
        if self._size > LONGEST:
            raise _EndlessError
        return line

    def forget(self) -> None:
        """A new record begins."""
        self.taken, self._size = [], 0

    def rewind(self) -> str:
        """The first line of the record; the others are read again."""
        first, *others = self.taken
        self._again.extendleft(reversed(others))
        self.taken = [first]
        return first

    def _drop_rest(self) -> None:
        while (more := self._source.readline(LONGEST)) and not more.endswith(("\n", "\r")):
            pass


def records(source: TextIO, separator: str, width: int | None = None) -> Iterator[Record]:
    """The records of a file that was opened with `newline=""`; blank lines are none.

    width: how many cells are expected; it decides between two readings of a line whose quotes are wrong.
    """
    lines = _Lines(source)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        lines.forget()
        problem = None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (csv.Error, _EndlessError):
            cells = _one_line(lines.rewind(), separator, width)
            problem = Phrase("row_quotes")
            reader = csv.reader(lines, delimiter=separator, strict=True)
        if len(cells) < 2 and not any(line.strip() for line in lines.taken):
            continue
        if any(len(line) == LONGEST for line in lines.taken):
            problem = Phrase("row_cut", limit=LONGEST)
        if any(MARK in line for line in lines.taken):
            cells = [cell.replace(MARK, "\ufffd") for cell in cells]
            problem = problem or Phrase("row_bytes")
        yield Record(cells, problem)


def _one_line(line: str, separator: str, width: int | None) -> list[str]:
    """A line whose quotes are wrong: with quotes as characters, unless only a tolerant reading gives the right width."""
    line = line.rstrip("\r\n")
    plain = line.split(separator)
    if len(plain) == width:
        return plain
    tolerant = next(csv.reader([line], delimiter=separator), [])
    return tolerant if len(tolerant) == width else plain
