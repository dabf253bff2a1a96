"""A job's rows: filters and search, a page of them at a time, and the one that was clicked.

The store filters and pages, so that a job of a million rows takes no more here than one of ten.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from engine.errors import WorkbenchError
from engine.jobs.types import Job, RowFilter, RowPage
from ui.batch import state
from ui.batch.answers import row_cells
from ui.batch.ask_step import result_columns
from ui.batch.open_elsewhere import follow
from ui.batch.row_detail import row_detail
from ui.engine import jobs
from ui.i18n import t
from ui.messages import plain, show_error

PAGE = 50
FILTER, LABEL, SEARCH, OFFSET = "batch_view_filter", "batch_view_label", "batch_view_search", "batch_view_offset"
ONLY = "batch_view_only"
"""The key of rows that something else found: {"title", "numbers"}."""
SECTION = "batch_view_section"
"""The key of the part of the job that is shown."""
_SHOWN, _TABLE = "batch_view_numbers", "batch_view_table"
_POLL = 2.5
_MOST_LABELS = 200


def results(job: Job, *, live: bool) -> None:
    """Filters, table and detail; while the job runs, new rows come by themselves."""
    st.fragment(_results, run_every=_POLL if live else None)(job.id)


def show_only(title: str, numbers: Sequence[int]) -> None:
    """A callback: show just these rows, as found by something else, with the first of them open."""
    found = st.session_state
    found[ONLY] = {"title": title, "numbers": sorted(dict.fromkeys(numbers))}
    found[OFFSET] = 0
    found[state.ROW] = min(numbers, default=None)
    found[SECTION] = "results"


def _results(job_id: str) -> None:
    follow()
    try:
        job = jobs().store.get(job_id)
        if job is not None:
            _show(job)
    except WorkbenchError as error:
        show_error(error)


def _show(job: Job) -> None:
    # each part has a place of its own: what one of them shows does not move the others, whose widgets would begin anew
    above, pager, below, detail = st.container(), st.container(), st.container(), st.container()
    only = st.session_state.get(ONLY)
    with above:
        if only:
            _show_only(only)
        else:
            _filters(job)
    page = _page(job.id)
    if not page.rows and st.session_state.get(OFFSET):  # fewer rows than there were
        st.session_state[OFFSET] = 0
        page = _page(job.id)
    with pager:
        if page.total:
            _pager(page)
    with below:
        if page.rows:
            _table(job, page)
        else:
            st.info(_nothing(job), icon=":material/filter_alt:")
    row = st.session_state.get(state.ROW)
    if row is not None:
        with detail:
            if state.PROBLEM in st.session_state:
                show_error(st.session_state[state.PROBLEM])
            row_detail(job, int(row), step)


def _nothing(job: Job) -> str:
    """What is said where no row is shown."""
    if _filtered() or job.done:
        return t("batch.nothing_found")
    if job.state == "done":
        return t("batch.no_rows")
    return t("batch.no_rows_yet") if job.state in ("queued", "running") else t("batch.no_row_done")


def _filtered() -> bool:
    found = st.session_state
    return found.get(FILTER, "all") != "all" or bool(found.get(LABEL)) or bool(found.get(SEARCH))


def _page(job_id: str, offset: int | None = None) -> RowPage:
    found = st.session_state
    if only := found.get(ONLY):
        start = int(found.get(OFFSET) or 0) if offset is None else offset
        numbers = only["numbers"]
        rows = (jobs().store.row(job_id, number) for number in numbers[start : start + PAGE])
        return RowPage(tuple(row for row in rows if row is not None), len(numbers))
    return jobs().store.rows(
        job_id,
        found.get(FILTER) or "all",
        label=found.get(LABEL) or "",
        search=(found.get(SEARCH) or "").strip(),
        offset=int(found.get(OFFSET) or 0) if offset is None else offset,
        limit=PAGE,
    )


def _show_only(only: dict[str, Any]) -> None:
    def all_rows() -> None:
        st.session_state.pop(ONLY, None)
        st.session_state[OFFSET] = 0

    with st.container(horizontal=True, vertical_alignment="center", key="batch_only"):
        st.markdown(f":material/filter_alt: {plain(only['title'])}", width="content")
        st.button(
            t("batch.show_all"), on_click=all_rows, key="batch_show_all", icon=":material/close:", type="tertiary"
        )


def _filters(job: Job) -> None:
    extraction = job.spec.task == "extract"
    options: list[RowFilter] = ["all", "low", "not_found" if extraction else "none", "failed"]
    if job.spec.gold:
        options.append("differs")
    options.append("corrected")
    counts = jobs().store.counts(job.id)
    if st.session_state.get(FILTER) not in options:
        st.session_state[FILTER] = "all"
    st.pills(
        t("batch.filter"),
        options,
        format_func=lambda one: f"{t(f'batch.filter.{one}', low=f'{job.low:.0%}')} ({counts.get(one, 0):,})",
        required=True,
        key=FILTER,
        on_change=_from_the_top,
        label_visibility="collapsed",
    )
    left, right = st.columns([2, 1], vertical_alignment="bottom", gap="medium")
    left.text_input(
        t("history.search"),
        key=SEARCH,
        placeholder=t("batch.search_hint"),
        on_change=_from_the_top,
        icon=":material/search:",
        label_visibility="collapsed",
    )
    names = job.spec.labels if not extraction else tuple(one.name for one in job.spec.fields)
    found = jobs().store.labels(job.id)
    choices = ["", *list(dict.fromkeys([*names, *found]))[:_MOST_LABELS]]
    if st.session_state.get(LABEL) not in choices:
        st.session_state[LABEL] = ""
    every = t("batch.every_field" if extraction else "batch.every_label")
    right.selectbox(
        t("values.field" if extraction else "batch.label"),
        choices,
        format_func=lambda one: f"{one} ({found.get(one, 0):,})" if one else every,
        key=LABEL,
        on_change=_from_the_top,
        label_visibility="collapsed",
    )


def _from_the_top() -> None:
    st.session_state[OFFSET] = 0


def _pager(page: RowPage) -> None:
    offset = int(st.session_state.get(OFFSET) or 0)
    last = min(offset + PAGE, page.total)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="batch_pager"):
        shown = t("batch.rows_shown", first=f"{min(offset + 1, last):,}", last=f"{last:,}", total=f"{page.total:,}")
        st.caption(shown, width="content")
        if page.rows and st.session_state.get(state.ROW) is None:  # the way in by keyboard
            st.button(
                t("batch.open_first"),
                on_click=_open,
                args=(page.rows[0].number,),
                key="batch_open_first",
                shortcut="O",
                type="tertiary",
            )
        if page.total > PAGE:
            for name, said, target, icon in (
                ("first", t("batch.page_first"), 0, "first_page"),
                ("previous", t("batch.page_previous"), offset - PAGE, "chevron_left"),
                ("next", t("batch.page_next"), offset + PAGE, "chevron_right"),
                ("last", t("batch.page_last"), (page.total - 1) // PAGE * PAGE, "last_page"),
            ):
                st.button(
                    "",
                    on_click=_turn,
                    args=(max(0, target),),
                    key=f"batch_page_{name}",
                    help=said,
                    icon=f":material/{icon}:",
                    disabled=not 0 <= target < page.total or target == offset,
                    type="tertiary",
                )


def _open(number: int) -> None:
    st.session_state[state.ROW] = number


def _turn(offset: int) -> None:
    st.session_state[OFFSET] = offset


def _table(job: Job, page: RowPage) -> None:
    rows = [row_cells(row, job.spec) for row in page.rows]
    shown = ["number", "key", "text", "answer", "score", "gold", "state"]
    if not job.spec.id_column:
        shown.remove("key")
    if not job.spec.gold:
        shown.remove("gold")
    if not any(row["state"] for row in rows):
        shown.remove("state")
    st.session_state[_SHOWN] = [row.number for row in page.rows]
    found = st.session_state
    place = f"{job.id} {found.get(FILTER)} {found.get(LABEL)} {found.get(SEARCH)} {found.get(OFFSET)} {found.get(ONLY)}"
    key = f"{_TABLE}_{hashlib.sha1(place.encode('utf-8', 'replace'), usedforsecurity=False).hexdigest()[:12]}"

    def select() -> None:
        chosen: Any = st.session_state.get(key)
        cells = chosen.selection.cells if chosen else []
        numbers = st.session_state.get(_SHOWN) or []
        if cells and cells[0][0] < len(numbers):
            st.session_state[state.ROW] = numbers[cells[0][0]]

    st.dataframe(
        pd.DataFrame(rows)[shown],
        hide_index=True,
        height=min(len(rows), 9) * 35 + 40,
        column_config=result_columns(job.spec),
        on_select=select,
        selection_mode="single-cell",
        key=key,
        placeholder="",
        alt=t("batch.section.results"),
    )


def step(job_id: str, forward: bool) -> None:
    """A callback: open the next or previous of the rows that the filters find, turning the page where needed."""
    found = st.session_state
    current, offset = int(found.get(state.ROW) or 0), int(found.get(OFFSET) or 0)
    for place in (offset, offset + PAGE if forward else offset - PAGE):
        if place < 0:
            return
        numbers = [row.number for row in _page(job_id, place).rows]
        if forward:
            numbers = [number for number in numbers if number > current]
        else:
            numbers = [number for number in reversed(numbers) if number < current]
        if numbers:
            found[state.ROW], found[OFFSET] = numbers[0], place
            return
