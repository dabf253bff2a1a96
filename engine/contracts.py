"""The JSON that the command line, the HTTP API and the pages' exports print. One place, so that they agree.

`classify`: {"labels": [{"label", "score"}...] best first, "chosen": [...], "usage": {...}, "model": {...}} and, where
there is something to say, "notes" and "free".
`extract`: {"fields": {"name": [{"text", "start", "end", "score", ...}...]}, "usage": {...}, "model": {...}, "notes",
"prompts", "free"}; offsets in code points, `text == source[start:end]`.
`prompt`: {"text", "usage": {...}, "model": {...}, "notes", "finish", "prompt"} and, where alternatives were asked for,
"tokens". It reads no input.

In each "usage", "cached" says whether the answer was kept from an earlier request; "latency_ms" then is the time to
look it up, and "computed_ms" what it took at first (else null).
"""

import json
import re
from dataclasses import asdict
from typing import Any

from engine.types import (
    ClassifyResult,
    ExtractResult,
    ExtractUsage,
    FieldAnswer,
    FoundValue,
    FreeAnswer,
    ModelInfo,
    Note,
    PromptResult,
    Usage,
    WrittenToken,
)

_SCORE_DIGITS = 6
_HALF = re.compile("[\ud800-\udfff]")


def to_json(body: object, indent: int | None = None) -> str:
    """JSON as people read it; half of a character, which no encoding takes, stays an escape."""
    whole = json.dumps(body, ensure_ascii=False, indent=indent)
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", whole)


def classify_json(result: ClassifyResult) -> dict[str, Any]:
    """A result as plain JSON types."""
    shown: dict[str, Any] = {
        "labels": [{"label": one.label, "score": round(one.score, _SCORE_DIGITS)} for one in result.labels],
        "chosen": list(result.chosen),
        "usage": _usage_json(result.usage),
        "model": model_json(result.model),
        "notes": notes_json(result.notes),
    }
    if result.free is not None:
        shown["free"] = _free_json(result.free)
    return shown


def extract_json(result: ExtractResult) -> dict[str, Any]:
    """A result as plain JSON types.

    A value has "normalised" (its meaning by the field's type) or "problem" where the field has a type, and "asked"
    where the wording is not the field's name.
    """
    shown: dict[str, Any] = {
        "fields": fields_json(result.fields),
        "not_found": not_found_json(result.fields),
        "usage": _usage_json(result.usage),
        "model": model_json(result.model),
        "notes": notes_json(result.notes),
        "prompts": [asdict(one) for one in result.prompts],
    }
    if result.free is not None:
        free = result.free
        shown["free"] = {
            "fields": fields_json(free.fields),
            "grounded": free.grounded,
            "differences": [asdict(one) for one in free.differences],
            "prompts": [asdict(one) for one in free.prompts],
            "output_tokens": free.output_tokens,
            "latency_ms": round(free.latency_ms, 2),
            "notes": notes_json(free.notes),
        }
    return shown


def fields_json(fields: tuple[FieldAnswer, ...]) -> dict[str, list[dict[str, Any]]]:
    """The values of each field."""
    return {one.field.name: [_value_json(one.field.name, value) for value in one.values] for one in fields}


def not_found_json(fields: tuple[FieldAnswer, ...]) -> dict[str, float | None]:
    """The fields without a value, and how probable just that is where it is known."""
    return {
        one.field.name: None if one.absent is None else round(one.absent, _SCORE_DIGITS)
        for one in fields
        if not one.values
    }


def prompt_json(result: PromptResult) -> dict[str, Any]:
    """A result as plain JSON types."""
    shown: dict[str, Any] = {
        "text": result.text,
        "usage": _usage_json(result.usage),
        "model": model_json(result.model),
        "notes": notes_json(result.notes),
        "finish": result.finish,
        "prompt": result.prompt,
    }
    if any(one.alternatives for one in result.tokens):
        shown["tokens"] = [_token_json(one) for one in result.tokens]
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


def _token_json(token: WrittenToken) -> dict[str, Any]:
    return {
        "text": token.text,
        "probability": None if token.probability is None else round(token.probability, _SCORE_DIGITS),
        "alternatives": [
            {"text": text, "probability": round(share, _SCORE_DIGITS)} for text, share in token.alternatives
        ],
    }


def _usage_json(usage: Usage | ExtractUsage) -> dict[str, Any]:
    shown = {name: round(value, 2) if isinstance(value, float) else value for name, value in asdict(usage).items()}
    return shown | {"cached": usage.cached}


def _value_json(name: str, value: FoundValue) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "text": value.text,
        "start": value.start,
        "end": value.end,
        "score": None if value.score is None else round(value.score, _SCORE_DIGITS),
        "status": value.status,
    }
    if value.asked != name:
        shown["asked"] = value.asked
    if value.typed is not None:
        shown |= {"problem": str(value.typed.problem)} if value.typed.problem else {"normalised": value.typed.value}
    return shown


def _free_json(free: FreeAnswer) -> dict[str, Any]:
    return {
        "raw": free.raw,
        "chosen": list(free.chosen),
        "output_tokens": free.output_tokens,
        "latency_ms": round(free.latency_ms, 2),
        "notes": notes_json(free.notes),
    }
