"""Packed models for tests: tiny checkpoints of several architectures, built in a folder and loaded from it."""

from pathlib import Path
from threading import Event
from typing import Any
from unittest.mock import patch

from checkpoints import make_kind

from engine.model.preflight import ModelFiles, check
from engine.text.protocol import SEQGPT_GEN, SeqGPTProtocol
from engine.types import LoadProgress

_SIZES = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "BLOOM": ("Bloom", {"hidden_size": 64, "n_layer": 2, "n_head": 4}),
    "Llama": ("Llama", _SIZES | {"tie_word_embeddings": True}),
    "Llama with a head of its own": ("Llama", _SIZES | {"tie_word_embeddings": False}),
    "GPT-2": ("GPT2", {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 512}),
    "Qwen2": ("Qwen2", _SIZES | {"tie_word_embeddings": True}),
    "Phi": ("Phi", _SIZES | {"tie_word_embeddings": False}),
    "LFM2": ("Lfm2", _SIZES | {"layer_types": ["conv", "full_attention"]}),
}
"""Architectures by name. GPT-2's linear layers lie on their side, Qwen2's have a bias, and so has Phi's head."""

NOT_PACKABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "Gemma 3": ("Gemma3Text", _SIZES | {"head_dim": 16}),  # its table is scaled
    "XGLM": ("XGLM", {"d_model": 64, "ffn_dim": 96, "num_layers": 2, "attention_heads": 4}),
}


def make(root: Path, name: str, **options: Any) -> Path:
    """The checkpoint of an entry of `KINDS` or `NOT_PACKABLE`."""
    kind, settings = (KINDS | NOT_PACKABLE)[name]
    return make_kind(root / name.replace(" ", "-"), kind, **settings, **options)


def quiet(_: LoadProgress) -> None:
    """No report."""


def prepare(folder: Path, precision: str, cache: Path, report: Any = quiet, stop: Event | None = None) -> Path | None:
    """The packed folder of a checkpoint."""
    from engine.model.packed.prepare import prepare

    return prepare(files_of(folder), precision, SeqGPTProtocol(), cache, report, stop or Event())


def files_of(folder: Path) -> ModelFiles:
    """What the loader knows of a checkpoint."""
    return check(folder, folder.name)


def load(checkpoint: Path, packed: Path, report: Any = quiet, stop: Event | None = None, *, graph: bool = True) -> Any:
    """The packed model. graph: as one of ONNX Runtime, where it can be; else layer by layer, by torch's kernels."""
    from transformers import AutoConfig

    from engine.model.packed.load import load_packed

    with patch("engine.model.packed.load.works", lambda: graph):
        return load_packed(packed, AutoConfig.from_pretrained(checkpoint), report, stop or Event())


def original(checkpoint: Path) -> Any:
    """The model as transformers loads it, in fp32."""
    import torch
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32).eval()


def backend(checkpoint: Path, cache: Path, precision: str, *, prefix_bytes: int = 0) -> Any:
    """A `CausalLM` over a packed checkpoint, asked as SeqGPT is; not warmed up."""
    from transformers import AutoTokenizer

    from engine.model.causal_lm import CausalLM
    from engine.model.tokens import Tokens
    from engine.types import ModelInfo

    folder = prepare(checkpoint, precision, cache)
    assert folder is not None
    tokens = Tokens(AutoTokenizer.from_pretrained(checkpoint))
    known = len(tokens.tokenizer.encode(SEQGPT_GEN, add_special_tokens=False)) == 1
    protocol = SeqGPTProtocol() if known else SeqGPTProtocol(generate_token="")
    info = ModelInfo(checkpoint.name, "local", "seqgpt", "cpu", precision, 0, 512)
    return CausalLM(load(checkpoint, folder), tokens, protocol, info, prefix_bytes=prefix_bytes)
