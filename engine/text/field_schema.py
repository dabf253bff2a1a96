"""The JSON schema of a field set: what a record of these fields looks like. It checks no value."""

import json
from collections.abc import Iterable
from typing import Any

from engine.types import FieldSpec


def field_schema(field_set: Iterable[FieldSpec]) -> dict[str, Any]:
    """A JSON schema (draft 2020-12) of an object with a key a field, in their order.

    Values are strings as the text has them, but for numbers, options and what has a pattern, which must match whole. A
    field of many values is a list; another one that is not required may be null.
    """
    properties = {one.name: _property(one) for one in field_set}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def schema_text(field_set: Iterable[FieldSpec]) -> str:
    """The schema as people read it."""
    return json.dumps(field_schema(field_set), ensure_ascii=False, indent=1)


def _property(one: FieldSpec) -> dict[str, Any]:
    value = _value(one)
    if one.many:
        value = {"type": "array", "items": value}
    elif not one.required:
        value = {"anyOf": [value, {"type": "null"}]}
    return {"description": one.description} | value if one.description else value


def _value(one: FieldSpec) -> dict[str, Any]:
    if one.type == "number":
        return {"type": "number"}
    if one.type == "list" and one.options:
        return {"enum": list(one.options)}
    if one.type == "regex" and one.pattern:
        return {"type": "string", "pattern": f"^(?:{one.pattern})$"}
    return {"type": "string"}
