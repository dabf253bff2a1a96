"""The editor of a prompt: samples, role, template, the values of its variables, and what all of it comes to."""

from collections.abc import Callable

import streamlit as st

from engine.errors import WorkbenchError
from engine.text.field_schema import schema_text
from engine.text.templates import variables
from ui.engine import workbench
from ui.i18n import error_texts, t
from ui.messages import plain
from ui.prompt.draft import Draft
from ui.prompt.pace import pace
from ui.prompt.state import ROLE, TEMPLATE, VALUE, field_names, load, other_fields, other_labels, sample_draft
from ui.source import sample_buttons

_TEXT_LIMIT = 200_000
_SHOWN = 30
"""Variables that get a box."""
_TALL = {"text", "context", "document"}
"""Variables that hold more than a line."""


def prompt_editor() -> None:
    """Samples, role, template and variables."""
    sample_buttons("prompts", lambda sample: load(sample_draft(sample)))
    st.text_area(
        t("prompt.role"),
        key=ROLE,
        height=68,
        max_chars=_TEXT_LIMIT,
        placeholder=t("prompt.role_hint"),
        help=t("prompt.role_help"),
        persist_state="session",
    )
    st.text_area(
        t("prompt.template"),
        key=TEMPLATE,
        height=140,
        max_chars=_TEXT_LIMIT,
        placeholder=t("prompt.template_hint"),
        help=t("prompt.template_help"),
        persist_state="session",
    )
    try:
        names = variables(st.session_state[TEMPLATE] or "")
    except WorkbenchError as error:
        sentence, hint = error_texts(error)
        st.warning(plain(f"{sentence} {hint}"), icon=":material/data_object:")
        return
    for name in names[:_SHOWN]:
        _value_box(name)
    if len(names) > _SHOWN:
        st.caption(t("prompt.more_variables", count=len(names) - _SHOWN))


def show_filled(draft: Draft) -> None:
    """What the template comes to: about how many tokens, how long the answer may take, what is empty, and the text."""
    try:
        filled = draft.prompt()
    except WorkbenchError:  # the editor says it
        return
    empty = [name for name, value in draft.values if not value.strip()]
    if empty:
        st.caption(f":material/warning: {plain(t('prompt.empty_values', names=', '.join(empty)))}")
    st.caption(plain(f"{_count_text(draft, filled)} · {_time_text(draft)}"))
    with st.expander(t("prompt.filled"), key="prompt_filled"):
        st.code(filled or " ", language=None, wrap_lines=True)


def _value_box(name: str) -> None:
    """The box of a variable; what other pages have can be taken over."""
    st.text_area(
        f"`{{{name}}}`",
        key=VALUE + name,
        height=120 if name in _TALL else 68,
        max_chars=_TEXT_LIMIT,
        placeholder=t("prompt.value_hint"),
        persist_state="session",
    )
    sources: dict[str, tuple[str, Callable[[], str]]] = {
        "labels": (t("prompt.from_classify"), other_labels),
        "fields": (t("prompt.from_extract"), lambda: field_names(other_fields())),
        "schema": (t("prompt.schema_from_extract"), lambda: schema_text(other_fields())),
    }
    if name in sources:
        said, source = sources[name]
        st.button(
            said,
            on_click=_take,
            args=(name, source),
            key=f"prompt_take_{name}",
            type="tertiary",
            icon=":material/input:",
        )


def _take(name: str, source: Callable[[], str]) -> None:
    st.session_state[VALUE + name] = source()


def writer_name() -> str | None:
    """The model that would answer; None where none is loaded."""
    info = workbench().state().info
    return None if info is None else info.name if "generate" in info.capabilities else info.writer


def _count_text(draft: Draft, filled: str) -> str:
    count = pace().tokens(writer_name(), draft.whole())
    return t("prompt.tokens_about", count=f"{count:,}", characters=f"{len(filled):,}")


def _time_text(draft: Draft) -> str:
    rate = pace().rate(writer_name(), draft.writing.beams)
    if rate is None:
        return t("prompt.no_estimate")
    seconds = draft.writing.max_new_tokens / rate
    return t("prompt.time_about", seconds=f"{seconds:,.0f}" if seconds >= 10 else f"{seconds:.1f}", rate=f"{rate:,.0f}")
