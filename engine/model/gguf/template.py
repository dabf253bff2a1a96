"""Renders a chat template, as `transformers` does: Jinja2 in a sandbox that changes nothing."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any


def render(template: str, conversation: Sequence[dict[str, str]], **given: Any) -> str:
    """The text that a template makes of a conversation.

    Raises:
        ValueError: it is no template, or it refuses the conversation.
    """
    from jinja2 import TemplateError
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    sandbox = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    sandbox.filters["tojson"] = _to_json
    sandbox.globals["raise_exception"] = _refuse
    sandbox.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    try:
        return str(sandbox.from_string(template).render(messages=list(conversation), **given))
    except (TemplateError, TypeError, KeyError, ArithmeticError, RecursionError, MemoryError) as error:
        raise ValueError(
            f"its chat template cannot be read: {str(error).splitlines()[0] if str(error) else error!r}"
        ) from None


def _to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> None:
    raise ValueError(message)
