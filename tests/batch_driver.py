"""Handles the Batch page without a browser: files, jobs, their parts and rows."""

import time
from typing import Any

from page_driver import errors, markup, settle
from streamlit.testing.v1 import AppTest

LABELS = ["delivery", "refund", "product quality", "account"]
"""Of the sample file."""


def upload(app: AppTest, name: str, content: bytes) -> AppTest:
    """Give a file, and wait until it is looked through."""
    app.file_uploader[0].set_value((name, content, "application/octet-stream"))
    app.run()
    return settle(app)


def sample(app: AppTest) -> AppTest:
    """Use the sample file."""
    app.button(key="batch_use_sample").click().run()
    return settle(app)


def run_job(app: AppTest) -> str:
    """Start, and wait until it is done; the job's id."""
    app.button(key="batch_start").click().run()
    assert not app.exception
    assert not errors(app)
    return finished(app)


def finished(app: AppTest) -> str:
    """Wait until the job that is open is done; its id."""
    end = time.monotonic() + 30
    while 'data-state="done"' not in markup(app) and time.monotonic() < end:
        time.sleep(0.05)
        app.run()
        assert not app.exception
    assert 'data-state="done"' in markup(app)
    return app.query_params["job"][0] if isinstance(app.query_params["job"], list) else app.query_params["job"]


def section(app: AppTest, name: str) -> AppTest:
    """Show another part of the job."""
    app.session_state["batch_view_section"] = name
    return settle(app.run())


def open_row(app: AppTest, number: int) -> AppTest:
    """Open a row, as a click on it does."""
    app.session_state["batch_row"] = number
    app.run()
    assert not app.exception
    return app


def table(app: AppTest) -> Any:
    """The first table of the page."""
    return app.main.dataframe[0].value
