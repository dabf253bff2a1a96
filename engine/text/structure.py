"""What a written answer must be, made ready to hold a model to: JSON by a schema, a regular expression, a list.

Written for llguidance's dialect of Lark (github.com/guidance-ai/llguidance, docs/syntax.md). It knows no tokenizer.
"""

from dataclasses import dataclass

from engine.types import Structure


@dataclass(frozen=True)
class AnswerForm:
    """A structure that was checked: see `make_form`. source: the text that grounded strings are parts of."""

    structure: Structure
    source: str = ""
