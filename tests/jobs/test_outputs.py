"""What a job gives as a file: rows as they were, answers or corrections beside them, and the manifest."""

import json
import os
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from job_makers import CLASSIFY, CSV, EXTRACT, add, failed, numbered, row, write_csv
from workbooks import row as sheet_row
from workbooks import text as cell
from workbooks import workbook

from engine.errors import WorkbenchError
from engine.jobs.exports.outputs import export, out_rows
from engine.jobs.runner import run_here
from engine.jobs.store import JobStore
from engine.jobs.tables import digest, find_form, open_table
from engine.jobs.types import JobSpec, RowResult


@pytest.fixture
def store(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path / "data")


def test_rows_that_are_not_done_are_left_out(store: JobStore, tmp_path: Path) -> None:
    source = numbered(tmp_path / "in.csv", 6)
    job = add(store, source)
    store.keep(job.id, [row(1, "price"), failed(3), row(4)])
    rows = list(out_rows(job, store, open_table(source, CSV)))
    assert [one.values["id"] for one in rows] == ["001", "003", "004"]
    assert [one.label for one in rows] == ["price", None, "delivery"]
    assert [one.error.code if one.error else None for one in rows] == [None, "text_empty", None]
    assert rows[1].labels is None


def test_what_was_answered_before_a_damage_of_the_file_is_exported(store: JobStore, tmp_path: Path) -> None:
    source, part = tmp_path / "in.xlsx", "xl/worksheets/sheet1.xml"
    lines = sheet_row(cell("text")) + sheet_row(cell("x" * 9)) * 4000
    made = workbook(tmp_path / "whole.xlsx", ("s", "visible", lines))
    with zipfile.ZipFile(made) as whole, zipfile.ZipFile(source, "w") as broken:
        for name in whole.namelist():
            content = whole.read(name)
            broken.writestr(name, content[: len(content) // 2] if name == part else content)
    job = store.add(CLASSIFY, "in", source, find_form(source), "0" * 64, copy=False)
    read = []
    with suppress(WorkbenchError):
        read.extend(one.number for one in open_table(source, job.form).rows())
    store.keep(job.id, [row(number) for number in read])
    assert 9 < len(read) < 4000
    assert export(job, store, "csv", tmp_path / "out.csv") == len(read)


def test_answers_are_not_put_beside_rows_of_another_file(store: JobStore, tmp_path: Path) -> None:
    source = numbered(tmp_path / "in.csv", 3)
    job = store.add(CLASSIFY, "in", source, CSV, digest(source), copy=False)
    store.keep(job.id, [row(0)])
    os.utime(source, (job.created + 9,) * 2)
    assert export(job, store, "csv", tmp_path / "out.csv") == 1
    numbered(source, 4)
    os.utime(source, (job.created + 9,) * 2)
    with pytest.raises(WorkbenchError) as caught:
        export(job, store, "csv", tmp_path / "other.csv")
    assert caught.value.code == "job_file_changed"
    assert not (tmp_path / "other.csv").exists()


def test_corrections_stand_in_the_place_of_answers(store: JobStore, tmp_path: Path) -> None:
    source = numbered(tmp_path / "in.csv", 3)
    job = add(store, source)
    answer = {"label": "price", "labels": [{"label": "price", "score": 0.7}, {"label": "quality", "score": 0.2}]}
    store.keep(job.id, [row(0, answer=answer), failed(1), row(2)])
    store.correct(job.id, 0, {"label": "quality", "labels": ["quality", "new"]})
    store.correct(job.id, 1, {"label": None, "labels": []})
    first, second, third = out_rows(job, store, open_table(source, CSV))
    assert (first.label, first.corrected) == ("quality", True)
    assert first.labels == [{"label": "quality", "score": 0.2}, {"label": "new", "score": None}]
    assert (second.label, second.labels, second.error, second.corrected) == (None, [], None, True)
    assert (third.label, third.corrected) == ("delivery", False)
    assert export(job, store, "jsonl", tmp_path / "out.jsonl") == 3
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text("utf-8"))
    assert manifest["rows"]["corrected"] == 2


def test_corrected_fields(store: JobStore, tmp_path: Path) -> None:
    source = write_csv(tmp_path / "in.csv", [("1", "Ann and Bob")])
    job = add(store, source, EXTRACT)
    found = {"name": [{"text": "Ann", "start": 0, "end": 3, "score": 0.9}], "price": []}
    store.keep(job.id, [RowResult(0, "1", "Ann and Bob", {"fields": found}, 0.9, 1, 1)])
    (given,) = out_rows(job, store, open_table(source, CSV))
    assert (given.fields, given.corrected) == (found, False)
    right = {"name": [{"text": "Bob", "start": 8, "end": 11}], "price": []}
    store.correct(job.id, 0, {"fields": right})
    (given,) = out_rows(job, store, open_table(source, CSV))
    assert (given.fields, given.corrected) == (right, True)


@pytest.mark.parametrize("kind", ["csv", "xlsx", "jsonl", "parquet"])
def test_an_export_is_read_back_and_can_be_a_job_again(
    make_workbench: Callable[..., Any], store: JobStore, tmp_path: Path, kind: Any
) -> None:
    texts = ["=1+2 delivery", "价格 太高", "two\nlines", "-5", ""]
    source = write_csv(tmp_path / "in.csv", [(f"00{place}", text) for place, text in enumerate(texts)])
    spec = JobSpec("classify", ("text",), "id", labels=("delivery", "price"), multi=True)
    job = run_here(make_workbench(), store, add(store, source, spec), threading.Event())
    out = tmp_path / f"out.{kind}"
    assert export(job, store, kind, out) == 5
    form = find_form(out)
    rows = list(open_table(out, form).rows())
    assert [one.values["text"] or "" for one in rows] == texts
    assert [one.values["id"] for one in rows] == ["000", "001", "002", "003", "004"]
    again = store.add(CLASSIFY, out.name, out, form, "1" * 64, copy=False)
    done = run_here(make_workbench(), store, again, threading.Event())
    assert (done.done, done.failed) == (5, 1)
    answers = {one.key: one.answer.get("labels") and one.answer["labels"][0]["label"] for one in store.each(again.id)}
    assert answers["000"] == "delivery"


def test_what_stood_there_stays_where_the_input_is_gone(store: JobStore, tmp_path: Path) -> None:
    source = numbered(tmp_path / "in.csv", 3)
    job = add(store, source)
    store.keep(job.id, [row(0)])
    out = tmp_path / "out.csv"
    out.write_text("before")
    source.unlink()
    with pytest.raises(WorkbenchError) as caught:
        export(job, store, "csv", out)
    assert caught.value.code == "bad_file"
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out.csv"]
