"""What people do not see in a text: invisible and look-alike characters, its script, and what makes it hard to read.

Offsets are code points of the text as given. It changes no text: it lists, and leaves the choice to the author.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from engine.messages import Phrase
from engine.types import Note

OddKind = Literal[
    "bom",
    "soft-hyphen",
    "bidi",
    "variation-selector",
    "tag",
    "blank",
    "control",
    "private-use",
    "surrogate",
    "replacement",
    "zero-width",
    "look-alike",
]
Script = Literal["han", "kana", "hangul", "latin", "cyrillic", "arabic", "hebrew", "thai", "other", ""]

IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""For a regex class: Unicode's Default_Ignorable_Code_Point, and the marks of interlinear annotation."""

_EAST_ASIAN = ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "HANGUL", "YI")
UNSPACED = frozenset((*_EAST_ASIAN, "THAI", "LAO", "KHMER", "MYANMAR"))
"""Scripts, as `script` names them, in which a word needs no blank beside it: each character may begin or end one."""

_KINDS: dict[OddKind, str] = {
    "bom": "\ufeff",
    "soft-hyphen": "\u00ad",
    "bidi": "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "variation-selector": "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef",
    "tag": "\U000e0000-\U000e007f",
    "blank": "\u00a0\u115f\u1160\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\u3164\uffa0",
    "control": "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f",
    "private-use": "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd",
    "surrogate": "\ud800-\udfff",
    "replacement": "\ufffd",
    "zero-width": IGNORABLE,
}
"""Characters of each kind, as regex classes; the first that fits names the kind."""

_CLASSES = {kind: re.compile(f"[{characters}]") for kind, characters in _KINDS.items()}
_ODD = re.compile(
    # a flag of a region, such as Wales, is a black flag and its letters as tags: whole, so that its tags are not listed
    f"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{3,6}}\U000e007f|[{''.join(_KINDS.values())}]"
)

_TWINS = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХԚԜаеорсухѕіјһԁԛԝӏ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",  # Cyrillic, Greek
        "ABESIJKMHOPCTYXQWaeopcyxsijhdqwl" + "ABEZHIKMNOPTYXo",  # Latin
        strict=True,
    )
)
"""Letters that look like Latin ones in most fonts. Not α, ν, ρ: TNFα and hν are good spelling."""
_TWINNED = frozenset(_TWINS.values())
_MIXING = ("LATIN", "CYRILLIC", "GREEK")
_CYRILLIC_OR_GREEK = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_LETTERS = re.compile(r"[^\W\d_]+")

_SCRIPTS: dict[str, Script] = {
    "": "",
    "CJK": "han",
    "IDEOGRAPHIC": "han",
    "HIRAGANA": "kana",
    "KATAKANA": "kana",
    "KATAKANA-HIRAGANA": "kana",
    "HANGUL": "hangul",
    "LATIN": "latin",
    "CYRILLIC": "cyrillic",
    "ARABIC": "arabic",
    "HEBREW": "hebrew",
    "THAI": "thai",
}
_SCRIPT_PHRASES = {
    "han": "script_han",
    "kana": "script_kana",
    "hangul": "script_hangul",
    "latin": "script_latin",
    "cyrillic": "script_cyrillic",
    "arabic": "script_arabic",
    "hebrew": "script_hebrew",
    "thai": "script_thai",
    "other": "script_other",
}
_SAMPLE = 5000
"""Letters that the script of a text is judged by."""


@dataclass(frozen=True)
class OddCharacter:
    """A character that is not what it seems. `code` is like U+200B; `name` is Unicode's, or its label in <>."""

    offset: int
    char: str
    code: str
    name: str
    kind: OddKind


@lru_cache(maxsize=1 << 16)
def script(char: str) -> str:
    """A letter's script as its Unicode name begins, such as LATIN, CJK, HANGUL; empty for any other character.

    Width and style do not count: a full-width or mathematical letter is LATIN.
    """
    if not char.isalpha():
        return ""
    plain = unicodedata.normalize("NFKD", char)[0]
    return unicodedata.name(plain, "UNKNOWN").split(" ", 1)[0]


def script_of(text: str) -> Script:
    """The script of most letters among the first 5,000; empty where there is no letter."""
    return _dominating(_letters(text))


def invisible(text: str) -> tuple[OddCharacter, ...]:
    """Characters that people do not see or take for others, in order.

    Not listed where they belong: the joiner and the selector of an emoji, joiners inside words of scripts that spell
    with them (Persian, Hindi), and the ideographic blank, which is listed only inside words or numbers that plain
    blanks separate.
    """
    found = [_odd(text, at, kind) for at, kind in _hidden(text)]
    found += [_odd(text, at, "look-alike") for at in _look_alikes(text)]
    return tuple(sorted(found, key=lambda one: one.offset))


def whole_characters(text: str) -> str:
    """The text with each half of a character, which no tokenizer takes, as U+FFFD; offsets stay."""
    return _CLASSES["surrogate"].sub("\ufffd", text)


def is_blank(text: str) -> bool:
    """Whether there is nothing that a person sees."""
    return not re.sub(rf"[\s\x1c-\x1f{IGNORABLE}]+", "", text)


def reveal(text: str) -> list[tuple[str, OddCharacter | None]]:
    """The text in pieces that join to it: stretches without and single characters with something to say."""
    pieces: list[tuple[str, OddCharacter | None]] = []
    shown = 0
    for odd in invisible(text):
        if shown < odd.offset:
            pieces.append((text[shown : odd.offset], None))
        pieces.append((odd.char, odd))
        shown = odd.offset + 1
    if shown < len(text):
        pieces.append((text[shown:], None))
    return pieces


def lint(text: str, asked: Sequence[str]) -> tuple[Note, ...]:
    """What makes a text hard for a model, before it is read. asked: the labels or fields."""
    notes = []
    if text.strip() and not any(map(str.isalpha, text)):
        notes.append(Note("text_symbols"))
    if odd := invisible(text):
        names = dict.fromkeys(f"{one.code} {one.name}" for one in odd)
        shown = ", ".join(islice(names, 3)) + (", …" if len(names) > 3 else "")
        notes.append(Note("text_invisible", {"count": len(odd), "names": shown}))
    return (*notes, *_script_mismatch(text, "\n".join(asked)))


def _script_mismatch(text: str, asked: str) -> Iterator[Note]:
    """A note where text and labels are each in a script of which the other holds less than a tenth.

    Names in Latin letters inside a Chinese text, or Latin abbreviations among Chinese labels, are no mismatch.
    """
    ours, theirs = _letters(text), _letters(asked)
    if not ours or not theirs:
        return
    one, other = _dominating(ours), _dominating(theirs)
    if _share(other, ours) < 0.1 and _share(one, theirs) < 0.1:
        yield Note("script_mismatch", {"text": Phrase(_SCRIPT_PHRASES[one]), "asked": Phrase(_SCRIPT_PHRASES[other])})


def _letters(text: str) -> Counter[Script]:
    """How many of the first letters are of each script."""
    return Counter(_SCRIPTS.get(script(char), "other") for char in islice(filter(str.isalpha, text), _SAMPLE))


def _dominating(letters: Counter[Script]) -> Script:
    return letters.most_common(1)[0][0] if letters else ""


def _share(one: Script, letters: Counter[Script]) -> float:
    """The share of a script; Japanese writes in two, which are one here and the first also Chinese."""
    together: tuple[Script, ...] = ("han", "kana") if one in ("han", "kana") else (one,)
    return sum(letters[each] for each in together) / letters.total()


def _odd(text: str, at: int, kind: OddKind) -> OddCharacter:
    char = text[at]
    code = f"{ord(char):04X}"
    label = {"Cc": "control", "Co": "private-use", "Cs": "surrogate"}.get(unicodedata.category(char), "reserved")
    return OddCharacter(at, char, f"U+{code}", unicodedata.name(char, f"<{label}-{code}>"), kind)


def _hidden(text: str) -> Iterator[tuple[int, OddKind]]:
    for match in _ODD.finditer(text):
        at = match.start()
        if match.end() == at + 1 and not _belongs(text, at):
            kind = _kind(text[at])
            yield at, "zero-width" if kind == "bom" and at else kind


@lru_cache(maxsize=1 << 12)
def _kind(char: str) -> OddKind:
    return next(kind for kind, characters in _CLASSES.items() if characters.match(char))


def _belongs(text: str, at: int) -> bool:
    """Whether a character of `_ODD` is good spelling where it stands."""
    char, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if char == "\u3000":
        return not (_spaced(before) and _spaced(after))
    if char in "\ufe0e\ufe0f":
        return _emoji_like(before)
    if char == "\u200d" and (_emoji_like(before) or before == "\ufe0f") and _emoji_like(after):
        return True
    if char in "\u200c\u200d":
        return _spells_with_joiners(before) and _spells_with_joiners(after)
    return char in "\u180b\u180c\u180d\u180f" and script(before) == "MONGOLIAN"


def _spaced(char: str) -> bool:
    return char.isalnum() and script(char) not in UNSPACED


def _emoji_like(char: str) -> bool:
    """Whether a selector or a joiner may follow: symbols, skin tones, keycaps, and emoji newer than this Python."""
    if not char:
        return False
    return (
        (unicodedata.category(char) in ("So", "Sm") and char > "\x7f")
        or char in "#*0123456789‼⁉ℹ〰"
        or "\U0001f000" <= char <= "\U0001faff"
    )


def _spells_with_joiners(char: str) -> bool:
    """A letter or mark of a script whose letters join, or stack, as in Persian and Hindi."""
    name = script(char) if char.isalpha() else unicodedata.name(char, "").split(" ", 1)[0] if _is_mark(char) else ""
    return bool(name) and name not in UNSPACED and name not in (*_MIXING, "COMBINING")


def _is_mark(char: str) -> bool:
    return bool(char) and unicodedata.category(char).startswith("M")


def _look_alikes(text: str) -> Iterator[int]:
    """Places of letters that look like letters of the script that the rest of their word is in."""
    if not _CYRILLIC_OR_GREEK.search(text):
        return
    for word in _LETTERS.finditer(text):
        counts = Counter(name for name in map(script, word.group()) if name in _MIXING)
        if len(counts) < 2:
            continue
        main = max(_MIXING, key=counts.__getitem__)  # Latin, where it is even
        for at, char in enumerate(word.group(), word.start()):
            if script(char) in _MIXING and script(char) != main and (char in _TWINS or char in _TWINNED):
                yield at
