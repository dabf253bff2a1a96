"""What can be said of a model before it is loaded: where it is, how large, what it needs, may and can do.

It reads this disk alone: no network, no torch, and nothing of a folder is run. What is not known is left empty.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from engine.errors import WorkbenchError
from engine.model import hub_cache
from engine.model.cache import model_folder, read_manifest
from engine.model.catalog import CATALOG, CatalogEntry, HubSource
from engine.model.device import PACKED
from engine.model.encoder.needs import MEMORY
from engine.model.gguf.files import gguf_file
from engine.model.gguf.needs import needs
from engine.model.loader import LONGEST_CONTEXT
from engine.model.memory import VALUE_BYTES, estimate
from engine.model.preflight import ModelFiles
from engine.model.remote.address import is_address, parse_address, without_user_info
from engine.model.resolve import FALLBACK, Resolved, on_disk, resolve
from engine.model.stated import LONGEST, bytes_of, card, codes, folder_files, gguf_header
from engine.settings import Settings
from engine.types import Capability

Kind = Literal["auto", "named", "folder", "hub", "gguf", "server", "unknown"]
Basis = Literal["files", "shape", "parameters", "measured", "file_size"]

_CAUSAL = ("ForCausalLM", "LMHeadModel")
_SHAPES: dict[str, dict[str, Any]] = {
    "seqgpt-560m": {"n_layer": 24, "n_embed": 1024, "n_head": 16, "vocab_size": 250880},
    "smollm2-135m": {
        "num_hidden_layers": 30,
        "hidden_size": 576,
        "intermediate_size": 1536,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "vocab_size": 49152,
    },
}
"""Of named models, what `estimate` reads of a configuration: the memory is known before they are fetched."""


@dataclass(frozen=True)
class MemoryNeed:
    """bytes: about what is taken in `precision`. basis: of what that is known.

    files: the model's own; shape: a named model's layers; parameters: their count, so the weights alone; measured: of
    this very model; file_size: of a file that is not here yet, whose weights are held as they are.
    """

    bytes: int
    precision: str
    basis: Basis


@dataclass(frozen=True)
class About:
    """A model as it was typed or chosen. What a folder says of itself is others' text: to be escaped where it is shown.

    name: what it is called. kind: what the typed name is.
    otherwise: of `auto`, the model that is taken where no hub answers; empty where the choice is certain.
    detail: its architecture. on_disk: None where there is nothing to fetch.
    disk_bytes, fetch_bytes: 0 where not known. parameters: 0 where not known.
    licence: as it is stated; `licence_file`: the file that holds it, where nothing else says.
    languages: codes; empty where not stated. capabilities: empty where not known before it is loaded.
    writer: the named model that answers free prompts in its place.
    own_code: whether code of the folder will be run. causal: False for an architecture that is no language model.
    cpu_only: whether it runs on the CPU whatever device is asked for.
    sends_to: the machine that texts are sent to, where it is another one.
    error: why it will not load, as far as can be seen.
    """

    name: str
    kind: Kind
    otherwise: str = ""
    detail: str = ""
    on_disk: bool | None = False
    disk_bytes: int = 0
    fetch_bytes: int = 0
    memory: MemoryNeed | None = None
    parameters: int = 0
    licence: str = ""
    licence_file: str = ""
    languages: tuple[str, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    writer: str = ""
    own_code: bool = False
    causal: bool = True
    sends_to: str = ""
    cpu_only: bool = False
    error: WorkbenchError | None = None


def describe(settings: Settings) -> About:
    """What can be said of `settings.model`, in the precision and on the device of the settings."""
    name = settings.model.strip()
    kind = kind_of(name)
    try:
        return _describe(name, kind, settings)
    except WorkbenchError as error:
        shown = without_user_info(name)
        return About(shown, kind if kind in {"gguf", "server"} else "unknown", error=error)
    except (OSError, RuntimeError, ValueError) as error:  # a folder that may not be looked into, the home of nobody
        return About(name, "unknown", error=WorkbenchError("bad_file", path=name[:LONGEST], reason=error))


def _describe(name: str, kind: Kind, settings: Settings) -> About:
    resolved = resolve(name, settings, lambda _url, _seconds: False)
    if kind == "auto":
        return _automatic(resolved, settings)
    if kind == "server":
        return _server(name)
    if resolved.entry is not None:
        return _named(resolved.entry, settings)
    if resolved.folder is not None:
        if resolved.folder.is_file():
            return _gguf(About(resolved.name, "gguf"), resolved.folder)
        return _folder(About(resolved.name, "folder"), resolved.folder, settings)
    return _hub(resolved.hub_id or name, settings)


def kind_of(name: str) -> Kind:
    """What a name is by its form; `named` stands for every name that only `resolve` can tell."""
    if name == "auto":
        return "auto"
    if is_address(name):
        return "server"
    return "gguf" if name.lower().endswith(".gguf") else "named"


def needs_int8(about: About, settings: Settings, most: int) -> bool:
    """Whether only int8 fits into `most` bytes, and the loader will so choose it: nobody asked for a precision."""
    need = about.memory
    if need is None or need.bytes <= most or settings.precision != "auto" or need.basis not in {"files", "shape"}:
        return False
    smaller = describe(settings.model_copy(update={"precision": "int8"})).memory
    return smaller is not None and smaller.precision == "int8" and smaller.bytes <= most


def _automatic(resolved: Resolved, settings: Settings) -> About:
    """Of the choice where it is certain, else of the model that is wanted."""
    wanted = CATALOG["seqgpt-560m"]
    certain = resolved.name == wanted.name or hub_cache.forbidden(settings)
    entry = resolved.entry if certain and resolved.entry is not None else wanted
    return replace(_named(entry, settings), kind="auto", otherwise="" if certain else FALLBACK)


def _named(entry: CatalogEntry, settings: Settings) -> About:
    here = on_disk(entry, settings)
    folder = _place(entry, settings) if here else None
    told = About(
        entry.name,
        "named",
        on_disk=None if entry.source is None else here,
        disk_bytes=0 if folder is None else bytes_of(folder),
        fetch_bytes=0 if here else entry.download_bytes,
        parameters=entry.parameters,
        licence=entry.licence,
        languages=entry.languages,
        capabilities=entry.capabilities,
        writer=entry.writer or "",
        error=None if here or not _no_network(entry, settings) else WorkbenchError("offline_missing", name=entry.name),
    )
    if entry.kind == "encoder":
        return replace(told, memory=MemoryNeed(MEMORY.total, MEMORY.precision, "measured"), cpu_only=True)
    if entry.kind == "gguf":
        return _named_gguf(told, folder)
    if folder is None or entry.source is None:
        return replace(told, memory=_need_by_shape(entry, settings))
    try:
        files = folder_files(folder, entry.name, trusted=False)
    except WorkbenchError as error:
        return replace(told, error=error)
    return replace(told, memory=_need(files, settings), detail=files.architecture)


def _named_gguf(told: About, folder: Path | None) -> About:
    file = None if folder is None else gguf_file(folder)
    if file is not None:
        return _gguf(told, file)
    return replace(told, memory=MemoryNeed(told.fetch_bytes, "", "file_size"), cpu_only=True)


def _folder(told: About, folder: Path, settings: Settings) -> About:
    """What a folder's own files say, added to what is told already."""
    told = replace(told, on_disk=True)
    try:
        file = gguf_file(folder)
        if file is not None:
            return _gguf(replace(told, kind="gguf" if told.kind == "folder" else told.kind), file)
        files = folder_files(folder, told.name, trusted=settings.trust_remote_code)
    except WorkbenchError as error:
        return replace(told, error=error)
    told = replace(told, disk_bytes=bytes_of(folder), **card(folder))
    causal = not files.architecture or files.architecture.endswith(_CAUSAL)
    return replace(
        told,
        detail=files.architecture[:LONGEST],
        memory=_need(files, settings),
        parameters=files.parameters,
        capabilities=("score", "generate") if causal else (),
        own_code=files.own_code,
        causal=causal,
    )


def _hub(hub_id: str, settings: Settings) -> About:
    converted = model_folder(settings.cache_dir, hub_id.replace("/", "--"))
    folder = converted if read_manifest(converted) else hub_cache.cached(hub_id, "main", settings.cache_dir)
    if folder is not None:
        return _folder(About(hub_id, "hub"), folder, settings)
    error = WorkbenchError("offline_missing", name=hub_id) if hub_cache.forbidden(settings) else None
    return About(hub_id, "hub", error=error)


def _server(name: str) -> About:
    """A server is asked what it holds when it is loaded, not before."""
    address = parse_address(name)
    host = "" if address.loopback else urlsplit(address.url).hostname or ""
    return About(address.model or without_user_info(name), "server", on_disk=None, sends_to=host)


def _gguf(told: About, path: Path) -> About:
    """What a GGUF file says of itself, added to what is told already; of a model in parts, all of them."""
    try:
        header = gguf_header(path, told.name)
    except WorkbenchError as error:
        return replace(told, on_disk=True, error=error)
    said = header.metadata
    licence, languages = said.get("general.license"), said.get("general.languages")
    needed = needs(header, min(header.context, LONGEST_CONTEXT))
    return replace(
        told,
        on_disk=True,
        fetch_bytes=0,
        disk_bytes=header.file_bytes,
        detail=header.architecture[:LONGEST],
        memory=MemoryNeed(needed.total, needed.precision, "files"),
        parameters=header.parameters,
        licence=told.licence or (licence[:LONGEST] if isinstance(licence, str) else ""),
        languages=told.languages or codes(languages),
        capabilities=told.capabilities or ("score", "generate"),
        cpu_only=True,
    )


def _need(files: ModelFiles, settings: Settings) -> MemoryNeed:
    precision, packed = _assumed(settings)
    if packed and files.own_code:  # it is loaded as it is
        precision, packed = "fp32", False
    needed = estimate(files, precision, packed=packed)
    return MemoryNeed(needed.total, needed.precision, "files")


def _need_by_shape(entry: CatalogEntry, settings: Settings) -> MemoryNeed | None:
    if not entry.parameters:
        return None
    precision, packed = _assumed(settings)
    shape = _SHAPES.get(entry.name)
    if shape is None:
        return MemoryNeed(entry.parameters * VALUE_BYTES[precision], precision, "parameters")
    largest = shape["vocab_size"] * shape.get("hidden_size", shape.get("n_embed", 0)) * 2
    size, count, context = entry.download_bytes, entry.parameters, entry.context
    files = ModelFiles(entry.name, Path(), shape, "", "safetensors", (), size, {}, count, largest, context)
    return MemoryNeed(estimate(files, precision, packed=packed).total, precision, "shape")


def _assumed(settings: Settings) -> tuple[str, bool]:
    """The precision that memory is told for, and whether weights are packed: what `device.place` usually decides."""
    on_cpu = settings.device in {"auto", "cpu"}
    precision = "fp16" if settings.precision == "auto" or (settings.precision == "int8" and not on_cpu) else ""
    precision = precision or settings.precision
    return precision, on_cpu and precision in PACKED


def _no_network(entry: CatalogEntry, settings: Settings) -> bool:
    return hub_cache.forbidden(settings) if isinstance(entry.source, HubSource) else settings.offline


def _place(entry: CatalogEntry, settings: Settings) -> Path | None:
    """The folder of a named model that is on this disk."""
    built = model_folder(settings.cache_dir, entry.folder)
    if read_manifest(built) is not None:
        return built
    if isinstance(entry.source, HubSource):
        return hub_cache.cached(entry.source.huggingface, entry.source.revision, settings.cache_dir)
    return None
