"""Where a page's text comes from: the box to type it in, and samples to begin with. It keeps no state of its own."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from ui.i18n import language, t

_TEXT_LIMIT = 200_000
_SAMPLES = Path(__file__).parent.parent / "assets" / "samples"


@cache
def samples(page: str) -> list[dict[str, Any]]:
    """The samples of a page: {"language", "name", "text"} and what the page asks of it."""
    return list(json.loads((_SAMPLES / f"{page}.json").read_text("utf-8")))


def own_samples(page: str) -> list[dict[str, Any]]:
    """Those in the session's language."""
    return [sample for sample in samples(page) if sample["language"] == language()]


def sample_buttons(page: str, use: Callable[[dict[str, Any]], None]) -> None:
    """A button a sample."""
    with st.container(horizontal=True, key="samples"):
        for number, sample in enumerate(own_samples(page)):
            st.button(sample["name"], on_click=use, args=(sample,), key=f"sample_{number}", type="tertiary")


def text_box(key: str, height: int) -> None:
    """The text under session_state[key]; it survives page changes."""
    st.text_area(
        t("text.label"),
        key=key,
        height=height,
        max_chars=_TEXT_LIMIT,
        placeholder=t("text.hint"),
        persist_state="session",
    )
    before = st.session_state.get(_before(key))
    if before is not None and before != st.session_state.get(key):
        st.button(
            t("text.put_back"),
            on_click=_put_back,
            args=(key,),
            key=f"{key}_put_back",
            help=t("text.put_back_help"),
            icon=":material/undo:",
            type="tertiary",
        )


def replace_text(key: str, text: str) -> None:
    """Put another text under the key, from another page; the one that was there can be put back below the box."""
    old = st.session_state.get(key)
    if old and old != text:
        st.session_state[_before(key)] = old
    st.session_state[key] = text


def _put_back(key: str) -> None:
    """The two change places."""
    before = _before(key)
    st.session_state[key], st.session_state[before] = st.session_state[before], st.session_state.get(key) or ""


def _before(key: str) -> str:
    return f"{key}_before"
