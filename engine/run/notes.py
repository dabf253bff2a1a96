"""What both tasks say about a text before a model answers: hard or hidden characters, scripts, languages."""

import re
from collections.abc import Sequence

from engine.text.inspect import lint
from engine.types import ModelInfo, Note

_HAN = re.compile(r"[\u3400-\u9fff]")


def input_notes(text: str, asked: Sequence[str], model: ModelInfo) -> list[Note]:
    """Notes on a text and on the labels or wordings asked of it."""
    notes = list(lint(text, asked))
    if model.languages and "zh" not in model.languages and _HAN.search(text + "".join(asked)):
        notes.append(Note("language_unknown", {"name": model.name}))
    return notes
