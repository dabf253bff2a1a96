"""A row's right answer beside the one that was given: all that an evaluation reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.jobs.gold import GoldSpan


@dataclass(frozen=True)
class LabelPair:
    """A classified row. gold, chosen: empty where no label fits. scores: probabilities by label; empty: not known."""

    number: int
    gold: tuple[str, ...]
    chosen: tuple[str, ...]
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SpanPair:
    """A row with values. found: without offsets where a value is not in the text.

    scores: probabilities of `found`, in its order; empty, or None in a place, where they are not known.
    """

    number: int
    gold: tuple[GoldSpan, ...]
    found: tuple[GoldSpan, ...]
    scores: tuple[float | None, ...] = ()
