"""The nouns every room shares: requests, results, model descriptions. Frozen, without behaviour worth a test.

Scores are probabilities in 0..1. Offsets and lengths of text count code points; token counts count the loaded
model's tokens; times are milliseconds.
"""

from engine.types.classify import (
    ClassifyRequest,
    ClassifyResult,
    FreeAnswer,
    LabelScore,
)
from engine.types.common import (
    Capability,
    Device,
    LoadProgress,
    ModelInfo,
    Note,
    Precision,
    ProtocolName,
    Status,
    Usage,
)
from engine.types.extract import (
    AnswerLine,
    Difference,
    ExtractRequest,
    ExtractResult,
    ExtractUsage,
    FieldAnswer,
    FieldSpec,
    FoundValue,
    FreeExtraction,
    Grounding,
    Mentions,
    Outcome,
    PromptRecord,
    TypedValue,
    ValueType,
)
from engine.types.prompt import (
    Finish,
    PromptRequest,
    PromptResult,
    Structure,
    Writing,
    WrittenToken,
)

__all__ = [
    "AnswerLine",
    "Capability",
    "ClassifyRequest",
    "ClassifyResult",
    "Device",
    "Difference",
    "ExtractRequest",
    "ExtractResult",
    "ExtractUsage",
    "FieldAnswer",
    "FieldSpec",
    "Finish",
    "FoundValue",
    "FreeAnswer",
    "FreeExtraction",
    "Grounding",
    "LabelScore",
    "LoadProgress",
    "Mentions",
    "ModelInfo",
    "Note",
    "Outcome",
    "Precision",
    "PromptRecord",
    "PromptRequest",
    "PromptResult",
    "ProtocolName",
    "Status",
    "Structure",
    "TypedValue",
    "Usage",
    "ValueType",
    "Writing",
    "WrittenToken",
]
