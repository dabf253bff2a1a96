"""The encoder and its head: the same as transformers' BERT, together as alone, merged as apart, and spans' states."""

from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_e5 import EPS, HEADS, HIDDEN, INNER, LAYERS, POSITIONS, write_e5, write_head
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.errors import WorkbenchError
from engine.model.encoder.e5_file import E5File
from engine.model.encoder.head import HeadShape, SpanHead, UnitBatch, legal_spans, unit_batch
from engine.model.encoder.head_file import LoadedHead, load_head
from engine.model.encoder.transformer import Encoder
from engine.model.encoder.units import Units

pytestmark = pytest.mark.usefixtures("one_thread")
IDS = [[0, 40, 41, 42, 2], [0, 7, 2], [0, *range(10, 60), 2]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("encoder")
    write_e5(made / "e5.bin")
    return made


@pytest.fixture(scope="module")
def file(folder: Path) -> E5File:
    return E5File(folder / "e5.bin")


@pytest.fixture(scope="module")
def encoder(file: E5File) -> Encoder:
    return Encoder(file)


@pytest.fixture(scope="module")
def head(folder: Path, encoder: Encoder) -> LoadedHead:
    """As it was before it was written, adapters unmerged."""
    made: LoadedHead = write_head(folder / "head.safetensors", encoder)
    for module in (made.adapted, made.labels, made.scorer):
        module.eval().requires_grad_(False)
    return made


def last(encoder: Encoder, ids: list[list[int]]) -> torch.Tensor:
    states, mask = encoder.embed(ids)
    for layer in encoder.layers:
        states = layer(states, mask)
    return states


def bert(file: E5File, encoder: Encoder) -> Any:
    """transformers' model with the same weights."""
    from transformers import BertConfig, BertModel

    words = torch.from_numpy(file.matrix("emb.word", HIDDEN))
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=INNER,
        max_position_embeddings=POSITIONS,
        hidden_act="gelu",
        layer_norm_eps=EPS,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    made = BertModel(config, add_pooling_layer=False).eval()
    state = {"embeddings.word_embeddings.weight": words}
    state["embeddings.position_embeddings.weight"] = torch.from_numpy(file.vector("emb.pos")).view(-1, HIDDEN)
    state["embeddings.token_type_embeddings.weight"] = torch.from_numpy(file.vector("emb.type")).view(-1, HIDDEN)
    places = {"emb.ln": "embeddings.LayerNorm"}
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        places |= {f"l{number}.{one}": f"{layer}.attention.self.{name}" for one, name in
                   (("q", "query"), ("k", "key"), ("v", "value"))}  # fmt: skip
        places |= {f"l{number}.ao": f"{layer}.attention.output.dense", f"l{number}.fi": f"{layer}.intermediate.dense"}
        places |= {f"l{number}.fo": f"{layer}.output.dense", f"l{number}.oln": f"{layer}.output.LayerNorm"}
        places[f"l{number}.aln"] = f"{layer}.attention.output.LayerNorm"
    for short, name in places.items():
        bias = torch.from_numpy(file.vector(f"{short}.b"))
        weight = file.vector(f"{short}.w") if "ln" in short else file.matrix(f"{short}.w", _columns(short))
        state |= {f"{name}.weight": torch.from_numpy(weight), f"{name}.bias": bias}
    missing, unexpected = made.load_state_dict(state, strict=False)
    assert (missing, unexpected) == ([], [])
    return made


def _columns(short: str) -> int:
    return INNER if short.endswith("fo") else HIDDEN


@torch.inference_mode()
def test_states_are_those_of_transformers_bert(file: E5File, encoder: Encoder) -> None:
    model = bert(file, encoder)
    for ids in IDS:
        theirs = model(torch.tensor([ids])).last_hidden_state
        assert torch.allclose(last(encoder, [ids]), theirs, atol=1e-4)


@torch.inference_mode()
def test_padded_together_is_as_alone(encoder: Encoder) -> None:
    together = last(encoder, IDS)
    for row, ids in enumerate(IDS):
        assert torch.allclose(together[row, : len(ids)], last(encoder, [ids])[0], atol=1e-5)


def test_nothing_is_masked_where_nothing_is_padded(encoder: Encoder) -> None:
    assert encoder.embed([IDS[0], IDS[0]])[1] is None
    mask = encoder.embed(IDS)[1]
    assert mask is not None
    assert mask[:, 0, 0].sum(1).tolist() == [len(one) for one in IDS]


def test_the_encoder_is_frozen(encoder: Encoder) -> None:
    assert not any(one.requires_grad for one in encoder.parameters())
    assert not encoder.training


@torch.inference_mode()
def test_merged_adapters_do_the_same(encoder: Encoder, head: LoadedHead) -> None:
    from copy import deepcopy

    states, mask = encoder.embed(IDS)
    merged = deepcopy(head.adapted)
    merged.merge()
    assert torch.allclose(merged(states, mask), head.adapted(states, mask), atol=1e-5)
    assert not torch.allclose(head.adapted(states, mask), encoder.layers[head.shape.first](states, mask), atol=1e-3)


def test_fresh_adapters_change_nothing(encoder: Encoder) -> None:
    from engine.model.encoder.head import AdaptedLayers

    states, mask = encoder.embed(IDS)
    changed = AdaptedLayers(encoder, 0, 1, 4)(states, mask)
    assert torch.allclose(changed, encoder.layers[0](states, mask), atol=1e-6)


def test_adapters_leave_the_encoder_as_it_was(encoder: Encoder, head: LoadedHead) -> None:
    before = encoder.layers[1].qkv.weight.clone()
    head.adapted.layers[0].qkv.merged()
    assert torch.equal(before, encoder.layers[1].qkv.weight)
    assert not any("weight" in name and "norm" not in name for name in head.adapted.state_dict())


@torch.inference_mode()
def test_a_head_that_was_read_does_what_was_written(folder: Path, encoder: Encoder, head: LoadedHead) -> None:
    """Within the rounding of half precision."""
    read = load_head(folder / "head.safetensors", encoder)
    states, mask = encoder.embed(IDS)
    assert torch.allclose(read.adapted(states, mask), head.adapted(states, mask), atol=0.02)
    assert torch.allclose(read.scorer.concepts.weight, head.scorer.concepts.weight, atol=1e-3)
    assert (read.shape, read.rows, read.fitted) == (head.shape, head.rows, head.fitted)
    assert read.centres.keys() == head.centres.keys()


@pytest.mark.parametrize("damage", ["missing", "cut", "foreign", "part"])
def test_a_damaged_head_is_said_to_be(
    tmp_path: Path, folder: Path, encoder: Encoder, head: LoadedHead, damage: str
) -> None:
    from safetensors import safe_open
    from safetensors.torch import save_file

    path = tmp_path / "head.safetensors"
    if damage == "cut":
        path.write_bytes((folder / "head.safetensors").read_bytes()[:5000])
    if damage == "foreign":
        save_file({"a": torch.zeros(1)}, path)
    if damage == "part":
        with safe_open(folder / "head.safetensors", framework="pt") as file:
            kept = {name: file.get_tensor(name) for name in file.keys() if name != "name_centre"}  # noqa: SIM118
            save_file(kept, path, file.metadata())
    with pytest.raises(WorkbenchError) as caught:
        load_head(path, encoder)
    assert caught.value.code == "head_damaged"


def batch_of(*lengths: int) -> UnitBatch:
    texts = ["北京a1" * 10 for _ in lengths]
    cut = [
        Units(tuple((at, at + 1) for at in range(length)), tuple(range(length)), (0,) * length) for length in lengths
    ]
    return unit_batch(texts, cut)


def test_legal_spans_end_inside_their_text() -> None:
    legal = legal_spans(batch_of(3, 5, 0), 4)
    assert legal.shape == (3, 5, 4)
    for row, length in enumerate((3, 5, 0)):
        for first in range(5):
            assert legal[row, first].tolist() == [first + width < length for width in range(4)]


def test_a_short_text_has_no_wider_spans_than_itself() -> None:
    assert legal_spans(batch_of(2), 28).shape == (1, 2, 2)


def test_units_of_a_batch_are_padded_at_the_end() -> None:
    batch = batch_of(2, 3)
    assert batch.mask.tolist() == [[True, True, False], [True, True, True]]
    assert batch.pieces.tolist() == [[0, 1, 0], [0, 1, 2]]


@torch.inference_mode()
@pytest.mark.parametrize("widest", [1, 4, 28])
def test_a_spans_state_is_of_its_ends_its_mean_and_its_width(widest: int) -> None:
    torch.manual_seed(0)
    scorer = SpanHead(HeadShape(inner=16, span=8, widest=widest, concepts=3, hidden=HIDDEN)).eval()
    own = torch.randn(2, 9, 16)
    spans = scorer._spans(own)
    assert spans.shape == (2, 9, min(widest, 9), 8)
    for text in range(2):
        for first in range(9):
            for width in range(min(widest, 9 - first)):
                inside = own[text, first : first + width + 1]
                state = scorer.start(inside[0]) + scorer.end(inside[-1]) + scorer.middle(inside).mean(0)
                assert torch.allclose(spans[text, first, width], F.gelu(state + scorer.width.weight[width]), atol=1e-5)


@torch.inference_mode()
def test_spans_of_texts_together_are_as_alone(head: LoadedHead, encoder: Encoder) -> None:
    texts = ["北京a1" * 3, "京b"]
    cut = [Units(tuple((at, at + 1) for at in range(len(text))), tuple(range(len(text))), (0,) * len(text))
           for text in texts]  # fmt: skip
    ids = [list(range(10, 10 + len(text))) for text in texts]
    states, mask = encoder.embed(ids)
    together = head.scorer(states, states, unit_batch(texts, cut))
    for row, text in enumerate(texts):
        alone, _ = encoder.embed([ids[row]])
        spans = head.scorer(alone, alone, unit_batch([text], [cut[row]]))[0]
        for first in range(len(text)):
            for width in range(min(head.shape.widest, len(text) - first)):
                assert torch.allclose(together[row, first, width], spans[first, width], atol=1e-5)
    assert mask is not None


@torch.inference_mode()
def test_a_score_is_the_product_of_span_and_concept() -> None:
    scorer = SpanHead(HeadShape(inner=16, span=8, widest=4, concepts=3, hidden=HIDDEN)).eval()
    spans, concepts = torch.randn(1, 5, 4, 8), torch.randn(1, 3, 8)
    scores = scorer.score(spans, concepts)
    assert scores.shape == (1, 5, 4, 3)
    assert scores[0, 2, 1, 2] == pytest.approx(
        (spans[0, 2, 1] @ concepts[0, 2] / 8**0.5 * 4 + scorer.bias).item(), abs=1e-4
    )
