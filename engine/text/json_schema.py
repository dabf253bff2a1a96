"""JSON schemas that users give: read within limits, and compared with answers. No part of one is ever fetched."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import regex

from engine.errors import WorkbenchError
from engine.messages import Phrase

SCHEMA_LIMIT = 50_000
"""Characters of a schema."""
_DEPTH = 64
"""How deeply its parts may lie in each other."""
_SAID = 200
"""Characters of a library's own words that are passed on."""
_PATTERN_SECONDS = 1.0


def read_schema(text: str) -> dict[str, Any]:
    """A JSON schema of draft 2020-12, or of the draft that it names.

    Raises:
        WorkbenchError: `bad_structure`.
    """
    from jsonschema import FormatChecker, SchemaError
    from jsonschema.validators import validator_for

    if len(text) > SCHEMA_LIMIT:
        raise bad_structure(Phrase("schema_too_large", limit=SCHEMA_LIMIT))
    try:
        schema = strict_json(text)
        depth = _depth(schema)
    except RecursionError:
        raise bad_structure(Phrase("schema_too_deep", limit=_DEPTH)) from None
    except ValueError as error:
        raise bad_structure(Phrase("schema_not_json", said=brief(error))) from None
    if depth > _DEPTH:
        raise bad_structure(Phrase("schema_too_deep", limit=_DEPTH))
    if not isinstance(schema, dict):
        raise bad_structure(Phrase("schema_no_object"))
    try:
        # Which expressions are supported is llguidance's to say, and Python knows fewer.
        validator_for(schema, default=_draft()).check_schema(schema, format_checker=FormatChecker(()))
    except SchemaError as error:
        where = "/".join(map(str, error.path)) or "schema"
        raise bad_structure(Phrase("schema_invalid", place=brief(where), said=brief(error.message))) from None
    return schema


def breach(schema: Mapping[str, Any], value: Any) -> str:
    """How a value breaks a schema that was read; empty where it keeps to it."""
    from jsonschema.exceptions import best_match
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    kind = _bounded(validator_for(schema, default=_draft()))
    try:
        worst = best_match(kind(schema, registry=Registry()).iter_errors(value))
    except (Unresolvable, RecursionError, regex.error, OverflowError) as error:
        return Phrase("answer_uncheckable", said=brief(error))
    if worst is None:
        return ""
    place = "/".join(map(str, worst.absolute_path)) or "answer"
    return Phrase("answer_off_schema", place=brief(place), said=brief(worst.message))


def patterns_of(schema: Any) -> Iterator[str]:
    """The regular expressions for strings that a schema has anywhere."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        for part in schema.values():
            yield from patterns_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from patterns_of(part)


def strict_json(text: str) -> Any:
    """JSON, without the NaN and Infinity that Python would take.

    Raises:
        ValueError: it is none.
    """

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def bad_structure(reason: str) -> WorkbenchError:
    """What cannot be held to, and why."""
    return WorkbenchError("bad_structure", reason=reason)


def brief(said: object) -> str:
    """The line of what a library says that names the fault, within bounds, as it stands before a full stop."""
    lines = str(said).strip().splitlines()
    line = next((one for one in lines if one.startswith("error: ")), lines[0] if lines else "")
    line = line.removeprefix("error: ").rstrip(".")
    return line if len(line) <= _SAID else f"{line[:_SAID]}…"


@cache
def _draft() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator


@cache
def _bounded(kind: Any) -> Any:
    """A validator whose patterns end."""
    from jsonschema.validators import extend

    return extend(kind, {"pattern": _pattern})


def _pattern(_validator: object, pattern: str, value: object, _schema: object) -> Iterator[Exception]:
    """As the library's own, but with expressions that `re` lacks, and an end to those that take for ever."""
    from jsonschema import ValidationError

    if not isinstance(value, str):
        return
    try:
        fits = regex.search(pattern, value, timeout=_PATTERN_SECONDS) is not None
    except TimeoutError:
        fits = False
    if not fits:
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _depth(value: Any) -> int:
    inner: Callable[[Any], list[Any]] = lambda one: (  # noqa: E731
        list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []
    )
    depth, level = 0, [value]
    while level:
        depth, level = depth + 1, [part for one in level for part in inner(one)]
    return depth
