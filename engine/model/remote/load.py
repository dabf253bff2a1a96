"""From an address to a backend: the server's model, what the server can do, and what to say about it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from threading import Event
from typing import Any

from engine.errors import WorkbenchError
from engine.model.cache import Report
from engine.model.remote.address import Address
from engine.model.remote.client import Client
from engine.model.remote.probe import Abilities, find_model, probe
from engine.model.remote.served import ServedModel
from engine.settings import Settings
from engine.text.protocol import PromptProtocol, SeqGPTProtocol, ServedProtocol
from engine.types import LoadProgress, ModelInfo, Note

_CONTEXT = 4096
"""Tokens, where neither the server nor the settings say."""


def load_served(
    address: Address, settings: Settings, report: Report, note: Callable[[Note], None], stop: Event
) -> ServedModel:
    """Reach the server, choose its model and try what it honours.

    Raises:
        WorkbenchError: `remote_offline` where offline mode forbids it; `remote_models`, and the server's failures.
    """
    if settings.offline and not address.loopback:
        raise WorkbenchError("remote_offline", url=address.url)
    report(LoadProgress("resolve"))
    client = Client(address, settings)
    try:
        entry = client.run(find_model(client, address.model), stop)
        report(LoadProgress("warmup"))
        able = client.run(probe(client, entry["id"]), stop)
    except BaseException:
        client.close()
        raise
    able = _as_wanted(able, settings)
    protocol: PromptProtocol = ServedProtocol(turns=able.chat, listed=not able.prompt)
    if "seqgpt" in entry["id"].lower() and able.completions:
        protocol = SeqGPTProtocol()
    info = ModelInfo(
        name=PurePath(entry["id"]).name if entry["id"].startswith("/") else entry["id"],  # llama.cpp names the file
        revision="",
        protocol=protocol.name,
        device="remote",
        precision=_precision(entry),
        parameters=_count(_meta(entry).get("n_params")) or 0,
        context=_context(entry, settings),
    )
    for one in _notes(address, able):
        note(one)
    return ServedModel(client, entry["id"], able, protocol, info)


def _as_wanted(able: Abilities, settings: Settings) -> Abilities:
    """What the server can do, without chats where the settings want completions."""
    if settings.remote_prompts == "completions" and able.completions:
        return replace(able, chat=False)
    return able


def _notes(address: Address, able: Abilities) -> tuple[Note, ...]:
    notes = [Note("served", {"url": address.url})]
    if not able.completions or not (able.prompt or able.top):
        notes.append(Note("served_unscored"))
    elif not able.prompt:
        notes.append(Note("served_by_steps", {"count": able.top}))
    if not able.structure:
        notes.append(Note("served_unstructured"))
    return tuple(notes)


def _meta(entry: dict[str, Any]) -> dict[str, Any]:
    """What llama.cpp says beside the name."""
    meta = entry.get("meta")
    return meta if isinstance(meta, dict) else {}


def _precision(entry: dict[str, Any]) -> str:
    said = next((one for one in (entry.get("dtype"), entry.get("quantization"), _meta(entry).get("ftype")) if one), "")
    return said[:20] if isinstance(said, str) else ""


def _context(entry: dict[str, Any], settings: Settings) -> int:
    """The server's own, but no more than the settings allow."""
    said = _count(entry.get("max_model_len")) or _count(_meta(entry).get("n_ctx"))
    wanted = settings.remote_context
    return min(one for one in (said, wanted) if one) if said or wanted else _CONTEXT


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
