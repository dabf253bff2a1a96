"""The languages that labels are read in, and which of them a text is in."""

from engine.model.encoder.units import is_cjk

TEMPLATES = {
    "zh": ("这段文字的主题是{}。", "类别：{}"),
    "en": ("This text is about {}.", "category: {}"),
}
"""Sentences that a label is read in, by the text's language."""
LANGUAGES = tuple(TEMPLATES)


def language_of(text: str) -> str:
    """zh where at least a fifth of the letters are Chinese, else en."""
    letters = [char for char in text if char.isalpha()]
    return "zh" if sum(map(is_cjk, letters)) * 5 > len(letters) else "en"
