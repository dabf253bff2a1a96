"""From settings to a loaded backend: resolve, fetch, check, estimate, load, warm up. Each step reports and can stop.

It decides nothing by itself: the choices are in resolve.py and device.py, the checks in preflight.py and memory.py.
"""

import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from engine.errors import Cancelled, WorkbenchError
from engine.messages import Phrase
from engine.model.backend import Backend
from engine.model.cache import Report
from engine.model.device import PACKED, Placement
from engine.model.fake import FakeBackend
from engine.model.fetch import ensure
from engine.model.gguf.files import gguf_file
from engine.model.memory import NEAR, MemoryEstimate, building_bytes, estimate, fits, require, room
from engine.model.own_code import refused_by_name
from engine.model.preflight import ModelFiles, check
from engine.model.resolve import FALLBACK, Resolved, resolve
from engine.settings import Settings
from engine.text.protocol import SEQGPT_GEN, ChatProtocol, PlainProtocol, PromptProtocol, SeqGPTProtocol
from engine.types import LoadProgress, ModelInfo, Note, Precision

_log = logging.getLogger(__name__)

LONGEST_CONTEXT = 4096
"""Tokens used at most of a model's context: a CPU reads more too slowly to be of use on a page."""


def load_backend(settings: Settings, report: Report, note: Callable[[Note], None], stop: Event) -> Backend:
    """Everything from a name to a warm backend.

    Raises:
        WorkbenchError: what is missing, damaged, too large or unknown, and what to do; `cancelled` on `stop`.
    """
    report(LoadProgress("resolve"))
    resolved = resolve(settings.model, settings)
    if resolved.note is not None:
        note(resolved.note)
    if resolved.name == "fake":
        return FakeBackend()
    if resolved.server is not None:
        from engine.model.remote.load import load_served

        return load_served(resolved.server, settings, report, note, stop)
    if settings.trust_remote_code:
        note(Note("trusts_code", {"name": resolved.name}))
    try:
        folder = ensure(resolved, settings, report, stop)
    except WorkbenchError as error:
        if settings.model != "auto" or resolved.name == FALLBACK or error.code != "download_failed":
            raise
        reason = Phrase("hub_failed", wanted=resolved.name)  # a hub that answers a knock may still refuse the files
        resolved = resolve(FALLBACK, settings)
        note(Note("choice_reason", {"name": FALLBACK, "reason": reason}))
        folder = ensure(resolved, settings, report, stop)
    # Waiting threads sleep instead of spinning: a browser or another program on the same cores else slows a run many
    # times over. OpenMP reads this once, when torch is first imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if resolved.entry is not None and resolved.entry.kind == "encoder":
        report(LoadProgress("import"))
        from engine.model.encoder.load import load_encoder

        return load_encoder(folder, resolved, settings, report, note, stop)
    if gguf := gguf_file(folder):
        from engine.model.gguf.load import load_gguf

        return load_gguf(
            gguf,
            resolved,
            settings,
            longest=LONGEST_CONTEXT,
            choose=choose_protocol,
            report=report,
            note=note,
            stop=stop,
        )
    report(LoadProgress("verify"))
    files = check(folder, resolved.name, trusted=settings.trust_remote_code)
    report(LoadProgress("import"))
    _check(stop)
    with refused_by_name(resolved.name):
        return _load_torch(_Load(folder, files, resolved, settings, report, note, stop))


@dataclass(frozen=True)
class _Load:
    """What every step of one load needs."""

    folder: Path
    files: ModelFiles
    resolved: Resolved
    settings: Settings
    report: Report
    note: Callable[[Note], None]
    stop: Event


def _load_torch(load: _Load) -> Backend:
    from engine.model.device import look_at_hardware, place, use_threads

    placement = _smaller_where_it_must_be(
        load, place(load.settings.device, load.settings.precision, look_at_hardware())
    )
    device, *precision = placement.notes
    load.note(device)
    use_threads(load.settings.threads)
    backend = None
    if placement.device == "cpu" and placement.precision in PACKED:
        backend, reason = _load_packed(load, placement.precision)
        if backend is None:
            told: dict[str, object] = {"asked": placement.precision, "device": "cpu", "reason": reason, "used": "fp32"}
            placement, precision = Placement("cpu", "fp32", ()), [Note("precision_replaced", told)]
    for one in precision:
        load.note(one)
    return backend or _load_plain(load, placement)


def _smaller_where_it_must_be(load: _Load, placement: Placement) -> Placement:
    """int8 where nobody asked for a precision, and only that fits."""
    from engine.model.packed.linear import works

    if load.settings.precision != "auto" or (placement.device, placement.precision) != ("cpu", "fp16"):
        return placement
    half, byte = (fits(estimate(load.files, one, packed=True), load.settings) for one in PACKED)
    if half or not byte or not works("int8"):
        return placement
    notes = (*placement.notes[:-1], Note("precision_reason", {"precision": "int8", "reason": Phrase("int8_small")}))
    return Placement("cpu", "int8", notes)


def _load_packed(load: _Load, precision: Precision) -> tuple[Backend | None, str]:
    """The model with packed weights; else why it cannot be packed."""
    from transformers import AutoConfig, AutoTokenizer, GenerationConfig

    from engine.model.packed import bloom_graph, onnx_graph
    from engine.model.packed.load import load_packed
    from engine.model.packed.prepare import is_built, packed_folder, prepare

    files, settings = load.files, load.settings
    if files.own_code:
        return None, Phrase("own_code")
    needed = estimate(files, precision, packed=True)
    require(needed, settings, name=files.name)
    if not is_built(packed_folder(settings.cache_dir, files, precision)):
        building = replace(needed, load_peak=building_bytes(files, precision))
        require(building, settings.model_copy(update={"max_memory": None}), name=files.name)
    left = room(settings, sys.maxsize, share=NEAR)
    tokenizer = AutoTokenizer.from_pretrained(load.folder, local_files_only=True, trust_remote_code=False)
    protocol = choose_protocol(tokenizer, load.resolved)
    try:
        with _tensor_progress(lambda _: None, load.stop):
            made = prepare(files, precision, protocol, settings.cache_dir, load.report, load.stop)
    except WorkbenchError as error:
        if error.code != "disk_full":
            raise
        return None, Phrase("no_room")
    except OSError:
        return None, Phrase("no_folder")
    if made is None:
        return None, Phrase("not_packable")
    config = AutoConfig.from_pretrained(load.folder, local_files_only=True, trust_remote_code=False)
    model = load_packed(made, config, load.report, load.stop)
    if precision == "int8" and bloom_graph.fits(model) and not onnx_graph.works():
        load.note(Note("fast_extra"))
    if (load.folder / "generation_config.json").is_file():
        model.generation_config = GenerationConfig.from_pretrained(load.folder)
    try:
        return _warm(load, model, tokenizer, protocol, Placement("cpu", precision, ()), needed, left), ""
    except AttributeError:  # it reads a layer's weight by itself
        return None, Phrase("not_packable")


def _load_plain(load: _Load, placement: Placement) -> Backend:
    """The model as `transformers` loads it, all of it in one precision."""
    import torch

    from engine.model.causal_lm import load_causal_lm

    needed = estimate(load.files, placement.precision)
    if placement.device != "mps":
        require(needed, load.settings, name=load.files.name, device=placement.device)
    left = room(load.settings, sys.maxsize, share=NEAR, device=placement.device)
    with _tensor_progress(load.report, load.stop):
        dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[placement.precision]
        safetensors = load.files.format == "safetensors"
        model, tokenizer = load_causal_lm(
            load.folder, device=placement.device, dtype=dtype, safetensors=safetensors, trusted=load.files.own_code
        )
    protocol = choose_protocol(tokenizer, load.resolved)
    return _warm(load, model, tokenizer, protocol, placement, needed, left)


def _warm(
    load: _Load,
    model: Any,
    tokenizer: Any,
    protocol: PromptProtocol,
    placement: Placement,
    needed: MemoryEstimate,
    left: int,
) -> Backend:
    """The model as a backend. left: bytes that could be taken before it was loaded without coming near `max_memory`."""
    from engine.model.causal_lm import CausalLM
    from engine.model.tokens import Tokens

    _check(load.stop)
    resolved, files = load.resolved, load.files
    info = ModelInfo(
        name=resolved.name,
        revision=resolved.revision(load.folder),
        protocol=protocol.name,
        device=placement.device,
        precision=placement.precision,
        parameters=files.parameters,
        languages=tuple(resolved.entry.languages) if resolved.entry else (),
        context=min(resolved.context or files.context, files.context, LONGEST_CONTEXT),
        memory=needed.total if placement.device == "cpu" else 0,
    )
    left = max(0, left - needed.total)
    kept = min(load.settings.prefix_cache, left)
    spare = {} if load.settings.max_memory is None else {"spare_bytes": left - kept}
    backend = CausalLM(model, Tokens(tokenizer), protocol, info, prefix_bytes=kept, **spare)
    load.report(LoadProgress("warmup"))
    backend.warm_up()
    return backend


def choose_protocol(tokenizer: Any, resolved: Resolved) -> PromptProtocol:
    """The catalog's protocol, else what the tokenizer shows: `[GEN]` as one token, a chat template, or neither.

    Raises:
        WorkbenchError: `not_loadable` where SeqGPT's `[GEN]` is not one token.
    """
    name = resolved.protocol
    one_token = len(tokenizer.encode(SEQGPT_GEN, add_special_tokens=False)) == 1
    if name == "seqgpt" and not one_token:
        raise WorkbenchError(
            "not_loadable",
            name=resolved.name,
            reason=f"its tokenizer does not know {SEQGPT_GEN} as one token",
        )
    if name == "seqgpt" or (name is None and one_token):
        return SeqGPTProtocol()
    if name == "plain" or not tokenizer.chat_template:
        return PlainProtocol()
    turn = {"role": "user", "content": ChatProtocol.user_turn()}
    role = {"role": "system", "content": ChatProtocol.role_turn()}

    def rendered(*turns: dict[str, str]) -> str:
        return str(tokenizer.apply_chat_template(list(turns), tokenize=False, add_generation_prompt=True))

    try:
        with_role = rendered(role, turn)
    except Exception as error:  # a template may refuse what it does not know in any way
        _log.debug("this chat template takes no system's turn: %s", type(error).__name__)
        with_role = ""
    return ChatProtocol.from_rendered(rendered(turn), with_role)


@contextmanager
def _tensor_progress(report: Report, stop: Event) -> Iterator[None]:
    """While it lasts, the progress bar of `from_pretrained` reports tensors, prints nothing and stops when asked."""
    from tqdm import tqdm
    from transformers.utils import logging as transformers_logging

    class Bar(tqdm):  # type: ignore[type-arg]
        def update(self, n: float | None = 1) -> bool | None:
            _check(stop)
            shown = super().update(n)
            report(LoadProgress("weights", int(self.n), int(self.total or 0) or None, "tensors"))
            return bool(shown)

    def silent(_: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return Bar(*arguments, **(options | {"file": io.StringIO(), "disable": False, "mininterval": 0, "miniters": 1}))

    earlier = transformers_logging.set_tqdm_hook(silent)
    try:
        yield
    finally:
        transformers_logging.set_tqdm_hook(earlier)


def _check(stop: Event) -> None:
    if stop.is_set():
        raise Cancelled
