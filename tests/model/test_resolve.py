"""What a --model value means, and how `auto` chooses."""

import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from checkpoints import make_bloom
from servers import Files, serve

from engine.errors import WorkbenchError
from engine.model.cache import Manifest, building, model_folder, write_manifest
from engine.model.catalog import CATALOG
from engine.model.resolve import PROBE_SECONDS, Resolved, answers, resolve
from engine.settings import Settings, load_settings


class Probe:
    """A network that answers or not, and remembers who asked."""

    def __init__(self, reachable: bool) -> None:
        self.reachable = reachable
        self.asked: list[str] = []

    def __call__(self, url: str, seconds: float) -> bool:
        assert seconds <= 3
        self.asked.append(url)
        return self.reachable


def settings(tmp_path: Path, **flags: Any) -> Settings:
    return load_settings(cache_dir=tmp_path / "cache", **flags)


def put_on_disk(where: Settings, folder: str) -> Path:
    with building(model_folder(where.cache_dir, folder)) as draft:
        (draft / "model.safetensors").write_bytes(b"x")
        write_manifest(draft, Manifest(folder, "DAMO-NLP/SeqGPT-560M", "abc123", "", {}))
    return model_folder(where.cache_dir, folder)


@pytest.mark.parametrize("name", CATALOG)
def test_a_catalog_name_is_that_model(name: str, tmp_path: Path) -> None:
    probe = Probe(True)
    resolved = resolve(name, settings(tmp_path), probe)
    assert (resolved.name, resolved.entry) == (name, CATALOG[name])
    assert (resolved.protocol, resolved.context) == (CATALOG[name].protocol, CATALOG[name].context)
    assert resolved.note is None, "the user's own choice needs no reason"
    assert probe.asked == []


@pytest.mark.parametrize("shape", ["absolute", "./models/mine", "models/mine", "~/models/mine", "mine"])
def test_a_folder_is_taken_in_every_shape(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "models" / "mine"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "models" if shape == "mine" else tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    resolved = resolve(str(folder) if shape == "absolute" else shape, settings(tmp_path))
    assert resolved.folder == folder.resolve()
    assert resolved.name == "mine"
    assert (resolved.protocol, resolved.context) == (None, None)
    assert resolved.revision(folder) == "local"


def test_a_hub_id_is_kept(tmp_path: Path) -> None:
    resolved = resolve("some-owner/Some.Model_1", settings(tmp_path))
    assert (resolved.hub_id, resolved.entry, resolved.folder) == ("some-owner/Some.Model_1", None, None)


@pytest.mark.parametrize("name", ["DAMO-NLP/SeqGPT-560M", "damo-nlp/seqgpt-560m", "iic/nlp_seqgpt-560m"])
def test_the_hub_id_of_a_named_model_is_that_model(name: str, tmp_path: Path) -> None:
    assert resolve(name, settings(tmp_path)).entry is CATALOG["seqgpt-560m"]


@pytest.mark.parametrize("name", ["seqgpt", "", "/no/such/folder", "./nothing", "a/b/c", "owner/", "!/x", "ftp://x/y"])
def test_anything_else_is_unknown(name: str, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as caught:
        resolve(name, settings(tmp_path))
    assert caught.value.code == "unknown_model"
    assert "auto, seqgpt-560m, smollm2-135m, offline" in caught.value.hint


def test_auto_takes_seqgpt_from_the_disk_without_asking(tmp_path: Path) -> None:
    where = settings(tmp_path)
    folder = put_on_disk(where, "seqgpt-560m")
    probe = Probe(False)
    resolved = resolve("auto", where, probe)
    assert resolved.name == "seqgpt-560m"
    assert resolved.revision(folder) == "abc123"
    assert probe.asked == []
    assert resolved.note is not None
    assert resolved.note.text == "seqgpt-560m: it is on this disk."


def test_auto_takes_seqgpt_from_the_hubs_cache(tmp_path: Path) -> None:
    where = settings(tmp_path)
    repository = where.cache_dir / "hub" / "models--DAMO-NLP--SeqGPT-560M"
    make_bloom(repository / "snapshots" / "c0ffee")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("c0ffee", "utf-8")
    assert resolve("auto", where, Probe(False)).name == "seqgpt-560m"
    (repository / "snapshots" / "c0ffee" / "pytorch_model.bin").unlink()  # an unfinished fetch
    assert resolve("auto", where, Probe(False)).name == "offline"


def test_auto_takes_seqgpt_where_the_hub_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.test/")
    probe = Probe(True)
    resolved = resolve("auto", settings(tmp_path), probe)
    assert resolved.name == "seqgpt-560m"
    assert probe.asked == ["https://mirror.test"]
    assert "https://mirror.test answers" in resolved.reason


def test_auto_asks_the_hub_of_the_settings(tmp_path: Path) -> None:
    probe = Probe(True)
    resolve("auto", settings(tmp_path, hub="modelscope"), probe)
    assert probe.asked == ["https://www.modelscope.cn"]


def test_auto_falls_back_and_says_why(tmp_path: Path) -> None:
    resolved = resolve("auto", settings(tmp_path), Probe(False))
    assert resolved.name == "offline"
    assert resolved.note is not None
    assert resolved.note.code == "choice_reason"
    assert "seqgpt-560m is not on this disk" in resolved.note.text
    assert "did not answer" in resolved.note.text


@pytest.mark.parametrize("by", ["settings", "variable"])
def test_offline_asks_no_network(by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if by == "variable":
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    probe = Probe(True)
    resolved = resolve("auto", settings(tmp_path, offline=by == "settings"), probe)
    assert resolved.name == "offline"
    assert "offline mode" in resolved.reason
    assert probe.asked == []


def test_the_probe_sees_an_answer() -> None:
    files = Files()
    files.content["/"] = b"ok"
    with serve(files) as url:
        assert answers(f"{url}/", PROBE_SECONDS)
        assert [asked[0] for asked in files.asked] == ["HEAD"]


@pytest.mark.parametrize(("status", "counts"), [(404, True), (405, True), (403, False), (407, False), (503, False)])
def test_the_probe_tells_a_hub_from_a_refusing_proxy(status: int, counts: bool) -> None:
    files = Files()
    files.refused["/"] = status
    with serve(files) as url:
        assert answers(f"{url}/", PROBE_SECONDS) is counts


def test_the_probe_sees_a_refusal() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert not answers(f"http://127.0.0.1:{taken.getsockname()[1]}", PROBE_SECONDS)


def test_the_probe_gives_up_on_a_stalled_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def stalled(*_: object, **__: object) -> list[Any]:
        release.wait(30)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", stalled)
    start = time.monotonic()
    assert not answers("http://hub.test", 0.2)
    waited = time.monotonic() - start
    release.set()
    assert waited < 20, "it waited for the lookup"


def test_a_snapshot_is_named_after_its_commit(tmp_path: Path) -> None:
    snapshot = tmp_path / "snapshots" / "c0ffee"
    snapshot.mkdir(parents=True)
    assert Resolved("m", "", hub_id="a/b").revision(snapshot) == "c0ffee"
