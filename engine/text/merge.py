"""From the values of many answers to fields: each value at its place, once, in the text's order.

Every value that has a place keeps the source's own spelling there. It knows no grammar and no model.
"""

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engine.text.align import Aligner
from engine.text.fields import asked_as
from engine.text.inspect import whole_characters
from engine.text.values import type_value
from engine.types import Difference, ExtractRequest, FieldAnswer, FieldSpec, FoundValue, Mentions


@dataclass(frozen=True)
class Part:
    """The part of the source that one prompt holds."""

    source: str
    start: int
    end: int

    @cached_property
    def text(self) -> str:
        """The part as given."""
        return self.source[self.start : self.end]

    @cached_property
    def aligner(self) -> Aligner:
        """Finds values in the part."""
        return Aligner(whole_characters(self.text))


@dataclass(frozen=True)
class Answered:
    """A value as an answer gave it for a label.

    score: None for free decoding. place: where in the source it is, code points; None where the answer does not say.
    """

    label: str
    value: str
    score: float | None
    part: Part
    place: tuple[int, int] | None = None


def field_answers(
    request: ExtractRequest, answered: Iterable[Answered], absences: dict[str, float]
) -> tuple[FieldAnswer, ...]:
    """The fields in the request's order. `absences`: probability of "not found" of labels that no prompt found."""
    whole = Part(request.text, 0, len(request.text))
    answered = list(answered)
    fields = []
    for spec in request.fields:
        labels = asked_as(spec)
        found = field_answer(spec, labels, answered, request.mentions, whole)
        if not found.values and labels.keys() <= absences.keys():
            absent = max(math.prod(absences[label] for label in labels), sys.float_info.min)
            found = replace(found, absent=absent)
        fields.append(found)
    return tuple(fields)


def field_answer(
    field: FieldSpec, labels: dict[str, str], answered: Iterable[Answered], mentions: Mentions, whole: Part
) -> FieldAnswer:
    """What a field's own answers (`labels`: its wordings by label) say, merged; see `FieldSpec.many`.

    whole: the whole text as one part. A value that the parts' overlap gives twice is kept once, with its best score.
    """
    own = [one for one in answered if one.label in labels]
    values: list[FoundValue] = []
    for one in own if mentions == "first" or any(value.place for value in own) else _best_of_each(own):
        values += _placed(one, labels[one.label], mentions, whole)
    if not field.many and values:
        best = max(values, key=lambda value: (value.status != "absent", value.score or 0.0))
        values = [value for value in values if value.text == best.text]
        values = values if mentions == "all" else [best]
    kept = _once(values, mentions)
    typed = {text: type_value(text, field) for text in dict.fromkeys(value.text for value in kept)}
    return FieldAnswer(field, tuple(replace(value, typed=typed[value.text]) for value in kept), None)


def differences(constrained: Sequence[FieldAnswer], free: Sequence[FieldAnswer]) -> tuple[Difference, ...]:
    """Fields whose values differ between two answers, as sets of texts."""
    found = []
    for one, other in zip(constrained, free, strict=True):
        mine = dict.fromkeys(value.text for value in one.values)
        theirs = dict.fromkeys(value.text for value in other.values)
        if mine.keys() != theirs.keys():
            only_mine = tuple(text for text in mine if text not in theirs)
            only_theirs = tuple(text for text in theirs if text not in mine)
            found.append(Difference(one.field.name, only_mine, only_theirs))
    return tuple(found)


def grounded_rate(answers: Sequence[FieldAnswer]) -> float | None:
    """Share of the values that are in the text; None where there are none."""
    values = [value for one in answers for value in one.values]
    return sum(value.status != "absent" for value in values) / len(values) if values else None


def _best_of_each(answered: Iterable[Answered]) -> list[Answered]:
    """Each value once, with its best score: looked for in the whole text, all would be found over and over again."""
    best: dict[str, Answered] = {}
    for one in answered:
        known = best.setdefault(one.value, one)
        if (one.score or 0.0) > (known.score or 0.0):
            best[one.value] = one
    return list(best.values())


def _placed(one: Answered, asked: str, mentions: Mentions, whole: Part) -> list[FoundValue]:
    """A value at its places: the one it came with or the first in its own part, or all in the whole text."""
    if one.place is not None:
        start, end = one.place
        return [FoundValue(whole.source[start:end], start, end, one.score, "exact", asked)]
    found = one.part.aligner.align(one.value)
    if found.status == "absent":
        return [FoundValue(one.value, None, None, one.score, "absent", asked)]
    places = [(start + one.part.start, end + one.part.start) for start, end in found.places[:1]]
    if mentions == "all":
        places = list(whole.aligner.align(one.value).places) or places
    return [FoundValue(whole.source[start:end], start, end, one.score, found.status, asked) for start, end in places]


def _once(values: Iterable[FoundValue], mentions: Mentions) -> list[FoundValue]:
    """One value a place, with first mentions also one a text, in the text's order. The best score stays."""
    best: dict[object, FoundValue] = {}
    for value in sorted(values, key=lambda value: (value.start is None, value.start or 0, value.end or 0)):
        key = value.text if mentions == "first" or value.start is None else (value.start, value.end)
        known = best.setdefault(key, value)
        if (value.score or 0.0) > (known.score or 0.0):
            best[key] = replace(known, score=value.score, asked=value.asked)
    return list(best.values())
