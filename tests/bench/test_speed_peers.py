"""The peer runtimes of the speed bench: the same model as transformers', and exactly the work that was asked for."""

import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checkpoints import make_bloom

from bench.speed.engines import KINDS
from bench.speed.engines.ctranslate2_int8 import CTranslate2Int8
from bench.speed.engines.llama_cpp import LlamaCppQ4, LlamaCppQ8
from bench.speed.engines.onnx_int8 import OnnxInt8
from bench.speed.engines.openvino_int8 import OpenVinoInt8
from bench.speed.engines.peers import Peer, alibi_slopes
from bench.speed.work import Work

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

FULL = {
    "ctranslate2": (CTranslate2Int8, {"compute": "float32"}),
    "llama.cpp": (LlamaCppQ8, {"kind": "F32", "embedding": "F32"}),
    "onnxruntime": (OnnxInt8, {"kind": "float32"}),
    "openvino": (OpenVinoInt8, {"kind": "float32"}),
}
QUANTISED = {
    "ctranslate2": (CTranslate2Int8, {}),
    "llama.cpp-q8_0": (LlamaCppQ8, {}),
    "llama.cpp-q4_0": (LlamaCppQ4, {}),
    "onnxruntime": (OnnxInt8, {}),
    "onnxruntime-tensor": (OnnxInt8, {"kind": "tensor"}),
    "onnxruntime-blocks8": (OnnxInt8, {"kind": "blocks8"}),
    "openvino": (OpenVinoInt8, {}),
}
LENGTHS = (1, 7, 33, 60)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Widely drawn, so that what attention reads decides: biases and norms too, in fp16."""
    import torch
    from transformers import BloomForCausalLM

    folder = make_bloom(tmp_path_factory.mktemp("peers"), weights="safetensors")
    model = BloomForCausalLM.from_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        for name, values in model.named_parameters():
            if values.dim() == 1:
                torch.nn.init.normal_(values, float("norm.weight" in name or "ln_f.weight" in name), 0.1)
    model.half().save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def reference(checkpoint: Path) -> Any:
    """The checkpoint in transformers, in fp32."""
    import torch
    from transformers import BloomForCausalLM

    return BloomForCausalLM.from_pretrained(checkpoint, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def loaded(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Engines by class and settings, loaded once."""
    engines: dict[str, Peer] = {}

    def load(kind: type[Peer], settings: dict[str, str]) -> Peer:
        for package in kind.packages:
            pytest.importorskip(package)
        key = f"{kind.name} {settings}"
        if key not in engines:
            engine = type(kind.__name__, (kind,), settings)()
            engine.load(checkpoint, 1, tmp_path_factory.mktemp("scratch"))
            engines[key] = engine
        return engines[key]

    return load


def prompts(size: int, count: int = len(LENGTHS)) -> list[list[int]]:
    draw = np.random.default_rng(5)
    return [draw.integers(4, size, LENGTHS[number % len(LENGTHS)] + number).tolist() for number in range(count)]


def greedy(model: Any, prompt: list[int], count: int) -> list[int]:
    import torch

    written = list(prompt)
    with torch.inference_mode():
        for _ in range(count):
            written.append(int(model(torch.tensor([written])).logits[0, -1].argmax()))
    return written[len(prompt) :]


@pytest.mark.parametrize("name", FULL)
def test_in_full_precision_it_writes_what_transformers_writes(name: str, loaded: Any, reference: Any) -> None:
    engine = loaded(*FULL[name])
    for prompt in prompts(reference.config.vocab_size):
        assert engine.generate(prompt, 9) == greedy(reference, prompt, 9)


@pytest.mark.parametrize("name", QUANTISED)
def test_quantised_it_chooses_among_the_best(name: str, loaded: Any, reference: Any) -> None:
    """Weights drawn so widely are hard to quantise: its choice is not always the reference's first."""
    import torch

    engine = loaded(*QUANTISED[name])
    first = close = 0
    tried = prompts(reference.config.vocab_size, 40)
    for prompt in tried:
        with torch.inference_mode():
            ranks = reference(torch.tensor([prompt])).logits[0, -1].argsort(descending=True).tolist()
        rank = ranks.index(engine.generate(prompt, 1)[0])
        first += rank == 0
        close += rank < 10
    assert first >= len(tried) * 0.4
    assert close >= len(tried) * 0.9


@pytest.mark.parametrize("name", QUANTISED)
def test_it_does_the_work_that_is_asked_for(name: str, loaded: Any, reference: Any) -> None:
    engine = loaded(*QUANTISED[name])
    work = a_work(reference.config.vocab_size)
    counts = {kind: engine.timed(kind, work).tokens for kind in KINDS}
    assert counts == {"prefill": 0, "classify": 3, "relabel": 4, "extract": 11, "batch": 3 * len(work.batch)}


@pytest.mark.parametrize("name", ["ctranslate2", "llama.cpp"])
def test_reading_on_from_what_was_kept_changes_nothing(name: str, loaded: Any, reference: Any) -> None:
    engine = loaded(*FULL[name])
    work = a_work(reference.config.vocab_size)
    engine.prepare("relabel", work)
    kept = engine.generate(work.relabel_prompt, 9, kept=True)
    assert kept == greedy(reference, list(work.relabel_prompt), 9)


@pytest.mark.parametrize(("kind", "alike"), [("rows", True), ("blocks8", True), ("tensor", False)])
def test_what_a_token_gets_may_depend_on_those_beside_it(kind: str, alike: bool, loaded: Any, reference: Any) -> None:
    engine = loaded(OnnxInt8, {"kind": kind})
    prompt = prompts(reference.config.vocab_size)[-1][:40]
    engine.read(prompt, 40)
    at_once = engine.logits.copy()
    engine.read(prompt[:25], 25)
    engine.read(prompt[25:], 40)
    assert np.allclose(engine.logits, at_once, rtol=0, atol=1e-4 * at_once.std()) is alike


def test_a_conversion_is_kept(checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openvino")
    OpenVinoInt8().load(checkpoint, 1, tmp_path)
    monkeypatch.setattr(multiprocessing, "get_context", None)
    OpenVinoInt8().load(checkpoint, 1, tmp_path)


def test_a_package_that_is_not_installed_is_named() -> None:
    class Other(OnnxInt8):
        packages = ("onnx_of_tomorrow", "json")

    assert Other.missing() == "not installed: onnx_of_tomorrow"


@pytest.mark.parametrize("heads", [1, 4, 6, 12, 16, 20])
def test_slopes_are_those_of_transformers(heads: int) -> None:
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    slopes = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]
    assert np.allclose(alibi_slopes(heads), slopes.numpy())


def a_work(size: int) -> Work:
    """Prompts of several lengths, two of them alike; the relabelled one shares its beginning."""
    first, second, third, fourth = prompts(size)
    return Work(
        text="",
        label_names=(),
        relabel_names=(),
        fields=(),
        answer="",
        prompt=tuple(third + second),
        labels=((5, 6), (7, 8, 9)),
        relabel_prompt=tuple(third + fourth),
        relabel_labels=((5, 6), (7, 8, 9, 10)),
        extract_prompt=tuple(fourth),
        extract_answer=(5,) * 11,
        extract_passes=1,
        extract_parts=(),
        texts=(),
        batch=tuple(map(tuple, (first, second, third, second, fourth, second[::-1]))),
    )
