"""How jobs and rows are written down: compact JSON, never pickle, and back as the same values.

Errors and phrases are written by code and details, so that pages can say them in another language.
"""

import json
import os
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import Cancelled, WorkbenchError
from engine.jobs.types import Form, JobSpec
from engine.messages import Phrase
from engine.phrases import PHRASES
from engine.text.inspect import whole_characters

_PHRASE, _DETAILS = "$phrase", "details"
_SCALARS = (str, int, float, type(None))

_compact = json.JSONEncoder(separators=(",", ":"), default=str).encode
"""JSON in ASCII, so that half of a character is no obstacle; what JSON does not know, as text."""


def pack(value: object) -> str:
    """Plain values as JSON: dates and the like become text."""
    return _compact(value)


def unpack(raw: str | None) -> Any:
    """What `pack` was given; None for None."""
    return None if raw is None else json.loads(raw)


def pack_error(error: WorkbenchError | None) -> str | None:
    """An error by its code and details."""
    return None if error is None else _compact({"code": error.code, _DETAILS: _plain(error.details)})


def unpack_error(raw: str | None) -> WorkbenchError | None:
    """The error; one whose code there is no more is `internal`."""
    if raw is None:
        return None
    found = json.loads(raw, object_hook=_whole)
    if found["code"] == "cancelled":
        return Cancelled()
    try:
        return WorkbenchError(found["code"], **found[_DETAILS])
    except KeyError:
        return WorkbenchError("internal", kind=found["code"])


def pack_phrase(phrase: Phrase | None) -> str | None:
    """A phrase by its code and details."""
    return None if phrase is None else _compact(_plain(phrase))


def unpack_phrase(raw: str | None) -> Phrase | None:
    """The phrase; None where there is none of that code any more."""
    found = None if raw is None else json.loads(raw, object_hook=_whole)
    return found if isinstance(found, Phrase) else None


def pack_spec(spec: JobSpec) -> str:
    """A spec: equal ones are equal texts."""
    return _compact(asdict(spec))


def unpack_spec(raw: str) -> JobSpec:
    """The spec, of this or an earlier version."""
    spec: JobSpec = _adapter(JobSpec).validate_python(json.loads(raw))
    return spec


def pack_form(form: Form) -> str:
    """How a file is written."""
    return _compact({one.name: getattr(form, one.name) for one in fields(form)})


def unpack_form(raw: str) -> Form:
    """How a file is written."""
    return Form(**json.loads(raw))


def path_in(path: Path) -> str | bytes:
    """A path; its bytes where they are no text: names of files may be in any encoding."""
    whole = str(path)
    return whole if whole == whole_characters(whole) else os.fsencode(path)


def path_out(raw: str | bytes) -> Path:
    """The path that `path_in` was given."""
    return Path(os.fsdecode(raw))


@cache
def _adapter(kind: type) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _plain(value: object) -> Any:
    if isinstance(value, Phrase):
        return {_PHRASE: value.code, _DETAILS: _plain(value.details)}
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return value if isinstance(value, _SCALARS) else str(value)


def _whole(found: dict[str, Any]) -> object:
    code = found.get(_PHRASE)
    return Phrase(code, **found[_DETAILS]) if code in PHRASES else found
