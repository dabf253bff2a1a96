"""The bench of batches: a sweep as a table. No time is judged."""

import sys

import pytest

from bench import batches
from engine.errors import WorkbenchError
from engine.lab.knee import SweepRow


def test_a_table_of_both_tasks_and_the_advice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = "--model fake --language en --texts 4 --sizes 1 4 --repeats 1 --threads 1"
    monkeypatch.setattr(sys, "argv", ["batches", *flags.split()])
    batches.main()
    lines = capsys.readouterr().out.splitlines()
    cells = [[cell.strip() for cell in one.strip("|").split("|")] for one in lines if one.startswith("|")]
    assert {len(row) for row in cells} == {len(cells[0])}
    assert [row[:2] for row in cells[2:]] == [["classify", "1"], ["classify", "4"], ["extract", "1"], ["extract", "4"]]
    assert [one.split(":")[0] for one in lines[-2:]] == ["classify", "extract"]


def test_a_setting_that_failed_says_why() -> None:
    error = WorkbenchError("out_of_memory")
    assert error.message in batches.line("extract", SweepRow(8, error=error.code, problem=error))
