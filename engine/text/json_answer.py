"""Reads answers to an extraction that are JSON: one object, a list of strings a label. Tolerant, and by hand: an answer
that reached its limit is cut anywhere, and what came before counts.

It does not decide whether a value is in the text.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.text.inspect import whole_characters

_STRING = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
_KEY = re.compile(rf"\s*,?\s*({_STRING})\s*:\s*")
_ITEM = re.compile(rf"\s*,?\s*({_STRING}|-?[0-9][0-9.eE+-]*(?=[\s,\]}}]))")
_END = re.compile(r"\s*(\]|null)?")
_THOUGHT = "</think>"
"""What ends what a model says to itself."""


@dataclass(frozen=True)
class JsonValues:
    """What an answer says of a label. whole: whether its list ends, so that nothing is missing."""

    values: tuple[str, ...]
    whole: bool


def read_json_answer(said: str, labels: Sequence[str]) -> dict[str, JsonValues]:
    """By label, what the first JSON object in an answer says; nothing where it speaks of no label.

    >>> read_json_answer('{"city": ["Rome"], "date": ["1", "2', ["city", "date"])["date"]
    JsonValues(values=('1',), whole=False)
    """
    after = said.rpartition(_THOUGHT)[2]
    start = after.find("{")
    if start < 0:
        return {}
    named = {label.casefold(): label for label in reversed(labels)} | {label: label for label in labels}
    found: dict[str, JsonValues] = {}
    for key, values, whole in _entries(after[start + 1 :]):
        label = named.get(key) or named.get(key.casefold())
        if label is not None:
            found.setdefault(label, JsonValues(values, whole))
    return found


def as_lines(said: str, labels: Sequence[str], absent: str) -> str:
    """An answer in JSON as lines of `label: value<TAB>value`; any other as it is. absent: in place of no value.

    The line of a label that is not whole has no end.
    """
    found = read_json_answer(said, labels)
    if not found:
        return said
    lines = []
    for label, told in found.items():
        values = "\t".join(" ".join(value.split()) for value in told.values) or absent
        lines.append(f"{label}: {values}" + ("\n" if told.whole else ""))
    return "".join(lines)


def _entries(text: str) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """The entries of an object, after its brace: key, strings and numbers of its list, whether the list ends."""
    place = 0
    while key := _KEY.match(text, place):
        place = key.end()
        is_list = text.startswith("[", place)
        place += is_list
        items = []
        while item := _ITEM.match(text, place):
            items.append(_plain(item[1]))
            place = item.end()
            if not is_list:
                break
        end = _END.match(text, place)
        closer = end[1] if end else None
        place = end.end() if end else place
        whole = closer == "]" if is_list else bool(items or closer)
        yield _plain(key[1]), tuple(items), whole
        if not whole:
            return


def _plain(token: str) -> str:
    if not token.startswith('"'):
        return token
    try:
        return whole_characters(str(json.loads(token, strict=False)))
    except ValueError:  # an escape that JSON does not know
        return token[1:-1]
