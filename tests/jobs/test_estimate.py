"""A try before a job: which rows, what they gave, and how long the file will take by them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doubles import WAIT, Load
from job_makers import CLASSIFY, CSV, numbered, numbers, write_csv

from engine.errors import WorkbenchError
from engine.jobs.estimate import spread, try_rows
from engine.jobs.tables import open_table
from engine.jobs.types import JobSpec
from engine.model.fake import FakeBackend


def test_the_time_of_the_file_is_that_of_the_rows_tried(make_workbench: Callable[..., Any], tmp_path: Path) -> None:
    table = open_table(numbered(tmp_path / "in.csv", 1000), CSV)
    ticket = try_rows(make_workbench(lambda *_: FakeBackend(0.02)), CLASSIFY, table)
    found = ticket.result(WAIT)
    assert ticket.progress == (8, 8)
    assert (len(found.rows), found.total) == (8, 1000)
    assert numbers(found.rows) == sorted(numbers(found.rows))
    assert all(row.answer["label"] for row in found.rows)
    assert found.memory > 10**7
    assert found.seconds is not None
    assert 20 <= found.seconds < 120  # a row takes at least 0.02 s


def test_bad_rows_are_shown_and_take_no_time(make_workbench: Callable[..., Any], tmp_path: Path) -> None:
    table = open_table(write_csv(tmp_path / "in.csv", [("1", ""), ("2", "delivery"), ("3", " ")]), CSV)
    found = try_rows(make_workbench(lambda *_: FakeBackend(0.05)), CLASSIFY, table).result(WAIT)
    assert [row.error.code if row.error else "" for row in found.rows] == ["text_empty", "", "text_empty"]
    assert found.total == 3
    assert found.seconds is not None
    assert 0.05 <= found.seconds < 1


def test_nothing_to_answer_has_no_time(make_workbench: Callable[..., Any], tmp_path: Path) -> None:
    table = open_table(write_csv(tmp_path / "in.csv", [("1", "")]), CSV)
    found = try_rows(make_workbench(), CLASSIFY, table).result(WAIT)
    assert (found.seconds, len(found.rows)) == (None, 1)


def test_a_try_can_be_stopped(make_workbench: Callable[..., Any], tmp_path: Path) -> None:
    table = open_table(numbered(tmp_path / "in.csv", 10), CSV)
    ticket = try_rows(make_workbench(lambda *_: FakeBackend(5)), CLASSIFY, table)
    ticket.cancel()
    with pytest.raises(WorkbenchError, match="stopped"):
        ticket.result(2)


@pytest.mark.parametrize(
    ("spec", "code"), [(JobSpec("classify", ("txt",)), "column_missing"), (CLASSIFY, "unknown_model")]
)
def test_what_is_wrong_is_the_tickets_error(
    make_workbench: Callable[..., Any], tmp_path: Path, spec: JobSpec, code: str
) -> None:
    def refuse() -> Any:
        raise WorkbenchError("unknown_model", name="x", known="y")

    table = open_table(numbered(tmp_path / "in.csv", 10), CSV)
    ticket = try_rows(make_workbench(Load(refuse)), spec, table)
    with pytest.raises(WorkbenchError):
        ticket.result(WAIT)
    assert ticket.error is not None
    assert ticket.error.code == code


@pytest.mark.parametrize(
    ("lengths", "count", "places"),
    [
        ([], 8, []),
        ([5, 1], 8, [0, 1]),
        (list(range(100)), 4, [12, 37, 62, 87]),
        ([1] * 99 + [10_000], 2, [25, 75]),
        ([9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 1, [4]),
    ],
)
def test_texts_of_every_length_are_tried(lengths: list[int], count: int, places: list[int]) -> None:
    assert spread(["x" * length for length in lengths], count) == places
