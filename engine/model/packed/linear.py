"""Linear layers over packed weights, on a CPU: fp16, or int8 with a scale for every row of activations.

Both use FBGEMM's kernels in torch. A row's result does not depend on the other rows of a call (in fp16, but for the
order of a sum), so that a text is answered alike alone, in a batch, and after a relabel. They choose no precision and
read no files.

int8: weights in 8 bits with a scale an output, activations in 7 bits with a scale a row: without VNNI the kernel adds
two products in 16 bits, which 8 bits times 8 bits overflow. Where zero lies among their steps is settled for a layer,
as GELU leaves little below it. Where 7 bits are too few (`passes`), the rest that they leave is multiplied too, in a
second pass over the same weights. Channels with large activations are
divided by `smooth`, and their weights multiplied by it: SmoothQuant, Xiao et al. 2022, arXiv:2211.10438.
"""

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

MOST = 127
"""The largest weight, and the largest activation above the least one of its row."""
_LEAST = 1e-30


class HalfLinear(nn.Module):
    """A linear layer of fp16 weights; activations, sums and the bias in fp32. weight: (outputs, inputs)."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.out_features, self.in_features = weight.shape
        self._packed = torch.ops.quantized.linear_prepack_fp16(weight.float(), bias)

    def forward(self, states: Tensor) -> Tensor:
        """Rows of shape (..., inputs) to (..., outputs)."""
        rows = states.reshape(-1, self.in_features)
        out = torch.ops.quantized.linear_dynamic_fp16(rows, self._packed)
        return out.view(*states.shape[:-1], self.out_features)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class ByteNumbers:
    """What the bytes of a layer, and of its activations, stand for.

    scale: of the weights, fp32, an output. smooth: fp32, an input: what activations are divided by. zero: the step, of
    127, at which an activation's zero lies. passes: 1, or 2 for activations in 14 bits.
    """

    scale: Tensor
    smooth: Tensor
    zero: int = 64
    passes: int = 2


class ByteLinear(nn.Module):
    """A linear layer of int8 weights.

    weight: int8, (outputs, inputs), of the smoothed layer.
    """

    _shrink: Tensor
    _bias: Tensor | None

    def __init__(self, weight: Tensor, numbers: ByteNumbers, bias: Tensor | None) -> None:
        super().__init__()
        self.out_features, self.in_features = weight.shape
        self.passes, self.zero = numbers.passes, numbers.zero
        self._packed = _pack(weight, numbers.scale)
        self.register_buffer("_shrink", 1 / numbers.smooth, persistent=False)
        self.register_buffer("_bias", bias, persistent=False)

    def forward(self, states: Tensor) -> Tensor:
        """Rows of shape (..., inputs) to (..., outputs)."""
        rows = states.reshape(-1, self.in_features) * self._shrink
        values, step = quantise_rows(rows, self.zero)
        if self.passes == 2:
            rest = quantise_rows(rows.sub_(values.round_().mul(step)), self.zero)
            values, step = (torch.cat(pair) for pair in zip((values, step), rest, strict=True))
        out = self._multiply(values).mul_(step)
        if self.passes == 2:
            out = out[: len(rows)].add_(out[len(rows) :])
        if self._bias is not None:
            out += self._bias
        return out.view(*states.shape[:-1], self.out_features)

    def _multiply(self, values: Tensor) -> Tensor:
        """Steps, which the kernel rounds and lifts by `zero`, times the weights, in fp32."""
        return torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(  # type: ignore[no-any-return]
            values, 1.0, self.zero, self._packed
        )


def quantise_rows(rows: Tensor, zero: int) -> tuple[Tensor, Tensor]:
    """Rows of shape (n, inputs) in steps from -zero to 127 - zero, not rounded yet; each row's step, shape (n, 1)."""
    low = rows.amin(1, keepdim=True).div_(-zero)  # two passes: torch.aminmax takes ten times as long
    step = torch.maximum(rows.amax(1, keepdim=True).div_(MOST - zero), low).clamp_min_(_LEAST)
    return rows / step, step


def quantise_weight(weight: Tensor) -> tuple[Tensor, Tensor]:
    """A weight of shape (outputs, inputs) as int8 from -127 to 127, and its scales, an output each."""
    scale = weight.abs().amax(1).div_(MOST).clamp_min_(_LEAST)
    return (weight / scale[:, None]).round_().to(torch.int8), scale


@cache
def works(precision: str) -> bool:
    """Whether torch and this CPU have the kernels of `fp16` or `int8`: found by asking them for a product."""
    weight = torch.arange(-128, 128, dtype=torch.float32).reshape(8, 32).div_(8)
    rows = torch.arange(3 * 32, dtype=torch.float32).reshape(3, 32).sub_(40)
    try:
        made: nn.Module = HalfLinear(weight, None)
        if precision == "int8":
            values, scale = quantise_weight(weight)
            made = ByteLinear(values, ByteNumbers(scale, torch.ones(32)), None)
        right = rows @ weight.T
        return bool((made(rows) - right).norm() < 0.01 * right.norm())
    except (RuntimeError, NotImplementedError, AttributeError):
        return False


def _pack(weight: Tensor, scale: Tensor) -> Any:
    zeros = torch.zeros(len(scale), dtype=torch.long)
    with warnings.catch_warnings():  # torch 2.13 says that quantised tensors will go; the packed weights know no other
        warnings.simplefilter("ignore")
        quantised = torch._make_per_channel_quantized_tensor(weight.contiguous(), scale.double(), zeros, 0)
        return torch.ops.quantized.linear_prepack(quantised, None)
