"""The history of prompts on the page: search, run again, star, delete, clear, and the switch that keeps it off.

A history that cannot be used is one sentence here; the page works without it. While the switch is off, nothing is
written.
"""

import html
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from engine.contracts import to_json
from engine.errors import WorkbenchError
from engine.store.history import Entry, Page, PromptHistory
from engine.text.templates import escape
from ui.engine import workbench
from ui.i18n import t
from ui.messages import show_error
from ui.prompt.draft import Draft, draft_json, read_draft
from ui.prompt.state import KEEP, load

SEARCH, STARRED = "prompt_history_search", "prompt_history_starred"
_SHOWN, _SURE, _PROBLEM = "prompt_history_shown", "prompt_history_sure", "prompt_history_problem"
_PAGE = 8
"""Entries shown at once, and more at each press."""
_ASIDE = 160
"""Characters of a prompt's and an answer's beginning."""
STYLE = """<style>
.wb-entry{display:grid;gap:.1rem;min-width:0;line-height:1.35}
.wb-entry small{opacity:.7}
.wb-entry div{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.wb-entry div+div{opacity:.8;font-size:.9rem}
</style>"""


@st.cache_resource(show_spinner=False)
def history() -> PromptHistory:
    """The history of this process's data folder."""
    return PromptHistory(workbench().settings.data_dir)


@st.cache_resource(show_spinner=False)
def _recorded() -> set[str]:
    """Runs that were kept, or not kept for good: an entry that was deleted does not come back."""
    return set()


def record(run: str, asked: Draft, answer: str, facts: dict[str, Any]) -> None:
    """Keep an answer, once a run, where the history was on when it was asked for and still is."""
    if run in _recorded():
        return
    _recorded().add(run)
    if not asked.keep or not st.session_state.get(KEEP) or not answer:
        return
    try:
        history().add(run, asked.prompt(), answer, to_json(draft_json(asked) | facts))
        st.session_state.pop(_PROBLEM, None)
    except WorkbenchError as error:  # the panel says it
        st.session_state[_PROBLEM] = error


def history_panel() -> None:
    """The whole panel, closed until it is wanted; what is wrong with the file is said above it."""
    problem = st.empty()
    try:
        _show_panel()
        error = st.session_state.get(_PROBLEM) if st.session_state.get(KEEP) else None
    except WorkbenchError as now:
        error = now
    if error is not None:
        with problem.container():
            show_error(error)


def _show_panel() -> None:
    with st.expander(t("history.title"), icon=":material/history:", key="prompt_history"):
        st.toggle(t("history.keep"), key=KEEP, help=t("history.keep_help"), persist_state="session")
        if not st.session_state.get(KEEP):
            st.caption(t("history.off"))
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        search = left.text_input(
            t("history.search"), key=SEARCH, placeholder=t("history.search_hint"), on_change=_from_the_top
        )
        starred = right.toggle(t("history.starred"), key=STARRED, on_change=_from_the_top)
        shown = st.session_state.get(_SHOWN, _PAGE)
        page = history().list((search or "").strip(), limit=shown, starred=bool(starred))
        _show_entries(page, filtered=bool(search or starred))


def _show_entries(page: Page, *, filtered: bool) -> None:
    if not page.entries:
        st.caption(t("history.nothing_found" if filtered else "history.empty"))
        return
    st.html(STYLE)
    for entry in page.entries:
        _show_entry(entry)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(t("history.shown", count=len(page.entries), total=page.total), width="content")
        if len(page.entries) < page.total:
            st.button(t("history.more"), on_click=_more, key="prompt_history_more", type="tertiary")
        if not filtered:
            _clear_button("unstarred", t("history.clear_unstarred"), lambda: history().delete_unstarred())
            _clear_button("all", t("history.clear"), lambda: history().delete_all())


def _show_entry(entry: Entry) -> None:
    """One entry: when, how both texts begin, and what can be done with it."""
    told, tools = st.columns([3, 1], vertical_alignment="center", gap="small")
    told.html(_entry_html(entry))
    row = tools.container(horizontal=True, horizontal_alignment="right", gap="small")
    row.button(
        t("history.reuse"),
        on_click=_act,
        args=(_reuse, entry.id),
        key=f"prompt_history_reuse_{entry.id}",
        help=t("history.reuse_help"),
        icon=":material/replay:",
        type="tertiary",
    )
    row.button(
        "",
        on_click=_act,
        args=(history().star, entry.id, not entry.starred),
        key=f"prompt_history_star_{entry.id}",
        help=t("history.unstar" if entry.starred else "history.star"),
        icon=":material/star:" if entry.starred else ":material/star_border:",
        type="tertiary",
    )
    row.button(
        "",
        on_click=_act,
        args=(history().delete, entry.id),
        key=f"prompt_history_delete_{entry.id}",
        help=t("history.delete"),
        icon=":material/delete:",
        type="tertiary",
    )


def _entry_html(entry: Entry) -> str:
    star = "★ " if entry.starred else ""
    return (
        f'<div class="wb-entry" data-testid="history-entry"><small>{star}{html.escape(_when(entry.created))}</small>'
        f"<div>{html.escape(_beginning(entry.prompt))}</div><div>{html.escape(_beginning(entry.answer))}</div></div>"
    )


def _clear_button(name: str, said: str, clear: Callable[[], object]) -> None:
    """The first press asks, the second deletes."""
    sure = st.session_state.get(_SURE) == name
    st.button(
        t("history.sure") if sure else said,
        on_click=_act,
        args=(_clear_when_sure, name, clear),
        key=f"prompt_history_clear_{name}",
        type="tertiary",
        icon=":material/delete_sweep:",
    )


def _clear_when_sure(name: str, clear: Callable[[], object]) -> None:
    if st.session_state.get(_SURE) != name:
        st.session_state[_SURE] = name
        return
    st.session_state.pop(_SURE)
    clear()


def _act(action: Callable[..., object], *arguments: object) -> None:
    """A callback; the panel says what goes wrong with the file."""
    if action is not _clear_when_sure:
        st.session_state.pop(_SURE, None)
    try:
        action(*arguments)
        st.session_state.pop(_PROBLEM, None)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _reuse(number: int) -> None:
    """Load an entry into the editor."""
    entry = history().load(number)
    if entry is None:
        return
    try:
        body: Any = json.loads(entry.body)
    except (ValueError, RecursionError):
        body = {}
    given = read_draft(body)
    if not given.template:  # another version wrote it: its prompt at least
        given = read_draft({"template": escape(entry.prompt)})
    load(given)


def _more() -> None:
    st.session_state[_SHOWN] = st.session_state.get(_SHOWN, _PAGE) + _PAGE


def _from_the_top() -> None:
    st.session_state.pop(_SHOWN, None)


def _beginning(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _ASIDE else f"{words[:_ASIDE]}…"


def _when(seconds: float) -> str:
    """A moment in the browser's time zone, as year-month-day hour:minute."""
    moment = datetime.fromtimestamp(seconds, UTC)
    try:
        zone = ZoneInfo(st.context.timezone or "")
    except (ValueError, KeyError, OSError):
        return moment.astimezone().strftime("%Y-%m-%d %H:%M")
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")
