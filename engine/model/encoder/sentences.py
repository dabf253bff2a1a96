"""Vectors of texts and of short sentences: what classification compares.

The upper layers carry small changes that bring texts nearer to labels (`LoadedHead.labels`); names of fields are
compared without them. It knows no labels and no centres.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Event

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.errors import Cancelled
from engine.model.encoder.pieces import PieceTokenizer
from engine.model.encoder.transformer import Encoder
from engine.model.encoder.windows import WINDOW, batches, windows

PREFIX = "query:"
"""The encoder was trained with it; a blank follows."""

_KEPT = 4096


class Reader:
    """Texts as the encoder's states. Between its parts, states are lists of (pieces, hidden), one a text."""

    def __init__(self, encoder: Encoder, tokenizer: PieceTokenizer) -> None:
        self.encoder = encoder
        self.tokenizer = tokenizer
        self._prefix = tokenizer(PREFIX).ids
        self._begin, self._end = tokenizer.borders

    @property
    def before(self) -> int:
        """Pieces that stand before a text's own."""
        return 1 + len(self._prefix)

    def framed(self, ids: Sequence[int]) -> tuple[int, ...]:
        """A text's pieces between those that begin and end it."""
        return (self._begin, *self._prefix, *ids, self._end)

    @torch.inference_mode()
    def states(self, ids: Sequence[Sequence[int]], layers: int) -> list[Tensor]:
        """States over so many of the encoder's layers, the frame included."""
        framed = [self.framed(one) for one in ids]
        states, mask = self.encoder.embed(framed)
        for layer in self.encoder.layers[:layers]:
            states = layer(states, mask)
        return [own[: len(one)] for own, one in zip(states, framed, strict=True)]

    def pool(self, below: Sequence[Tensor], upper: nn.Module) -> Tensor:
        """(texts, hidden), of length 1: the mean over a text's own pieces of what the upper layers make of `below`."""
        lengths = torch.tensor([len(one) for one in below])
        states = nn.utils.rnn.pad_sequence([one.float() for one in below], batch_first=True)
        places = torch.arange(states.shape[1])[None]
        states = upper(states, (places < lengths[:, None])[:, None, None])
        own = (places >= self.before) & (places < lengths[:, None] - 1)
        own = own | ((places < lengths[:, None]) & ~own.any(1, keepdim=True))  # without pieces: all that frames it
        return F.normalize((states * own[..., None]).sum(1), dim=1)

    def vectors(self, texts: Sequence[str], layers: int, upper: nn.Module, stop: Event | None = None) -> Tensor:
        """(texts, hidden), of length 1; a long text's is the mean of its windows'."""
        cut = [self.tokenizer(text).ids for text in texts]
        sums = torch.zeros(len(texts), self.encoder.shape.hidden)
        for batch in batches(list(windows([len(one) for one in cut]))):
            check(stop)
            states = self.states([cut[one.text][one.first : one.last] for one in batch], layers)
            for one, vector in zip(batch, self.pool(states, upper), strict=True):
                sums[one.text] += vector * (one.size + 1)
        return F.normalize(sums, dim=1)

    def name_vectors(self, names: Sequence[str], stop: Event | None = None) -> Tensor:
        """(names, hidden): vectors of fields' names, by the encoder as it came."""
        return self.vectors(names, len(self.encoder.layers), _Unchanged(), stop)

    def states_of(self, text: str, layers: int) -> Tensor:
        """States of a text's first window."""
        return self.states([self.tokenizer(text).ids[:WINDOW]], layers)[0]


class _Unchanged(nn.Module):
    """No layers at all."""

    def forward(self, states: Tensor, _mask: Tensor) -> Tensor:
        """The states as they are."""
        return states


class Remembered:
    """Vectors of texts, made once and kept by the texts' digests, the least recently used going first."""

    def __init__(self, make: Callable[[Sequence[str], Event | None], Tensor]) -> None:
        self._make = make
        self._known: OrderedDict[bytes, Tensor] = OrderedDict()

    def __call__(self, texts: Sequence[str], stop: Event | None = None) -> Tensor:
        """(texts, hidden).

        Raises:
            Cancelled: `stop` was set.
        """
        keys = [digest(one) for one in texts]
        unknown = {key: one for key, one in zip(keys, texts, strict=True) if key not in self._known}
        if unknown:
            # copied: a row of a batch would keep all of it
            made = self._make(list(unknown.values()), stop)
            self._known |= {key: vector.clone() for key, vector in zip(unknown, made, strict=True)}
        for key in keys:
            self._known.move_to_end(key)
        vectors = torch.stack([self._known[key] for key in keys])
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return vectors

    @property
    def nbytes(self) -> int:
        """Bytes of the vectors that are kept."""
        return sum(one.nbytes for one in list(self._known.values()))  # any thread may ask

    def forget(self) -> None:
        """Keep nothing more."""
        self._known.clear()


def digest(text: str) -> bytes:
    """What a text is kept by, whatever its length."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def check(stop: Event | None) -> None:
    """Raise `Cancelled` where that was asked for."""
    if stop is not None and stop.is_set():
        raise Cancelled
