"""Prompts of different lengths read on together: one KV cache, one forward pass for one token or more of each.

Every prompt is read by itself; the caches are then laid side by side, shorter ones padded on the left. All rows read
the same number of tokens a pass, so no pass is padded. Only caches that are plain keys and values by position can be
laid side by side; others are read one at a time. It chooses no tokens.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from engine.model.bloom import last_only
from engine.model.kv_cache import is_plain

Prefill = Callable[[list[int]], tuple[Tensor, Any]]
"""A prompt to its last hidden state and its cache."""


class RaggedBatch:
    """The caches of some prompts, in rows. `lengths`: tokens that each holds."""

    def __init__(self, body: Any, caches: Sequence[Any], lengths: Sequence[int]) -> None:
        self._body = body
        self._device = next(body.parameters()).device
        self._cache = caches[0] if len(caches) == 1 else _side_by_side(caches, lengths)
        longest = max(lengths)
        self._mask = torch.zeros(len(lengths), longest, dtype=torch.long, device=self._device)
        for row, length in enumerate(lengths):
            self._mask[row, longest - length :] = 1

    def read(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """Read the same number of tokens on every row; the hidden states after the last, shape (rows, hidden)."""
        ids = torch.tensor([list(one) for one in tokens], device=self._device)
        options: dict[str, Any] = {**last_only(self._body)}
        if len(ids) == 1:
            output = self._body(input_ids=ids, cache=self._cache, use_cache=True, **options)
        else:
            self._mask = torch.cat([self._mask, torch.ones_like(ids)], dim=1)
            positions = self._mask.cumsum(-1)[:, -ids.shape[1] :] - 1
            if not hasattr(self._body, "build_alibi_tensor"):
                options["position_ids"] = positions
            output = self._body(input_ids=ids, cache=self._cache, attention_mask=self._mask, use_cache=True, **options)
        self._cache = output.cache
        return output.last_hidden_state[:, -1]  # type: ignore[no-any-return]

    def keep(self, rows: Sequence[int]) -> None:
        """Drop all rows but these, and the padding that none of them needs."""
        chosen = torch.tensor(list(rows), device=self._device)
        self._mask = self._mask[chosen]
        padding = int(self._mask.sum(-1).max())
        unused = self._mask.shape[1] - padding
        self._mask = self._mask[:, unused:]
        for layer in self._cache.layers:
            layer.keys = layer.keys[chosen, :, unused:]
            layer.values = layer.values[chosen, :, unused:]


def shares_passes(body: Any, prefill: Prefill, prompt: list[int], most: float) -> bool:
    """Whether prompts of two lengths give the same states together as alone; `most`: their largest `difference`."""
    prompts = [prompt, prompt[2:]]
    again = prompt[:1]
    caches = [prefill(one)[1] for one in prompts]
    if not all(map(is_plain, caches)):
        return False
    together = RaggedBatch(body, caches, [len(one) for one in prompts]).read([again, again])
    alone = torch.stack([prefill(one + again)[0] for one in prompts])
    return difference(together, alone) <= most


def difference(states: Tensor, right: Tensor) -> float:
    """The largest distance of a hidden state from the right one, as a share of the right one's length."""
    one, other = states.float(), right.float()
    return float(((one - other).norm(dim=-1) / other.norm(dim=-1)).max())


def _side_by_side(caches: Sequence[Any], lengths: Sequence[int]) -> Any:
    """The first cache, holding all rows; the others are emptied, so that memory is held once and a layer."""
    longest = max(lengths)
    joined = caches[0]
    for number, layer in enumerate(joined.layers):
        own = [cache.layers[number] for cache in caches]
        layer.keys = _pad_left([one.keys for one in own], longest)
        layer.values = _pad_left([one.values for one in own], longest)
        for one in own[1:]:
            one.keys = one.values = None
    return joined


def _pad_left(parts: Sequence[Tensor], longest: int) -> Tensor:
    """Tensors of shape (1, heads, length, size) as one of shape (rows, heads, longest, size)."""
    pad = torch.nn.functional.pad
    return torch.cat([pad(part, (0, 0, longest - part.shape[-2], 0)) for part in parts])
