"""Field sets as people type, save and share them: the wordings a model is asked with, and their JSON.

A field set's JSON is a list of objects with the attributes of `FieldSpec`; what is at its default is left out. It
knows no model and checks no text.
"""

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, get_args

from engine.errors import WorkbenchError
from engine.messages import Phrase
from engine.text.labels import clean_label, normalise_labels, parse_labels
from engine.text.values import check_pattern
from engine.types import FieldSpec, ValueType

FIELDS_LIMIT = 200
"""Fields of one set: more is a mistake in a paste."""

FIELD_ERRORS = frozenset(
    {"fields_empty", "fields_too_many", "fields_unreadable", "field_without_options", "field_pattern"}
)
"""Codes of the errors that a field set itself causes."""

_DEFAULTS = {one.name: () if one.default is MISSING else one.default for one in fields(FieldSpec)}


@dataclass(frozen=True)
class Wording:
    """One thing asked of the model: `label` stands in the prompt and begins its answer's line."""

    label: str
    many: bool


def parse_fields(raw: str) -> tuple[FieldSpec, ...]:
    """Fields typed as a list of names, or a field set's JSON.

    Raises:
        WorkbenchError: `fields_unreadable` for JSON that is no field set.
    """
    if raw.lstrip()[:1] in {"[", "{"}:
        return read_field_set(raw)
    return tuple(FieldSpec(name) for name in normalise_labels(parse_labels(raw)).labels)


def read_field_set(raw: str) -> tuple[FieldSpec, ...]:
    """A field set from its JSON: a list of names and objects, or {"fields": list}; unknown attributes are refused.

    Raises:
        WorkbenchError: `fields_unreadable`, saying what does not fit.
    """
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise WorkbenchError("fields_unreadable", reason=Phrase("not_json")) from None
    if isinstance(body, dict):
        body = body.get("fields")
    if not isinstance(body, list):
        raise WorkbenchError("fields_unreadable", reason=Phrase("no_field_list"))
    return clean_fields(_field(one) for one in body[: FIELDS_LIMIT + 1])


def field_set_json(field_set: Iterable[FieldSpec]) -> list[dict[str, Any]]:
    """The inverse of `read_field_set`, as plain JSON types."""
    shown = []
    for one in field_set:
        attributes = {name: getattr(one, name) for name in _DEFAULTS}
        shown.append(
            {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in attributes.items()
                if name == "name" or value != _DEFAULTS[name]
            }
        )
    return shown


def clean_fields(given: Iterable[FieldSpec]) -> tuple[FieldSpec, ...]:
    """Every text as one clean line; fields without a name go, and of two with one name the first stays."""
    kept: dict[str, FieldSpec] = {}
    for one in given:
        cleaned = replace(
            one,
            name=clean_label(one.name),
            asked=normalise_labels(one.asked).labels,
            description=clean_label(one.description),
            options=normalise_labels(one.options).labels,
        )
        if cleaned.name:
            kept.setdefault(cleaned.name, cleaned)
    return tuple(kept.values())


def check_fields(field_set: Sequence[FieldSpec]) -> None:
    """Whether a clean field set can be asked.

    Raises:
        WorkbenchError: `fields_empty`, `fields_too_many`, `field_without_options`, `field_pattern`.
    """
    if not field_set:
        raise WorkbenchError("fields_empty")
    if len(field_set) > FIELDS_LIMIT:
        raise WorkbenchError("fields_too_many", count=len(field_set), limit=FIELDS_LIMIT)
    for one in field_set:
        if one.type == "list" and not one.options:
            raise WorkbenchError("field_without_options", name=one.name)
        problem = check_pattern(one.pattern) if one.type == "regex" else None
        if problem is not None:
            raise WorkbenchError("field_pattern", name=one.name, reason=problem)


def wordings(field_set: Sequence[FieldSpec]) -> tuple[Wording, ...]:
    """What is asked, each wording once, in the fields' order.

    A description follows its wording in brackets of the wording's own script. A wording that several fields share
    may have several values if one of them may.
    """
    found: dict[str, Wording] = {}
    for one in field_set:
        for asked in one.asked or (one.name,):
            label = _described(asked, one.description)
            many = one.many or (label in found and found[label].many)
            found[label] = Wording(label, many)
    return tuple(found.values())


def asked_as(field: FieldSpec) -> dict[str, str]:
    """A field's wordings by the label that asks for them."""
    return {_described(asked, field.description): asked for asked in field.asked or (field.name,)}


def _described(asked: str, description: str) -> str:
    if not description:
        return asked
    wide = any(unicodedata.east_asian_width(char) in "WF" for char in asked)
    return f"{asked}（{description}）" if wide else f"{asked} ({description})"


def _field(given: Any) -> FieldSpec:
    if isinstance(given, str):
        return FieldSpec(given)
    if not isinstance(given, dict):
        raise WorkbenchError("fields_unreadable", reason=Phrase("odd_field"))
    unknown = [str(name) for name in given if name not in _DEFAULTS]
    if unknown:
        raise WorkbenchError("fields_unreadable", reason=Phrase("field_attribute_unknown", name=unknown[0]))
    for name, value in given.items():
        _check_attribute(name, value)
    if "name" not in given:
        raise WorkbenchError("fields_unreadable", reason=Phrase("field_unnamed"))
    attributes: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    return FieldSpec(**attributes)


def _check_attribute(name: str, value: Any) -> None:
    default = _DEFAULTS[name]
    if isinstance(default, tuple) and name != "name":
        fits = isinstance(value, list) and all(isinstance(part, str) for part in value)
    elif isinstance(default, bool):
        fits = isinstance(value, bool)
    else:
        fits = isinstance(value, str)
    if not fits or (name == "type" and value not in get_args(ValueType)):
        reason = Phrase("field_attribute_odd", name=name, value=json.dumps(value, ensure_ascii=False)[:60])
        raise WorkbenchError("fields_unreadable", reason=reason)
