"""The fields editor: a table of fields with undo, lists of names, saved sets, files and links.

The rows live in one object in session_state (`FieldTable`); the grid in the browser tells all its edits from the rows
it began with, so these stay as they are until another grid begins: after undo, a loaded set, a page change, a change
of language. Edits are taken from the grid's state, which is up to date in every callback, never from its return value.
The rows are also under the editor's key, as plain JSON, for the tab's memory and other code.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd
import streamlit as st

from engine.errors import WorkbenchError
from engine.text.fields import FIELDS_LIMIT
from engine.types import FieldSpec
from ui.fields.link import pack, unpack
from ui.fields.menus import Menus
from ui.fields.table import EMPTY, TYPES, FieldTable, fields_of, nameless, repeated, rows_of
from ui.i18n import language, t
from ui.messages import plain, show_error

__all__ = ["fields_editor", "link_fields", "linked_fields", "redo", "set_fields", "take_edits", "undo"]

_LINK = "fields"
_HEAD, _ROW = 38, 35
"""Pixels of the grid's head and of a row, as Streamlit draws them."""
_LEAST_ROWS, _MOST_ROWS = 5, 7


def fields_editor(
    key: str,
    samples: Mapping[str, Sequence[FieldSpec]],
    on_edit: Callable[[], None] | None = None,
) -> tuple[FieldSpec, ...]:
    """Show the editor of the fields under session_state[key]; returns them as they are now.

    samples: field sets to begin with, by name. on_edit: called after each edit in the grid, before the script runs.
    """
    with _change(key) as own:
        if _grid(key, own) not in st.session_state:
            own.base = [dict(row) for row in own.rows or []]
        base, rows = own.base, own.rows or []
        grid, past, future, full = _grid(key, own), bool(own.past), bool(own.future), own.full
    field_set = fields_of(rows)

    def load(chosen: Sequence[FieldSpec]) -> None:
        set_fields(key, chosen)

    def add(chosen: Sequence[FieldSpec]) -> None:
        with _change(key) as table:
            known = {row["name"] for row in table.rows or []}
            kept = [row for row in table.rows or [] if row != EMPTY]
            table.replace(kept + [row for row in rows_of(chosen) if row["name"] not in known])

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}_tools"):
        st.markdown(f"**{t('fields.title')}**", width="content")
        for name, said, step, enabled in (
            ("undo", t("fields.undo"), undo, past),
            ("redo", t("fields.redo"), redo, future),
        ):
            st.button(
                "",
                icon=f":material/{name}:",
                help=said,
                key=f"{key}_{name}",
                on_click=step,
                args=(key,),
                disabled=not enabled,
                type="tertiary",
            )
        Menus(key, lambda: _current(key), load, add).show(field_set, samples)

    def edit() -> None:
        st.session_state.pop(f"{key}_problem", None)
        take_edits(key)
        if on_edit is not None:
            on_edit()

    st.data_editor(
        pd.DataFrame(base, columns=list(EMPTY)).astype({"many": "boolean", "required": "boolean"}),
        key=grid,
        on_change=edit,
        num_rows="dynamic",
        hide_index=True,
        height=_HEAD + _ROW * min(_MOST_ROWS, max(_LEAST_ROWS, len(base) + 2)),
        column_config=_columns(),
        placeholder="",
        alt=t("fields.title"),
    )
    for hint in _hints(rows, full=full):
        st.caption(f":material/info: {plain(hint)}")
    error = st.session_state.get(f"{key}_problem")
    if error is not None:
        show_error(error)
    return field_set


def set_fields(key: str, field_set: Sequence[FieldSpec]) -> None:
    """Replace the table from code, as one step that can be undone."""
    with _change(key) as own:
        own.replace(rows_of(field_set))


def take_edits(key: str) -> None:
    """Take over what the grid holds so far; call it first in a callback that reads the fields."""
    with _change(key):
        pass


def undo(key: str) -> None:
    """Go back one step; nothing to undo is fine."""
    with _change(key) as own:
        own.step(back=True)


def redo(key: str) -> None:
    """Go forward one undone step; nothing to redo is fine."""
    with _change(key) as own:
        own.step(back=False)


def linked_fields(key: str) -> tuple[FieldSpec, ...] | None:
    """The fields of the page's link; None where it has none, or none that can be read: the editor then says so."""
    raw = st.query_params.get(_LINK, "")
    found = unpack(raw)
    if raw and found is None:
        st.session_state[f"{key}_problem"] = WorkbenchError("fields_unreadable", reason=t("fields.bad_link"))
    return found


def link_fields(field_set: Sequence[FieldSpec]) -> None:
    """Put the fields into the page's link; a set that is too large for a link leaves it without one."""
    packed = pack(field_set)
    if packed is None:
        st.query_params.pop(_LINK, None)
    elif st.query_params.get(_LINK) != packed:
        st.query_params[_LINK] = packed


def _current(key: str) -> tuple[FieldSpec, ...]:
    with _change(key) as own:
        return fields_of(own.rows or [])


@contextmanager
def _change(key: str) -> Iterator[FieldTable]:
    """The table with the grid's edits taken over, to be changed; afterwards its rows are under the key.

    A new request ends a run, and a callback too, at any use of session_state. So edits and change are made to one
    object in memory, at one go, and what is under the key follows: at the next run where this one ends before it.
    """
    own: FieldTable = st.session_state.setdefault(f"{key}_table", FieldTable())
    found: Any = st.session_state.get(key)
    state: Any = st.session_state.get(_grid(key, own))
    with own.lock:
        own.take(state)
        own.adopt(found)
        yield own
        if own.rows is not None and own.rows != own.published:
            st.session_state[key] = [dict(row) for row in own.rows]
            own.published = [dict(row) for row in own.rows]


def _grid(key: str, own: FieldTable) -> str:
    """The grid's key. Another language has other heads, and so another grid."""
    return f"{key}_grid_{own.version}_{language()}"


def _columns() -> dict[str, Any]:
    column = st.column_config
    return {
        "name": column.TextColumn(t("fields.name"), width=125, help=t("fields.name_help")),
        "type": column.SelectboxColumn(
            t("fields.type"),
            options=list(TYPES),
            format_func=lambda kind: t(f"type.{kind}"),
            default=EMPTY["type"],
            width=85,
            help=t("fields.type_help"),
        ),
        "asked": column.TextColumn(t("fields.asked"), width=130, help=t("fields.asked_help")),
        "detail": column.TextColumn(t("fields.detail"), width=130, help=t("fields.detail_help")),
        "many": column.CheckboxColumn(
            t("fields.many"), default=bool(EMPTY["many"]), width=80, help=t("fields.many_help")
        ),
        "required": column.CheckboxColumn(
            t("fields.required"), default=bool(EMPTY["required"]), width=85, help=t("fields.required_help")
        ),
        "description": column.TextColumn(t("fields.description"), width=180, help=t("fields.description_help")),
    }


def _hints(rows: Sequence[dict[str, str | bool]], *, full: bool) -> Iterator[str]:
    """What of the table is not asked, and why."""
    if without := nameless(rows):
        yield t("fields.nameless", count=without)
    if names := repeated(rows):
        yield t("fields.repeated", names=", ".join(names))
    if full:
        yield t("fields.full", count=FIELDS_LIMIT)
