"""Advice in words: what is odd, and what to do."""

import streamlit as st

from engine.types import Note
from ui.i18n import note_text, t
from ui.messages import plain
from ui.monitor.view import fresh, monitor

SECONDS = 5.0
"""Between two looks for advice."""
URGENT = ("advice_leak", "advice_growth", "advice_full", "advice_blocked", "advice_failing")
"""Beginnings of the codes that are warnings; the others are hints."""


def advice() -> None:
    """Every piece of advice as a box, or that there is none."""
    notes: tuple[Note, ...] = fresh("advice", SECONDS, lambda: monitor().advice())
    if not notes:
        st.caption(f":material/check_circle: {t('monitor.no_advice')}")
    for note in notes:
        text = plain(note_text(note))
        if note.code.startswith(URGENT):
            st.warning(text, icon=":material/warning:")
        else:
            st.info(text, icon=":material/lightbulb:")
