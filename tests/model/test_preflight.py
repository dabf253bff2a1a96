"""A model folder is looked over without loading it: what is missing, what is damaged, what it holds."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from checkpoints import make_bloom, make_llama, shard

from engine.errors import WorkbenchError
from engine.model.preflight import check


@pytest.fixture
def bloom(tmp_path: Path) -> Path:
    return make_bloom(tmp_path / "bloom", weights="bin")


@pytest.fixture
def llama(tmp_path: Path) -> Path:
    return make_llama(tmp_path / "llama", weights="safetensors")


def refusal(folder: Path) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        check(folder, "m")
    return caught.value


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def test_safetensors_are_counted_by_their_headers(llama: Path) -> None:
    from transformers import AutoModelForCausalLM

    files = check(llama, "m")
    assert (files.format, files.architecture, files.context) == ("safetensors", "LlamaForCausalLM", 512)
    assert files.parameters == AutoModelForCausalLM.from_pretrained(llama).num_parameters()
    assert files.dtypes == {"F32": files.parameters}
    assert files.total_bytes == (llama / "model.safetensors").stat().st_size
    assert files.largest_tensor_bytes == files.config["vocab_size"] * 64 * 4


def test_bin_files_are_estimated(bloom: Path) -> None:
    files = check(bloom, "m")
    assert (files.format, files.architecture, files.context) == ("bin", "BloomForCausalLM", 1024)
    assert list(files.dtypes) == ["F32"]
    assert files.parameters * 4 == pytest.approx(files.total_bytes, abs=4)


def test_safetensors_are_preferred(tmp_path: Path) -> None:
    assert check(make_bloom(tmp_path, weights="both"), "m").format == "safetensors"


def test_torch_is_not_imported(llama: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from engine.model.preflight import check;"
        f"check(Path({str(llama)!r}), 'm'); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("removed", "named"),
    [
        (["config.json"], "no config.json"),
        (["tokenizer.json"], "no tokenizer.json or other tokenizer files"),
        (["model.safetensors"], "no weights (model.safetensors or pytorch_model.bin)"),
    ],
    ids=["config", "tokenizer", "weights"],
)
def test_what_is_missing_is_named(llama: Path, removed: list[str], named: str) -> None:
    for name in removed:
        (llama / name).unlink()
    error = refusal(llama)
    assert error.code == "folder_without_weights"
    assert named in error.message


def test_a_missing_shard_is_named(bloom: Path) -> None:
    shard(bloom)
    assert len(check(bloom, "m").weights) == 2
    (bloom / "pytorch_model-00002-of-00002.bin").unlink()
    error = refusal(bloom)
    assert error.code == "folder_without_weights"
    assert "pytorch_model-00002-of-00002.bin" in error.message


def test_an_empty_folder_names_the_first_thing(tmp_path: Path) -> None:
    assert "no config.json" in refusal(tmp_path).message


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def lfs_pointer(path: Path) -> None:
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "utf-8")


@pytest.mark.parametrize(
    ("name", "damage", "reason"),
    [
        ("config.json", lambda path: path.write_text("{", "utf-8"), "no JSON text"),
        ("config.json", lambda path: path.write_bytes(b"\xff\xfe"), "no JSON text"),
        ("config.json", lambda path: path.write_text("[]", "utf-8"), "no JSON object"),
        ("tokenizer.json", cut, "no JSON text"),
        ("model.safetensors", cut, "where its header says"),
        ("model.safetensors", lambda path: path.write_bytes(path.read_bytes()[:100]), "cut off inside its header"),
        ("model.safetensors", lambda path: path.write_bytes(b""), "cut off inside its header"),
        ("model.safetensors", lambda path: path.write_bytes(path.read_bytes() + b"x"), "where its header says"),
        ("model.safetensors", lfs_pointer, "Git LFS pointer"),
    ],
)
def test_damage_is_found(llama: Path, name: str, damage: Callable[[Path], object], reason: str) -> None:
    damage(llama / name)
    error = refusal(llama)
    assert error.code == "file_damaged"
    assert str(llama / name) in error.message
    assert reason in error.message


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (cut, "cut off before its end"),
        (lambda path: path.write_bytes(b"<html>not found</html>"), "no torch file"),
        (lfs_pointer, "Git LFS pointer"),
    ],
)
def test_damaged_bin_files_are_found(bloom: Path, damage: Callable[[Path], object], reason: str) -> None:
    damage(bloom / "pytorch_model.bin")
    error = refusal(bloom)
    assert error.code == "file_damaged"
    assert reason in error.message


def test_an_index_that_leaves_the_folder_is_refused(bloom: Path) -> None:
    shard(bloom)
    index = bloom / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"weight_map": {"w": "../elsewhere.bin"}}), "utf-8")
    assert refusal(bloom).code == "file_damaged"


def test_code_in_the_folder_is_refused(llama: Path) -> None:
    change_config(llama, model_type="my_own", auto_map={"AutoModelForCausalLM": "modeling.Mine"})
    assert refusal(llama).code == "remote_code"


def test_code_that_transformers_has_itself_is_ignored(llama: Path) -> None:
    change_config(llama, auto_map={"AutoModelForCausalLM": "modeling.Mine"})
    assert check(llama, "m").architecture == "LlamaForCausalLM"
