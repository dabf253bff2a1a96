"""One row in two runs, by task: how its answers are compared and what they count for."""

from collections.abc import Mapping
from typing import Any, Protocol

from engine.jobs.gold import Gold, GoldSpan, answer_labels, answer_spans
from engine.jobs.types import JobSpec
from engine.lab.bootstrap import Floats, Patterns, macro_f1_of
from engine.lab.compare_tally import Difference, Judged, Tally, difference
from engine.lab.figures import Counts, mean
from engine.lab.label_rows import Names, label_counts, row_counts, settle
from engine.lab.span_matching import Key, by_field, match_field

Answer = Mapping[str, Any]


class Judge(Protocol):
    """Compares rows of one task."""

    f1_kind: str

    def judge(self, a: Answer, b: Answer, gold: Gold | None) -> Judged:
        """One row."""

    def f1(self, tally: Tally, seed: int) -> Difference:
        """The F1 that the runs are compared by."""


class LabelJudge:
    """Classifications. names: what labels of B are called in A."""

    def __init__(self, a: JobSpec, b: JobSpec, names: Mapping[str, str]) -> None:
        self._multi = (a.multi, b.multi)
        self._aliases = names
        self._names = Names((*a.labels, *(names.get(label, label) for label in b.labels)))
        self._patterns: Patterns[tuple[tuple[str, ...], ...]] = Patterns()
        self._counts: dict[str, tuple[list[int], list[int]]] = {}
        self.f1_kind = "micro" if a.multi or b.multi else "macro"

    def judge(self, a: Answer, b: Answer, gold: Gold | None) -> Judged:
        """One row; labels that both runs chose are the same in any order."""
        one = answer_labels(a)
        other = tuple(self._aliases.get(label, label) for label in answer_labels(b))
        same = set(one) == set(other)
        sums = None
        if gold is not None and gold.labels is not None:
            wanted = self._names.of(gold.labels)
            first = settle(wanted, self._names.of(one), self._multi[0])
            second = settle(wanted, self._names.of(other), self._multi[1])
            sums = (*row_counts(*first), *row_counts(*second))
            if self.f1_kind == "macro":
                self._count(first, second)
        key, other_key = tuple(sorted(one)), tuple(sorted(other))
        return Judged(key, other_key, () if same else ((None, key, other_key),), sums)

    def f1(self, tally: Tally, seed: int) -> Difference:
        """Macro with a single choice, else micro."""
        if self.f1_kind == "micro":
            return tally.f1(seed)
        a, b = (mean(Counts(*counts[side]).f1 for counts in self._counts.values()) for side in (0, 1))
        places = self._names.places

        def additive(row: tuple[tuple[str, ...], ...]) -> list[float]:
            return [*label_counts(row[0], row[1], places), *label_counts(row[2], row[3], places)]

        return difference(a, b, self._patterns.interval(additive, _macro_difference, seed=seed))

    def _count(self, first: tuple[tuple[str, ...], ...], second: tuple[tuple[str, ...], ...]) -> None:
        self._patterns.add((*first, *second))
        for side, (gold, chosen) in enumerate((first, second)):
            for label in {*gold, *chosen}:
                counts = self._counts.setdefault(label, ([0, 0, 0], [0, 0, 0]))[side]
                counts[0 if label in gold and label in chosen else 1 if label in chosen else 2] += 1


class SpanJudge:
    """Extractions, over the fields that both jobs ask. names: what fields of B are called in A."""

    f1_kind = "exact"

    def __init__(self, a: JobSpec, b: JobSpec, names: Mapping[str, str]) -> None:
        self._aliases = names
        others = {names.get(one.name, one.name) for one in b.fields}
        self._fields = [one.name for one in a.fields if one.name in others]

    def judge(self, a: Answer, b: Answer, gold: Gold | None) -> Judged:
        """One row; values that both runs found are the same in any order, by their places."""
        one = by_field(answer_spans(a))
        other: dict[str, list[GoldSpan]] = {}
        for name, spans in by_field(answer_spans(b)).items():
            called = self._aliases.get(name, name)
            other[called] = [GoldSpan(called, span.text, span.start, span.end) for span in spans]
        first, second = ({name: spans.get(name, []) for name in self._fields} for spans in (one, other))
        keys, other_keys = _keys(first), _keys(second)
        moves = tuple(
            (name, tuple(span.text for span in first[name]), tuple(span.text for span in second[name]))
            for at, name in enumerate(self._fields)
            if keys[at] != other_keys[at]
        )
        sums = None
        if gold is not None and gold.spans is not None:
            wanted = by_field(gold.spans)
            sums = (*_sums(wanted, first), *_sums(wanted, second))
        return Judged(keys, other_keys, moves, sums)

    def f1(self, tally: Tally, seed: int) -> Difference:
        """Of exact values."""
        return tally.f1(seed)


def _keys(fields: Mapping[str, list[GoldSpan]]) -> tuple[frozenset[Key], ...]:
    return tuple(frozenset(span.key(True) for span in spans) for spans in fields.values())


def _sums(gold: Mapping[str, list[GoldSpan]], found: Mapping[str, list[GoldSpan]]) -> tuple[int, int, int, int]:
    counts = sum((match_field(gold.get(name, ()), spans).exact for name, spans in found.items()), Counts())
    return int(not counts.fp + counts.fn), counts.tp, counts.fp, counts.fn


def _macro_difference(sums: Floats) -> Floats:
    half = sums.shape[1] // 2
    return macro_f1_of(sums[:, half:]) - macro_f1_of(sums[:, :half])
