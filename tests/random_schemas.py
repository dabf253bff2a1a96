"""JSON schemas drawn at random, of what llguidance and the grounded grammar take."""

import random
from typing import Any

_NAMES = ["name", "年龄", 'a "b"', "x\\y", "total", "💹", "to"]
_PATTERNS = ["^[a-z]{3,5}$", "^[A-Z]{2}-\\d+$", "^(ab)+c?$", "^[a-z]*z$", "^\\d{4}/[01]\\d$", "^[北京市]+$"]
_FORMATS = ["date", "time", "date-time", "uuid", "email", "ipv4"]
_VALUES = ["red", "深红", 'q"t\\', "", None, 3, -1.5, True, [1, "a"], {"k": "v"}, "today"]


def schema(draw: random.Random, depth: int = 3, *, grounded: bool = False) -> dict[str, Any]:
    """A schema whose parts lie at most so deep. grounded: only what grounded strings can be held to."""
    kinds = [_string, _string, _number, _plain, _listed, *([_object, _object, _array, _choice] if depth else [])]
    made: dict[str, Any] = draw.choice(kinds)(draw, depth, grounded)
    return made


def whole_object(draw: random.Random, *, grounded: bool = False) -> dict[str, Any]:
    """A schema of an object, as people ask for."""
    return _object(draw, 3, grounded)


def _string(draw: random.Random, _: int, grounded: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "string"}
    if grounded:
        return made | draw.choice([{}, {"minLength": 1}, {"minLength": 0}])
    limits = {"minLength": draw.randrange(12)}
    return made | draw.choice(
        [
            {},
            {},
            limits,
            limits | {"maxLength": 12},
            {"pattern": draw.choice(_PATTERNS)},
            {"format": draw.choice(_FORMATS)},
        ]
    )


def _number(draw: random.Random, *_: Any) -> dict[str, Any]:
    low = draw.randrange(-200, 200)
    bounds: list[dict[str, Any]] = [{}, {"minimum": low}, {"maximum": low}, {"minimum": low, "maximum": low + 90}]
    if draw.random() < 0.2:
        return {"type": "integer", "multipleOf": draw.choice([2, 5, 7])}
    return {"type": draw.choice(["integer", "number"])} | draw.choice(bounds)


def _plain(draw: random.Random, *_: Any) -> dict[str, Any]:
    return {"type": draw.choice(["boolean", "null", ["string", "null"], ["integer", "boolean"]])}


def _listed(draw: random.Random, *_: Any) -> dict[str, Any]:
    return draw.choice([{"enum": draw.sample(_VALUES, draw.randint(1, 5))}, {"const": draw.choice(_VALUES)}])


def _object(draw: random.Random, depth: int, grounded: bool) -> dict[str, Any]:
    names = draw.sample(_NAMES, draw.randint(1, 5))
    properties = {name: schema(draw, depth - 1, grounded=grounded) for name in names}
    required = [name for name in names if draw.random() < 0.7]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _array(draw: random.Random, depth: int, grounded: bool) -> dict[str, Any]:
    least = draw.choice([0, 0, 1, 3])
    limits = {"minItems": least} | draw.choice([{}, {"maxItems": least + draw.randrange(3)}])
    return {"type": "array", "items": schema(draw, depth - 1, grounded=grounded)} | limits


def _choice(draw: random.Random, depth: int, grounded: bool) -> dict[str, Any]:
    return {"anyOf": [schema(draw, depth - 1, grounded=grounded) for _ in range(draw.randint(1, 3))]}
