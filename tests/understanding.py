"""A stand-in for a model that understands: it finds the spans and weighs the labels that it is told."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import Cancelled
from engine.model.backend import Query, ScoredSpan, SpanReading, WeighedLabels
from engine.types import ModelInfo

Told = tuple[str | tuple[int, int], float]
"""A value, at its first place, or a place; and its probability."""


class Understander:
    """`finds`: by a query's name, what it finds. `logits`: by label, else 0. `windows`: how many it says it read."""

    threshold = 0.5

    def __init__(
        self,
        finds: Mapping[str, Sequence[Told]] | None = None,
        *,
        logits: Mapping[str, float] | None = None,
        fits: float = 0.9,
        windows: int = 1,
    ) -> None:
        self.info = ModelInfo("double", "1", "encoder", "cpu", "fp32", 0, 512, ("understand",), ("zh", "en"))
        self._finds, self._logits, self._fits, self._windows = finds or {}, logits or {}, fits, windows
        self.asked: list[Query] = []

    def close(self) -> None:
        """Nothing to give back."""

    def weigh_labels(self, texts: Sequence[str], labels: Sequence[str], stop: Any = None) -> tuple[WeighedLabels, ...]:
        """What was told, for each text."""
        _check(stop)
        logits = tuple(self._logits.get(label, 0.0) for label in labels)
        return tuple(WeighedLabels(logits, self._fits, len(text)) for text in texts)

    def find_spans(self, texts: Sequence[str], queries: Sequence[Query], stop: Any = None) -> tuple[SpanReading, ...]:
        """What was told, where the text has it."""
        _check(stop)
        self.asked += queries
        return tuple(self._reading(text, queries) for text in texts)

    def _reading(self, text: str, queries: Sequence[Query]) -> SpanReading:
        found, best = [], []
        for number, query in enumerate(queries):
            own = []
            for what, probability in self._finds.get(query.name, ()):
                if isinstance(what, str):
                    what = (text.index(what), text.index(what) + len(what))  # noqa: PLW2901
                own.append(ScoredSpan(*what, number, probability))
            found += own
            best.append(max((one.probability for one in own), default=0.0))
        return SpanReading(tuple(found), tuple(best), len(text), self._windows)


def _check(stop: Any) -> None:
    if stop is not None and stop.is_set():
        raise Cancelled
