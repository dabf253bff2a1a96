"""JSON Lines and arrays of objects as tables: values as they are, and a bad line is a row with a reason."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.jobs.tables import find_form, open_table
from engine.jobs.tables.jsonl_file import array_items, read_json
from engine.jobs.types import Form, SourceRow


def written(tmp_path: Path, content: str | bytes, name: str = "a.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(path: Path) -> list[SourceRow]:
    return list(open_table(path, find_form(path)).rows())


def code(row: SourceRow) -> str:
    return "" if row.problem is None else row.problem.code


def test_values_stay_as_they_are(tmp_path: Path) -> None:
    first = {"id": 7, "text": "天气", "none": None, "right": True, "deep": {"a": [1, {"b": "c"}]}, "big": 10**30}
    path = written(tmp_path, json.dumps(first) + '\n{"text": "007", "late": 1.5}\n')
    assert find_form(path) == Form("jsonl", "utf-8")
    table = open_table(path, find_form(path))
    assert table.columns == ("id", "text", "none", "right", "deep", "big", "late")
    assert [row.values for row in table.rows()] == [first, {"text": "007", "late": 1.5}]
    assert [row.number for row in table.rows(1)] == [1]
    assert table.count() == 2


def test_a_bad_line_is_a_row_with_its_text(tmp_path: Path) -> None:
    lines = ['{"a": 1}', '{"a": 1', "", "  ", "[1]", "word", "3", '{"a": 2}', "[" * 100_000]
    found = rows(written(tmp_path, "\n".join(lines)))
    assert [(row.number, row.values) for row in found[:6]] == [
        (0, {"a": 1}),
        (1, {"extra_cells": '{"a": 1'}),
        (2, {"extra_cells": "[1]"}),
        (3, {"extra_cells": "word"}),
        (4, {"extra_cells": "3"}),
        (5, {"a": 2}),
    ]
    assert [code(row) for row in found] == ["", *["row_not_json"] * 4, "", "row_not_json"]


def test_names_that_come_late_are_kept(tmp_path: Path) -> None:
    path = written(tmp_path, '{"a": 1}\n' * 1000 + '{"a": 2, "late": 3}\n')
    table = open_table(path, find_form(path))
    assert table.columns == ("a",)
    assert next(iter(table.rows(1000))).values == {"a": 2, "late": 3}


def test_a_name_that_comes_twice_keeps_both(tmp_path: Path) -> None:
    (row,) = rows(written(tmp_path, '{"a": 1, "a": 2, "a_2": 3}\n'))
    assert list(row.values.values()) == [1, 2, 3]
    assert row.values["a"] == 1


def test_numbers_that_are_none_in_json_are_text(tmp_path: Path) -> None:
    (row,) = rows(written(tmp_path, '{"a": NaN, "b": -Infinity, "c": 1e999, "d": 1.50}\n'))
    assert row.values == {"a": "NaN", "b": "-Infinity", "c": "1e999", "d": 1.5}


def test_line_ends_inside_texts_are_text(tmp_path: Path) -> None:
    (row,) = rows(written(tmp_path, '{"a": "x\u2028y\x85z\\n"}\r\n'))
    assert row.values == {"a": "x\u2028y\x85z\n"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_every_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    path = written(tmp_path, '{"text": "今天天气很好"}\n{"text": "去公园"}\n'.encode(encoding))
    assert find_form(path) == Form("jsonl", encoding)
    assert [row.values["text"] for row in rows(path)] == ["今天天气很好", "去公园"]


def test_bytes_that_are_no_text_do_not_stop_the_file(tmp_path: Path) -> None:
    content = '{"a": "今天天气很好我们"}\n'.encode() + b'{"a": "x\xffy"}\n{"a": "z"}\n'
    found = rows(written(tmp_path, content))
    assert [row.values["a"] for row in found] == ["今天天气很好我们", "x\ufffdy", "z"]
    assert [code(row) for row in found] == ["", "row_bytes", ""]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.jsonl", '{"a": 1}', "jsonl"),
        ("a.ndjson", '{"a": 1}', "jsonl"),
        ("a.txt", '{"a": 1}\nbad', "jsonl"),
        ("a.json", '[{"a": 1}]', "jsonl"),
        ("a.csv", '[{"a": 1}]\n', "csv"),
        ("a.jsonl", "a,b\n1,2\n", "csv"),
    ],
)
def test_the_kind_is_found_by_content_and_name(name: str, content: str, kind: str, tmp_path: Path) -> None:
    assert find_form(written(tmp_path, content, name)).kind == kind


@pytest.mark.parametrize(
    "content",
    ['{\n "a": 1\n}\n', "[1, 2]", "[]", '["a"]', "{}\n{}\n"],
    ids=["spread", "numbers", "empty", "text", "no"],
)
def test_json_without_objects_a_line_is_no_table(content: str, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as caught:
        rows(written(tmp_path, content))
    assert caught.value.details["reason"].code == "table_no_objects"  # type: ignore[attr-defined]


def test_jsonl_has_no_separator(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="no encoding or separator"):
        find_form(written(tmp_path, '{"a": 1}\n'), kind="jsonl", separator=",")


# Arrays.


def items(text: str, **bounds: Any) -> list[Any]:
    return [value for _, value in array_items(io.StringIO(text), **bounds)]


def test_an_array_is_read_piece_by_piece(tmp_path: Path) -> None:
    objects = [{"id": n, "text": "长文本" * (n % 50), "deep": {"a": [n]}} for n in range(2000)]
    path = written(tmp_path, "\ufeff \n" + json.dumps(objects, ensure_ascii=False, indent=1), "a.json")
    assert [row.values for row in rows(path)] == objects
    assert [row.number for row in open_table(path, find_form(path)).rows(1998)] == [1998, 1999]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", []),
        ("[{}, {}]", [{}, {}]),
        ('[{"a": 1} , {"a": "]"}]  ', [{"a": 1}, {"a": "]"}]),
        ('[{"a": 1}, {"a": ', [{"a": 1}, None]),
        ('[{"a": 1}, oops, {"a": 2}]', [{"a": 1}, None]),
        ('[{"a": 1}', [{"a": 1}]),
        ("[1, 22]", [1, 22]),
    ],
)
def test_arrays_whole_and_broken(text: str, expected: list[Any]) -> None:
    assert items(text) == expected


def test_an_item_that_does_not_end_has_a_bound() -> None:
    assert items('[{"a": 1}, {"b": "' + "x" * 200_000, longest=1000) == [{"a": 1}, None]


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=30), max_size=3), max_size=5), st.integers(1, 40))
def test_an_array_gives_what_is_in_it(objects: list[dict[str, str]], part: int) -> None:
    from engine.jobs.tables import jsonl_file

    before, jsonl_file._PART = jsonl_file._PART, part
    try:
        assert items(json.dumps(objects)) == objects
    finally:
        jsonl_file._PART = before


def test_a_number_of_more_digits_than_python_reads_costs_no_row(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "n": ' + "1" * 6000 + "}\n", "utf-8")
    (row,) = open_table(path, find_form(path)).rows()
    assert (row.values, row.problem) == ({"text": "a", "n": "1" * 6000}, None)


def test_a_name_that_comes_very_often_is_numbered_without_going_through_all_numbers() -> None:
    lines = 0

    def count(frame: Any, event: str, _: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        made = read_json("{" + ",".join(['"a": 1'] * 500) + ', "a_3": 2}')
    finally:
        sys.settrace(before)
    assert list(made)[:3] == ["a", "a_2", "a_3"]
    assert (len(made), made["a_3_2"]) == (501, 2)
    assert lines < 20 * 500
