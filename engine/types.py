"""The nouns every room shares: requests, results, model descriptions. Frozen, without behaviour worth a test.

Scores are probabilities in 0..1. Offsets and lengths of text count code points; token counts count the loaded
model's tokens; times are milliseconds.
"""

from dataclasses import dataclass, field
from typing import Literal

from engine.messages import NOTES, render

Precision = Literal["auto", "fp32", "bf16", "fp16"]
Device = Literal["auto", "cpu", "cuda", "mps"]
ProtocolName = Literal["seqgpt", "chat", "plain"]
Capability = Literal["score", "generate"]
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
class ClassifyRequest:
    """One text against one label set.

    multi: choose every label that reaches `threshold`, else the best one.
    threshold: the least probability of a chosen label. None means 0 for a single choice (the best label is always
        chosen) and 1/len(labels), the chance level, for several.
    free: also run the official free decoding (4 beams, 256 new tokens).
    """

    text: str
    labels: tuple[str, ...]
    multi: bool = False
    threshold: float | None = None
    free: bool = False


@dataclass(frozen=True)
class LabelScore:
    """A label and its probability within the label set."""

    label: str
    score: float


@dataclass(frozen=True)
class FreeAnswer:
    """The official free decoding beside the scores, and what the tolerant parser made of it."""

    raw: str
    chosen: tuple[str, ...]
    notes: tuple[Note, ...]
    prompt: str
    output_tokens: int
    latency_ms: float


@dataclass(frozen=True)
class Usage:
    """What an answer cost. `scored_tokens`: label tokens scored after the one prefill."""

    prompt_tokens: int
    scored_tokens: int
    output_tokens: int
    latency_ms: float
    queue_ms: float = 0.0


@dataclass(frozen=True)
class ClassifyResult:
    """Labels best first, the chosen ones (empty: none of these), and how the answer came about."""

    labels: tuple[LabelScore, ...]
    chosen: tuple[str, ...]
    threshold: float
    prompt: str
    usage: Usage
    model: ModelInfo
    notes: tuple[Note, ...] = ()
    free: FreeAnswer | None = None
