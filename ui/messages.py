"""Shows errors and notes of the engine: one plain sentence, and what to do next. User text is never markup."""

import html

import streamlit as st

from engine.errors import Cancelled, WorkbenchError
from engine.text.inspect import whole_characters
from engine.types import Note
from ui.i18n import error_texts, note_text


def show_error(error: WorkbenchError) -> None:
    """An error as a box; a stop by the user is a calm note."""
    sentence, hint = error_texts(error)
    if isinstance(error, Cancelled):
        st.info(plain(f"{sentence} {hint}"), icon=":material/stop_circle:")
    else:
        st.error(plain(f"{sentence}\n\n{hint}"), icon=":material/error:")


def show_notes(notes: tuple[Note, ...]) -> None:
    """Notes as a short list under an answer; nothing where there are none."""
    for note in notes:
        st.html(f'<div class="wb-note">{html.escape(note_text(note))}</div>')


def plain(text: str) -> str:
    """Markdown that shows these very characters; half of a character, which no browser can be told, is U+FFFD."""
    text = whole_characters(text)
    return "".join(f"\\{char}" if char in r"\`*_{}[]()#+-.!|<>~$:&" else char for char in text)
