"""The trained part of the offline model: adapted upper layers, and a scorer of spans against concepts.

Source: the span scorer follows GLiNER (Zaratiana et al. 2024, arXiv:2311.08526), spans against embedded names, over
characters; the adapters are LoRA (Hu et al. 2021, arXiv:2106.09685). It decides nothing about overlaps.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.model.encoder.transformer import Encoder
from engine.model.encoder.units import CHARACTERS, KINDS, Units, kind


@dataclass(frozen=True)
class HeadShape:
    """Sizes of a head.

    first, last: encoder layers below `first` are used as they are, those from it to `last` are adapted.
    rank: of the adapters. labels_from, labels_rank: the same for the layers that compare texts and labels.
    inner: width of the units' states. span: width of a span's state. widest: units of a span.
    """

    first: int = 4
    last: int = 8
    rank: int = 32
    labels_from: int = 8
    labels_rank: int = 8
    inner: int = 256
    span: int = 160
    widest: int = 28
    concepts: int = 160
    hidden: int = 384


@dataclass(frozen=True)
class UnitBatch:
    """Units of several texts as tensors, (texts, most units): the pieces' indices and what each unit looks like."""

    pieces: Tensor
    inside: Tensor
    first: Tensor
    final: Tensor
    kinds: Tensor
    mask: Tensor


def unit_batch(texts: Sequence[str], cut: Sequence[Units], shift: int = 0) -> UnitBatch:
    """shift: pieces that stand before a text's own in the states."""
    longest = max(1, *(len(one.places) for one in cut))
    table = torch.zeros(6, len(texts), longest, dtype=torch.long)
    for row, (text, one) in enumerate(zip(texts, cut, strict=True)):
        size = len(one.places)
        firsts = [text[start] for start, _ in one.places]
        finals = [text[end - 1] for _, end in one.places]
        columns = (
            [piece + shift for piece in one.pieces],
            list(one.inside),
            [ord(char) % CHARACTERS for char in firsts],
            [ord(char) % CHARACTERS for char in finals],
            [kind(char) for char in firsts],
            [1] * size,
        )
        for number, column in enumerate(columns):
            table[number, row, :size] = torch.tensor(column, dtype=torch.long)
    pieces, inside, first, final, kinds, mask = table
    return UnitBatch(pieces, inside, first, final, kinds, mask.bool())


_ADAPTED = ("qkv", "out", "up", "down")
"""The linear parts of a layer."""


class Adapter(nn.Module):
    """A linear layer of the encoder with a low-rank change."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self._base = [base]  # in a list: not a part of this module, so it is neither trained nor saved
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, states: Tensor) -> Tensor:
        base = self._base[0]
        return F.linear(states, base.weight, base.bias) + states @ self.down.T @ self.up.T

    def merged(self) -> nn.Linear:
        """One linear layer that does the same."""
        base = self._base[0]
        made = nn.Linear(base.in_features, base.out_features)
        with torch.no_grad():
            made.weight.copy_(base.weight + self.up @ self.down)
            made.bias.copy_(base.bias)
        return made


class AdaptedLayers(nn.Module):
    """Some of the encoder's layers with adapters on their linear parts; the encoder's own stay as they are."""

    def __init__(self, encoder: Encoder, first: int, last: int, rank: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for own in encoder.layers[first:last]:
            layer = deepcopy(own)
            for name in _ADAPTED:
                setattr(layer, name, Adapter(getattr(own, name), rank))
            self.layers.append(layer.requires_grad_(True))

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        for layer in self.layers:
            states = layer(states, mask)
        return states

    def weaken(self, share: float) -> None:
        """Keep a share, 0 to 1, of the change."""
        with torch.no_grad():
            for name, one in self.named_parameters():
                if name.endswith(".up"):
                    one.mul_(share)

    def merge(self) -> None:
        """Put the changes into plain weights: faster, and trained no more."""
        for layer in self.layers:
            for name in _ADAPTED:
                setattr(layer, name, getattr(layer, name).merged())


class SpanHead(nn.Module):
    """Scores every span of up to `widest` units against concept vectors."""

    def __init__(self, shape: HeadShape) -> None:
        super().__init__()
        self.shape = shape
        inner, span = shape.inner, shape.span
        self.states = nn.Linear(2 * shape.hidden, inner)
        self.inside = nn.Embedding(4, inner)
        self.kinds = nn.Embedding(KINDS, inner)
        self.characters = nn.Embedding(CHARACTERS, 48)
        self.spelled = nn.Linear(2 * 48, inner, bias=False)
        self.near = nn.ModuleList(nn.Conv1d(inner, inner, 5, padding=2) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(inner) for _ in range(3))
        self.dropout = nn.Dropout(0.1)
        self.start = nn.Linear(inner, span)
        self.end = nn.Linear(inner, span, bias=False)
        self.middle = nn.Linear(inner, span, bias=False)
        self.width = nn.Embedding(shape.widest, span)
        self.concepts = nn.Embedding(shape.concepts, span)
        self.name = nn.Sequential(nn.Linear(shape.hidden, 256), nn.GELU(), nn.Linear(256, span))
        self.bias = nn.Parameter(torch.tensor(-4.0))
        for table in (self.inside, self.kinds, self.characters, self.width):
            nn.init.normal_(table.weight, std=0.1)
        nn.init.normal_(self.concepts.weight, std=0.3)

    def forward(self, below: Tensor, above: Tensor, batch: UnitBatch) -> Tensor:
        """Span states (texts, units, widths, span) from the states under and over the adapted layers."""
        states = torch.cat([below, above], -1)
        rows = batch.pieces[..., None].expand(-1, -1, states.shape[-1])
        spelled = torch.cat([self.characters(batch.first), self.characters(batch.final)], -1)
        units = self.states(states.gather(1, rows)) + self.inside(batch.inside) + self.kinds(batch.kinds)
        units = self.norms[0](units + self.spelled(spelled)) * batch.mask[..., None]
        for near, norm in zip(self.near, self.norms[1:], strict=True):
            units = norm(units + F.gelu(near(self.dropout(units).transpose(1, 2))).transpose(1, 2))
            units = units * batch.mask[..., None]
        return self._spans(self.dropout(units))

    def _spans(self, units: Tensor) -> Tensor:
        """The state of the span of units [i, i + width], from its ends, the mean between, and its width."""
        length = units.shape[1]
        widest = min(self.shape.widest, length)
        start, end, middle = self.start(units), self.end(units), self.middle(units)
        sums = F.pad(middle.cumsum(1), (0, 0, 1, widest - 1))
        counts = torch.arange(1, widest + 1)[:, None]
        # views, not gathers: unfolding is what makes this fast, above all backwards
        ends = F.pad(end, (0, 0, 0, widest - 1)).unfold(1, widest, 1).transpose(2, 3)
        means = (sums[:, 1:].unfold(1, widest, 1).transpose(2, 3) - sums[:, :length, None]) / counts
        return F.gelu(start[:, :, None] + ends + means + self.width.weight[:widest])

    def score(self, spans: Tensor, concepts: Tensor) -> Tensor:
        """Logits (texts, units, widths, concepts) of span states against concept vectors (texts, concepts, span)."""
        flat: Tensor = spans.flatten(1, 2) @ concepts.transpose(1, 2) / self.shape.span**0.5
        texts, length, widths = spans.shape[:3]
        return flat.view(texts, length, widths, -1) * 4 + self.bias


def legal_spans(batch: UnitBatch, widest: int) -> Tensor:
    """Which of (texts, units, widths) are spans: those that end inside their text."""
    length = batch.mask.shape[1]
    last = torch.arange(length)[:, None] + torch.arange(min(widest, length))
    return last < batch.mask.sum(1)[:, None, None]
