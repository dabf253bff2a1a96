"""How an answer is written down and read back: JSON, never pickle. What is read is the same frozen dataclasses.

Phrases, which are texts that pages can say in another language, are written by code and details. No object of users'
own making is in an answer, so that nothing else looks like one.
"""

import json
from dataclasses import is_dataclass
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from engine.messages import Phrase
from engine.types import ClassifyRequest, ClassifyResult, ExtractRequest, ExtractResult, PromptRequest, PromptResult

Request = ClassifyRequest | ExtractRequest | PromptRequest
Result = ClassifyResult | ExtractResult | PromptResult
Answer = TypeVar("Answer", ClassifyResult, ExtractResult, PromptResult)

_PHRASE, _DETAILS = "$phrase", "details"
_SCALARS = (str, int, float, type(None))


def write(result: Result) -> bytes:
    """An answer as JSON in ASCII.

    Raises:
        TypeError: it holds something that would come back as something else.
    """
    return json.dumps(result, default=_plain, separators=(",", ":")).encode("ascii")


def canonical(value: object) -> str:
    """JSON that is the same wherever dataclasses, lists and scalars are: keys sorted, no blanks, every character."""
    return json.dumps(value, default=_plain, sort_keys=True, separators=(",", ":"))


def read(kind: type[Answer], raw: bytes) -> Answer:
    """The answer that was written.

    Raises:
        ValueError: it is damaged, or of another form.
        LookupError: it holds a phrase that there is no more.
    """
    result: Answer = _adapter(kind.__name__).validate_python(json.loads(raw, object_hook=_whole))
    return result


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    """What builds an answer of that class; made when it is first needed, which takes some milliseconds."""
    kinds: dict[str, type[Result]] = {kind.__name__: kind for kind in (ClassifyResult, ExtractResult, PromptResult)}
    return TypeAdapter(kinds[name])


def _plain(one: object) -> dict[str, Any]:
    """A dataclass as a dict of its fields; what these hold, JSON asks for in its turn."""
    if not is_dataclass(one):
        raise TypeError(f"{type(one).__name__} cannot be written")
    return {name: _tagged(value) if isinstance(value, str | dict) else value for name, value in vars(one).items()}


def _tagged(value: object) -> Any:
    """A scalar or a dict of such, with phrases told apart from texts."""
    if isinstance(value, Phrase):
        return {_PHRASE: value.code, _DETAILS: _tagged(value.details)}
    if isinstance(value, dict):
        return {name: _tagged(inner) for name, inner in value.items()}
    if not isinstance(value, _SCALARS):
        raise TypeError(f"{type(value).__name__} would come back as something else")
    return value


def _whole(found: dict[str, Any]) -> object:
    return Phrase(found[_PHRASE], **found[_DETAILS]) if _PHRASE in found else found
