"""The packed folder of a model in a precision: found whole, or built once and kept.

Building reads the model as `transformers` loads it, which takes more memory than the packed model will; for int8 it
also reads a few prompts.
"""

import hashlib
import re
from pathlib import Path
from threading import Event
from typing import Any

import torch

from engine.errors import Cancelled
from engine.model.cache import Manifest, Report, converted_models, locked, read_manifest, sha256_of
from engine.model.causal_lm import load_causal_lm
from engine.model.memory import give_memory_back
from engine.model.packed.build import build, is_packable, linear_layers
from engine.model.packed.prompts import calibration_prompts
from engine.model.packed.smoothing import Activations, measure
from engine.model.preflight import ModelFiles
from engine.model.tokens import Tokens
from engine.text.protocol import PromptProtocol
from engine.types import LoadProgress

PACKING = 2
"""Raised when packing gives something else; folders of another version are left for the next clearing."""

_PROMPT_TOKENS = 256


def packed_folder(cache_dir: Path, files: ModelFiles, precision: str) -> Path:
    """Where the packed model lies or will lie: another place for every state of the model's files."""
    weights = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files.weights]
    config = (files.folder / "config.json").read_bytes()
    said = f"{PACKING} {precision} {files.folder.resolve()} {weights}".encode() + config
    name = re.sub(r"[^\w.-]+", "-", files.name).strip("-.")[-60:]
    return converted_models(cache_dir) / f"{name}-{precision}-{hashlib.sha256(said).hexdigest()[:12]}"


def is_built(folder: Path) -> bool:
    """Whether the folder is there and of the right size; its checksums are `prepare`'s to look at."""
    return read_manifest(folder) is not None


def prepare(
    files: ModelFiles, precision: str, protocol: PromptProtocol, cache_dir: Path, report: Report, stop: Event
) -> Path | None:
    """The packed folder, built if it is not there, or is damaged; None where the model cannot be packed.

    Raises:
        Cancelled: `stop` was set.
        WorkbenchError: `disk_full`.
    """
    out = packed_folder(cache_dir, files, precision)
    with locked(cache_dir, out.name, stop):
        if _is_whole(out, report, stop):
            return out
        packed = _build(files, precision, protocol, out, report, stop)
        give_memory_back()  # of the model as it was
    return out if packed else None


def _is_whole(folder: Path, report: Report, stop: Event) -> bool:
    manifest = read_manifest(folder)
    return manifest is not None and all(
        sha256_of(folder / name, report, stop) == right for name, right in manifest.sha256.items()
    )


def _build(files: ModelFiles, precision: str, protocol: PromptProtocol, out: Path, report: Report, stop: Event) -> bool:
    """Build it, if it can be."""
    report(LoadProgress("convert", detail=precision))
    dtype = torch.float32 if precision == "int8" else "auto"
    model, tokenizer = load_causal_lm(
        files.folder, device="cpu", dtype=dtype, safetensors=files.format == "safetensors"
    )
    model.eval()
    if not is_packable(model):
        return False
    given = _activations(model, files, Tokens(tokenizer), protocol, stop) if precision == "int8" else {}
    manifest = Manifest(files.name, str(files.folder), precision, "that of the model", {})
    with torch.inference_mode():
        build(model, precision, given, out, manifest, report, stop)
    return True


@torch.inference_mode()
def _activations(
    model: Any, files: ModelFiles, tokens: Tokens, protocol: PromptProtocol, stop: Event
) -> dict[str, Activations]:
    def read(ids: tuple[int, ...]) -> None:
        if stop.is_set():
            raise Cancelled
        model.base_model(input_ids=torch.tensor([ids]), use_cache=False)

    most = min(_PROMPT_TOKENS, files.context)
    prompts = list(calibration_prompts(protocol))
    whole = max(len(prompt.string) for prompt in prompts) * 4  # a token a byte at most
    encoded = [tokens.encode_prompt(one, budget=whole, context=whole, labels=0).ids[:most] for one in prompts]
    return measure(linear_layers(model), [lambda ids=ids: read(ids) for ids in encoded])  # type: ignore[misc]
