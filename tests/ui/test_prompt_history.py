"""The history on the Prompt page without a browser: kept, found, loaded, deleted, off, and unusable."""

import re
import sqlite3
from functools import partial
from pathlib import Path

import pytest
from page_driver import captions, errors, markup
from prompt_driver import KEEP, TEMPLATE, TEXT, Open, entries, open_prompt, run, write, written

from engine.store.history import NAME


@pytest.fixture
def open_page(open_app: Open) -> Open:
    """Opens the app at its Prompt page."""
    return partial(open_prompt, open_app)


def test_an_answer_is_kept_once_and_comes_back_into_the_editor(open_page: Open) -> None:
    app = open_page()
    app.segmented_control(key="prompt_a_mode").set_value("sample").run()
    run(app)
    app.run()
    assert entries() == ["Say: It rains."]
    write(app, "Other {text}", text="now", kind="regex")
    app.segmented_control(key="prompt_a_mode").set_value("greedy").run()
    reuse = next(button for button in app.button if (button.key or "").startswith("prompt_history_reuse_"))
    reuse.click().run()
    assert app.text_area(key=TEMPLATE).value == "Say: {text}"
    assert app.text_area(key=TEXT).value == "It rains."
    assert app.segmented_control(key="prompt_a_mode").value == "sample"
    assert app.selectbox(key="prompt_kind").value == "none"
    assert "wb-fresh" in markup(app), "it is what was asked"


def test_a_kept_answer_is_marked_and_no_second_entry(open_page: Open) -> None:
    app = run(run(open_page()))
    assert 'data-testid="cached"' in markup(app)
    assert "tokens/s" in markup(app)
    assert entries() == ["Say: It rains."]


def test_search_stars_and_deletions(open_page: Open) -> None:
    app = open_page()
    for text in ("晴天", "rain", "snow"):
        run(write(app, text=text))

    def listed() -> list[str]:
        return re.findall(r"history-entry.*?<div>Say: (.*?)</div>", markup(app), re.S)

    def press(beginning: str, place: int = 0) -> None:
        [button for button in app.button if (button.key or "").startswith(beginning)][place].click().run()

    assert listed() == ["snow", "rain", "晴天"]
    app.text_input(key="prompt_history_search").set_value("晴").run()
    assert listed() == ["晴天"]
    app.text_input(key="prompt_history_search").set_value("hail").run()
    assert "Nothing was found." in captions(app)
    app.text_input(key="prompt_history_search").set_value("").run()
    press("prompt_history_star_", 1)
    app.toggle(key="prompt_history_starred").set_value(True).run()
    assert listed() == ["rain"]
    app.toggle(key="prompt_history_starred").set_value(False).run()
    press("prompt_history_delete_", 0)
    app.run()
    assert listed() == ["rain", "晴天"], "the deleted one, whose answer is still shown, does not come back"
    press("prompt_history_clear_unstarred")
    assert listed() == ["rain", "晴天"], "the first press asks"
    press("prompt_history_clear_unstarred")
    assert listed() == ["rain"]
    press("prompt_history_clear_all")
    press("prompt_history_clear_all")
    assert "Nothing is kept yet." in captions(app)


def test_with_the_history_off_nothing_is_written(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_HISTORY", "false")
    app = run(open_page())
    assert not app.toggle(key=KEEP).value
    assert any("nothing is written" in caption for caption in captions(app))
    assert not (tmp_path / "data").exists()
    app.toggle(key=KEEP).set_value(True).run()
    assert not (tmp_path / "data").exists(), "it was asked for with the history off"
    run(write(app, text="again"))
    assert entries() == ["Say: again"]


@pytest.mark.parametrize("kind", ["damaged", "folder"])
def test_the_page_works_without_a_history_that_cannot_be_used(open_page: Open, tmp_path: Path, kind: str) -> None:
    if kind == "damaged":
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / NAME).write_bytes(b"no database " * 200)
    else:
        (tmp_path / "data").write_text("a file in the way")
    app = run(open_page())
    assert written(app)[0].endswith("Say: It rains.")
    said = [error for error in errors(app) if "history" in error.lower()]
    assert len(said) == 1
    run(write(app, text="again"))
    assert written(app)[0].endswith("Say: again")


def test_an_entry_of_another_version_comes_back_as_far_as_it_can(open_page: Open, tmp_path: Path) -> None:
    run(open_page())
    file = sqlite3.connect(tmp_path / "data" / NAME)
    file.execute("UPDATE prompts SET body = '[1', prompt = 'as {it} was'")
    file.commit()
    file.close()
    app = open_page()
    next(button for button in app.button if (button.key or "").startswith("prompt_history_reuse_")).click().run()
    assert app.text_area(key=TEMPLATE).value == "as {{it}} was"
