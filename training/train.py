"""Trains the head: adapters in the encoder's middle layers and the span scorer, seeded, on the CPU.

The encoder below them is frozen and its states are computed once a text. It evaluates nothing.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.model.encoder.head import AdaptedLayers, HeadShape, SpanHead, UnitBatch, legal_spans, unit_batch
from engine.model.encoder.sentences import Reader
from engine.model.encoder.transformer import Encoder
from engine.model.encoder.units import Units, units
from engine.text.concepts import concepts
from training.examples import Asked, asked_of, batches
from training.rows import Row

EPOCHS = {
    **dict.fromkeys(("uner_zh", "uner_zht", "uner_en", "wnut17"), 3),
    **dict.fromkeys(("btc", "re3d", "syn_zh", "syn_en"), 2),
    **{f"crossner_{one}": 2 for one in ("ai", "literature", "music", "politics", "science")},
}
"""Times that a corpus is read; the others, and our own texts, of which there are enough, once."""
NAME_SCALE = 8.0
"""A name's centred vector is short: it is multiplied by this."""


@dataclass(frozen=True)
class Settings:
    """How the head is trained. `budget`: pieces of a batch, padding included."""

    seed: int = 7
    budget: int = 1536
    rate: float = 1e-3
    adapter_rate: float = 7e-4
    longest: int = 160


@dataclass
class Prepared:
    """A row as the encoder reads it. `below`: states (pieces, hidden) under the adapted layers, fp16, once known."""

    row: Row
    ids: tuple[int, ...]
    shift: int
    cut: Units
    starts: dict[int, int]
    ends: dict[int, int]
    below: Tensor | None = None


class Model(nn.Module):
    """What is trained, over the encoder."""

    def __init__(self, encoder: Encoder, shape: HeadShape) -> None:
        super().__init__()
        self.adapted = AdaptedLayers(encoder, shape.first, shape.last, shape.rank)
        self.head = SpanHead(shape)


def prepare(rows: Sequence[Row], reader: Reader, longest: int) -> list[Prepared]:
    """Rows that fit, cut into pieces and units."""
    made = []
    for row in rows:
        pieces = reader.tokenizer(row.text)
        if not pieces.ids or len(pieces.ids) > longest:
            continue
        cut = units(row.text, pieces)
        starts = {start: at for at, (start, _) in enumerate(cut.places)}
        ends = {stop: at for at, (_, stop) in enumerate(cut.places)}
        made.append(Prepared(row, reader.framed(pieces.ids), reader.before, cut, starts, ends))
    return made


@torch.inference_mode()
def states_below(encoder: Encoder, ids: Sequence[Sequence[int]], first: int) -> tuple[Tensor, Tensor | None]:
    """The padded states under the adapted layers, and the padding's mask."""
    states, mask = encoder.embed(ids)
    for layer in encoder.layers[:first]:
        states = layer(states, mask)
    return states, mask


def padded_states(encoder: Encoder, batch: Sequence[Prepared], first: int) -> tuple[Tensor, Tensor | None]:
    """As `states_below`, remembered by row."""
    if any(one.below is None for one in batch):
        states, _ = states_below(encoder, [one.ids for one in batch], first)
        for row, one in enumerate(batch):
            one.below = states[row, : len(one.ids)].half().clone()
    below = nn.utils.rnn.pad_sequence([one.below.float() for one in batch if one.below is not None], batch_first=True)
    lengths = torch.tensor([len(one.ids) for one in batch])
    return below, (torch.arange(below.shape[1])[None] < lengths[:, None])[:, None, None]


class NameVectors:
    """Sentence vectors of names, centred on those of all concepts' names, remembered."""

    def __init__(self, encode: Callable[[Sequence[str]], Tensor]) -> None:
        names = sorted({name for one in concepts().values() for name in one.names})
        vectors = encode(names)
        self._encode = encode
        self.centre = vectors.mean(0)
        self._known: dict[str, Tensor] = dict(zip(names, vectors - self.centre, strict=True))

    def __call__(self, name: str) -> Tensor:
        if name not in self._known:
            self._known[name] = self._encode([name])[0] - self.centre
        return self._known[name]


def concept_vectors(
    head: SpanHead, asked: Sequence[Sequence[Asked]], ids: dict[str, int], vectors: NameVectors
) -> Tensor:
    """(texts, most asked, span): each asked concept by its own vector or by its name's."""
    widest = max(map(len, asked))
    rows, names, at_rows, at_names = [], [], [], []
    for text, own in enumerate(asked):
        for column, one in enumerate(own):
            place = text * widest + column
            if one.by_name:
                names.append(vectors(one.vector_of))
                at_names.append(place)
            else:
                rows.append(ids[one.vector_of])
                at_rows.append(place)
    made = torch.zeros(len(asked) * widest, head.shape.span)
    if rows:
        made = made.index_copy(0, torch.tensor(at_rows), head.concepts(torch.tensor(rows)))
    if names:
        made = made.index_copy(0, torch.tensor(at_names), head.name(torch.stack(names) * NAME_SCALE))
    return made.view(len(asked), widest, -1)


def targets(
    batch: Sequence[Prepared], asked: Sequence[Sequence[Asked]], units_: UnitBatch, widest: int
) -> tuple[Tensor, Tensor]:
    """Right spans and loss weights, (texts, units, widths, concepts)."""
    length = units_.mask.shape[1]
    widths = min(widest, length)
    most = max(map(len, asked))
    right = torch.zeros(len(batch), length, widths, most)
    weights = legal_spans(units_, widest)[..., None].float().expand(-1, -1, -1, most).clone()
    for row, (one, own) in enumerate(zip(batch, asked, strict=True)):
        weights[row, :, :, len(own) :] = 0
        for column, concept in enumerate(own):
            weights[row, ..., column] *= concept.weight
            for spans, value in ((concept.answers, 1.0), (concept.ignored, 0.0)):
                for start, end in spans:
                    first, last = one.starts.get(start), one.ends.get(end)
                    if first is None or last is None or not 0 <= last - first < widths:
                        continue
                    right[row, first, last - first, column] = value
                    weights[row, first, last - first, column] = value * concept.weight
    return right, weights


def train(
    encoder: Encoder,
    prepared: Sequence[Prepared],
    ids: dict[str, int],
    vectors: NameVectors,
    shape: HeadShape,
    settings: Settings,
    report: Callable[[str], None] = print,
) -> Model:
    """A trained head."""
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)  # noqa: S311 - drawing examples is no secret
    model = Model(encoder, shape)
    groups = [
        {"params": model.adapted.parameters(), "lr": settings.adapter_rate, "weight_decay": 0.0},
        {"params": model.head.parameters(), "lr": settings.rate, "weight_decay": 0.01},
    ]
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98))
    order = [index for index, one in enumerate(prepared) for _ in range(EPOCHS.get(one.row.source, 1))]
    rng.shuffle(order)
    steps = list(batches([len(one.ids) for one in prepared], order, settings.budget, rng))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser,
        max_lr=[settings.adapter_rate, settings.rate],
        total_steps=len(steps) + 1,
        pct_start=0.05,
        anneal_strategy="linear",
        cycle_momentum=False,
        final_div_factor=50,
    )
    model.train()
    began, running = time.monotonic(), 0.0
    for step, chosen in enumerate(steps):
        batch = [prepared[index] for index in chosen]
        asked = [asked_of(one.row, rng) for one in batch]
        loss = _loss(encoder, model, batch, asked, ids, vectors)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        running = loss.item() if step == 0 else 0.98 * running + 0.02 * loss.item()
        if step % 100 == 0:
            report(f"step {step}/{len(steps)} loss {running:.4f} {time.monotonic() - began:.0f} s")
    model.eval()
    return model


def _loss(
    encoder: Encoder,
    model: Model,
    batch: Sequence[Prepared],
    asked: Sequence[Sequence[Asked]],
    ids: dict[str, int],
    vectors: NameVectors,
) -> Tensor:
    below, mask = padded_states(encoder, batch, model.head.shape.first)
    above = model.adapted(below, mask)
    cut = unit_batch([one.row.text for one in batch], [one.cut for one in batch], batch[0].shift)
    spans = model.head(below, above, cut)
    logits = model.head.score(spans, concept_vectors(model.head, asked, ids, vectors))
    right, weights = targets(batch, asked, cut, model.head.shape.widest)
    # summed over spans, and divided by the asked concepts: most spans are plainly wrong and cost nothing
    losses = F.binary_cross_entropy_with_logits(logits, right, reduction="none") * weights
    return losses.sum() / sum(map(len, asked))
