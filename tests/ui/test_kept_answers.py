"""Kept answers on the pages: the mark, and the button that clears them."""

import html
import re
from collections.abc import Callable

import pytest
from page_driver import markup, press
from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]


def mark(app: AppTest) -> tuple[str, str] | None:
    """The mark of a kept answer: what it says, and its tooltip."""
    found = re.search(r'<span class="wb-kept" title="(.*?)" data-testid="cached">(.*?)</span>', markup(app))
    return None if found is None else (html.unescape(found[2]), html.unescape(found[1]))


def latency(app: AppTest) -> str:
    """The time said below the answer."""
    found = re.search(r'<div class="wb-facts"[^>]*><span>(.*?)</span>', markup(app))
    assert found is not None
    return found[1]


@pytest.mark.parametrize("page", ["", "pages/extract.py"])
def test_a_kept_answer_is_marked_beside_its_time(open_app: Open, page: str) -> None:
    app = open_app()
    app = app.switch_page(page).run() if page else app
    press(app)
    assert mark(app) is None
    first = latency(app)
    press(app)
    assert mark(app) == (
        "cached",
        f"Kept from an earlier run, which took {first}. To compute it anew, clear the result cache in the sidebar.",
    )
    assert re.fullmatch(r"[\d.,]+ ms", latency(app))


def test_the_mark_and_the_button_in_chinese(open_app: Open) -> None:
    app = press(press(open_app(lang="zh")))
    said, tooltip = mark(app) or ("", "")
    assert said == "缓存"
    assert tooltip.startswith("来自之前的同一请求")
    assert open_app(lang="zh").button(key="cache_clear").label.startswith("清除结果缓存（1 · ")


def test_another_request_is_not_marked(open_app: Open) -> None:
    app = press(press(open_app()))
    app.text_area(key="classify_text").set_value("Another text.")
    press(app)
    assert mark(app) is None


# AppTest shows the sidebar after the first run of a session only: each step there is a session of its own.


def test_the_button_clears_what_is_kept(open_app: Open) -> None:
    app = open_app()
    button = app.button(key="cache_clear")
    assert (button.label, button.disabled) == ("Clear result cache (0 · 0 B)", True)
    press(app)
    app = open_app()
    button = app.button(key="cache_clear")
    assert button.label.startswith("Clear result cache (1 · ")
    assert not button.disabled
    button.click().run()
    assert not app.exception
    app = open_app()
    assert app.button(key="cache_clear").disabled
    press(app)
    assert mark(app) is None


def test_what_cannot_be_cleared_is_said(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.errors import WorkbenchError
    from ui.engine import workbench

    def fail() -> None:
        raise WorkbenchError("file_not_written", path="x", reason="it is locked")

    press(open_app())
    monkeypatch.setattr(workbench(), "clear_cache", fail)
    app = open_app()
    app.button(key="cache_clear").click().run()
    assert not app.exception
    assert "cannot be written" in app.toast[0].value.replace("\\", "")


def test_an_answer_from_the_disk_is_marked_in_a_new_process(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    import streamlit as st

    from ui.engine import workbench

    monkeypatch.setenv("WORKBENCH_RESULT_CACHE_DISK", "1")
    press(open_app())
    workbench().close()
    st.cache_resource.clear()
    app = press(open_app())
    assert mark(app) is not None
