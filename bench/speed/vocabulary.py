"""A byte-level BPE vocabulary made without a corpus, with tokens as long as a trained one's.

A token is one character of Chinese, or one word of two; Latin and other alphabets go word by word; what is unknown
falls into shorter pieces, and into bytes at last. The words of the bench's own texts come first, then made-up ones
until the vocabulary has its size. It means nothing: it only makes the counts of tokens, and the work of the grammar
over so many entries, those of a real tokenizer.
"""

import random
import re
from collections.abc import Iterator, Sequence

from bench.speed.texts import everything

SPECIALS = ("<unk>", "<s>", "</s>", "<pad>")
_SEED = 560
_PAIRS, _LONGER = 80_000, 20_000
"""Made-up Chinese words of two characters, and of three."""
_ALPHABETS = (
    ("bcdfghklmnprstvz", "aeiou"),
    ("bdglmnprstvz", "áéíóúàèê"),
    ("бвгдзклмнпрст", "аеиоуыя"),
    ("بتجدرسعفقكلمنه", "اوي"),
    ("कखगचजटडतदनपबमयरलवस", "ािीुूेैोौ"),
)
_WORD_SHARES = (6, 3, 2, 1, 1)
_WHOLE = 8
"""Letters of a word that is one token; a longer one is two."""

Merge = tuple[bytes, bytes]


class Vocabulary:
    """Tokens as bytes, each made of two others; written out in the order of their stages.

    Stages: characters and digits, Chinese words, words after a blank, words elsewhere. An earlier one is merged
    first.
    """

    def __init__(self, size: int) -> None:
        self._left = size - len(SPECIALS) - 256
        self._stages: tuple[dict[bytes, Merge], ...] = ({}, {}, {}, {})
        self._known = {bytes([byte]) for byte in range(256)}
        for pieces, stage in _needed():
            self._chain(pieces, stage)
        for pieces, stage in _made_up():
            if self._left <= 0:
                break
            self._chain(pieces, stage)

    def tables(self) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Ids by token, and merges, in the characters that byte-level BPE writes bytes with."""
        names = [chr(code) for code in _byte_characters()]

        def named(token: bytes) -> str:
            return "".join(names[byte] for byte in token)

        merges = [merge for stage in self._stages for merge in stage.values()]
        tokens = [*(bytes([byte]) for byte in range(256)), *(left + right for left, right in merges)]
        ids = {token: number for number, token in enumerate([*SPECIALS, *map(named, tokens)])}
        return ids, [(named(left), named(right)) for left, right in merges]

    def _chain(self, pieces: Sequence[bytes], stage: int) -> None:
        """Make a token of these pieces, which are tokens, through all its beginnings."""
        token = pieces[0]
        for piece in pieces[1:]:
            if token + piece not in self._known:
                if self._left <= 0 or token not in self._known or piece not in self._known:
                    return
                self._stages[stage][token + piece] = (token, piece)
                self._known.add(token + piece)
                self._left -= 1
            token += piece


def _needed() -> Iterator[tuple[list[bytes], int]]:
    """The characters and the words of the bench's texts."""
    words = [word for text in everything() for word in re.split(r"[/\n]+", text)]
    for character in dict.fromkeys("".join(words)):
        yield _bytes(character), 0
    for word in words:
        for at in range(0, len(word) - 1, 2):
            if _is_chinese(word[at : at + 2]):
                yield [character.encode() for character in word[at : at + 2]], 1
    latin = list(dict.fromkeys(word for text in words for word in re.findall(r"[A-Za-z]+", text)))
    for word in latin:
        yield _letters(" " + word[: _whole(word)]), 2
    for number in range(100):
        yield _letters(f"{number:02}"), 0
    for word in latin:
        yield _letters(word[_whole(word) :] or word), 3


def _made_up() -> Iterator[tuple[list[bytes], int]]:
    draw = random.Random(_SEED)  # noqa: S311 - a fixed draw is wanted
    common = [bytes([high, low]).decode("gb2312", "ignore") for high in range(0xB0, 0xF8) for low in range(0xA1, 0xFF)]
    common = [character for character in common if character]
    for character in common:
        yield _bytes(character), 0
    for consonants, vowels in _ALPHABETS:
        for letter in consonants + vowels:
            yield _bytes(letter), 0
    frequent = [character.encode() for character in common[:3755]]
    for number in range(_PAIRS):
        pair = draw.choices(frequent, k=2)
        yield pair, 1
        if number < _LONGER:
            yield [pair[0] + pair[1], draw.choice(frequent)], 1
    while True:
        consonants, vowels = draw.choices(_ALPHABETS, _WORD_SHARES)[0]
        syllables = draw.choice((1, 2, 2, 3))
        word = "".join(
            draw.choice(consonants) + draw.choice(vowels) + draw.choice(("", "", consonants[draw.randrange(8)]))
            for _ in range(syllables)
        )
        yield _letters(" " + word), 2
        if draw.random() < 0.3:
            yield _letters(word), 3


def _whole(word: str) -> int:
    return len(word) if len(word) <= _WHOLE else len(word) * 3 // 5


def _is_chinese(text: str) -> bool:
    return len(text) == 2 and all("一" <= character <= "鿿" for character in text)


def _bytes(character: str) -> list[bytes]:
    return [bytes([byte]) for byte in character.encode()]


def _letters(word: str) -> list[bytes]:
    return [letter.encode() for letter in word]


def _byte_characters() -> list[int]:
    """The code point that stands for each byte: GPT-2's table."""
    shown = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = iter(range(0x100, 0x200))
    return [byte if byte in shown else next(hidden) for byte in range(256)]
