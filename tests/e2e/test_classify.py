"""The Classify page in a real browser, over the fake model: runs, reloads, links, languages, the sidebar, the API."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import Desk, Desks, Server

pytestmark = pytest.mark.e2e

MARKUP = "<img src=x onerror=alert(1)> $12 and $15 :smile: ~~x~~"
TEXT = "The match ended in a draw after extra time."
ALSO = "A text typed while a run is going."


def shown(desk: Desk) -> str:
    """The page's text as a reader sees it."""
    return desk.page.locator("[data-testid=stMain]").inner_text()


def test_the_first_page_has_a_sample_and_run_answers_it(desk: Desk) -> None:
    assert len(desk.text.input_value()) > 20
    assert len(desk.labels()) >= 2
    desk.answered()
    bars = desk.bars()
    assert list(bars) == sorted(bars, key=bars.__getitem__, reverse=True)
    assert set(bars) == set(desk.labels())
    assert sum(bars.values()) == pytest.approx(100, abs=0.05 * len(bars))
    expect(desk.answer.locator(".wb-chosen b")).to_have_text(next(iter(bars)))


def test_a_sample_replaces_text_and_labels_also_with_a_label_half_typed(desk: Desk) -> None:
    before = desk.text.input_value()
    desk.add.press_sequentially("half")
    desk.page.locator(".st-key-sample_1 button").click()
    expect(desk.text).not_to_have_value(before)
    expect(desk.names.filter(has_text="delivery")).to_be_visible()
    assert "half" not in desk.idle().labels()


def test_ctrl_enter_runs_with_the_text_just_typed(desk: Desk) -> None:
    for text in (TEXT, ALSO, TEXT):
        desk.text.fill("")
        desk.text.press_sequentially(text)
        desk.text.press("Control+Enter")
        expect(desk.fresh).to_be_visible()
        expect(desk.page.get_by_test_id("stCode").first).to_contain_text(text)


def test_run_takes_a_label_that_was_typed_but_not_entered(desk: Desk) -> None:
    desk.add.press_sequentially("typed")
    desk.run.click()
    expect(desk.fresh.locator(".wb-label", has_text="typed")).to_be_visible()


def test_run_can_be_stopped_and_what_was_typed_stays(slow_desk: Desk) -> None:
    slow_desk.write(TEXT)
    slow_desk.run.click()
    slow_desk.stop.click()
    expect(slow_desk.alert).to_contain_text("The run was stopped.")
    expect(slow_desk.stop).to_have_count(0)
    expect(slow_desk.text).to_have_value(TEXT)
    expect(slow_desk.run).to_be_enabled()
    assert slow_desk.answer.count() == 0


def test_input_changed_during_a_run_stays_and_its_answer_is_marked_as_earlier(slow_desk: Desk) -> None:
    slow_desk.set_labels("a", "b")
    slow_desk.run.click()
    expect(slow_desk.stop).to_be_visible()
    slow_desk.type_label("c")
    slow_desk.text.fill(ALSO)
    slow_desk.add.press_sequentially("d")
    slow_desk.add.press("Enter")
    slow_desk.expect_labels("a", "b", "c", "d")
    expect(slow_desk.stale).to_be_visible()
    assert set(slow_desk.bars()) == {"a", "b"}
    expect(slow_desk.page.get_by_text("This answer is for an earlier input")).to_be_visible()
    expect(slow_desk.text).to_have_value(ALSO)
    slow_desk.expect_labels("a", "b", "c", "d")


def test_a_reload_finds_text_labels_options_and_answer(desk: Desk) -> None:
    desk.write(TEXT)
    desk.set_labels("x, y", "b", "a")
    choose_several(desk)
    desk.page.locator(".st-key-classify_free label").first.click()
    desk.remembers("classify_free", True)
    desk.answered()
    bars = desk.bars()
    desk.page.reload()
    expect(desk.fresh).to_be_visible()
    assert desk.bars() == bars
    expect(desk.text).to_have_value(TEXT)
    desk.expect_labels("x, y", "b", "a")
    expect(desk.page.locator(".st-key-classify_free input")).to_be_checked()
    expect(several(desk)).to_be_checked()


def test_a_reload_during_a_run_finds_the_run(slow_desk: Desk) -> None:
    slow_desk.write(TEXT)
    slow_desk.run.click()
    expect(slow_desk.stop).to_be_visible()
    slow_desk.page.reload()
    expect(slow_desk.stop.or_(slow_desk.fresh)).to_be_visible()
    expect(slow_desk.fresh).to_be_visible()
    expect(slow_desk.page.get_by_test_id("stCode").first).to_contain_text(TEXT)


@pytest.mark.parametrize(
    "labels",
    [("b", "a", "c"), ("food, drink", 'say "hi"', "水、奶", '"quoted"', "a&b=c#d%20", "ünï 🇨🇳", MARKUP)],
    ids=["plain", "awkward"],
)
def test_the_link_opens_the_same_labels_in_order(desks: Desks, server: Server, labels: tuple[str, ...]) -> None:
    first = desks.open(server)
    first.set_labels(*labels)
    first.idle()
    second = desks.open(server, first.page.url.removeprefix(server.url))
    second.expect_labels(*labels)


def test_a_link_opened_in_a_used_tab_shows_its_own_labels(desk: Desk) -> None:
    desk.write(TEXT)
    desk.set_labels("a", "b")
    desk.open("/?labels=from,the,link")
    desk.expect_labels("from", "the", "link")
    desk.remembers("classify_labels", ["from", "the", "link"])
    expect(desk.text).to_have_value(TEXT)
    desk.expect_labels("from", "the", "link")


def test_two_browsers_do_not_share_what_is_typed(desks: Desks, server: Server) -> None:
    first, second = desks.open(server), desks.open(server)
    before = second.text.input_value()
    first.write(TEXT)
    first.set_labels("a", "b")
    first.answered()
    second.page.reload()
    second.ready()
    expect(second.text).to_have_value(before)
    assert second.answer.count() == 0


def test_markup_is_shown_as_typed_everywhere(desk: Desk) -> None:
    desk.write(f"{MARKUP} [GEN]")
    desk.set_labels(MARKUP, MARKUP.upper(), "plain")
    desk.page.locator(".st-key-classify_free label").first.click()
    desk.remembers("classify_free", True)
    desk.answered()
    assert MARKUP in desk.labels()
    assert MARKUP in desk.bars()
    assert MARKUP in desk.prompt()
    notes = desk.page.locator(".wb-note").all_text_contents()
    assert any(f"{MARKUP} = {MARKUP.upper()}" in note for note in notes), notes
    assert any("[GEN]" in note for note in notes), notes
    expect(desk.page.locator(".wb-chosen b").first).to_contain_text("$12")
    for name in ("Command", "JSON", "Raw output"):
        desk.page.get_by_role("tab", name=name).click()
        expect(desk.page.get_by_role("tabpanel")).to_contain_text("onerror=alert(1)")
    assert desk.page.locator("img[src=x], .katex, del").count() == 0


def test_markup_in_an_error_is_shown_as_typed(desk: Desk) -> None:
    desk.set_labels(" ".join([MARKUP] * 6))
    desk.run.click()
    expect(desk.alert).to_contain_text(MARKUP[:40])
    assert desk.page.locator("img[src=x], .katex, del").count() == 0


def test_errors_are_plain_sentences_and_keep_what_was_typed(desk: Desk) -> None:
    desk.write("  \n ")
    desk.run.click()
    expect(desk.alert).to_contain_text("There is no text to read.")
    expect(desk.text).to_have_value("  \n ")
    desk.write(TEXT)
    desk.set_labels()
    desk.run.click()
    expect(desk.alert).to_contain_text("There are no labels to choose from.")
    expect(desk.text).to_have_value(TEXT)
    desk.set_labels("a", "b")
    desk.answered()
    expect(desk.alert).to_have_count(0)


def test_a_chinese_browser_gets_a_chinese_page(desks: Desks, server: Server) -> None:
    desk = desks.open(server, locale="zh-CN")
    expect(desk.page.get_by_role("heading", name="分类")).to_be_visible()
    expect(desk.run).to_contain_text("运行")
    assert "财经" in desk.labels()
    desk.answered()
    expect(desk.page.get_by_role("tab", name="提示词")).to_be_visible()
    expect(desk.page.get_by_role("button", name="撤销", exact=True)).to_be_attached()


def test_switching_the_language_keeps_text_labels_and_answer(desk: Desk) -> None:
    desk.write(TEXT)
    desk.set_labels("a", "b")
    desk.answered()
    for name, run in (("中文", "运行"), ("English", "Run")):
        desk.page.get_by_role("radio", name=name).click()
        expect(desk.run).to_contain_text(run)
        expect(desk.text).to_have_value(TEXT)
        desk.expect_labels("a", "b")
        expect(desk.fresh).to_be_visible()


def test_five_browsers_at_once_cause_one_load(desks: Desks, start_server: Callable[[float], Server]) -> None:
    server = start_server(0.3)
    five = [desks.open(server, None) for _ in range(5)]
    for desk in five:
        desk.page.goto(server.url, wait_until="commit")
    for desk in five:
        desk.ready()
    for desk in five:
        desk.run.click()
    for desk in five:
        expect(desk.fresh).to_be_visible()
    assert server.log().count("loaded fake") == 1


def test_the_model_is_unloaded_and_loaded_from_the_sidebar(desks: Desks, own_server: Server) -> None:
    desk = desks.open(own_server)
    desk.write(TEXT)
    ready = desk.page.get_by_test_id("model-ready")
    expect(ready).to_contain_text("fake")
    open_model_choice(desk.page)
    desk.page.locator(".st-key-model_unload button").press("Enter")
    expect(desk.page.get_by_text("No model is loaded.")).to_be_visible()
    assert api(own_server, "/api/ready")[0] == 503
    desk.run.click()
    expect(desk.alert).to_contain_text("No model is loaded.")
    desk.page.locator(".st-key-model_load button").press("Enter")
    expect(ready).to_contain_text("fake")
    expect(desk.text).to_have_value(TEXT)
    desk.answered()
    expect(desk.page.get_by_test_id("stCode").first).to_contain_text(TEXT)


def test_an_unknown_model_is_a_plain_error_and_keeps_what_was_typed(desks: Desks, own_server: Server) -> None:
    desk = desks.open(own_server)
    desk.write(TEXT)
    desk.set_labels("a", "b")
    open_model_choice(desk.page)
    name_model(desk.page, "no-such-model <b>")
    desk.page.locator(".st-key-model_load button").press("Enter")
    sidebar = desk.page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_test_id("stAlert")).to_contain_text('There is no model named "no-such-model <b>".')
    expect(desk.text).to_have_value(TEXT)
    desk.expect_labels("a", "b")
    desk.run.click()
    expect(desk.page.get_by_test_id("stMain").get_by_test_id("stAlert")).to_contain_text("There is no model named")
    name_model(desk.page, "fake")
    desk.page.locator(".st-key-model_load button").press("Enter")
    expect(desk.page.get_by_test_id("model-ready")).to_contain_text("fake")
    desk.answered()


def test_the_api_answers_beside_the_page(desk: Desk) -> None:
    assert api(desk.server, "/api/health") == (200, {"status": "ok"})
    status, ready = api(desk.server, "/api/ready")
    assert (status, ready["status"], ready["model"]["name"]) == (200, "ready", "fake")
    labels = desk.labels()
    status, answer = api(desk.server, "/api/v1/classify", {"text": desk.text.input_value(), "labels": labels})
    assert status == 200
    desk.answered()
    scores = {one["label"]: round(one["score"] * 100, 1) for one in answer["labels"]}
    assert scores == pytest.approx(desk.bars(), abs=0.11)
    status, answer = api(desk.server, "/api/v1/classify", {"text": TEXT, "labels": []})
    assert (status, answer["error"]["code"]) == (422, "labels_empty")


def test_a_narrow_screen_needs_no_sideways_scrolling(desks: Desks, server: Server) -> None:
    desk = desks.open(server, viewport={"width": 390, "height": 844})
    desk.set_labels("x" * 120, "a label of several words that goes on and on", "short")
    desk.write("y" * 400)
    desk.answered()
    for name in ("JSON", "Command", "Prompt"):
        desk.page.get_by_role("tab", name=name).click()
        over = desk.page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        assert over <= 0
    wide = desk.page.evaluate(
        """[...document.querySelectorAll('[data-testid=stMain] *')]
            .filter(part => part.getBoundingClientRect().width > innerWidth).map(part => part.className)"""
    )
    assert wide == []


def test_the_keyboard_alone_is_enough(desk: Desk) -> None:
    keyboard = desk.page.keyboard
    tab_to(desk.page, "textarea")
    keyboard.press("Control+a")
    keyboard.type(TEXT)
    tab_to(desk.page, ".chip")
    keyboard.press("Delete")
    tab_to(desk.page, "input.add")
    keyboard.type("match")
    keyboard.press("Enter")
    tab_to(desk.page, ".st-key-run button")
    keyboard.press("Enter")
    expect(desk.fresh.locator(".wb-label", has_text="match")).to_be_visible()
    expect(desk.page.get_by_test_id("stCode").first).to_contain_text(TEXT)


@pytest.fixture(scope="module")
def own_server(start_server: Callable[[float], Server]) -> Server:
    """For tests that unload or change the model; each leaves it loaded."""
    return start_server(0)


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is there, through shadow roots."""
    for _ in range(40):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """selector => {
              let here = document.activeElement;
              while (here?.shadowRoot?.activeElement) here = here.shadowRoot.activeElement;
              return here?.matches(selector) ?? false;
            }""",
            selector,
        )
        if found:
            return
    pytest.fail(f"Tab does not reach {selector}")


def several(desk: Desk) -> Any:
    """The choice of several labels."""
    return desk.page.locator(".st-key-classify_multi").get_by_role("radio").nth(1)


def choose_several(desk: Desk) -> None:
    """Choose it, and wait until the server knows."""
    several(desk).click()
    desk.remembers("classify_multi", True)


def open_model_choice(page: Page) -> None:
    """Open the sidebar's model form."""
    page.get_by_test_id("stSidebar").get_by_text("Change the model").click()
    expect(page.locator(".st-key-model_load button")).to_be_visible()


def name_model(page: Page, name: str) -> None:
    """Type a model's name."""
    box = page.locator(".st-key-model_name input")
    box.fill(name)
    box.press("Enter")


def api(server: Server, path: str, body: object = None) -> tuple[int, Any]:
    """Status and JSON of one request."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server.url + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)
