"""The folder of a packed model: built once, noticed when it is damaged, never half there, another for other weights."""

import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from checkpoints import make_kind
from doubles import WAIT, StopsAfter
from packed import KINDS, NOT_PACKABLE, files_of, load, make, original, prepare, quiet

from engine.errors import Cancelled, WorkbenchError
from engine.model.cache import MANIFEST, read_manifest
from engine.model.packed import prepare as preparing
from engine.model.packed.build import LAYERS, REST
from engine.model.packed.prepare import is_built, packed_folder
from engine.model.packed.prompts import calibration_prompts
from engine.text.protocol import PlainProtocol, SeqGPTProtocol
from engine.types import LoadProgress

pytestmark = pytest.mark.usefixtures("one_thread")
FILES = {LAYERS, REST, MANIFEST}


@pytest.fixture(scope="module", params=["fp16", "int8"])
def precision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("llama"), "Llama")


@pytest.fixture(scope="module")
def kept(checkpoint: Path, precision: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the checkpoint is built, to copy."""
    cache = tmp_path_factory.mktemp("kept")
    prepare(checkpoint, precision, cache)
    return cache


@pytest.fixture
def cache(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "copy"))


@pytest.fixture
def built(cache: Path, checkpoint: Path, precision: str) -> Path:
    folder = packed_folder(cache, files_of(checkpoint), precision)
    assert is_built(folder)
    return folder


def no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("nothing is to be built")

    monkeypatch.setattr(preparing, "build", refuse)
    monkeypatch.setattr(preparing, "load_causal_lm", refuse)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def left_in(cache: Path) -> list[str]:
    """What lies where converted models lie."""
    folder = cache / "converted"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_second_load_builds_nothing(
    built: Path, cache: Path, checkpoint: Path, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {path.name for path in built.iterdir()} == FILES
    before = {path: path.stat().st_mtime_ns for path in built.iterdir()}
    no_build(monkeypatch)
    seen: list[LoadProgress] = []
    assert prepare(checkpoint, precision, cache, seen.append) == built
    assert {path: path.stat().st_mtime_ns for path in built.iterdir()} == before
    assert {one.phase for one in seen} == {"verify"}
    assert left_in(cache) == [built.name]


def test_the_manifest_says_what_it_is(built: Path, checkpoint: Path, precision: str) -> None:
    manifest = read_manifest(built)
    assert manifest is not None
    assert (manifest.name, manifest.source, manifest.revision) == (checkpoint.name, str(checkpoint), precision)
    assert set(manifest.sha256) == set(manifest.files) == {LAYERS, REST}


def test_building_again_gives_the_same_bytes(built: Path, cache: Path, checkpoint: Path, precision: str) -> None:
    before = contents(built)
    shutil.rmtree(built)
    assert not is_built(built)
    assert prepare(checkpoint, precision, cache) == built
    assert contents(built) == before


@pytest.mark.parametrize("name", [LAYERS, REST])
@pytest.mark.parametrize("place", [40, 0.5, -1])
def test_a_flipped_byte_is_noticed_and_built_again(
    built: Path, cache: Path, checkpoint: Path, precision: str, name: str, place: float
) -> None:
    path = built / name
    right = contents(built)
    data = bytearray(right[name])
    at = int(len(data) * place) if place == 0.5 else int(place)
    data[at] ^= 1
    path.write_bytes(data)
    assert prepare(checkpoint, precision, cache) == built
    assert contents(built) == right


@pytest.mark.parametrize("damage", ["cut", "longer", "gone", "no manifest", "odd manifest", "old converter"])
def test_other_damage_is_noticed_and_built_again(
    built: Path, cache: Path, checkpoint: Path, precision: str, damage: str
) -> None:
    right = contents(built)
    if damage == "cut":
        (built / LAYERS).write_bytes(right[LAYERS][:-1])
    elif damage == "longer":
        (built / REST).write_bytes(right[REST] + b"\0")
    elif damage == "gone":
        (built / REST).unlink()
    elif damage == "no manifest":
        (built / MANIFEST).unlink()
    elif damage == "odd manifest":
        (built / MANIFEST).write_text("[]", "utf-8")
    else:
        manifest = json.loads(right[MANIFEST]) | {"converter": 0}
        (built / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    assert not is_built(built)
    assert prepare(checkpoint, precision, cache) == built
    assert contents(built) == right


@pytest.mark.parametrize("questions", [0, 1, 2, 5, 12, 20, 30, 36])
def test_a_stop_at_any_time_leaves_nothing_half_built(
    checkpoint: Path, precision: str, tmp_path: Path, questions: int
) -> None:
    try:
        prepare(checkpoint, precision, tmp_path, stop=StopsAfter(questions))
    except Cancelled:
        assert left_in(tmp_path) == []
    else:
        assert questions > 20, "it asks more often than that"
    folder = prepare(checkpoint, precision, tmp_path)
    assert folder is not None
    assert left_in(tmp_path) == [folder.name]


def test_a_stop_while_writing_puts_nothing_in_place(built: Path, cache: Path, checkpoint: Path, precision: str) -> None:
    (built / MANIFEST).unlink()
    stop = threading.Event()

    def report(one: LoadProgress) -> None:
        if one.phase == "convert" and one.done:
            stop.set()

    with pytest.raises(Cancelled):
        prepare(checkpoint, precision, cache, report, stop)
    assert left_in(cache) == [built.name]
    assert not is_built(built)


def test_the_rest_of_a_killed_build_is_replaced(checkpoint: Path, precision: str, tmp_path: Path) -> None:
    folder = packed_folder(tmp_path, files_of(checkpoint), precision)
    draft = folder.with_name(folder.name + ".partial")
    draft.mkdir(parents=True)
    (draft / "junk").write_bytes(b"x")
    assert prepare(checkpoint, precision, tmp_path) == folder
    assert {path.name for path in folder.iterdir()} == FILES
    assert left_in(tmp_path) == [folder.name]


def test_a_full_disk_is_told_before_anything_is_written(
    checkpoint: Path, precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.model.cache.shutil.disk_usage", lambda _: type("Usage", (), {"free": 10}))
    with pytest.raises(WorkbenchError) as caught:
        prepare(checkpoint, precision, tmp_path)
    assert caught.value.code == "disk_full"
    assert left_in(tmp_path) == []


def test_a_folder_that_one_thread_builds_is_not_built_by_another(
    checkpoint: Path, precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds: list[int] = []
    own = preparing.build
    monkeypatch.setattr(preparing, "build", lambda *arguments: (builds.append(1), own(*arguments))[1])
    made: list[Any] = []
    threads = [threading.Thread(target=lambda: made.append(prepare(checkpoint, precision, tmp_path))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert builds == [1]
    assert made[0] == made[1]


# Another folder for another model.


def test_the_folder_is_another_for_other_files(checkpoint: Path, tmp_path: Path) -> None:
    def place(folder: Path, precision: str = "fp16") -> Path:
        return packed_folder(tmp_path, files_of(folder), precision)

    copy = Path(shutil.copytree(checkpoint, tmp_path / "elsewhere" / checkpoint.name))
    seen = [place(checkpoint), place(checkpoint, "int8"), place(copy)]
    weights = copy / "model.safetensors"
    os.utime(weights, ns=(1, weights.stat().st_mtime_ns + 1))
    seen.append(place(copy))
    make_kind(copy, *KINDS["Llama"][:1], **KINDS["Llama"][1], seed=1)
    seen.append(place(copy))
    config = json.loads((copy / "config.json").read_text("utf-8"))
    (copy / "config.json").write_text(json.dumps(config | {"rms_norm_eps": 0.1}), "utf-8")
    seen.append(place(copy))
    assert len(set(seen)) == len(seen)
    assert place(checkpoint) == seen[0]
    assert all(one.parent == tmp_path / "converted" for one in seen)


@pytest.mark.parametrize("name", ["../../etc", "owner/name", "模型", "..", "x" * 300])
def test_no_name_leads_out_of_the_folder(checkpoint: Path, tmp_path: Path, name: str) -> None:
    files = files_of(checkpoint)
    folder = packed_folder(tmp_path, type(files)(**(vars(files) | {"name": name})), "fp16")
    assert folder.parent == tmp_path / "converted"
    assert folder.resolve().parent == (tmp_path / "converted").resolve()
    assert len(folder.name) < 120


def test_new_weights_are_built_anew(tmp_path: Path, precision: str) -> None:
    checkpoint = make(tmp_path, "BLOOM")
    first = prepare(checkpoint, precision, tmp_path)
    make(tmp_path, "BLOOM", seed=1)
    second = prepare(checkpoint, precision, tmp_path)
    assert first is not None
    assert second is not None
    assert first != second
    ids = torch.tensor([[5, 300, 41, 7]])
    with torch.inference_mode():
        found, right = load(checkpoint, second)(input_ids=ids).logits, original(checkpoint)(input_ids=ids).logits
    assert float((found - right).norm() / right.norm()) < 0.1


# What is built from.


@pytest.mark.parametrize("name", NOT_PACKABLE)
def test_a_model_with_other_parts_is_left_alone(tmp_path: Path, precision: str, name: str) -> None:
    assert prepare(make(tmp_path, name), precision, tmp_path) is None
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_on_disk_is_packed_as_it_is(tmp_path: Path, precision: str, dtype: torch.dtype) -> None:
    checkpoint = make(tmp_path, "Qwen2")
    original(checkpoint).to(dtype).save_pretrained(checkpoint)
    folder = prepare(checkpoint, precision, tmp_path)
    assert folder is not None
    ids = torch.tensor([[5, 300, 41, 7]])
    with torch.inference_mode():
        found, right = load(checkpoint, folder)(input_ids=ids).logits, original(checkpoint)(input_ids=ids).logits
    assert float((found - right).norm() / right.norm()) < (1e-2 if precision == "fp16" else 0.1)


@pytest.mark.parametrize("protocol", [SeqGPTProtocol(), PlainProtocol()])
def test_layers_are_measured_by_prompts_of_every_protocol(tmp_path: Path, protocol: Any) -> None:
    """Whatever the tokenizer makes of them: a prompt that does not fit is none to measure by."""
    checkpoint = make(tmp_path, "Llama")
    folder = preparing.prepare(files_of(checkpoint), "int8", protocol, tmp_path, quiet, threading.Event())
    assert folder is not None


def test_a_model_of_a_short_context_is_packed(tmp_path: Path) -> None:
    kind, settings = KINDS["GPT-2"]
    checkpoint = make_kind(tmp_path / "short", kind, **(settings | {"n_positions": 48}))
    assert prepare(checkpoint, "int8", tmp_path) is not None


def test_calibration_asks_in_both_languages_for_both_tasks() -> None:
    prompts = [prompt.string for prompt in calibration_prompts(SeqGPTProtocol())]
    assert len(prompts) == len(set(prompts)) == 20
    assert sum("分类" in one for one in prompts) == sum("抽取" in one for one in prompts) == 10
    assert any("flight" in one for one in prompts)
