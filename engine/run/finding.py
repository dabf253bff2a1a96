"""How a model that understands finds fields' values: its own spans, rules for values with a form, and named values.

Every wording is looked up in the table of concepts. Spans of the model, matches of `engine.text.patterns` and values
that the text itself names ("Warranty: 2 years") are candidates; they compete for their places, and wordings that mean
the same (two dates, two amounts) by how near their names stand. It asks no prompt.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Query, SpanReading, Understanding
from engine.run.together import CHARACTERS, attempt, grouped, packed
from engine.text import patterns
from engine.text.candidates import Candidate, Places, compete
from engine.text.concepts import ancestors, concept_of_type, concepts, lookup, qualifier
from engine.text.cues import named_values, nearness
from engine.text.fields import asked_as
from engine.text.merge import Answered, Part, field_answers
from engine.text.values import find_matches, find_options
from engine.types import ExtractRequest, FieldAnswer, FieldSpec

RULE = 0.9
"""Probability of a value whose form says what it is."""
_KIND = 0.6
"""Of a value whose form is that of a wider concept: an amount of money where a salary is asked for."""
_NAMED = 0.9
"""Of a value that follows its field's name and a colon."""
_GIVEN = 0.95
"""Of a match of the user's own list or expression."""
_NEARNESS = 0.35
"""What a name that stands just before a value is worth, where wordings compete that mean the same."""
_FORMAL = frozenset(
    {
        *("phone", "email", "url", "ip_address", "username", "hashtag", "postcode", "percent"),
        *("id_number", "bank_card", "order_number", "tracking_number", "contract_number", "licence_plate"),
    }
)
"""Concepts whose values all have a form: what the rules do not find is none."""
_COUNTED = frozenset({"percent", "rating", "age", "money", "duration", "dosage", "size"})
"""Concepts whose values a field of numbers may hold, where its name says so."""


@dataclass(frozen=True)
class Sought:
    """A wording and what it means. `label`: as it stands in the result; `concepts`: best first."""

    label: str
    asked: str
    field: FieldSpec
    concepts: tuple[str, ...]

    @property
    def meaning(self) -> tuple[object, ...]:
        """What is looked for: wordings of several fields that agree in it are looked for once."""
        given = self.field.type in ("list", "regex")
        return self.label, self.concepts, given and (self.field.type, self.field.options, self.field.pattern)

    @property
    def own_rules(self) -> frozenset[str]:
        """Concepts of it that have a form themselves."""
        return frozenset(self.concepts) & patterns.CONCEPTS

    @property
    def wider_rules(self) -> frozenset[str]:
        """Wider concepts that have a form where its own have none."""
        wider = frozenset(higher for one in self.concepts for higher in ancestors(one))
        return wider & patterns.CONCEPTS - self.own_rules


@dataclass(frozen=True)
class Search:
    """What a field set looks for. `own`: the wordings of each field; `sought`: all, once a meaning."""

    own: tuple[tuple[Sought, ...], ...]
    sought: tuple[Sought, ...]

    @property
    def queries(self) -> list[Query]:
        """What the model is asked."""
        return [Query(one.asked, one.concepts) for one in self.sought]


@dataclass(frozen=True)
class Found:
    """The request's fields, and what finding their values took."""

    fields: tuple[FieldAnswer, ...]
    tokens: int
    windows: int


def find(
    backend: Understanding, requests: Sequence[ExtractRequest], stop: Event | None = None
) -> list[Found | WorkbenchError]:
    """The values of the requests' fields, in order; `cancelled` in the place of what a stop left unanswered.

    Texts of the same field set are read together.
    """
    made: dict[int, Found | WorkbenchError] = {}
    for fields, places in grouped(one.fields for one in requests).items():
        search = _search(fields)
        for batch in packed([len(requests[place].text) for place in places], CHARACTERS):
            own = [places[number] for number in batch]
            readings = attempt(backend.find_spans, [requests[place].text for place in own], search.queries, stop)
            if isinstance(readings, WorkbenchError):
                made |= dict.fromkeys(own, readings)
                continue
            for place, reading in zip(own, readings, strict=True):
                made[place] = attempt(_settle, backend.threshold, requests[place], search, reading, stop)
    return [made[place] for place in range(len(requests))]


def _search(fields: Sequence[FieldSpec]) -> Search:
    own = tuple(tuple(sought_of(field, label, asked) for label, asked in asked_as(field).items()) for field in fields)
    distinct: dict[object, Sought] = {}
    for one in chain(*own):
        distinct.setdefault(one.meaning, one)
    return Search(own, tuple(distinct.values()))


def _settle(
    threshold: float, request: ExtractRequest, search: Search, reading: SpanReading, stop: Event | None
) -> Found:
    """Which of all candidates are a request's values."""
    sought = search.sought
    candidates = propose(request.text, sought, reading, stop)
    kept = compete(candidates, threshold, nested=request.nested)
    if request.mentions == "all":
        kept += _elsewhere(request.text, kept, nested=request.nested)
    absences = _absences(len(sought), candidates, kept, nested=request.nested)
    fields = _by_field(request, search, kept, absences)
    return Found(fields, reading.tokens, reading.windows)


def _by_field(
    request: ExtractRequest, search: Search, kept: Sequence[Candidate], absences: Mapping[int, float]
) -> tuple[FieldAnswer, ...]:
    """What its own wordings found for each field. `absences`: by index of a wording."""
    own, sought = search.own, search.sought
    whole = Part(request.text, 0, len(request.text))
    numbers = {one.meaning: number for number, one in enumerate(sought)}
    found: defaultdict[int, list[Answered]] = defaultdict(list)
    owners: defaultdict[int, list[int]] = defaultdict(list)
    for field, wanted in enumerate(own):
        for one in wanted:
            owners[numbers[one.meaning]].append(field)
    for value in kept:
        text = request.text[value.start : value.end]
        answered = Answered(sought[value.query].label, text, value.probability, whole, value.place)
        for field in owners[value.query]:
            found[field].append(answered)
    answers: list[FieldAnswer] = []
    for field, (spec, wanted) in enumerate(zip(request.fields, own, strict=True)):
        missing = {one.label: absences[number] for one in wanted if (number := numbers[one.meaning]) in absences}
        answers += field_answers(replace(request, fields=(spec,)), found[field], missing)
    return tuple(answers)


def _absences(
    wordings: int, candidates: Sequence[Candidate], kept: Sequence[Candidate], *, nested: bool
) -> dict[int, float]:
    """By wording without a value, the probability of that: of its best candidate no other took the place of."""
    best = dict.fromkeys(range(wordings), 0.0)
    taken = Places(() if nested else (one.place for one in kept))
    for one in candidates:
        if not taken.overlaps(one.start, one.end):
            best[one.query] = max(best[one.query], one.probability)
    answered = {one.query for one in kept}
    return {query: 1 - value for query, value in best.items() if query not in answered}


def _elsewhere(text: str, kept: Sequence[Candidate], *, nested: bool) -> list[Candidate]:
    """Every other place of the values' texts, where no value is yet; nested: none of the same wording."""
    aligner = Part(text, 0, len(text)).aligner
    taken: defaultdict[int, Places] = defaultdict(Places)

    def take(one: Candidate) -> bool:
        return taken[one.query if nested else 0].take(one.start, one.end)

    for one in kept:
        take(one)
    more = []
    best = {(one.query, text[one.start : one.end]): one for one in reversed(kept)}
    for (_, value), one in best.items():
        for start, end in aligner.align(value).places:
            other = replace(one, start=start, end=end)
            if text[start:end] == value and take(other):
                more.append(other)
    return more


def sought_of(field: FieldSpec, label: str, asked: str) -> Sought:
    """What a wording of a field means: by its own words, else by the description; its type has the last word."""
    named = lookup(asked) or lookup(field.description)
    typed = concept_of_type(field.type)
    if typed:
        wanted = frozenset(typed) | (_COUNTED if field.type == "number" else frozenset())
        named = tuple(one for one in named if (ancestors(one) | {one}) & wanted) or typed
    return Sought(label, asked, field, named)


def propose(text: str, sought: Sequence[Sought], reading: SpanReading, stop: Event | None = None) -> list[Candidate]:
    """Every candidate for the wordings, whatever its probability.

    Raises:
        Cancelled: `stop` was set.
    """
    proposed: dict[tuple[int, int, int], float] = {}

    def put(start: int, end: int, query: int, probability: float) -> None:
        proposed[start, end, query] = max(proposed.get((start, end, query), 0.0), probability)

    for span in reading.spans:
        one = sought[span.query]
        if one.field.type not in ("list", "regex") and not frozenset(one.concepts) & _FORMAL:
            put(span.start, span.end, span.query, span.probability)
    matches = patterns.find(text, frozenset().union(*(one.own_rules | one.wider_rules for one in sought)))
    for query, one in enumerate(sought):
        if stop is not None and stop.is_set():
            raise Cancelled
        for start, end, probability in _ruled(text, one, matches):
            put(start, end, query, probability)
        for start, end in _named(text, one, matches):
            put(start, end, query, _NAMED)
    return list(_with_bonus(text, sought, proposed))


def _ruled(text: str, one: Sought, matches: Iterable[patterns.Match]) -> Iterator[tuple[int, int, float]]:
    """What rules find for a wording."""
    if one.field.type == "list":
        yield from ((start, end, _GIVEN) for start, end in find_options(text, one.field.options))
    elif one.field.type == "regex":
        yield from ((start, end, _GIVEN) for start, end in find_matches(text, one.field.pattern))
    else:
        own, wider = one.own_rules, one.wider_rules
        for match in matches:
            if match.concept in own:
                yield match.start, match.end, RULE
            elif match.concept in wider:
                yield match.start, match.end, _KIND


def _named(text: str, one: Sought, matches: Iterable[patterns.Match]) -> Iterator[tuple[int, int]]:
    """What follows the wording and a colon; where its values have a form, only what has it."""
    if one.field.type in ("list", "regex"):
        return
    ruled = one.own_rules | one.wider_rules
    formed = [match for match in matches if match.concept in ruled]
    for start, end in named_values(text, one.asked):
        if not ruled:
            yield start, end
            continue
        begun = formed[bisect_left(formed, start, key=_start) : bisect_left(formed, end, key=_start)]
        inside = [match for match in begun if match.end <= end]
        first = min(inside, key=lambda match: (match.start, -match.end), default=None)
        if first is not None:
            yield first.start, first.end
        elif not ruled & _FORMAL and one.field.type == "text":
            yield start, end


def _start(match: patterns.Match) -> int:
    return match.start


def _with_bonus(
    text: str, sought: Sequence[Sought], proposed: dict[tuple[int, int, int], float]
) -> Iterator[Candidate]:
    """Wordings that mean the same, or whose values have the same form (a salary and a bonus), propose the same places:
    each gets a bonus where its name stands near before."""
    meant = [one.own_rules.union(one.wider_rules, one.concepts) for one in sought]
    rivals = {
        query
        for query, own in enumerate(meant)
        if any(own & other for number, other in enumerate(meant) if number != query)
    }
    told = {query: _telling(one) for query, one in enumerate(sought)}
    for (start, end, query), probability in proposed.items():
        bonus = 0.0
        if query in rivals:
            bonus = _NEARNESS * max((nearness(text, start, name) for name in told[query]), default=0.0)
        yield Candidate(start, end, query, probability, bonus)


def _telling(one: Sought) -> tuple[str, ...]:
    """Words that tell a wording from another of the same concept: all of it, and what it says besides its head."""
    rest = qualifier(one.asked, one.concepts[0]) if one.concepts and one.concepts[0] in concepts() else ""
    return tuple(name for name in dict.fromkeys((one.asked, rest)) if len(name) > 1)
