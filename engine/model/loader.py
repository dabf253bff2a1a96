"""From settings to a loaded backend: resolve, fetch, check, estimate, load, warm up. Each step reports and can stop.

It decides nothing by itself: the choices are in resolve.py and device.py, the checks in preflight.py and memory.py.
"""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from engine.errors import Cancelled, WorkbenchError
from engine.messages import Phrase
from engine.model.backend import Backend
from engine.model.cache import Report
from engine.model.fake import FakeBackend
from engine.model.fetch import ensure
from engine.model.memory import estimate, require
from engine.model.preflight import ModelFiles, check
from engine.model.resolve import FALLBACK, Resolved, resolve
from engine.settings import Settings
from engine.text.protocol import SEQGPT_GEN, ChatProtocol, PlainProtocol, PromptProtocol, SeqGPTProtocol
from engine.types import LoadProgress, ModelInfo, Note

_LONGEST_CONTEXT = 4096
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
    report(LoadProgress("verify"))
    files = check(folder, resolved.name)
    report(LoadProgress("import"))
    _check(stop)
    return _load_torch(folder, files, resolved, settings, report, note, stop)


def _load_torch(
    folder: Path,
    files: ModelFiles,
    resolved: Resolved,
    settings: Settings,
    report: Report,
    note: Callable[[Note], None],
    stop: Event,
) -> Backend:
    import torch

    from engine.model.causal_lm import CausalLM, load_causal_lm
    from engine.model.device import look_at_hardware, place
    from engine.model.tokens import Tokens

    placement = place(settings.device, settings.precision, look_at_hardware())
    for one in placement.notes:
        note(one)
    needed = estimate(files, placement.precision)
    if placement.device == "cpu":
        require(needed, settings, name=resolved.name)
    if settings.threads:
        torch.set_num_threads(settings.threads)
    with _tensor_progress(report, stop):
        dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[placement.precision]
        model, tokenizer = load_causal_lm(
            folder,
            device=placement.device,
            dtype=dtype,
            safetensors=files.format == "safetensors",
        )
    _check(stop)
    protocol = choose_protocol(tokenizer, resolved)
    info = ModelInfo(
        name=resolved.name,
        revision=resolved.revision(folder),
        protocol=protocol.name,
        device=placement.device,
        precision=placement.precision,
        parameters=model.num_parameters(),
        languages=tuple(resolved.entry.languages) if resolved.entry else (),
        context=min(resolved.context or files.context, files.context, _LONGEST_CONTEXT),
        memory=needed.total if placement.device == "cpu" else 0,
    )
    backend = CausalLM(model, Tokens(tokenizer), protocol, info)
    report(LoadProgress("warmup"))
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
    turn = [{"role": "user", "content": ChatProtocol.user_turn()}]
    return ChatProtocol.from_rendered(tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True))


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
