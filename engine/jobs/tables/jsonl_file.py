"""Tables of JSON: an object a line, or one array of objects. Values stay as they are, nested ones too.

A line that is no object is a row with a problem, and its text is kept.
"""

import json
import math
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from engine.jobs.tables.table import Table, free_name, unreadable
from engine.jobs.tables.text_form import open_text
from engine.jobs.tables.text_lines import LONGEST, MARK, Lines
from engine.jobs.types import Form, SourceRow
from engine.messages import Phrase
from engine.text.inspect import whole_characters

_FIRST = 1000
"""Rows whose names make the columns."""
_PART = 2**16
"""Characters of an array that are read at once, at first."""
_BETWEEN = " \t\r\n,"


class JsonlTable(Table):
    """Rows of JSON objects; columns are the names of the first rows, in the order of their coming."""

    def __init__(self, path: Path, form: Form) -> None:
        super().__init__(path, form, ())
        names: dict[str, None] = {}
        with closing(self._objects()) as objects:
            for _, value in islice(objects, _FIRST):
                names.update(dict.fromkeys(value if isinstance(value, dict) else ()))
        if not names:
            raise unreadable(path, Phrase("table_no_objects"))
        self._odd = {name: "" for name in names if whole_characters(name) != name}
        """Names with half of a character, which nobody could choose, and the names that stand for them."""
        for name in self._odd:
            self._odd[name] = free_name(whole_characters(name), {*names, *self._odd.values()})
        super().__init__(path, form, (self._odd.get(name, name) for name in names))

    def _rows(self, start: int) -> Iterator[SourceRow]:
        for number, (text, value) in enumerate(self._objects()):
            if number < start:
                continue
            if isinstance(value, dict):
                yield SourceRow(number, self._named(value), Phrase("row_bytes") if MARK in text else None)
            else:
                yield SourceRow(number, {self.extra: text.replace(MARK, "\ufffd")}, Phrase("row_not_json"))

    def _named(self, cells: dict[str, Any]) -> dict[str, Any]:
        return {self._odd.get(name, name): cell for name, cell in cells.items()} if self._odd else cells

    def _count(self) -> int:
        return sum(1 for _ in self._objects())

    def _objects(self) -> Generator[tuple[str, Any]]:
        """What is there by its text: an object, or what else was read; None where it cannot be read."""
        with open_text(self.path, self.form.encoding) as source:
            is_array = source.read(_PART).lstrip("\ufeff \t\r\n").startswith("[")
            source.seek(0)
            if is_array:
                yield from array_items(source)
                return
            lines = Lines(source)
            for line in lines:
                lines.begin()
                if text := line.strip():
                    yield text, read_json(text)


def read_json(text: str) -> Any:
    """A JSON value; None where it is none.

    A name that comes twice in an object gets a number, so that both values are kept. What is no finite number is text.
    """
    try:
        return _DECODER.decode(text.replace(MARK, "\ufffd"))
    except (ValueError, RecursionError):
        return None


def array_items(source: TextIO, longest: int = LONGEST) -> Iterator[tuple[str, Any]]:
    """The items of an array, each with its text. What follows an item that cannot be read is one item, None."""
    buffer, place, part, ended = source.read(_PART).lstrip("\ufeff \t\r\n")[1:], 0, _PART, False
    while True:
        while place < len(buffer) and buffer[place] in _BETWEEN:
            place += 1
        if buffer[place : place + 1] == "]":
            return
        try:
            value, end = _DECODER.raw_decode(buffer.replace(MARK, "\ufffd") if MARK in buffer else buffer, place)
        except (ValueError, RecursionError):
            end = len(buffer)
            value = None
        if end < len(buffer) or ended:
            if text := buffer[place:end]:
                yield text, value
            if end == len(buffer):
                return
            place, part = end, _PART
            continue
        if len(buffer) - place > longest:
            yield buffer[place : place + longest], None
            return
        more = source.read(part)
        buffer, place, part, ended = buffer[place:] + more, 0, part * 2, not more


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        made, numbers = {}, dict.fromkeys(made, 1)
        for name, value in pairs:
            chosen = name
            while chosen in made:
                numbers[name] += 1
                chosen = f"{name}_{numbers[name]}"
            made[chosen] = value
    return made


def _float(text: str) -> float | str:
    """A number; one that is larger than any stays text, as JSON cannot write it again."""
    value = float(text)
    return value if math.isfinite(value) else text


def _int(text: str) -> int | str:
    """A whole number; one of more digits than Python reads stays text."""
    try:
        return int(text)
    except ValueError:
        return text


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=str)
