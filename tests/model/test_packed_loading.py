"""Packed models by way of the loader: what is chosen, built, said and refused."""

import gc
import json
import math
import shutil
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch
from checkpoints import make_bloom, make_kind
from packed import KINDS, NOT_PACKABLE, files_of, make
from packed import prepare as prepare_packed

from engine.errors import Cancelled, WorkbenchError
from engine.model import loader
from engine.model.loader import load_backend
from engine.model.memory import NEAR, building_bytes, estimate
from engine.model.packed import prepare
from engine.model.packed.bloom_graph import GraphBloom
from engine.model.packed.build import LAYERS, REST
from engine.model.packed.linear import ByteLinear, HalfLinear
from engine.model.packed.table import TableHead
from engine.model.tensor_file import read_header
from engine.phrases import PHRASES
from engine.settings import load_settings
from engine.types import LoadProgress, Note

pytestmark = pytest.mark.usefixtures("one_thread")
WORDS = ("good", "bad", "good music", "sports")
TEXT = "the film was good, 今天的体育新闻很精彩"


@pytest.fixture(scope="module")
def bloom(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bloom(tmp_path_factory.mktemp("checkpoint") / "bloom")


class Load:
    """A load: its backend and notes."""

    def __init__(self, folder: Path, report: Any = lambda _: None, stop: Event | None = None, **flags: Any) -> None:
        self.notes: list[Note] = []
        settings = load_settings(**({"model": str(folder), "device": "cpu"} | flags))
        self.backend = load_backend(settings, report, self.notes.append, stop or Event())

    @property
    def codes(self) -> list[str]:
        return [note.code for note in self.notes]

    def scores(self) -> list[float]:
        prompt = self.backend._tokens.plain(TEXT)
        found = self.backend.score(prompt, [self.backend.encode_answer(word) for word in WORDS], vocabulary=True)
        return [one for tokens in found.vocabulary for one in tokens]


@pytest.mark.parametrize(
    ("asked", "used", "kind", "most"), [("auto", "fp16", HalfLinear, 0.05), ("int8", "int8", ByteLinear, 0.5)]
)
def test_a_cpu_computes_over_packed_weights(
    bloom: Path, asked: str, used: str, kind: type, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("load", "onnx_graph"):
        monkeypatch.setattr(f"engine.model.packed.{module}.works", lambda: False)
    made = Load(bloom, precision=asked)
    assert made.backend.info.precision == used
    assert made.codes == ["device_reason", "precision_reason" if asked == "auto" else "fast_extra"]
    if asked == "auto":
        assert made.notes[1].text == "fp16: answers are those of fp32, from half the memory."
    model = made.backend._model
    assert isinstance(model.transformer.h[0].mlp.dense_h_to_4h, kind)
    assert isinstance(made.backend._head, TableHead)
    assert made.scores() == pytest.approx(Load(bloom, precision="fp32").scores(), abs=most)


def test_int8_of_a_bloom_is_a_graph_and_needs_no_note(bloom: Path) -> None:
    made = Load(bloom, precision="int8")
    assert isinstance(made.backend._body, GraphBloom)
    assert made.codes == ["device_reason"]
    assert made.scores() == pytest.approx(Load(bloom, precision="fp32").scores(), abs=0.5)


@pytest.mark.parametrize("precision", ["fp16", "int8"])
def test_a_second_load_builds_nothing(bloom: Path, precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[LoadProgress]] = [[], []]
    first = Load(bloom, seen[0].append, precision=precision)

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the model is not to be read as it was")

    monkeypatch.setattr(prepare, "build", refuse)
    monkeypatch.setattr(prepare, "load_causal_lm", refuse)
    second = Load(bloom, seen[1].append, precision=precision)
    assert second.scores() == first.scores()
    assert second.backend.info == first.backend.info
    phases = [list(dict.fromkeys(one.phase for one in reports)) for reports in seen]
    assert "convert" in phases[0]
    assert phases[1] == ["resolve", "verify", "import", "weights", "warmup"]


@pytest.mark.parametrize("precision", ["auto", "int8"])
@pytest.mark.parametrize("name", NOT_PACKABLE)
def test_a_model_that_cannot_be_packed_runs_in_fp32_with_a_note(tmp_path: Path, name: str, precision: str) -> None:
    folder = make(tmp_path, name)
    made = Load(folder, precision=precision)
    asked = "fp16" if precision == "auto" else precision
    assert made.backend.info.precision == "fp32"
    assert made.notes[-1] == Note(
        "precision_replaced",
        {
            "asked": asked,
            "device": "cpu",
            "reason": "the parts of this model cannot be packed",
            "used": "fp32",
        },
    )
    plain = Load(folder, precision="fp32")
    assert made.scores() == plain.scores()
    assert made.backend.info == plain.backend.info


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("Olmo", KINDS["Llama"][1]),  # its norms have no parameters, so that it has none at all
        ("OPT", {"hidden_size": 64, "ffn_dim": 96, "num_hidden_layers": 2, "num_attention_heads": 4}),
        ("GPTNeoX", {one: KINDS["Llama"][1][one] for one in KINDS["Llama"][1] if one != "num_key_value_heads"}),
        ("Mixtral", KINDS["Llama"][1] | {"num_local_experts": 4}),
        ("Mistral", KINDS["Llama"][1] | {"sliding_window": 32}),
        ("Lfm2", KINDS["LFM2"][1]),
    ],
)
def test_what_loads_in_fp32_loads_by_default_and_answers_alike(
    tmp_path: Path, kind: str, settings: dict[str, Any]
) -> None:
    folder = make_kind(tmp_path / kind, kind, **settings)
    plain, made = Load(folder, precision="fp32"), Load(folder)
    assert made.scores() == pytest.approx(plain.scores(), abs=0.05)
    assert (made.backend._tree, made.backend._batch) == (plain.backend._tree, plain.backend._batch)


@pytest.mark.parametrize("precision", ["auto", "fp32"])
def test_a_model_that_is_refused_is_refused_in_every_precision(tmp_path: Path, precision: str) -> None:
    """Mamba reads a weight of a linear layer by itself."""
    folder = make_kind(tmp_path / "mamba", "Mamba", hidden_size=64, num_hidden_layers=2, state_size=4)
    with pytest.raises(WorkbenchError) as caught:
        Load(folder, precision=precision)
    assert caught.value.code == "not_loadable"


@pytest.mark.parametrize("precision", ["fp32", "fp16", "int8"])
def test_the_ends_of_a_text_are_those_of_the_generation_config(tmp_path: Path, bloom: Path, precision: str) -> None:
    """Chat models name there more ends than in their config."""
    folder = Path(shutil.copytree(bloom, tmp_path / "bloom"))
    path = folder / "generation_config.json"
    config = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(config | {"eos_token_id": [2, 40]}), "utf-8")
    made = Load(folder, precision=precision).backend
    assert made._end_tokens() == {2, 40}


def test_a_stop_while_it_is_built_leaves_nothing(bloom: Path, tmp_path: Path) -> None:
    for phase in ("convert", "weights"):
        stop = Event()

        def report(one: LoadProgress, phase: str = phase, stop: Event = stop) -> None:
            if one.phase == phase:
                stop.set()

        with pytest.raises(Cancelled):
            Load(bloom, report, stop, cache_dir=tmp_path / phase)
        left = [path.name for path in (tmp_path / phase / "converted").glob("*")]
        assert len(left) == (phase == "weights"), "built whole, or not at all"
        assert not any(name.endswith(".partial") for name in left)


# Memory.


@pytest.fixture
def empty_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget is for the model alone: what this process holds beside it differs from run to run."""
    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: 0)


def limit(folder: Path, precision: str) -> int:
    return estimate(files_of(folder), precision, packed=True).total


@pytest.mark.usefixtures("empty_process")
def test_auto_takes_int8_where_only_that_fits(bloom: Path) -> None:
    least, more = limit(bloom, "int8"), limit(bloom, "fp16")
    assert least < more
    made = Load(bloom, max_memory=least)
    assert made.backend.info.precision == "int8"
    assert made.codes == ["device_reason", "precision_reason"]
    assert made.notes[1].text == "int8: fp16 would not fit into the memory."
    assert Load(bloom, max_memory=more).backend.info.precision == "fp16"


def test_what_fits_beside_the_process_alone_is_taken(bloom: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: 5000)
    assert Load(bloom, max_memory=limit(bloom, "fp16") + 5000).backend.info.precision == "fp16"
    assert Load(bloom, max_memory=limit(bloom, "fp16") + 4999).backend.info.precision == "int8"
    with pytest.raises(WorkbenchError, match="may be used") as caught:
        Load(bloom, max_memory=limit(bloom, "int8") + 4999)
    assert caught.value.code == "memory_short"


@pytest.mark.usefixtures("empty_process")
def test_what_fits_in_no_precision_is_refused(bloom: Path) -> None:
    with pytest.raises(WorkbenchError) as caught:
        Load(bloom, max_memory=limit(bloom, "int8") - 1)
    assert caught.value.code == "memory_short"


@pytest.mark.usefixtures("empty_process")
def test_a_precision_that_is_asked_for_is_not_made_smaller(bloom: Path) -> None:
    for precision in ("fp16", "fp32"):
        with pytest.raises(WorkbenchError) as caught:
            Load(bloom, precision=precision, max_memory=limit(bloom, "int8"))
        assert (caught.value.code, caught.value.details["precision"]) == ("memory_short", precision)


@pytest.mark.usefixtures("empty_process")
def test_int8_is_not_chosen_without_its_kernels(bloom: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.model.packed.linear.works", lambda precision: precision == "fp16")
    with pytest.raises(WorkbenchError) as caught:
        Load(bloom, max_memory=limit(bloom, "int8"))
    assert caught.value.code == "memory_short"


def test_building_needs_memory_that_using_does_not(
    bloom: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "building_bytes", lambda *_: 2**60)
    with pytest.raises(WorkbenchError) as caught:
        Load(bloom, precision="int8")
    assert caught.value.code == "memory_short"
    assert not list((tmp_path / "cache").rglob("*.safetensors"))
    with monkeypatch.context() as otherwise:
        otherwise.setattr(loader, "building_bytes", building_bytes)
        Load(bloom, precision="int8")
    assert Load(bloom, precision="int8").backend.info.precision == "int8"


def test_a_disk_without_room_for_the_packed_weights_is_no_failure(bloom: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.model.cache.shutil.disk_usage", lambda _: type("Usage", (), {"free": 10}))
    made = Load(bloom)
    assert made.backend.info.precision == "fp32"
    assert made.codes == ["device_reason", "precision_replaced"]
    assert made.notes[-1].details["reason"] == PHRASES["no_room"]


def test_a_cache_folder_that_cannot_be_written_is_no_failure(bloom: Path, tmp_path: Path) -> None:
    """Nothing but packing writes there when a model is a folder of its own."""
    (tmp_path / "file").write_bytes(b"")
    made = Load(bloom, cache_dir=tmp_path / "file" / "cache")
    assert made.backend.info.precision == "fp32"
    assert made.codes[-1] == "precision_replaced"


@pytest.mark.parametrize("kind", ["Llama", "Qwen2", "LFM2", "Mixtral"])
def test_no_less_memory_is_estimated_than_weights_take(tmp_path: Path, kind: str) -> None:
    """Mixtral's experts lie in tensors of three dimensions: such a model is not packed."""
    name, sizes = KINDS.get(kind, ("Mixtral", KINDS["Llama"][1] | {"num_local_experts": 4}))
    folder = make_kind(tmp_path / kind, name, **sizes)
    packed = prepare_packed(folder, "fp16", tmp_path)
    assert (packed is None) == (kind == "Mixtral")
    if packed is None:
        return
    tables = {"model.embed_tokens.weight", "lm_head.weight"}
    specs = [spec for part in (LAYERS, REST) for spec in read_header(packed / part) if spec.name not in tables]
    held = sum(spec.nbytes for spec in specs)
    assert estimate(files_of(folder), "fp16", packed=True).weights >= 0.95 * held


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_closing_lets_go_of_the_file(bloom: Path, tmp_path: Path) -> None:
    def mapped() -> bool:
        return str(tmp_path) in Path("/proc/self/maps").read_text("utf-8")

    made = Load(bloom).backend
    made.score([5, 6, 7], [[8, 9], [8, 10]])
    assert mapped()
    made.close()
    gc.collect()
    assert not mapped()


def test_the_memory_it_may_take_is_without_the_table(bloom: Path) -> None:
    made = {one: Load(bloom, precision=one).backend.info for one in ("fp32", "fp16", "int8")}
    assert made["int8"].memory < made["fp16"].memory < made["fp32"].memory
    assert len({info.parameters for info in made.values()}) == 1
    assert made["fp16"].memory == limit(bloom, "fp16")


@pytest.mark.parametrize(("beside", "kept"), [(0, 0), (1000, 1000), (2**40, 256 * 2**20)])
@pytest.mark.parametrize("held", [0, 5000])
def test_kept_prompts_stay_within_the_memory_that_is_left(
    bloom: Path, beside: int, kept: int, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They alone never bring it so near the budget that batches shrink."""
    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: held)
    most = math.ceil((held + limit(bloom, "fp16") + beside) / NEAR)
    assert Load(bloom, max_memory=most).backend._prefixes._most == kept
    assert Load(bloom, prefix_cache=7, max_memory=most).backend._prefixes._most == min(7, kept)
    assert Load(bloom).backend._prefixes._most == 256 * 2**20


def test_threads_do_not_change_an_answer(bloom: Path) -> None:
    made = Load(bloom)
    alone = made.scores()
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert made.scores() == pytest.approx(alone, abs=2e-3)
    finally:
        torch.set_num_threads(before)
