"""Prompt templates: text with named places that are filled in.

1. `{name}`, a plain identifier of any language between braces and nothing else, is a variable.
2. `{{` and `}}` are one brace each.
3. Any other `{` stays as it is, and so does the `}` that closes it: JSON, also nested, needs no doubling.
4. A `}` that closes nothing, or a `{` that nothing closes, is an error. Doubling every brace always works.

What is filled in is never read as a template. A template neither loops nor decides.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.errors import WorkbenchError

_MARK = re.compile(r"\{([^\W\d]\w*)\}|\{\{|\}\}|\{|\}")


@dataclass(frozen=True)
class Variable:
    """A place to fill in."""

    name: str


def variables(template: str) -> tuple[str, ...]:
    """The names of a template's variables, each once, in the order of their first places.

    >>> variables('As {role}: {"a": {"b": 1}} {{not}} {text} {role}')
    ('role', 'text')

    Raises:
        WorkbenchError: `template_brace` where a brace has no partner.
    """
    return tuple(dict.fromkeys(part.name for part in _parts(template) if isinstance(part, Variable)))


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template's text with the values in their places; values that no variable asks for are left out.

    >>> fill('{"text": {text}} {{text}}', {"text": '"{text}"'})
    '{"text": "{text}"} {text}'

    Raises:
        WorkbenchError: `template_variable` naming the first variable without a value; `template_brace`.
    """
    filled = []
    for part in tuple(_parts(template)):  # all of it first: a template with a fault is not half read
        if isinstance(part, Variable) and part.name not in values:
            raise WorkbenchError("template_variable", name=part.name)
        filled.append(values[part.name] if isinstance(part, Variable) else part)
    return "".join(filled)


def escape(text: str) -> str:
    """A template that fills to this very text."""
    return text.replace("{", "{{").replace("}", "}}")


def _parts(template: str) -> Iterator[str | Variable]:
    """Literal pieces and variables in their order, all braces told apart.

    `open_` holds every brace that is not closed yet: (whether it was doubled, its place). A doubled one needs no
    partner, so that a lone brace can be written.
    """
    open_: list[tuple[bool, int]] = []
    place = 0
    while (found := _MARK.search(template, place)) is not None:
        yield template[place : found.start()]
        mark, place = found[0], found.end()
        if found[1] is not None:
            yield Variable(found[1])
        elif mark in {"{", "{{"}:
            open_.append((mark == "{{", found.start()))
            yield "{"
        elif mark == "}}" and (not open_ or open_[-1][0]):
            if open_:
                open_.pop()
            yield "}"
        else:  # it closes a single brace; of two, the second is looked at again
            place = found.start() + 1
            while open_ and open_[-1][0]:
                open_.pop()
            if not open_:
                raise _unbalanced(template, "}", found.start())
            open_.pop()
            yield "}"
    single = [at for doubled, at in open_ if not doubled]
    if single:
        raise _unbalanced(template, "{", single[0])
    yield template[place:]


def _unbalanced(template: str, brace: str, place: int) -> WorkbenchError:
    line = template.count("\n", 0, place) + 1
    column = place - template.rfind("\n", 0, place)
    return WorkbenchError("template_brace", brace=brace, line=line, column=column, twice=brace * 2)
