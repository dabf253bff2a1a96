"""Values that have a form, found in a text by rules: phone numbers, dates, amounts, codes and the like.

The form alone decides, in Chinese and English; meaning does not: whether a date is a birthday or a sum a salary is for
others to say. Two concepts may claim the same place, one concept never claims a character twice.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial

from engine.text.patterns import amounts, codes, contacts, dates, dates_english, measures, people, times
from engine.text.patterns.rules import Match, Rule, Source, any_taken, longest

__all__ = ["CONCEPTS", "Match", "find"]

_RULES: dict[str, list[Rule]] = {}
for _rule in (
    rule
    for family in (amounts, codes, contacts, dates, dates_english, measures, people, times)
    for rule in family.RULES
):
    _RULES.setdefault(_rule.concept, []).append(_rule)


def _by_rules(rules: list[Rule], source: Source) -> Iterable[Match]:
    return (match for rule in rules for match in rule.find(source))


_FINDERS: dict[str, Callable[[Source], Iterable[Match]]] = {
    **{concept: partial(_by_rules, rules) for concept, rules in _RULES.items()},
    "phone": contacts.find_phones,
    "email": contacts.find_emails,
    "url": contacts.find_urls,
}
CONCEPTS: frozenset[str] = frozenset(_FINDERS)
"""Ids of the concepts that can be found, as in assets/offline/concepts.json."""

_ADDRESSES = ("email", "url")
_CODES = ("id_number", "bank_card", "order_number", "tracking_number", "contract_number")
_INSIDE: dict[str, tuple[str, ...]] = {
    "url": ("email",),
    "username": _ADDRESSES,
    "hashtag": _ADDRESSES,
    "bank_card": ("id_number", "order_number", "tracking_number", "contract_number"),
    "date": (*_ADDRESSES, *_CODES, "ip_address"),
    "phone": (*_ADDRESSES, *_CODES, "ip_address", "date"),
    "time": _ADDRESSES,
    "duration": ("age",),
    "rating": ("date", "url"),
    "quantity": (
        "date",
        "time",
        "duration",
        "money",
        "percent",
        "age",
        "rating",
        "transport_number",
        *_ADDRESSES,
        *_CODES,
    ),
}
_INSIDE["number"] = (
    *_INSIDE["quantity"], "phone", "ip_address", "licence_plate", "postcode", "hashtag", "username", "dosage",
)  # fmt: skip
"""Concepts whose values are no values of another, not even in part: no phone number in an order's number."""


def find(text: str, concepts: Collection[str]) -> list[Match]:
    """Every value of the concepts in the text, in the text's order.

    text: any string; offsets count its code points. concepts: ids; those not in `CONCEPTS` have no values.

    >>> find("电话13800138000", ["phone"])
    [Match(start=2, end=13, concept='phone', rule='chinese mobile')]
    """
    source, found = Source(text), dict[str, list[Match]]()
    wanted = [concept for concept in _FINDERS if concept in concepts]
    matches = [match for concept in wanted for match in _found(concept, source, found)]
    return sorted(matches, key=lambda match: (match.start, match.end, match.concept))


def _found(concept: str, source: Source, found: dict[str, list[Match]]) -> list[Match]:
    """A concept's places, each found once in a call."""
    if concept not in found:
        taken = bytearray(len(source.raw))
        for other in _INSIDE.get(concept, ()):
            for match in _found(other, source, found):
                taken[match.start : match.end] = b"\1" * (match.end - match.start)
        matches = [match for match in _FINDERS[concept](source) if not any_taken(taken, match)]
        found[concept] = longest(matches, len(source.raw))
    return found[concept]
