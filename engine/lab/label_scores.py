"""Figures of a classification against gold, in one pass over rows.

Memory depends on labels, on different pairs of gold and answer and on listed rows, not on rows. docs/evaluation.md has
the definitions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.lab.bootstrap import Floats, Patterns, divide, f1_of, macro_f1_of
from engine.lab.calibration import Calibration, CurvePoint, Decisions, best_point
from engine.lab.figures import Counts, Figure, Interval, Listing, mean, ratio
from engine.lab.label_rows import Names, label_counts, row_counts, settle
from engine.lab.pairs import LabelPair


@dataclass(frozen=True)
class LabelFigures:
    """One label. known: it is in the label set; gold and corrections may have others.

    wrong, missed: rows where it was chosen and is not gold, and the reverse: the first of them, `counts` has them all.
    """

    label: str
    known: bool
    counts: Counts
    wrong: tuple[int, ...] = ()
    missed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Cell:
    """Rows of one gold label and one chosen label; None: no label. numbers: the first of them."""

    gold: str | None
    chosen: str | None
    count: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class LabelEvaluation:
    """A classification against gold.

    labels: the label set in its order, then names outside it. accuracy: share of rows whose chosen labels are the gold
    ones, all of them (with a single choice: the chosen one is gold, or there is neither). micro: all labels' counts
    together. macro_f1, macro_precision, macro_recall: means over labels that gold or answers have; weighted_f1: by
    support. cells: the confusion matrix without empty cells, of a single choice only.
    several_gold: rows of a single choice with more than one gold label, any of which is right.
    calibration, curve: of the best label with a single choice (its threshold taken for 0), else of every label of every
    row. brier: of a single choice over all labels together, from 0, the best, to 2; None without probabilities.
    unscored: rows without probabilities.
    best: the point of the curve with the highest F1, where several may be chosen.
    """

    multi: bool
    rows: int
    accuracy: Figure
    micro: Counts
    micro_f1: Figure
    macro_f1: Figure
    macro_precision: float | None
    macro_recall: float | None
    weighted_f1: float | None
    labels: tuple[LabelFigures, ...]
    cells: tuple[Cell, ...]
    calibration: Calibration
    curve: tuple[CurvePoint, ...]
    brier: float | None
    best: CurvePoint | None = None
    unscored: int = 0
    several_gold: int = 0

    def axes(self) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
        """Names of the matrix's rows (gold) and columns (chosen), in the order of `labels`, None last; only used ones
        of those outside the label set."""
        order: tuple[str | None, ...] = (*(one.label for one in self.labels), None)
        known = {one.label for one in self.labels if one.known}
        golds, chosen = ({getattr(cell, side) for cell in self.cells} for side in ("gold", "chosen"))
        return (
            tuple(name for name in order if name in golds or name in known),
            tuple(name for name in order if name in chosen or name in known),
        )


def evaluate_labels(
    pairs: Iterable[LabelPair], labels: Sequence[str], *, multi: bool = False, seed: int = 0
) -> LabelEvaluation:
    """Evaluate rows against their gold labels. labels: the label set that was asked. seed: of the intervals."""
    tally = _Tally(labels, multi)
    for pair in pairs:
        tally.add(pair)
    return tally.result(seed)


@dataclass
class _Label:
    tp: int = 0
    fp: int = 0
    fn: int = 0
    wrong: Listing = field(default_factory=Listing)
    missed: Listing = field(default_factory=Listing)


class _Tally:
    """Counts of one pass."""

    def __init__(self, labels: Sequence[str], multi: bool) -> None:
        self.multi = multi
        self.names = Names(labels)
        self.labels: dict[str, _Label] = {label: _Label() for label in self.names.known}
        self.rows = self.right = self.unscored = self.several = 0
        self.cells: dict[tuple[str | None, str | None], tuple[list[int], Listing]] = {}
        self.simple: Patterns[tuple[int, int, int, int]] = Patterns()
        self.patterns: Patterns[tuple[tuple[str, ...], tuple[str, ...]]] = Patterns()
        self.decisions = Decisions()
        self.squares = 0.0
        self.possible = 0  # gold labels of rows with probabilities

    def add(self, pair: LabelPair) -> None:
        self._weigh(pair.gold, pair.scores)
        self.several += not self.multi and len(set(pair.gold)) > 1
        gold, chosen = settle(self.names.of(pair.gold), self.names.of(pair.chosen), self.multi)
        if not self.multi:
            self._cell(gold, chosen, pair.number)
        for label in {*gold, *chosen}:
            self._count(label, label in gold, label in chosen, pair.number)
        counts = row_counts(gold, chosen)
        self.rows += 1
        self.right += counts[0]
        self.simple.add(counts)
        self.patterns.add((tuple(sorted(gold)), tuple(sorted(chosen))))

    def _count(self, label: str, gold: bool, chosen: bool, number: int) -> None:
        one = self.labels.setdefault(label, _Label())
        if gold and chosen:
            one.tp += 1
        elif chosen:
            one.fp += 1
            one.wrong.add(number)
        else:
            one.fn += 1
            one.missed.add(number)

    def result(self, seed: int) -> LabelEvaluation:
        known = set(self.names.known)
        figures = tuple(
            LabelFigures(
                name, name in known, Counts(one.tp, one.fp, one.fn), tuple(one.wrong.numbers), tuple(one.missed.numbers)
            )
            for name in self.names.places
            if (one := self.labels.get(name))
        )
        seen = [one.counts for one in figures if one.counts.f1 is not None]
        micro = sum(seen, Counts())
        accuracy = self.simple.interval(lambda row: (*row, 1), _accuracy_of, seed=seed)
        micro_f1 = self.simple.interval(lambda row: row[1:], f1_of, seed=seed)
        curve = self.decisions.curve(self.possible)
        return LabelEvaluation(
            multi=self.multi,
            rows=self.rows,
            accuracy=Figure(ratio(self.right, self.rows), accuracy),
            micro=micro,
            micro_f1=Figure(micro.f1, micro_f1),
            macro_f1=Figure(mean(one.f1 for one in seen), self._macro(seed)),
            macro_precision=mean(one.precision or 0.0 for one in seen),
            macro_recall=mean(one.recall or 0.0 for one in seen),
            weighted_f1=ratio(sum((one.f1 or 0.0) * one.support for one in seen), micro.support),
            labels=figures,
            cells=tuple(
                Cell(gold, chosen, count[0], tuple(listing.numbers))
                for (gold, chosen), (count, listing) in self.cells.items()
            ),
            calibration=self.decisions.calibration(),
            curve=curve,
            brier=None if self.multi else ratio(self.squares, self.rows - self.unscored),
            best=best_point(curve) if self.multi else None,
            unscored=self.unscored,
            several_gold=self.several,
        )

    def _cell(self, gold: tuple[str, ...], chosen: tuple[str, ...], number: int) -> None:
        key = (gold[0] if gold else None, chosen[0] if chosen else None)
        count, listing = self.cells.setdefault(key, ([0], Listing()))
        count[0] += 1
        listing.add(number)

    def _weigh(self, gold: tuple[str, ...], scores: Mapping[str, float]) -> None:
        if not scores:
            self.unscored += 1
            return
        if self.multi:
            self.possible += len(gold)
            for label in self.names.known:
                self.decisions.add(scores.get(label, 0.0), label in gold)
            return
        self.possible += bool(gold)
        best = max(scores, key=lambda label: scores[label])
        self.decisions.add(scores[best], best in gold)
        # a gold label that was not asked has the probability 0
        self.squares += sum((score - (label in gold)) ** 2 for label, score in scores.items())
        self.squares += best not in gold and bool(gold) and gold[0] not in scores

    def _macro(self, seed: int) -> Interval | None:
        return self.patterns.interval(lambda row: label_counts(*row, self.names.places), macro_f1_of, seed=seed)


def _accuracy_of(sums: Floats) -> Floats:
    return divide(sums[:, 0], sums[:, -1])
