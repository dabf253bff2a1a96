"""Models, notes and what an answer cost."""

from dataclasses import dataclass, field
from typing import Literal

from engine.messages import NOTES, render

Precision = Literal["auto", "fp32", "bf16", "fp16", "int8"]
Device = Literal["auto", "cpu", "cuda", "mps"]
ProtocolName = Literal["seqgpt", "chat", "plain", "listed", "encoder"]
Capability = Literal["understand", "score", "generate"]
Status = Literal["empty", "loading", "ready", "failed"]


@dataclass(frozen=True)
class Note:
    """Something the user should see beside an answer; `code` is one of `engine.messages.NOTES`."""

    code: str
    details: dict[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The note in English."""
        return render(NOTES[self.code], self.details)


@dataclass(frozen=True)
class ModelInfo:
    """The loaded model, as shown beside every answer."""

    name: str
    revision: str
    protocol: ProtocolName
    device: str
    precision: str
    parameters: int
    context: int
    """Tokens of prompt and answer together that the engine uses at most."""
    capabilities: tuple[Capability, ...] = ("score", "generate")
    languages: tuple[str, ...] = ()
    """Languages it was trained on, as in the catalog; empty where that is not known."""
    notes: tuple[Note, ...] = ()
    memory: int = 0
    """Bytes of the machine's memory that it may take, as estimated before it was loaded; 0 where nothing was."""
    writer: str | None = None
    """The named model that answers free prompts in its place, where it cannot write."""


@dataclass(frozen=True)
class LoadProgress:
    """Where a load stands. `total` is None while it is not known; the unit is bytes or tensors."""

    phase: Literal["resolve", "fetch", "convert", "verify", "import", "weights", "warmup"]
    done: int = 0
    total: int | None = None
    unit: Literal["bytes", "tensors", ""] = ""
    detail: str = ""

    @property
    def fraction(self) -> float | None:
        """Share done in 0..1, or None where the total is unknown."""
        return None if not self.total else min(1.0, self.done / self.total)


@dataclass(frozen=True)
class Usage:
    """What an answer cost. `scored_tokens`: label tokens scored after the one prefill.

    latency_ms: of requests that were answered together, its share of their time by tokens read and scored; the time of
        free decoding is not in it.

    computed_ms: what a kept answer took when it was computed, where `latency_ms` is the time to look it up; None where
        it was computed now.
    """

    prompt_tokens: int
    scored_tokens: int
    output_tokens: int
    latency_ms: float
    queue_ms: float = 0.0
    computed_ms: float | None = None

    @property
    def cached(self) -> bool:
        """Whether the answer was kept from an earlier request."""
        return self.computed_ms is not None
