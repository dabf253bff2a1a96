"""Exports: CSV that is safe in a spreadsheet, JSON Lines and a record that are exact, a document."""

import csv
import io
import json
from typing import Any

import pytest

from engine.exports import extract_csv, extract_html, extract_jsonl, meaning_text, record, rows
from engine.text.highlight_document import DocumentTexts
from engine.types import ExtractResult, ExtractUsage, FieldAnswer, FieldSpec, FoundValue, ModelInfo, TypedValue

FORMULAS = ["=1+1", '=HYPERLINK("http://x","y")', "-3度", "@甲", "+86 21"]
COLUMNS = ["field", "value", "start", "end", "score", "status", "meaning", "problem", "asked"]


def value(text: str, start: int | None = 0, typed: TypedValue | None = None) -> FoundValue:
    end = None if start is None else start + len(text)
    return FoundValue(text, start, end, None if start is None else 0.875, "exact" if start is not None else "absent",
                      "as asked", typed)  # fmt: skip


def result(*answers: FieldAnswer) -> ExtractResult:
    model = ModelInfo("fake", "1", "seqgpt", "cpu", "fp32", 0, 1024)
    return ExtractResult(answers, (), ExtractUsage(1, 1, 10, 5, 2, 3, 2, 1.5), model)


def answer(spec: FieldSpec, *values: FoundValue) -> FieldAnswer:
    return FieldAnswer(spec, values, 0.5)


def read_csv(content: bytes) -> list[list[str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def read_lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.decode().splitlines()]


def test_rows_come_in_the_order_of_fields_and_text() -> None:
    date = TypedValue("2026-11-30")
    found = result(answer(FieldSpec("b"), value("x"), value("y", 5)), answer(FieldSpec("a"), value("30日", 9, date)))
    assert [(row.field, row.value, row.start, row.end, row.meaning) for row in rows(found)] == [
        ("b", "x", 0, 1, None),
        ("b", "y", 5, 6, None),
        ("a", "30日", 9, 12, "2026-11-30"),
    ]


@pytest.mark.parametrize("text", [*FORMULAS, "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠x"])
def test_no_cell_of_the_csv_can_be_a_formula(text: str, cases: dict[str, Any]) -> None:
    if "file-formula" in cases:
        assert cases["file-formula"]["values"] == FORMULAS
    field = FieldSpec(text, asked=(text,))
    one = FoundValue(text, 0, len(text), 0.5, "exact", text, TypedValue(text, text))
    head, *lines = read_csv(extract_csv(result(answer(field, one), answer(field))))
    assert head == COLUMNS
    for line in lines:
        for cell in line:
            assert not cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))
    assert lines[0][1] == f"'{text}"
    assert read_lines(extract_jsonl(result(answer(field, one))))[0]["value"] == text


def test_numbers_stay_numbers_in_the_csv() -> None:
    found = result(
        answer(FieldSpec("n", type="number"), value("-3度", 2, TypedValue(-3))),
        answer(FieldSpec("m", type="money"), value("¥12", 9, TypedValue({"amount": 12.5, "currency": "CNY"}))),
        answer(FieldSpec("d", type="date"), value("someday", 20, TypedValue(None, "no date"))),
        answer(FieldSpec("absent")),
    )
    _, number, money, date, absent = read_csv(extract_csv(found))
    assert number == ["n", "'-3度", "2", "5", "0.875", "exact", "-3", "", "as asked"]
    assert money[6] == "12.5 CNY"
    assert date[6:8] == ["", "no date"]
    assert absent == ["absent", "", "", "", "", "not found", "", "", ""]


def test_awkward_text_survives_csv_and_json_lines() -> None:
    text = 'a,"b"\r\nc；d\u2028e\u0085f 👩‍👩‍👧'
    found = result(answer(FieldSpec("f"), value(text)))
    assert read_csv(extract_csv(found))[1][1] == text
    assert [one["value"] for one in read_lines(extract_jsonl(found))] == [text]


def test_half_a_character_breaks_no_export() -> None:
    found = result(answer(FieldSpec("f"), value("a\ud83d")))
    assert read_csv(extract_csv(found))[1][1] == "a?"
    assert read_lines(extract_jsonl(found))[0]["value"] == "a\ud83d"
    assert b"<!DOCTYPE html>" in extract_html("a\ud83d", found)


def test_json_lines_hold_one_value_each_and_nothing_for_what_was_not_found() -> None:
    money = TypedValue({"amount": 3, "currency": None})
    found = result(answer(FieldSpec("x")), answer(FieldSpec("y"), value("3元", 4, money), value("free", None)))
    first, second = read_lines(extract_jsonl(found))
    assert list(first) == COLUMNS
    assert first["meaning"] == {"amount": 3, "currency": None}
    assert (second["start"], second["end"], second["score"], second["status"]) == (None, None, None, "absent")
    assert extract_jsonl(result(answer(FieldSpec("x")))) == b""


def test_the_record_has_the_fields_as_keys() -> None:
    found = result(
        answer(FieldSpec("names", many=True), value("A"), value("B", 3), value("A", 5)),
        answer(FieldSpec("nothing", many=True)),
        answer(FieldSpec("date", type="date", many=False), value("30日", 6, TypedValue("2026-11-30"))),
        answer(FieldSpec("bad", type="date", many=False), value("soon", 9, TypedValue(None, "no date"))),
        answer(FieldSpec("zero", type="number", many=False), value("0", 9, TypedValue(0))),
        answer(FieldSpec("absent", many=False)),
    )
    assert record(found) == {
        "names": ["A", "B"],
        "nothing": [],
        "date": "2026-11-30",
        "bad": "soon",
        "zero": 0,
        "absent": None,
    }
    assert list(record(found)) == ["names", "nothing", "date", "bad", "zero", "absent"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (None, ""),
        (TypedValue(None, "why"), ""),
        (TypedValue(0), "0"),
        (TypedValue(1.5), "1.5"),
        (TypedValue("2026"), "2026"),
        (TypedValue({"amount": 1, "currency": "EUR"}), "1 EUR"),
        (TypedValue({"amount": 1, "currency": None}), "1"),
    ],
)
def test_a_meaning_fits_one_cell(typed: TypedValue | None, expected: str) -> None:
    assert meaning_text(typed) == expected


def test_the_document_shows_text_values_and_model() -> None:
    odd = value("大学", 2, TypedValue(None, "not a date"))
    found = result(answer(FieldSpec("甲"), value("北京")), answer(FieldSpec("乙", type="date"), odd))
    document = extract_html(
        "北京大学", found, DocumentTexts(language="zh"), {"not a date": "不是日期"}.__getitem__
    ).decode()
    assert "⚠ 不是日期" in document
    assert '<html lang="zh">' in document
    assert ">北京</mark>" in document
    assert "fake 1 · cpu · fp32" in document
