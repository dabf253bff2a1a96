"""What a model folder holds, found without loading it and without torch: completeness, types, sizes.

It reads configuration, indexes and the headers of weight files, and never runs anything from the folder.
"""

import json
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.errors import WorkbenchError
from engine.model.own_code import may_run
from engine.model.tensor_file import BYTES_PER_VALUE, TensorSpec, read_header

_TOKENIZERS = (
    ("tokenizer.json",),
    ("tokenizer.model",),
    ("spiece.model",),
    ("vocab.json", "merges.txt"),
    ("vocab.txt",),
)
_CONFIG_TYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "float64": "F64"}
_DEFAULT_CONTEXT = 1024


@dataclass(frozen=True)
class ModelFiles:
    """A complete model folder.

    weights: the weight files in the order of their names. total_bytes: their size together.
    dtypes: numbers held, by safetensors type ("F16", ...); for .bin files an estimate by the type in the
    config.
    parameters: all numbers held; a tied tensor counts once.
    context: tokens that the configuration allows.
    own_code: whether code of the folder is run: the folder brings some, and it is trusted.
    """

    name: str
    folder: Path
    config: dict[str, Any]
    architecture: str
    format: Literal["safetensors", "bin"]
    weights: tuple[Path, ...]
    total_bytes: int
    dtypes: dict[str, int]
    parameters: int
    largest_tensor_bytes: int
    context: int
    own_code: bool = False


def check(folder: Path, name: str, *, trusted: bool = False) -> ModelFiles:
    """Look over the model in `folder`, called `name` in messages.

    trusted: whether code that the folder brings may be run, later and by others.

    Raises:
        WorkbenchError: `folder_without_weights` naming what is missing, `file_damaged`, or `remote_code`.
    """
    if not (folder / "config.json").is_file():
        raise _missing(folder, "config.json")
    config = _read_json(folder / "config.json", name)
    own_code = may_run(folder, name, config, _read_if_there(folder / "tokenizer_config.json", name), trusted=trusted)
    if not any(all((folder / part).is_file() for part in parts) for parts in _TOKENIZERS):
        raise _missing(folder, "tokenizer.json or other tokenizer files")
    for extra in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        _read_if_there(folder / extra, name)
    weights = _weight_files(folder, name)
    total = sum(path.stat().st_size for path in weights)
    if weights[0].suffix == ".bin":
        for path in weights:
            _check_bin(path, name)
        dtypes, largest = _guess_bin(config, total)
    else:
        specs = [spec for path in weights for spec in _specs(path, name)]
        dtypes, largest = _histogram(specs), max((spec.nbytes for spec in specs), default=0)
    return ModelFiles(
        name=name,
        folder=folder,
        config=config,
        architecture=next(iter(config.get("architectures") or ()), ""),
        format="bin" if weights[0].suffix == ".bin" else "safetensors",
        weights=weights,
        total_bytes=total,
        dtypes=dtypes,
        parameters=sum(dtypes.values()),
        largest_tensor_bytes=largest,
        context=_context(config),
        own_code=own_code,
    )


def _weight_files(folder: Path, name: str) -> tuple[Path, ...]:
    """The files that `from_pretrained` would read, in its order of preference."""
    for single in ("model.safetensors", "pytorch_model.bin"):
        if (folder / single).is_file():
            return (folder / single,)
        index = folder / f"{single}.index.json"
        if index.is_file():
            return _shards(index, name)
    raise _missing(folder, "weights (model.safetensors or pytorch_model.bin)")


def _shards(index: Path, name: str) -> tuple[Path, ...]:
    weight_map = _read_json(index, name).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise WorkbenchError("file_damaged", path=index, reason="it has no weight_map", name=name)
    shards = sorted({str(shard) for shard in weight_map.values()})
    for shard in shards:
        if Path(shard).name != shard:  # a path out of the folder
            raise WorkbenchError("file_damaged", path=index, reason=f"it names the file {shard}", name=name)
        if not (index.parent / shard).is_file():
            raise _missing(index.parent, f"{shard}, a part of the weights")
    return tuple(index.parent / shard for shard in shards)


def _specs(path: Path, name: str) -> list[TensorSpec]:
    _refuse_pointer(path, name)
    try:
        return read_header(path)
    except ValueError as error:
        raise WorkbenchError("file_damaged", path=path, reason=_plain(error), name=name) from error


def _check_bin(path: Path, name: str) -> None:
    """A torch file is a zip archive with its table of contents at the end: without it the file was cut."""
    _refuse_pointer(path, name)
    with path.open("rb") as file:
        start = file.read(2)
    if start[:1] == b"\x80":  # the format before torch 1.6, a bare pickle: its end cannot be seen from outside
        return
    if not zipfile.is_zipfile(path):
        reason = "it is cut off before its end" if start == b"PK" else "it is no torch file"
        raise WorkbenchError("file_damaged", path=path, reason=reason, name=name)


def _refuse_pointer(path: Path, name: str) -> None:
    with path.open("rb") as file:
        if file.read(23) == b"version https://git-lfs":
            reason = "it is a Git LFS pointer, not the weights"
            raise WorkbenchError("file_damaged", path=path, reason=reason, name=name)


def _read_if_there(path: Path, name: str) -> dict[str, Any]:
    return _read_json(path, name) if path.is_file() else {}


def _read_json(path: Path, name: str) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise WorkbenchError("file_damaged", path=path, reason=_plain(error), name=name) from error
    if not isinstance(data, dict):
        raise WorkbenchError("file_damaged", path=path, reason="it is no JSON object", name=name)
    return data


def _histogram(specs: Iterable[TensorSpec]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for spec in specs:
        counts[spec.dtype] = counts.get(spec.dtype, 0) + spec.values
    return counts


def _guess_bin(config: dict[str, Any], total: int) -> tuple[dict[str, int], int]:
    """Numbers by type, and the largest tensor: of a causal model, its embedding."""
    dtype = _CONFIG_TYPES.get(str(config.get("dtype") or config.get("torch_dtype")), "F32")
    hidden = config.get("hidden_size") or config.get("n_embed") or 0
    rows = config.get("vocab_size") or 0
    return {dtype: total // BYTES_PER_VALUE[dtype]}, int(rows) * int(hidden) * BYTES_PER_VALUE[dtype]


def _context(config: dict[str, Any]) -> int:
    for key in ("max_position_embeddings", "n_positions", "seq_length"):
        if isinstance(config.get(key), int):
            return int(config[key])
    return _DEFAULT_CONTEXT


def _missing(folder: Path, what: str) -> WorkbenchError:
    return WorkbenchError("folder_without_weights", path=folder, missing=what)


def _plain(error: ValueError) -> str:
    return (
        f"it is no JSON text ({error})" if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)) else str(error)
    )
