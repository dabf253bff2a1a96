"""Lines of a text file, as they are, with bounds on what is held: a line that is too long is cut, and that is said."""

from collections import deque
from typing import TextIO

LONGEST = 2**24
"""Characters of a line, and of a record of several lines, at most."""
MARK = "\udcff"
"""What `text_form.open_text` puts in the place of bytes that are no text; half a character, so no text holds it."""


class EndlessError(Exception):
    """A record goes on for longer than `LONGEST`."""


class Lines:
    """An iterator over lines; those of the record that is being read are kept, so that it can be read again.

    taken: lines of the record so far. cut: whether one of them was cut. marked: whether one holds a `MARK`.
    """

    def __init__(self, source: TextIO, longest: int = LONGEST) -> None:
        self._source = source
        self._longest = longest
        self._again: deque[str] = deque()
        self._begun = False
        self.begin()

    def begin(self) -> None:
        """A new record begins with the next line."""
        self.taken: list[str] = []
        self.cut = self.marked = False
        self._size = 0

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        """The next line with its end.

        Raises:
            EndlessError: the record is too long; `rewind` or `begin` follows.
        """
        line = self._again.popleft() if self._again else self._read()
        if not line:
            raise StopIteration
        self._take(line)
        if self._size > self._longest and len(self.taken) > 1:
            raise EndlessError
        return line

    def rewind(self) -> str:
        """The first line of the record, to be all of it; the others are read again."""
        first, *others = self.taken
        self._again.extendleft(reversed(others))
        self.begin()
        self._take(first)
        return first

    def _take(self, line: str) -> None:
        self.taken.append(line)
        self._size += len(line)
        if MARK in line:
            self.marked = True
        if len(line) >= self._longest and not line.endswith(("\n", "\r")):
            self.cut = True

    def _read(self) -> str:
        line = self._source.readline(self._longest)
        if len(line) >= self._longest and not line.endswith(("\n", "\r")):
            while (more := self._source.readline(self._longest)) and not more.endswith(("\n", "\r")):
                pass
        if not self._begun:
            self._begun = True
            line = line.removeprefix("\ufeff") or line
        return line
