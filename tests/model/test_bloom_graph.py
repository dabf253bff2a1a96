"""BLOOM as one graph of ONNX Runtime against torch's kernels over the same bytes, in every way that it is read."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from checkpoints import make_kind
from hypothesis import given, settings
from hypothesis import strategies as st
from packed import load, original, prepare
from torch import Tensor
from transformers.cache_utils import DynamicCache

from engine.model.bloom import quicken
from engine.model.kv_cache import new_cache
from engine.model.packed import bloom_graph, onnx_graph, smoothing
from engine.model.packed.linear import ByteLinear
from engine.model.ragged import RaggedBatch
from engine.model.tree import read_tree
from engine.model.trie import Trie

pytestmark = pytest.mark.usefixtures("one_thread")
SIZES: dict[str, dict[str, Any]] = {
    "four heads": {"hidden_size": 64, "n_layer": 3, "n_head": 4},
    "heads that are no power of two": {"hidden_size": 48, "n_layer": 2, "n_head": 6},
    "one layer and one head": {"hidden_size": 16, "n_layer": 1, "n_head": 1},
}
CLOSE = 2e-3
"""Both round the same numbers."""
ROUNDED = 5e-2
"""Where there are so many that a sum in another order rounds one of them the other way."""


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    with torch.inference_mode():
        yield


@pytest.fixture(scope="module", params=[(name, passes) for name in SIZES for passes in (1, 2)], ids=str)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """By torch's kernels, and as a graph; every layer in one pass, or in two."""
    name, passes = request.param
    root = tmp_path_factory.mktemp("graph")
    checkpoint = make_kind(root / "bloom", "Bloom", **SIZES[name])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smoothing, "ENOUGH", 2.0 if passes == 1 else 0.0)
        folder = prepare(checkpoint, "int8", root / "cache")
    assert folder is not None
    own, graph = (load(checkpoint, folder, graph=one) for one in (False, True))
    quicken(own)
    assert {one.passes for one in own.modules() if isinstance(one, ByteLinear)} == {passes}
    assert isinstance(graph.transformer, bloom_graph.GraphBloom)
    assert graph.transformer.passes == [passes] * 4 * own.config.n_layer
    return own, graph


def ids(rows: int, length: int, seed: int = 0) -> Tensor:
    return torch.randint(4, 500, (rows, length), generator=torch.Generator().manual_seed(seed))


def off(found: Tensor, right: Tensor) -> float:
    assert found.shape == right.shape
    assert found.dtype == right.dtype
    return float(((found - right).norm(dim=-1) / right.norm(dim=-1)).max())


def states(model: Any, **options: Any) -> Any:
    return model.transformer(use_cache=True, **options)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("length", [1, 2, 40])
def test_a_first_pass(pair: tuple[Any, Any], rows: int, length: int) -> None:
    right, found = (states(one, input_ids=ids(rows, length)) for one in pair)
    assert off(found.last_hidden_state, right.last_hidden_state) < CLOSE
    for own, layer in zip(right.cache.layers, found.cache.layers, strict=True):
        assert off(layer.keys, own.keys) < CLOSE
        assert off(layer.values, own.values) < CLOSE


def test_logits_of_the_whole_model(pair: tuple[Any, Any]) -> None:
    right, found = (one(input_ids=ids(2, 9)).logits for one in pair)
    assert off(found, right) < CLOSE


@given(st.lists(st.integers(1, 90), min_size=1, max_size=6), st.booleans())
@settings(max_examples=15)
def test_passes_that_go_on_from_a_cache(pair: tuple[Any, Any], lengths: list[int], room: bool) -> None:
    outs = []
    for model in pair:
        cache = new_cache(model.transformer) if room else DynamicCache(config=model.config)
        outs.append([states(model, input_ids=ids(1, n, n), cache=cache).last_hidden_state for n in lengths])
    assert max(off(found, right) for right, found in zip(*outs, strict=True)) < ROUNDED


def test_going_on_is_as_reading_all_at_once(pair: tuple[Any, Any]) -> None:
    text, graph = ids(1, 120), pair[1]
    cache = new_cache(graph.transformer)
    for part in torch.split(text, 50, dim=1):
        last = states(graph, input_ids=part, cache=cache).last_hidden_state[:, -1]
    assert off(last, states(graph, input_ids=text).last_hidden_state[:, -1]) < ROUNDED


def test_the_room_after_keys_and_values_is_not_read(pair: tuple[Any, Any]) -> None:
    """Memory that was another's holds anything, numbers that are none included."""
    graph, text = pair[1], ids(1, 30)
    filled, empty = [], Tensor.new_empty
    for junk in (0.0, float("nan")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Tensor, "new_empty", lambda *a, junk=junk, **k: empty(*a, **k).fill_(junk))
            cache = new_cache(graph.transformer)
            states(graph, input_ids=text, cache=cache)
            filled.append(states(graph, input_ids=ids(1, 2, 1), cache=cache).last_hidden_state)
    assert torch.equal(*filled)
    assert torch.isfinite(filled[1]).all()


def test_padded_rows(pair: tuple[Any, Any]) -> None:
    mask = torch.ones(2, 12, dtype=torch.long)
    mask[1, :5] = 0
    right, found = (states(one, input_ids=ids(2, 12), attention_mask=mask).last_hidden_state for one in pair)
    assert off(found[mask.bool()], right[mask.bool()]) < CLOSE


@pytest.mark.parametrize("width", [1, 3])
def test_prompts_side_by_side(pair: tuple[Any, Any], width: int) -> None:
    outs = []
    for model in pair:
        body = model.transformer
        caches = [new_cache(body) for _ in range(3)]
        for number, cache in enumerate(caches):
            body(input_ids=ids(1, 5 + 9 * number, number), cache=cache, use_cache=True)
        batch = RaggedBatch(body, caches, [5, 14, 23])
        read = [batch.read(ids(3, width, seed).tolist()) for seed in range(2)]
        batch.keep([0, 2])
        outs.append([*read, batch.read(ids(2, width, 7).tolist()), batch.read(ids(2, 1, 8).tolist())])
    assert max(off(found, right) for right, found in zip(*outs, strict=True)) < CLOSE


def test_a_tree_of_labels(pair: tuple[Any, Any]) -> None:
    trie = Trie.build([(5, 6, 7), (5, 6, 8), (5, 9, 10, 11), (12, 13), (12, 14, 15)])
    outs = []
    for model in pair:
        cache = new_cache(model.transformer)
        states(model, input_ids=ids(1, 33), cache=cache)
        outs.append(read_tree(model.transformer, cache, 33, trie, trie.inner()))
    assert off(outs[1], outs[0]) < CLOSE


def test_the_last_states_alone(pair: tuple[Any, Any]) -> None:
    graph = pair[1]
    for rows, length in ((1, 1), (1, 20), (3, 7)):
        whole = states(graph, input_ids=ids(rows, length))
        last = states(graph, input_ids=ids(rows, length), last_only=True)
        assert last.last_hidden_state.shape == (rows, 1, graph.config.hidden_size)
        assert off(last.last_hidden_state, whole.last_hidden_state[:, -1:]) < 1e-6
        assert off(last.cache.layers[-1].keys, whole.cache.layers[-1].keys) < 1e-6


def test_free_decoding(pair: tuple[Any, Any]) -> None:
    """Greedy takes the best token that one pass over all shows, or one as good; beams find nothing worse."""
    graph, prompt, sums = pair[1], ids(1, 8), []
    for beams in (1, 3):
        options = {"num_beams": beams, "do_sample": False, "pad_token_id": 3, "eos_token_id": None}
        text = graph.generate(input_ids=prompt, max_new_tokens=12, **options)
        logs = graph(input_ids=text).logits[0, 7:-1].log_softmax(-1)
        chosen = logs.gather(1, text[0, 8:, None])[:, 0]
        if beams == 1:
            assert float((logs.amax(1) - chosen).max()) < 0.05
        sums.append(float(chosen.sum()))
    assert sums[1] > sums[0] - 0.1


def test_what_was_read_is_not_changed_by_what_follows(pair: tuple[Any, Any]) -> None:
    graph = pair[1]
    cache = new_cache(graph.transformer)
    out = states(graph, input_ids=ids(1, 20), cache=cache).last_hidden_state
    held = [(layer.keys, layer.values, layer.keys.clone(), layer.values.clone()) for layer in cache.layers]
    kept = out.clone()
    states(graph, input_ids=ids(1, 90, 3), cache=copy.deepcopy(cache))
    states(graph, input_ids=ids(1, 6, 4), cache=cache)
    assert torch.equal(out, kept)
    assert all(torch.equal(k, own_k) and torch.equal(v, own_v) for k, v, own_k, own_v in held)


def test_threads_change_nothing(tmp_path: Path) -> None:
    checkpoint = make_kind(tmp_path / "bloom", "Bloom", **SIZES["four heads"])
    folder = prepare(checkpoint, "int8", tmp_path / "cache")
    assert folder is not None
    outs = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        outs.append(states(load(checkpoint, folder), input_ids=ids(1, 300)).last_hidden_state)
    torch.set_num_threads(1)
    assert off(*outs) < 1e-5


@pytest.mark.parametrize(
    "options",
    [{"apply_residual_connection_post_layernorm": True}, {"pretraining_tp": 2, "slow_but_exact": True}],
    ids=str,
)
def test_a_bloom_of_another_build_stays_with_torch(tmp_path: Path, options: dict[str, Any]) -> None:
    checkpoint = make_kind(tmp_path / "bloom", "Bloom", **SIZES["four heads"], **options)
    assert not bloom_graph.fits(original(checkpoint))


def test_no_other_model_is_a_graph(tmp_path: Path) -> None:
    bloom = original(make_kind(tmp_path / "bloom", "Bloom", **SIZES["four heads"]))
    gpt = original(make_kind(tmp_path / "gpt", "GPT2", n_embd=64, n_layer=2, n_head=4))
    assert bloom_graph.fits(bloom)
    assert not bloom_graph.fits(gpt)


def test_this_machine_s_runtime_works() -> None:
    assert onnx_graph.works()


@pytest.mark.parametrize("fault", ["missing", "raises", "is wrong"])
def test_a_runtime_that_fails_is_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    def broken(session: onnx_graph.Session, given: dict[str, Tensor]) -> list[Tensor]:
        if fault == "raises":
            raise OSError("a library is not found")
        return [given["rows"].new_zeros(3, 8)]

    if fault == "missing":
        monkeypatch.setattr(onnx_graph.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(onnx_graph.Session, "run", broken)
    assert not onnx_graph.works.__wrapped__()
    assert ("a library is not found" in caplog.text) == (fault == "raises")
