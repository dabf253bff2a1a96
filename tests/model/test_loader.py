"""From settings to a warm backend, over tiny checkpoints in local folders."""

import gc
import logging
import shutil
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from checkpoints import make_bloom, make_llama
from doubles import WAIT
from tqdm import tqdm

from engine.errors import Cancelled, WorkbenchError
from engine.model import loader
from engine.model.fake import FakeBackend
from engine.model.loader import load_backend
from engine.model.preflight import check
from engine.run.classify import Classifier
from engine.run.workbench import Workbench
from engine.settings import load_settings
from engine.types import ClassifyRequest, LoadProgress, Note


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """The checkpoints are too small for more; `threads` is set through torch, for the whole process."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("checkpoints")
    return {
        "bloom": make_bloom(root / "bloom"),
        "bloom without [GEN]": make_bloom(root / "no-gen", with_gen=False, weights="safetensors"),
        "llama": make_llama(root / "llama", context=512),
    }


class Watch:
    """What a load reports."""

    def __init__(self, stop_at: str = "") -> None:
        self.progress: list[LoadProgress] = []
        self.notes: list[Note] = []
        self.stop = threading.Event()
        self._stop_at = stop_at

    def report(self, progress: LoadProgress) -> None:
        self.progress.append(progress)
        if progress.phase == self._stop_at:
            self.stop.set()


def load(name: Path | str, watch: Watch | None = None, **flags: Any) -> Any:
    watch = watch or Watch()
    settings = load_settings(**({"model": str(name), "device": "cpu"} | flags))
    return load_backend(settings, watch.report, watch.notes.append, watch.stop)


@pytest.mark.parametrize(
    ("kind", "protocol", "context"),
    [("bloom", "seqgpt", 1024), ("bloom without [GEN]", "plain", 1024), ("llama", "chat", 512)],
)
def test_a_folder_is_loaded_and_asked_as_its_tokenizer_shows(
    folders: dict[str, Path], kind: str, protocol: str, context: int
) -> None:
    backend = load(folders[kind])
    info = backend.info
    assert (info.name, info.protocol, info.device, info.precision) == (folders[kind].name, protocol, "cpu", "fp16")
    assert info.context == context
    assert info.parameters == check(folders[kind], kind).parameters
    assert info.memory > info.parameters, "so that a second model's budget can count it"
    assert info.writer is None
    assert backend._tree
    result = Classifier(backend)(ClassifyRequest("今天的体育新闻", ("体育", "财经")))
    assert sum(one.score for one in result.labels) == pytest.approx(1)


@pytest.fixture
def every_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress bars speak ten times a second; the checkpoints are loaded before the first time."""
    original = tqdm.__init__

    def eager(self: Any, *arguments: Any, **options: Any) -> None:
        original(self, *arguments, **(options | {"mininterval": 0, "miniters": 1}))

    monkeypatch.setattr(tqdm, "__init__", eager)


@pytest.mark.usefixtures("every_tensor")
@pytest.mark.parametrize(("precision", "notes"), [("auto", ["precision_reason"]), ("fp32", []), ("int8", [])])
def test_every_step_is_reported(folders: dict[str, Path], precision: str, notes: list[str]) -> None:
    watch = Watch()
    load(folders["llama"], watch, precision=precision)
    phases = list(dict.fromkeys(progress.phase for progress in watch.progress))
    assert phases[:3] + phases[-2:] == ["resolve", "verify", "import", "weights", "warmup"]
    assert set(phases[3:-2]) <= {"convert"}, "the first time"
    tensors = [progress for progress in watch.progress if progress.phase == "weights"]
    assert tensors[-1].fraction == 1
    assert tensors[-1].unit == "tensors"
    assert [progress.done for progress in tensors] == sorted(progress.done for progress in tensors)
    assert [note.code for note in watch.notes] == ["device_reason", *notes]


def test_a_load_prints_nothing(folders: dict[str, Path], capfd: pytest.CaptureFixture[str]) -> None:
    load(folders["llama"])
    load(folders["bloom"])
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("every_tensor")
@pytest.mark.parametrize("phase", ["resolve", "verify", "import", "weights"])
def test_a_load_stops_at_each_step(folders: dict[str, Path], phase: str) -> None:
    watch = Watch(stop_at=phase)
    with pytest.raises(Cancelled):
        load(folders["llama"], watch)
    assert "warmup" not in {progress.phase for progress in watch.progress}
    load(folders["llama"])


def test_the_precision_that_is_asked_for_is_used_or_replaced(
    folders: dict[str, Path], cases: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: True)
    backend = load(folders["llama"], precision="bf16")
    assert (backend.info.precision, backend._body.dtype) == ("bf16", torch.bfloat16)
    case, watch = cases["num-half-cpu"], Watch()
    backend = load(folders["llama"], watch, device=case["device"], precision=case["precision"])
    assert (backend.info.precision, backend._body.dtype) == ("fp16", torch.float32)
    assert [note.code for note in watch.notes] == ["device_reason"]
    monkeypatch.setattr("engine.model.packed.linear.works", lambda _: False)
    watch = Watch()
    backend = load(folders["llama"], watch, device=case["device"], precision=case["precision"])
    assert (backend.info.precision, backend._body.dtype) == ("fp32", torch.float32)
    assert [note.code for note in watch.notes] == ["device_reason", "precision_replaced"]


def test_threads_are_set(folders: dict[str, Path]) -> None:
    load(folders["llama"], threads=2)
    assert torch.get_num_threads() == 2
    load(folders["llama"], threads=1)
    assert torch.get_num_threads() == 1


def test_threads_that_are_no_longer_named_are_as_before(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.model.device._before", [])
    usual = torch.get_num_threads()
    for threads in (usual + 1, usual + 2, None, None):
        load(folders["llama"], threads=threads)
        assert torch.get_num_threads() == (threads or usual)


def test_too_little_memory_is_told_before_the_weights_are_read(folders: dict[str, Path]) -> None:
    watch = Watch()
    with pytest.raises(WorkbenchError) as caught:
        load(folders["llama"], watch, max_memory="10k")
    assert caught.value.code == "memory_short"
    assert "weights" not in {progress.phase for progress in watch.progress}


def test_the_fake_needs_nothing() -> None:
    watch = Watch()
    assert isinstance(load("fake", watch), FakeBackend)
    assert watch.notes == []


def test_a_model_that_fails_at_its_first_request_is_freed_and_the_slot_says_why(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is kept and shown; the weights must not live on in its traceback."""
    held: list[weakref.ref[Any]] = []

    def broken(self: Any) -> None:
        held.append(weakref.ref(self._model))
        raise WorkbenchError("not_loadable", name="llama", reason="a test")

    monkeypatch.setattr("engine.model.causal_lm.CausalLM.warm_up", broken)
    workbench = Workbench(load_settings(model=str(folders["llama"]), device="cpu"))
    try:
        with pytest.raises(WorkbenchError):
            workbench.load().result(WAIT)
        gc.collect()
        assert workbench.state().error is not None
        assert held[0]() is None
    finally:
        workbench.close()


def test_unloading_frees_the_weights(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[weakref.ref[Any]] = []
    original = loader.load_backend

    def remembered(*arguments: Any) -> Any:
        backend = original(*arguments)
        held.append(weakref.ref(backend._model))
        return backend

    workbench = Workbench(load_settings(model=str(folders["bloom"]), device="cpu"), remembered)
    try:
        workbench.classify(ClassifyRequest("体育", ("体育", "财经"))).result(WAIT)
        assert held[0]() is not None
        workbench.unload().result(WAIT)
        gc.collect()
        assert held[0]() is None
    finally:
        workbench.close()


@pytest.mark.parametrize("damage", ["cut", "no tokenizer", "no weights", "no config"])
def test_a_broken_folder_is_one_clear_error(folders: dict[str, Path], tmp_path: Path, damage: str) -> None:
    logging.disable(logging.CRITICAL)
    folder = tmp_path / "broken"
    shutil.copytree(folders["llama"], folder)
    if damage == "cut":
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-100])
    elif damage == "no tokenizer":
        for path in folder.glob("tokenizer*"):
            path.unlink()
    elif damage == "no weights":
        (folder / "model.safetensors").unlink()
    else:
        (folder / "config.json").unlink()
    workbench = Workbench(load_settings(model=str(folder), device="cpu"))
    try:
        with pytest.raises(WorkbenchError) as caught:
            workbench.load().result(WAIT)
    finally:
        workbench.close()
        logging.disable(logging.NOTSET)
    assert caught.value.code == ("file_damaged" if damage == "cut" else "folder_without_weights")
