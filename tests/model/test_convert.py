"""Conversions keep every value, tie what the model ties, and leave nothing half done."""

import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch
from checkpoints import CHAT_TEMPLATE, make_bloom, make_gguf, make_llama, shard
from safetensors import safe_open
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from engine.errors import Cancelled, WorkbenchError
from engine.model.cache import Manifest, model_folder, read_manifest
from engine.model.convert import bin_to_safetensors, gguf_to_safetensors
from engine.model.preflight import check
from engine.types import LoadProgress

MANIFEST = Manifest("m", "owner/name", "c0ffee", "Apache-2.0", {"a": "0" * 64})


def quiet(_: LoadProgress) -> None:
    """No report."""


def logits(folder: Path, text: str = "输入: 今天天气很好 the film was good") -> torch.Tensor:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        return model(input_ids=ids["input_ids"], attention_mask=ids["attention_mask"]).logits


def convert(folder: Path, out: Path, **options: Any) -> Path:
    bin_to_safetensors(folder, out, MANIFEST, options.get("report", quiet), options.get("stop", Event()))
    return out


@pytest.mark.parametrize("make", [make_bloom, make_llama])
def test_bin_and_safetensors_give_the_same_logits(make: Any, tmp_path: Path) -> None:
    source = make(tmp_path / "source", weights="bin")
    out = convert(source, tmp_path / "out")
    assert torch.equal(logits(out), logits(source))
    assert not list(out.glob("*.bin"))
    header = int.from_bytes((out / "model.safetensors").read_bytes()[:8], "little")
    assert header % 8 == 0, "the tensors are aligned"


def test_the_manifest_tells_where_it_comes_from(tmp_path: Path) -> None:
    out = convert(make_bloom(tmp_path / "source"), tmp_path / "out")
    manifest = read_manifest(out)
    assert manifest is not None
    assert (manifest.source, manifest.revision, manifest.licence) == ("owner/name", "c0ffee", "Apache-2.0")
    assert manifest.files["model.safetensors"] == (out / "model.safetensors").stat().st_size
    (out / "model.safetensors").write_bytes(b"short")
    assert read_manifest(out) is None


def test_a_tied_tensor_is_written_once(tmp_path: Path) -> None:
    out = convert(make_bloom(tmp_path / "source"), tmp_path / "out")
    names = set(load_file(out / "model.safetensors"))
    assert "transformer.word_embeddings.weight" in names
    assert "lm_head.weight" not in names


def test_one_memory_under_two_names_is_written_twice_where_nothing_ties_them(tmp_path: Path) -> None:
    source = make_llama(tmp_path / "source", weights="bin", tied=False)
    path = source / "pytorch_model.bin"
    state = torch.load(path, weights_only=True)
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    torch.save(state, path)
    out = convert(source, tmp_path / "out")
    assert "lm_head.weight" in load_file(out / "model.safetensors")
    assert torch.equal(logits(out), logits(source))


def test_views_of_one_memory_are_kept_apart(tmp_path: Path) -> None:
    source = make_bloom(tmp_path / "source")
    path = source / "pytorch_model.bin"
    state = torch.load(path, weights_only=True)
    weight = state["transformer.h.0.self_attention.dense.weight"]
    whole = torch.stack([weight, weight + 1])
    state["transformer.h.0.self_attention.dense.weight"] = whole[0].t().contiguous().t()  # not contiguous
    state["transformer.h.1.self_attention.dense.weight"] = whole[1]
    torch.save(state, path)
    saved = load_file(convert(source, tmp_path / "out") / "model.safetensors")
    assert torch.equal(saved["transformer.h.0.self_attention.dense.weight"], weight)
    assert torch.equal(saved["transformer.h.1.self_attention.dense.weight"], weight + 1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_types_are_kept(dtype: torch.dtype, tmp_path: Path) -> None:
    source = make_bloom(tmp_path / "source")
    path = source / "pytorch_model.bin"
    state = {name: value.to(dtype) for name, value in torch.load(path, weights_only=True).items()}
    state |= {"count": torch.tensor(3), "empty": torch.empty(0, 4), "flag": torch.tensor([True, False])}
    torch.save(state, path)
    saved = load_file(convert(source, tmp_path / "out") / "model.safetensors")
    assert all(torch.equal(saved[name], state[name]) and saved[name].dtype == state[name].dtype for name in saved)
    assert {"count", "empty", "flag"} <= set(saved)


def test_shards_stay_shards(tmp_path: Path) -> None:
    whole = make_bloom(tmp_path / "whole")
    source = make_bloom(tmp_path / "source")
    shard(source, 3)
    out = convert(source, tmp_path / "out")
    index = json.loads((out / "model.safetensors.index.json").read_text("utf-8"))
    assert len(set(index["weight_map"].values())) == 3
    assert len(check(out, "m").weights) == 3
    assert torch.equal(logits(out), logits(whole))


def test_code_and_other_formats_are_not_copied(tmp_path: Path) -> None:
    source = make_bloom(tmp_path / "source")
    for name in ("modeling.py", "flax_model.msgpack", "LICENSE", "README.md"):
        (source / name).write_text("x", "utf-8")
    names = {path.name for path in convert(source, tmp_path / "out").iterdir()}
    assert {"LICENSE", "README.md"} <= names
    assert not {"modeling.py", "flax_model.msgpack"} & names


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


def test_a_pickle_that_runs_code_is_refused_and_not_run(tmp_path: Path) -> None:
    source = make_bloom(tmp_path / "source")
    torch.save({"weight": Payload(tmp_path / "ran")}, source / "pytorch_model.bin")
    with pytest.raises(WorkbenchError) as caught:
        convert(source, tmp_path / "out")
    assert caught.value.code == "file_damaged"
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "out").exists()


def test_more_than_tensors_is_refused(tmp_path: Path) -> None:
    source = make_bloom(tmp_path / "source")
    torch.save({"epoch": 3}, source / "pytorch_model.bin")
    with pytest.raises(WorkbenchError) as caught:
        convert(source, tmp_path / "out")
    assert caught.value.code == "not_loadable"


def test_a_stop_leaves_nothing(tmp_path: Path) -> None:
    stop = Event()

    def report(step: LoadProgress) -> None:
        if step.done:
            stop.set()

    with pytest.raises(Cancelled):
        convert(make_bloom(tmp_path / "source"), tmp_path / "models" / "out", report=report, stop=stop)
    assert list((tmp_path / "models").iterdir()) == []


def test_the_rest_of_a_killed_conversion_is_replaced(tmp_path: Path) -> None:
    left = tmp_path / "out.partial"
    left.mkdir()
    (left / "junk.bin").write_bytes(b"x")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old.json").write_bytes(b"x")  # a folder without a manifest is not taken for a model
    assert read_manifest(tmp_path / "out") is None
    out = convert(make_bloom(tmp_path / "source"), tmp_path / "out")
    assert read_manifest(out) is not None
    assert not (out / "junk.bin").exists()
    assert not (out / "old.json").exists()
    assert not left.exists()


def test_a_full_disk_is_seen_before_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make_bloom(tmp_path / "source")
    monkeypatch.setattr("engine.model.cache.shutil.disk_usage", lambda _: type("Usage", (), {"free": 10}))
    with pytest.raises(WorkbenchError) as caught:
        convert(source, tmp_path / "out")
    assert caught.value.code == "disk_full"
    assert not (tmp_path / "out").exists()


def test_a_disk_that_fills_up_while_writing_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    source = make_bloom(tmp_path / "source")
    monkeypatch.setattr("engine.model.tensor_file.os.fsync", full)
    with pytest.raises(WorkbenchError) as caught:
        convert(source, tmp_path / "out")
    assert caught.value.code == "disk_full"
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def convert_gguf(tmp_path: Path, **options: Any) -> tuple[Path, Path]:
    """A tiny Llama and what became of it by way of GGUF."""
    llama = make_llama(tmp_path / "llama", **options)
    gguf = make_gguf(tmp_path / "llama.gguf", llama)
    (tmp_path / "LICENSE").write_text("Apache", "utf-8")
    out = model_folder(tmp_path, "out")
    gguf_to_safetensors(gguf, out, MANIFEST, quiet, Event())
    return llama, out


@pytest.mark.parametrize("tied", [True, False])
def test_a_llama_survives_gguf(tied: bool, tmp_path: Path) -> None:
    llama, out = convert_gguf(tmp_path, tied=tied)
    before, after = load_file(llama / "model.safetensors"), load_file(out / "model.safetensors")
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name].half(), after[name]) for name in before)
    assert torch.allclose(logits(out), logits(llama), atol=0.05)
    with safe_open(out / "model.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt"}


def test_the_configuration_survives_gguf(tmp_path: Path) -> None:
    llama, out = convert_gguf(tmp_path, context=384)
    before = json.loads((llama / "config.json").read_text("utf-8"))
    after = json.loads((out / "config.json").read_text("utf-8"))
    assert after["dtype"] == "float16"
    assert "quantization_config" not in after
    for key in set(before) - {"dtype", "initializer_range", "rms_norm_eps"}:
        assert after[key] == before[key], key
    assert after["rms_norm_eps"] == pytest.approx(before["rms_norm_eps"])


def test_the_tokenizer_survives_gguf(tmp_path: Path) -> None:
    llama, out = convert_gguf(tmp_path)
    before, after = AutoTokenizer.from_pretrained(llama), AutoTokenizer.from_pretrained(out)
    for text in ("the film was 好", "a\tb\r\n 🎉", "<|im_start|>user\nx<|im_end|>"):
        assert after(text)["input_ids"] == before(text)["input_ids"]
        assert after.decode(after(text)["input_ids"]) == text
    assert after.chat_template == CHAT_TEMPLATE
    assert (after.eos_token, after.bos_token, after.padding_side) == ("<|im_end|>", "<|im_start|>", "left")
    assert after.pad_token == "<|endoftext|>", "padding with the end token would hide the ends of turns"
    assert after.model_max_length == 512
    assert (out / "LICENSE").read_text("utf-8") == "Apache"


def test_digits_stand_alone_before_all_other_splits(tmp_path: Path) -> None:
    """SmolLM2 splits digits first, so blanks before a number stay together."""
    _, out = convert_gguf(tmp_path)
    backend = AutoTokenizer.from_pretrained(out).backend_tokenizer
    pieces = [piece for piece, _ in backend.pre_tokenizer.pre_tokenize_str("a\n\n12  3")]
    assert pieces == ["a", "ĊĊ", "1", "2", "ĠĠ", "3"]


def test_the_same_weights_as_transformers_own_reader(tmp_path: Path) -> None:
    pytest.importorskip("accelerate", reason="transformers reads GGUF only with it")
    _, out = convert_gguf(tmp_path)
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path, gguf_file="llama.gguf", dtype=torch.float32).state_dict()
    ours = AutoModelForCausalLM.from_pretrained(out, dtype=torch.float32).state_dict()
    assert theirs.keys() == ours.keys()
    assert all(torch.equal(theirs[name].half().float(), ours[name]) for name in ours)


def test_a_damaged_gguf_is_refused(tmp_path: Path) -> None:
    gguf = tmp_path / "x.gguf"
    gguf.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(WorkbenchError) as caught:
        gguf_to_safetensors(gguf, tmp_path / "out", MANIFEST, quiet, Event())
    assert caught.value.code in {"file_damaged", "not_loadable"}


def test_another_architecture_is_refused(tmp_path: Path) -> None:
    import gguf

    path = tmp_path / "x.gguf"
    writer = gguf.GGUFWriter(path, "gpt2")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(WorkbenchError) as caught:
        gguf_to_safetensors(path, tmp_path / "out", MANIFEST, quiet, Event())
    assert caught.value.code == "not_loadable"
    assert "gpt2" in caught.value.message
