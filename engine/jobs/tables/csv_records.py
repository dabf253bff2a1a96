"""Reads records of separated text as RFC 4180 writes them, and goes on sensibly after those that are not so.

A quoted cell must end before a separator or a line end. Where it does not, or does not end at all, its record is taken
to be the one line that it begins with, whose quotes are characters, and reading goes on with the next line: one lost
quote costs one row, not the file.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from engine.jobs.tables.text_lines import LONGEST, MARK, EndlessError, Lines
from engine.messages import Phrase

NO_SEPARATOR = "\udcfe"
"""A separator that no text holds: each line is one cell."""

csv.field_size_limit(2 * LONGEST)  # of the whole process; the lines bound what is read


@dataclass(frozen=True)
class Record:
    """The cells of a record, and what is odd about it."""

    cells: list[str]
    problem: Phrase | None = None


def records(source: TextIO, separator: str, width: int | None = None, longest: int = LONGEST) -> Iterator[Record]:
    """The records of a file that was opened with `newline=""`; blank lines are none.

    width: how many cells are expected; it decides between two readings of a line whose quotes are wrong.
    longest: characters of a line, and of a record, at most.
    """
    lines = Lines(source, longest)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        lines.begin()
        problem = None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (csv.Error, EndlessError):
            cells = _one_line(lines.rewind(), separator, width)
            problem = Phrase("row_quotes")
            reader = csv.reader(lines, delimiter=separator, strict=True)
        if len(cells) < 2 and not any(map(str.strip, lines.taken)):
            continue
        if lines.cut:
            problem = Phrase("row_cut", limit=longest)
        if lines.marked:
            cells = [cell.replace(MARK, "\ufffd") for cell in cells]
            problem = problem or Phrase("row_bytes")
        yield Record(cells, problem)


def _one_line(line: str, separator: str, width: int | None) -> list[str]:
    """A line whose quotes are wrong: as characters, unless only a tolerant reading gives the right width."""
    line = line.rstrip("\r\n")
    plain = line.split(separator)
    if len(plain) == width:
        return plain
    tolerant = next(csv.reader([line], delimiter=separator), [])
    return tolerant if len(tolerant) == width else plain
