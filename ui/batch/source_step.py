"""The first step: a file, how it is read and what is odd about it, and which of its columns are used.

Everything found can be changed, and the preview follows at once. The whole file is looked through on a thread.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from engine.errors import WorkbenchError
from engine.jobs.tables import find_form, open_table, sheets, suggest_columns
from engine.jobs.tables.cells import as_text
from engine.jobs.types import Form, SourceRow
from engine.text.inspect import whole_characters
from ui.batch import state
from ui.batch.uploads import Upload, take
from ui.batch.work import Work, begun, follow
from ui.chips import set_labels, take_edits
from ui.engine import workbench
from ui.i18n import phrase_text, t
from ui.messages import plain, show_error

SAMPLE = Path(__file__).parent.parent.parent / "assets" / "samples" / "batch.csv"
SAMPLE_LABELS = ("delivery", "refund", "product quality", "account")
_TYPES = ["csv", "tsv", "txt", "xlsx", "jsonl", "ndjson", "parquet"]
_ENCODINGS = ("", "utf-8", "utf-16", "gb18030", "big5", "shift_jis", "euc_kr", "cp1252")
_SEPARATORS = {"": "", ",": ",", ";": ";", "\t": "Tab", "|": "|"}
_PREVIEW = 20
_ODD_SHOWN = 5
_UPLOADS = "batch_uploads"
_NONE = "–"


@dataclass(frozen=True)
class Reading:
    """A file as it is read: how, its columns, its first rows, a workbook's sheets, and what its columns may be."""

    form: Form
    columns: tuple[str, ...]
    rows: tuple[SourceRow, ...]
    sheets: tuple[str, ...]
    text: tuple[str, ...]
    id_column: str
    gold: str


@dataclass
class Scan:
    """The whole file, looked through: its rows, and those that are odd, by the reason."""

    rows: int = 0
    odd: Counter[str] = field(default_factory=Counter)
    first: list[tuple[int, str]] = field(default_factory=list)


def source_step() -> tuple[Upload, Reading] | None:
    """Show the step; what there is to start a job from, None while there is no file that can be read."""
    given = state.upload()
    if given is None:
        _show_drop()
        return None
    with st.container(horizontal=True, vertical_alignment="center", key="batch_file"):
        size = f"{given.size / 2**20:,.1f} MB" if given.size >= 2**20 else f"{given.size / 2**10:,.1f} KB"
        st.markdown(f"**{plain(given.name)}** · {size}", width="content")
        st.button(
            t("batch.other_file"),
            on_click=state.new_upload,
            args=(None,),
            key="batch_other_file",
            icon=":material/close:",
            type="tertiary",
        )
    try:
        found = _reading(given.path, given.digest, *(st.session_state.get(key) or "" for key in state.HOW))
    except WorkbenchError as error:
        _how(given, None)
        show_error(error)
        return None
    _how(given, found)
    _show_preview(found)
    _show_scan(given, found.form)
    state.take_columns(found.columns, found.text, found.id_column, found.gold)
    _choose_columns(found.columns)
    return given, found


def use_sample() -> None:
    """A callback: the sample file, with the labels that it is made for."""
    with SAMPLE.open("rb") as source:
        given = take("sample.csv", source)
    state.new_upload(given)
    st.session_state[state.TASK] = "classify"
    st.session_state[state.MULTI] = False
    take_edits(state.LABELS)
    set_labels(state.LABELS, SAMPLE_LABELS)


def _show_drop() -> None:
    number = st.session_state.get(_UPLOADS, 0)
    limit = workbench().settings.upload_limit // 2**20
    st.file_uploader(
        t("batch.drop", limit=f"{limit:,}"),
        type=_TYPES,
        max_upload_size=max(1, limit),
        key=f"{_UPLOADS}_{number}",
        on_change=state.act,
        args=(_take_upload,),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            t("batch.use_sample"),
            on_click=state.act,
            args=(use_sample,),
            key="batch_use_sample",
            icon=":material/table_view:",
        )
        st.caption(t("batch.sample_is"), width="content")


def _take_upload() -> None:
    """To the disk at once; a used uploader is left behind, and the session's copy with it."""
    number = st.session_state.get(_UPLOADS, 0)
    given = st.session_state.get(f"{_UPLOADS}_{number}")
    if given is None:
        return
    st.session_state[_UPLOADS] = number + 1
    state.new_upload(take(given.name, given))


@st.cache_resource(max_entries=40, show_spinner=False)
def _reading(path: str, digest: str, kind: str, encoding: str, separator: str, sheet: str) -> Reading:
    """Read the beginning; digest: keeps two files apart that had one path after the other."""
    place = Path(path)
    form = find_form(
        place, kind=kind or None, encoding=encoding or None, separator=separator or None, sheet=sheet or None
    )
    table = open_table(place, form)
    suggested = suggest_columns(table)
    text: Any = suggested.text
    names = (text,) if isinstance(text, str) else tuple(text or ())
    own_sheets = tuple(sheets(place)) if form.kind == "xlsx" else ()
    return Reading(
        form,
        tuple(table.columns),
        tuple(table.preview(_PREVIEW)),
        own_sheets,
        tuple(filter(None, names)),
        suggested.id or "",
        suggested.gold or "",
    )


def _how(given: Upload, found: Reading | None) -> None:
    """How the file is read: what was found, and boxes to say otherwise."""
    asked = {key: st.session_state.get(key) or "" for key in state.HOW}
    form = found.form if found else None
    said = _form_text(form) if form else t("batch.not_read")
    with st.expander(f"{t('batch.read_as')}: {plain(said)}", expanded=found is None, key="batch_how"):
        boxes = st.columns(3, gap="small")
        kind = form.kind if form else asked[state.KIND]
        with boxes[0]:
            _box(t("batch.kind"), state.KIND, ("", *state.KINDS), form.kind if form else "", str.upper)
        if kind in {"csv", "tsv", "jsonl", ""}:
            with boxes[1]:
                options = _with(_ENCODINGS, asked[state.ENCODING])
                _box(t("batch.encoding"), state.ENCODING, options, form.encoding if form else "")
        if kind in {"csv", "tsv", ""}:
            with boxes[2]:
                options = _with(tuple(_SEPARATORS), asked[state.SEPARATOR])
                name = _SEPARATORS.get(form.separator, form.separator) if form else ""
                _box(t("batch.separator"), state.SEPARATOR, options, name, lambda one: _SEPARATORS.get(one, one))
        if found and len(found.sheets) > 1:
            with boxes[1]:
                _box(t("batch.sheet"), state.SHEET, ("", *found.sheets), found.form.sheet)


def _box(label: str, key: str, options: tuple[str, ...], found: str, say: Any = str) -> None:
    if st.session_state.get(key) not in options:
        st.session_state[key] = ""
    first = t("batch.found", what=found) if found else t("batch.find")
    st.selectbox(
        label,
        options,
        format_func=lambda one: say(one) if one else first,
        key=key,
        persist_state="session",
    )


def _with(options: tuple[str, ...], own: str) -> tuple[str, ...]:
    return options if own in options else (*options, own)


def _form_text(form: Form) -> str:
    parts = [form.kind.upper(), form.encoding, form.sheet]
    if form.separator:
        parts.append(t("batch.separated", mark=_SEPARATORS.get(form.separator, form.separator)))
    return " · ".join(filter(None, parts))


def _show_preview(found: Reading) -> None:
    if not found.rows:
        st.warning(t("batch.no_rows"), icon=":material/warning:")
        return
    shown = [{name: cell_text(row.values.get(name)) for name in found.columns} for row in found.rows]
    st.dataframe(
        pd.DataFrame(shown, columns=list(found.columns), dtype="string"),
        hide_index=True,
        height=min(len(shown), 6) * 35 + 38,
        alt=t("batch.preview"),
        placeholder="",
        key="batch_preview",
    )


def cell_text(value: Any) -> str:
    """A cell of a file as people read it."""
    if value is None:
        return ""
    if hasattr(value, "isoformat"):
        return str(value.isoformat(sep=" ") if hasattr(value, "hour") and hasattr(value, "year") else value.isoformat())
    return whole_characters(as_text(value))


def _show_scan(given: Upload, form: Form) -> None:
    place, key = Path(given.path), ("scan", given.digest, given.token, form)

    def scan(work: Work[Scan]) -> Scan:
        found = Scan()
        for row in open_table(place, form).rows():
            found.rows += 1
            if row.problem is not None:
                found.odd[row.problem.code] += 1
                if len(found.first) < _ODD_SHOWN:
                    found.first.append((row.number, row.problem))
            if not found.rows % 500:
                work.tell(found.rows)
        return found

    def show(found: Scan) -> None:
        odd = sum(found.odd.values())
        said = t("batch.rows_all", count=f"{found.rows:,}")
        st.caption(plain(said if odd else f"{said} {t('batch.none_odd')}"))
        if odd:
            reasons = "\n".join(
                f"- {plain(t('batch.odd_row', number=number + 1, reason=phrase_text(reason)))}"
                for number, reason in found.first
            )
            st.warning(f"{plain(t('batch.odd_rows', count=f'{odd:,}'))}\n{reasons}", icon=":material/rule:")

    follow(begun(key, scan), t("batch.scanning"), "batch_scan", show)


def _choose_columns(columns: tuple[str, ...]) -> None:
    st.multiselect(
        t("batch.columns"),
        columns,
        key=state.COLUMNS,
        help=t("batch.columns_help"),
        placeholder=t("batch.columns_hint"),
        persist_state="session",
    )
    first, second = st.columns(2, gap="medium")
    options = ("", *columns)

    def name(one: str) -> str:
        return one or _NONE

    first.selectbox(
        t("batch.id"), options, format_func=name, key=state.ID, help=t("batch.id_help"), persist_state="session"
    )
    second.selectbox(
        t("batch.gold"), options, format_func=name, key=state.GOLD, help=t("batch.gold_help"), persist_state="session"
    )
