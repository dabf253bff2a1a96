"""BLOOM with fused kernels against the library's own, in every way that it is read."""

import copy
import gc
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from checkpoints import make_kind
from hypothesis import given, settings
from hypothesis import strategies as st
from packed import original
from torch import Tensor, nn
from transformers.cache_utils import DynamicCache
from transformers.models.bloom.modeling_bloom import BloomAttention, BloomGelu

from engine.model.bloom import FusedAttention, quicken
from engine.model.kv_cache import new_cache
from engine.model.tree import read_tree
from engine.model.trie import Trie

pytestmark = pytest.mark.usefixtures("one_thread")
SIZES: dict[str, dict[str, Any]] = {
    "four heads": {"hidden_size": 64, "n_layer": 3, "n_head": 4},
    "heads that are no power of two": {"hidden_size": 48, "n_layer": 2, "n_head": 6},
    "one head": {"hidden_size": 16, "n_layer": 2, "n_head": 1},
    "a residual after the norm": {
        "hidden_size": 64,
        "n_layer": 2,
        "n_head": 4,
        "apply_residual_connection_post_layernorm": True,
    },
}
Pair = tuple[Any, Any]


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    with torch.inference_mode():
        yield


@pytest.fixture(scope="module", params=SIZES)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """The library's model, and the same quickened."""
    own = original(make_kind(tmp_path_factory.mktemp("bloom") / "bloom", "Bloom", **SIZES[request.param]))
    quick = copy.deepcopy(own)
    quicken(quick)
    return own, quick


def ids(rows: int, length: int, seed: int = 0) -> Tensor:
    return torch.randint(4, 500, (rows, length), generator=torch.Generator().manual_seed(seed))


def alike(pair: Pair, read: Callable[[Any], Tensor], most: float = 1e-5) -> None:
    right, found = read(pair[0]), read(pair[1])
    assert right.abs().max() > 0.5
    assert torch.allclose(found, right, rtol=most, atol=most * float(right.abs().max()))


def test_its_parts_are_replaced(pair: Pair) -> None:
    own, quick = pair
    for block, other in zip(own.transformer.h, quick.transformer.h, strict=True):
        assert type(block.self_attention) is BloomAttention
        assert type(block.mlp.gelu_impl) is BloomGelu
        assert type(other.self_attention) is FusedAttention
        assert type(other.mlp.gelu_impl) is nn.GELU
    assert len({id(block.self_attention.bias) for block in quick.transformer.h}) == 1
    assert quick.state_dict().keys() == own.state_dict().keys()


@pytest.mark.parametrize("length", [1, 2, 17, 300])
def test_a_prompt(pair: Pair, length: int) -> None:
    alike(pair, lambda model: model(input_ids=ids(1, length)).logits)
    alike(pair, lambda model: model.transformer(input_ids=ids(1, length), use_cache=False).last_hidden_state)


def padded(rows: int, length: int, *lengths: int) -> Tensor:
    """A mask of rows that are padded on the left."""
    return (torch.arange(length)[None] >= length - torch.tensor(lengths)[:, None]).long().expand(rows, length)


def test_a_batch_that_is_padded_on_the_left(pair: Pair) -> None:
    mask = padded(3, 20, 20, 13, 1)
    alike(pair, lambda model: model.transformer(input_ids=ids(3, 20), attention_mask=mask).last_hidden_state[mask == 1])


def test_padding_changes_no_state_of_a_row(pair: Pair) -> None:
    _, quick = pair
    row = ids(1, 13)
    alone = quick.transformer(input_ids=row).last_hidden_state[0]
    batch = torch.cat([ids(1, 20, 1), torch.nn.functional.pad(row, (7, 0), value=3)])
    together = quick.transformer(input_ids=batch, attention_mask=padded(2, 20, 20, 13)).last_hidden_state[1, 7:]
    assert torch.allclose(together, alone, atol=1e-4)


@pytest.mark.parametrize("roomy", [True, False])
@pytest.mark.parametrize("step", [1, 2, 50])
def test_tokens_after_a_cache(pair: Pair, step: int, roomy: bool) -> None:
    whole = ids(1, 150)

    def read(model: Any) -> Tensor:
        cache = new_cache(model.transformer) if roomy else DynamicCache(config=model.config)
        parts = [
            model.transformer(input_ids=part, cache=cache, use_cache=True).last_hidden_state
            for part in (whole[:, :50], *whole[:, 50:].split(step, 1))
        ]
        return torch.cat(parts, 1)

    alike(pair, read)
    own, quick = pair
    assert torch.allclose(read(quick), own.transformer(input_ids=whole).last_hidden_state, atol=1e-4)


def test_rows_that_go_on_after_a_padded_cache(pair: Pair) -> None:
    def read(model: Any) -> Tensor:
        cache = new_cache(model.transformer)
        mask = padded(2, 20, 20, 9)
        model.transformer(input_ids=ids(2, 20), attention_mask=mask, cache=cache, use_cache=True)
        states = []
        for seed in range(1, 4):
            mask = torch.cat([mask, torch.ones(2, 2, dtype=torch.long)], 1)
            step = model.transformer(input_ids=ids(2, 2, seed), attention_mask=mask, cache=cache, use_cache=True)
            states.append(step.last_hidden_state)
        return torch.cat(states, 1)

    alike(pair, read)


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(5, 12), min_size=1, max_size=5), min_size=1, max_size=6))
def test_a_tree_of_labels(pair: Pair, answers: list[list[int]]) -> None:
    trie = Trie.build(answers)
    inner = trie.inner()
    if not inner:
        return

    def read(model: Any) -> Tensor:
        cache = new_cache(model.transformer)
        model.transformer(input_ids=ids(1, 12), cache=cache, use_cache=True)
        return read_tree(model.transformer, cache, 12, trie, inner)

    alike(pair, read)


@pytest.mark.parametrize("beams", [1, 4])
def test_generation(pair: Pair, beams: int) -> None:
    prompt = ids(1, 20)
    written = [
        model.generate(
            input_ids=prompt,
            attention_mask=torch.ones_like(prompt),
            num_beams=beams,
            do_sample=False,
            max_new_tokens=12,
            output_scores=True,
            return_dict_in_generate=True,
        )
        for model in pair
    ]
    assert torch.equal(written[0].sequences, written[1].sequences)
    assert written[1].sequences.shape[1] > 20
    for one, other in zip(written[0].scores, written[1].scores, strict=True):
        assert torch.allclose(one, other, atol=1e-3)


def test_generation_of_a_padded_batch(pair: Pair) -> None:
    prompt, mask = ids(2, 20), padded(2, 20, 20, 8)
    options = {"attention_mask": mask, "num_beams": 4, "do_sample": False, "max_new_tokens": 8}
    assert torch.equal(*(model.generate(input_ids=prompt, **options) for model in pair))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 12), st.integers(0, 9)), min_size=2, max_size=6))
def test_no_bias_is_left_from_another_pass(pair: Pair, passes: list[tuple[int, int, int]]) -> None:
    for rows, length, seed in passes:
        lengths = [1 + (seed * row) % length for row in range(rows - 1)] + [length]
        mask = padded(rows, length, *lengths)
        alike(
            pair,
            lambda model, rows=rows, length=length, seed=seed, mask=mask: model.transformer(
                input_ids=ids(rows, length, seed), attention_mask=mask
            ).last_hidden_state[mask == 1],
        )


def test_the_bias_is_added_up_once_a_pass(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    _, quick = pair
    seen: list[int] = []
    own = torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        "engine.model.bloom.functional.scaled_dot_product_attention",
        lambda *given, **options: (seen.append(id(options["attn_mask"])), own(*given, **options))[1],
    )
    quick.transformer(input_ids=ids(1, 9))
    assert len(seen) == len(quick.transformer.h)
    assert len(set(seen)) == 1


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_as_close_as_the_library_s(pair: Pair, dtype: torch.dtype) -> None:
    right = pair[0].transformer(input_ids=ids(1, 20)).last_hidden_state
    states = [copy.deepcopy(model).to(dtype).transformer(input_ids=ids(1, 20)).last_hidden_state for model in pair]
    off = [float((one.float() - right).norm() / right.norm()) for one in states]
    assert states[1].dtype == dtype
    assert off[1] < 1.5 * off[0] + 1e-3


def test_twice_is_once(pair: Pair) -> None:
    own, quick = pair
    again = copy.deepcopy(quick)
    quicken(again)
    alike((own, again), lambda model: model(input_ids=ids(1, 9)).logits)


def test_other_models_are_left_alone(tmp_path: Path) -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    model = original(make_kind(tmp_path / "llama", "Llama", **sizes))
    before = [type(one) for one in model.modules()]
    quicken(model)
    assert [type(one) for one in model.modules()] == before


def test_a_quickened_model_can_be_freed(pair: Pair) -> None:
    model = copy.deepcopy(pair[0])
    quicken(model)
    model.transformer(input_ids=ids(1, 9))
    held = weakref.ref(model)
    del model
    gc.collect()
    assert held() is None
