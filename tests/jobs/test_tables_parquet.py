"""Parquet files as tables: every type comes as plain JSON, and reading begins at any row."""

import datetime
import decimal
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import WorkbenchError
from engine.jobs.tables import find_form, open_table
from engine.jobs.tables.cells import as_text, plain
from engine.jobs.types import Form

NOON = datetime.datetime(2026, 11, 30, 12, 0, 1)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([1, None], pa.int8()), [1, None]),
        (pa.array([2**63 - 1, 0], pa.int64()), [2**63 - 1, 0]),
        (pa.array([1.5, float("nan")]), [1.5, "NaN"]),
        (pa.array([float("inf"), float("-inf")]), ["Infinity", "-Infinity"]),
        (pa.array([True, None]), [True, None]),
        (pa.array(["NA", ""]), ["NA", ""]),
        (pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
        (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.array([b"\xff", "好".encode()]), ["/w==", "好"]),
        (pa.array([NOON, None], pa.timestamp("us")), ["2026-11-30T12:00:01", None]),
        (pa.array([NOON, None], pa.timestamp("ns")), ["2026-11-30T12:00:01", None]),
        (pa.array([NOON, None], pa.timestamp("ms", "UTC")), ["2026-11-30T12:00:01+00:00", None]),
        (pa.array([NOON.date(), None]), ["2026-11-30", None]),
        (pa.array([NOON.time(), None]), ["12:00:01", None]),
        (pa.array([datetime.timedelta(hours=25, milliseconds=5)], pa.duration("us")), ["P1DT3600.005S"]),
        (pa.array([decimal.Decimal("12.50"), None]), ["12.50", None]),
        (pa.array([[1, None], []]), [[1, None], []]),
        (pa.array([{"a": NOON, "b": [b"x"]}, None]), [{"a": "2026-11-30T12:00:01", "b": ["x"]}, None]),
        (pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())), [[["k", 1]], []]),
        (pa.array([None, None], pa.null()), [None, None]),
    ],
)
def test_every_type_is_plain(array: pa.Array, expected: list[Any], tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": array}), tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet", find_form(tmp_path / "a.parquet"))
    found = [row.values["x"] for row in table.rows()]
    assert found == expected
    assert json.loads(json.dumps(found, allow_nan=False)) == expected


def test_reading_begins_at_any_row(tmp_path: Path) -> None:
    path = tmp_path / "any-name"
    pq.write_table(pa.table({"id": range(5000), "text": ["t"] * 5000}), path, row_group_size=700)
    assert find_form(path) == Form("parquet")
    table = open_table(path, find_form(path))
    assert table.columns == ("id", "text")
    assert table.count() == 5000
    for start in (0, 1, 699, 700, 701, 4999, 5000, 9000):
        found = [(row.number, row.values["id"]) for row in table.rows(start)]
        assert found == [(number, number) for number in range(start, 5000)]


def test_columns_of_one_name_are_both_there(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet", Form("parquet"))
    assert [row.values for row in table.rows()] == [{"a": 1, "a_2": 2}]


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1 and then nothing PAR1", b"PARE" + bytes(50)])
def test_a_damaged_file_is_told(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(WorkbenchError) as caught:
        open_table(tmp_path / "a.parquet", find_form(tmp_path / "a.parquet"))
    assert caught.value.code == "table_unreadable"


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet", Form("parquet"))
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(WorkbenchError) as caught:
        table.count()
    assert caught.value.code == "bad_file"


def test_a_file_that_is_damaged_inside_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"t": [f"text {number}" for number in range(5000)]}), path, use_dictionary=False)
    raw = bytearray(path.read_bytes())
    raw[100:4000] = bytes(3900)
    path.write_bytes(bytes(raw))
    with pytest.raises(WorkbenchError) as caught:
        list(open_table(path, find_form(path)).rows())
    assert caught.value.code == "table_unreadable"


@pytest.mark.parametrize("given", [{"encoding": "utf-8"}, {"separator": ","}, {"sheet": "s"}, {"kind": "csv"}])
def test_what_a_parquet_file_does_not_have_is_refused(given: dict[str, str], tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(WorkbenchError):
        find_form(tmp_path / "a.parquet", **given)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "true"),
        (7, "7"),
        (1.5, "1.5"),
        ("=x", "=x"),
        ([1, "好"], '[1, "好"]'),
        ({"a": None}, '{"a": null}'),
    ],
)
def test_how_a_cell_reads(value: object, text: str) -> None:
    assert as_text(value) == text


def test_odd_values_are_plain_too() -> None:
    import numpy as np

    assert plain({1: {2}, "d": decimal.Decimal("NaN"), "n": np.float32(0.5), "e": decimal.Decimal("1E+3")}) == {
        "1": [2],
        "d": "NaN",
        "n": 0.5,
        "e": "1000",
    }
    assert plain(datetime.timedelta(seconds=-1.5)) == "-PT1.5S"
    assert plain(datetime.timedelta()) == "PT0S"
    assert plain(datetime.timedelta(days=2)) == "P2D"
    assert plain(object).startswith("<class")


@pytest.mark.parametrize(
    ("odd", "plain", "text"),
    [
        (pa.array([10**18, 0], pa.timestamp("us")), "1970-01-01T00:00:00", "1000000000000000000"),
        (pa.array([10**8, 0], pa.date32()), "1970-01-01", "100000000"),
        (
            pa.array([253402300799000000, 0], pa.timestamp("us", "Asia/Shanghai")),  # the last second of 9999, in UTC
            "1970-01-01T08:00:00+08:00",
            "10000-01-01 07:59:59.000000+0800",
        ),
    ],
)
def test_a_date_beyond_what_python_has_costs_no_row(odd: pa.Array, plain: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"at": odd, "text": ["好", "b"]}), path)
    far, near = open_table(path, find_form(path)).rows()
    assert (far.values, far.problem and far.problem.code) == ({"at": text, "text": "好"}, "row_odd_date")
    assert (near.values, near.problem) == ({"at": plain, "text": "b"}, None)


def test_an_unknown_time_zone_and_a_far_date_in_a_list_keep_their_figures(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    zone = pa.array([7], pa.timestamp("us", "Mars/Phobos"))
    pq.write_table(pa.table({"zone": zone, "list": pa.array([[10**18]], pa.list_(pa.timestamp("us")))}), path)
    (row,) = open_table(path, find_form(path)).rows()
    assert "7" in row.values["zone"]
    assert "1000000000000000000" in row.values["list"]
    assert row.problem is not None


def test_bytes_that_are_no_text_cost_no_row(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\3\0\0\0\4\0\0\0"), pa.py_buffer(b"a\xffbc")]
    )
    pq.write_table(pa.table({"text": texts}), path)
    odd, fine = open_table(path, find_form(path)).rows()
    assert (odd.values["text"], odd.problem and odd.problem.code) == ("a\ufffdb", "row_bytes")
    assert (fine.values["text"], fine.problem) == ("c", None)


def test_a_file_without_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({}), path)
    with pytest.raises(WorkbenchError, match="it is empty"):
        open_table(path, find_form(path))
