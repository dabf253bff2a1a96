"""The Monitor page in a real browser: plots follow, stand still and keep a zoom; memory falls; a sweep is adopted."""

import json
import re
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Desk, Desks, Server

pytestmark = pytest.mark.e2e

WEIGHTS = 192
"""MiB that the model holds."""
_NEWEST = "Math.max(0, ...(document.querySelector('.st-key-monitor_plot_{name} .wb-plot')?.data?.[0]?.x ?? []))"
_RANGE = "document.querySelector('.st-key-monitor_plot_{name} .wb-plot').layout.xaxis.range.join()"


class Monitor:
    """The Monitor page as a user handles it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.pause = page.locator(".st-key-monitor_paused label").first
        self.process = page.get_by_test_id("stMetric").first.get_by_test_id("stMetricValue")

    def open(self) -> "Monitor":
        """Go there and wait until a plot is drawn."""
        self.page.goto(f"{self.server.url}/monitor")
        expect(self.page.locator(".st-key-monitor_plot_memory .main-svg").first).to_be_visible()
        return self

    def turn_to(self, panel: str) -> None:
        """Another part of the page."""
        self.page.locator(".st-key-monitor_panel").get_by_role("radio", name=panel).or_(
            self.page.locator(".st-key-monitor_panel").get_by_role("button", name=panel)
        ).first.click()

    def button(self, key: str) -> Locator:
        """A button by its key: one with an explanation is there twice, once hidden."""
        return self.page.locator(f".st-key-{key} button").locator("visible=true").first

    def newest(self, name: str) -> float:
        """The time of a plot's last point."""
        return float(self.page.evaluate(_NEWEST.format(name=name)))

    def follows(self, name: str) -> None:
        """Wait until a plot has a later point than now."""
        self.page.wait_for_function(f"before => ({_NEWEST.format(name=name)}) > before", arg=self.newest(name))

    def mebibytes(self) -> float:
        """What the process holds, as the page says."""
        value, unit = self.process.inner_text().split()
        return float(value) * (1024 if unit == "GiB" else 1)

    def stands(self) -> None:
        """Wait until the page says that it is paused."""
        expect(self.page.get_by_text("Stands at")).to_be_visible()


@contextmanager
def requests(server: Server) -> Iterator[None]:
    """While it lasts, somebody else asks one classification after the other."""
    over = threading.Event()

    def ask() -> None:
        number = 0
        while not over.is_set():
            number += 1
            body = json.dumps({"text": f"{number} goals", "labels": "sports,finance"}).encode()
            kind = {"Content-Type": "application/json"}
            urllib.request.urlopen(urllib.request.Request(f"{server.url}/api/v1/classify", body, kind), timeout=30)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield
    finally:
        over.set()
        asking.join()


@pytest.fixture(scope="module")
def own_server(start_server: Callable[..., Server]) -> Server:
    """A quick model that holds memory, looked at twice a second."""
    return start_server(0.02, FAKE_MEMORY=str(WEIGHTS), SAMPLE_SECONDS="0.5")


@pytest.fixture
def monitor(desks: Desks, own_server: Server) -> Monitor:
    """The page of an own browser."""
    return Monitor(desks.open(own_server, path=None).page, own_server).open()


def test_plots_follow_a_batch_and_a_pause_keeps_the_zoom(monitor: Monitor) -> None:
    page = monitor.page
    with requests(monitor.server):
        expect(page.locator(".st-key-monitor_plot_latency .main-svg").first).to_be_visible()
        page.evaluate("window.sameBox = document.querySelector('.st-key-monitor_plot_latency .wb-plot')")
        monitor.follows("latency")
        monitor.follows("memory")
        expect(page.get_by_test_id("latency-table")).to_contain_text("Classify")
        assert page.evaluate("document.querySelector('.st-key-monitor_plot_latency .wb-plot') === window.sameBox")
        monitor.pause.click()
        monitor.stands()
        area = page.locator(".st-key-monitor_plot_latency .nsewdrag").first
        area.scroll_into_view_if_needed()
        box = area.bounding_box()
        assert box is not None
        whole = page.evaluate(_RANGE.format(name="latency"))
        page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.5, steps=5)
        page.mouse.up()
        page.wait_for_function(f"whole => ({_RANGE.format(name='latency')}) !== whole", arg=whole)
        zoomed, newest = page.evaluate(_RANGE.format(name="latency")), monitor.newest("latency")
        page.wait_for_timeout(3500)  # longer than two plots are apart
        assert monitor.newest("latency") == newest
        assert page.evaluate(_RANGE.format(name="latency")) == zoomed
        monitor.pause.click()
        monitor.follows("latency")
        assert page.evaluate(_RANGE.format(name="latency")) == zoomed, "not even new points lose it"


def test_what_is_shown_can_be_had_as_files_and_kept_as_snapshots(monitor: Monitor) -> None:
    page = monitor.page
    files: dict[str, Any] = {}
    for link in page.get_by_test_id("files").get_by_role("link").all():
        with page.expect_download() as given:
            link.click()
        files[given.value.suggested_filename] = Path(given.value.path()).read_bytes()
    assert set(files) == {"samples.csv", "requests.csv", "monitor.json"}
    assert set(json.loads(files["monitor.json"])) == {"samples", "requests", "markers"}
    assert b"rss" in files["samples.csv"]
    monitor.turn_to("Snapshots")
    page.locator(".st-key-monitor_tag input").fill("now <b>and</b> here")
    page.locator(".st-key-monitor_tag input").press("Enter")
    expect(page.get_by_test_id("snapshots")).to_contain_text("now <b>and</b> here")
    expect(page.get_by_test_id("difference")).to_contain_text(re.compile(r"[+−±]\d"))
    expect(page.locator(".st-key-monitor_snapshots_plot .main-svg").first).to_be_visible()
    Desk(page, monitor.server).remembers("monitor_panel", "snapshots")
    page.reload()
    expect(page.get_by_test_id("snapshots")).to_contain_text("now <b>and</b> here")


def test_unloading_gives_the_memory_back_and_stays_shown(monitor: Monitor) -> None:
    page = monitor.page
    before = monitor.mebibytes()
    monitor.button("monitor_unload").click()
    effect = page.get_by_test_id("effect-unload")
    expect(effect).to_contain_text(re.compile(r"\(−1[89]\d"))
    page.wait_for_function(
        "most => parseFloat(document.querySelector('[data-testid=stMetricValue]').innerText) < most",
        arg=before - WEIGHTS * 0.8,
    )
    expect(page.get_by_test_id("figure-after_load")).to_contain_text("–")
    Desk(page, monitor.server).remembers("monitor_panel", "live")
    page.reload()
    expect(effect).to_be_visible()
    monitor.button("monitor_load").click()
    expect(page.get_by_test_id("model-ready")).to_be_visible()
    expect(page.get_by_test_id("figure-after_load")).to_contain_text("MiB")


def test_a_sweep_shows_its_progress_survives_a_reload_and_is_adopted(monitor: Monitor) -> None:
    page = monitor.page
    monitor.turn_to("Tune")
    for size in ("16", "32"):
        page.locator(".st-key-tune_sizes").get_by_role("button", name=size, exact=True).click()
    page.locator(".st-key-tune_sizes").get_by_role("button", name="8", exact=True).click()
    monitor.button("tune_start").click()
    expect(page.locator(".st-key-tune_cancel button")).to_be_visible()
    Desk(page, monitor.server).remembers("monitor_panel", "tune")
    page.reload()
    adopt = page.locator(".st-key-tune_adopt_row button", has_text="Adopt").locator("visible=true").first
    expect(adopt).to_be_visible()
    expect(page.get_by_test_id("sweep").locator("tbody tr")).to_have_count(3)
    expect(page.locator(".st-key-tune_plot .main-svg").first).to_be_visible()
    advised = adopt.inner_text().split()[-1]
    adopt.click()
    expect(page.get_by_test_id("in-use")).to_have_text(f"Texts in a step now: {advised}")


def test_it_works_on_a_small_screen_in_chinese_and_in_the_dark(desks: Desks, own_server: Server) -> None:
    options = {"locale": "zh-CN", "color_scheme": "dark", "viewport": {"width": 390, "height": 844}}
    page = desks.open(own_server, path=None, **options).page
    Monitor(page, own_server).open()
    expect(page.get_by_role("heading", name="监控")).to_be_visible()
    for panel in ("快照", "日志", "调优"):
        page.locator(".st-key-monitor_panel").get_by_text(panel).click()
        page.wait_for_function("() => document.querySelector('[data-test-script-state=notRunning]') !== null")
        wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
        assert wide <= 390, f"{panel} is {wide} pixels wide"
    expect(page.locator(".st-key-tune_start")).to_be_visible()
