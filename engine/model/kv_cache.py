"""The KV cache of one forward after another: with room to grow in place, and beginnings that other prompts go on from.

`transformers`' own layers copy everything they hold for every token that is added. Only caches that are keys and values
by position are given room or kept; others (the convolution states of LFM2, sliding windows) stay as the library makes
them, and nothing of theirs is reused.
"""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from torch import Tensor
from transformers.cache_utils import DynamicCache, DynamicLayer

_ROOM = 64
"""Positions that a layer can take at least before it moves to a larger place."""

_LEAST = 16
"""Tokens that two prompts must begin with alike for the copy to be worth it."""

_MOST_KEPT = 64


class RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """One layer's keys and values, views of larger tensors that are written on in place."""

    keys: Tensor
    values: Tensor

    def __init__(self) -> None:
        super().__init__()
        self._places: tuple[Tensor, Tensor] | None = None

    def update(self, key_states: Tensor, value_states: Tensor, *_args: Any, **_options: Any) -> tuple[Tensor, Tensor]:
        """Add positions; all keys and all values, shape (rows, heads, positions, size)."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        held = self.get_seq_length()
        length = held + key_states.shape[-2]
        if self._places is None or not self._lies_there() or length > self._places[0].shape[-2]:
            capacity = max(length + _ROOM, length + length // 4)
            self._places = (
                _moved(self.keys, held, key_states, capacity),
                _moved(self.values, held, value_states, capacity),
            )
        keys, values = self._places
        keys[..., held:length, :] = key_states
        values[..., held:length, :] = value_states
        self.keys, self.values = keys[..., :length, :], values[..., :length, :]
        return self.keys, self.values

    @property
    def place(self) -> tuple[Tensor, Tensor]:
        """Keys and values with the room after them, where they are views of that."""
        return self._places if self._places is not None and self._lies_there() else (self.keys, self.values)

    def _lies_there(self) -> bool:
        """Whether nobody has put other tensors in place of the views."""
        assert self._places is not None  # noqa: S101 - asked only then
        pairs = zip((self.keys, self.values), self._places, strict=True)
        return all(view.data_ptr() == place.data_ptr() and len(view) == len(place) for view, place in pairs)

    def __deepcopy__(self, _memo: object) -> "RoomyLayer":
        """A layer of its own that holds the same; the room beside it is not copied."""
        other = RoomyLayer()
        if self.is_initialized:
            other.lazy_initialization(self.keys, self.values)
            other.update(self.keys, self.values)
        return other


def new_cache(body: Any) -> Any:
    """An empty cache with room for a model whose layers are plain; None for any other, which makes its own."""
    cache = DynamicCache(config=body.config)
    if not cache.layers or any(type(layer) is not DynamicLayer for layer in cache.layers):
        return None
    cache.layers = [RoomyLayer() for _ in cache.layers]
    return cache


def place_of(cache: Any, number: int) -> tuple[Tensor, Tensor] | None:
    """A layer's keys and values, which may have room after them; None where it holds none."""
    layer = cache.layers[number] if number < len(cache.layers) else None
    if layer is None or not layer.get_seq_length():
        return None
    return layer.place if isinstance(layer, RoomyLayer) else (layer.keys, layer.values)


def is_plain(cache: Any) -> bool:
    """Whether a cache holds nothing but keys and values of every position."""
    return type(cache) is DynamicCache and bool(cache.layers) and all(map(is_plain_layer, cache.layers))


def is_plain_layer(layer: object) -> bool:
    """The same of one layer."""
    return type(layer) in (DynamicLayer, RoomyLayer)


class Prefixes:
    """Caches of prompts that were read, the least recently used out first. most: bytes kept; 0 keeps nothing."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[int, ...], tuple[Tensor, list[tuple[Tensor, Tensor]]]] = OrderedDict()

    def keep(self, prompt: Sequence[int], last: Tensor, cache: Any) -> None:
        """Keep what a prompt left, if it fits. The cache may be added to afterwards, but not changed.

        last: the hidden state after the prompt.
        """
        if not is_plain(cache):
            return
        held = [(layer.keys, layer.values) for layer in cache.layers]
        if _bytes(held) > self._most:
            return
        self._kept[tuple(prompt)] = last, held
        self._kept.move_to_end(tuple(prompt))
        while len(self._kept) > _MOST_KEPT or self.nbytes > self._most:
            self._kept.popitem(last=False)

    def find(self, prompt: Sequence[int], cache: Any) -> tuple[int, Tensor | None]:
        """Fill an empty cache with the longest beginning of the prompt that is kept; None cannot be filled.

        Returns its length, and the hidden state after it where it is the whole prompt.
        """
        wanted = tuple(prompt)
        found = ((_alike(wanted, one), one == wanted, one) for one in self._kept)
        length, whole, best = max(found, default=(0, False, wanted))
        if length < _LEAST or cache is None:
            return 0, None
        last, held = self._kept[best]
        self._kept.move_to_end(best)
        length = length if whole else min(length, len(wanted) - 1)
        for layer, (keys, values) in zip(cache.layers, held, strict=True):
            layer.update(keys[..., :length, :], values[..., :length, :])
        return length, last if whole else None

    @property
    def nbytes(self) -> int:
        """Bytes kept, with the room beside what is held."""
        return sum(_bytes(held) for _, held in list(self._kept.values()))  # any thread may ask

    def clear(self) -> None:
        """Keep nothing more."""
        self._kept.clear()


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _bytes(held: Sequence[tuple[Tensor, Tensor]]) -> int:
    return sum(one.untyped_storage().nbytes() for pair in held for one in pair)


def _moved(held: Tensor, length: int, like: Tensor, capacity: int) -> Tensor:
    place = like.new_empty(*like.shape[:2], capacity, like.shape[-1])
    if length:
        place[..., :length, :] = held
    place[..., length:, :] = 0  # the room is read too, behind a mask, which no NaN would respect
    return place
