"""Chinese and English for the pages: one flat table a language, in assets/locales.

The language is, from the strongest: `?lang=`, the choice of this session, the browser's, English. Errors and notes of
the engine are translated by their code; a test holds every table to the same keys and placeholders.
"""

import json
from functools import cache
from pathlib import Path

import streamlit as st

from engine.errors import WorkbenchError
from engine.messages import ERRORS, NOTES, Phrase, render
from engine.phrases import PHRASES
from engine.types import Note

LANGUAGES = {"en": "English", "zh": "中文"}
_LOCALES = Path(__file__).parent.parent / "assets" / "locales"
_KEY = "language"


@cache
def table(language: str) -> dict[str, str]:
    """Every text of one language by key."""
    return dict(json.loads((_LOCALES / f"{language}.json").read_text("utf-8")))


def language() -> str:
    """The language of this session."""
    asked = st.query_params.get("lang") or st.session_state.get(_KEY)
    if asked in LANGUAGES:
        return str(asked)
    return "zh" if (st.context.locale or "").lower().startswith("zh") else "en"


def choose_language(chosen: str) -> None:
    """Keep a choice for this session and in the link."""
    st.session_state[_KEY] = chosen
    st.query_params["lang"] = chosen


def keep_language() -> None:
    """Carry the language of the link or of this session to the page's link: another page's link begins empty."""
    linked, chosen = st.query_params.get("lang"), st.session_state.get(_KEY)
    if linked in LANGUAGES:
        st.session_state[_KEY] = linked
    elif chosen in LANGUAGES:
        st.query_params["lang"] = chosen


def t(key: str, **details: object) -> str:
    """A text of the pages in the session's language."""
    return render(table(language())[key], details)


def error_texts(error: WorkbenchError) -> tuple[str, str]:
    """The sentence and the hint of an error in the session's language."""
    if language() == "en":
        return error.message, error.hint
    texts = table(language())
    sentence = texts.get(f"error.{error.code}", ERRORS[error.code][0])
    hint = texts.get(f"hint.{error.code}", ERRORS[error.code][1])
    details = _translated(error.details)
    return render(sentence, details), render(hint, details)


def note_text(note: Note) -> str:
    """A note in the session's language."""
    template = NOTES[note.code] if language() == "en" else table(language()).get(f"note.{note.code}", NOTES[note.code])
    return render(template, _translated(note.details))


def phrase_text(reason: str) -> str:
    """A reason that stands inside a sentence or a table, in the session's language; other text as it is."""
    if not isinstance(reason, Phrase) or language() == "en":
        return str(reason)
    template = table(language()).get(f"phrase.{reason.code}", PHRASES[reason.code])
    return render(template, reason.details)


def _translated(details: dict[str, object]) -> dict[str, object]:
    """Details whose reasons are said in the session's language."""
    return {name: phrase_text(value) if isinstance(value, Phrase) else value for name, value in details.items()}
