"""Handles the Prompt page without a browser: opens it, types, runs, and reads what was written and kept."""

import html
import re
from collections.abc import Callable

from page_driver import markup
from streamlit.testing.v1 import AppTest

from engine.settings import load_settings
from engine.store.history import PromptHistory

TEMPLATE, ROLE, TEXT, KEEP = "prompt_template", "prompt_role", "prompt_value_text", "prompt_keep"

Open = Callable[..., AppTest]


def open_prompt(open_app: Open, delay: float = 0, form: bool = False, **link: str) -> AppTest:
    """Open the app at its Prompt page; form: with the first sample as it is, else with a short template alone."""
    app = open_app(delay, **link).switch_page("pages/prompt.py").run()
    assert not app.exception
    if form:
        return app
    app.text_area(key=ROLE).set_value("")
    return write(app, "Say: {text}", text="It rains.", kind="none")


def write(app: AppTest, template: str | None = None, *, kind: str | None = None, **values: str) -> AppTest:
    """Type a template, then values; choose a form."""
    if template is not None:
        app.text_area(key=TEMPLATE).set_value(template).run()
    for name, value in values.items():
        app.text_area(key=f"prompt_value_{name}").set_value(value)
    if kind is not None:
        app.selectbox(key="prompt_kind").set_value(kind)
    app.run()
    assert not app.exception
    return app


def run(app: AppTest) -> AppTest:
    """Press Run; the page itself waits for the answer."""
    app.button(key="run").click().run()
    assert not app.exception
    return app


def written(app: AppTest) -> list[str]:
    """The answers shown."""
    return [html.unescape(text) for text in re.findall(r'data-testid="written">(.*?)</div>', markup(app), re.S)]


def entries() -> list[str]:
    """The prompts in the history, newest first."""
    return [entry.prompt for entry in PromptHistory(load_settings().data_dir).list().entries]
