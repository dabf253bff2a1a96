"""Figures of an extraction against gold, in one pass over rows. docs/evaluation.md has the definitions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.lab.bootstrap import Patterns, divide, f1_of
from engine.lab.calibration import Calibration, CurvePoint, Decisions, best_point
from engine.lab.figures import Counts, Figure, Listing, mean, ratio
from engine.lab.pairs import SpanPair
from engine.lab.span_matching import by_field, match_field

MOST_UNASKED = 200
"""Fields of gold that were not asked and are shown; a wrong gold column may have one a row."""


@dataclass(frozen=True)
class FieldFigures:
    """One field. exact, text, overlap: as in `engine.lab.span_matching`.

    values, grounded: found ones, and those of them that are in the text. wrong, missed: rows with an exact fp, with an
    exact fn: the first of them.
    """

    field: str
    exact: Counts
    text: Counts
    overlap: Counts
    values: int
    grounded: int
    wrong: tuple[int, ...] = ()
    missed: tuple[int, ...] = ()


@dataclass(frozen=True)
class SpanEvaluation:
    """An extraction against gold, over the fields that were asked.

    exact, text, overlap: all fields' counts together; each with its F1 and an interval. macro_f1: mean of the exact F1
    of the fields that gold or answers have. whole: share of rows without an exact fp or fn. grounded: share of values
    that are in the text; None without values. unasked: gold spans of fields that were not asked, by field: in no
    figure.
    calibration, curve: of values that have a probability, right where they are exact. unscored: values without one.
    """

    rows: int
    exact: Counts
    exact_f1: Figure
    text: Counts
    text_f1: Figure
    overlap: Counts
    overlap_f1: Figure
    macro_f1: float | None
    whole: Figure
    grounded: float | None
    fields: tuple[FieldFigures, ...]
    unasked: dict[str, int]
    calibration: Calibration
    curve: tuple[CurvePoint, ...]
    best: CurvePoint | None = None
    unscored: int = 0


def evaluate_spans(pairs: Iterable[SpanPair], fields: Sequence[str], *, seed: int = 0) -> SpanEvaluation:
    """Evaluate rows against their gold spans. fields: names of those that were asked. seed: of the intervals."""
    tally = _Tally(fields)
    for pair in pairs:
        tally.add(pair)
    return tally.result(seed)


@dataclass
class _Field:
    exact: Counts = field(default_factory=Counts)
    text: Counts = field(default_factory=Counts)
    overlap: Counts = field(default_factory=Counts)
    values: int = 0
    grounded: int = 0
    wrong: Listing = field(default_factory=Listing)
    missed: Listing = field(default_factory=Listing)


class _Tally:
    """Counts of one pass."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.fields = {name: _Field() for name in fields}
        self.rows = self.whole = self.unscored = 0
        self.unasked: dict[str, int] = {}
        self.patterns: Patterns[tuple[Counts, Counts, Counts]] = Patterns()
        self.decisions = Decisions()

    def add(self, pair: SpanPair) -> None:
        gold, found = by_field(pair.gold), by_field(pair.found)
        rights: dict[str, tuple[bool, ...]] = {}
        exact = text = overlap = Counts()
        for name, spans in gold.items():
            if name not in self.fields and (name in self.unasked or len(self.unasked) < MOST_UNASKED):
                self.unasked[name] = self.unasked.get(name, 0) + len(spans)
        for name, one in self.fields.items():
            wanted, given = gold.get(name, ()), found.get(name, ())
            if not wanted and not given:
                continue
            match = match_field(wanted, given)
            exact, text, overlap = exact + match.exact, text + match.text, overlap + match.overlap
            one.exact, one.text, one.overlap = (
                one.exact + match.exact,
                one.text + match.text,
                one.overlap + match.overlap,
            )
            one.values += len(given)
            one.grounded += sum(span.start is not None for span in given)
            if match.exact.fp:
                one.wrong.add(pair.number)
            if match.exact.fn:
                one.missed.add(pair.number)
            rights[name] = match.right
        self.rows += 1
        self.whole += not exact.fp + exact.fn
        self.patterns.add((exact, text, overlap))
        self._weigh(pair, rights)

    def result(self, seed: int) -> SpanEvaluation:
        figures = tuple(
            FieldFigures(
                name,
                one.exact,
                one.text,
                one.overlap,
                one.values,
                one.grounded,
                tuple(one.wrong.numbers),
                tuple(one.missed.numbers),
            )
            for name, one in self.fields.items()
        )
        exact, text, overlap = (
            sum((getattr(one, kind) for one in figures), Counts()) for kind in ("exact", "text", "overlap")
        )
        curve = self.decisions.curve(exact.support)
        return SpanEvaluation(
            rows=self.rows,
            exact=exact,
            exact_f1=self._figure(exact, 0, seed),
            text=text,
            text_f1=self._figure(text, 1, seed),
            overlap=overlap,
            overlap_f1=self._figure(overlap, 2, seed),
            macro_f1=mean(one.exact.f1 for one in figures),
            whole=self._whole(seed),
            grounded=ratio(sum(one.grounded for one in figures), sum(one.values for one in figures)),
            fields=figures,
            unasked=dict(self.unasked),
            calibration=self.decisions.calibration(),
            curve=curve,
            best=best_point(curve) if self.decisions.calibration().count else None,
            unscored=self.unscored,
        )

    def _weigh(self, pair: SpanPair, rights: dict[str, tuple[bool, ...]]) -> None:
        left = {name: iter(right) for name, right in rights.items()}
        for place, span in enumerate(pair.found):
            right = next(left[span.field]) if span.field in left else None
            score = pair.scores[place] if place < len(pair.scores) else None
            if right is None:
                continue  # of a field that was not asked
            if score is None:
                self.unscored += 1
            else:
                self.decisions.add(score, right)

    def _figure(self, counts: Counts, kind: int, seed: int) -> Figure:
        return Figure(counts.f1, self.patterns.interval(lambda row: counts_row(row[kind]), f1_of, seed=seed))

    def _whole(self, seed: int) -> Figure:
        interval = self.patterns.interval(
            lambda row: (not row[0].fp + row[0].fn, 1), lambda sums: divide(sums[:, 0], sums[:, 1]), seed=seed
        )
        return Figure(ratio(self.whole, self.rows), interval)


def counts_row(counts: Counts) -> tuple[int, int, int]:
    """As the intervals' sums want them."""
    return counts.tp, counts.fp, counts.fn
