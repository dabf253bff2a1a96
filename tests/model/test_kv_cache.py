"""The KV cache with room against the library's own; and beginnings of prompts that others go on from."""

import copy
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor
from transformers import LlamaConfig, MistralConfig
from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from engine.model import kv_cache
from engine.model.kv_cache import Prefixes, RoomyLayer, is_plain, is_plain_layer, new_cache

pytestmark = pytest.mark.usefixtures("one_thread")
HEADS, SIZE = 2, 3


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    with torch.inference_mode():
        yield


# A layer with room.


def drawn(rows: int, length: int, seed: int) -> tuple[Tensor, Tensor]:
    make = torch.Generator().manual_seed(seed)
    return torch.randn(rows, HEADS, length, SIZE, generator=make), torch.randn(
        rows, HEADS, length, SIZE, generator=make
    )


def same(one: Any, other: Any) -> bool:
    return (
        one.get_seq_length() == other.get_seq_length()
        and torch.equal(one.keys, other.keys)
        and torch.equal(one.values, other.values)
    )


def change(layer: Any, step: tuple[Any, ...], seed: int) -> Any:
    """One step on a layer, as a model or the engine makes it."""
    name, *details = step
    if name == "add":
        return layer.update(*drawn(len(layer.keys), details[0], seed))
    length = layer.get_seq_length()
    if name == "rows":  # as RaggedBatch.keep
        chosen = torch.tensor(sorted({row % len(layer.keys) for row in details[0]}))
        unused = min(details[1], length - 1)
        layer.keys, layer.values = layer.keys[chosen, :, unused:], layer.values[chosen, :, unused:]
    elif name == "side by side":  # as ragged's _side_by_side
        for part in ("keys", "values"):
            held = getattr(layer, part)
            setattr(
                layer,
                part,
                torch.cat(
                    [
                        torch.nn.functional.pad(held, (0, 0, details[0], 0)),
                        held.new_zeros(len(held), HEADS, length + details[0], SIZE),
                    ]
                ),
            )
    elif name == "cut":
        layer.crop(-min(details[0], length - 1))
    elif name == "beams":
        layer.batch_repeat_interleave(details[0])
    elif name == "another":
        layer.batch_select_indices(torch.tensor([row % len(layer.keys) for row in details[0]]))
    elif name == "first":  # views of the first rows
        layer.keys, layer.values = layer.keys[: details[0]], layer.values[: details[0]]
    return None


LENGTHS = st.sampled_from([1, 1, 1, 2, 5, 63, 64, 65, 130]) | st.integers(1, 300)
ADD = st.tuples(st.just("add"), LENGTHS)
STEPS = st.lists(ADD, max_size=5) | st.lists(
    ADD
    | st.tuples(st.just("rows"), st.lists(st.integers(0, 3), min_size=1, max_size=3), st.integers(0, 5))
    | st.tuples(st.just("side by side"), st.integers(0, 4))
    | st.tuples(st.just("cut"), st.integers(0, 70))
    | st.tuples(st.just("beams"), st.integers(1, 2))
    | st.tuples(st.just("another"), st.lists(st.integers(0, 5), min_size=1, max_size=4))
    | st.tuples(st.just("first"), st.integers(1, 3)),
    max_size=10,
)


@given(st.integers(1, 3), LENGTHS, STEPS)
@example(1, 10, [("add", 1), ("cut", 1), ("add", 1), ("rows", [0], 0), ("add", 1)])
@example(2, 10, [("first", 1), ("add", 1)])
@example(2, 10, [("rows", [0, 1], 0), ("add", 1), ("rows", [0], 0), ("add", 64)])
def test_a_roomy_layer_holds_what_the_library_s_would(rows: int, first: int, steps: list[tuple[Any, ...]]) -> None:
    roomy, plain = RoomyLayer(), DynamicLayer()
    for layer in (roomy, plain):
        layer.update(*drawn(rows, first, 0))
    assert same(roomy, plain)
    for seed, step in enumerate(steps, 1):
        found, right = change(roomy, step, seed), change(plain, step, seed)
        assert same(roomy, plain), step
        if found is not None:
            assert all(map(torch.equal, found, right))


@given(LENGTHS, STEPS, STEPS)
@example(5, [], [("add", 1)])
def test_a_copy_is_independent(first: int, before: list[tuple[Any, ...]], after: list[tuple[Any, ...]]) -> None:
    roomy, plain = RoomyLayer(), DynamicLayer()
    for layer in (roomy, plain):
        layer.update(*drawn(1, first, 0))
        for seed, step in enumerate(before, 1):
            change(layer, step, seed)
    other, other_plain = copy.deepcopy(roomy), copy.deepcopy(plain)
    assert type(other) is RoomyLayer
    for seed, step in enumerate(after, 100):
        change(other, step, seed)
        change(other_plain, step, seed)
    assert same(roomy, plain)
    change(roomy, ("add", 2), 7)
    change(plain, ("add", 2), 7)
    assert same(roomy, plain)
    assert same(other, other_plain)


def test_a_token_is_added_in_place() -> None:
    layer = RoomyLayer()
    layer.update(*drawn(1, 10, 0))
    place = layer.keys.data_ptr()
    for seed in range(60):
        layer.update(*drawn(1, 1, seed))
    assert layer.keys.data_ptr() == place
    assert layer.keys.shape[-2] == 70


def test_a_copy_of_an_empty_layer_is_one() -> None:
    other = copy.deepcopy(RoomyLayer())
    assert other.get_seq_length() == 0
    other.update(*drawn(1, 2, 0))
    assert other.get_seq_length() == 2


# A cache for a model.


def test_only_plain_layers_get_room() -> None:
    def cache(config: Any) -> Any:
        return new_cache(SimpleNamespace(config=config))

    assert all(type(layer) is RoomyLayer for layer in cache(LlamaConfig(num_hidden_layers=3)).layers)
    assert len(cache(LlamaConfig(num_hidden_layers=3)).layers) == 3
    sliding = cache(MistralConfig(num_hidden_layers=2, sliding_window=8))
    assert not any(type(layer) is RoomyLayer for layer in getattr(sliding, "layers", ()))
    assert not is_plain(sliding)
    assert is_plain(cache(LlamaConfig(num_hidden_layers=3)))
    assert not is_plain(DynamicCache())
    assert not is_plain(object())
    assert is_plain_layer(DynamicLayer())
    assert not is_plain_layer(DynamicSlidingWindowLayer(sliding_window=8))


# Beginnings. Keys and values of a position are its token, so that what is found can be read off.


def cache_of(prompt: Sequence[int], cache: Any = None, start: int = 0) -> Any:
    cache = cache or empty()
    for layer in cache.layers:
        states = torch.tensor(prompt[start:], dtype=torch.float32)[None, None, :, None].expand(1, HEADS, -1, SIZE)
        layer.update(states, -states)
    return cache


def empty() -> Any:
    return new_cache(SimpleNamespace(config=TWO_LAYERS))


def held(cache: Any) -> list[int]:
    """The tokens that a cache holds, the same in every layer."""
    read = [layer.keys[0, 0, :, 0].long().tolist() if layer.get_seq_length() else [] for layer in cache.layers]
    for tokens, layer in zip(read, cache.layers, strict=True):
        assert tokens == read[0]
        assert not tokens or torch.equal(layer.keys, -layer.values)
    return read[0]


def state(prompt: Sequence[int]) -> Tensor:
    return torch.tensor([float(len(prompt)), float(sum(prompt))])


TWO_LAYERS = LlamaConfig(num_hidden_layers=2)
BYTES = 2 * 2 * HEADS * SIZE * 4
"""Of a token: two layers, keys and values."""


def common(one: Sequence[int], other: Sequence[int]) -> int:
    return next(
        (n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )


def prompts() -> st.SearchStrategy[tuple[int, ...]]:
    """Prompts that often begin alike, around the least length that is worth it."""
    trunk = tuple(range(1, 41))
    return st.builds(
        lambda cut, rest: (*trunk[:cut], *rest),
        st.integers(0, 40),
        st.lists(st.integers(50, 52), max_size=3),
    ).filter(bool)


@given(st.lists(st.tuples(prompts(), st.integers(0, 100)), max_size=12), st.sampled_from([0, 150, 400, 10**6]))
def test_any_sequence_of_requests_finds_the_longest_beginning(
    requests: list[tuple[tuple[int, ...], int]], tokens: int
) -> None:
    """Against a list of what is kept; every request goes on with its cache, which must not show elsewhere."""
    kept = Prefixes(tokens * BYTES)
    right: list[tuple[int, ...]] = []  # the least recently used first
    sizes: dict[tuple[int, ...], int] = {}
    for prompt, more in requests:
        cache = empty()
        length, last = kept.find(prompt, cache)
        longest = max((common(prompt, one) for one in right), default=0)
        if longest < 16:
            assert (length, last) == (0, None)
        elif last is not None:
            assert prompt in right
            assert torch.equal(last, state(prompt))
            assert length == len(prompt)
        else:
            assert length == min(longest, len(prompt) - 1)
            assert prompt not in right or sum(one[: len(prompt)] == prompt for one in right) > 1
        assert held(cache) == list(prompt[:length])
        if length:
            used = [one for one in right if common(prompt, one) == longest]
            latest = list(kept._kept)[-1]
            assert latest in used
            right = [*(one for one in right if one != latest), latest]
        if last is None:
            cache_of(prompt, cache, length)
            size = sum(one.untyped_storage().nbytes() for layer in cache.layers for one in (layer.keys, layer.values))
            assert size >= len(prompt) * BYTES  # with the room beside it
            kept.keep(prompt, state(prompt), cache)
            if size <= tokens * BYTES:
                right, sizes[prompt] = [*(one for one in right if one != prompt), prompt], size
            while sum(sizes[one] for one in right) > tokens * BYTES:
                right.pop(0)
        assert list(kept._kept) == right
        assert kept.nbytes == sum(sizes[one] for one in right) <= tokens * BYTES
        for layer in cache.layers:
            layer.update(*(torch.full((1, HEADS, more, SIZE), 9.0) for _ in range(2)))
    for prompt in right:
        cache = empty()
        kept.find((*prompt, 77), cache)
        assert held(cache) == (list(prompt) if len(prompt) >= 16 else [])


def test_a_prompt_that_is_kept_whole_is_not_read_though_a_longer_one_is_kept() -> None:
    kept, prompt = Prefixes(10**6), tuple(range(30))
    for one in (prompt, (*prompt, 99), prompt):
        kept.keep(one, state(one), cache_of(one))
    length, last = kept.find(prompt, empty())
    assert length == 30
    assert last is not None
    assert torch.equal(last, state(prompt))


def test_the_least_recently_used_goes_first_and_there_are_not_too_many() -> None:
    kept = Prefixes(10**9)
    own = [tuple([number] * 20) for number in range(kv_cache._MOST_KEPT)]
    for one in own:
        kept.keep(one, state(one), cache_of(one))
    assert kept.find(own[0], empty())[0] == 20
    kept.keep((999,) * 20, state([]), cache_of((999,) * 20))
    assert kept.find(own[1], empty())[0] == 0
    assert kept.find(own[0], empty())[0] == kept.find(own[2], empty())[0] == 20


def test_what_is_kept_holds_little_more_memory_than_it_says() -> None:
    kept = Prefixes(10**9)
    for number in range(8):
        prompt = (number,) * 400
        cache = empty()
        for start in range(0, 400, 256):
            cache_of(prompt[: start + 256], cache, start)
        kept.keep(prompt, state(prompt), cache)
    tensors = [one for _, pairs in kept._kept.values() for pair in pairs for one in pair]
    places = {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors}
    assert sum(places.values()) < 1.5 * kept.nbytes


def test_clearing_keeps_nothing() -> None:
    kept, prompt = Prefixes(10**6), tuple(range(30))
    kept.keep(prompt, state(prompt), cache_of(prompt))
    kept.clear()
    assert kept.nbytes == 0
    assert kept.find(prompt, empty()) == (0, None)
