"""The Batch page in a real browser, over the fake model: a file's whole way from upload to the export read back."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from engine.jobs.tables import find_form, open_table

from .conftest import WAIT, Desks, Server

pytestmark = pytest.mark.e2e

_HEAD, _ROW = 36, 35
LABELS = ("物流", "退款", "质量")
TEXTS = [
    f"第{number}条：{text}" for number, text in enumerate(("快递没有到 <b>急</b>", "我要退款 $5", "质量太差") * 8, 1)
]


class Batch:
    """The Batch page as a user handles it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.progress = page.get_by_test_id("job-progress")
        self.table = page.locator("[class*=st-key-batch_view_table] .dvn-scroller")
        self.detail = page.locator(".st-key-batch_detail")
        self.said = page.get_by_test_id("row-said")

        self.chips = page.locator(".chip .name")

    def open(self, link: str = "") -> "Batch":
        self.page.goto(f"{self.server.url}/batch{link}")
        return self.idle()

    def idle(self) -> "Batch":
        """Wait until no script runs."""
        self.page.wait_for_timeout(200)
        expect(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()
        return self

    def button(self, key: str) -> Locator:
        return self.page.locator(f".st-key-{key} button").first  # one with a tooltip is there twice

    def stands(self, state: str) -> None:
        """Wait until the job is in a state."""
        expect(self.page.locator(f"[data-testid=job-progress][data-state={state}]")).to_be_visible()

    def section(self, name: str) -> None:
        self.page.get_by_role("radio", name=name, exact=True).click()
        self.idle()

    def open_row(self, place: int) -> None:
        """Click on a row of the table."""
        expect(self.table).to_be_visible()
        self.table.scroll_into_view_if_needed()
        for _ in range(5):  # a run of the page may draw the table anew just then
            self.table.click(position={"x": 200, "y": _HEAD + _ROW * (place + 0.5)})
            try:
                expect(self.said).to_be_visible(timeout=3000)
            except AssertionError:
                continue
            return
        pytest.fail("no row opens")

    def click_cell(self, cell: Locator) -> None:
        """Click on a cell of the matrix, which lets no click through to its text."""
        for _ in range(5):
            cell.scroll_into_view_if_needed()
            box = cell.bounding_box()
            assert box is not None
            self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            try:
                expect(self.page.locator(".st-key-batch_only")).to_be_visible(timeout=3000)
            except AssertionError:
                continue
            return
        pytest.fail("no cell opens")


@pytest.fixture(scope="module")
def batch_server(start_server: Callable[[float], Server]) -> Server:
    """A job of some rows takes seconds."""
    return start_server(0.25)


@pytest.fixture
def batch(desks: Desks, batch_server: Server) -> Callable[..., Batch]:
    """Opens the Batch page in a browser of its own."""

    def open_(link: str = "", **options: object) -> Batch:
        return Batch(desks.open(batch_server, None, **options).page, batch_server).open(link)

    return open_


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A file in GB18030 with semicolons; one row has no text, another a cell too many."""
    target = io.StringIO()
    writer = csv.writer(target, delimiter=";", lineterminator="\n")
    writer.writerow(["编号", "留言", "标签"])
    for number, text in enumerate(TEXTS):
        writer.writerow([f"N{number}", text, LABELS[number % 3]])
    writer.writerow(["N24", "", LABELS[0]])
    writer.writerow(["N25", "退款到账了", LABELS[1], "多余"])
    path = tmp_path / "留言.csv"
    path.write_bytes(target.getvalue().encode("gb18030"))
    return path


def test_a_file_goes_the_whole_way(batch: Callable[..., Batch], given: Path, tmp_path: Path) -> None:
    desk = batch()
    desk.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(given)
    how = desk.page.locator(".st-key-batch_how")
    expect(how).to_contain_text(re.compile(r"CSV · gb\w* · separator ;", re.I))
    expect(desk.page.get_by_text("Odd rows: 1")).to_be_visible()
    expect(desk.page.locator(".st-key-batch_columns")).to_contain_text("留言")
    desk.idle()
    desk.page.locator("button.clear").click()
    expect(desk.chips).to_have_count(0)
    adding = desk.page.locator("input.add")
    adding.fill("物流，退款，质量")
    adding.press("Enter")
    expect(desk.chips).to_have_count(3)
    desk.idle()

    desk.button("batch_try").click()
    expect(desk.page.get_by_test_id("estimate")).to_contain_text("The whole file takes about")
    desk.button("batch_start").click()
    desk.stands("running")
    expect(desk.page).to_have_url(re.compile(r"job=[\w-]+"))
    link = desk.page.url.split("/batch", 1)[1]

    desk.page.get_by_role("link", name="Classify").click()  # the page is left; the job goes on
    expect(desk.page.locator(".st-key-classify_text")).to_be_visible()
    other = batch(link, locale="zh-CN", color_scheme="dark", viewport={"width": 390, "height": 800})
    other.stands("running")
    expect(other.progress).to_contain_text("运行中")
    other.button("batch_cancel").click()
    other.stands("cancelled")
    wide = other.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390

    desk.page.get_by_role("link", name="Batch").click()  # and is found again, as it stands now
    desk.stands("cancelled")
    desk.button("batch_resume").click()
    desk.stands("done")
    other.stands("done")
    expect(desk.progress).to_contain_text("rows: 26 / 26")
    expect(desk.progress).to_contain_text("1 failed")

    desk.page.locator(".st-key-batch_view_filter button", has_text="Failed (1)").click()
    desk.idle()
    desk.open_row(0)
    expect(desk.detail).to_contain_text("Row 25")
    expect(desk.said).to_contain_text("no text")
    desk.idle().button("batch_row_close").click()
    desk.page.locator(".st-key-batch_view_filter button", has_text="All (26)").click()
    search = desk.page.locator(".st-key-batch_view_search input")
    search.fill("<b>急")
    search.press("Enter")
    expect(desk.page.locator(".st-key-batch_pager")).to_contain_text("1–8 of 8")
    desk.idle()
    desk.open_row(0)
    expect(desk.page.get_by_test_id("row-text")).to_have_text(TEXTS[0])
    answered = desk.said.locator("dd").first.inner_text()
    wanted = next(label for label in LABELS if label != answered)
    desk.page.keyboard.press(str(LABELS.index(wanted) + 1))
    expect(desk.said).to_contain_text("Corrected to")
    expect(desk.said.locator("dd").first).to_have_text(answered)
    expect(desk.said.locator("dd").nth(1)).to_have_text(wanted)
    desk.page.keyboard.press("j")
    expect(desk.detail).to_contain_text("Row 4")

    desk.section("Evaluate")
    expect(desk.page.get_by_test_id("figures")).to_contain_text("Accuracy")
    cell = desk.page.locator(".st-key-batch_matrix .textpoint text").first
    expect(cell).to_be_visible(timeout=WAIT)
    count = cell.text_content()
    desk.click_cell(cell)
    expect(desk.page.locator(".st-key-batch_only")).to_contain_text("Gold")
    expect(desk.page.locator(".st-key-batch_pager")).to_contain_text(f"of {count}.")

    desk.section("Export")
    desk.button("batch_export_prepare").click()
    with desk.page.expect_download() as download:
        desk.button("batch_download_csv").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.read_bytes().startswith("\ufeff".encode())
    rows = [row.values for row in open_table(path, find_form(path)).rows()]
    assert [row["留言"] for row in rows] == [*TEXTS, "", "退款到账了"]
    assert [row["编号"] for row in rows] == [f"N{number}" for number in range(26)]
    assert rows[0]["label"] == wanted
    assert all(row["label"] in LABELS for row in rows if row["留言"])
    assert rows[24]["error"]
    assert not rows[23]["error"]


def test_a_row_is_opened_elsewhere_and_typed_text_is_put_back(batch: Callable[..., Batch]) -> None:
    desk = batch()
    desk.page.get_by_role("link", name="Classify").click()
    box = desk.page.locator(".st-key-classify_text textarea")
    box.fill("typed before")
    box.blur()
    desk.idle()
    desk.page.get_by_role("link", name="Batch").click()
    desk.button("batch_use_sample").click()
    expect(desk.chips.first).to_have_text("delivery")
    desk.idle()
    desk.button("batch_start").click()
    desk.stands("done")
    desk.idle()
    desk.open_row(1)
    text = desk.page.get_by_test_id("row-text").inner_text().strip()
    desk.button("batch_open_elsewhere").click()
    expect(box).to_have_value(text)
    expect(desk.chips).to_have_text(["delivery", "refund", "product quality", "account"])
    desk.button("classify_text_put_back").click()
    expect(box).to_have_value("typed before")


def test_a_job_is_opened_from_the_list_and_left_by_going_back(batch: Callable[..., Batch]) -> None:
    desk = batch()
    desk.button("batch_use_sample").click()
    desk.button("batch_start").click()
    desk.stands("done")
    desk.button("batch_back").click()
    opening = desk.page.locator("[class*=st-key-batch_open_] button").first
    expect(opening).to_be_visible()
    desk.idle()
    opening.click()
    desk.stands("done")
    desk.idle()
    desk.page.go_back()
    expect(opening).to_be_visible()
    expect(desk.progress).to_have_count(0)
