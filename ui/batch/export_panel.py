"""A job's rows as a file: written by a thread onto the disk, then given to the browser with its manifest beside it."""

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import streamlit as st

from engine.errors import WorkbenchError
from engine.jobs.exports.html_writer import SheetTexts
from engine.jobs.exports.manifest import manifest_path
from engine.jobs.exports.outputs import export
from engine.jobs.exports.writers import ExportKind
from engine.jobs.types import Job, RowFilter, RowResult
from engine.model.memory import human_bytes
from ui.batch.versions import version
from ui.batch.work import Work, begun, follow, forget, known
from ui.engine import jobs, workbench
from ui.i18n import language, t
from ui.messages import plain

KINDS: dict[ExportKind, tuple[str, str]] = {
    "csv": ("CSV", "text/csv"),
    "xlsx": ("Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "jsonl": ("JSONL", "application/x-ndjson"),
    "parquet": ("Parquet", "application/vnd.apache.parquet"),
    "html": ("HTML", "text/html"),
}
_KIND, _WHICH = "batch_view_export_kind", "batch_view_export_which"
_UNSAFE = '\\/:*?"<>|'
_PIECE = 2000
"""Rows of a filter that are read at a time."""
_NAME_BYTES = 180
"""Of a file's name: file systems take 255, with what the export and its manifest add."""
_OLD = 24 * 3600.0


@dataclass(frozen=True)
class Written:
    """A file that was written, and its manifest. state: of the job's rows when it was begun."""

    path: Path
    manifest: Path
    state: tuple[int, ...]


def export_panel(job: Job) -> None:
    """Choose a form, prepare the file, download it."""
    st.segmented_control(
        t("batch.export_kind"),
        list(KINDS),
        required=True,
        default="csv" if _KIND not in st.session_state else None,
        format_func=lambda one: KINDS[one][0],
        key=_KIND,
    )
    chosen = st.session_state.get(_KIND)
    kind: ExportKind = next((one for one in KINDS if one == chosen), "csv")
    st.caption(t(f"batch.export_is.{kind}"))
    options: list[RowFilter] = ["all", "low", "not_found" if job.spec.task == "extract" else "none", "failed"]
    options += ["differs", "corrected"] if job.spec.gold else ["corrected"]
    counts = jobs().store.counts(job.id)

    def said(one: RowFilter) -> str:
        return f"{t(f'batch.filter.{one}', low=f'{job.low:.0%}')} ({counts.get(one, 0):,})"

    which = st.selectbox(t("batch.export_which"), options, format_func=said, key=_WHICH)
    if job.state != "done":
        st.info(t("batch.export_part", done=f"{job.done:,}"), icon=":material/hourglass_bottom:")
    key = ("export", job.id, kind, which)

    texts = _sheet_texts()

    def prepare() -> None:
        forget(key)
        begun(key, lambda work: _write(work, job.id, kind, which, texts))

    st.button(t("batch.export_prepare"), on_click=prepare, key="batch_export_prepare", icon=":material/build:")
    work = known(key)
    if work is not None:
        follow(work, t("batch.exporting"), "batch_export", lambda written: _show(job, kind, written))


def _rows_state(job: Job) -> tuple[int, ...]:
    return (job.done, job.failed, version(job.id))


class _Rows:
    """Stands for the store where rows are written: those that a filter finds, and the work is told how far it is."""

    def __init__(self, work: Work[Written], job: Job, which: RowFilter) -> None:
        self._work, self._which = work, which
        self._total = job.done if which == "all" else jobs().store.counts(job.id).get(which, 0)

    def each(self, job_id: str) -> Iterator[RowResult]:
        """The rows in the file's order."""
        for number, row in enumerate(self._found(job_id)):
            if not number % 100:
                self._work.tell(number, self._total)
            yield row

    def counts(self, job_id: str) -> dict[str, int]:
        """As the store's."""
        return jobs().store.counts(job_id)

    def _found(self, job_id: str) -> Iterator[RowResult]:
        store, offset = jobs().store, 0
        if self._which == "all":
            yield from store.each(job_id)
            return
        last = -1
        while rows := store.rows(job_id, self._which, offset=offset, limit=_PIECE).rows:
            # rows that come or are corrected meanwhile move the others: none is written twice, or the file would end
            yield from (row for row in rows if row.number > last)
            last = max(last, rows[-1].number)
            offset += len(rows)


def _write(work: Work[Written], job_id: str, kind: ExportKind, which: RowFilter, texts: SheetTexts) -> Written:
    """On a thread. Each file has a folder of its own, so that a newer one never changes one that is being sent."""
    store = jobs().store
    job = store.get(job_id)
    if job is None:
        raise WorkbenchError("job_missing")
    folder = workbench().settings.data_dir / "exports" / f"{job_id}-{time.time_ns()}"
    _drop_old(folder.parent)
    try:
        folder.mkdir(parents=True, mode=0o700)
        path = folder / f"{_file_name(job, which)}.{kind}"
        rows: Any = _Rows(work, job, which)
        export(job, rows, kind, path, texts)
    except OSError as error:
        raise WorkbenchError("file_not_written", path=folder, reason=error.strerror or error) from None
    return Written(path, manifest_path(path), _rows_state(job))


def _show(job: Job, kind: ExportKind, written: Written) -> None:
    if not written.path.is_file():
        forget(("export", job.id, kind, st.session_state.get(_WHICH)))
        return
    if written.state != _rows_state(job):
        st.warning(t("batch.export_old"), icon=":material/history:")
    with st.container(horizontal=True, vertical_alignment="center"):
        size = human_bytes(written.path.stat().st_size)
        _download(t("batch.export_file", name=plain(written.path.name), size=size), written.path, KINDS[kind][1], kind)
        if written.manifest.is_file():
            _download(t("batch.export_manifest"), written.manifest, "application/json", "manifest")
    st.caption(t("batch.manifest_is"))


def _download(label: str, path: Path, mime: str, key: str) -> None:
    def opened() -> BinaryIO:
        return path.open("rb")

    data: Any = opened  # opened when it is wanted, by a thread without a session
    st.download_button(
        label,
        data,
        path.name,
        mime,
        key=f"batch_download_{key}",
        on_click="ignore",
        icon=":material/download:",
        type="secondary" if key == "manifest" else "primary",
    )


def _sheet_texts() -> SheetTexts:
    """What an HTML document says, in the session's language."""
    columns = (t("batch.row_head"), t("text.label"), t("batch.label"), t("values.score"), t("chips.label"))
    return SheetTexts(
        t("batch.section.results"),
        columns,
        t("batch.row", number="{number}"),
        t("extract.not_found"),
        t("batch.corrected"),
        t("batch.shown_first", shown="{shown}", total="{total}"),
        language(),
    )


def _file_name(job: Job, which: RowFilter) -> str:
    """The job's name as every system takes it for a file."""
    stem = job.name.rsplit(".", 1)[0] if "." in job.name[1:] else job.name
    kept = "".join("_" if char in _UNSAFE or not char.isprintable() else char for char in stem).strip(" .")
    kept = kept.encode()[:_NAME_BYTES].decode(errors="ignore").strip(" .")
    return f"{kept or 'batch'}.{'results' if which == 'all' else which}"


def drop_exports(job_id: str) -> None:
    """Delete the files that were written of a job, which hold its texts."""
    for folder in (workbench().settings.data_dir / "exports").glob(f"{job_id}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def _drop_old(folder: Path) -> None:
    """Files of an earlier day are not wanted any more: the job is."""
    try:
        for one in folder.iterdir():
            if time.time() - one.stat().st_mtime > _OLD:
                shutil.rmtree(one, ignore_errors=True)
    except OSError:
        return
