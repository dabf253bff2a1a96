"""What all families of patterns share: a text made ready, a rule, a place that a rule found.

It knows no kind of value. A text is folded character by character, so that offsets stay those of the text as given;
characters that fold to several (㎏, ½) stay as they are.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

_KEPT = "！＂＇，；？［］｛｝｜＜＞"
"""Full-width marks that end a clause or quote in Chinese; as ASCII they would group digits (3，500) or join words."""
_FOLDED = {
    code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in _KEPT and chr(code) != "～"
} | str.maketrans(
    {
        "￥": "¥",
        "￡": "£",
        "％": "%",
        "～": "~",
        "〜": "~",
        "﹣": "-",
        "−": "-",
        "‐": "-",
        "‑": "-",
        "’": "'",
        "○": "〇",
    }
)
_BLANK = {code: " " for code in range(0x80, 0x3001) if unicodedata.category(chr(code)) == "Zs"}
_TABLE = _FOLDED | _BLANK

HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
"""For a class: the Chinese characters."""
ANY_CASE = re.IGNORECASE
_KINDS = {
    "digit": re.compile("[0-9]"),
    "han": re.compile(f"[{HAN}]"),
    "latin": re.compile("[A-Za-z]"),
    "any": re.compile(f"[0-9A-Za-z{HAN}]"),
}
"""What a rule may need."""


@dataclass(frozen=True)
class Match:
    """A value's place, text[start:end] in code points, the concept it is a value of, and the rule that found it."""

    start: int
    end: int
    concept: str
    rule: str


class Source:
    """A text as given, and the same length in one width: ASCII digits, letters and most marks, plain blanks."""

    def __init__(self, text: str) -> None:
        """text: the text as given; offsets count its code points."""
        self.raw = text
        self.folded = text.translate(_TABLE)
        self._has = {kind: pattern.search(self.folded) is not None for kind, pattern in _KINDS.items()}

    def has(self, needs: str) -> bool:
        """Whether a character of the kind that a rule needs is in the text at all; "" is always there."""
        return self._has.get(needs, True)


@dataclass(frozen=True)
class Rule:
    """One pattern. The value is its group named `value`, else the whole of it; `accepts` may refuse a match.

    needs: what every value holds, one of `_KINDS`; a text without it is not searched.
    Patterns bound every repeat and look back a fixed width, which keeps them linear on any text.
    """

    concept: str
    name: str
    pattern: re.Pattern[str]
    accepts: Callable[[re.Match[str]], bool] | None = None
    needs: str = ""

    def find(self, source: Source) -> Iterator[Match]:
        """All places, in order."""
        if not source.has(self.needs):
            return
        group: str | int = "value" if "value" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(source.folded):
            start, end = match.span(group)
            if start < end and (self.accepts is None or self.accepts(match)):
                yield Match(start, end, self.concept, self.name)


def rule(
    concept: str,
    name: str,
    pattern: str,
    accepts: Callable[[re.Match[str]], bool] | None = None,
    flags: re.RegexFlag = re.NOFLAG,
    needs: str = "",
) -> Rule:
    """A rule from its pattern in words; blanks and comments in it are read over (as in `re.VERBOSE`)."""
    return Rule(concept, name, re.compile(pattern, re.VERBOSE | flags), accepts, needs)


def needing(kind: str, rules: list[Rule]) -> list[Rule]:
    """The rules, each with what it needs where it does not say so itself."""
    return [replace(each, needs=each.needs or kind) for each in rules]


def value(match: re.Match[str]) -> str:
    """What a rule's match would give: its group `value`, else all of it."""
    return match["value"] if "value" in match.re.groupindex else match[0]


def longest(matches: list[Match], length: int) -> list[Match]:
    """Of places that overlap the longest, else the first; in the text's order. length: of the text."""
    taken = bytearray(length)
    kept = []
    for match in sorted(matches, key=lambda match: (match.start - match.end, match.start)):
        if not any_taken(taken, match):
            taken[match.start : match.end] = b"\1" * (match.end - match.start)
            kept.append(match)
    return sorted(kept, key=lambda match: match.start)


def any_taken(taken: bytearray, match: Match) -> bool:
    """Whether a place holds a character that is taken (1)."""
    return taken.find(1, match.start, match.end) >= 0
