"""Which values of an answer are which gold spans, in one row.

Exact: same field and same place; a field whose gold spans lack a place in this row is compared by distinct texts.
Overlap: same field and at least one character in common. Each gold span and each value is matched once at most, the
largest overlap first, earlier spans first where overlaps are equal (partial matching as in MUC-5, Chinchor and Sundheim
1993, with a partial match counted as a whole one). Without a place, texts overlap where one holds the other.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from engine.jobs.gold import GoldSpan
from engine.lab.figures import Counts

Key = tuple[str, int | str | None, int | None]


@dataclass(frozen=True)
class FieldMatch:
    """One field in one row: exact by place, by distinct texts, and overlapping.

    right: for each value in the answer's order, whether it is exactly a gold one.
    """

    exact: Counts
    text: Counts
    overlap: Counts
    right: tuple[bool, ...]


def match_field(gold: Collection[GoldSpan], found: Collection[GoldSpan]) -> FieldMatch:
    """Match the spans of one field."""
    placed = all(span.start is not None for span in gold)
    wanted = {span.key(placed): span for span in gold}
    given = {span.key(placed): span for span in found}
    return FieldMatch(
        exact=_same(wanted, given),
        text=_same({span.key(False) for span in gold}, {span.key(False) for span in found}),
        overlap=_overlapping(list(wanted.values()), list(given.values())),
        right=tuple(span.key(placed) in wanted for span in found),
    )


def by_field(spans: Iterable[GoldSpan]) -> dict[str, list[GoldSpan]]:
    """Spans under their fields, in order."""
    fields: dict[str, list[GoldSpan]] = {}
    for span in spans:
        fields.setdefault(span.field, []).append(span)
    return fields


def _same(wanted: Collection[Key], given: Collection[Key]) -> Counts:
    both = sum(key in wanted for key in given)
    return Counts(both, len(given) - both, len(wanted) - both)


def _overlapping(gold: list[GoldSpan], found: list[GoldSpan]) -> Counts:
    pairs = [
        (-shared, at, place)
        for at, wanted in enumerate(gold)
        for place, given in enumerate(found)
        if (shared := _shared(wanted, given)) > 0
    ]
    used_gold: set[int] = set()
    used_found: set[int] = set()
    for _, at, place in sorted(pairs):
        if at not in used_gold and place not in used_found:
            used_gold.add(at)
            used_found.add(place)
    both = len(used_gold)
    return Counts(both, len(found) - both, len(gold) - both)


def _shared(one: GoldSpan, other: GoldSpan) -> int:
    """Characters in common."""
    if one.start is not None and one.end is not None:
        if other.start is None or other.end is None:
            return 0
        return min(one.end, other.end) - max(one.start, other.start)
    if one.text in other.text or other.text in one.text:
        return min(len(one.text), len(other.text))
    return 0
