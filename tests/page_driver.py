"""Handles a page without a browser: presses, waits for the answer, and reads what is shown."""

import html
import re
import time

from streamlit.testing.v1 import AppTest


def press(app: AppTest, key: str = "run") -> AppTest:
    """Press a button and wait until its run is over."""
    app.button(key=key).click().run()
    return settle(app)


def settle(app: AppTest) -> AppTest:
    """Run the page until it waits for no answer."""
    end = time.monotonic() + 30
    while waits(app) and time.monotonic() < end:
        app.run()
    assert not app.exception
    return app


def waits(app: AppTest) -> bool:
    """Whether a run goes on."""
    return any((button.key or "").endswith("stop") and button.key != "model_stop" for button in app.button)


def markup(app: AppTest) -> str:
    """Every block of HTML of the main part."""
    return "\n".join(block.proto.body for block in app.main.get("html"))


def notes(app: AppTest) -> list[str]:
    """The notes under the answer."""
    return [html.unescape(note) for note in re.findall(r'<div class="wb-note">(.*?)</div>', markup(app), re.S)]


def errors(app: AppTest) -> list[str]:
    """The error boxes of the main part, without Markdown's escapes."""
    return [re.sub(r"\\(.)", r"\1", box.value) for box in app.main.error]


def captions(app: AppTest) -> list[str]:
    """The captions of the main part, without Markdown's escapes."""
    return [re.sub(r"\\(.)", r"\1", caption.value) for caption in app.main.caption]
