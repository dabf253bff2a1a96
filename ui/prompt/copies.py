"""A prompt as a command, as Python and as a request by curl: each asks the same of the same model."""

import json
import shlex
from dataclasses import fields
from typing import Any

from engine.contracts import to_json
from engine.text.labels import format_labels
from engine.types import PromptRequest, Structure, Writing


def command_line(request: PromptRequest, model: str) -> str:
    """The command that gives the same answer; a schema and a source go into files first."""
    parts = ["workbench", "prompt", request.text, "--model", model]
    if request.role:
        parts += ["--role", request.role]
    for name, value in _changed(request.writing).items():
        flag = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, tuple) else (value,):
            parts += [flag, f"{one:g}" if isinstance(one, float) else str(one)]
    structure, first = request.structure, ""
    if structure is not None:
        if structure.choices:
            parts += ["--choices", format_labels(structure.choices)]
        if structure.regex:
            parts += ["--regex", structure.regex]
        if structure.schema:
            first = f"printf '%s' {shlex.quote(structure.schema)} > schema.json\n"
            parts += ["--schema", "schema.json"]
        if structure.grounded:
            parts.append("--grounded")
            if request.source != request.text:
                first += f"printf '%s' {shlex.quote(request.source)} > source.txt\n"
                parts += ["--source", "source.txt"]
    return first + shlex.join([*parts, "--json"])


def python_code(request: PromptRequest, model: str) -> str:
    """A script that gives the same answer in a process of its own."""
    names = ["PromptRequest", *(["Structure"] if request.structure is not None else []), "Writing"]
    given = [f"    {request.text!r},", f"    {_call('Writing', _changed(request.writing))},"]
    if request.role:
        given.append(f"    role={request.role!r},")
    if request.structure is not None:
        given.append(f"    structure={_call('Structure', _set_fields(request.structure))},")
    if request.source:
        given.append(f"    source={request.source!r},")
    lines = [
        "from engine.run.workbench import Workbench",
        "from engine.settings import load_settings",
        f"from engine.types import {', '.join(names)}",
        "",
        "request = PromptRequest(",
        *given,
        ")",
        f"workbench = Workbench(load_settings(model={model!r}))",
        "print(workbench.prompt(request).result().text)",
        "workbench.close()",
    ]
    return "\n".join(lines)


def curl_line(request: PromptRequest, address: str) -> str:
    """The request to the HTTP API of the workbench at `address`, which answers with the model that it has loaded."""
    body = to_json(generate_body(request))
    return (
        f"curl -s {shlex.quote(f'{address}/api/v1/generate')} -H 'Content-Type: application/json' "
        f"-d {shlex.quote(body)}"
    )


def generate_body(request: PromptRequest) -> dict[str, Any]:
    """The body of POST /api/v1/generate."""
    body: dict[str, Any] = {"text": request.text}
    if request.role:
        body["role"] = request.role
    for name, value in _changed(request.writing).items():
        body[name] = list(value) if isinstance(value, tuple) else value
    structure = request.structure
    if structure is not None:
        if structure.schema:
            body["schema"] = _schema(structure.schema)
        if structure.regex:
            body["regex"] = structure.regex
        if structure.choices:
            body["choices"] = list(structure.choices)
        if structure.grounded:
            body |= {"grounded": True, "source": request.source}
    return body


def _schema(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _changed(writing: Writing) -> dict[str, Any]:
    """What is not at its default, and the limit, which everyone wants to see."""
    return {
        one.name: getattr(writing, one.name)
        for one in fields(Writing)
        if one.name == "max_new_tokens" or getattr(writing, one.name) != one.default
    }


def _set_fields(structure: Structure) -> dict[str, Any]:
    return {one.name: value for one in fields(Structure) if (value := getattr(structure, one.name)) != one.default}


def _call(name: str, given: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"
