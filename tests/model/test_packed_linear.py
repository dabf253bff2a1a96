"""Packed linear layers against exact products: rounding, range, rows that know nothing of each other; and smoothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional

from engine.model.device import PACKED
from engine.model.packed import linear
from engine.model.packed.linear import ByteLinear, ByteNumbers, HalfLinear, quantise_rows, quantise_weight, works
from engine.model.packed.smoothing import Activations, fit, measure

pytestmark = pytest.mark.usefixtures("one_thread", "inference")
SHAPES = [(1, 1), (3, 5), (33, 17), (64, 192), (1000, 70)]
"""Inputs and outputs."""


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    with torch.inference_mode():
        yield


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def byte_layer(weight: Tensor, bias: Tensor | None = None, *, passes: int = 2, smooth: Tensor | None = None) -> Any:
    smooth = torch.ones(weight.shape[1]) if smooth is None else smooth
    values, scale = quantise_weight(weight * smooth)
    return ByteLinear(values, ByteNumbers(scale, smooth, passes=passes), bias)


def of_bytes(weight: Tensor, *, passes: int, zero: int = 64) -> Any:
    """A layer of these very bytes."""
    return ByteLinear(weight, ByteNumbers(torch.ones(len(weight)), torch.ones(weight.shape[1]), zero, passes), None)


LAYERS: dict[str, tuple[Callable[[Tensor, Tensor | None], Any], float]] = {
    "fp16": (HalfLinear, 1e-3),
    "int8 in two passes": (byte_layer, 1e-2),
    "int8 in one pass": (lambda weight, bias: byte_layer(weight, bias, passes=1), 5e-2),
}


@pytest.fixture(params=LAYERS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def exact(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    return rows.double() @ weight.double().T + (0 if bias is None else bias.double())


def off(found: Tensor, right: Tensor) -> float:
    """The distance as a share of the right one's length."""
    return float((found.double() - right).norm() / right.norm())


def test_this_machine_has_the_kernels() -> None:
    assert all(map(works, PACKED))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("with_bias", [True, False])
def test_a_product_is_close_to_the_exact_one(kind: str, shape: tuple[int, int], with_bias: bool) -> None:
    make, most = LAYERS[kind]
    weight, bias = normal(shape[1], shape[0]), normal(shape[1], seed=1) if with_bias else None
    rows = normal(40, shape[0], seed=2)
    assert off(make(weight, bias)(rows), exact(rows, weight, bias)) < most


def test_a_row_of_few_values_far_from_zero(kind: str) -> None:
    """Zero is among the steps of a row, even where none of its values is near it."""
    make, most = LAYERS[kind]
    weight, rows = normal(32, 64), 100 + normal(8, 64, seed=1)
    assert off(make(weight, None)(rows), exact(rows, weight)) < most


def test_rows_in_any_number_of_dimensions(kind: str) -> None:
    weight, bias, states = normal(24, 40), normal(24, seed=1), normal(2, 5, 40, seed=2)
    layer = LAYERS[kind][0](weight, bias)
    flat = layer(states.reshape(10, 40))
    assert torch.equal(layer(states), flat.reshape(2, 5, 24))
    assert torch.allclose(layer(states[0, 0]), flat[0], rtol=1e-5, atol=1e-5)
    assert torch.equal(layer(states.transpose(0, 1)), flat.reshape(2, 5, 24).transpose(0, 1))
    assert layer(states).dtype == torch.float32
    assert (layer.in_features, layer.out_features) == (40, 24)


def test_what_is_given_stays_as_it_was(kind: str) -> None:
    weight, rows = normal(24, 40), normal(6, 40, seed=2)
    before, weight_before = rows.clone(), weight.clone()
    layer = LAYERS[kind][0](weight, None)
    first = layer(rows)
    assert torch.equal(rows, before)
    assert torch.equal(weight, weight_before)
    assert torch.equal(layer(rows), first)


def test_a_weight_beyond_half_precision_is_no_infinity() -> None:
    weight = torch.full((8, 16), 1e6)
    assert torch.isfinite(HalfLinear(weight, None)(torch.ones(2, 16))).all()


def test_what_is_no_number_stays_visible(kind: str) -> None:
    rows = normal(3, 40)
    rows[1, 7] = torch.nan
    out = LAYERS[kind][0](normal(24, 40), None)(rows)
    assert torch.isnan(out[1]).all()
    assert torch.isfinite(out[[0, 2]]).all()


# The range of 16 bits, in which the kernel adds two products.


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("inputs", [2, 64, 4096])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_values_do_not_overflow(passes: int, inputs: int, sign: int) -> None:
    weight = torch.full((16, inputs), sign * 127, dtype=torch.int8)
    layer = of_bytes(weight, passes=passes)
    rows = torch.stack([torch.full((inputs,), value) for value in (63.0, 1.0, -64.0, -4.0)])
    right = exact(rows, weight)
    for found, wanted in zip(layer(rows), right, strict=True):
        assert off(found, wanted) < 1e-6


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("zero", [4, 33, 64, 123])
def test_the_top_of_a_range_does_not_overflow(passes: int, zero: int) -> None:
    weight = torch.full((16, 512), 127, dtype=torch.int8)
    rows = torch.full((1, 512), 127.0 - zero)
    rows[0, 0] = -float(zero)  # so that every step from 0 to 127 is in use
    assert off(of_bytes(weight, passes=passes, zero=zero)(rows), exact(rows, weight)) < 1e-6


@given(st.integers(0, 2**31), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([1, 2]))
def test_extreme_values_in_any_order(seed: int, share: float, passes: int) -> None:
    make = torch.Generator().manual_seed(seed)
    weight = torch.where(torch.rand(16, 96, generator=make) < share, 127, -127).to(torch.int8)
    rows = torch.where(torch.rand(4, 96, generator=make) < 0.5, 127.0, -127.0)
    most = 96 * 127 * (1.01 if passes == 1 else 0.02)  # half a step of 127 / 63, 96 times
    layer = of_bytes(weight, passes=passes)
    assert float((layer(rows).double() - exact(rows, weight)).abs().max()) <= most * 1.01


# Rows know nothing of each other.

ROWS = {
    "zeros": lambda seed: torch.zeros(40),
    "constant": lambda seed: torch.full((40,), float(seed % 7) - 3),
    "huge": lambda seed: normal(40, seed=seed) * 1e30,
    "tiny": lambda seed: normal(40, seed=seed) * 1e-20,
    "negative": lambda seed: -normal(40, seed=seed).abs() - 1,
    "positive": lambda seed: normal(40, seed=seed).abs() + 1,
    "plain": lambda seed: normal(40, seed=seed),
    "one peak": lambda seed: normal(40, seed=seed).index_fill(0, torch.tensor([seed % 40]), 1e4),
}
WEIGHT, BIAS = normal(24, 40) / 8, normal(24, seed=1)
SHARED = {name: make(WEIGHT, None) for name, (make, _) in LAYERS.items()}


@given(st.lists(st.tuples(st.sampled_from(sorted(ROWS)), st.integers(0, 999)), min_size=1, max_size=40))
@example([(name, 5) for name in ROWS])
def test_a_row_s_answer_does_not_depend_on_the_other_rows(drawn: list[tuple[str, int]]) -> None:
    rows = torch.stack([ROWS[name](seed) for name, seed in drawn])
    for name, layer in SHARED.items():
        together = layer(rows)
        alone = torch.cat([layer(row[None]) for row in rows])
        if "int8" in name:
            assert torch.equal(together, alone)
        distance = (together.double() - alone.double()).norm(dim=1)
        assert (distance <= 1e-6 * alone.double().norm(dim=1)).all()


@given(st.sampled_from(sorted(set(ROWS) - {"zeros"})), st.integers(0, 999))
def test_every_kind_of_row_is_multiplied_well(name: str, seed: int) -> None:
    rows = ROWS[name](seed)[None]
    for kind, layer in SHARED.items():
        found, right = layer(rows).double(), exact(rows, WEIGHT)
        scale = rows.double().norm() * WEIGHT.double().norm(dim=1)  # what a product without cancelling would be
        assert ((found - right).abs() <= LAYERS[kind][1] * scale).all()


def test_a_row_of_zeros_gives_the_bias(kind: str) -> None:
    assert torch.equal(LAYERS[kind][0](WEIGHT, BIAS)(torch.zeros(2, 40)), BIAS.expand(2, 24))


@given(st.sampled_from(sorted(ROWS)), st.integers(0, 999), st.integers(1, 126))
def test_a_quantised_row_fits_and_misses_by_half_a_step_at_most(name: str, seed: int, zero: int) -> None:
    rows = ROWS[name](seed)[None]
    rows[0, 3] = 0
    steps, step = quantise_rows(rows.clone(), zero)
    steps = steps.round()
    assert steps[0, 3] == 0
    assert -zero <= float(steps.min()) <= float(steps.max()) <= 127 - zero
    assert float((steps * step - rows).abs().max()) <= float(step) * 0.5001


@given(st.integers(0, 999), st.sampled_from([0.0, 1e-30, 1.0, 1e30]))
def test_a_quantised_weight_misses_by_half_its_scale_at_most(seed: int, size: float) -> None:
    weight = normal(6, 40, seed=seed) * size
    values, scale = quantise_weight(weight.clone())
    assert values.dtype == torch.int8
    assert int(values.abs().max()) <= 127
    assert ((values * scale[:, None] - weight).abs() <= scale[:, None] * 0.5001).all()


@pytest.mark.parametrize("fault", ["raises", "is wrong"])
def test_kernels_that_fail_are_not_used(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    def broken(_: nn.Module, rows: Tensor) -> Tensor:
        if fault == "raises":
            raise NotImplementedError("no kernel on this CPU")
        return rows.new_zeros(len(rows), 8)

    monkeypatch.setattr(linear.HalfLinear, "forward", broken)
    monkeypatch.setattr(linear.ByteLinear, "forward", broken)
    assert [works.__wrapped__(one) for one in PACKED] == [False, False]


# Smoothing.


def given_rows(rows: Tensor) -> Activations:
    return Activations(rows.abs().amax(0), rows)


def product(fitted: tuple[Tensor, ByteNumbers]) -> Any:
    return ByteLinear(*fitted, None)


def test_a_channel_a_hundred_times_as_large_is_smoothed() -> None:
    weight, rows = normal(96, 64), normal(64, 64, seed=1)
    rows[:, 9] *= 100
    weight[:, 9] /= 100  # so that the others count
    fitted, right = fit(weight, given_rows(rows)), exact(rows, weight)
    unsmoothed = off(byte_layer(weight, passes=1)(rows), right)
    smoothed = off(byte_layer(weight, passes=1, smooth=fitted[1].smooth)(rows), right)
    assert unsmoothed > 0.2
    assert smoothed < unsmoothed / 8
    assert fitted[1].smooth[9] > 10 * fitted[1].smooth.median()
    assert off(product(fitted)(rows), right) < 0.03


def test_one_pass_is_enough_for_even_activations() -> None:
    weight, rows = normal(96, 64), normal(64, 64, seed=1)
    fitted = fit(weight, given_rows(rows))
    assert fitted[1].passes == 1
    assert off(product(fitted)(rows), exact(rows, weight)) < 0.03


def test_two_passes_where_no_smoothing_makes_one_enough() -> None:
    """Every row has a peak of its own, so that no channel is to blame."""
    weight, rows = normal(48, 1024), normal(1024, 1024, seed=1)
    rows.fill_diagonal_(100.0)
    fitted = fit(weight, given_rows(rows))
    assert fitted[1].passes == 2
    assert off(product(fitted)(rows), exact(rows, weight)) < 1e-2


def test_zero_lies_where_the_rows_need_it() -> None:
    """What GELU leaves reaches far above zero and little below."""
    weight, rows = normal(48, 256), functional.gelu(3 * normal(200, 256, seed=1))
    _, numbers = fit(weight, given_rows(rows))
    assert 8 <= numbers.zero < 16
    _, even = fit(weight, given_rows(normal(200, 256, seed=1)))
    assert 56 <= even.zero <= 72
    _, positive = fit(weight, given_rows(rows.abs()))
    assert positive.zero == 8


def test_a_layer_that_was_given_nothing_takes_two_passes() -> None:
    weight, rows = normal(24, 40), normal(5, 40, seed=1)
    fitted = fit(weight, None)
    assert fitted[1].passes == 2
    assert torch.equal(fitted[1].smooth, torch.ones(40))
    assert off(product(fitted)(rows), exact(rows, weight)) < 1e-2


def test_channels_and_weights_of_zeros_are_fitted() -> None:
    weight, rows = normal(24, 40), normal(5, 40, seed=1)
    rows[:, :30] = 0
    weight[:, 25:35] = 0
    weight[3] = 0
    for fitted in (fit(weight, given_rows(rows)), fit(weight, given_rows(torch.zeros(5, 40)))):
        assert torch.isfinite(fitted[1].smooth).all()
        assert (fitted[1].smooth > 0).all()
        assert off(product(fitted)(rows), exact(rows, weight)) < 0.05


def test_what_layers_are_given_is_measured() -> None:
    layers = {"first": nn.Linear(4, 4, bias=False), "second": nn.Linear(4, 2), "unused": nn.Linear(4, 1)}
    prompts = [normal(2, 30, 4, seed=seed) * (seed + 1) for seed in range(3)]
    seen = measure(layers, [lambda rows=rows: layers["second"](layers["first"](rows)) for rows in prompts])
    assert set(seen) == {"first", "second"}
    everything = torch.cat([rows.reshape(-1, 4) for rows in prompts])
    assert torch.equal(seen["first"].largest, everything.abs().amax(0))
    assert seen["first"].rows.shape == (48, 4)
    assert torch.allclose(seen["second"].largest, layers["first"](everything).abs().amax(0))
    assert not any(one._forward_pre_hooks for one in layers.values())


def test_nothing_is_watched_after_a_failure() -> None:
    layer = nn.Linear(4, 4)
    with pytest.raises(ZeroDivisionError):
        measure({"one": layer}, [lambda: 1 / 0])
    assert not layer._forward_pre_hooks
