"""The Batch page over what is odd: half characters, files that are gone, long names, rows that move."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from batch_driver import open_row, run_job, sample, section, upload
from job_makers import CLASSIFY, CSV, numbered, row
from page_driver import errors, markup
from streamlit.testing.v1 import AppTest

from engine.jobs.exports.manifest import manifest_path
from engine.jobs.types import Job
from ui.batch import export_panel
from ui.batch.answers import row_cells, whole_row
from ui.batch.export_panel import _file_name, _Rows
from ui.engine import jobs

Open = Callable[..., AppTest]
HALF = "\ud800"


def test_half_of_a_character_anywhere_shows_as_one_that_is_unknown(open_batch: Open) -> None:
    lines = [json.dumps({"id": HALF, f"text{HALF}": f"late {HALF} delivery", "label": {HALF: 1}}) for _ in range(2)]
    app = upload(open_batch(), "odd.jsonl", "\n".join(lines).encode())
    assert not app.exception
    assert app.multiselect(key="batch_columns").value == ["text\ufffd"]
    app.selectbox(key="batch_gold").set_value("label").run()
    run_job(app)
    open_row(app, 0)
    assert "late \ufffd delivery" in markup(app)
    for name in ("evaluate", "compare", "export"):
        section(app, name)
        assert not app.exception


def test_a_row_is_told_whole() -> None:
    given = row(0, key=HALF, gold=[HALF, {HALF: 1}], correction={"label": HALF, "labels": [HALF]})
    json.dumps(row_cells(given, CLASSIFY), ensure_ascii=False).encode()
    assert whole_row(given).gold == ["\ufffd", {"\ufffd": 1}]


def test_another_job_on_a_file_that_is_gone_is_an_error_in_words(open_batch: Open) -> None:
    app = sample(open_batch())
    job_id = run_job(app)
    job = jobs().store.get(job_id)
    assert job is not None
    job.source.unlink()
    open_row(app, 0)
    section(app, "export")  # an open row hides no error of the job
    app.button(key="batch_again").click().run()
    assert not app.exception
    assert "cannot be read" in errors(app)[0].replace("\\", "")


def test_a_long_name_is_cut_to_what_file_systems_take(tmp_path: Path) -> None:
    job = Job("id", "😀" * 200 + ".csv", tmp_path, CSV, CLASSIFY, "", "done", 0.0)
    path = tmp_path / f"{_file_name(job, 'not_found')}.parquet"
    manifest_path(path).write_text("{}")
    assert path.name.startswith("😀" * 40)


def test_rows_that_move_while_they_are_written_are_written_once(tmp_path: Path, monkeypatch: Any) -> None:
    from engine.jobs.store import JobStore

    store = JobStore(tmp_path / "data")
    job = store.add(CLASSIFY, "in.csv", numbered(tmp_path / "in.csv", 9), CSV, "", copy=False)
    store.keep(job.id, [row(number, score=0.1) for number in range(1, 9)])
    monkeypatch.setattr(export_panel, "jobs", lambda: SimpleNamespace(store=store))
    monkeypatch.setattr(export_panel, "_PIECE", 3)
    found = []
    told: Any = SimpleNamespace(tell=lambda *_: None)
    for one in _Rows(told, job, "low").each(job.id):
        found.append(one.number)
        if one.number == 2:  # an earlier one comes late
            store.keep(job.id, [row(0, score=0.1)])
    assert found == list(range(1, 9))


def test_an_empty_job_promises_no_rows(open_batch: Open) -> None:
    app = upload(open_batch(), "empty.csv", b"text\n")
    app.multiselect(key="batch_columns").set_value(["text"]).run()
    run_job(app)
    assert [one.value for one in app.info] == ["The file has no rows below its head."]


def test_values_that_are_typed_and_not_kept_stay_while_other_rows_are_opened(open_batch: Open) -> None:
    app = sample(open_batch())
    app.session_state["batch_task"] = "extract"
    app.run()
    job_id = run_job(app)
    name = jobs().store.get(job_id).spec.fields[0].name  # type: ignore[union-attr]
    first, second = f"batch_value_{job_id}_0_{name}", f"batch_value_{job_id}_1_{name}"
    open_row(app, 0)
    app.text_area(key=first).set_value("half typed").run()
    open_row(app, 1)
    open_row(app, 0)
    assert app.text_area(key=first).value == "half typed"
    open_row(app, 1)
    jobs().store.correct(job_id, 1, {"fields": {name: [{"text": "by another tab"}]}})
    jobs().store.correct(job_id, 0, {"fields": {name: [{"text": "by another tab"}]}})
    assert app.run().text_area(key=second).value == "by another tab"
    open_row(app, 0)
    assert app.text_area(key=first).value == "half typed"
