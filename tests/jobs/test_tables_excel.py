"""Excel workbooks as tables: dates, ids with zeros, formulas, errors, sheets, and packages that lie or are broken."""

import datetime
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from workbooks import number, row, text, workbook

from engine.errors import WorkbenchError
from engine.jobs.tables import excel_book, find_form, open_table, sheets
from engine.jobs.tables.excel_book import Texts
from engine.jobs.types import Form, SourceRow


def rows(path: Path, **given: Any) -> list[SourceRow]:
    return list(open_table(path, find_form(path, **given)).rows())


def cells(path: Path, **given: Any) -> list[list[Any]]:
    return [list(row.values.values()) for row in rows(path, **given)]


def reason(path: Path, **given: Any) -> str:
    with pytest.raises(WorkbenchError) as caught:
        rows(path, **given)
    assert caught.value.code == "table_unreadable"
    return caught.value.details["reason"].code  # type: ignore[attr-defined, no-any-return]


HEAD = row(text("a"), text("b"))


def one(cell: str) -> str:
    """A sheet with a head and a row with one cell of interest."""
    return HEAD + row(text("1"), cell)


def test_a_workbook_as_programs_write_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["id", "date", "time", "count", "share", "right", "formula", "text"])
    day = datetime.date(2026, 11, 30)
    sheet.append(["007", day, datetime.datetime(2026, 11, 30, 8, 5, 9), 3.0, 0.1 + 0.2, True, "=1+1", "天气"])
    sheet.append([None] * 8)
    sheet.append([8, datetime.time(8, 5), datetime.timedelta(hours=30), -2.5, 10**12, False, None, "a\nb"])
    book.save(tmp_path / "a.xlsx")
    table = open_table(tmp_path / "a.xlsx", find_form(tmp_path / "a.xlsx"))
    assert table.form == Form("xlsx", sheet="Sheet")
    assert table.columns == ("id", "date", "time", "count", "share", "right", "formula", "text")
    first, second = table.rows()
    assert list(first.values.values()) == ["007", "2026-11-30", "2026-11-30T08:05:09", 3, 0.3, True, "=1+1", "天气"]
    assert first.problem is not None
    assert first.problem.code == "row_formula"
    assert list(second.values.values()) == [8, "08:05:00", "P1DT21600S", -2.5, 10**12, False, "", "a\nb"]
    assert second.problem is None
    assert isinstance(first.values["count"], int)
    assert [row.number for row in table.rows(1)] == [1]
    assert table.count() == 2


@pytest.mark.parametrize(
    ("cell", "value", "problem"),
    [
        (number("3.0"), 3, ""),
        (number("1E3"), 1000, ""),
        (number("0.30000000000000004"), 0.3, ""),
        (number("7", style=2), "007", ""),
        (number("1E999"), "1E999", ""),
        (number("46356", style=1), "2026-11-30", ""),
        (number("46356.5", style=1), "2026-11-30T12:00:00", ""),
        (number("46356.5", style=3), "2026-11-30T12:00:00", ""),
        (number("0.25", style=3), "06:00:00", ""),
        (number("1.25", style=4), "P1DT21600S", ""),
        (number("0.12", style=5), 0.12, ""),
        (number("-1E9", style=1), -1000000000, "row_odd_date"),
        (number("5", style=99), 5, ""),
        ('<c t="b"><v>1</v></c>', True, ""),
        ('<c t="b"><v>0</v></c>', False, ""),
        ('<c t="d"><v>2026-11-30T00:00:00</v></c>', "2026-11-30T00:00:00", ""),
        ('<c t="e"><v>#N/A</v></c>', "#N/A", "row_error_cell"),
        ('<c t="s"><v>0</v></c>', "shared text", ""),
        ('<c t="s"><v>1</v></c>', "a\rb_x000D_", ""),
        ("<c><f>1+1</f><v>2</v></c>", 2, ""),
        ('<c t="str"><f>"x"</f><v>kept</v></c>', "kept", ""),
        ('<c t="str"><f>""</f><v></v></c>', "", ""),
        ('<c t="b"><f>TRUE()</f><v>1</v></c>', True, ""),
        ('<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', "#DIV/0!", "row_error_cell"),
        ("<c><f>SUM(A1:A2)</f></c>", "=SUM(A1:A2)", "row_formula"),
        ("<c><f>SUM(A1:A2)</f><v/></c>", "=SUM(A1:A2)", "row_formula"),
        (text("=1+1"), "=1+1", ""),
        (text("007"), "007", ""),
        (text(" x "), " x ", ""),
        ('<c t="inlineStr"><is><r><t>one </t></r><r><t>two</t></r><rPh><t>aid</t></rPh></is></c>', "one two", ""),
        ("<c/>", "", ""),
    ],
)
def test_every_kind_of_cell(cell: str, value: object, problem: str, tmp_path: Path) -> None:
    shared = [
        "<si><r><t>shared </t></r><r><t>text</t></r><rPh><t>aid</t></rPh></si>",
        "<si><t>a_x000D_b_x005F_x000D_</t></si>",
    ]
    (found,) = rows(workbook(tmp_path / "a.xlsx", ("s", "visible", one(cell)), shared=shared))
    assert found.values == {"a": "1", "b": value}
    assert type(found.values["b"]) is type(value)
    assert ("" if found.problem is None else found.problem.code) == problem


def test_dates_of_a_workbook_that_counts_from_1904(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ("s", "visible", one(number("44894", style=1))), from_1904=True)
    assert cells(path) == [["1", "2026-11-30"]]


def test_a_shared_formula_without_a_value_is_moved_to_its_cell(tmp_path: Path) -> None:
    body = HEAD + row('<c r="A2"><v>1</v></c>', '<c r="B2"><f t="shared" ref="B2:B3" si="0">A2*2</f></c>', number=2)
    body += row('<c r="A3"><v>2</v></c>', '<c r="B3"><f t="shared" si="0"/></c>', number=3)
    assert cells(workbook(tmp_path / "a.xlsx", ("s", "visible", body))) == [[1, "=A2*2"], [2, "=A3*2"]]


def test_cells_lie_where_they_say(tmp_path: Path) -> None:
    body = row(text("x", "B2"), text("y", "D2"), number=2)
    body += row(text("1", "B4"), text("3", "D4"), number=4) + row(text("0", "A9"), text("5", "F9"), number=9)
    found = rows(workbook(tmp_path / "a.xlsx", ("s", "visible", body)))
    assert found[0].values == {"x": "1", "column_2": "", "y": "3"}
    assert found[1].values == {"x": "", "column_2": "", "y": "", "extra_cells": ["0", "5"]}
    assert found[1].problem is not None
    assert found[1].problem.code == "row_length"


@pytest.mark.parametrize("dimension", ["A1", "A1:A1", "A1:XFD1048576", "nonsense"])
def test_what_the_sheet_says_of_its_size_does_not_matter(dimension: str, tmp_path: Path) -> None:
    body = HEAD + row(text("1"), text("x")) + row(text("2"), text("y"))
    path = workbook(tmp_path / "a.xlsx", ("s", "visible", body), dimension=dimension)
    assert cells(path) == [["1", "x"], ["2", "y"]]


def test_merged_cells_have_their_value_once(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for line in (["a", "b"], ["x", 1], [None, 2]):
        book.active.append(line)
    book.active.merge_cells("A2:A3")
    book.save(tmp_path / "a.xlsx")
    assert cells(tmp_path / "a.xlsx") == [["x", 1], ["", 2]]


# Sheets.


def test_the_first_sheet_that_is_seen_and_holds_something_is_taken(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "a.xlsx",
        ("hidden", "hidden", one(text("h"))),
        ("empty", "visible", ""),
        ("数据 & more", "visible", one(text("v"))),
    )
    assert find_form(path).sheet == "数据 & more"
    assert sheets(path) == ("empty", "数据 & more", "hidden")
    assert cells(path) == [["1", "v"]]
    assert cells(path, sheet="hidden") == [["1", "h"]]
    assert reason(path, sheet="empty") == "sheet_empty"
    assert reason(path, sheet="none") == "sheet_missing"
    with pytest.raises(WorkbenchError, match="no sheet"):
        open_table(path, Form("xlsx", sheet="none"))


def test_a_workbook_with_hidden_sheets_only_can_be_read(tmp_path: Path) -> None:
    assert cells(workbook(tmp_path / "a.xlsx", ("h", "veryHidden", one(text("x"))))) == [["1", "x"]]


def test_a_chart_is_no_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.create_chartsheet("chart", 0)
    book.save(tmp_path / "a.xlsx")
    assert sheets(tmp_path / "a.xlsx") == ("Sheet",)


@pytest.mark.parametrize("given", [{"encoding": "utf-8"}, {"separator": ","}])
def test_a_workbook_has_no_encoding(given: dict[str, str], tmp_path: Path) -> None:
    assert reason(workbook(tmp_path / "a.xlsx", ("s", "visible", HEAD)), **given) == "table_no_encoding"
    assert reason(tmp_path / "a.xlsx", kind="csv") == "table_other_kind"


# What cannot be read.


def test_old_and_locked_workbooks_say_what_they_are(tmp_path: Path) -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    path = tmp_path / "a.xls"
    path.write_bytes(ole)
    assert reason(path) == "excel_old"
    path.write_bytes(ole + "EncryptedPackage".encode("utf-16-le") + bytes(100))
    assert reason(path) == "excel_encrypted"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("word/document.xml", "<w/>", "excel_no_workbook"),
        ("xl/workbook.bin", "x", "excel_no_workbook"),
        ("xl/workbook.xml", "<workbook><sheets/></workbook>", "excel_no_workbook"),
        ("xl/workbook.xml", "<workbook><", "table_damaged"),
    ],
)
def test_packages_that_hold_no_table(name: str, content: str, expected: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as out:
        out.writestr(name, content)
    assert reason(tmp_path / "a.xlsx") == expected


@pytest.mark.parametrize(
    "body", [one("<c><v>abc</v></c>"), one('<c t="s"><v>9</v></c>'), one('<c r="ZZZZ1"/>'), "<row>"]
)
def test_a_damaged_sheet_is_told(body: str, tmp_path: Path) -> None:
    assert reason(workbook(tmp_path / "a.xlsx", ("s", "visible", body))) == "table_damaged"


def test_a_package_that_is_cut_off_is_told(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ("s", "visible", HEAD))
    path.write_bytes(path.read_bytes()[:-200])
    assert reason(path) == "table_damaged"


def test_a_part_that_does_not_unpack_is_told(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ("s", "visible", "".join(row(text(str(n))) for n in range(2000))))
    raw = bytearray(path.read_bytes())
    raw[200:400] = b"\xff" * 200
    path.write_bytes(bytes(raw))
    assert reason(path) == "table_damaged"


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "a.xlsx", ("s", "visible", HEAD), extra={"bomb": bytes(10**6)})
    assert path.stat().st_size < 10**4
    monkeypatch.setattr(excel_book, "LARGEST", 10**6)
    assert reason(path) == "excel_too_large"
    monkeypatch.setattr(excel_book, "_LARGEST_PART", 100)
    monkeypatch.setattr(excel_book, "LARGEST", 10**9)
    assert reason(path) == "table_damaged"


def test_entities_do_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    entities = "".join(f'<!ENTITY a{n} "{10 * ("&a" + str(n - 1) + ";")}">' for n in range(1, 12))
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("xl/workbook.xml", f'<!DOCTYPE w [<!ENTITY a0 "{1000 * chr(120)}">{entities}]><w>&a11;</w>')
    assert reason(path) == "table_damaged"


# Memory.


def test_many_shared_texts_lie_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = [f"<si><t>文本 {n} 😀</t></si>" for n in range(50)]
    body = HEAD + "".join(row(f'<c t="s"><v>{49 - n}</v></c>', f'<c t="s"><v>{n}</v></c>') for n in range(50))
    path = workbook(tmp_path / "a.xlsx", ("s", "visible", body), shared=shared)
    held = cells(path)
    monkeypatch.setattr(excel_book, "_IN_MEMORY", 0)
    kinds: list[bool] = []
    original = Texts.__getitem__
    monkeypatch.setattr(
        Texts, "__getitem__", lambda self, n: (kinds.append(self.file is not None), original(self, n))[1]
    )
    assert cells(path) == held == [[f"文本 {49 - n} 😀", f"文本 {n} 😀"] for n in range(50)]
    assert kinds
    assert all(kinds)


def test_rows_of_a_sheet_are_not_kept(tmp_path: Path) -> None:
    import tracemalloc

    body = HEAD + "".join(
        f'<row r="{n}" ht="15" customHeight="1">{number(str(n))}{text("天气很好" * 5)}</row>' for n in range(2, 4_002)
    )
    path = workbook(tmp_path / "a.xlsx", ("s", "visible", body))
    table = open_table(path, find_form(path))
    tracemalloc.start()
    try:
        assert table.count() == 4_000
        assert tracemalloc.get_traced_memory()[1] < 2**19
    finally:
        tracemalloc.stop()


def test_a_title_above_the_head_is_left_out(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["B2"] = "2026年评论汇总"
    sheet.merge_cells("B2:D2")
    for place, cells_of in enumerate((["编号", "内容", "标签"], [1, "很好", "好"], [2, None, "坏"]), 4):
        for column, value in enumerate(cells_of, 2):
            sheet.cell(place, column, value)
    book.save(tmp_path / "a.xlsx")
    table = open_table(tmp_path / "a.xlsx", find_form(tmp_path / "a.xlsx"))
    assert table.columns == ("编号", "内容", "标签")
    assert [list(row.values.values()) for row in table.rows()] == [[1, "很好", "好"], [2, "", "坏"]]
    assert ([row.number for row in table.rows(1)], table.count()) == ([1], 2)


def test_a_head_of_one_name_is_the_head(tmp_path: Path) -> None:
    for found, content in ((2, [["text"], ["a", "b"], ["c"]]), (3, [["a long name"], ["x"], ["y"], [1, 2]])):
        book = openpyxl.Workbook()
        for cells_of in content:
            book.active.append(cells_of)
        book.save(tmp_path / "a.xlsx")
        table = open_table(tmp_path / "a.xlsx", find_form(tmp_path / "a.xlsx"))
        assert (table.columns, table.count()) == ((content[0][0],), found)
