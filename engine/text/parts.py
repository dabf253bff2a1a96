"""Cuts a text that is too long for one prompt into parts, at sentence ends, with some overlap.

Offsets are code points of the whole text. It knows no tokenizer: how much fits is found by the caller.
"""

from collections.abc import Iterator

import regex

OVERLAP = 100
"""Code points that a part repeats of the one before, about: a value across a border is whole in one of them."""

_LONGEST_CHARACTER = 64
"""Code points after an end that may belong to the character before it: marks, and emoji that are joined."""

_SENTENCE = regex.compile(
    r"""[。！？!?；;…]+[”’"'）)】」』]*   # an end that needs no blank after it, with closing quotes
    |   (?<=[\p{L}\p{N})\]"'])\.["')\]]*(?=\s)
    |   [\r\n\x85\u2028\u2029]+""",
    regex.VERBOSE,
)
_LOOSE = regex.compile(r"[，,、:：]|\s+")
_CHARACTER = regex.compile(r"\X", regex.DOTALL)


def last_border(text: str, start: int, end: int) -> int:
    """The best place to end a part of `text[start:end]`: in its later half, the last sentence end, else the last
    comma or blank; else the last whole character. Always after `start`."""
    half = (start + end) // 2
    for pattern in (_SENTENCE, _LOOSE):
        places = [match.end() for match in pattern.finditer(text, half, end) if match.end() > half]
        if places:
            return int(places[-1])
    characters = _character_ends(text, start, end + _LONGEST_CHARACTER)
    return max((place for place in characters if place <= end), default=end)


def next_start(text: str, start: int, end: int) -> int:
    """Where the part after `text[start:end]` begins: in the overlap, at the first sentence, comma or blank, or else
    character. At least three quarters of every part are new."""
    earliest = max(start + 1, end - min(OVERLAP, (end - start) // 4))
    for pattern in (_SENTENCE, _LOOSE):
        match = pattern.search(text, earliest, end)
        if match is not None and match.end() < end:
            return int(match.end())
    return next((place for place in _character_ends(text, start, end) if place >= earliest), end)


def _character_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Where the characters of a part end. It is cut out: in a row of flags `\\X` looks back to the text's beginning."""
    return (start + match.end() for match in _CHARACTER.finditer(text[start:end]))
