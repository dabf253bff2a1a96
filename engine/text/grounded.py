"""JSON whose free strings are parts of a source text: the grammar of a schema that holds a writer to that.

A string is a span of the source, cut at `engine.text.grammar.units`, with something visible at its edges, or it is
empty. Strings that the schema names itself (`enum`, `const`) and all other types are as the schema has them. Keys come
in the schema's order, and no others than it names. What the grammar cannot hold is refused, never left out.

Written for llguidance's dialect of Lark (github.com/guidance-ai/llguidance, docs/syntax.md).
"""

import json
from collections.abc import Mapping
from typing import Any

from engine.messages import Phrase
from engine.text.grammar import units
from engine.text.inspect import IGNORABLE
from engine.text.json_schema import bad_structure, breach

COMPACT = {"x-guidance": {"whitespace_flexible": False}}
"""What tells llguidance to write JSON without blanks between its parts."""

_SAYS_NOTHING = {"title", "description", "default", "examples", "$schema", "$id", "$comment", "$defs", "definitions"}
_SAYS_NOTHING |= {"deprecated", "readOnly", "writeOnly", "x-guidance"}
_NUMBER = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
_HELD: dict[str, set[str]] = {
    "string": {"minLength"},
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "number": _NUMBER,
    "integer": _NUMBER,
    "boolean": set(),
    "null": set(),
}
"""Keywords that the grammar holds, by type."""

_UNSEEN = r"\s\x1c-\x1f" + "".join(char if char == "-" else f"\\u{{{ord(char):x}}}" for char in IGNORABLE)
_EDGE = rf'([^{_UNSEEN}"\\]|\\["\\])'
_INNER = r'([^"\\\x00-\x1f]|\\(["\\bfnrt]|u[0-9a-f]{4}))'
"""A character of a JSON string, as it is escaped there: one that is seen, and any."""

_RARE = 0x40000
"""From here on a tokenizer may have no token for a character's first byte: a unit is cut there, so that one that begins
with a common character can always be ended."""
_BREAK = "\n"
"""As it stands no part of a JSON string: what lies on both sides of it is in no span."""


def grounded_grammar(schema: Mapping[str, Any], source: str) -> str:
    """The grammar of answers by a schema that was read.

    Raises:
        WorkbenchError: `bad_structure` for a part that it cannot hold.
    """
    grammar = _Grammar(schema)
    start = grammar.rule(schema)
    rules = "".join(f"{name}: {body}\n" for name, body in grammar.rules.items())
    chunks = json.dumps([chunk for unit in units(source) for chunk in _chunks(unit)], ensure_ascii=False)
    return (
        f"start: {start}\n{rules}"
        + 'TEXT: "\\"\\"" | "\\"" SPAN "\\""\n' * grammar.takes_empty
        + 'SOME: "\\"" SPAN "\\""\n' * grammar.takes_some
        + (f"SPAN: PART & /{_EDGE}({_INNER}*{_EDGE})?/\n" + f'PART: %regex {{"substring_chunks": {chunks}}}\n')
        * (grammar.takes_empty or grammar.takes_some)
    )


def ungrounded(schema: Mapping[str, Any], value: Any, source: str) -> str | None:
    """The first string of an answer that the schema leaves free and that is no part of the source.

    schema: one that `grounded_grammar` takes; the answer keeps to it.
    """
    return _ungrounded(schema, value, source, schema)


def _ungrounded(schema: Any, value: Any, source: str, root: Mapping[str, Any]) -> str | None:
    schema = schema if isinstance(schema, dict) else {}
    if "$ref" in schema:
        return _ungrounded(_target(root, schema["$ref"]), value, source, root)
    if "enum" in schema or "const" in schema:
        return None
    if "anyOf" in schema:
        fitting = [one for one in schema["anyOf"] if not breach(_whole(one, root), value)]
        odd = [_ungrounded(one, value, source, root) for one in fitting]
        return None if None in odd else next(iter(odd), None)
    if isinstance(value, str):
        return None if value in source else value
    parts: list[tuple[Any, Any]] = []
    if isinstance(value, list):
        parts = [(schema.get("items", {}), one) for one in value]
    elif isinstance(value, dict):
        parts = [(schema.get("properties", {}).get(name, {}), one) for name, one in value.items()]
    return next((found for part, one in parts if (found := _ungrounded(part, one, source, root)) is not None), None)


class _Grammar:
    """Rules, as they are written. takes_empty, takes_some: whether a string may be empty somewhere, or may not."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.rules: dict[str, str] = {}
        self.takes_empty = self.takes_some = False
        self._root = root
        self._referred: dict[str, str] = {}

    def rule(self, schema: Any) -> str:
        """The name of a rule for what a schema takes."""
        if not isinstance(schema, dict):
            raise _cannot(json.dumps(schema))
        return self._named(self._body, schema)

    def _named(self, body: Any, *given: Any) -> str:
        name = f"r{len(self.rules)}"
        self.rules[name] = ""  # its place, before those of its parts
        self.rules[name] = body(*given)
        return name

    def _body(self, schema: dict[str, Any]) -> str:
        keys = set(schema) - _SAYS_NOTHING
        if "$ref" in keys:
            _only(keys, {"$ref"})
            return self._reference(schema["$ref"])
        if keys & {"enum", "const"}:
            return self._listed(schema)
        if "anyOf" in keys:
            _only(keys, {"anyOf"})
            return " | ".join(self.rule(one) for one in schema["anyOf"])
        named = schema.get("type")
        if named is None:
            raise bad_structure(Phrase("grounded_untyped"))
        types = [named] if isinstance(named, str) else named
        _only(keys, {"type"}.union(*(_HELD[one] for one in types)))
        return " | ".join(self._typed(one, schema) for one in types)

    def _typed(self, kind: str, schema: dict[str, Any]) -> str:
        if kind == "string":
            return self._string(schema.get("minLength", 0))
        if kind == "object":
            return self._object(schema)
        if kind == "array":
            return self._array(schema)
        leaf = {"type": kind} | {name: schema[name] for name in _HELD[kind] if name in schema} | COMPACT
        return self._named(lambda: f"%json {json.dumps(leaf)}")

    def _string(self, least: int) -> str:
        if least > 1:
            raise _cannot("minLength")
        self.takes_some |= least == 1
        self.takes_empty |= least < 1
        return "SOME" if least == 1 else "TEXT"

    def _object(self, schema: dict[str, Any]) -> str:
        """Parts in order, each after a comma but the first that is there."""
        properties, required = schema.get("properties", {}), set(schema.get("required", ()))
        if required - set(properties):
            raise _cannot("required")
        firsts: list[str] = []
        rest = ""
        for name, part in reversed(properties.items()):
            value = f"{_quoted(_json(name) + ':')} {self.rule(part)}"
            firsts = ([] if name in required else firsts) + [value + rest]
            after = f'"," {value}{rest}' if name in required else f'("," {value})?{rest}'
            if len(firsts) < len(properties) or name != next(iter(properties)):
                rest = f" {self._named(str, after)}"
        inner = " | ".join(reversed(firsts))
        if not firsts:
            return '"{}"'
        return f'"{{" ({inner}){"" if required else "?"} "}}"'

    def _array(self, schema: dict[str, Any]) -> str:
        if "items" not in schema:
            raise bad_structure(Phrase("grounded_untyped"))
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        if most is not None and most < least:
            raise _cannot("maxItems")
        if most == 0:
            return '"[]"'
        item = self.rule(schema["items"])
        more = f' ("," {item}){{{max(0, least - 1)},{"" if most is None else most - 1}}}' if most != 1 else ""
        return f'"[" ({item}{more}){"" if least else "?"} "]"'

    def _listed(self, schema: dict[str, Any]) -> str:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        fitting = [one for one in values if not breach(_whole(schema, self._root), one)]
        if not fitting:
            raise _cannot("enum")
        return " | ".join(dict.fromkeys(_quoted(_json(one)) for one in fitting))

    def _reference(self, pointer: str) -> str:
        if pointer not in self._referred:
            target = _target(self._root, pointer)
            name = self._referred[pointer] = f"ref{len(self._referred)}"
            self.rules[name] = ""
            self.rules[name] = self.rule(target)
        return self._referred[pointer]


def _target(root: Mapping[str, Any], pointer: str) -> Any:
    """What a reference within the schema means."""
    if pointer != "#" and not pointer.startswith("#/"):
        raise _cannot(f"$ref {pointer}")
    found: Any = root
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or name not in found:
            raise _cannot(f"$ref {pointer}")
        found = found[name]
    return found


def _whole(part: Any, root: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a schema by itself, with what it may refer to."""
    shared = {name: root[name] for name in ("$defs", "definitions") if name in root}
    return shared | (part if isinstance(part, dict) else {})


def _only(keys: set[str], held: set[str]) -> None:
    if more := sorted(keys - held):
        raise _cannot(more[0])


def _cannot(part: str) -> Exception:
    return bad_structure(Phrase("grounded_part", part=part))


def _chunks(unit: str) -> list[str]:
    """A unit as it stands in JSON, cut before rare characters; half a character is a break."""
    parts, start = [], 0
    for place, char in enumerate(unit):
        if ord(char) >= _RARE or "\ud800" <= char <= "\udfff":
            parts += [unit[start:place], char]
            start = place + 1
    parts.append(unit[start:])
    return [_BREAK if "\ud800" <= part <= "\udfff" else _json(part)[1:-1] for part in parts if part]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _quoted(literal: str) -> str:
    """Characters as a string of Lark."""
    return json.dumps(literal, ensure_ascii=False)
