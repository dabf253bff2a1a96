"""Numbers as people write them, with or without a unit. It converts no units.

A percentage is the number before its sign: 12.5% and 百分之十二点五 are 12.5. A bound or an estimate (18岁以上, 约30,
100多人) is its number; a range (3-5), a ratio (1/3) or a power (10²) is none.
"""

import re

from engine.messages import Phrase
from engine.text.values.numerals import DIGITS, WORDS, json_number, leading_number
from engine.text.values.plain import ANY_CASE, plain
from engine.types import TypedValue

ABOUT = re.compile(
    r"(?:(?:大约|大概|约为|约|約|将近|近|共计|合计|总计|共|about\b|around\b|approximately\b|approx\.|nearly\b|[~≈])\s*)+",
    ANY_CASE,
)
"""What may stand before a number and changes nothing about it."""

_ORDINAL = re.compile(r"第|no\.\s*|#|[$€£¥₩₹]\s*", ANY_CASE)
_SECOND = re.compile(f"[0-9{DIGITS}十]")
_SQUARE = re.compile("(?<=[a-z])[23](?![0-9])", ANY_CASE)
_NO_UNIT = re.compile(r"[~–—至到几=<>:*×^?十万亿]|-(?![a-z])|兆(?![瓦赫字比帕欧])", ANY_CASE)
_JOINED = {*WORDS, "to", "or", "and", "point"}


def read_number(text: str) -> TypedValue:
    """The number a text begins with, if nothing but a unit of at most 24 characters follows it."""
    bare = plain(text)
    bare = bare[_end(ABOUT, bare) :]
    found = leading_number(bare[_end(_ORDINAL, bare) :])
    if found is None or not _is_unit(found[1]):
        return TypedValue(None, Phrase("not_a_number"))
    return TypedValue(json_number(found[0]))


def _end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _is_unit(rest: str) -> bool:
    """Whether what follows a number may be its unit: not a second number, not the rest of a range or a ratio."""
    if len(rest) > 24 or _NO_UNIT.match(rest) or _SECOND.search(_SQUARE.sub("", rest)):
        return False
    return _JOINED.isdisjoint(re.findall("[a-z]+", rest.casefold()))
