"""From a GGUF file to a warm backend: check, estimate, load, warm up. Nothing of a damaged file reaches llama.cpp."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.model.cache import Report
from engine.model.gguf.backend import GgufBackend
from engine.model.gguf.files import parts_of
from engine.model.gguf.header import GgufHeader, read_header
from engine.model.gguf.needs import needs
from engine.model.gguf.server import LlamaServer
from engine.model.gguf.tokenizer import GgufTokenizer
from engine.model.gguf.vocabulary import read_vocabulary
from engine.model.memory import require
from engine.model.resolve import Resolved
from engine.settings import Settings
from engine.text.protocol import PromptProtocol
from engine.types import LoadProgress, ModelInfo, Note

ChooseProtocol = Callable[[GgufTokenizer, Resolved], PromptProtocol]


def load_gguf(
    path: Path,
    resolved: Resolved,
    settings: Settings,
    *,
    longest: int,
    choose: ChooseProtocol,
    report: Report,
    note: Callable[[Note], None],
    stop: Event,
) -> GgufBackend:
    """Load the file of a model.

    longest: tokens used at most of its context. choose: how it is asked.

    Raises:
        WorkbenchError: `file_damaged`, `folder_without_weights` for a missing part, `memory_short`, `extra_missing`, or
            `not_loadable` with the reason.
    """
    report(LoadProgress("verify"))
    header = read_whole(path, resolved.name)
    context = min(resolved.context or header.context, header.context, longest)
    needed = needs(header, context)
    require(needed, settings, name=resolved.name)
    try:
        vocabulary = read_vocabulary(header)
    except ValueError as error:
        raise WorkbenchError("not_loadable", name=resolved.name, reason=error) from None
    note(Note("gguf_placed", {"name": resolved.name, "precision": header.precision}))
    report(LoadProgress("import"))
    _check(stop)
    server = _start(path, header, resolved.name, context, settings, report)
    try:
        _check(stop)
        tokenizer = GgufTokenizer(vocabulary, lambda text, markup: server.tokenize(text, markup=markup))
        protocol = choose(tokenizer, resolved)
        info = ModelInfo(
            name=resolved.name,
            revision=resolved.revision(path if resolved.folder == path else path.parent),
            protocol=protocol.name,
            device="cpu",
            precision=header.precision,
            parameters=header.parameters,
            languages=tuple(resolved.entry.languages) if resolved.entry else (),
            context=context,
            memory=needed.total,
        )
        backend = GgufBackend(server, tokenizer, protocol, info)
        report(LoadProgress("warmup"))
        backend.warm_up()
    except BaseException:
        server.close()
        raise
    return backend


def read_whole(path: Path, name: str) -> GgufHeader:
    """The head of a model, over all its parts.

    Raises:
        WorkbenchError: `file_damaged`, or `folder_without_weights`.
    """
    heads = []
    for part in parts_of(path):
        if not part.is_file():
            raise WorkbenchError(
                "folder_without_weights", path=part.parent, missing=f"{part.name}, a part of the weights"
            )
        try:
            heads.append(read_header(part))
        except ValueError as error:
            raise WorkbenchError("file_damaged", path=part, reason=error, name=name) from None
    tensors = tuple(tensor for head in heads for tensor in head.tensors)
    return replace(heads[0], tensors=tensors, file_bytes=sum(head.file_bytes for head in heads))


def _start(path: Path, header: GgufHeader, name: str, context: int, settings: Settings, report: Report) -> LlamaServer:
    if header.metadata.get(f"{header.architecture}.attention.causal") is False:
        raise WorkbenchError("not_loadable", name=name, reason="it reads texts and does not write")
    report(LoadProgress("weights"))
    try:
        return LlamaServer(path, name=name, context=context, threads=settings.threads)
    except WorkbenchError as error:
        if error.code == "not_loadable" and not _is_known(header.architecture):
            reason = f'its architecture, "{header.architecture}", is not known'
            raise WorkbenchError("not_loadable", name=name, reason=reason) from None
        raise


def _is_known(architecture: str) -> bool:
    from gguf import MODEL_ARCH_NAMES

    return architecture in MODEL_ARCH_NAMES.values()


def _check(stop: Event) -> None:
    if stop.is_set():
        raise Cancelled
