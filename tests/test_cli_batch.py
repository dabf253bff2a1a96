"""`workbench batch`: what it writes, says and returns, and that the same command goes on."""

import csv
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from doubles import WAIT
from job_makers import numbered, write_csv

from engine import cli
from engine.cli_rows import RowsLine, progress_text
from engine.jobs.alone import alone
from engine.jobs.store import JobStore
from engine.jobs.tables import find_form, open_table
from engine.jobs.types import Progress
from engine.model.fake import FakeBackend
from engine.settings import Settings
from engine.types import ModelInfo

ROOT = Path(__file__).parents[1]
LABELS = ("--labels", "delivery,price", "--model", "fake")


class Outcome(NamedTuple):
    """An exit code and what was printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Any]:
    """The console script in this process, in a folder of its own."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, logging.getLogger("engine.requests").level
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["workbench", "batch", *map(str, arguments)])
        try:
            cli.main()
            code: Any = 0
        except SystemExit as end:
            code = end.code or 0
        return Outcome(code, *capsys.readouterr())

    yield call
    root.handlers[:], root.level = before[:2]
    logging.getLogger("engine.requests").setLevel(before[2])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the model is asked about."""
    texts: list[str] = []
    real = FakeBackend.encode_prompt

    def encode(self: FakeBackend, prompt: Any, *given: Any, **options: Any) -> Any:
        if prompt.text.strip():
            texts.append(prompt.text)
        return real(self, prompt, *given, **options)

    monkeypatch.setattr(FakeBackend, "encode_prompt", encode)
    return texts


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_each_row_gets_its_answer_beside_its_own_columns(run: Any, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", [("007", "delivery was late"), ("008", "the price, \ttoo")])
    outcome = run("in.csv", "--task", "classify", "--column", "text", *LABELS, "-o", "out.jsonl")
    assert (outcome.code, outcome.out) == (0, "")
    assert "2 rows in out.jsonl" in outcome.err
    first, second = lines(tmp_path / "out.jsonl")
    assert list(first) == ["id", "text", "label", "labels", "error"]
    assert (first["id"], first["text"], first["label"], first["error"]) == (
        "007",
        "delivery was late",
        "delivery",
        None,
    )
    assert [set(one) for one in first["labels"]] == [{"label", "score"}] * 2
    assert (second["text"], second["label"]) == ("the price, \ttoo", "price")
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text("utf-8"))
    assert manifest["rows"] == {"total": 2, "done": 2, "failed": 0, "corrected": 0}
    assert manifest["model"]["name"] == "fake"
    assert manifest["labels"] == ["delivery", "price"]


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet", "jsonl", "html"])
def test_the_name_says_what_is_written(run: Any, tmp_path: Path, ending: str) -> None:
    write_csv(tmp_path / "in.csv", [("1", "=delivery <b>"), ("2", "价格")])
    out = tmp_path / f"out.{ending}"
    assert run("in.csv", *LABELS, "--column", "text", "-o", out).code == 0
    if ending == "html":
        assert "&lt;b&gt;" in out.read_text("utf-8")
        return
    rows = list(open_table(out, find_form(out)).rows())
    assert [row.values["text"] for row in rows] == ["=delivery <b>", "价格"]
    assert rows[0].values["label"] == "delivery"


def test_an_extraction_with_fields_of_a_file(run: Any, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", [("1", "name: Ann, price: 5")])
    (tmp_path / "fields.json").write_text('[{"name": "name"}, {"name": "price"}]', "utf-8")
    out = tmp_path / "out.jsonl"
    outcome = run("in.csv", "--task", "extract", "--fields", "fields.json", "--model", "fake", "-o", out)
    assert outcome.code == 0
    assert 'Reading the column "text"' in outcome.err
    (row,) = lines(out)
    (value,) = row["fields"]["name"]
    assert row["text"][value["start"] : value["end"]] == value["text"] == "Ann"


def test_a_gold_column_is_compared_with(run: Any, tmp_path: Path) -> None:
    rows = [("delivery was late", "delivery"), ("the price", "delivery"), ("", "price"), ("delivery", "")]
    write_csv(tmp_path / "in.csv", rows, ("text", "right"))
    outcome = run("in.csv", *LABELS, "--column", "text", "--gold", "right", "-o", "out.csv")
    assert outcome.code == 1  # a row has no text
    assert "evaluated: 2 of 4 rows" in outcome.err
    assert "accuracy: 0.500" in outcome.err


def test_rows_that_failed_are_counted_and_written_nonetheless(run: Any, tmp_path: Path, asked: list[str]) -> None:
    write_csv(tmp_path / "in.csv", [("1", "delivery"), ("2", ""), ("3", "price")])
    call = ("in.csv", *LABELS, "--column", "text", "-o", "out.jsonl")
    outcome = run(*call)
    assert outcome.code == 1
    assert outcome.err.splitlines()[-1].startswith("workbench: 1 of 3 rows failed")
    assert [row["error"] and row["error"]["code"] for row in lines(tmp_path / "out.jsonl")] == [
        None,
        "text_empty",
        None,
    ]
    asked.clear()
    assert run(*call, "--retry-failed").code == 1
    assert asked == []  # only the empty one was tried again
    assert len(lines(tmp_path / "out.jsonl")) == 3


def test_a_finished_command_says_so_and_computes_nothing(run: Any, tmp_path: Path, asked: list[str]) -> None:
    numbered(tmp_path / "in.csv", 5)
    call = ("in.csv", *LABELS, "--column", "text", "-o", "out.jsonl")
    assert run(*call).code == 0
    before = (tmp_path / "out.jsonl").read_bytes()
    (tmp_path / "out.jsonl").unlink()
    asked.clear()
    outcome = run(*call)
    assert (outcome.code, asked) == (0, [])
    assert "done already" in outcome.err
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert run(*call, "--fresh").code == 0
    assert len(asked) == 5


@pytest.mark.parametrize(
    "change",
    [("--multi",), ("-o", "other.jsonl"), ("--labels", "delivery,price,quality"), ("--precision", "fp16")],
    ids=lambda change: change[0],
)
def test_another_command_is_another_job(run: Any, tmp_path: Path, asked: list[str], change: tuple[str, ...]) -> None:
    numbered(tmp_path / "in.csv", 3)
    call = ("in.csv", "--labels", "delivery,price", "--model", "fake", "--column", "text", "-o", "out.jsonl")
    assert run(*call).code == 0
    asked.clear()
    assert run(*call, *change).code == 0
    assert len(asked) == 3


def test_a_changed_file_is_another_job(run: Any, tmp_path: Path, asked: list[str]) -> None:
    call = ("in.csv", *LABELS, "--column", "text", "-o", "out.jsonl")
    for count in (3, 4):
        numbered(tmp_path / "in.csv", count)
        asked.clear()
        assert run(*call).code == 0
        assert len(asked) == count


def test_what_is_forgotten_leaves_no_text_behind(run: Any, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", [("1", "delivery of the secret")])
    assert run("in.csv", *LABELS, "--column", "text", "-o", "out.jsonl", "--forget").code == 0
    store = JobStore(tmp_path / "data")
    assert store.list() == ()
    store.close()
    left = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert b"secret" not in left


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--column", "txt", "-o", "o.jsonl"), 'has no column "txt". It has these: id, text.'),
        (("--column", "text", "--gold", "g", "-o", "o.jsonl"), 'has no column "g"'),
        (("--column", "text", "-o", "o.doc"), "o.doc"),
        (("--column", "text", "-o", "in.csv"), "The input is not overwritten."),
        (("--column", "text", "--labels", "", "-o", "o.jsonl"), "no labels"),
        (("--column", "text", "--task", "extract", "--labels", "", "-o", "o.jsonl"), "no fields"),
        (("--column", "text", "--task", "extract", "-o", "o.jsonl"), "It is for --task classify."),
        (("--column", "text", "--fields", "a,b", "-o", "o.jsonl"), "It is for --task extract."),
        (("--column", "text", "--ray-address", "auto", "-o", "o.jsonl"), "It is for --engine ray."),
        (("--column", "text", "--threshold", "2", "-o", "o.jsonl"), "threshold"),
        (("--column", "text"), "output"),
        (("--column", "text", "--batch-size", "0", "-o", "o.jsonl"), "batch-size"),
        (("--column", "text", "--engine", "cloud", "-o", "o.jsonl"), "engine"),
    ],
)
def test_wrong_usage_exits_with_2_before_anything_is_computed(
    run: Any, tmp_path: Path, asked: list[str], arguments: tuple[str, ...], said: str
) -> None:
    numbered(tmp_path / "in.csv", 2)
    outcome = run("in.csv", *LABELS, *arguments)
    assert outcome.code == 2
    assert said in outcome.err
    assert (outcome.out, asked) == ("", [])
    assert JobStore(tmp_path / "data").list() == ()


def test_no_file_is_wrong_usage_and_no_folder_is_one_line(run: Any, tmp_path: Path, asked: list[str]) -> None:
    assert run("none.csv", *LABELS, "-o", "o.jsonl").code == 2
    numbered(tmp_path / "in.csv", 2)
    outcome = run("in.csv", *LABELS, "--column", "text", "-o", "none/o.jsonl")
    assert outcome.code == 1
    assert "cannot be written" in outcome.err.splitlines()[-1]
    assert asked == []


def test_a_data_folder_that_cannot_be_used_is_one_line(run: Any, tmp_path: Path, asked: list[str]) -> None:
    numbered(tmp_path / "in.csv", 2)
    (tmp_path / "data").write_text("a file")
    outcome = run("in.csv", *LABELS, "--column", "text", "-o", "o.jsonl")
    assert outcome.code == 1
    assert outcome.err.splitlines()[-1].startswith("workbench: The jobs in ")
    assert asked == []


def test_a_model_that_cannot_be_loaded_is_one_line(run: Any, tmp_path: Path) -> None:
    numbered(tmp_path / "in.csv", 2)
    outcome = run("in.csv", "--labels", "a,b", "--model", "no/such", "--offline", "--column", "text", "-o", "o.jsonl")
    assert outcome.code == 1
    assert outcome.err.splitlines()[-1].startswith("workbench: ")
    assert not (tmp_path / "o.jsonl").exists()


def test_a_job_of_another_model_is_not_mixed(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbered(tmp_path / "in.csv", 3)
    call = ("in.csv", *LABELS, "--column", "text", "-o", "out.jsonl")
    assert run(*call).code == 0
    store = JobStore(tmp_path / "data")
    job = store.list()[0]
    store.set_state(job.id, "paused")
    monkeypatch.setattr(FakeBackend, "info", ModelInfo("fake", "2", "seqgpt", "cpu", "fp32", 0, 1024), raising=False)
    monkeypatch.setattr(
        FakeBackend, "__setattr__", lambda self, name, value: name != "info" and object.__setattr__(self, name, value)
    )
    outcome = run(*call)
    assert outcome.code == 1
    assert "were answered by fake 1" in outcome.err
    assert run(*call, "--any-model").code == 0


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(run: Any, tmp_path: Path, asked: list[str]) -> None:
    numbered(tmp_path / "文件.csv", 120)
    call = ["文件.csv", *LABELS, "--column", "text", "-o", "out.csv"]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", "from engine.cli import main; main()", "batch", *call],
        cwd=tmp_path,
        env=os.environ | {"WORKBENCH_FAKE_DELAY": "0.02", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    store = JobStore(tmp_path / "data")
    end = time.monotonic() + WAIT
    while not (store.list() and store.list()[0].done):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=WAIT)
    done = store.list()[0]
    assert (process.returncode, out) == (130, ""), err
    assert f"Stopped: {done.done} of 120 rows are done and kept. The same command goes on." in err
    assert 0 < done.done < 120
    assert not (tmp_path / "out.csv").exists()
    outcome = run(*call)
    assert outcome.code == 0
    assert f"Going on: {done.done} rows are done." in outcome.err
    assert len(asked) == 120 - done.done
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as written:
        assert [row["id"] for row in csv.DictReader(written)] == [f"{number:03}" for number in range(120)]


# How it says how far it is.


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (Progress("running", 0, 0, None), "0 rows · 0 failed"),
        (
            Progress("running", 1200, 3, 10_000, 812.4, 10_840.0),
            "1,200 of 10,000 rows · 812 rows/s · 3:00:40 left · 3 failed",
        ),
        (Progress("running", 2, 0, 10, 0.254, 59.9), "2 of 10 rows · 0.25 rows/s · 1:00 left · 0 failed"),
    ],
)
def test_progress_in_a_line(progress: Progress, said: str) -> None:
    assert progress_text(progress) == said


def test_a_line_moves_on_a_terminal_and_comes_now_and_then_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [100.0]
    monkeypatch.setattr("engine.cli_rows.time.monotonic", lambda: clock[0])
    line = RowsLine()
    for clock[0] in (101.0, 111.0, 112.0, 122.0):
        line(Progress("running", int(clock[0]), 0, None))
    line.end()
    assert capsys.readouterr().err == "111 rows · 0 failed\n122 rows · 0 failed\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line(Progress("running", 1000, 0, None))
    line(Progress("running", 2, 0, None))
    line.end()
    assert capsys.readouterr().err == "\r1,000 rows · 0 failed\r2 rows · 0 failed    \n"


def test_failed_rows_of_a_job_that_runs_elsewhere_stay(run: Any, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", [("1", "delivery"), ("2", "")])
    call = ("in.csv", *LABELS, "--column", "text", "-o", "out.jsonl")
    assert run(*call).code == 1
    store = JobStore(Settings().data_dir)
    [job] = store.list()
    store.set_state(job.id, "running")
    with alone(store, job.id):
        outcome = run(*call, "--retry-failed")
    assert "run by another process" in outcome.err
    found = store.get(job.id)
    assert found is not None
    assert (found.state, found.done, found.failed) == ("running", 2, 1)
