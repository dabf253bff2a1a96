"""What one classified row counts for: shared by the evaluation of a run and the comparison of two."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from engine.lab.bootstrap import Floats

MOST_OUTSIDE = 200
"""Names outside the label set that are counted one by one; a wrong gold column may have one a row."""
OTHERS = "…"
"""All further names outside the label set together."""


class Names:
    """Labels of the set, and those that gold has beside it while they are not too many."""

    def __init__(self, labels: Iterable[str]) -> None:
        self.known = tuple(dict.fromkeys(labels))
        self._places = {label: at for at, label in enumerate(self.known)}

    @property
    def places(self) -> Mapping[str, int]:
        """Every name with its place: the label set first."""
        return self._places

    def of(self, labels: Iterable[str]) -> tuple[str, ...]:
        """The names under which labels count, each once."""
        return tuple(dict.fromkeys(map(self._name, labels)))

    def _name(self, label: str) -> str:
        if label not in self._places:
            if len(self._places) >= len(self.known) + MOST_OUTSIDE:
                label = OTHERS
            self._places.setdefault(label, len(self._places))
        return label


def settle(gold: tuple[str, ...], chosen: tuple[str, ...], multi: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Gold and chosen labels as they are compared: of a single choice one each at most, the same where they can be."""
    if multi:
        return gold, chosen
    chosen = chosen[:1]
    return (chosen if chosen and chosen[0] in gold else gold[:1]), chosen


def row_counts(gold: Collection[str], chosen: Collection[str]) -> tuple[int, int, int, int]:
    """Of one row: 1 where all is right, then tp, fp and fn."""
    both = sum(label in gold for label in chosen)
    wrong, missed = len(chosen) - both, len(gold) - both
    return int(not wrong and not missed), both, wrong, missed


def label_counts(gold: Collection[str], chosen: Collection[str], places: Mapping[str, int]) -> Floats:
    """Of one row: each label's tp, fp and fn, one label after the other."""
    counts = np.zeros((len(places), 3))
    for label in chosen:
        counts[places[label], 0 if label in gold else 1] += 1
    for label in gold:
        counts[places[label], 2] += label not in chosen
    return counts.reshape(-1)
