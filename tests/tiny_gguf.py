"""What tests of GGUF models share: a tiny one made on the spot, exact where it is compared, and one with SentencePiece.

Attention is in half precision as a rule, which makes a hundredth of a logit, and near ties be chosen otherwise: where
answers are compared with torch's it is in fp32.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from checkpoints import make_gguf, make_llama

from engine.model.gguf import server as server_module
from engine.model.loader import load_backend
from engine.settings import load_settings
from engine.types import Note, Structure

TEXT = "the movie was good 天气 很好 Tim Cook paid 12 dollars in Berlin"
LABELS = ("sports", "sport film", "finance", "体育", "terrible food")
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 8},
            "n": {"type": "integer", "minimum": 0, "maximum": 99},
        },
        "required": ["name", "n"],
        "additionalProperties": False,
    }
)
FORMS = [
    Structure(choices=("good", "bad", "terrible film")),
    Structure(regex="[a-z]{3,8} [0-9]{1,4}"),
    Structure(SCHEMA),
]


def make_tiny(folder: Path) -> dict[str, Path]:
    """A Llama's folder and the same as a GGUF file."""
    llama = make_llama(folder / "llama", context=2048)
    return {"llama": llama, "gguf": make_gguf(folder / "tiny.gguf", llama)}


def load(path: Path, told: list[Note] | None = None, **flags: Any) -> Any:
    """The backend of a file. told: gets the notes."""
    note = (lambda _: None) if told is None else told.append
    return load_backend(load_settings(model=str(path), threads=1, **flags), lambda _: None, note, Event())


@contextmanager
def exact(path: Path) -> Iterator[Any]:
    """The backend of a file with attention in fp32, while it is needed."""
    xllamacpp = pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    parameters = server_module._parameters

    def in_fp32(*given: Any) -> Any:
        found = parameters(*given)
        found.cache_type_k = found.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        found.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server_module, "_parameters", in_fp32)
        backend = load(path)
    yield backend
    backend.close()


def ids(backend: Any, text: str = TEXT) -> tuple[int, ...]:
    """A prompt's tokens."""
    return tuple(backend.encode_prompt(backend.protocol.score(text, LABELS), 64).ids)


def sentencepiece_model(path: Path) -> Path:
    """A Llama of one layer with random weights, and a SentencePiece vocabulary that can spell everything."""
    import gguf

    words = ["▁", "▁t", "▁th", "▁the", "th", "he", *"abcdefghijklmnopqrstuvwxyz,:"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *words]
    kinds = [2, 3, 3, *[6] * 256, *[1] * len(words)]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_context_length(512)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(48)
    writer.add_head_count(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores(
        [-1000.0 if kind == 6 else -len(token) * 0.1 for token, kind in zip(tokens, kinds, strict=True)]
    )
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    random = np.random.default_rng(0)
    shapes = {
        "token_embd": (len(tokens), 32),
        "blk.0.ffn_gate": (48, 32),
        "blk.0.ffn_up": (48, 32),
        "blk.0.ffn_down": (32, 48),
    }
    shapes |= {f"blk.0.attn_{name}": (32, 32) for name in ("q", "k", "v", "output")}
    shapes |= {"output": (len(tokens), 32), "output_norm": (32,), "blk.0.attn_norm": (32,), "blk.0.ffn_norm": (32,)}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(0, 0.5, shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
