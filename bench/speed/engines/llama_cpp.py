"""llama.cpp, through xllamacpp's server without HTTP: Q8_0 and Q4_0."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from bench.speed.engines.peers import Peer, converted
from bench.speed.work import Work

_SLOTS = 4
"""Prompts that are answered side by side in a batch."""
_CONTEXT = 2048
"""Tokens of all slots together: more of it takes memory from the start."""
_FILE = "model.gguf"


class _LlamaCpp(Peer):
    """A GGUF file of the checkpoint, as llama.cpp's own converter and quantiser would write it."""

    how = (
        "greedy: as many tokens as the longest label, and as the right answer, has; relabel: the server's prompt "
        f"cache; batch: {_SLOTS} prompts side by side, batched continuously"
    )
    packages = ("xllamacpp", "gguf")
    keeps = True
    kind: ClassVar[str]
    """Of the layers' matrices, in `gguf.GGMLQuantizationType`."""
    embedding: ClassVar[str]
    """Of the embedding, which is the head too."""

    def load(self, checkpoint: Path, threads: int, scratch: Path) -> None:
        """Convert, then start the server."""
        import xllamacpp

        folder = converted(checkpoint, scratch / f"{self.kind}-{self.embedding}", convert, "gguf")
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(folder / _FILE)
        parameters.cpuparams.n_threads = threads
        parameters.cpuparams_batch.n_threads = threads
        parameters.n_parallel = _SLOTS
        parameters.n_ctx = _CONTEXT
        parameters.kv_unified = True
        parameters.cache_ram_mib = 0  # the slots' own cache does: more copies of it cost time
        parameters.verbosity = 0
        self._server: Any = xllamacpp.Server(parameters)

    def generate(self, prompt: Sequence[int], count: int, *, kept: bool = False) -> list[int]:
        """One completion. kept: the beginning that a slot has is not read again."""
        tokens: list[int] = self._complete([prompt], count, kept)["__verbose"]["tokens"]
        return tokens

    def batch(self, work: Work) -> int:
        """As many prompts in a request as the context holds."""
        count = work.longest_label
        requests: list[list[Sequence[int]]] = [[]]
        for prompt in work.batch:
            if sum(len(one) + count for one in [*requests[-1], prompt]) > _CONTEXT and requests[-1]:
                requests.append([])
            requests[-1].append(prompt)
        return sum(count * len(self._complete(prompts, count, False)["choices"]) for prompts in requests)

    def _complete(self, prompts: Sequence[Sequence[int]], count: int, kept: bool) -> dict[str, Any]:
        """The server's answer: exactly `count` greedy tokens a prompt.

        Raises:
            RuntimeError: it is an error, or shorter.
        """
        answer: dict[str, Any] = self._server.handle_completions(
            {
                "prompt": list(map(list, prompts)),
                "max_tokens": count,
                "temperature": 0,
                "samplers": ["temperature"],
                "ignore_eos": True,
                "cache_prompt": kept,
                "return_tokens": True,
                "verbose": True,
            }
        )
        ends = [choice["finish_reason"] for choice in answer.get("choices", ())]
        if ends != ["length"] * len(prompts):
            raise RuntimeError(f"it answered {json.dumps(answer)[:300]}")
        return answer


def convert(checkpoint: Path, folder: Path) -> None:
    """Write the GGUF file; the folder's name says in which kinds."""
    import gguf
    import numpy as np
    from safetensors import safe_open

    kinds = gguf.GGMLQuantizationType
    kind, embedding = (kinds[name] for name in folder.name.split("-"))
    config = json.loads((checkpoint / "config.json").read_text("utf-8"))
    heads, layers, wide = config["n_head"], config["n_layer"], config["hidden_size"]
    writer = gguf.GGUFWriter(folder / _FILE, "bloom")
    writer.add_context_length(config.get("seq_length", 2048))
    writer.add_embedding_length(wide)
    writer.add_feed_forward_length(4 * wide)
    writer.add_block_count(layers)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_eps(config["layer_norm_epsilon"])
    _add_vocabulary(writer, checkpoint, config)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BLOOM, layers)
    with safe_open(checkpoint / "model.safetensors", "numpy") as file:
        for name in file.keys():  # noqa: SIM118 - it is no dict
            if name.startswith("lm_head."):
                continue  # the embedding again
            values = file.get_tensor(name).astype(np.float32)
            if "query_key_value" in name:  # from queries, keys and values head by head to all queries first
                values = values.reshape(heads, 3, wide // heads, -1).swapaxes(0, 1).reshape(values.shape)
            target = names.get_name(name.removeprefix("transformer."), try_suffixes=(".weight", ".bias"))
            into = kinds.F32 if values.ndim == 1 else embedding if "word_embeddings" in name else kind
            writer.add_tensor(target, gguf.quantize(values, into), raw_dtype=into)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: Any, checkpoint: Path, config: dict[str, Any]) -> None:
    """The tokenizer's tokens, and names for the embedding's rows that have none."""
    import gguf

    tokenizer = json.loads((checkpoint / "tokenizer.json").read_text("utf-8"))
    entries: dict[str, int] = tokenizer["model"]["vocab"]
    special = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    named = {number: token for token, number in (entries | special).items()}
    rows = range(config["vocab_size"])
    types = gguf.TokenType
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("bloom")
    writer.add_token_list([named.get(row, f"[PAD{row}]") for row in rows])
    control = set(special.values())
    writer.add_token_types(
        [types.CONTROL if row in control else types.NORMAL if row in named else types.UNUSED for row in rows]
    )
    merges = tokenizer["model"]["merges"]
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_pad_token_id(config["pad_token_id"])


class LlamaCppQ8(_LlamaCpp):
    """Blocks of 32 weights in 8 bits."""

    name = "llama.cpp-q8_0"
    precision = "q8_0"
    gigabytes = 1.2
    kind = "Q8_0"
    embedding = "Q8_0"


class LlamaCppQ4(_LlamaCpp):
    """Blocks of 32 weights in 4 bits."""

    name = "llama.cpp-q4_0"
    precision = "q4_0"
    gigabytes = 1.2
    kind = "Q4_0"
    embedding = "Q8_0"
