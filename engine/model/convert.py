"""Weights into safetensors: from GGUF, and from PyTorch's pickled files.

A converted folder is complete: configuration, tokenizer, weights, manifest. The caller holds the model's lock
(`engine.model.cache.locked`).
"""

import json
import shutil
from pathlib import Path
from threading import Event
from typing import Any

from engine.errors import Cancelled, WorkbenchError
from engine.model import tensor_file
from engine.model.cache import MANIFEST, Manifest, Report, building, read_manifest, require_space, write_manifest
from engine.model.llama_gguf import LlamaGguf
from engine.model.preflight import check
from engine.model.tensor_file import TensorSpec
from engine.types import LoadProgress

_ROOM = 32 << 20
"""Bytes set aside for tokenizer and configuration in the check of the disk."""


def gguf_to_safetensors(gguf: Path, out: Path, manifest: Manifest, report: Report, stop: Event) -> None:
    """Build `out` from a GGUF file of the Llama architecture: float16 weights, tokenizer, chat template,
    manifest.

    Raises:
        Cancelled: `stop` was set.
        WorkbenchError: `not_loadable`, `file_damaged` or `disk_full`.
    """
    report(LoadProgress("convert", detail=gguf.name))
    source = LlamaGguf(gguf, manifest.name)
    specs = source.specs()
    require_space(out, sum(spec.nbytes for spec in specs) + _ROOM)
    with building(out) as draft:
        tensor_file.write(draft / "model.safetensors", specs, source.payloads(), report, stop)
        config, tokenizer = source.config(), source.tokenizer()
        _check_end_token(tokenizer, manifest.name)
        config.save_pretrained(draft)
        tokenizer.save_pretrained(draft)
        licence = gguf.with_name("LICENSE")
        if licence.exists():
            shutil.copyfile(licence, draft / "LICENSE")
        if stop.is_set():
            raise Cancelled
        write_manifest(draft, manifest)


def _check_end_token(tokenizer: Any, name: str) -> None:
    """A chat model must end its turns with the token that the template ends them with."""
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    if end is None or tokenizer.eos_token_id != end or tokenizer.pad_token_id is None:
        reason = f"its end token is {tokenizer.eos_token}, its padding token {tokenizer.pad_token}"
        raise WorkbenchError("not_loadable", name=name, reason=reason)


def bin_to_safetensors(folder: Path, out: Path, manifest: Manifest, report: Report, stop: Event) -> None:
    """Build `out` from a folder whose weights are pytorch_model.bin or its shards; one file of safetensors a
    shard.

    The files are mapped, and read with `weights_only`: nothing in them is run. Values and types are kept. A
    tensor stored twice is written once where the model ties the two, and twice where it does not.

    Raises:
        Cancelled: `stop` was set.
        WorkbenchError: of `preflight.check`, `not_loadable`, or `disk_full`.
    """
    files = check(folder, manifest.name)
    require_space(out, files.total_bytes + _ROOM)
    tied = _ties_embeddings(folder)
    names = _output_names(len(files.weights))
    with building(out) as draft:
        weight_map: dict[str, str] = {}
        for shard, name in zip(files.weights, names, strict=True):
            tensors = _distinct(_load(shard, manifest.name), tied)
            specs = [_spec(key, tensor) for key, tensor in tensors.items()]
            tensor_file.write(draft / name, specs, map(tensor_file.as_bytes, tensors.values()), report, stop)
            weight_map |= dict.fromkeys(tensors, name)
        if len(names) > 1:
            index = {"metadata": {"total_size": files.total_bytes}, "weight_map": weight_map}
            (draft / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
        _copy_rest(folder, draft)
        write_manifest(draft, manifest)


def built(out: Path) -> bool:
    """Whether `out` holds a complete conversion."""
    return read_manifest(out) is not None


def _output_names(count: int) -> list[str]:
    if count == 1:
        return ["model.safetensors"]
    return [f"model-{number:05d}-of-{count:05d}.safetensors" for number in range(1, count + 1)]


def _ties_embeddings(folder: Path) -> bool:
    from transformers import AutoConfig

    return bool(getattr(AutoConfig.from_pretrained(folder), "tie_word_embeddings", False))


def _load(shard: Path, name: str) -> dict[str, Any]:
    import pickle
    import zipfile

    import torch

    try:
        state = torch.load(shard, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(shard))
    except (RuntimeError, pickle.UnpicklingError, EOFError, ValueError) as error:
        raise WorkbenchError("file_damaged", path=shard, reason=str(error).split("\n")[0], name=name) from error
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise WorkbenchError("not_loadable", name=name, reason=f"{shard.name} holds more than tensors")
    return state


def _distinct(state: dict[str, Any], tied: bool) -> dict[str, Any]:
    """Without the tensors that are the same memory as an earlier one, when the model ties them again by
    itself.
    """
    if not tied:
        return state
    # the head last: of a tied pair the embedding's name stays, as save_pretrained does it
    order = sorted(state, key=lambda name: name.startswith(("lm_head.", "embed_out.")))
    seen: dict[tuple[object, ...], str] = {}
    for name in order:
        tensor = state[name]
        seen.setdefault((tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()), name)
    kept = set(seen.values())
    return {name: tensor for name, tensor in state.items() if name in kept}


def _spec(name: str, tensor: Any) -> TensorSpec:
    import torch

    types = {
        torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32", torch.float64: "F64",
        torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
        torch.bool: "BOOL",
    }  # fmt: skip
    return TensorSpec(name, types[tensor.dtype], tuple(tensor.shape))


def _copy_rest(folder: Path, draft: Path) -> None:
    """Configuration, tokenizer and licence; no weights, no index and no code."""
    for path in sorted(folder.iterdir()):
        known = path.suffix in {".json", ".jinja", ".txt", ".model", ".md"} or path.name.startswith("LICENSE")
        if path.is_file() and known and not path.name.endswith(".index.json") and path.name != MANIFEST:
            shutil.copyfile(path, draft / path.name)
