"""Amounts of money: the amount in the currency's main unit, and the currency. It converts nothing.

A dollar sign alone is read as US dollars and ¥ as yuan (`engine.text.values.currencies`); an amount with no name has
the currency None. 角, 毛 and 分 are parts of a yuan, cents of a currency that is not named.
"""

import re
from decimal import Decimal

from engine.messages import Phrase
from engine.text.values.currencies import CURRENCY, agreed_code
from engine.text.values.number import ABOUT
from engine.text.values.numerals import EXACT, json_number, leading_number
from engine.text.values.plain import ANY_CASE, plain
from engine.types import TypedValue

_BEFORE = re.compile(rf"(?P<minus>[-−–])?\s*(?P<name>{CURRENCY.pattern})\s*:?\s*", re.ASCII)
_AFTER = re.compile(rf"[多余]?\s*\(?(?P<name>{CURRENCY.pattern})\)?\s*", re.ASCII)
_PART = re.compile(r"[多余]?(?P<part>[元圆块角毛分])\s*")
_WORTH = {"元": "1", "圆": "1", "块": "1", "角": "0.1", "毛": "0.1", "分": "0.01"}
_CENTS = re.compile(r"cents?\b\s*", ANY_CASE)
_TAIL = re.compile(
    r"(?:[多余整正钱起]|左右|以上|以下|以内)*(?:\s*(?:/|每|per\b|an?\b)\s*[^\d\s]{1,12})?[.,;:。、]?",
    ANY_CASE,
)
_APART = re.compile(r"(?<=[A-Z])\s+(?=\$)|(?<=\d)\s+(?=(?:m|mn|bn|b|k)\b)", ANY_CASE)
"""US $5 is US$5, and $2 m is two million; among numbers 2 m would be metres."""


def read_money(text: str) -> TypedValue:
    """{"amount": number, "currency": ISO 4217 code or None}, where the text is one amount and nothing else."""
    bare = _APART.sub("", plain(text))
    if about := ABOUT.match(bare):
        bare = bare[about.end() :]
    names, minus = [], False
    while before := _BEFORE.match(bare):
        names.append(before["name"])
        minus = minus or before["minus"] is not None
        bare = bare[before.end() :]
    found = leading_number(bare)
    if found is None:
        return TypedValue(None, Phrase("not_money"))
    amount, rest = _with_parts(*found, names)
    while after := _AFTER.match(rest):
        names.append(after["name"])
        rest = rest[after.end() :]
    code = agreed_code(names)
    if code == "" or not _TAIL.fullmatch(rest):
        return TypedValue(None, Phrase("not_money"))
    return TypedValue({"amount": json_number(amount.copy_negate() if minus else amount), "currency": code})


def _with_parts(amount: Decimal, rest: str, names: list[str]) -> tuple[Decimal, str]:
    """3元5角2分 and 3块5 in yuan, 50 cents in its main unit, and what follows; 元 is added to the names."""
    if cents := _CENTS.match(rest):
        return EXACT.multiply(amount, Decimal("0.01")), rest[cents.end() :]
    part = _PART.match(rest)
    if part is None:
        return amount, rest
    names.append("元")
    worth, rest = Decimal(_WORTH[part["part"]]), rest[part.end() :]
    total = EXACT.multiply(amount, worth)
    while worth > Decimal("0.01") and (found := leading_number(rest)):
        part = _PART.match(found[1])
        smaller = Decimal(_WORTH[part["part"]]) if part else worth.scaleb(-1)
        if not 0 <= found[0] < 10 or smaller >= worth or (part is None and found[1]):
            break
        total, worth = EXACT.add(total, EXACT.multiply(found[0], smaller)), smaller
        rest = found[1][part.end() :] if part else ""
    return total, rest
