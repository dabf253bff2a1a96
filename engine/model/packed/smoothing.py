"""Fits int8 to a model's own activations: what each linear layer is smoothed by, and whether one pass is enough.

Activations of language models have channels a hundred times as large as the rest; one scale a row then leaves the
others nothing. So a few prompts are read in fp32, each layer's channels are measured, and of a few smoothings (Xiao et
al. 2022, arXiv:2211.10438, whose alpha is searched here for every layer) the one is taken that changes the layer's
output least. It converts nothing by itself and keeps no text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.model.packed.linear import MOST, ByteNumbers, quantise_rows, quantise_weight

ENOUGH = 0.03
"""The largest mean change of an output row, as a share of its length, that one pass may cause."""

_ALPHAS = (0.5, 0.7, 0.85)
_SHARES = (0.5, 0.8, 0.95)
_MARGIN = 8
"""Steps left on either side of zero, for what the prompts did not show."""
_ROWS = 16
"""Rows kept of a prompt, a layer."""


@dataclass(frozen=True)
class Activations:
    """What a layer was given. largest: by channel, shape (inputs,). rows: some of it, shape (rows, inputs)."""

    largest: Tensor
    rows: Tensor


def measure(layers: Mapping[str, nn.Module], prompts: Sequence[Callable[[], None]]) -> dict[str, Activations]:
    """Run the prompts and see what each layer is given."""
    seen: dict[str, list[Tensor]] = {name: [] for name in layers}
    largest: dict[str, Tensor] = {}

    def look(name: str, states: Tensor) -> None:
        rows = states.detach().reshape(-1, states.shape[-1]).float()
        top = rows.abs().amax(0)
        largest[name] = torch.maximum(largest[name], top) if name in largest else top
        seen[name].append(rows[:: max(1, len(rows) // _ROWS)][:_ROWS].clone())

    with _watched(layers, look):
        for prompt in prompts:
            prompt()
    return {name: Activations(largest[name], torch.cat(seen[name])) for name in layers if seen[name]}


def fit(weight: Tensor, given: Activations | None) -> tuple[Tensor, ByteNumbers]:
    """The layer in int8, with the smoothing and the place of zero that change its output least.

    A layer that was given nothing (an expert that no prompt reached) is not smoothed, and takes two passes.
    """
    if given is None:
        values, scale = quantise_weight(weight)
        return values, ByteNumbers(scale, torch.ones(weight.shape[1]))
    right = functional.linear(given.rows, weight)
    best, least = None, float("inf")
    for smooth in _smoothings(weight, given.largest):
        values, scale = quantise_weight(weight * smooth)
        smoothed, whole = given.rows / smooth, values * scale[:, None]
        for zero in _zeros(smoothed):
            steps, step = quantise_rows(smoothed, zero)
            change = _change(functional.linear(steps.round_().mul_(step), whole), right)
            if best is None or change < least:
                numbers = ByteNumbers(scale, smooth, zero, 1 if change <= ENOUGH else 2)
                best, least = (values, numbers), change
    assert best is not None  # noqa: S101 - there are alphas
    return best


def _smoothings(weight: Tensor, largest: Tensor) -> Iterator[Tensor]:
    heaviest = weight.abs().amax(0).clamp_min(1e-6)
    yield torch.ones_like(heaviest)
    for alpha in _ALPHAS:
        smooth = largest.clamp_min(1e-6) ** alpha / heaviest ** (1 - alpha)
        yield (smooth / smooth.median()).clamp(1e-4, 1e4)


def _zeros(rows: Tensor) -> set[int]:
    """Where zero lies in the middle of the rows' ranges, in most, and in nearly all."""
    low, high = rows.amin(1).clamp_max(0).neg(), rows.amax(1).clamp_min(0)
    shares = torch.quantile(low / (low + high).clamp_min(1e-30), torch.tensor(_SHARES))
    return {min(max(round(float(share) * MOST), _MARGIN), MOST - _MARGIN) for share in shares}


def _change(out: Tensor, right: Tensor) -> float:
    """The mean distance of a row, as a share of the right one's length."""
    return float(((out - right).norm(dim=1) / right.norm(dim=1).clamp_min(1e-12)).mean())


@contextmanager
def _watched(layers: Mapping[str, nn.Module], look: Callable[[str, Tensor], None]) -> Iterator[None]:
    def hook(name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        return lambda _layer, given: look(name, given[0])

    hooks = [layer.register_forward_pre_hook(hook(name)) for name, layer in layers.items()]
    try:
        yield
    finally:
        for one in hooks:
            one.remove()
