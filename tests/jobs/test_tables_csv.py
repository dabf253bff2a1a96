"""Separated text as tables: values as typed, odd rows with a reason, no row lost."""

import io
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.jobs.tables import Suggestion, csv_records, digest, find_form, open_table, sheets, suggest_columns
from engine.jobs.tables.csv_records import records
from engine.jobs.tables.table import column_names, free_name
from engine.jobs.types import Form, SourceRow


def written(tmp_path: Path, content: str | bytes, name: str = "a.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(path: Path, **given: Any) -> list[SourceRow]:
    return list(open_table(path, find_form(path, **given)).rows())


def values(path: Path, **given: Any) -> list[list[Any]]:
    return [list(row.values.values()) for row in rows(path, **given)]


def code(row: SourceRow) -> str:
    return "" if row.problem is None else row.problem.code


def reason(error: WorkbenchError) -> str:
    assert error.code == "table_unreadable"
    return error.details["reason"].code  # type: ignore[attr-defined, no-any-return]


# The cases that users reported.


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_every_encoding_gives_the_same_rows(encoding: str, tmp_path: Path, cases: dict[str, Any]) -> None:
    case = cases["file-encodings"]
    path = written(tmp_path, "\n".join(case["rows"]).encode(encoding))
    form = find_form(path)
    assert form == Form("csv", encoding, ",")
    table = open_table(path, form)
    assert table.columns == ("id", "text")
    assert [row.values for row in table.rows()] == [
        {"id": "1", "text": "上海今天下雨"},
        {"id": "2", "text": "北京股市大涨"},
    ]
    again = find_form(path, encoding=encoding)
    assert [row.values for row in open_table(path, again).rows()] == [row.values for row in table.rows()]


def test_ragged_rows_come_once_with_a_reason(tmp_path: Path, cases: dict[str, Any]) -> None:
    found = rows(written(tmp_path, cases["file-ragged"]["content"]))
    assert [(row.number, row.values, code(row)) for row in found] == [
        (0, {"id": "1", "text": "a"}, ""),
        (1, {"id": "2", "text": "b", "extra_cells": ["c", "d"]}, "row_length"),
        (2, {"id": "3", "text": 'x\ny "q"'}, ""),
        (3, {"id": "4", "text": ""}, "row_length"),
    ]
    assert found[1].problem == "the row has 4 cells, the head has 2"


def test_values_are_text_as_typed(tmp_path: Path, cases: dict[str, Any]) -> None:
    path = written(tmp_path, cases["file-values"]["content"])
    assert values(path) == [["007", "NA"], ["008", "None"], ["009", "null"], ["010", ""], ["011", "1e5"]]
    assert not any(map(code, rows(path)))


# Separators.


@pytest.mark.parametrize(
    ("content", "separator", "first"),
    [
        ("id,text\n1,天气；很好，真的\n", ",", {"id": "1", "text": "天气；很好，真的"}),
        ("id;text\n1;a, b\n2;c, d\n", ";", {"id": "1", "text": "a, b"}),
        ("id;name, first\n1;Doe, John\n2;Roe, Ann\n", ";", {"id": "1", "name, first": "Doe, John"}),
        ("id\ttext\n1\ta,b;c|d\n", "\t", {"id": "1", "text": "a,b;c|d"}),
        ("id|text\n1|a,b\n", "|", {"id": "1", "text": "a,b"}),
        ('"id","text"\n"1","a;b;c"\n', ",", {"id": "1", "text": "a;b;c"}),
        ("text\n很好，真的\nWell, yes\n", "", {"text": "很好，真的"}),
        ('text\n"Well, ""yes"""\nno\n', "", {"text": 'Well, "yes"'}),
        ("id,text\n", ",", None),
        ("sep=;\r\nid;a,b\n1;x,y\n", ";", {"id": "1", "a,b": "x,y"}),
        ("标题，正文\n一，二\n", "", {"标题，正文": "一，二"}),
        ("Hello, world\nHow are you\nWell, thanks\nFine\n", "", {"Hello, world": "How are you"}),
        ("id,text\n1,a, b\n2,c, d, e\n", ",", {"id": "1", "text": "a", "extra_cells": [" b"]}),
    ],
)
def test_the_separator_is_found(content: str, separator: str, first: dict[str, str] | None, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    form = find_form(path)
    assert form.separator == separator
    assert form.kind == ("tsv" if separator == "\t" else "csv")
    assert next((row.values for row in open_table(path, form).rows()), None) == first


def test_utf_16_without_a_mark_is_found_by_its_plain_name_too(tmp_path: Path) -> None:
    path = written(tmp_path, "id,text\n1,很好\n".encode("utf-16-be"))
    assert find_form(path, encoding="utf-16").encoding == "utf-16-be"
    assert values(path, encoding="utf-16") == [["1", "很好"]]
    with pytest.raises(WorkbenchError) as caught:
        open_table(path, Form("csv", "utf-16", ","))
    assert reason(caught.value) == "encoding_wrong"


def test_what_is_given_is_taken(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b,c\n1;2,3\n")
    assert values(path, separator=",") == [["1;2", "3"]]
    assert values(path, separator=";") == [["1", "2,3"]]
    assert values(path, separator="|") == [["1;2,3"]]
    assert values(path, separator="") == [["1;2,3"]]
    tabs = written(tmp_path, "a,b\tc\n1,2\t3\n")
    assert find_form(tabs, separator="\\t") == find_form(tabs, kind="tsv") == Form("tsv", "utf-8", "\t")
    assert values(written(tmp_path, '{"a": 1}\n', "a.jsonl"), kind="csv") == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"separator": ";;"}, "separator_odd"),
        ({"separator": "\n"}, "separator_odd"),
        ({"separator": '"'}, "separator_odd"),
        ({"kind": "xls"}, "table_kind"),
        ({"kind": "xlsx"}, "table_other_kind"),
        ({"kind": "parquet"}, "table_other_kind"),
        ({"sheet": "x"}, "table_no_sheets"),
        ({"encoding": "no-such"}, "encoding_unknown"),
        ({"encoding": "base64"}, "encoding_unknown"),
        ({"encoding": "utf-16"}, "encoding_wrong"),
        ({"encoding": "ascii"}, "encoding_wrong"),
    ],
)
def test_what_is_given_and_wrong_is_told(given: dict[str, str], expected: str, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as caught:
        find_form(written(tmp_path, "id,text\n1,天气很好，我们去公园\n"), **given)
    assert reason(caught.value) == expected


# Heads.


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("id,text,text,text", ("id", "text", "text_2", "text_3")),
        ("text,text_2,text", ("text", "text_2", "text_3")),
        (",text,", ("column_1", "text", "column_3")),
        ("column_2,,x", ("column_2", "column_2_2", "x")),
        ("\ufeffid,text", ("id", "text")),
    ],
)
def test_columns_have_names_of_their_own(head: str, columns: tuple[str, ...], tmp_path: Path) -> None:
    path = written(tmp_path, f"{head}\n{','.join('abcd'[: len(columns)])}\n")
    table = open_table(path, find_form(path))
    assert table.columns == columns
    assert next(iter(table.rows())).values == dict(zip(columns, "abcd", strict=False))


def test_extra_cells_find_a_name_that_is_free(tmp_path: Path) -> None:
    (row,) = rows(written(tmp_path, "extra_cells,b\n1,2,3\n"))
    assert row.values == {"extra_cells": "1", "b": "2", "extra_cells_2": ["3"]}


# Lines, quotes and other accidents.


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(end: str, tmp_path: Path) -> None:
    content = end.join(["id,text", "1,a", '2,"x\ny"', "", "3,b", "", "  ", ""])
    assert values(written(tmp_path, content)) == [["1", "a"], ["2", "x\ny"], ["3", "b"]]


def test_line_ends_of_other_kinds_are_text(tmp_path: Path) -> None:
    assert values(written(tmp_path, "id,text\n1,a\x0bb\u2028c\x85d\n")) == [["1", "a\x0bb\u2028c\x85d"]]


def test_a_quoted_line_end_stays_what_it_is(tmp_path: Path) -> None:
    assert values(written(tmp_path, 'id,text\r\n1,"a\r\nb\rc"\r\n')) == [["1", "a\r\nb\rc"]]


def test_an_empty_quoted_cell_is_a_row(tmp_path: Path) -> None:
    assert values(written(tmp_path, 'text\n"a"\n\n""\n')) == [["a"], [""]]


def test_a_lost_quote_costs_one_row(tmp_path: Path) -> None:
    lines = ["id,text", "1,a", '2,"lost', *(f"{number},b" for number in range(3, 500))]
    found = rows(written(tmp_path, "\n".join(lines)))
    assert len(found) == 499
    assert found[1].values == {"id": "2", "text": '"lost'}
    assert [row.number for row in found if row.problem] == [1]
    assert code(found[1]) == "row_quotes"
    assert found[498 - 1].values == {"id": "498", "text": "b"}


def test_quotes_that_would_join_lines_do_not(tmp_path: Path) -> None:
    """A tolerant reader would make one row of each two."""
    found = rows(written(tmp_path, 'id,text\n1,"abc\n2,"def\n3,x\n'))
    assert [row.values["text"] for row in found] == ['"abc', '"def', "x"]
    assert [code(row) for row in found] == ["row_quotes", "row_quotes", ""]


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ('1,"he said "hi" to me"', ["1", '"he said "hi" to me"']),
        ('1,"he said, "hi" to me"', ["1", 'he said, hi" to me"']),
        ('1,5" screen', ["1", '5" screen']),
        ('1,"a" ', ["1", '"a" ']),
    ],
)
def test_quotes_that_are_not_doubled(line: str, cells: list[str], tmp_path: Path) -> None:
    path = written(tmp_path, f"id,text\n{line}\n2,b\n")
    assert values(path) == [cells, ["2", "b"]]
    assert [code(row) for row in rows(path)] == ["" if "screen" in line else "row_quotes", ""]


def test_a_quoted_cell_has_a_bound() -> None:
    content = 'a,b\n1,"' + "x\n" * 100 + "2,y\n"
    source = io.StringIO(content, newline="")
    found = [record.cells for record in records(source, ",", 2, longest=50)]
    assert found[:3] == [["a", "b"], ["1", '"x'], ["x"]]
    assert found[-1] == ["2", "y"]
    assert len(found) == 102


def test_a_line_has_a_bound() -> None:
    source = io.StringIO("a,b\n1," + "x" * 100 + "\n2,y\n", newline="")
    found = list(records(source, ",", 2, longest=50))
    assert [record.cells for record in found] == [["a", "b"], ["1", "x" * 48], ["2", "y"]]
    assert found[1].problem is not None
    assert found[1].problem.code == "row_cut"


def test_long_cells_and_zero_bytes_are_text(tmp_path: Path) -> None:
    long = "长" * 300_000
    assert values(written(tmp_path, f"id,text\n1,{long}\n2,a\0b\n")) == [["1", long], ["2", "a\0b"]]


def test_bytes_that_are_no_text_do_not_stop_the_file(tmp_path: Path) -> None:
    late = "id,text\n" + "".join(f"{number},好\n" for number in range(60_000))
    path = written(tmp_path, late.encode() + b"x,a\xff\xfeb\ny,c\n")
    assert path.stat().st_size > 2**18
    found = rows(path)
    assert len(found) == 60_002
    assert found[-2].values == {"id": "x", "text": "a\ufffd\ufffdb"}
    assert [row.number for row in found if row.problem] == [60_000]
    assert code(found[-2]) == "row_bytes"
    assert found[-1].values == {"id": "y", "text": "c"}


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16-le", "big5"])
def test_a_character_that_is_cut_off_ends_the_file_with_a_reason(encoding: str, tmp_path: Path) -> None:
    path = written(tmp_path, "id,text\n1,很好\n2,很好".encode(encoding)[:-1])
    found = list(open_table(path, Form("csv", encoding, ",")).rows())
    assert [row.values["text"] for row in found] == ["很好", "很\ufffd"]
    assert [code(row) for row in found] == ["", "row_bytes"]


@given(st.lists(st.lists(st.text(st.sampled_from('a,";\n\r\t好 '), max_size=6), min_size=2, max_size=2), max_size=8))
def test_no_line_is_lost_whatever_stands_in_it(cells: list[list[str]]) -> None:
    """Without quotes around it, anything may be a line: as many characters come out as go in."""
    content = "\n".join(",".join(pair) for pair in cells)
    kept = "".join("".join(record.cells) for record in records(io.StringIO(content, newline=""), ",", 2))
    ignored = '",\r\n\t '
    assert [char for char in kept if char not in ignored] == [char for char in content if char not in ignored]


# Streams.


def test_rows_go_on_from_a_number(tmp_path: Path) -> None:
    table_path = written(tmp_path, "id,text\n" + "".join(f"{number},t\n" for number in range(10)))
    table = open_table(table_path, find_form(table_path))
    assert [row.number for row in table.rows(7)] == [7, 8, 9]
    assert [row.values["id"] for row in table.rows(7)] == ["7", "8", "9"]
    assert list(table.rows(99)) == []
    assert table.count() == 10
    assert [row.number for row in table.preview(2)] == [0, 1]


def test_memory_stays_flat(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("w", encoding="utf-8") as target:
        target.write("id,text\n")
        target.writelines(f"{number},今天天气很好我们去公园散步\n" for number in range(300_000))
    table = open_table(path, find_form(path))
    process, seen = psutil.Process(), []
    for row in table.rows():
        if row.number % 30_000 == 0:
            seen.append(process.memory_info().rss)
    assert row.number == 299_999
    assert max(seen) - seen[0] < 16 * 2**20


# Files that are no tables.


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "table_empty"),
        (b"\n\n  \n", "table_empty"),
        (b"\xef\xbb\xbf", "table_empty"),
        (b"\x1f\x8b\x08\x00rest", "table_foreign"),
        (b"%PDF-1.7 rest", "table_foreign"),
        (bytes(range(32)) * 20, "table_not_text"),
    ],
)
def test_a_file_that_is_no_table_says_why(content: bytes, expected: str, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as caught:
        find_form(written(tmp_path, content))
    assert reason(caught.value) == expected
    assert caught.value.details["name"] == "a.csv"


def test_a_file_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    form = Form("csv", "utf-8", ",")
    for call in (find_form, digest, sheets, lambda path: open_table(path, form)):
        with pytest.raises(WorkbenchError) as caught:
            call(tmp_path / "none.csv")
        assert caught.value.code == "bad_file"
    path = written(tmp_path, "id,text\n1,a\n")
    table = open_table(path, form)
    path.unlink()
    with pytest.raises(WorkbenchError) as caught:
        table.count()
    assert caught.value.code == "bad_file"


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    assert digest(written(tmp_path, b"abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sheets(written(tmp_path, "a,b\n")) == ()


# First choices of columns.


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("id,text,label\n1,long text,a\n2,more text,b\n", Suggestion("text", "id", "label")),
        ("编号,内容,类别\n1,很长的一句话,甲\n2,又一句话,乙\n", Suggestion("内容", "编号", "类别")),
        ("a,b\n1,a long sentence\n", Suggestion("b", "", "")),
        ("id,note\n1,long text\n1,more text\n", Suggestion("note", "", "")),
        ("uuid_of_row_that_is_long,t\n0123456789,ab\n1123456789,cd\n", Suggestion("t", "", "")),
        ("doc_id,title\n0123456789abcdef,ab\nf123456789abcdef,cd\n", Suggestion("title", "doc_id", "")),
        ("text,input_label,label\nlong,a,b\n", Suggestion("text", "", "input_label")),
        ("text\n", Suggestion("text", "", "")),
    ],
)
def test_columns_are_suggested(content: str, expected: Suggestion, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    found = suggest_columns(open_table(path, find_form(path)))
    if content.startswith("uuid"):
        assert found.text == "t"
    else:
        assert found == expected


def test_the_field_limit_of_the_csv_module_is_raised() -> None:
    assert csv_records.csv.field_size_limit() > 2**24


# Titles above the head.


@pytest.mark.parametrize(
    "content",
    [
        "2026年评论汇总,,\n编号,内容,标签\n1,很好,好\n2,不好,坏\n",
        "2026年评论汇总\n导出时间：2026-11-30\n\n编号,内容,标签\n1,很好,好\n2,不好,坏\n",
        "sep=;\r\nReviews of the year;;\r\n编号;内容;标签\r\n1;很好;好\r\n2;不好;坏\r\n",
    ],
)
def test_titles_above_the_head_are_left_out(content: str, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    table = open_table(path, find_form(path))
    assert table.columns == ("编号", "内容", "标签")
    assert [list(row.values.values()) for row in table.rows()] == [["1", "很好", "好"], ["2", "不好", "坏"]]
    assert [row.number for row in table.rows(1)] == [1]
    assert table.count() == 2


@pytest.mark.parametrize(
    ("content", "columns", "count"),
    [
        (",text\n0,fine\n1,bad\n", ("column_1", "text"), 2),  # as pandas writes its index
        ("评论的内容\n很好,不错\n一般,还行\n", ("评论的内容",), 2),
        ("a long name,\nx,\ny,\n", ("a long name", "column_2"), 2),
        ("a long name,,\n1,2,3\n4,5,6\n", ("a long name", "column_2", "column_3"), 2),
        ("a long name,\nid,text\n", ("a long name", "column_2"), 1),
        ("id,\nname,a longer text\nx,y\n", ("id", "column_2"), 2),
        ("a long name,\nid,text\n1\n", ("a long name", "column_2"), 2),
    ],
)
def test_a_first_row_that_may_be_the_head_is_the_head(
    content: str, columns: tuple[str, ...], count: int, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    table = open_table(path, find_form(path))
    assert (table.columns, table.count()) == (columns, count)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("<html><table><tr><td>id</td></tr></table></html>", "HTML"),
        ("\n<!DOCTYPE html><p>a</p>", "HTML"),
        ('\ufeff<?xml version="1.0"?><Workbook/>', "XML"),
    ],
)
def test_a_page_under_a_spreadsheets_name_is_told(content: str, kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, content, "a.xls")
    with pytest.raises(WorkbenchError) as caught:
        find_form(path)
    assert reason(caught.value) == "table_foreign"
    assert caught.value.details["reason"].details == {"kind": kind}  # type: ignore[attr-defined]
    assert find_form(path, separator=";").kind == "csv"


def test_a_head_of_separators_alone_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = written(tmp_path, "," * 100_000)
    with pytest.raises(WorkbenchError) as caught:
        open_table(path, find_form(path))
    assert reason(caught.value) == "table_too_wide"


def test_names_that_come_often_are_numbered_without_going_through_all_numbers() -> None:
    lines = 0

    def count(frame: Any, event: str, _: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        names = column_names(["text"] * 500)
    finally:
        sys.settrace(before)
    assert names[:3] == ("text", "text_2", "text_3")
    assert (len(set(names)), names[-1]) == (500, "text_500")
    assert lines < 20 * 500


def test_a_number_that_is_taken_is_passed_over() -> None:
    assert column_names(["a", "a", "a_2", "a", "", "column_5"]) == ("a", "a_3", "a_2", "a_4", "column_5_2", "column_5")
    assert free_name("a", {"a": 1, "a_2": 2}) == "a_3"
    assert free_name("a", iter(["a"])) == "a_2"
