"""A real server and a real browser: every page that a test opens is watched until the test ends.

The tests need Chromium (WORKBENCH_CHROMIUM, else the one on PATH). Without it they are skipped, or fail where
WORKBENCH_REQUIRE_E2E=1.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_LOCAL = {"127.0.0.1", "localhost"}
_PROBE = re.compile(r"/\w+/_stcore/(health|host-config)$")
"""Where Streamlit looks for the server below a page's own address first, and gets a 404."""
_QUOTE = '"'
WAIT = 45_000
"""Milliseconds that a page may take for anything on a busy machine."""

expect.set_options(timeout=WAIT)


class Server:
    """`serve.py`, or another script, in a process group of its own, over the fake model."""

    def __init__(self, folder: Path, delay: float, script: str | Path = "serve.py", **more: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._log = folder / "server.log"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
        clean["PYTHONPATH"] = str(ROOT)  # for a script that lies elsewhere
        settings = {
            "MODEL": "fake",
            "FAKE_DELAY": str(delay),
            "LOG_LEVEL": "info",
            "OFFLINE": "1",
            "CONFIG": str(folder / "no-workbench.toml"),
            "CACHE_DIR": str(folder / "cache"),
            "DATA_DIR": str(folder / "data"),
        } | more
        command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"]
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [*command, "--server.port", str(port)],
                cwd=ROOT,
                env=clean | {f"WORKBENCH_{name}": value for name, value in settings.items()},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until_up(self) -> None:
        """Until the health page says ok: an unknown path would answer 200 with the page itself."""
        end = time.monotonic() + 60
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                    if answer.read().strip() == b"ok":
                        return
            except OSError:
                pass
            time.sleep(0.05)
        pytest.fail(f"the server did not come up:\n{self.log()}")

    def log(self) -> str:
        """Everything it has written so far."""
        return self._log.read_text("utf-8", errors="replace")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """While it lasts, the server does nothing: what the browser sends waits."""
        os.killpg(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self._process.pid, signal.SIGCONT)

    def stop(self) -> None:
        """End the whole group, kindly first."""
        for ending in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, ending)
                self._process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


class Desk:
    """The Classify page as a user handles it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.text = page.locator(".st-key-classify_text textarea")
        self.run = page.locator(".st-key-run button")
        self.stop = page.locator(".st-key-stop button")
        self.chips = page.locator(".chip")
        self.names = page.locator(".chip .name")
        self.add = page.locator("input.add")
        self.answer = page.get_by_test_id("answer")
        self.fresh = page.locator(".wb-fresh")
        self.stale = page.locator(".wb-stale")
        self.alert = page.get_by_test_id("stAlert")

    def open(self, path: str = "/") -> "Desk":
        """Go there and wait until the page can be used."""
        self.page.goto(self.server.url + path)
        return self.ready()

    def ready(self) -> "Desk":
        """Wait until the page is drawn, and has what the tab remembers of before a reload."""
        expect(self.run).to_be_enabled()
        expect(self.add).to_be_visible()
        self.page.wait_for_function("sessionStorage.getItem('workbench') !== null", timeout=WAIT)
        return self.idle()

    def idle(self) -> "Desk":
        """Wait until no script runs and every edit of the chips is acknowledged."""
        expect(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()
        expect(self.page.locator(".chip.pending")).to_have_count(0)
        return self

    def labels(self) -> list[str]:
        """The chips as shown now."""
        return self.names.all_text_contents()

    def expect_labels(self, *wanted: str) -> None:
        """These chips in this order, split by the server and acknowledged."""
        expect(self.names).to_have_text([_exactly(label) for label in wanted])
        expect(self.page.locator(".chip.pending")).to_have_count(0)

    def write(self, text: str) -> None:
        """Type over the text, and leave the box as a user does by going on to the next thing."""
        self.text.fill(text)
        self.text.blur()
        self.remembers("classify_text", text)

    def remembers(self, key: str, value: object) -> None:
        """Wait until the server has a value and the tab keeps it."""
        self.page.wait_for_function(
            "([key, value]) => JSON.stringify(JSON.parse(sessionStorage.getItem('workbench') ?? '{}')[key]) === value",
            arg=[key, _json(value)],
            timeout=WAIT,
        )

    def paste(self, text: str) -> None:
        """What a browser does on Ctrl+V into the label box."""
        self.add.evaluate(
            """(box, text) => {
              const data = new DataTransfer();
              data.setData("text/plain", text);
              const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
              if (box.dispatchEvent(event)) document.execCommand("insertText", false, text);
            }""",
            text,
        )

    def set_labels(self, *labels: str) -> None:
        """Replace the label set: remove all, then paste."""
        if self.chips.count():
            self.page.locator("button.clear").click()
        if labels:
            self.paste("\n".join(f'"{label.replace(_QUOTE, _QUOTE * 2)}"' for label in labels) + "\n")
        self.expect_labels(*labels)
        self.remembers("classify_labels", labels)

    def type_label(self, label: str) -> None:
        """Type one label and press Enter."""
        self.add.press_sequentially(label)
        self.add.press("Enter")

    def answered(self) -> Locator:
        """Press Run and wait for the answer to what is there now."""
        self.run.click()
        expect(self.fresh).to_be_visible()
        return self.fresh

    def bars(self) -> dict[str, float]:
        """Label to percentage, in the order shown."""
        names = self.answer.locator(".wb-label").all_text_contents()
        scores = self.answer.locator(".wb-score").all_text_contents()
        return dict(zip(names, (float(score.removesuffix("%")) for score in scores), strict=True))

    def prompt(self) -> str:
        """The exact prompt of the answer shown."""
        return self.page.get_by_test_id("stCode").first.locator("code").text_content() or ""


class Desks:
    """Opens pages, each in a browser context of its own, and watches them all."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.all: list[Desk] = []
        self._faults: list[str] = []
        self._logs: dict[Server, int] = {}

    def open(self, server: Server, path: str | None = "/", **options: Any) -> Desk:
        """A new page, at `path` unless that is None; `options` are the context's."""
        self._logs.setdefault(server, len(server.log()))
        chosen = {"locale": "en-US", "viewport": {"width": 1280, "height": 800}} | options
        page = self._browser.new_context(**chosen).new_page()
        page.set_default_timeout(WAIT)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._faults.append(f"page error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda stream: self._request(stream.url))
        self.all.append(Desk(page, server))
        return self.all[-1] if path is None else self.all[-1].open(path)

    def check(self) -> None:
        """Nothing went wrong on any page, or on its server, since the last check."""
        faults = self._faults.copy()
        self._faults.clear()
        for desk in self.all:
            shown = desk.page.locator("body").inner_text()
            if "Traceback" in shown or desk.page.get_by_test_id("stException").count():
                faults.append(f"an exception on the page: {shown}")
        for server, seen in self._logs.items():
            log = server.log()
            self._logs[server] = len(log)
            if "Traceback" in log[seen:]:
                faults.append(log[seen:])
        assert not faults, "\n".join(faults)

    def close(self) -> None:
        """Close every page."""
        for desk in self.all:
            desk.page.context.close()

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _PROBE.search(message.location.get("url", "")):
            self._faults.append(f"console: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self._faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob"} and parts.hostname not in _LOCAL:
            self._faults.append(f"request to {url}")


def _exactly(label: str) -> re.Pattern[str]:
    return re.compile(f"^{re.escape(label)}$")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture(scope="package")
def chromium() -> str:
    """The browser's path."""
    chosen = os.environ.get("WORKBENCH_CHROMIUM")
    path = chosen or next(filter(None, map(shutil.which, _NAMES)), None)
    if path and shutil.which(path):
        return path
    reason = f"no Chromium: {chosen or ', '.join(_NAMES)} not found; set WORKBENCH_CHROMIUM"
    if os.environ.get("WORKBENCH_REQUIRE_E2E") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for the layer. It ends with it: its event loop would be in the way of later tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS.split())
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def start_server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Starts servers by the model's delay in seconds and further settings, and ends them all."""
    started: list[Server] = []

    def start(delay: float, **more: str) -> Server:
        started.append(Server(tmp_path_factory.mktemp("server"), delay, **more))
        started[-1].wait_until_up()
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="package")
def server(start_server: Callable[[float], Server]) -> Server:
    """Answers at once, nearly; nobody unloads its model."""
    return start_server(0.3)


@pytest.fixture(scope="package")
def slow_server(start_server: Callable[[float], Server]) -> Server:
    """Every step of the model takes three seconds."""
    return start_server(3)


@pytest.fixture
def desks(browser: Browser) -> Iterator[Desks]:
    """Opens pages; at the end of the test they are checked and closed."""
    opened = Desks(browser)
    yield opened
    try:
        opened.check()
    finally:
        opened.close()


@pytest.fixture
def desk(desks: Desks, server: Server) -> Desk:
    """The first page, in English, at 1280 pixels."""
    return desks.open(server)


@pytest.fixture
def slow_desk(desks: Desks, slow_server: Server) -> Desk:
    """The same over a slow model."""
    return desks.open(slow_server)
