"""Import = export: what an export holds comes back from `open_table` as it went in, whatever the texts are."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.jobs.exports.layout import OutRow
from engine.jobs.exports.writers import write
from engine.jobs.tables import find_form, open_table
from engine.text.spreadsheet import safe_cell

NASTY = [
    "",
    " ",
    "  x  ",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "'=1",
    "''=1",
    "'",
    "'tis",
    "＝1",
    "\t=1",
    "\r",
    "\n",
    "\r\n",
    "a\r\nb",
    '"',
    '""',
    '","',
    ",",
    ";",
    "\t",
    "|",
    "NA",
    "None",
    "null",
    "007",
    "1e5",
    "true",
    "天气；很好",
    "😀👨‍👩‍👧",
    "\u202eabc\u202c",
    "שלום",
    "\0",
    "a\0b",
    "\x01\x1f\x7f",
    "\x85\u2028\u2029",
    "\ufeff",
    "_x000D_",
    "_x005F_x000D_",
    "&amp;<b>]]>",
    '{"a": 1}',
    "[1]",
    "#N/A",
    "\ufffe\uffff",
    "\x1a",
]
TEXTS = st.one_of(
    st.sampled_from(NASTY), st.text(max_size=12), st.lists(st.sampled_from(NASTY), max_size=3).map("".join)
)
NAMES = st.lists(
    st.one_of(st.sampled_from(["id", "text", "label", "=x", "'=x", "a,b", 'q"', "名", "more", "workbench_guarded"]),
              st.text("ab,;=\t'\"\n好", min_size=1, max_size=4)),
    min_size=1, max_size=4, unique=True,
)  # fmt: skip


def written_and_read(path: Path, rows: list[dict[str, str]], columns: list[str], kind: Any) -> list[dict[str, Any]]:
    outs = [OutRow(values, "甲", [{"label": "甲", "score": 0.5}], score=0.5) for values in rows]
    write(outs, columns, "classify", path, kind)
    form = find_form(path)
    assert form.kind == kind
    found = list(open_table(path, form).rows())
    assert [row.problem for row in found] == [None] * len(rows)
    assert [row.values["label"] for row in found] == ["甲"] * len(rows)
    assert open_table(path, form).count() == len(rows)
    return [dict(zip(columns, list(row.values.values())[: len(columns)], strict=True)) for row in found]


@pytest.mark.parametrize("kind", ["csv", "xlsx", "jsonl", "parquet"])
def test_nasty_texts_come_back(kind: Any, tmp_path: Path) -> None:
    rows = [{"id": str(number), "text": text} for number, text in enumerate(NASTY)]
    assert written_and_read(tmp_path / f"o.{kind}", rows, ["id", "text"], kind) == rows


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx"])
@settings(max_examples=40)
@given(data=st.data(), columns=NAMES)
@example(data=None, columns=["'=x", "=x"])
def test_any_text_under_any_name_comes_back(kind: Any, data: Any, columns: list[str], tmp_path_factory: Any) -> None:
    size = 2 if data is None else data.draw(st.integers(1, 4))
    rows = [{name: "=x" if data is None else data.draw(TEXTS) for name in columns} for _ in range(size)]
    path = tmp_path_factory.mktemp("o") / f"o.{kind}"
    assert written_and_read(path, rows, columns, kind) == rows


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
def test_half_of_a_character_is_replaced_in_sight(kind: Any, tmp_path: Path) -> None:
    found = written_and_read(tmp_path / f"o.{kind}", [{"t": "a\ud83db"}], ["t"], kind)
    assert found == [{"t": "a\ufffdb"}]


def test_half_of_a_character_comes_back_from_jsonl(tmp_path: Path) -> None:
    rows = [{"t": "a\ud83db"}]
    assert written_and_read(tmp_path / "o.jsonl", rows, ["t"], "jsonl") == rows


def test_apostrophes_of_others_stay(tmp_path: Path) -> None:
    """Without the column that says so, nothing tells a guard from what somebody typed."""
    path = tmp_path / "theirs.csv"
    path.write_text("id,text\n1,'=1+1\n2,'tis\n", "utf-8")
    assert [row.values["text"] for row in open_table(path, find_form(path)).rows()] == ["'=1+1", "'tis"]


@pytest.mark.parametrize(
    ("cell", "said", "expected"),
    [
        ("'=1", '["text"]', "=1"),
        ("'=1", "", "'=1"),
        ("=1", '["text"]', "=1"),  # a user took the apostrophe away
        ("'tis", '["text"]', "'tis"),
        ("'=1", "no JSON", "'=1"),
        ("'=1", '{"text": 1}', "'=1"),
        ("'=1", '["other", 1, null]', "'=1"),
    ],
)
def test_only_cells_that_are_named_are_restored(cell: str, said: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "edited.csv"
    quoted = said.replace('"', '""')
    path.write_text(f'id,text,workbench_guarded\n1,{cell},"{quoted}"\n', "utf-8")
    table = open_table(path, find_form(path))
    assert table.columns == ("id", "text")
    assert [row.values for row in table.rows()] == [{"id": "1", "text": expected}]


def test_a_row_of_other_length_keeps_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "edited.csv"
    path.write_text("id,text,workbench_guarded\n1,a,,more\n2\n", "utf-8")
    first, second = open_table(path, find_form(path)).rows()
    assert first.values == {"id": "1", "text": "a", "extra_cells": ["", "more"]}
    assert second.values == {"id": "2", "text": ""}
    assert first.problem
    assert second.problem


@given(TEXTS)
def test_a_guard_can_be_taken_off(text: str) -> None:
    from engine.jobs.tables.guard import unguard

    safe = str(safe_cell(text))
    assert safe in {text, f"'{text}"}
    if safe != text:
        assert unguard(safe) == text
