"""The Batch page without a browser: files, tries, jobs, links."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from batch_driver import LABELS, finished, open_row, run_job, sample, section, table, upload
from page_driver import captions, errors, markup, settle
from streamlit.testing.v1 import AppTest

from engine.errors import WorkbenchError
from ui.batch.uploads import find
from ui.engine import jobs, workbench
from ui.messages import plain

Open = Callable[..., AppTest]


def test_the_empty_page_says_what_to_do_first(open_batch: Open) -> None:
    app = open_batch()
    assert "200 MB" in app.file_uploader[0].label
    assert "Drop a file" in app.info[0].value
    assert any("No job yet" in one for one in captions(app))
    assert app.button(key="batch_use_sample").label == "Use the sample file"


def test_it_speaks_chinese(open_batch: Open) -> None:
    app = open_batch(lang="zh")
    assert app.title[0].value == "批量"
    sample(app)
    run_job(app)
    assert "<b>✓ 完成</b><span>行数：40 / 40</span>" in markup(app)
    assert any("第 1–40 行" in one for one in captions(app))


def test_a_file_is_read_as_it_is_found_and_as_it_is_said_to_be(open_batch: Open) -> None:
    content = "编号;留言;标签\n1;快递没有到;物流\n2;我要退款;退款\n".encode("gb18030")
    app = upload(open_batch(), "留言.csv", content)
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


def test_the_bytes_go_to_the_disk_and_not_into_the_session(open_batch: Open) -> None:
    content = b"text\nhello\n"
    app = upload(open_batch(), "a.csv", content)
    given = find(app.session_state["batch_token"])
    assert given is not None
    assert Path(given.path).read_bytes() == content
    assert "hello" not in str(app.session_state)
    app.button(key="batch_other_file").click().run()
    assert not Path(given.path).exists()
    assert app.file_uploader


def test_odd_rows_are_counted_and_shown(open_batch: Open) -> None:
    app = upload(open_batch(), "odd.csv", b"id,text\n1,fine\n2,too,many\n3\n4,fine\n")
    assert any("4 rows" in one for one in captions(app))
    warning = app.warning[0].value.replace("\\", "")
    assert "Odd rows: 2." in warning
    assert re.search(r"row 2.*row 3", warning, re.DOTALL)


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02\x03" * 50, b"\x89PNG\r\n\x1a\n123"])
def test_what_is_no_table_is_one_sentence(open_batch: Open, content: bytes) -> None:
    app = upload(open_batch(), "bad.csv", content)
    assert len(errors(app)) == 1
    assert app.button(key="batch_other_file")


def test_a_file_over_the_limit_is_refused_and_nothing_is_left(
    open_batch: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_UPLOAD_LIMIT", "1m")
    app = upload(open_batch(), "big.csv", b"text\n" + b"x" * 2**20)
    assert "larger than 1 MB" in errors(app)[0]
    assert app.file_uploader
    assert not list((workbench().settings.data_dir / "uploads").iterdir())


def test_a_token_from_a_browser_opens_nothing_else(open_batch: Open) -> None:
    open_batch()
    assert find("../../etc") is None
    assert find("a" * 32) is None
    assert find(None) is None


def test_a_try_gives_rows_and_an_estimate_and_grows_old(open_batch: Open) -> None:
    app = sample(open_batch())
    app.button(key="batch_try").click().run()
    settle(app)
    assert re.search(r'wb-fresh" data-testid="estimate"><b>The whole file takes about', markup(app))
    rows = app.main.dataframe[1].value
    assert len(rows) == 8
    assert set(rows["answer"]) <= set(LABELS)
    app.session_state["batch_labels"] = ["delivery", "refund"]
    settle(app.run())
    assert re.search(r'wb-stale" data-testid="estimate"', markup(app))


def test_nothing_to_ask_is_refused_and_what_is_typed_stays(open_batch: Open) -> None:
    app = sample(open_batch())
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


def test_a_job_runs_and_is_found_by_its_link(open_batch: Open) -> None:
    app = sample(open_batch())
    app.text_input(key="batch_name").set_value("messages of May").run()
    job_id = run_job(app)
    assert len(table(app)) == 40
    assert table(app)["gold"].tolist()[:2] == ["delivery", "refund"]
    other = open_batch(job=job_id)
    assert 'data-state="done"' in markup(other)
    assert other.text_input(key="batch_view_name").value == "messages of May"
    other.text_input(key="batch_view_name").set_value("June").run()
    other.button(key="batch_back").click().run()
    assert "<b>June</b>" in markup(other)
    assert "job" not in other.query_params


def test_a_link_to_no_job_says_so(open_batch: Open) -> None:
    app = open_batch(job="nothing")
    assert "no such job" in errors(app)[0]
    app.button(key="batch_back").click().run()
    assert app.button(key="batch_use_sample")


def test_a_job_is_paused_resumed_and_deleted(open_batch: Open) -> None:
    app = sample(open_batch(0.3))
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


def test_a_job_that_a_crash_left_says_so_and_goes_on(open_batch: Open) -> None:
    app = sample(open_batch())
    job_id = run_job(app)
    jobs().store.set_state(job_id, "paused", WorkbenchError("job_interrupted"))
    other = open_batch(job=job_id)
    assert "ended before it was done" in errors(other)[0]
    other.button(key="batch_resume").click().run()
    finished(other)
    assert not errors(other)


def test_a_sheet_is_chosen(open_batch: Open, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "first"
    book.active.append(["text"])
    book.active.append(["one"])
    other = book.create_sheet("第二")
    other.append(["消息", "编号"])
    other.append(["两个", "007"])
    book.save(tmp_path / "book.xlsx")
    app = upload(open_batch(), "book.xlsx", (tmp_path / "book.xlsx").read_bytes())
    assert table(app)["text"].tolist() == ["one"]
    app.selectbox(key="batch_sheet").set_value("第二").run()
    assert table(settle(app)).to_dict("list") == {"消息": ["两个"], "编号": ["007"]}
    assert app.multiselect(key="batch_columns").value == ["消息"]


def test_names_of_files_columns_and_labels_are_shown_as_they_are(open_batch: Open) -> None:
    hostile = "<img src=x onerror=alert(1)> $1 and $2 **b** [l](http://x)"
    app = upload(open_batch(), f"../../{hostile}.csv", f'"{hostile}",b\n"{hostile}",1\n'.encode())
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


def test_texts_of_several_columns_are_one(open_batch: Open) -> None:
    app = upload(open_batch(), "two.jsonl", b'{"title": "a", "body": "b", "n": 1}\n{"title": "c", "body": null}\n')
    app.multiselect(key="batch_columns").set_value(["title", "body"]).run()
    job_id = run_job(app)
    assert [row.text for row in jobs().store.each(job_id)] == ["a\nb", "c"]
