"""The encoder as a backend: sentence vectors for labels, span probabilities for fields; it cannot write.

Classification: cosines between a text's vector and its labels' in sentences of the text's language, both centred on
what texts of that language have in common (measured on training texts, kept with the head). Extraction:
`engine.model.encoder.head`. Long texts are read in overlapping windows. It decides neither thresholds nor overlaps
of spans.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from threading import Event

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.model.backend import Query, ScoredSpan, SpanReading, WeighedLabels
from engine.model.encoder.head import UnitBatch, legal_spans, unit_batch
from engine.model.encoder.head_file import LoadedHead
from engine.model.encoder.languages import TEMPLATES, language_of
from engine.model.encoder.pieces import Pieces
from engine.model.encoder.sentences import Reader, Remembered, check
from engine.model.encoder.units import units
from engine.model.encoder.window_states import WindowStates
from engine.model.encoder.windows import Window, batches, windows
from engine.text.concepts import ancestors
from engine.types import ModelInfo

_LEAST = 0.02
"""Spans of a lower probability are not reported."""

_CONTEXT = 4
"""Units to each side that the state of one depends on: two convolutions of five."""
_UNITS = 2048
"""Units whose spans are scored at a time, over all windows of a batch: 20 KB each, several times over."""
_PROBABILITIES = 1 << 24
"""Probabilities computed at a time, where many things are looked for at once."""

Places = tuple[tuple[int, int], ...]
Column = tuple[int, tuple[int, ...]]
"""A concept's place among the probabilities, and those of the wider concepts that it is a kind of."""


class EncoderBackend:
    """See the module."""

    def __init__(self, reader: Reader, head: LoadedHead, info: ModelInfo) -> None:
        self.info = info
        self._reader = reader
        self._head = head
        self._texts = Remembered(self.vectors)
        self._sentences = Remembered(self.vectors)
        self._names = Remembered(self._reader.name_vectors)
        self._states = WindowStates(reader, head.adapted, head.shape.first)

    @property
    def threshold(self) -> float:
        """The probability from which a span is a value."""
        return self._head.fitted.threshold

    @property
    def kept_bytes(self) -> int:
        """Of texts and labels that it remembers; see `Keeping`."""
        return sum(one.nbytes for one in (self._texts, self._sentences, self._names, self._states))

    def forget(self) -> None:
        """Drop the texts and labels that it remembers."""
        for one in (self._texts, self._sentences, self._names, self._states):
            one.forget()

    def close(self) -> None:
        """Drop the weights."""
        del self._reader, self._head, self._texts, self._sentences, self._names, self._states

    def warm_up(self) -> None:
        """One text through both tasks."""
        self.weigh_labels(["a"], ["b", "c"])
        self.find_spans(["a"], [Query("person", ("person",))])

    def weigh_labels(
        self, texts: Sequence[str], labels: Sequence[str], stop: Event | None = None
    ) -> tuple[WeighedLabels, ...]:
        """One logit a label for each text; see `Understanding`."""
        fitted = self._head.fitted
        weighed = []
        for text, cosines in zip(texts, self.cosines(texts, labels, stop), strict=True):
            fits = torch.sigmoid(fitted.fit_slope * (cosines.max() - fitted.fit_centre)).item()
            logits = (cosines / fitted.temperature).tolist()
            weighed.append(WeighedLabels(tuple(logits), fits, len(self._reader.tokenizer(text).ids)))
        return tuple(weighed)

    @torch.inference_mode()
    def cosines(self, texts: Sequence[str], labels: Sequence[str], stop: Event | None = None) -> Tensor:
        """(texts, labels): how alike they are, -1 to 1, once what texts have in common is taken away."""
        vectors = self._texts(texts, stop)
        check(stop)
        rows = []
        for text, vector in zip(texts, vectors, strict=True):
            spoken = language_of(text)
            centre = self._head.centres[spoken]
            sentences = [template.format(label) for label in labels for template in TEMPLATES[spoken]]
            own = self._sentences(sentences, stop).view(len(labels), len(TEMPLATES[spoken]), -1).mean(1)
            rows.append(F.normalize(own - centre, dim=1) @ F.normalize(vector - centre, dim=0))
        return torch.stack(rows)

    def vectors(self, texts: Sequence[str], stop: Event | None = None) -> Tensor:
        """(texts, hidden): vectors for comparing texts and labels."""
        return self._reader.vectors(texts, self._head.labels_from, self._head.labels, stop)

    @torch.inference_mode()
    def find_spans(
        self, texts: Sequence[str], queries: Sequence[Query], stop: Event | None = None
    ) -> tuple[SpanReading, ...]:
        """Spans of the texts that may answer the queries; see `Understanding`."""
        concepts, taken = self._concept_vectors(queries, stop)
        cut = [self._reader.tokenizer(text) for text in texts]
        stretches = list(windows([len(one.ids) for one in cut]))
        found: list[dict[tuple[int, int, int], float]] = [{} for _ in texts]
        best = [[0.0] * len(queries) for _ in texts]
        for batch in batches(stretches):
            check(stop)
            for probabilities, places in self._span_probabilities(texts, cut, batch, concepts):
                check(stop)
                for row, window in enumerate(batch):
                    own = _by_query(probabilities[row], taken)
                    for query, most in enumerate(own.amax((0, 1)).tolist()):
                        best[window.text][query] = max(best[window.text][query], most)
                    likely = (own > _LEAST).nonzero()
                    values = own[tuple(likely.T)].tolist()
                    for (first, width, query), value in zip(likely.tolist(), values, strict=True):
                        key = (places[row][first][0], places[row][first + width][1], query)
                        found[window.text][key] = max(found[window.text].get(key, 0.0), value)
        return tuple(
            SpanReading(
                tuple(ScoredSpan(*key, probability=value) for key, value in sorted(own.items())),
                tuple(best[text]),
                len(cut[text].ids),
                sum(one.text == text for one in stretches),
            )
            for text, own in enumerate(found)
        )

    def _span_probabilities(
        self, texts: Sequence[str], cut: Sequence[Pieces], batch: Sequence[Window], concepts: Tensor
    ) -> Iterator[tuple[Tensor, list[Places]]]:
        """(windows, units, widths, concepts), and the places of each window's units from the first of these on.

        A slice of the units at a time: few pieces may be many units, a run of unknown characters is one piece.
        """
        head = self._head
        parts = [
            Pieces(cut[one.text].ids[one.first : one.last], cut[one.text].places[one.first : one.last]) for one in batch
        ]
        own = [units(texts[one.text], part) for one, part in zip(batch, parts, strict=True)]
        units_ = unit_batch([texts[one.text] for one in batch], own, self._reader.before)
        below, above = self._states([part.ids for part in parts])
        widest = head.shape.widest
        most = min(_UNITS, _PROBABILITIES // (widest * len(concepts))) // len(batch)
        for start, end in _stretches(units_.mask.shape[1], max(most, widest)):
            first = max(0, start - _CONTEXT)
            part = _sliced(units_, first, end + widest + _CONTEXT)
            spans = head.scorer(below, above, part)
            logits = head.scorer.score(spans, concepts[None].expand(len(batch), -1, -1))
            probabilities = torch.sigmoid(logits) * legal_spans(part, widest)[..., None]
            yield probabilities[:, start - first : end - first], [one.places[start:] for one in own]

    def _concept_vectors(self, queries: Sequence[Query], stop: Event | None) -> tuple[Tensor, list[list[Column]]]:
        """(columns, span): vectors of concepts and of names that are none; and of each query the columns it takes."""
        head, made = self._head, dict[str, Tensor]()

        def column(concept: str) -> int:
            made.setdefault(concept, head.scorer.concepts.weight[head.rows[concept]])
            return list(made).index(concept)

        taken: list[list[Column]] = []
        for query in queries:
            own = [one for one in query.concepts if one in head.rows]
            taken.append([(column(one), tuple(map(column, sorted(ancestors(one) & head.rows.keys())))) for one in own])
            if not own:
                vector = self._names([query.name], stop)[0] - head.name_centre
                name = f"={query.name}"  # no concept's id
                made[name] = head.scorer.name(vector * head.fitted.name_scale)
                taken[-1].append((list(made).index(name), ()))
        return torch.stack(list(made.values())), taken


def _stretches(total: int, size: int) -> Iterator[tuple[int, int]]:
    return ((start, min(total, start + size)) for start in range(0, total, size))


def _sliced(batch: UnitBatch, first: int, last: int) -> UnitBatch:
    return UnitBatch(*(getattr(batch, one.name)[:, first:last] for one in fields(batch)))


def _by_query(probabilities: Tensor, taken: Sequence[Sequence[Column]]) -> Tensor:
    """(units, widths, queries) from (units, widths, columns): the best of each query's concepts.

    What is surely of a wider concept (an organisation) is more likely of a narrower one that is asked (a stock): the
    geometric mean of both counts where it is more.
    """
    made = []
    for columns in taken:
        each = []
        for own, wider in columns:
            value = probabilities[..., own]
            if wider:
                value = torch.maximum(value, (value * probabilities[..., list(wider)].amax(-1)).sqrt())
            each.append(value)
        made.append(torch.stack(each).amax(0))
    return torch.stack(made, -1)
