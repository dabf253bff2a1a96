"""How a server is asked to hold an answer to a structure: four dialects, of which one may be honoured."""

import json
from typing import Any, Literal

from engine.types import Structure

Dialect = Literal["structured_outputs", "guided", "llama", "response_format", ""]
DIALECTS: tuple[Dialect, ...] = ("structured_outputs", "guided", "llama", "response_format")
"""vLLM's present name and its older ones; llama.cpp's; the general one. Empty: none is honoured."""


def fields(dialect: Dialect, structure: Structure) -> dict[str, Any]:
    """What is added to a request; nothing where the dialect has no word for such a structure."""
    if structure.schema:
        return _schema(dialect, json.loads(structure.schema))
    if structure.regex:
        return _named(dialect, "regex", structure.regex)
    if dialect == "llama":
        return {"grammar": "root ::= " + " | ".join(_quoted(one) for one in structure.choices)}
    return _named(dialect, "choice", list(structure.choices))


def _schema(dialect: Dialect, schema: Any) -> dict[str, Any]:
    if dialect == "llama":
        return {"json_schema": schema}
    if dialect == "response_format":
        form = {"name": "answer", "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
    return _named(dialect, "json", schema)


def _named(dialect: Dialect, kind: str, value: Any) -> dict[str, Any]:
    if dialect == "structured_outputs":
        return {"structured_outputs": {kind: value}}
    return {f"guided_{kind}": value} if dialect == "guided" else {}


def _quoted(text: str) -> str:
    """A string of llama.cpp's grammars (GBNF)."""
    return json.dumps(text, ensure_ascii=False)
