"""BLOOM's slow parts in `transformers` 5.24, replaced by torch's own kernels: attention in one call, GELU in one pass.

The library computes attention in six passes over a (heads, queries, keys) tensor and GELU in eight. The numbers are the
same but for rounding. Other architectures are left alone: theirs already run so.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.models.bloom.modeling_bloom import BloomAttention, BloomForCausalLM


def quicken(model: Any) -> None:
    """Replace them, in place, where the model is a BLOOM."""
    if not isinstance(model, BloomForCausalLM):
        return
    bias = _Bias()
    for block in model.transformer.h:
        block.self_attention.__class__ = FusedAttention
        block.self_attention.bias = bias
        block.mlp.gelu_impl = nn.GELU("tanh")


def last_only(body: Any) -> dict[str, bool]:
    """What to give a body that can leave out all states but each row's last one, when no others are wanted."""
    return {"last_only": True} if getattr(body, "gives_last_only", False) else {}


class FusedAttention(BloomAttention):  # type: ignore[misc]
    """BLOOM's attention by one kernel. bias: shared by the layers of a model."""

    bias: "_Bias"

    def forward(
        self,
        hidden_states: Tensor,
        residual: Tensor,
        alibi: Tensor,
        attention_mask: Tensor | None,
        layer_past: Any = None,
        **_: object,
    ) -> tuple[Tensor, None]:
        """States of shape (rows, queries, hidden), with the residual added."""
        query, key, value = self._reshape(self.query_key_value(hidden_states))
        if layer_past is not None:
            key, value = layer_past.update(key, value, self.layer_idx)
        bias = self.bias(alibi, attention_mask, len(hidden_states))
        out = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=self.inv_norm_factor)
        return self.dense(out.transpose(1, 2).reshape(hidden_states.shape)).add_(residual), None


class _Bias:
    """ALiBi and mask in one, shape (rows, heads, queries, keys): added up by a forward's first layer, for all."""

    def __init__(self) -> None:
        self._of: tuple[Tensor, Tensor | None] | None = None
        self._sum = torch.empty(0)

    def __call__(self, alibi: Tensor, mask: Tensor | None, rows: int) -> Tensor:
        if self._of is None or self._of[0] is not alibi or self._of[1] is not mask:
            slopes = alibi.view(rows, -1, 1, alibi.shape[-1])
            self._of, self._sum = (alibi, mask), slopes if mask is None else slopes + mask
        return self._sum
