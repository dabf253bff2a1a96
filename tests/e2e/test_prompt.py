"""The Prompt page in a real browser, over the fake model: answers grow, stop, are found again, kept and compared."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import WAIT, Desks, Server

pytestmark = pytest.mark.e2e

TEXT = "雨 <b>rain</b> $1 and $2 "
LONG = TEXT * 8


class Prompt:
    """The Prompt page as a user handles it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.template = page.locator(".st-key-prompt_template textarea")
        self.text = page.locator(".st-key-prompt_value_text textarea")
        self.run = page.locator(".st-key-run button")
        self.stop = page.locator("[class*=_run_stop] button")
        self.live = page.get_by_test_id("live")
        self.written = page.get_by_test_id("written")
        self.fresh = page.locator(".wb-fresh")
        self.stale = page.locator(".wb-stale")
        self.alert = page.get_by_test_id("stMain").get_by_test_id("stAlert")
        self.entries = page.get_by_test_id("history-entry")

    def open(self) -> "Prompt":
        """Go there, without a role and a form."""
        self.page.goto(f"{self.server.url}/prompt")
        self.ready()
        self.page.locator(".st-key-samples button").nth(1).click()  # a sample without a form
        expect(self.template).to_have_value(re.compile("Summarise"))
        self.idle()  # a box that is typed in before the others have come sends their old values with its own
        self.write("prompt_role", "")
        self.write("prompt_template", "{text}")
        return self

    def ready(self) -> "Prompt":
        """Wait until the page is drawn, and has what the tab remembers of before a reload."""
        expect(self.run).to_be_enabled()
        expect(self.template).to_be_visible()
        self.page.wait_for_function("'prompt_template' in JSON.parse(sessionStorage.getItem('workbench') ?? '{}')")
        return self

    def idle(self) -> None:
        """Wait until no script runs."""
        expect(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()

    def write(self, key: str, text: str) -> None:
        """Type over a box, and go on to the next thing."""
        box = self.page.locator(f".st-key-{key} textarea")
        box.fill(text)
        box.blur()
        self.page.wait_for_function(
            "([key, text]) => JSON.parse(sessionStorage.getItem('workbench') ?? '{}')[key] === text",
            arg=[key, text],
            timeout=WAIT,
        )

    def grows(self) -> str:
        """Wait until the answer is being written, and is longer than before; its text."""
        expect(self.live).to_contain_text(re.compile(r".{3}"))
        before = self.live.inner_text()
        self.page.wait_for_function(
            "length => (document.querySelector('[data-testid=live]')?.innerText.length ?? 0) > length",
            arg=len(before),
        )
        return before

    def answered(self) -> str:
        """Wait for the whole answer to what is there now; its text."""
        expect(self.fresh.first).to_be_visible()
        expect(self.live).to_have_count(0)
        return self.written.first.evaluate("box => box.textContent")

    def open_history(self) -> None:
        """Unfold it."""
        self.page.locator(".st-key-prompt_history summary").click()
        expect(self.page.locator(".st-key-prompt_history_search input")).to_be_visible()


@pytest.fixture
def prompt(desks: Desks, server: Server) -> Callable[..., Prompt]:
    """Opens the Prompt page in a browser of its own; `options` are the context's."""

    def open_(at: Server | None = None, **options: Any) -> Prompt:
        return Prompt(desks.open(at or server, None, **options).page, at or server).open()

    return open_


@pytest.fixture(scope="module")
def long_server(start_server: Callable[[float], Server]) -> Server:
    """An answer takes longer than what a test does meanwhile, on a busy machine too."""
    return start_server(15)


def test_an_answer_grows_and_stop_ends_it(prompt: Callable[..., Prompt], long_server: Server) -> None:
    desk = prompt(long_server)
    desk.write("prompt_value_text", LONG)
    desk.run.click()
    desk.grows()
    desk.stop.click()
    expect(desk.alert).to_contain_text("The run was stopped.")
    expect(desk.stop).to_have_count(0)
    shown = desk.written.evaluate("box => box.textContent")
    assert shown
    assert LONG.startswith(shown)
    assert shown != LONG.strip()
    desk.open_history()
    expect(desk.entries.first).to_contain_text(TEXT.split(" ", maxsplit=1)[0])


def test_a_run_is_found_again_after_an_edit_a_reload_and_another_page(
    prompt: Callable[..., Prompt], long_server: Server
) -> None:
    desk = prompt(long_server)
    text = LONG + "found again"
    desk.write("prompt_value_text", text)
    desk.run.click()
    desk.grows()
    desk.write("prompt_role", "typed meanwhile")
    desk.grows()
    desk.page.reload()
    desk.ready()
    desk.grows()
    expect(desk.page.locator(".st-key-prompt_role textarea")).to_have_value("typed meanwhile")
    desk.page.get_by_role("link", name="Extract").click()
    expect(desk.page.locator(".st-key-extract_text")).to_be_visible()
    desk.page.get_by_role("link", name="Prompt").click()
    expect(desk.stale).to_be_visible()
    expect(desk.live).to_have_count(0)
    assert desk.written.evaluate("box => box.textContent") == text[:96]
    desk.page.reload()
    desk.ready()
    desk.write("prompt_role", "")
    expect(desk.fresh).to_be_visible()
    expect(desk.text).to_have_value(text)


def test_the_keyboard_runs_what_was_just_typed(prompt: Callable[..., Prompt]) -> None:
    desk = prompt()
    desk.text.fill("typed just now")
    desk.text.press("Control+Enter")
    assert desk.answered() == "typed just now"
    desk.page.get_by_role("tab", name="Command").click()
    expect(desk.page.get_by_role("tabpanel")).to_contain_text("workbench prompt 'typed just now'")


def test_markup_is_shown_as_written_and_tokens_say_what_they_are(prompt: Callable[..., Prompt]) -> None:
    desk = prompt()
    desk.write("prompt_value_text", TEXT)
    desk.run.click()
    assert desk.answered() == TEXT
    tokens = desk.page.get_by_test_id("tokens")
    assert tokens.evaluate("box => box.textContent") == TEXT
    said = tokens.locator("span").first.get_attribute("title") or ""
    assert "id 38632" in said
    assert "90.0%" in said
    assert "Others at this place" in said
    assert desk.page.locator(".wb-written b, .katex").count() == 0


def test_an_entry_of_the_history_is_run_again(
    prompt: Callable[..., Prompt], start_server: Callable[..., Server]
) -> None:
    desk = prompt(start_server(0.3))
    for text in ("first ask", "second ask"):
        desk.write("prompt_value_text", text)
        desk.run.click()
        expect(desk.written).to_have_text(text)
    desk.open_history()
    expect(desk.entries).to_have_count(2)
    desk.page.locator(".st-key-prompt_history_search input").fill("FIRST")
    desk.page.locator(".st-key-prompt_history_search input").press("Enter")
    expect(desk.entries).to_have_count(1)
    desk.page.locator("[class*=st-key-prompt_history_reuse_] button").first.click()
    expect(desk.text).to_have_value("first ask")
    expect(desk.stale).to_be_visible()
    desk.run.click()
    assert desk.answered() == "first ask"
    desk.page.locator(".st-key-prompt_keep label").click()
    expect(desk.page.get_by_text("The history is off")).to_be_visible()
    desk.write("prompt_value_text", "off the record")
    desk.run.click()
    expect(desk.written).to_have_text("off the record")
    desk.page.locator(".st-key-prompt_history_search input").fill("record")
    desk.page.locator(".st-key-prompt_history_search input").press("Enter")
    expect(desk.page.get_by_text("Nothing was found.")).to_be_visible()


def test_two_settings_answer_side_by_side(prompt: Callable[..., Prompt]) -> None:
    desk = prompt(color_scheme="dark")
    desk.write("prompt_value_text", "one text for both")
    desk.page.locator(".st-key-prompt_compare label").click()
    limit = desk.page.locator(".st-key-prompt_b_limit input")
    limit.fill("8")
    limit.press("Enter")
    desk.run.click()
    expect(desk.written).to_have_count(2)
    expect(desk.written.nth(0)).to_have_text("one text for both")
    expect(desk.written.nth(1)).to_have_text("one text")
    expect(desk.page.get_by_text("differ from character 9 on")).to_be_visible()
    left, right = (desk.written.nth(place).bounding_box() for place in (0, 1))
    assert left
    assert right
    assert left["x"] + left["width"] < right["x"]
