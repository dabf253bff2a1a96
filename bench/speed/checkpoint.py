"""A checkpoint in the shape of BLOOM-560M, SeqGPT-560M's: random weights, but every size and file as in the real one.

Speed depends on shapes alone, so this stands in for the real weights where these cannot be had. The tiny one is for
trying the bench.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from bench.speed.vocabulary import SPECIALS, Vocabulary
from engine.model.cache import Manifest, building, read_manifest, write_manifest
from engine.model.tensor_file import TensorSpec, write
from engine.text.protocol import SEQGPT_GEN

_MAKER = "bench-1"
"""Raised when the files below change; others are made anew."""
_SEED = 560
_DRAWN_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Shape:
    """Sizes of a BLOOM. entries: tokens of its tokenizer; rows: of its embedding, some of them unused."""

    layers: int
    hidden: int
    heads: int
    rows: int
    entries: int

    @property
    def matrices(self) -> tuple[tuple[int, int], ...]:
        """(outputs, inputs) of a layer's matrices."""
        wide = self.hidden
        return ((3 * wide, wide), (wide, wide), (4 * wide, wide), (wide, 4 * wide))

    @property
    def weights(self) -> int:
        """Weights in all layers' matrices: what every token is multiplied with."""
        return self.layers * sum(outputs * inputs for outputs, inputs in self.matrices)


FULL = Shape(layers=24, hidden=1024, heads=16, rows=250_880, entries=250_681)
TINY = Shape(layers=2, hidden=64, heads=4, rows=2_048, entries=2_001)


def shape_of(checkpoint: Path) -> Shape:
    """The sizes of a made checkpoint."""
    rows = json.loads((checkpoint / "config.json").read_text("utf-8"))["vocab_size"]
    return next(shape for shape in (FULL, TINY) if shape.rows == rows)


def make_checkpoint(folder: Path, *, tiny: bool = False) -> Path:
    """The checkpoint in `folder`, made if it is not there, or not whole. The full one is 1.1 GB."""
    shape = TINY if tiny else FULL
    manifest = read_manifest(folder)
    if manifest is not None and manifest.revision == _MAKER and shape_of(folder) == shape:
        return folder
    with building(folder) as draft:
        _write_config(draft, shape)
        _write_tokenizer(draft, shape)
        specs = list(_specs(shape))
        payloads = (_draw(number, spec) for number, spec in enumerate(specs))
        write(draft / "model.safetensors", specs, payloads, lambda _: None, Event())
        write_manifest(draft, Manifest(folder.name, "bench.speed", _MAKER, "Apache-2.0", {}))
    return folder


def _write_config(folder: Path, shape: Shape) -> None:
    from transformers import BloomConfig, GenerationConfig

    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 3}
    BloomConfig(
        vocab_size=shape.rows,
        hidden_size=shape.hidden,
        n_layer=shape.layers,
        n_head=shape.heads,
        seq_length=2048,
        unk_token_id=0,
        architectures=["BloomForCausalLM"],
        dtype="float16",
        **ids,
    ).save_pretrained(folder)
    GenerationConfig(**ids).save_pretrained(folder)


def _write_tokenizer(folder: Path, shape: Shape) -> None:
    """Cut as BLOOM's own: at blanks and punctuation, then bytes."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    ids, merges = Vocabulary(shape.entries - 1).tables()
    tokenizer = Tokenizer(models.BPE(vocab=ids, merges=merges))
    pieces: Any = pre_tokenizers.Split(Regex(r" ?[^(\s|[.,!?…。，、।۔،])]+"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pieces, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in SPECIALS])
    tokenizer.add_special_tokens([AddedToken(SEQGPT_GEN, normalized=False, special=True)])
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        additional_special_tokens=[SEQGPT_GEN],
        padding_side="left",
        clean_up_tokenization_spaces=False,
        **dict(zip(("unk_token", "bos_token", "eos_token", "pad_token"), SPECIALS, strict=True)),
    ).save_pretrained(folder)


def _specs(shape: Shape) -> Iterator[TensorSpec]:
    wide = shape.hidden

    def norm(name: str) -> Iterator[TensorSpec]:
        yield TensorSpec(f"transformer.{name}.weight", "F16", (wide,))
        yield TensorSpec(f"transformer.{name}.bias", "F16", (wide,))

    yield TensorSpec("transformer.word_embeddings.weight", "F16", (shape.rows, wide))
    yield from norm("word_embeddings_layernorm")
    linear = ("self_attention.query_key_value", "self_attention.dense", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h")
    for layer in range(shape.layers):
        yield from norm(f"h.{layer}.input_layernorm")
        yield from norm(f"h.{layer}.post_attention_layernorm")
        for name, (outputs, inputs) in zip(linear, shape.matrices, strict=True):
            yield TensorSpec(f"transformer.h.{layer}.{name}.weight", "F16", (outputs, inputs))
            yield TensorSpec(f"transformer.h.{layer}.{name}.bias", "F16", (outputs,))
    yield from norm("ln_f")


def _draw(number: int, spec: TensorSpec) -> memoryview:
    """Normal values as a model is initialised with, norms about 1, some millions at a time."""
    draw = np.random.default_rng([_SEED, number])
    mean, spread = (1.0, 0.1) if "norm.weight" in spec.name or "ln_f.weight" in spec.name else (0.0, 0.02)
    values = np.empty(spec.values, dtype=np.float16)
    for start in range(0, spec.values, _DRAWN_AT_ONCE):
        part = values[start : start + _DRAWN_AT_ONCE]
        part[:] = draw.standard_normal(len(part), dtype=np.float32) * spread + mean
    return values.view(np.uint8).data
