"""Reads a trie of label tokens in one forward pass over a prompt's KV cache.

A node sees the prompt and its own ancestors, at its depth's position: a tree attention mask, and positions given as
`position_ids` or, where a model has those, as ALiBi biases. Whether a model takes it is found at load, not here.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from engine.model.kv_cache import is_plain_layer
from engine.model.trie import Trie


def read_tree(body: Any, cache: Any, length: int, trie: Trie, nodes: Sequence[int]) -> Tensor:
    """The hidden states at `nodes` (inner ones, parents first) after a prompt of `length`, shape (nodes, hidden)."""
    device = next(body.parameters()).device
    place = {node: length + index for index, node in enumerate(nodes)}
    mask = torch.full((len(nodes), length + len(nodes)), torch.finfo(body.dtype).min, dtype=body.dtype)
    mask[:, :length] = 0
    for row, node in enumerate(nodes):
        mask[row, [place[ancestor] for ancestor in trie.ancestors(node)]] = 0
    positions = torch.tensor([length + trie.depths[node] for node in nodes], device=device)
    ids = torch.tensor([[trie.tokens[node] for node in nodes]], device=device)
    with _positions(body, length, positions) as arguments:
        output = body(
            input_ids=ids, cache=cache, attention_mask=mask[None, None].to(device), use_cache=True, **arguments
        )
    return output.last_hidden_state[0]  # type: ignore[no-any-return]


def holds_all(cache: Any, context: int) -> bool:
    """Whether a cache keeps every position of a context, so that a mask over all of them fits it."""
    from transformers.cache_utils import DynamicSlidingWindowLayer

    layers = getattr(cache, "layers", [])
    return bool(layers) and all(
        is_plain_layer(layer) or (isinstance(layer, DynamicSlidingWindowLayer) and layer.sliding_window > context)
        for layer in layers
    )


class _positions:  # noqa: N801 - reads as a statement: `with _positions(...)`
    """Gives the tree's nodes their positions: as position_ids, or as ALiBi biases where a model has those."""

    def __init__(self, body: Any, length: int, positions: Tensor) -> None:
        self._body, self._length, self._positions = body, length, positions
        self._alibi = hasattr(body, "build_alibi_tensor")

    def __enter__(self) -> dict[str, Tensor]:
        if not self._alibi:
            return {"position_ids": self._positions[None]}
        keys = torch.cat([torch.arange(self._length, device=self._positions.device), self._positions])
        original = self._body.build_alibi_tensor

        def along_the_tree(_mask: Tensor, heads: int, dtype: torch.dtype) -> Tensor:
            straight = torch.ones(1, int(keys.max()) + 1, device=keys.device, dtype=torch.long)
            return original(straight, heads, dtype)[:, :, keys]  # type: ignore[no-any-return]

        self._body.build_alibi_tensor = along_the_tree  # an instance attribute: the class stays as it is
        return {}

    def __exit__(self, *_: object) -> None:
        if self._alibi:
            del self._body.build_alibi_tensor
