"""The encoder as a backend: sentence vectors for labels, span probabilities for fields; it cannot write.

Classification: cosines between a text's vector and its labels' in sentences of the text's language, both centred on
what texts and labels of that language have in common (measured on training texts, kept with the head). Extraction:
`engine.model.encoder.head`. Long texts are read in overlapping windows. It decides neither thresholds nor overlaps
of spans.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.errors import Cancelled
from engine.model.backend import Query, ScoredSpan, SpanReading, WeighedLabels
from engine.model.encoder.head import legal_spans, unit_batch
from engine.model.encoder.head_file import LoadedHead
from engine.model.encoder.pieces import Pieces, PieceTokenizer
from engine.model.encoder.transformer import Encoder, mean_state
from engine.model.encoder.units import is_cjk, units
from engine.types import ModelInfo

PREFIX = "query:"
"""The encoder was trained with it; a blank follows."""

TEMPLATES = {
    "zh": ("这段文字的主题是{}。", "类别：{}"),
    "en": ("This text is about {}.", "category: {}"),
}
LANGUAGES = ("zh", "en")
_WINDOW = 448
_OVERLAP = 64
_BATCH_PIECES = 1536
_NAMES_KEPT = 4096
_LEAST = 0.02
"""Spans of a lower probability are not reported."""


@dataclass(frozen=True)
class _Window:
    """A stretch of a text's pieces. `text`: its index; `first`, `last`: pieces."""

    text: int
    first: int
    last: int


class EncoderBackend:
    """See the module."""

    def __init__(self, encoder: Encoder, tokenizer: PieceTokenizer, head: LoadedHead, info: ModelInfo) -> None:
        self.info = info
        self._encoder = encoder
        self._tokenizer = tokenizer
        self._head = head
        self._prefix = tokenizer(PREFIX).ids
        self._begin, self._end = tokenizer.borders
        self._vectors: OrderedDict[str, Tensor] = OrderedDict()

    @property
    def threshold(self) -> float:
        """The probability from which a span is a value."""
        return self._head.fitted.threshold

    def close(self) -> None:
        """Drop the weights."""
        del self._encoder, self._head, self._tokenizer
        self._vectors.clear()

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
            weighed.append(WeighedLabels(tuple(logits), fits, len(self._tokenizer(text).ids)))
        return tuple(weighed)

    @torch.inference_mode()
    def cosines(self, texts: Sequence[str], labels: Sequence[str], stop: Event | None = None) -> Tensor:
        """(texts, labels): how alike they are, -1 to 1, once what their kind has in common is taken away."""
        rows = []
        for text, vector in zip(texts, self.vectors(texts, stop), strict=True):
            spoken = language_of(text)
            centred = F.normalize(vector - self._head.text_centres[spoken], dim=0)
            rows.append(self._label_vectors(labels, spoken, stop) @ centred)
        return torch.stack(rows)

    @torch.inference_mode()
    def find_spans(
        self, texts: Sequence[str], queries: Sequence[Query], stop: Event | None = None
    ) -> tuple[SpanReading, ...]:
        """Spans of the texts that may answer the queries; see `Understanding`."""
        concepts, owners = self._concept_vectors(queries)
        cut = [self._tokenizer(text) for text in texts]
        windows = [one for index, pieces in enumerate(cut) for one in _windows(index, pieces)]
        found: list[dict[tuple[int, int, int], float]] = [{} for _ in texts]
        best = [[0.0] * len(queries) for _ in texts]
        for batch in _batches(windows):
            _check(stop)
            scored, places = self._span_probabilities(texts, cut, batch, concepts, owners, len(queries))
            for row, window in enumerate(batch):
                own = scored[row]
                for query, most in enumerate(own.amax((0, 1)).tolist()):
                    best[window.text][query] = max(best[window.text][query], most)
                likely = (own > _LEAST).nonzero()
                values = own[tuple(likely.T)].tolist()
                for (first, width, query), value in zip(likely.tolist(), values, strict=True):
                    key = (places[row][first][0], places[row][first + width][1], query)
                    found[window.text][key] = max(found[window.text].get(key, 0.0), value)
        counts = [sum(one.text == index for one in windows) for index in range(len(texts))]
        return tuple(
            SpanReading(
                tuple(ScoredSpan(*key, probability=value) for key, value in sorted(own.items())),
                tuple(top),
                len(pieces.ids),
                count,
            )
            for own, top, pieces, count in zip(found, best, cut, counts, strict=True)
        )

    def _span_probabilities(
        self,
        texts: Sequence[str],
        cut: Sequence[Pieces],
        batch: Sequence[_Window],
        concepts: Tensor,
        owners: Tensor,
        queries: int,
    ) -> tuple[Tensor, list[tuple[tuple[int, int], ...]]]:
        """(windows, units, widths, queries), the best of a query's concepts, and the units' places."""
        parts = [
            Pieces(cut[one.text].ids[one.first : one.last], cut[one.text].places[one.first : one.last]) for one in batch
        ]
        own = [units(texts[one.text], part) for one, part in zip(batch, parts, strict=True)]
        units_ = unit_batch([texts[one.text] for one in batch], own, 1 + len(self._prefix))
        head, encoder = self._head, self._encoder
        below, mask = encoder.embed([self._framed(part.ids) for part in parts])
        for layer in encoder.layers[: head.shape.first]:
            below = layer(below, mask)
        spans = head.scorer(below, head.adapted(below, mask), units_)
        logits = head.scorer.score(spans, concepts[None].expand(len(batch), -1, -1))
        probabilities = torch.sigmoid(logits) * legal_spans(units_, head.shape.widest)[..., None]
        if concepts.shape[0] == queries:
            return probabilities, [one.places for one in own]
        best = probabilities.new_zeros(*probabilities.shape[:3], queries)
        index = owners.expand(*probabilities.shape[:3], -1)
        return best.scatter_reduce(3, index, probabilities, "amax"), [one.places for one in own]

    def _concept_vectors(self, queries: Sequence[Query]) -> tuple[Tensor, Tensor]:
        """(concepts, span): of each query the vectors of its concepts, or of its name; and whose each is."""
        head, made, owners = self._head, [], []
        for number, query in enumerate(queries):
            known = [head.rows[one] for one in query.concepts if one in head.rows]
            if known:
                made += list(head.scorer.concepts.weight[known])
            else:
                vector = self._sentence_vectors([query.name])[0]
                made.append(head.scorer.name((vector - head.name_centre) * head.fitted.name_scale))
            owners += [number] * max(1, len(known))
        return torch.stack(made), torch.tensor(owners)

    def _label_vectors(self, labels: Sequence[str], spoken: str, stop: Event | None) -> Tensor:
        """(labels, hidden): centred, the mean over the language's templates, of length 1."""
        sentences = [template.format(label) for label in labels for template in TEMPLATES[spoken]]
        vectors = torch.stack(self._sentence_vectors(sentences, stop)).view(len(labels), -1, self._encoder.shape.hidden)
        return F.normalize(vectors.mean(1) - self._head.label_centres[spoken], dim=1)

    def _sentence_vectors(self, sentences: Sequence[str], stop: Event | None = None) -> list[Tensor]:
        """Vectors of short sentences, remembered."""
        unknown = list(dict.fromkeys(one for one in sentences if one not in self._vectors))
        if unknown:
            self._vectors |= dict(zip(unknown, self.vectors(unknown, stop), strict=True))
        made = []
        for one in sentences:
            self._vectors.move_to_end(one)
            made.append(self._vectors[one])
        while len(self._vectors) > _NAMES_KEPT:
            self._vectors.popitem(last=False)
        return made

    @torch.inference_mode()
    def vectors(self, texts: Sequence[str], stop: Event | None = None) -> Tensor:
        """(texts, hidden), of length 1; a long text's is the mean of its windows'."""
        cut = [self._tokenizer(text) for text in texts]
        windows = [one for index, pieces in enumerate(cut) for one in _windows(index, pieces)]
        sums = torch.zeros(len(texts), self._encoder.shape.hidden)
        for batch in _batches(windows):
            _check(stop)
            states, mask = self._encoder.embed([self._framed(cut[one.text].ids[one.first : one.last]) for one in batch])
            for layer in self._encoder.layers:
                states = layer(states, mask)
            for one, vector in zip(batch, mean_state(states, mask), strict=True):
                sums[one.text] += F.normalize(vector, dim=0) * (one.last - one.first + 1)
        return F.normalize(sums, dim=1)

    def _framed(self, ids: Sequence[int]) -> tuple[int, ...]:
        return (self._begin, *self._prefix, *ids, self._end)


def language_of(text: str) -> str:
    """zh where at least a fifth of the letters are Chinese, else en."""
    letters = [char for char in text if char.isalpha()]
    return "zh" if sum(map(is_cjk, letters)) * 5 > len(letters) else "en"


def _windows(text: int, pieces: Pieces) -> Iterator[_Window]:
    first, total = 0, len(pieces.ids)
    while True:
        last = min(total, first + _WINDOW)
        yield _Window(text, first, last)
        if last == total:
            return
        first = last - _OVERLAP


def _batches(windows: Sequence[_Window]) -> Iterator[list[_Window]]:
    """Windows of similar length together: padding is work too."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda one: one.last - one.first):
        if batch and (len(batch) + 1) * (window.last - window.first + 8) > _BATCH_PIECES:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _check(stop: Event | None) -> None:
    if stop is not None and stop.is_set():
        raise Cancelled
