"""The Extract page in a real browser, over the fake model: the grid, the highlight, files, links, reloads."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from engine.types import FieldSpec
from ui.fields.link import pack

from .conftest import Desks, Server

pytestmark = pytest.mark.e2e

FAMILY = "👩‍👩‍👧"
EMOJI = f"甲方：{FAMILY}公司👍🏽，乙方：e\u0301toile\u200b社 🇨🇳\n\t日期：2026-11-30 甲方：完"
FIELDS = ("甲方", "乙方", "日期")
_HEAD, _ROW, _MARKER = 38, 35, 33
_COLUMNS = {"name": (0, 125), "type": (125, 85), "asked": (210, 130)}
"""Where the grid draws its first columns: pixels from the row markers, and widths."""


class Extract:
    """The Extract page as a user handles it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.text = page.locator(".st-key-extract_text textarea")
        self.run = page.locator(".st-key-run button")
        self.stop = page.locator(".st-key-stop button")
        self.fresh = page.locator(".wb-fresh")
        self.stale = page.locator(".wb-stale")
        self.alert = page.get_by_test_id("stMain").get_by_test_id("stAlert")
        self.tags = page.locator(".wb-hl .wb-tag")
        self._overlay = page.locator("#portal .gdg-input")
        self._grid = page.locator("[class*=st-key-extract_fields_grid] .dvn-scroller")

    def open(self, link: str = "") -> "Extract":
        """Go there, with a link's values, and wait until the page can be used."""
        self.page.goto(f"{self.server.url}/extract{link}")
        return self.ready()

    def ready(self) -> "Extract":
        """Wait until the page is drawn, and has what the tab remembers of before a reload."""
        expect(self.run).to_be_enabled()
        expect(self._grid).to_be_visible()
        self.page.wait_for_function("'extract_fields' in JSON.parse(sessionStorage.getItem('workbench') ?? '{}')")
        return self.idle()

    def idle(self) -> "Extract":
        """Wait until no script runs."""
        expect(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()
        return self

    def write(self, text: str) -> None:
        """Type over the text, and go on to the next thing."""
        self.text.fill(text)
        self.text.blur()
        self.page.wait_for_function(
            "text => JSON.parse(sessionStorage.getItem('workbench')).extract_text === text", arg=text
        )
        self.idle()

    def open_cell(self, column: str, row: int) -> Locator:
        """Double-click a cell; gives the box to type in. A run of the page may close it: then once more."""
        left, width = _COLUMNS[column]
        for _ in range(10):
            self._grid.dblclick(position={"x": _MARKER + left + width / 2, "y": _HEAD + _ROW * (row + 0.5)})
            try:
                expect(self._overlay).to_be_visible(timeout=1500)
            except AssertionError:
                continue
            return self._overlay
        pytest.fail("no cell opens")

    def edit(self, column: str, row: int, text: str) -> None:
        """Type into a cell and press Enter."""
        self.open_cell(column, row).fill(text)
        self.page.keyboard.press("Enter")

    def cells(self, column: str) -> list[str]:
        """A column as the tab remembers it, that is as the server has it."""
        rows = self.page.evaluate("JSON.parse(sessionStorage.getItem('workbench')).extract_fields")
        return [row[column] for row in rows]

    def expect_cells(self, column: str, *wanted: str) -> None:
        """Wait until the server has this column, and the tab too."""
        self.page.wait_for_function(
            """([column, wanted]) => JSON.stringify(JSON.parse(sessionStorage.getItem('workbench')).extract_fields
                 .map(row => row[column])) === wanted""",
            arg=[column, json.dumps(wanted, ensure_ascii=False, separators=(",", ":"))],
        )

    def answered(self) -> None:
        """Press Run and wait for the answer to what is there now."""
        self.run.click()
        expect(self.fresh.first).to_be_visible()
        self.idle()

    def marks(self) -> list[dict[str, Any]]:
        """Every value's label: its field, its offsets, and the marked text before it in the document."""
        return self.page.evaluate(
            """[...document.querySelectorAll(".wb-hl .wb-tag")].map(tag => {
              let before = tag.previousSibling;
              while (before.nodeName !== "MARK") before = before.previousSibling;
              const {tag: name, start, end, about} = tag.dataset;
              return {name, start: +start, end: +end, about, text: before.textContent};
            })"""
        )


@pytest.fixture
def extract(desks: Desks, server: Server) -> Callable[..., Extract]:
    """Opens the Extract page in a browser of its own; `options` are the context's."""

    def open_(link: str = "", at: Server | None = None, **options: Any) -> Extract:
        return Extract(desks.open(at or server, None, **options).page, at or server).open(link)

    return open_


def test_values_are_marked_on_the_very_characters(extract: Callable[..., Extract]) -> None:
    desk = extract(f"?fields={','.join(FIELDS)}")
    desk.write(EMOJI)
    desk.answered()
    shown = desk.page.locator(".wb-hl").evaluate("block => block.textContent")
    assert shown == EMOJI
    marks = desk.marks()
    found = {(mark["name"], mark["text"]) for mark in marks}
    assert {("甲方", f"{FAMILY}公司👍🏽"), ("甲方", "完"), ("日期", "2026-11-30")} <= found
    for mark in marks:
        assert EMOJI[mark["start"] : mark["end"]] == mark["text"]
        assert f"{mark['start']}–{mark['end']}" in mark["about"]
    copied = desk.page.evaluate(
        """() => {
          getSelection().selectAllChildren(document.querySelector(".wb-hl"));
          return getSelection().toString();
        }"""
    )
    assert copied.rstrip("\n") == EMOJI


def test_a_label_takes_the_focus_and_says_score_and_offsets(extract: Callable[..., Extract]) -> None:
    desk = extract("?fields=甲方", color_scheme="dark")
    desk.write(EMOJI)
    desk.answered()
    tag = desk.tags.first
    desk.page.keyboard.press("Tab")
    tag.focus()
    said = tag.evaluate("tag => getComputedStyle(tag, '::before').content")
    assert re.search(r"甲方 · \d+\.\d% · 3–12", said), said
    dark = desk.page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    assert dark == "rgb(16, 22, 21)"
    ink = desk.page.locator(".wb-hl mark").first.evaluate("mark => getComputedStyle(mark).color")
    assert ink == "rgb(230, 238, 236)"


def test_markup_in_the_text_and_in_names_is_shown_as_typed(
    extract: Callable[..., Extract], cases: dict[str, dict[str, Any]]
) -> None:
    case = cases["inject-html"]
    name = "</style><b>x</b> -->"
    desk = extract("?fields=" + ",".join(case["fields"]))
    desk.edit("name", 1, name)
    desk.expect_cells("name", *case["fields"], name)
    desk.write(case["text"])
    desk.answered()
    assert desk.page.locator(".wb-hl").evaluate("block => block.textContent") == case["text"]
    expect(desk.page.locator(".wb-legend")).to_contain_text(name)
    for mark in desk.marks():
        assert mark["name"]  # no sanitiser dropped the attribute
    assert desk.page.locator("img[src=x], .katex, del").count() == 0
    desk.page.get_by_role("tab", name="Command").click()
    expect(desk.page.get_by_role("tabpanel")).to_contain_text("onerror=alert(1)")


def test_cells_typed_one_after_the_other_all_stay(extract: Callable[..., Extract]) -> None:
    desk = extract("?fields=a,b,c")
    desk.edit("name", 0, "alpha")
    desk.edit("name", 1, "beta")
    desk.edit("asked", 1, "the second")
    desk.edit("name", 3, "delta")  # the row below the last is a new one
    desk.expect_cells("name", "alpha", "beta", "c", "delta")
    desk.expect_cells("asked", "", "the second", "", "")
    desk.edit("asked", 3, "the new one")
    desk.expect_cells("asked", "", "the second", "", "the new one")
    undo = desk.page.locator(".st-key-extract_fields_undo button").first
    undo.click()
    desk.expect_cells("asked", "", "the second", "", "")
    desk.edit("asked", 0, "after undo")
    desk.expect_cells("asked", "after undo", "the second", "", "")


def test_run_takes_a_cell_that_is_still_open_and_one_just_left(extract: Callable[..., Extract]) -> None:
    desk = extract("?fields=a")
    desk.write("甲方：公司 乙方：学校")
    desk.open_cell("name", 0).fill("甲方")
    desk.answered()
    assert [mark["name"] for mark in desk.marks()] == ["甲方"]
    desk.edit("name", 0, "乙方")
    desk.run.click()
    expect(desk.tags.first).to_have_attribute("data-tag", "乙方")
    expect(desk.stale).to_have_count(0)
    assert desk.marks()[0]["text"] == "学校"


def test_another_page_and_a_reload_keep_everything(extract: Callable[..., Extract]) -> None:
    desk = extract("?fields=甲方,乙方")
    page = desk.page
    desk.edit("asked", 1, "学校")
    desk.edit("asked", 2, "no name yet")
    desk.expect_cells("asked", "", "学校", "no name yet")
    desk.write(EMOJI)
    page.locator(".st-key-extract_mentions").get_by_role("radio").nth(1).click()
    desk.idle()
    desk.answered()
    before, asked = desk.marks(), desk.cells("asked")
    page.get_by_role("link", name="Classify").click()
    classify = page.locator(".st-key-classify_text textarea")
    classify.fill("kept too")
    classify.blur()
    page.wait_for_function("JSON.parse(sessionStorage.getItem('workbench')).classify_text === 'kept too'")
    page.get_by_role("link", name="Extract").click()
    desk.ready()
    expect(desk.fresh).to_be_visible()
    assert (desk.text.input_value(), desk.cells("asked"), desk.marks()) == (EMOJI, asked, before)
    page.reload()
    desk.ready()
    expect(desk.fresh).to_be_visible()
    assert (desk.text.input_value(), desk.cells("asked"), desk.marks()) == (EMOJI, asked, before)
    expect(page.locator(".st-key-extract_mentions").get_by_role("radio").nth(1)).to_be_checked()
    desk.edit("asked", 0, "typed after")
    desk.expect_cells("asked", "typed after", "学校", "no name yet")
    page.get_by_role("link", name="Classify").click()
    expect(classify).to_have_value("kept too")


def test_the_link_opens_the_same_fields(extract: Callable[..., Extract], server: Server) -> None:
    first = extract("?fields=x")
    first.edit("asked", 0, "one, two")
    first.edit("name", 1, 'say "hi" 💼')
    first.expect_cells("asked", "one, two", "")
    packed = pack((FieldSpec("x", ("one", "two")), FieldSpec('say "hi" 💼')))
    first.page.wait_for_function("packed => new URL(location).searchParams.get('fields') === packed", arg=packed)
    second = extract(first.page.url.partition("/extract")[2])
    assert (second.cells("name"), second.cells("asked")) == (["x", 'say "hi" 💼'], ["one,two", ""])
    broken = extract("?fields=~nonsense")
    expect(broken.alert.first).to_contain_text("The field set cannot be read")
    assert len(broken.cells("name")) > 3


def test_a_link_to_the_page_is_good_for_a_server_that_just_started(
    extract: Callable[..., Extract], start_server: Callable[[float], Server]
) -> None:
    desk = extract("?fields=a,b", at=start_server(0))
    assert desk.cells("name") == ["a", "b"]
    expect(desk.page.get_by_test_id("model-ready")).to_be_visible()


def test_the_answer_is_downloaded_in_four_forms(extract: Callable[..., Extract], tmp_path: Path) -> None:
    desk = extract("?fields=日期,甲方")
    desk.write(EMOJI)
    desk.answered()
    content = {}
    for ending in ("json", "jsonl", "csv", "html"):
        with desk.page.expect_download() as caught:
            desk.page.locator(f".st-key-export_{ending} button").click()
        assert caught.value.suggested_filename == f"extract.{ending}"
        caught.value.save_as(tmp_path / ending)
        content[ending] = (tmp_path / ending).read_bytes()
    assert json.loads(content["json"])["fields"]["日期"][0]["text"] == "2026-11-30"
    assert json.loads(content["jsonl"].splitlines()[0])["value"] == "2026-11-30"
    assert content["csv"].startswith(b"\xef\xbb\xbffield,value,start,end,score")
    desk.page.set_content(content["html"].decode())
    expect(desk.page.locator(".wb-hl")).to_contain_text("完")
    assert desk.page.locator(".wb-hl").evaluate("block => block.textContent") == EMOJI
    assert desk.page.locator("table td", has_text="2026-11-30").count() >= 1


def test_a_field_set_is_loaded_from_a_file(extract: Callable[..., Extract], tmp_path: Path) -> None:
    desk = extract("?fields=a")
    path = tmp_path / "fields.json"
    desk.page.locator(".st-key-extract_fields_share button").first.click()
    path.write_text("not json", "utf-8")
    desk.page.locator(".st-key-extract_fields_upload_0 input").set_input_files(path)
    expect(desk.alert.first).to_contain_text("The field set cannot be read")
    path.write_text('[{"name": "p", "asked": ["q", "r"]}]', "utf-8")
    desk.page.locator(".st-key-extract_fields_upload_1 input").set_input_files(path)
    desk.expect_cells("asked", "q,r")


def test_a_run_shows_how_far_it_is_and_can_be_stopped(extract: Callable[..., Extract], slow_server: Server) -> None:
    desk = extract("?fields=甲方", at=slow_server)
    desk.write("甲方：公司。" + "其余条款照旧执行，" * 900)
    desk.run.click()
    bar = desk.page.get_by_test_id("stProgress")
    expect(bar).to_contain_text(re.compile(r"Prompt \d+ of \d+"))
    desk.page.reload()
    expect(desk.stop).to_be_visible()
    desk.stop.click()
    expect(desk.stop).to_have_count(0)
    expect(desk.fresh).to_be_visible()  # what was answered before the stop
    expect(desk.page.locator(".wb-note", has_text="stopped")).to_be_visible()


def test_a_narrow_chinese_page_needs_no_sideways_scrolling(extract: Callable[..., Extract]) -> None:
    desk = extract("?fields=甲方," + "x" * 80, locale="zh-CN", viewport={"width": 390, "height": 844})
    expect(desk.page.get_by_role("heading", name="抽取")).to_be_visible()
    desk.write(EMOJI + "y" * 300)
    desk.answered()
    assert desk.page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    wide = desk.page.evaluate(
        """[...document.querySelectorAll('[data-testid=stMain] .stHtml *')]
            .filter(part => part.getBoundingClientRect().width > innerWidth).map(part => part.className)"""
    )
    assert wide == []
