"""A job's rows on the Batch page, without a browser: filters, corrections, figures, comparisons, exports."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from batch_driver import LABELS, open_row, run_job, sample, section, table, upload
from page_driver import captions, errors, markup, settle
from streamlit.testing.v1 import AppTest

from engine.errors import WorkbenchError
from engine.jobs.tables import find_form, open_table
from engine.jobs.types import RowResult
from engine.types import FieldSpec
from ui.batch.correct import placed
from ui.engine import jobs, workbench
from ui.fields.table import rows_of

Open = Callable[..., AppTest]


def test_what_was_exported_of_a_job_goes_with_it(open_batch: Open) -> None:
    app = sample(open_batch())
    job_id = run_job(app)
    section(app, "export")
    app.button(key="batch_export_prepare").click().run()
    settle(app)
    exports = workbench().settings.data_dir / "exports"
    assert list(exports.iterdir())
    app.button(key="batch_back").click().run()
    for _ in range(2):
        app.button(key=f"batch_delete_{job_id}").click().run()
    assert not list(exports.iterdir())
    other = open_batch(job=job_id)
    assert "no such job" in errors(other)[0]


def test_work_that_failed_is_done_again_on_demand(open_batch: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = sample(open_batch())
    run_job(app)

    def fail(*_: Any, **__: Any) -> None:
        raise WorkbenchError("jobs_unusable", path="x", reason="y")

    with monkeypatch.context() as patch:
        patch.setattr("ui.batch.evaluate_panel.evaluate_job", fail)
        section(app, "evaluate")
    assert "cannot be used" in errors(app)[0]
    app.button(key="batch_evaluate_again").click().run()
    settle(app)
    assert "<small>Accuracy</small>" in markup(app)


def test_rows_are_filtered_searched_and_walked(open_batch: Open) -> None:
    app = sample(open_batch())
    run_job(app)
    app.text_input(key="batch_view_search").set_value("refund").run()
    found = table(app)
    assert 0 < len(found) < 40
    assert all("refund" in text.casefold() for text in found["text"])
    app.text_input(key="batch_view_search").set_value("").run()
    app.pills(key="batch_view_filter").set_value("differs").run()
    found = table(app)
    assert (found["answer"] != found["gold"]).all()
    first, second = found["number"].tolist()[:2]
    app.button(key="batch_open_first").click().run()
    assert app.session_state["batch_row"] == first - 1
    app.button(key="batch_row_next").click().run()
    assert app.session_state["batch_row"] == second - 1
    app.button(key="batch_row_previous").click().run()
    assert app.session_state["batch_row"] == first - 1


def test_pages_of_rows_are_turned_and_walked_over(open_batch: Open) -> None:
    lines = "".join(f"text number {number}\n" for number in range(120))
    app = upload(open_batch(), "many.csv", f"text\n{lines}".encode())
    run_job(app)
    assert table(app)["number"].tolist() == list(range(1, 51))
    app.button(key="batch_page_next").click().run()
    assert table(app)["number"].tolist() == list(range(51, 101))
    open_row(app, 99)
    app.button(key="batch_row_next").click().run()
    assert app.session_state["batch_row"] == 100
    assert table(app)["number"].tolist() == list(range(101, 121))


def test_a_label_is_corrected_and_the_answer_stays_in_sight(open_batch: Open) -> None:
    app = sample(open_batch())
    job_id = run_job(app)
    open_row(app, 0)
    answered = jobs().store.row(job_id, 0).answer["label"]
    wanted = next(label for label in LABELS if label != answered)
    app.button(key=f"batch_pick_{LABELS.index(wanted)}").click().run()
    said = markup(app)
    assert f"<dt>Answer</dt><dd>{answered}</dd>" in said
    assert f"<dt>Corrected to</dt><dd>{wanted}</dd>" in said
    assert table(app)["answer"][0] == wanted
    assert jobs().store.counts(job_id)["corrected"] == 1
    app.button(key="batch_take_back").click().run()
    assert jobs().store.row(job_id, 0).correction is None


def extraction(app: AppTest) -> str:
    text = b"id,text\na,Signed: Anna Kurz. Date: 2026-11-30.\nb,nothing here\n"
    upload(app, "mail.csv", text)
    app.segmented_control(key="batch_task").set_value("extract").run()
    app.session_state["batch_fields"] = rows_of([FieldSpec("Signed"), FieldSpec("Date")])
    app.run()
    return run_job(app)


def test_a_value_must_be_in_the_text_unless_it_is_said_not_to_be(open_batch: Open) -> None:
    app = open_batch()
    job_id = extraction(app)
    open_row(app, 0)
    box = f"batch_value_{job_id}_0_Signed"
    app.text_area(key=box).set_value("Anna Lang")
    app.button(key="batch_keep_values").click().run()
    assert '"Anna Lang" of the field Signed is not in the text' in errors(app)[0]
    assert app.text_area(key=box).value == "Anna Lang"
    assert jobs().store.row(job_id, 0).correction is None
    app.text_area(key=box).set_value("anna kurz")
    app.button(key="batch_keep_values").click().run()
    assert not errors(app)
    value = jobs().store.row(job_id, 0).correction["fields"]["Signed"][0]
    assert (value["text"], value["start"], value["end"], value["status"]) == ("Anna Kurz", 8, 17, "normalised")
    app.text_area(key=box).set_value("Anna Lang")
    app.checkbox(key=f"batch_absent_{job_id}_0").set_value(True)
    app.button(key="batch_keep_values").click().run()
    value = jobs().store.row(job_id, 0).correction["fields"]["Signed"][0]
    assert (value["text"], value["start"], value["status"]) == ("Anna Lang", None, "absent")


def test_typed_values_find_their_places_and_known_ones_keep_theirs() -> None:
    own = [{"text": "b", "start": 4, "end": 5, "score": 0.5, "status": "exact"}]
    row = RowResult(0, "", "a b b ２", {"fields": {"x": own}})
    spec = FieldSpec("x")
    assert placed(row, spec, "b", absent=False) == own
    assert placed(row, spec, " a \n\n a\n", absent=False) == [
        {"text": "a", "start": 0, "end": 1, "score": None, "status": "exact"}
    ]
    assert placed(row, spec, "2", absent=False)[0]["text"] == "２"
    assert placed(row, spec, "", absent=False) == []
    with pytest.raises(WorkbenchError, match="c"):
        placed(row, spec, "c", absent=False)


def test_figures_are_those_of_the_gold_column(open_batch: Open) -> None:
    app = sample(open_batch())
    job_id = run_job(app)
    section(app, "evaluate")
    right = sum(row.answer["label"] == row.gold for row in jobs().store.each(job_id))
    assert f"<small>Accuracy</small><b>{right / 40:.1%}</b>" in markup(app)
    assert any("40 of 40 rows" in one for one in captions(app))


def test_without_gold_corrections_are_what_is_right(open_batch: Open) -> None:
    app = sample(open_batch())
    app.selectbox(key="batch_gold").set_value("").run()
    job_id = run_job(app)
    section(app, "evaluate")
    assert "Nothing says yet what is right" in app.info[0].value
    section(app, "results")
    answered = jobs().store.row(job_id, 0).answer["label"]
    open_row(app, 0)
    app.button(key=f"batch_pick_{LABELS.index(answered)}").click().run()
    section(app, "evaluate")
    assert "<small>Accuracy</small><b>100.0%</b>" in markup(app)
    assert any("1 of 40 rows" in one for one in captions(app))


@pytest.mark.parametrize("kind", ["csv", "xlsx", "jsonl", "parquet"])
def test_an_export_is_read_back_with_its_corrections(open_batch: Open, kind: str) -> None:
    app = sample(open_batch())
    job_id = run_job(app)
    open_row(app, 0)
    wanted = next(label for label in LABELS if label != jobs().store.row(job_id, 0).answer["label"])
    app.button(key=f"batch_pick_{LABELS.index(wanted)}").click().run()
    section(app, "export")
    app.segmented_control(key="batch_view_export_kind").set_value(kind).run()
    app.button(key="batch_export_prepare").click().run()
    settle(app)
    assert len(app.main.get("download_button")) == 2
    folder = workbench().settings.data_dir / "exports"
    path = next(folder.glob(f"*/sample.results.{kind}"))
    rows = list(open_table(path, find_form(path)).rows())
    answers = [(row.correction or row.answer)["label"] for row in jobs().store.each(job_id)]
    assert [row.values["label"] for row in rows] == answers
    assert rows[0].values["label"] == wanted
    assert rows[4].values["message"] == "快递显示已签收，但我并没有收到包裹。"
    manifest = json.loads(path.with_name(f"{path.name}.manifest.json").read_text("utf-8"))
    assert manifest["rows"]["corrected"] == 1


def test_some_of_the_rows_are_exported(open_batch: Open) -> None:
    app = sample(open_batch())
    job_id = run_job(app)
    section(app, "export")
    app.selectbox(key="batch_view_export_which").set_value("differs").run()
    app.button(key="batch_export_prepare").click().run()
    settle(app)
    path = next((workbench().settings.data_dir / "exports").glob("*/sample.differs.csv"))
    rows = list(open_table(path, find_form(path)).rows())
    assert len(rows) == jobs().store.counts(job_id)["differs"]
    assert all(row.values["label"] != row.values["topic"] for row in rows)


def test_another_job_on_the_file_is_compared(open_batch: Open) -> None:
    app = sample(open_batch())
    run_job(app)
    section(app, "compare")
    assert "No other job" in app.info[0].value
    app.button(key="batch_again").click().run()
    settle(app)
    assert app.session_state["batch_labels"] == LABELS
    assert app.selectbox(key="batch_gold").value == "topic"
    app.session_state["batch_labels"] = [*LABELS, "praise"]
    app.run()
    run_job(app)
    section(app, "compare")
    assert app.info[0].value.startswith("**Verdict**")
    assert "McNemar" in markup(app)
    assert "praise" in str(app.main.dataframe[0].value.to_dict())


def test_a_row_opens_in_classify_and_what_was_typed_there_can_be_put_back(open_batch: Open) -> None:
    app = sample(open_batch())
    app.session_state["classify_text"] = "typed before"
    job_id = run_job(app)
    open_row(app, 2)
    app.button(key="batch_open_elsewhere").click().run()
    assert app.title[0].value == "Classify"
    assert app.text_area(key="classify_text").value == jobs().store.row(job_id, 2).text
    assert app.session_state["classify_labels"] == LABELS
    app.button(key="classify_text_put_back").click().run()
    assert app.session_state["classify_text"] == "typed before"


def test_several_labels_are_added_and_taken(open_batch: Open) -> None:
    app = sample(open_batch())
    app.session_state["batch_multi"] = True
    app.session_state["batch_labels"] = [*LABELS, *(f"label {number}" for number in range(8))]
    app.run()
    job_id = run_job(app)
    open_row(app, 0)
    app.button(key="batch_pick_none").click().run()
    assert jobs().store.row(job_id, 0).correction["labels"] == []
    app.button(key="batch_pick_1").click().run()
    app.button(key="batch_pick_0").click().run()
    app.selectbox(key="batch_pick_more_0").set_value("label 7").run()
    assert jobs().store.row(job_id, 0).correction["labels"] == ["delivery", "refund", "label 7"]
    app.button(key="batch_pick_1").click().run()
    assert jobs().store.row(job_id, 0).correction["labels"] == ["delivery", "label 7"]
    section(app, "evaluate")
    assert "All labels of a row right" in markup(app)
