"""Exports: the contract of each kind, safe cells, names that clash, limits that show, files whole or not there."""

import csv
import errno
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest

from engine.errors import WorkbenchError
from engine.jobs.exports import excel_writer, writers
from engine.jobs.exports.excel_writer import CUT, write_xlsx
from engine.jobs.exports.html_writer import SheetTexts, write_html
from engine.jobs.exports.layout import Layout, OutRow
from engine.jobs.exports.writers import kind_of, whole_file, write
from engine.jobs.tables import find_form, open_table, sheets
from engine.messages import Phrase

LABELS = [{"label": "甲", "score": 0.75}, {"label": "乙", "score": 0.25}]
FIELDS = {
    "city": [
        {"text": "北京", "start": 0, "end": 2, "score": 0.9, "status": "exact"},
        {"text": "上海", "start": 3, "end": 5, "score": 0.8, "status": "exact", "normalised": {"amount": 1}},
    ],
    "none": [],
}
EMPTY = WorkbenchError("text_empty")


def classified(**values: Any) -> OutRow:
    return OutRow(values, "甲", LABELS, score=0.75, text=str(values.get("text", "")))


def extracted(**values: Any) -> OutRow:
    return OutRow(values, fields=FIELDS, score=0.8, text="北京和上海")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().decode().splitlines()]


def table(path: Path) -> list[dict[str, str]]:
    raw = path.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


# JSON Lines, the contract of the command line.


def test_jsonl_of_a_classification(tmp_path: Path) -> None:
    rows = [classified(id=7, text="=1+1"), OutRow({"id": 8, "text": ""}, error=EMPTY)]
    assert write(rows, ["id", "text"], "classify", tmp_path / "o.jsonl", "jsonl") == 2
    assert lines(tmp_path / "o.jsonl") == [
        {"id": 7, "text": "=1+1", "label": "甲", "labels": LABELS, "error": None},
        {
            "id": 8,
            "text": "",
            "label": None,
            "labels": None,
            "error": {"code": "text_empty", "message": EMPTY.message, "hint": EMPTY.hint},
        },
    ]


def test_jsonl_of_an_extraction(tmp_path: Path) -> None:
    write([extracted(text="t"), OutRow({"text": ""}, error=EMPTY)], ["text"], "extract", tmp_path / "o.jsonl", "jsonl")
    first, second = lines(tmp_path / "o.jsonl")
    assert first == {"text": "t", "fields": FIELDS, "error": None}
    assert (second["fields"], second["error"]["code"]) == (None, "text_empty")


def test_jsonl_says_what_else_there_is(tmp_path: Path) -> None:
    odd = OutRow({"t": 1}, None, LABELS, corrected=True, problem=Phrase("row_bytes"), chosen=["甲", "乙"])
    write([odd], ["t"], "classify", tmp_path / "o.jsonl", "jsonl", multi=True)
    (found,) = lines(tmp_path / "o.jsonl")
    assert found["label"] is None
    assert found["chosen"] == ["甲", "乙"]
    assert found["corrected"] is True
    assert found["problem"] == Phrase("row_bytes")


def test_values_are_raw_in_jsonl(tmp_path: Path, cases: dict[str, Any]) -> None:
    values = [*cases["file-formula"]["values"], "a\u2028b\x85c", "\ud800", "\0", "'=x"]
    write([classified(text=value) for value in values], ["text"], "classify", tmp_path / "o.jsonl", "jsonl")
    assert [one["text"] for one in lines(tmp_path / "o.jsonl")] == values


@pytest.mark.parametrize("kind", ["jsonl", "csv", "xlsx", "parquet"])
def test_an_input_column_of_a_name_that_is_needed_is_kept(kind: Any, tmp_path: Path) -> None:
    given = {"text": "t", "label": "gold", "input_label": "x", "error": "e", "labels": "l", "score": "s", "fields": "f"}
    path = tmp_path / f"o.{kind}"
    write([classified(**given)], list(given), "classify", path, kind)
    (row,) = open_table(path, find_form(path)).rows()
    assert (row.values["label"], row.values["input_label_2"], row.values["input_label"]) == ("甲", "gold", "x")
    assert (row.values["input_error"], row.values["input_labels"], row.values["fields"]) == ("e", "l", "f")
    assert row.values["score" if kind == "jsonl" else "input_score"] == "s"


def test_an_input_column_named_fields_is_kept_in_an_extraction(tmp_path: Path) -> None:
    write([extracted(fields=1, label=2)], ["fields", "label"], "extract", tmp_path / "o.jsonl", "jsonl")
    assert lines(tmp_path / "o.jsonl") == [{"input_fields": 1, "label": 2, "fields": FIELDS, "error": None}]


def test_names_that_come_late_are_kept(tmp_path: Path) -> None:
    rows = [classified(text="t"), classified(text="u", label="gold", more=[1])]
    write(rows, ["text"], "classify", tmp_path / "o.jsonl", "jsonl")
    assert lines(tmp_path / "o.jsonl")[1]["input_label"] == "gold"
    assert lines(tmp_path / "o.jsonl")[1]["more"] == [1]
    write(rows, ["text"], "classify", tmp_path / "o.csv", "csv")
    assert [one["more"] for one in table(tmp_path / "o.csv")] == ["", '{"label": "gold", "more": [1]}']


# CSV.


def test_no_cell_of_the_csv_can_be_a_formula(tmp_path: Path, cases: dict[str, Any]) -> None:
    values = [*cases["file-formula"]["values"], "\t=1", "＝1+1", "\r\n=1"]
    rows = [OutRow({"=head": value, "n": -3}, value, [value], error=EMPTY, problem=None) for value in values]
    write(rows, ["=head", "n"], "classify", tmp_path / "o.csv", "csv")
    for line, value in zip(table(tmp_path / "o.csv"), values, strict=True):
        assert line["'=head"] == line["label"] == f"'{value}"
        assert line["n"] == "-3"
        assert not any(cell.startswith(("=", "+", "@", "\t", "\r", "＝")) for cell in line.values())
        assert json.loads(line["workbench_guarded"]) == ["=head", "label"]


def test_the_csv_has_readable_columns(tmp_path: Path) -> None:
    row = extracted(city="input")
    write(
        [row, OutRow({}, error=EMPTY)], ["city"], "extract", tmp_path / "o.csv", "csv", fields=["city", "none", "score"]
    )
    first, second = table(tmp_path / "o.csv")
    assert list(first)[:6] == ["city", "city_2", "none", "score_2", "fields", "score"]
    assert (first["city"], first["city_2"], first["none"], first["score"]) == ("input", "北京 | 上海", "", "0.8")
    assert json.loads(first["fields"]) == FIELDS
    assert (second["fields"], second["error"]) == ("", f"text_empty: {EMPTY.message}")


def test_several_labels_and_values_of_users_are_readable(tmp_path: Path) -> None:
    row = OutRow({"t": None}, "甲", ["甲", "乙"], chosen=["甲", "乙"], corrected=True)
    write([row], ["t"], "classify", tmp_path / "o.csv", "csv", multi=True)
    (found,) = table(tmp_path / "o.csv")
    assert (found["t"], found["labels"], found["chosen"]) == ("", '["甲", "乙"]', '["甲", "乙"]')
    assert found["corrected"] == "true"
    named = OutRow({"t": 1}, fields={"city": ["北京"], "x": None})
    write([named], ["t"], "extract", tmp_path / "o.csv", "csv", fields=["city", "x"])
    assert (table(tmp_path / "o.csv")[0]["city"], table(tmp_path / "o.csv")[0]["x"]) == ("北京", "")


def test_half_a_character_does_not_stop_the_csv(tmp_path: Path) -> None:
    write([classified(text="a\ud800b")], ["text"], "classify", tmp_path / "o.csv", "csv")
    assert table(tmp_path / "o.csv")[0]["text"] == "a\ufffdb"


# Excel.


def test_a_workbook_holds_texts_as_texts(tmp_path: Path, cases: dict[str, Any]) -> None:
    values = [*cases["file-formula"]["values"], "007", "#N/A", "2026-11-30", " x ", "TRUE"]
    write([classified(text=value, n=3, big=10**17) for value in values], ["text", "n", "big"], "classify",
          tmp_path / "o.xlsx", "xlsx")  # fmt: skip
    sheet = openpyxl.load_workbook(tmp_path / "o.xlsx").active
    for number, value in enumerate(values, 2):
        cell = sheet.cell(number, 1)
        assert (cell.value, cell.data_type) == (value, "s")
        assert bool(cell.quotePrefix) == (value in cases["file-formula"]["values"])
        assert (sheet.cell(number, 2).value, sheet.cell(number, 3).value) == (3, str(10**17))
    assert sheet.freeze_panes == "A2"


def test_a_long_text_is_cut_in_sight(tmp_path: Path) -> None:
    fits, long = "长" * 32_767, "长" * 40_000
    escaped = "\x00" * 10_000
    write([classified(text=one) for one in (fits, long, escaped)], ["text"], "classify", tmp_path / "o.xlsx", "xlsx")
    found = [row.values["text"] for row in open_table(tmp_path / "o.xlsx", find_form(tmp_path / "o.xlsx")).rows()]
    assert found[0] == fits
    assert found[1].endswith(CUT)
    assert long.startswith(found[1].removesuffix(CUT))
    assert len(found[1]) == 32_767
    assert found[2].startswith("\x00" * 4000)
    assert found[2].endswith(CUT)
    assert len(excel_writer.excel_text(escaped)) <= 32_767


def test_rows_beyond_a_sheet_go_on_in_the_next(tmp_path: Path) -> None:
    path = tmp_path / "o.xlsx"
    layout = Layout(["id"], "classify")
    assert write_xlsx((classified(id=number) for number in range(7)), layout, path, most=4) == 7
    assert sheets(path) == ("rows", "rows 2", "rows 3")
    found = [
        [row.values["id"] for row in open_table(path, find_form(path, sheet=name)).rows()] for name in sheets(path)
    ]
    assert found == [[0, 1, 2], [3, 4, 5], [6]]


# Parquet.


def test_the_form_of_a_parquet_file_does_not_depend_on_the_rows(tmp_path: Path) -> None:
    write([classified(a=1), classified(a="x"), classified(a=[1])], ["a"], "classify", tmp_path / "1.parquet", "parquet")
    write([OutRow({}, error=EMPTY, chosen=None)], ["a"], "classify", tmp_path / "2.parquet", "parquet")
    write([], ["a"], "classify", tmp_path / "3.parquet", "parquet")
    first, *others = (pq.read_schema(tmp_path / f"{number}.parquet") for number in (1, 2, 3))
    assert all(first.equals(other) for other in others)
    assert str(first.field("labels").type) == "list<element: struct<label: string, score: double>>"
    assert pq.read_table(tmp_path / "1.parquet").column("a").to_pylist() == ["1", "x", "[1]"]
    assert pq.read_table(tmp_path / "2.parquet").column("a").to_pylist() == [None]


def test_rows_come_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.jobs.exports import parquet_writer

    monkeypatch.setattr(parquet_writer, "_GROUP", 3)
    rows = [OutRow({"a": n}, None, ["甲"], chosen=["甲"], corrected=True) for n in range(7)]
    assert write(rows, ["a"], "classify", tmp_path / "o.parquet", "parquet", multi=True) == 7
    assert pq.ParquetFile(tmp_path / "o.parquet").num_row_groups == 3
    (first, *_) = pq.read_table(tmp_path / "o.parquet").to_pylist()
    assert (first["labels"], first["chosen"], first["corrected"]) == ([{"label": "甲", "score": None}], ["甲"], True)


# HTML.


def test_a_document_of_labels(tmp_path: Path) -> None:
    rows = [
        classified(text="<script>x</script>"),
        OutRow({}, error=EMPTY, text="t"),
        OutRow({}, "乙", ["乙"], corrected=True),
    ]
    write(rows, ["text"], "classify", tmp_path / "o.html", "html")
    page = (tmp_path / "o.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert "<script" not in page
    assert "&lt;script&gt;x" in page
    assert "甲 75.0%\n乙 25.0%" in page
    assert "⚠ There is no text to read." in page
    assert "乙 (corrected)" in page
    assert page.count("<tr>") == 4


def test_a_document_of_highlights(tmp_path: Path) -> None:
    typed = OutRow({}, fields={"city": [{"text": "广州"}, "深圳"], "none": []}, text="那里", corrected=True)
    rows = [extracted(), typed, OutRow({}, error=EMPTY)]
    write(rows, ["text"], "extract", tmp_path / "o.html", "html")
    page = (tmp_path / "o.html").read_text("utf-8")
    assert re.findall("<mark[^>]*>([^<]*)</mark>", page) == ["北京", "上海"]
    assert page.count("<h2>") == 3
    assert "Row 2 (corrected)" in page
    assert "广州 | 深圳" in page
    assert "not found" in page


def test_a_document_says_how_many_rows_it_leaves_out(tmp_path: Path) -> None:
    texts = SheetTexts(shown="{shown}/{total}!", language="zh")
    layout = Layout(["text"], "classify")
    assert write_html((classified(text=str(n)) for n in range(9)), layout, tmp_path / "o.html", texts, most=4) == 9
    page = (tmp_path / "o.html").read_text("utf-8")
    assert page.count("<tr>") == 5
    assert "4/9!" in page
    assert '<html lang="zh">' in page


# Whole or not there.


def failing(error: BaseException) -> Iterator[OutRow]:
    yield classified(text="a")
    raise error


@pytest.mark.parametrize("kind", ["csv", "xlsx", "jsonl", "parquet", "html"])
def test_an_export_that_fails_leaves_what_was_there(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / f"o.{kind}"
    path.write_text("before")
    for error in (EMPTY, KeyboardInterrupt()):
        with pytest.raises(type(error)):
            write(failing(error), ["text"], "classify", path, kind)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", ["csv", "xlsx", "jsonl", "parquet", "html"])
def test_a_folder_that_is_not_there_is_told(kind: Any, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as caught:
        write([classified(text="a")], ["text"], "classify", tmp_path / "none" / f"o.{kind}", kind)
    assert caught.value.code == "file_not_written"


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as caught:
        write(
            failing(OSError(errno.ENOSPC, "No space left on device")), ["text"], "classify", tmp_path / "o.csv", "csv"
        )
    assert caught.value.code == "file_not_written"
    assert "No space left" in caught.value.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("kind", ["csv", "xlsx", "jsonl", "parquet", "html"])
def test_a_device_that_is_full_is_told(kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers.secrets, "token_hex", lambda _: "x")
    (tmp_path / f".o.{kind}.x.part").symlink_to("/dev/full")
    with pytest.raises(WorkbenchError) as caught:
        write((classified(text="a" * 1000) for _ in range(500)), ["text"], "classify", tmp_path / f"o.{kind}", kind)
    assert caught.value.code == "file_not_written"
    assert list(tmp_path.iterdir()) == []


def test_any_file_may_be_whole_or_not_there(tmp_path: Path) -> None:
    with whole_file(tmp_path / ("n" * 240)) as draft:
        draft.write_text("x")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", "csv"),
        ("a.XLSX", "xlsx"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.parquet", "parquet"),
        ("a.htm", "html"),
    ],
)
def test_the_kind_is_known_by_the_name(name: str, kind: str) -> None:
    assert kind_of(Path(name)) == kind


def test_an_unknown_kind_is_told(tmp_path: Path) -> None:
    for call in (lambda: kind_of(Path("a.doc")), lambda: write([], [], "classify", tmp_path / "a", "doc")):  # type: ignore[arg-type]
        with pytest.raises(WorkbenchError) as caught:
            call()
        assert caught.value.code == "export_kind"
