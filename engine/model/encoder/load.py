"""From a folder that holds the encoder's file to a warm backend."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

from engine.errors import Cancelled
from engine.model.cache import Report
from engine.model.device import use_threads
from engine.model.encoder.e5_file import E5File
from engine.model.encoder.head_file import HEAD, load_head
from engine.model.encoder.needs import MEMORY
from engine.model.encoder.offline import EncoderBackend
from engine.model.encoder.pieces import PieceTokenizer
from engine.model.encoder.sentences import Reader
from engine.model.encoder.transformer import Encoder
from engine.model.memory import require
from engine.model.resolve import Resolved
from engine.settings import Settings
from engine.types import LoadProgress, ModelInfo, Note

FILE = "e5-small-q4.bin"


def load_encoder(
    folder: Path,
    resolved: Resolved,
    settings: Settings,
    report: Report,
    note: Callable[[Note], None],
    stop: Event,
) -> EncoderBackend:
    """A warm backend.

    Raises:
        WorkbenchError: `memory_short`, `file_damaged`, `head_damaged`.
        Cancelled: `stop` was set.
    """
    require(MEMORY, settings, name=resolved.name)
    if settings.device not in ("auto", "cpu") or settings.precision not in ("auto", "fp32"):
        note(Note("encoder_placed", {"name": resolved.name}))
    use_threads(settings.threads)
    report(LoadProgress("weights"))
    file = E5File(folder / FILE, resolved.name)
    encoder = Encoder(file)
    if stop.is_set():
        raise Cancelled
    head = load_head(HEAD, encoder)
    info = ModelInfo(
        name=resolved.name,
        revision=f"{resolved.revision(folder)}+{head.revision}",
        protocol="encoder",
        device="cpu",
        precision="fp32",
        parameters=resolved.entry.parameters if resolved.entry else 0,
        context=file.shape.positions,
        capabilities=("understand",),
        languages=resolved.entry.languages if resolved.entry else (),
        memory=MEMORY.total,
        writer=resolved.entry.writer if resolved.entry else None,
    )
    backend = EncoderBackend(Reader(encoder, PieceTokenizer(file.vocabulary)), head, info)
    if stop.is_set():
        raise Cancelled
    report(LoadProgress("warmup"))
    backend.warm_up()
    return backend
