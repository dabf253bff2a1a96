"""States of windows that were read, kept for when other fields are asked of the same text."""

from collections import OrderedDict
from collections.abc import Sequence

from torch import Tensor, nn

from engine.model.encoder.head import AdaptedLayers
from engine.model.encoder.sentences import Reader

_KEPT_BYTES = 64 << 20
"""About 20,000 pieces."""

Ids = Sequence[int]


class WindowStates:
    """The states under and over the adapted layers. first: how many of the encoder's layers lie under them."""

    def __init__(self, reader: Reader, adapted: AdaptedLayers, first: int) -> None:
        self._reader, self._adapted, self._first = reader, adapted, first
        self._kept: OrderedDict[tuple[int, ...], tuple[Tensor, Tensor]] = OrderedDict()
        self.nbytes = 0
        """Bytes that are kept."""

    def __call__(self, windows: Sequence[Ids]) -> tuple[Tensor, Tensor]:
        """Both, (windows, most pieces, hidden), the frame included; zeros where a window is shorter."""
        keys = [tuple(one) for one in windows]
        known = {key: self._kept[key] for key in keys if key in self._kept}
        unknown = list(dict.fromkeys(key for key in keys if key not in known))
        if unknown:
            known |= zip(unknown, self._read(unknown), strict=True)
        for key in unknown:
            self._keep(key, known[key])
        for key in keys:
            if key in self._kept:
                self._kept.move_to_end(key)
        below, above = zip(*(known[key] for key in keys), strict=True)
        pad = nn.utils.rnn.pad_sequence
        return pad(list(below), batch_first=True), pad(list(above), batch_first=True)

    def forget(self) -> None:
        """Keep nothing more."""
        self._kept.clear()
        self.nbytes = 0

    def _read(self, windows: Sequence[Ids]) -> list[tuple[Tensor, Tensor]]:
        framed = [self._reader.framed(one) for one in windows]
        encoder = self._reader.encoder
        below, mask = encoder.embed(framed)
        for layer in encoder.layers[: self._first]:
            below = layer(below, mask)
        above = self._adapted(below, mask)
        # copied: a row of a batch would keep all of it
        return [(below[row, : len(one)].clone(), above[row, : len(one)].clone()) for row, one in enumerate(framed)]

    def _keep(self, key: tuple[int, ...], states: tuple[Tensor, Tensor]) -> None:
        self._kept[key] = states
        self.nbytes += _bytes(states)
        while self.nbytes > _KEPT_BYTES:
            self.nbytes -= _bytes(self._kept.popitem(last=False)[1])


def _bytes(states: tuple[Tensor, Tensor]) -> int:
    return sum(one.nbytes for one in states)
