"""A GGUF file of the Llama architecture as tensors, configuration and tokenizer of `transformers`.

Names, and the order of the rows of the query and key projections, are those of llama.cpp's converter, undone
here. transformers' own GGUF reader is not used: it reads the whole model at once, takes several times as
long, and splits numbers after blank lines unlike this model's tokenizer. Other architectures are refused.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import WorkbenchError
from engine.model.tensor_file import TensorSpec

_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_norm": "input_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "ffn_norm": "post_attention_layernorm",
}
_CONTROL = 3  # gguf.TokenType.CONTROL
_PAD = "<|endoftext|>"


class LlamaGguf:
    """An opened GGUF file; its tensors stay on the disk until they are asked for."""

    def __init__(self, path: Path, name: str) -> None:
        """Open `path` for the model `name`.

        Raises:
            WorkbenchError: `not_loadable` for another architecture or a scaled rope, `file_damaged` for a
            broken file.
        """
        from gguf import GGUFReader

        try:
            self._reader = GGUFReader(path)
        except (ValueError, IndexError, KeyError, OSError) as error:
            raise WorkbenchError("file_damaged", path=path, reason=error, name=name) from error
        self._tensors = {_hugging_face_name(tensor.name): tensor for tensor in self._reader.tensors}
        architecture = self._value("general.architecture")
        if architecture != "llama" or self._value("llama.rope.scaling.type", "none") != "none":
            reason = f"GGUF of the architecture {architecture}, or with scaled positions, is not read here"
            raise WorkbenchError("not_loadable", name=name, reason=reason)

    def specs(self) -> list[TensorSpec]:
        """Every tensor, in float16."""
        return [
            TensorSpec(name, "F16", tuple(int(length) for length in reversed(tensor.shape)))
            for name, tensor in self._tensors.items()
        ]

    def payloads(self) -> Iterator[memoryview]:
        """The tensors' bytes in the order of `specs`, dequantised one at a time."""
        from gguf import dequantize

        heads = {"q_proj": "llama.attention.head_count", "k_proj": "llama.attention.head_count_kv"}
        for spec in self.specs():
            tensor = self._tensors[spec.name]
            values = dequantize(tensor.data, tensor.tensor_type).reshape(spec.shape)
            kind = spec.name.split(".")[-2]
            if kind in heads:
                values = _unpermute(values, int(self._value(heads[kind])))
            yield np.ascontiguousarray(values, dtype=np.float16).reshape(-1).view(np.uint8).data

    def config(self) -> Any:
        """The `LlamaConfig`."""
        from transformers import LlamaConfig

        value = self._value
        heads, hidden = int(value("llama.attention.head_count")), int(value("llama.embedding_length"))
        return LlamaConfig(
            architectures=["LlamaForCausalLM"],
            vocab_size=self._tensors["model.embed_tokens.weight"].shape[1].item(),
            hidden_size=hidden,
            intermediate_size=int(value("llama.feed_forward_length")),
            num_hidden_layers=int(value("llama.block_count")),
            num_attention_heads=heads,
            num_key_value_heads=int(value("llama.attention.head_count_kv", heads)),
            head_dim=int(value("llama.attention.key_length", hidden // heads)),
            max_position_embeddings=int(value("llama.context_length")),
            rms_norm_eps=float(value("llama.attention.layer_norm_rms_epsilon")),
            rope_parameters={
                "rope_type": "default",
                "rope_theta": float(value("llama.rope.freq_base", 10000.0)),
            },
            tie_word_embeddings="lm_head.weight" not in self._tensors,
            bos_token_id=int(value("tokenizer.ggml.bos_token_id")),
            eos_token_id=int(value("tokenizer.ggml.eos_token_id")),
            pad_token_id=self._pad_id(),
            dtype="float16",
        )

    def tokenizer(self) -> Any:
        """The fast tokenizer, with the chat template. It adds no token of its own accord, and pads with a
        token other than the end token: a mask guessed from padding would hide the ends of the turns.
        """
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
        from transformers import PreTrainedTokenizerFast

        tokens: list[str] = self._value("tokenizer.ggml.tokens")
        kinds: list[int] = self._value("tokenizer.ggml.token_type")
        merges = [tuple(merge.split(" ", 1)) for merge in self._value("tokenizer.ggml.merges")]
        backend = Tokenizer(models.BPE(vocab={token: id_ for id_, token in enumerate(tokens)}, merges=merges))
        split: list[Any] = [pre_tokenizers.ByteLevel(add_prefix_space=False)]
        if self._value("tokenizer.ggml.pre", "") == "smollm":  # every digit alone, before all other splits
            split.insert(0, pre_tokenizers.Digits(individual_digits=True))
        backend.pre_tokenizer = pre_tokenizers.Sequence(split)
        backend.decoder = decoders.ByteLevel()
        special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == _CONTROL]
        backend.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
        return PreTrainedTokenizerFast(
            tokenizer_object=backend,
            bos_token=tokens[self._value("tokenizer.ggml.bos_token_id")],
            eos_token=tokens[self._value("tokenizer.ggml.eos_token_id")],
            pad_token=tokens[self._pad_id()],
            additional_special_tokens=special,
            padding_side="left",
            model_max_length=int(self._value("llama.context_length")),
            chat_template=self._value("tokenizer.chat_template"),
            clean_up_tokenization_spaces=False,
        )

    def _pad_id(self) -> int:
        tokens: list[str] = self._value("tokenizer.ggml.tokens")
        return tokens.index(_PAD) if _PAD in tokens else int(self._value("tokenizer.ggml.padding_token_id"))

    def _value(self, key: str, default: Any = None) -> Any:
        field = self._reader.get_field(key)
        if field is None and default is None:
            raise WorkbenchError("not_loadable", name=self._reader.data.filename, reason=f"its GGUF has no {key}")
        return default if field is None else field.contents()


def _hugging_face_name(name: str) -> str:
    """`blk.3.attn_q.weight` -> `model.layers.3.self_attn.q_proj.weight`."""
    *block, kind, suffix = name.split(".")
    if kind not in _NAMES or suffix != "weight":
        raise WorkbenchError("not_loadable", name="GGUF", reason=f"its tensor {name} is not known here")
    layer = f"model.layers.{block[1]}." if block else ""
    return f"{layer}{_NAMES[kind]}.{suffix}"


def _unpermute(values: Any, heads: int) -> Any:
    """Rows of a query or key projection from llama.cpp's adjacent pairs to transformers' halves."""
    rows, columns = values.shape
    return values.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)
