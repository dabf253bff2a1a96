"""The places where a span may begin and end: the encoder's pieces, cut further where a value could.

A piece of Chinese is one to four characters, and names begin inside some: each such character is a unit of its own.
Letters and digits of other scripts stay together as the piece has them.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from engine.model.encoder.pieces import Pieces

CHARACTERS = 4096
"""Rows of the table of characters: a character's row is its code modulo this."""

KINDS = 8
_KINDS = {"Z": 0, "Cc": 0, "Lu": 1, "Ll": 2, "N": 3, "L": 5, "M": 5, "P": 6}
"""By category of Unicode; CJK is 4, whatever is left 7."""


@dataclass(frozen=True)
class Units:
    """Units of a text in its order.

    places: code points [start, end) of each. pieces: the index of the piece that each is part of.
    inside: 0 for a whole piece, else 1 for its first unit, 2 for its last, 3 between them.
    """

    places: tuple[tuple[int, int], ...]
    pieces: tuple[int, ...]
    inside: tuple[int, ...]


def units(text: str, pieces: Pieces) -> Units:
    """Cut a text's pieces into units; blanks belong to none."""
    places: list[tuple[int, int]] = []
    owners: list[int] = []
    inside: list[int] = []
    reached = 0
    for index, (start, end) in enumerate(pieces.places):
        own = list(_cut(text, max(start, reached), end))
        reached = max(reached, end)
        places += own
        owners += [index] * len(own)
        inside += [0] if len(own) == 1 else [1, *[3] * (len(own) - 2), 2] if own else []
    return Units(tuple(places), tuple(owners), tuple(inside))


def kind(char: str) -> int:
    """What a character is, coarsely: blank, upper case, lower case, digit, CJK, other letter, punctuation, other."""
    if is_cjk(char):
        return 4
    category = unicodedata.category(char)
    return _KINDS.get(category, _KINDS.get(category[0], 7))


def is_cjk(char: str) -> bool:
    """Whether words are written without blanks in its script: Chinese, Japanese."""
    return (
        "\u3040" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uf900" <= char <= "\ufaff"
        or char >= "\U00020000"
    )


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Runs of letters or of digits, and every other character alone."""
    at = start
    while at < end:
        until = at + 1
        group = _run(text[at])
        while group and until < end and _run(text[until]) == group:
            until += 1
        if not text[at].isspace():
            yield at, until
        at = until


def _run(char: str) -> int:
    """Which runs a character joins: 0 none."""
    found = kind(char)
    if found in (1, 2, 5):
        return 1
    return 2 if found == 3 else 0
