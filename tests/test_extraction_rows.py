"""The promise of constrained extraction on public rows: everything parses, nothing is invented, no label is foreign."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.extraction import Tally, read_rows, tally

DATA = os.environ.get("WORKBENCH_TEST_DATA")
SETS = sorted(path.stem for path in (Path(DATA) / "eval").glob("*.jsonl") if read_rows(path)) if DATA else []
pytestmark = [
    pytest.mark.skipif(not DATA, reason="WORKBENCH_TEST_DATA names no folder with labelled rows"),
    pytest.mark.usefixtures("one_thread"),
]
ROWS = 25


def sample(name: str) -> list[dict[str, Any]]:
    """Some rows from all over a set; bench.extraction reads them all."""
    rows = read_rows(Path(str(DATA)) / "eval" / f"{name}.jsonl")
    return rows[:: max(1, len(rows) // ROWS)]


def assert_legal(counts: Tally) -> None:
    assert counts.rows >= ROWS
    assert (counts.unparsed, counts.foreign, counts.invented) == (0, 0, 0)
    assert counts.values > 0


def test_every_set_is_there() -> None:
    assert len(SETS) >= 5


@pytest.mark.parametrize("name", SETS)
def test_random_weights_give_legal_answers(name: str, build: Callable[..., Any]) -> None:
    counts = tally(build("bloom"), sample(name))
    assert_legal(counts)
    assert counts.saved > 0
