"""Classification: a request and its result."""

from dataclasses import dataclass

from engine.types.common import ModelInfo, Note, Usage


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
