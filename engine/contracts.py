"""The JSON that the command line, the HTTP API and the pages' exports print. One place, so that they agree.

`classify`: {"labels": [{"label", "score"}...] best first, "chosen": [...], "usage": {...}, "model": {...}} and, where
there is something to say, "notes" and "free". It reads no input.
"""

from dataclasses import asdict
from typing import Any

from engine.types import ClassifyResult, FreeAnswer, ModelInfo, Note

_SCORE_DIGITS = 6


def classify_json(result: ClassifyResult) -> dict[str, Any]:
    """A result as plain JSON types."""
    shown: dict[str, Any] = {
        "labels": [{"label": one.label, "score": round(one.score, _SCORE_DIGITS)} for one in result.labels],
        "chosen": list(result.chosen),
        "usage": {
            name: round(value, 2) if isinstance(value, float) else value for name, value in asdict(result.usage).items()
        },
        "model": model_json(result.model),
        "notes": notes_json(result.notes),
    }
    if result.free is not None:
        shown["free"] = _free_json(result.free)
    return shown


def model_json(info: ModelInfo) -> dict[str, Any]:
    """What answered: enough to tell two answers apart."""
    return {
        "name": info.name,
        "revision": info.revision,
        "protocol": info.protocol,
        "device": info.device,
        "precision": info.precision,
        "context": info.context,
    }


def notes_json(notes: tuple[Note, ...]) -> list[dict[str, str]]:
    """Notes by code and in English."""
    return [{"code": note.code, "text": note.text} for note in notes]


def _free_json(free: FreeAnswer) -> dict[str, Any]:
    return {
        "raw": free.raw,
        "chosen": list(free.chosen),
        "output_tokens": free.output_tokens,
        "latency_ms": round(free.latency_ms, 2),
        "notes": notes_json(free.notes),
    }
