"""Models from a hub that stands on loopback: what is taken, what is recorded, what a fault is called."""

import json
import logging
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from checkpoints import make_bloom, make_llama
from servers import Files, add_repository, serve

from engine.errors import Cancelled, WorkbenchError
from engine.model import hub_cache
from engine.model.cache import read_manifest
from engine.model.catalog import CATALOG, HubSource
from engine.model.fetch import ensure, hub
from engine.model.gguf.files import gguf_file
from engine.model.resolve import resolve
from engine.settings import load_settings
from engine.types import LoadProgress

ID = "owner/tiny"
COMMIT = "c0ffee" + "0" * 34


@dataclass
class Hub:
    """A running hub with one repository, and our cache."""

    files: Files
    cache: Path

    def offer(self, folder: Path, **extra: bytes) -> dict[str, bytes]:
        """Publish a folder and more files."""
        content = {path.name: path.read_bytes() for path in folder.iterdir()} | extra
        add_repository(self.files, ID, COMMIT, content)
        return content

    def fetch(self, report: Any = None, stop: Event | None = None, *, offline: bool = False) -> Path:
        """Fetch the repository."""
        return hub.fetch(
            ID, "main", self.cache, offline=offline, report=report or (lambda _: None), stop=stop or Event()
        )

    def taken(self) -> set[str]:
        """The names of the files that were asked for."""
        return {
            path.rsplit("/", 1)[-1] for method, path, _ in self.files.asked if method == "GET" and "/resolve/" in path
        }


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    files = Files()
    with serve(files) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        yield Hub(files, tmp_path / "cache")


@pytest.fixture
def llama(tmp_path: Path) -> Path:
    return make_llama(tmp_path / "llama")


def refusal(call: Any) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        call()
    return caught.value


def test_only_configuration_tokenizer_and_weights_are_taken(running: Hub, llama: Path) -> None:
    others = {"modeling.py": b"import os", "pytorch_model.bin": b"x", "README.md": b"x", "onnx/model.onnx": b"x"}
    content = running.offer(llama, **others, **{"model.safetensors.index.json": b"{}"})
    folder = running.fetch()
    assert running.taken() == set(content) - set(others)
    assert (folder / "model.safetensors").read_bytes() == content["model.safetensors"]


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["a.safetensors", "pytorch_model.bin", "pytorch_model.bin.index.json"], ["a.safetensors"]),
        (["pytorch_model.bin", "training_args.bin", "optimizer.bin"], ["pytorch_model.bin"]),
        (
            ["pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin", "pytorch_model.bin.index.json"],
            ["pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin", "pytorch_model.bin.index.json"],
        ),
        (["tokenizer.model", "merges.txt", "chat_template.jinja", "LICENSE"], None),
        (["sub/model.safetensors", "x.py", "x.h5", "x.gguf", "x.png"], []),
    ],
)
def test_the_choice_of_files(names: list[str], wanted: list[str] | None) -> None:
    assert sorted(hub.wanted_files(dict.fromkeys(names, 1))) == sorted(names if wanted is None else wanted)


def test_the_commit_is_recorded_and_nothing_is_asked_again(running: Hub, llama: Path) -> None:
    running.offer(llama)
    folder = running.fetch()
    assert folder.name == COMMIT
    asked = len(running.files.asked)
    assert running.fetch() == folder
    assert running.fetch(offline=True) == folder
    assert len(running.files.asked) == asked


def test_progress_counts_real_bytes(running: Hub, llama: Path) -> None:
    content = running.offer(llama)
    seen: list[LoadProgress] = []
    running.fetch(seen.append)
    total = sum(len(body) for body in content.values())
    counted = [step for step in seen if step.total]
    assert {step.total for step in counted} == {total}
    assert [step.done for step in counted] == sorted(step.done for step in counted)
    assert counted[-1].done == total


def test_a_stop_ends_it_and_a_later_fetch_is_whole(running: Hub, llama: Path) -> None:
    content = running.offer(llama)
    running.files.stall.clear()
    stop = Event()

    def report(_: LoadProgress) -> None:
        if running.taken():
            stop.set()

    with pytest.raises(Cancelled):
        running.fetch(report, stop)
    assert hub_cache.complete(ID, "main", running.cache) is None
    running.files.stall.set()
    for thread in threading.enumerate():
        if thread.name == "fetch":
            thread.join(20)
    assert not list((running.cache / "hub").rglob("model.safetensors")), "what was left behind ended too"
    assert (running.fetch() / "model.safetensors").read_bytes() == content["model.safetensors"]


def test_a_broken_connection_is_tried_again(running: Hub, llama: Path) -> None:
    """The library resumes by itself, from the last 10 MB that it wrote."""
    content = running.offer(llama)
    running.files.cut = [100_000]
    assert (running.fetch() / "model.safetensors").read_bytes() == content["model.safetensors"]
    big = [path for _, path, _ in running.files.asked if len(running.files.content.get(path, b"")) > 10_000]
    assert len(big) > len(set(big))


def test_an_unknown_repository(running: Hub) -> None:
    for path in (f"/api/models/{ID}/revision/main", f"/api/models/{ID}"):
        running.files.headers[path] = {"X-Error-Code": "RepoNotFound"}
    error = refusal(running.fetch)
    assert error.code == "unknown_model"
    assert ID in error.message


def test_a_gated_repository(running: Hub) -> None:
    path = f"/api/models/{ID}/revision/main"
    running.files.refused[path] = 403
    running.files.headers[path] = {"X-Error-Code": "GatedRepo"}
    error = refusal(running.fetch)
    assert error.code == "download_failed"
    assert "login" in error.message


def test_offline_without_the_model(running: Hub) -> None:
    assert refusal(lambda: running.fetch(offline=True)).code == "offline_missing"
    assert running.files.asked == []


def test_a_hub_that_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")
        error = refusal(Hub(Files(), tmp_path).fetch)
    assert error.code == "download_failed"
    assert ID in error.message


def test_a_hub_that_fails_does_not_keep_a_present_model_away(
    running: Hub, llama: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A snapshot that another program put there, without our record."""
    running.offer(llama)
    folder = running.fetch()
    hub_cache.record_of(ID, "main", running.cache).unlink()
    running.files.refused[f"/api/models/{ID}/revision/main"] = 404
    with caplog.at_level(logging.WARNING, "engine"):
        assert running.fetch() == folder
    assert "the snapshot on the disk is used" in caplog.text


def test_a_snapshot_that_lost_a_file_is_not_complete(running: Hub, llama: Path) -> None:
    running.offer(llama)
    folder = running.fetch()
    (folder / "generation_config.json").unlink()
    assert hub_cache.complete(ID, "main", running.cache) is None
    assert (running.fetch() / "generation_config.json").exists()


def test_a_damaged_snapshot_is_repaired(running: Hub, llama: Path) -> None:
    content = running.offer(llama)
    weights = running.fetch() / "model.safetensors"
    weights.resolve().write_bytes(content["model.safetensors"][:-5])
    assert hub_cache.complete(ID, "main", running.cache) is None
    assert (running.fetch() / "model.safetensors").read_bytes() == content["model.safetensors"]


def test_a_full_disk_is_seen_before_the_download(running: Hub, llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running.offer(llama)
    monkeypatch.setattr("engine.model.cache.shutil.disk_usage", lambda _: type("Usage", (), {"free": 10}))
    assert refusal(running.fetch).code == "disk_full"
    assert running.taken() == set()


def test_a_disk_that_fills_up_is_called_so(running: Hub, llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    running.offer(llama)
    monkeypatch.setattr("huggingface_hub.snapshot_download", full)
    assert refusal(running.fetch).code == "disk_full"


def test_ensure_turns_bin_into_safetensors(running: Hub, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    running.offer(make_bloom(tmp_path / "bloom"))
    settings = load_settings(cache_dir=running.cache)
    resolved = resolve(ID, settings)
    phases: list[str] = []
    folder = ensure(resolved, settings, lambda step: phases.append(step.phase), Event())
    assert folder == running.cache / "models" / "owner--tiny"
    assert list(dict.fromkeys(phases)) == ["fetch", "convert"]
    manifest = read_manifest(folder)
    assert manifest is not None
    assert (manifest.source, manifest.revision) == (ID, COMMIT)
    assert resolved.revision(folder) == COMMIT
    AutoModelForCausalLM.from_pretrained(folder)
    assert AutoTokenizer.from_pretrained(folder)("[GEN]")["input_ids"][0] > 3
    asked = len(running.files.asked)
    assert ensure(resolved, load_settings(cache_dir=running.cache, offline=True), lambda _: None, Event()) == folder
    assert len(running.files.asked) == asked


def test_ensure_keeps_bin_files_where_a_copy_has_no_room(
    running: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_room(path: Path, needed: int) -> None:
        raise WorkbenchError("disk_full", path=path, needed=needed, free=0)

    running.offer(make_bloom(tmp_path / "bloom"))
    monkeypatch.setattr("engine.model.convert.require_space", no_room)
    settings = load_settings(cache_dir=running.cache)
    with caplog.at_level(logging.WARNING, "engine"):
        folder = ensure(resolve(ID, settings), settings, lambda _: None, Event())
    assert (folder / "pytorch_model.bin").exists()
    assert "the weights stay in .bin files" in caplog.text


def test_ensure_gives_safetensors_as_they_are(running: Hub, llama: Path) -> None:
    running.offer(llama)
    settings = load_settings(cache_dir=running.cache)
    resolved = resolve(ID, settings)
    folder = ensure(resolved, settings, lambda _: None, Event())
    assert folder.parent.name == "snapshots"
    assert resolved.revision(folder) == COMMIT


def test_of_a_repository_of_gguf_files_one_is_taken(running: Hub, tmp_path: Path) -> None:
    entry = CATALOG["qwen2.5-7b-q4"]
    wanted = HubSource(ID, file="a-q4.gguf")
    resolved = replace(resolve(entry.name, load_settings()), entry=replace(entry, source=wanted))
    settings = load_settings(cache_dir=running.cache)
    add_repository(running.files, ID, COMMIT, {"a-q4.gguf": b"GGUF" * 9, "a-q8.gguf": b"GGUF", "LICENSE": b"x"})
    folder = ensure(resolved, settings, lambda _: None, Event())
    assert running.taken() == {"a-q4.gguf", "LICENSE"}
    assert gguf_file(folder) == folder / "a-q4.gguf"
    assert resolved.revision(folder) == COMMIT
    offline = load_settings(cache_dir=running.cache, offline=True)
    assert ensure(resolved, offline, lambda _: None, Event()) == folder
    other = replace(resolved, entry=replace(entry, source=replace(wanted, file="gone.gguf")))
    fresh = load_settings(cache_dir=tmp_path / "fresh")
    assert "gone.gguf" in refusal(lambda: ensure(other, fresh, lambda _: None, Event())).message


def test_ensure_leaves_a_users_folder_alone(llama: Path) -> None:
    settings = load_settings()
    before = sorted(path.name for path in llama.iterdir())
    assert ensure(resolve(str(llama), settings), settings, lambda _: None, Event()) == llama.resolve()
    assert sorted(path.name for path in llama.iterdir()) == before


def test_a_repository_without_weights_is_called_so(running: Hub, llama: Path) -> None:
    running.offer(llama)
    del running.files.content[f"/{ID}/resolve/{COMMIT}/model.safetensors"]
    content = {path.name: path.read_bytes() for path in llama.iterdir() if path.suffix != ".safetensors"}
    add_repository(running.files, ID, COMMIT, content)
    settings = load_settings(cache_dir=running.cache)
    error = refusal(lambda: ensure(resolve(ID, settings), settings, lambda _: None, Event()))
    assert error.code == "folder_without_weights"


def test_modelscope_without_its_package_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "modelscope", None)
    settings = load_settings(cache_dir=tmp_path, hub="modelscope")
    error = refusal(lambda: ensure(resolve("seqgpt-560m", settings), settings, lambda _: None, Event()))
    assert error.code == "extra_missing"
    assert ".[modelscope]" in error.hint


def test_the_record_is_readable(running: Hub, llama: Path) -> None:
    content = running.offer(llama)
    running.fetch()
    record = json.loads(hub_cache.record_of(ID, "main", running.cache).read_text("utf-8"))
    assert record == {"commit": COMMIT, "files": {name: len(body) for name, body in content.items()}}
