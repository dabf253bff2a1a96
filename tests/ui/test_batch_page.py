"""The Batch page without a browser: files, tries, jobs, their rows, corrections, figures, exports."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from page_driver import captions, errors, markup, settle
from streamlit.testing.v1 import AppTest

from engine.errors import WorkbenchError
from engine.jobs.tables import find_form, open_table
from engine.jobs.types import RowResult
from engine.types import FieldSpec
from ui.batch.correct import placed
from ui.batch.uploads import find
from ui.engine import jobs, workbench
from ui.fields.table import rows_of
from ui.messages import plain

Open = Callable[..., AppTest]
LABELS = ["delivery", "refund", "product quality", "account"]


@pytest.fixture
def open_page(open_app: Open) -> Iterator[Open]:
    """Opens the app at its Batch page; the keywords are the link's."""

    def open_(delay: float = 0, **link: str) -> AppTest:
        app = open_app(delay).switch_page("pages/batch.py")
        for name, value in link.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception
        return app

    yield open_
    jobs().runner.close()


def upload(app: AppTest, name: str, content: bytes) -> AppTest:
    app.file_uploader[0].set_value((name, content, "application/octet-stream"))
    app.run()
    return settle(app)


def sample(app: AppTest) -> AppTest:
    app.button(key="batch_use_sample").click().run()
    return settle(app)


def run_job(app: AppTest) -> str:
    """Start, and wait until it is done; the job's id."""
    app.button(key="batch_start").click().run()
    assert not app.exception
    assert not errors(app)
    return finished(app)


def finished(app: AppTest) -> str:
    end = time.monotonic() + 30
    while 'data-state="done"' not in markup(app) and time.monotonic() < end:
        time.sleep(0.05)
        app.run()
        assert not app.exception
    assert 'data-state="done"' in markup(app)
    return app.query_params["job"][0] if isinstance(app.query_params["job"], list) else app.query_params["job"]


def section(app: AppTest, name: str) -> AppTest:
    app.session_state["batch_view_section"] = name
    return settle(app.run())


def open_row(app: AppTest, number: int) -> AppTest:
    app.session_state["batch_row"] = number
    app.run()
    assert not app.exception
    return app


def table(app: AppTest) -> Any:
    return app.main.dataframe[0].value


def test_the_empty_page_says_what_to_do_first(open_page: Open) -> None:
    app = open_page()
    assert "200 MB" in app.file_uploader[0].label
    assert "Drop a file" in app.info[0].value
    assert any("No job yet" in one for one in captions(app))
    assert app.button(key="batch_use_sample").label == "Use the sample file"


def test_it_speaks_chinese(open_page: Open) -> None:
    app = open_page(lang="zh")
    assert app.title[0].value == "批量"
    sample(app)
    run_job(app)
    assert "<b>✓ 完成</b><span>行数：40 / 40</span>" in markup(app)
    assert any("第 1–40 行" in one for one in captions(app))


def test_a_file_is_read_as_it_is_found_and_as_it_is_said_to_be(open_page: Open) -> None:
    content = "编号;留言;标签\n1;快递没有到;物流\n2;我要退款;退款\n".encode("gb18030")
    app = upload(open_page(), "留言.csv", content)
    assert not app.file_uploader
    assert table(app)["留言"].tolist() == ["快递没有到", "我要退款"]
    head = app.main.expander[0].label
    assert re.search(r"CSV · gb.* · separator ;", head.replace("\\", ""), re.IGNORECASE)
    assert app.multiselect(key="batch_columns").value == ["留言"]
    assert app.selectbox(key="batch_gold").value == "标签"
    app.selectbox(key="batch_separator").set_value(",").run()
    assert table(settle(app)).columns.tolist() == ["编号;留言;标签"]
    app.selectbox(key="batch_separator").set_value("").run()
    assert table(settle(app))["留言"].tolist() == ["快递没有到", "我要退款"]


def test_the_bytes_go_to_the_disk_and_not_into_the_session(open_page: Open) -> None:
    content = b"text\nhello\n"
    app = upload(open_page(), "a.csv", content)
    given = find(app.session_state["batch_token"])
    assert given is not None
    assert Path(given.path).read_bytes() == content
    assert "hello" not in str(app.session_state)
    app.button(key="batch_other_file").click().run()
    assert not Path(given.path).exists()
    assert app.file_uploader


def test_odd_rows_are_counted_and_shown(open_page: Open) -> None:
    app = upload(open_page(), "odd.csv", b"id,text\n1,fine\n2,too,many\n3\n4,fine\n")
    assert any("4 rows" in one for one in captions(app))
    warning = app.warning[0].value.replace("\\", "")
    assert "Odd rows: 2." in warning
    assert re.search(r"row 2.*row 3", warning, re.DOTALL)


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02\x03" * 50, b"\x89PNG\r\n\x1a\n123"])
def test_what_is_no_table_is_one_sentence(open_page: Open, content: bytes) -> None:
    app = upload(open_page(), "bad.csv", content)
    assert len(errors(app)) == 1
    assert app.button(key="batch_other_file")


def test_a_file_over_the_limit_is_refused_and_nothing_is_left(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_UPLOAD_LIMIT", "1m")
    app = upload(open_page(), "big.csv", b"text\n" + b"x" * 2**20)
    assert "larger than 1 MB" in errors(app)[0]
    assert app.file_uploader
    assert not list((workbench().settings.data_dir / "uploads").iterdir())


def test_a_token_from_a_browser_opens_nothing_else(open_page: Open) -> None:
    open_page()
    assert find("../../etc") is None
    assert find("a" * 32) is None
    assert find(None) is None


def test_a_try_gives_rows_and_an_estimate_and_grows_old(open_page: Open) -> None:
    app = sample(open_page())
    app.button(key="batch_try").click().run()
    settle(app)
    assert re.search(r'wb-fresh" data-testid="estimate"><b>The whole file takes about', markup(app))
    rows = app.main.dataframe[1].value
    assert len(rows) == 8
    assert set(rows["answer"]) <= set(LABELS)
    app.session_state["batch_labels"] = ["delivery", "refund"]
    settle(app.run())
    assert re.search(r'wb-stale" data-testid="estimate"', markup(app))


def test_nothing_to_ask_is_refused_and_what_is_typed_stays(open_page: Open) -> None:
    app = sample(open_page())
    app.session_state["batch_labels"] = []
    app.text_input(key="batch_name").set_value("my job").run()
    app.button(key="batch_start").click().run()
    assert len(errors(app)) == 1
    assert app.text_input(key="batch_name").value == "my job"
    app.session_state["batch_labels"] = LABELS
    app.multiselect(key="batch_columns").set_value([]).run()
    app.button(key="batch_start").click().run()
    assert "No column" in errors(app)[0]
    assert not jobs().store.list()


def test_a_job_runs_and_is_found_by_its_link(open_page: Open) -> None:
    app = sample(open_page())
    app.text_input(key="batch_name").set_value("messages of May").run()
    job_id = run_job(app)
    assert len(table(app)) == 40
    assert table(app)["gold"].tolist()[:2] == ["delivery", "refund"]
    other = open_page(job=job_id)
    assert 'data-state="done"' in markup(other)
    assert other.text_input(key="batch_view_name").value == "messages of May"
    other.text_input(key="batch_view_name").set_value("June").run()
    other.button(key="batch_back").click().run()
    assert "<b>June</b>" in markup(other)
    assert "job" not in other.query_params


def test_a_link_to_no_job_says_so(open_page: Open) -> None:
    app = open_page(job="nothing")
    assert "no such job" in errors(app)[0]
    app.button(key="batch_back").click().run()
    assert app.button(key="batch_use_sample")


def test_a_job_is_paused_resumed_and_deleted(open_page: Open) -> None:
    app = sample(open_page(0.3))
    app.button(key="batch_start").click().run()
    app.button(key="batch_pause").click().run()
    end = time.monotonic() + 20
    while 'data-state="paused"' not in markup(app) and time.monotonic() < end:
        app.run()
    assert 'data-state="paused"' in markup(app)
    app.button(key="batch_resume").click().run()
    app.button(key="batch_cancel").click().run()
    while 'data-state="cancelled"' not in markup(app) and time.monotonic() < end:
        app.run()
    job_id = app.session_state["batch_job"]
    app.button(key="batch_back").click().run()
    app.button(key=f"batch_delete_{job_id}").click().run()
    assert app.button(key=f"batch_delete_{job_id}").label == "Really delete?"
    assert jobs().store.get(job_id)
    app.button(key=f"batch_delete_{job_id}").click().run()
    assert jobs().store.get(job_id) is None


def test_a_job_that_a_crash_left_says_so_and_goes_on(open_page: Open) -> None:
    app = sample(open_page())
    job_id = run_job(app)
    jobs().store.set_state(job_id, "paused", WorkbenchError("job_interrupted"))
    other = open_page(job=job_id)
    assert "ended before it was done" in errors(other)[0]
    other.button(key="batch_resume").click().run()
    finished(other)
    assert not errors(other)


def test_what_was_exported_of_a_job_goes_with_it(open_page: Open) -> None:
    app = sample(open_page())
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
    other = open_page(job=job_id)
    assert "no such job" in errors(other)[0]


def test_work_that_failed_is_done_again_on_demand(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = sample(open_page())
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


def test_rows_are_filtered_searched_and_walked(open_page: Open) -> None:
    app = sample(open_page())
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


def test_pages_of_rows_are_turned_and_walked_over(open_page: Open) -> None:
    lines = "".join(f"text number {number}\n" for number in range(120))
    app = upload(open_page(), "many.csv", f"text\n{lines}".encode())
    run_job(app)
    assert table(app)["number"].tolist() == list(range(1, 51))
    app.button(key="batch_page_next").click().run()
    assert table(app)["number"].tolist() == list(range(51, 101))
    open_row(app, 99)
    app.button(key="batch_row_next").click().run()
    assert app.session_state["batch_row"] == 100
    assert table(app)["number"].tolist() == list(range(101, 121))


def test_a_label_is_corrected_and_the_answer_stays_in_sight(open_page: Open) -> None:
    app = sample(open_page())
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


def test_a_value_must_be_in_the_text_unless_it_is_said_not_to_be(open_page: Open) -> None:
    app = open_page()
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


def test_figures_are_those_of_the_gold_column(open_page: Open) -> None:
    app = sample(open_page())
    job_id = run_job(app)
    section(app, "evaluate")
    right = sum(row.answer["label"] == row.gold for row in jobs().store.each(job_id))
    assert f"<small>Accuracy</small><b>{right / 40:.1%}</b>" in markup(app)
    assert any("40 of 40 rows" in one for one in captions(app))


def test_without_gold_corrections_are_what_is_right(open_page: Open) -> None:
    app = sample(open_page())
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
def test_an_export_is_read_back_with_its_corrections(open_page: Open, kind: str) -> None:
    app = sample(open_page())
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


def test_some_of_the_rows_are_exported(open_page: Open) -> None:
    app = sample(open_page())
    job_id = run_job(app)
    section(app, "export")
    app.selectbox(key="batch_view_export_which").set_value("differs").run()
    app.button(key="batch_export_prepare").click().run()
    settle(app)
    path = next((workbench().settings.data_dir / "exports").glob("*/sample.differs.csv"))
    rows = list(open_table(path, find_form(path)).rows())
    assert len(rows) == jobs().store.counts(job_id)["differs"]
    assert all(row.values["label"] != row.values["topic"] for row in rows)


def test_another_job_on_the_file_is_compared(open_page: Open) -> None:
    app = sample(open_page())
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


def test_a_row_opens_in_classify_and_what_was_typed_there_can_be_put_back(open_page: Open) -> None:
    app = sample(open_page())
    app.session_state["classify_text"] = "typed before"
    job_id = run_job(app)
    open_row(app, 2)
    app.button(key="batch_open_elsewhere").click().run()
    assert app.title[0].value == "Classify"
    assert app.text_area(key="classify_text").value == jobs().store.row(job_id, 2).text
    assert app.session_state["classify_labels"] == LABELS
    app.button(key="classify_text_put_back").click().run()
    assert app.session_state["classify_text"] == "typed before"


def test_a_sheet_is_chosen(open_page: Open, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "first"
    book.active.append(["text"])
    book.active.append(["one"])
    other = book.create_sheet("第二")
    other.append(["消息", "编号"])
    other.append(["两个", "007"])
    book.save(tmp_path / "book.xlsx")
    app = upload(open_page(), "book.xlsx", (tmp_path / "book.xlsx").read_bytes())
    assert table(app)["text"].tolist() == ["one"]
    app.selectbox(key="batch_sheet").set_value("第二").run()
    assert table(settle(app)).to_dict("list") == {"消息": ["两个"], "编号": ["007"]}
    assert app.multiselect(key="batch_columns").value == ["消息"]


def test_names_of_files_columns_and_labels_are_shown_as_they_are(open_page: Open) -> None:
    hostile = "<img src=x onerror=alert(1)> $1 and $2 **b** [l](http://x)"
    app = upload(open_page(), f"../../{hostile}.csv", f'"{hostile}",b\n"{hostile}",1\n'.encode())
    assert table(app).columns.tolist() == [hostile, "b"]
    app.session_state["batch_labels"] = [hostile, "other"]
    app.run()
    job_id = run_job(app)
    open_row(app, 0)
    assert "<img" not in markup(app)
    assert app.button(key="batch_pick_0").label == plain(hostile)
    app.button(key="batch_pick_0").click().run()
    assert jobs().store.row(job_id, 0).correction["label"] == hostile
    section(app, "evaluate")
    section(app, "export")
    app.button(key="batch_export_prepare").click().run()
    settle(app)
    assert not errors(app)
    folder = workbench().settings.data_dir / "exports"
    assert {path.parent.parent for path in folder.glob("*/*")} == {folder}


def test_several_labels_are_added_and_taken(open_page: Open) -> None:
    app = sample(open_page())
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


def test_texts_of_several_columns_are_one(open_page: Open) -> None:
    app = upload(open_page(), "two.jsonl", b'{"title": "a", "body": "b", "n": 1}\n{"title": "c", "body": null}\n')
    app.multiselect(key="batch_columns").set_value(["title", "body"]).run()
    job_id = run_job(app)
    assert [row.text for row in jobs().store.each(job_id)] == ["a\nb", "c"]
