"""A stand-in for a model that understands: it finds the spans and weighs the labels that it is told."""

import threading
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

    def forget(self) -> None:
        """Nothing is kept."""

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


class ByText(Understander):
    """What it says depends on the text. It records its calls.

    most: texts that it has memory for at once. gate: where given, what each call waits for, once it has begun.
    """

    def __init__(self, most: int | None = None, gate: threading.Semaphore | None = None) -> None:
        super().__init__()
        self.calls: list[list[str]] = []
        self.begun = threading.Semaphore(0)
        self._most, self._gate = most, gate

    def weigh_labels(self, texts: Sequence[str], labels: Sequence[str], stop: Any = None) -> tuple[WeighedLabels, ...]:
        """By how many of a label's characters the text has."""
        self._begin(texts, stop)
        alike = [tuple(float(len(set(text) & set(label))) for label in labels) for text in texts]
        return tuple(WeighedLabels(own, 0.9, len(text)) for own, text in zip(alike, texts, strict=True))

    def find_spans(self, texts: Sequence[str], queries: Sequence[Query], stop: Any = None) -> tuple[SpanReading, ...]:
        """One span a query, at a place that follows from the text."""
        self._begin(texts, stop)
        readings = []
        for text in texts:
            starts = [len(query.name) % len(text) for query in queries]
            spans = tuple(ScoredSpan(start, start + 1, number, 0.8) for number, start in enumerate(starts))
            readings.append(SpanReading(spans, (0.8,) * len(queries), len(text), 1))
        return tuple(readings)

    def _begin(self, texts: Sequence[str], stop: Any) -> None:
        _check(stop)
        self.calls.append(list(texts))
        self.begun.release()
        if self._gate is not None:
            while not self._gate.acquire(timeout=0.01):
                _check(stop)
        if self._most is not None and len(texts) > self._most:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")


def _check(stop: Any) -> None:
    if stop is not None and stop.is_set():
        raise Cancelled
