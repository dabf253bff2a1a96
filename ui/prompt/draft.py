"""A prompt as it is edited: template, values, role, settings, form; and the request that it stands for.

Two drafts are equal where Run would ask the same way: values of variables that the template does not use, and texts of
forms that are not chosen, are not in it. It knows no Streamlit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from engine.errors import WorkbenchError
from engine.text.templates import fill, variables
from engine.types import PromptRequest, Structure, Writing

Kind = Literal["none", "fields", "schema", "regex", "choices"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ALTERNATIVES = 4
"""Other tokens that the token view shows of each place."""
SOURCE = "text"
"""The variable whose value grounded strings are parts of, where the template has it; else it is the whole prompt."""


@dataclass(frozen=True)
class Form:
    """What the answer must be. text: the schema (of the fields, for those), the expression, or a choice a line."""

    kind: Kind = "none"
    text: str = ""
    grounded: bool = False

    @property
    def is_json(self) -> bool:
        """Whether the answer is JSON."""
        return self.kind in {"fields", "schema"} and bool(self.text.strip())

    def structure(self) -> Structure | None:
        """As the engine takes it; None where nothing is asked for yet."""
        if self.kind == "none" or not self.text.strip():
            return None
        if self.kind == "regex":
            return Structure(regex=self.text.strip())
        if self.kind == "choices":
            lines = dict.fromkeys(line.strip() for line in self.text.splitlines())
            return Structure(choices=tuple(line for line in lines if line))
        return Structure(schema=self.text, grounded=self.grounded)


@dataclass(frozen=True)
class Draft:
    """One prompt with one set of settings. keep: whether the answer goes into the history."""

    template: str = ""
    values: tuple[tuple[str, str], ...] = ()
    role: str = ""
    writing: Writing = field(default_factory=Writing)
    form: Form = field(default_factory=Form)
    keep: bool = field(default=True, compare=False)

    def prompt(self) -> str:
        """The template filled in.

        Raises:
            WorkbenchError: `template_brace`, `template_variable`.
        """
        return fill(self.template, dict(self.values))

    def whole(self) -> str:
        """Role and prompt: what the model reads, its frame left out. Raises as `prompt`."""
        return f"{self.role}\n{self.prompt()}" if self.role else self.prompt()

    def request(self) -> PromptRequest:
        """What Run asks.

        Raises:
            WorkbenchError: as `prompt`.
        """
        prompt, structure = self.prompt(), self.form.structure()
        grounded = structure is not None and structure.grounded
        source = dict(self.values).get(SOURCE, prompt) if grounded else ""
        return PromptRequest(prompt, self.writing, self.role, structure, source, ALTERNATIVES)


def used_variables(template: str) -> tuple[str, ...]:
    """The template's variables; none while a brace is missing, as happens while it is typed."""
    try:
        return variables(template)
    except WorkbenchError:
        return ()


def draft_json(draft: Draft) -> dict[str, Any]:
    """A draft as plain JSON types."""
    return {
        "template": draft.template,
        "values": dict(draft.values),
        "role": draft.role,
        "writing": asdict(draft.writing) | {"stop": list(draft.writing.stop)},
        "form": asdict(draft.form),
    }


def read_draft(body: Any) -> Draft:
    """The inverse of `draft_json`, also of one that another version wrote: what does not fit is at its default."""
    body = body if isinstance(body, Mapping) else {}
    values = body.get("values")
    values = values if isinstance(values, Mapping) else {}
    form = body.get("form")
    form = form if isinstance(form, Mapping) else {}
    kind = form.get("kind")
    return Draft(
        _text(body.get("template")),
        tuple((str(name), _text(value)) for name, value in values.items()),
        _text(body.get("role")),
        _read_writing(body.get("writing")),
        Form(kind if kind in KINDS else "none", _text(form.get("text")), form.get("grounded") is True),
    )


def _read_writing(given: Any) -> Writing:
    given = given if isinstance(given, Mapping) else {}
    known: dict[str, Any] = {}
    for one in fields(Writing):
        value = given.get(one.name)
        if one.name == "stop":
            known["stop"] = tuple(_text(text) for text in value) if isinstance(value, Sequence) else ()
        elif isinstance(value, int | float) and not isinstance(value, bool):
            known[one.name] = float(value) if isinstance(one.default, float) else int(value)
    return Writing(**known)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
