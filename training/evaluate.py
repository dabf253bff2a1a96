"""How good a head is on rows with known spans: F1 of exact spans at many thresholds, through the engine's own finding.

A row is asked for the concepts that were looked for in it, by their first names in its language.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean

from engine.model.backend import Query, Understanding
from engine.model.encoder.languages import language_of
from engine.run.finding import Sought, propose, sought_of
from engine.text.candidates import Candidate, compete
from engine.text.concepts import ancestors, concepts
from engine.types import FieldSpec
from training.rows import Row

THRESHOLDS = tuple(round(0.2 + 0.05 * step, 2) for step in range(13))
_TOGETHER = 32


@dataclass
class Counts:
    """Spans that were found, that are there, and that are both, by threshold."""

    found: Counter[float] = field(default_factory=Counter)
    both: Counter[float] = field(default_factory=Counter)
    there: int = 0

    def f1(self, threshold: float) -> float:
        """Harmonic mean of precision and recall; 1 where nothing is there and nothing was found."""
        total = self.found[threshold] + self.there
        return 2 * self.both[threshold] / total if total else 1.0


def count(backend: Understanding, rows: Sequence[Row]) -> dict[str, Counts]:
    """Counts of each source of rows."""
    counts: dict[str, Counts] = defaultdict(Counts)
    for group, asked in _groups(rows):
        sought = [sought_of(FieldSpec(name), name, name) for name, _ in asked]
        readings = backend.find_spans([row.text for row in group], [Query(one.asked, one.concepts) for one in sought])
        for row, reading in zip(group, readings, strict=True):
            _add(counts[row.source], row, [one for _, one in asked], sought, propose(row.text, sought, reading))
    return counts


def best_threshold(counts: dict[str, Counts]) -> float:
    """The threshold of the best mean F1, the public corpora and our own texts counting the same."""
    kinds: dict[bool, list[Counts]] = defaultdict(list)
    for source, own in counts.items():
        kinds[source.startswith("written ")].append(own)
    means = {one: sum(mean(own.f1(one) for own in kind) for kind in kinds.values()) for one in THRESHOLDS}
    return max(means, key=means.__getitem__)


def _add(
    counts: Counts, row: Row, asked: Sequence[str], sought: Sequence[Sought], candidates: Sequence[Candidate]
) -> None:
    right = {(one.start, one.end, answer) for one in row.spans for answer in [_answers(one.concept, asked)] if answer}
    counts.there += len(right)
    for threshold in THRESHOLDS:
        found = {(one.start, one.end, asked[one.query]) for one in compete(candidates, threshold, nested=False)}
        counts.found[threshold] += len(found)
        counts.both[threshold] += len(found & right)


def _answers(concept: str, asked: Sequence[str]) -> str | None:
    """Which of the asked concepts a span of `concept` answers: its own, else a wider one."""
    if concept in asked:
        return concept
    wider = ancestors(concept) if concept in concepts() else frozenset()
    return next((one for one in asked if one in wider), None)


def _groups(rows: Sequence[Row]) -> Iterator[tuple[list[Row], list[tuple[str, str]]]]:
    """Rows that are asked the same, some at a time, with (name, concept) of what they are asked."""
    same: dict[tuple[str, frozenset[str], str], list[Row]] = defaultdict(list)
    for row in rows:
        known = frozenset(one for one in row.known if one in concepts())
        same[row.source, known, language_of(row.text)].append(row)
    for (_, known, spoken), own in same.items():
        asked = [((concepts()[one].zh if spoken == "zh" else concepts()[one].en)[0], one) for one in sorted(known)]
        for at in range(0, len(own) if asked else 0, _TOGETHER):
            yield own[at : at + _TOGETHER], asked
