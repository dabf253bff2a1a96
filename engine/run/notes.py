"""What both tasks say about a text before a model answers: blank, hard or hidden characters, scripts, languages."""

import re
from collections.abc import Sequence

from engine.errors import WorkbenchError
from engine.text.inspect import is_blank, lint
from engine.types import ModelInfo, Note

_HAN = re.compile(r"[\u3400-\u9fff]")


def check_text(text: str) -> None:
    """Refuse a text that holds nothing to read. Punctuation and emoji are something: notes say what they are worth.

    Raises:
        WorkbenchError: `text_empty`.
    """
    if is_blank(text):
        raise WorkbenchError("text_empty")


def input_notes(text: str, asked: Sequence[str], model: ModelInfo) -> list[Note]:
    """Notes on a text and on the labels or wordings asked of it."""
    notes = list(lint(text, asked))
    if model.languages and "zh" not in model.languages and _HAN.search(text + "".join(asked)):
        notes.append(Note("language_unknown", {"name": model.name}))
    return notes
