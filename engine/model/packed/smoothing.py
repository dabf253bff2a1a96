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

from engine.model.packed.linear import quantise_rows, quantise_weight

ENOUGH = 0.03
"""The largest mean change of an output row, as a share of its length, that one pass may cause."""

_ALPHAS = (0.0, 0.5, 0.7, 0.85)
_ROWS = 16
"""Rows kept of a prompt, a layer."""


@dataclass(frozen=True)
class Activations:
    """What a layer was given. largest: by channel, shape (inputs,). rows: some of it, shape (rows, inputs)."""

    largest: Tensor
    rows: Tensor


@dataclass(frozen=True)
class Fit:
    """A layer in int8. change: of its output rows by one pass, as a share of their length."""

    weight: Tensor
    scale: Tensor
    smooth: Tensor
    passes: int
    change: float


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


def fit(weight: Tensor, given: Activations | None) -> Fit:
    """The smoothing that changes the layer's output least. A layer that was given nothing (an expert that no prompt
    reached) is not smoothed, and takes two passes.
    """
    if given is None:
        return Fit(*quantise_weight(weight), torch.ones(weight.shape[1]), 2, 1.0)
    right = functional.linear(given.rows, weight)
    heaviest = weight.abs().amax(0).clamp_min(1e-6)
    best: Fit | None = None
    for alpha in _ALPHAS:
        smooth = (
            given.largest.clamp_min(1e-6) ** alpha / heaviest ** (1 - alpha) if alpha else torch.ones_like(heaviest)
        )
        smooth = (smooth / smooth.median()).clamp(1e-4, 1e4)
        values, scale = quantise_weight(weight * smooth)
        numbers, step, zero = quantise_rows(given.rows / smooth)
        out = functional.linear((numbers.round() - zero) * step, values * scale[:, None])
        change = float(((out - right).norm(dim=1) / right.norm(dim=1).clamp_min(1e-12)).mean())
        if best is None or change < best.change:
            best = Fit(values, scale, smooth, 1 if change <= ENOUGH else 2, change)
    assert best is not None  # noqa: S101 - there are alphas
    return best


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
