"""A packed model against the one that it was made from: states, every parameter, and where its tables lie."""

import gc
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch
from packed import KINDS, load, make, original, prepare
from torch import Tensor, nn

from engine.errors import Cancelled
from engine.model.packed.build import LAYERS, REST, linear_layers, weight_of
from engine.model.packed.linear import ByteLinear, HalfLinear
from engine.model.packed.load import _parameters_nowhere
from engine.model.packed.table import TableEmbedding, TableHead, map_table
from engine.model.ragged import difference
from engine.model.tensor_file import TensorSpec, as_bytes, places, write
from engine.types import LoadProgress

pytestmark = pytest.mark.usefixtures("one_thread", "inference")
IDS = torch.tensor([[5, 300, 41, 7, 260, 99, 5, 5, 420, 17, 33, 8, 260, 41]])
MOST = {"fp16": 1e-2, "int8": 0.1}


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    with torch.inference_mode():
        yield


@pytest.fixture(scope="module", params=KINDS)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("kinds"), request.param)


@pytest.fixture(scope="module", params=["fp16", "int8"])
def precision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(checkpoint: Path, precision: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = prepare(checkpoint, precision, tmp_path_factory.mktemp("cache"))
    assert made is not None
    return made


@pytest.fixture(scope="module")
def pair(checkpoint: Path, folder: Path) -> tuple[Any, Any]:
    """The model as it was, and packed."""
    return original(checkpoint), load(checkpoint, folder, graph=False)


def states(model: Any, **options: Any) -> Tensor:
    return model.base_model(**({"input_ids": IDS, "use_cache": False} | options)).last_hidden_state


def off(found: Tensor, right: Tensor) -> float:
    return float((found - right).norm() / right.norm())


def test_states_are_close_to_those_of_the_model(pair: tuple[Any, Any], precision: str) -> None:
    was, now = pair
    assert 0 < off(states(now), states(was)) < MOST[precision]


def test_logits_are_close_to_those_of_the_model(pair: tuple[Any, Any], precision: str) -> None:
    was, now = pair
    right, found = was(input_ids=IDS).logits, now(input_ids=IDS).logits
    assert found.dtype == torch.float32
    assert found.shape == right.shape
    assert 0 < off(found, right) < MOST[precision]


def test_every_parameter_and_buffer_is_there(pair: tuple[Any, Any], precision: str) -> None:
    was, now = pair
    packed = linear_layers(was)
    halved = {id(one.weight) for one in (was.get_input_embeddings(), was.get_output_embeddings())}
    seen = 0
    for name, one in (*was.named_parameters(), *was.named_buffers()):
        path, _, last = name.rpartition(".")
        if path in packed:
            continue
        found = getattr(now.get_submodule(path), last)
        assert not found.is_meta
        assert torch.equal(found, one.half() if id(one) in halved else one), name
        seen += 1
    assert seen > 5
    kind = HalfLinear if precision == "fp16" else ByteLinear
    for name, layer in packed.items():
        ours, weight = now.get_submodule(name), weight_of(layer)
        assert isinstance(ours, kind)
        bias = torch.zeros(len(weight)) if layer.bias is None else layer.bias
        found = ours(torch.zeros(1, weight.shape[1]))[0]
        assert torch.equal(found, bias), name
        shown = ours(torch.eye(weight.shape[1])).T - bias[:, None]
        assert float((shown - weight).norm() / weight.norm()) < (1e-3 if precision == "fp16" else 3e-2), name
    assert not any(isinstance(one, nn.Linear) for one in now.modules())
    assert not now.training
    assert not any(one.requires_grad for one in now.parameters())


def test_names_of_the_files_are_those_of_the_modules(checkpoint: Path, tmp_path: Path) -> None:
    folder = prepare(checkpoint, "fp16", tmp_path)
    assert folder is not None
    model = original(checkpoint)
    names = {*places(folder / LAYERS), *places(folder / REST)}
    assert names == set(dict(model.named_parameters())) | {
        name for name, _ in model.named_buffers() if name in model.state_dict()
    }


def test_a_tied_head_reads_the_table_itself(pair: tuple[Any, Any]) -> None:
    was, now = pair
    embedding, head = now.get_input_embeddings(), now.get_output_embeddings()
    assert (type(embedding), type(head)) == (TableEmbedding, TableHead)
    tied = was.get_input_embeddings().weight is was.get_output_embeddings().weight
    assert (embedding.weight.data_ptr() == head.weight.data_ptr()) == tied


def test_tables_are_mapped_and_never_copied(checkpoint: Path, folder: Path) -> None:
    def in_full(size: int) -> list[Tensor]:
        gc.collect()
        found = [one for one in gc.get_objects() if type(one) in {Tensor, nn.Parameter}]
        return [one for one in found if one.numel() == size and one.dtype == torch.float32 and not one.is_meta]

    size = original(checkpoint).get_input_embeddings().weight.numel()
    before = in_full(size)
    now = load(checkpoint, folder)
    tables = [now.get_input_embeddings().weight, now.get_output_embeddings().weight]
    assert {table.dtype for table in tables} == {torch.float16}
    if sys.platform == "linux":
        for table in tables:
            kind, path = mapping(table.data_ptr())
            assert path.endswith(REST)
            assert kind.endswith("p"), "private, so that nothing can reach the file"
    now(input_ids=IDS)
    assert len(in_full(size)) == len(before)


def mapping(address: int) -> tuple[str, str]:
    """Rights and path of what lies at an address of this process."""
    for line in Path("/proc/self/maps").read_text("utf-8").splitlines():
        span, rights, *_, path = line.split()
        low, high = (int(end, 16) for end in span.split("-"))
        if low <= address < high:
            return rights, path
    raise AssertionError("it lies nowhere")


def test_a_cache_is_gone_on_from(pair: tuple[Any, Any], precision: str) -> None:
    _, now = pair
    whole = states(now)[0, -1]
    start = now.base_model(input_ids=IDS[:, :-3], use_cache=True)
    rest = now.base_model(input_ids=IDS[:, -3:], cache=start.cache, use_cache=True)
    assert difference(rest.last_hidden_state[0, -1], whole) < (1e-3 if precision == "fp16" else 5e-2)


def test_beams_are_searched(pair: tuple[Any, Any]) -> None:
    was, now = pair
    options = {"num_beams": 4, "do_sample": False, "max_new_tokens": 6, "attention_mask": torch.ones_like(IDS)}
    found, right = now.generate(input_ids=IDS, **options), was.generate(input_ids=IDS, **options)
    assert torch.equal(found[:, : IDS.shape[1]], IDS)
    assert found.shape[1] > IDS.shape[1]
    assert found[0, IDS.shape[1]] in was(input_ids=IDS).logits[0, -1].topk(4).indices
    assert right.shape[0] == found.shape[0] == 1


# Loading.


def test_modules_are_made_as_ever_after_a_load(pair: tuple[Any, Any]) -> None:
    assert not nn.Linear(2, 2).weight.is_meta
    with pytest.raises(ZeroDivisionError), _parameters_nowhere():
        1 / 0  # noqa: B018
    assert not nn.Linear(2, 2).weight.is_meta


def test_layers_are_reported_and_a_stop_ends_the_load(tmp_path: Path) -> None:
    checkpoint = make(tmp_path, "Llama")
    folder = prepare(checkpoint, "fp16", tmp_path / "cache")
    assert folder is not None
    seen: list[LoadProgress] = []
    load(checkpoint, folder, seen.append)
    assert {one.phase for one in seen} == {"weights"}
    assert seen[-1].fraction == 1
    stop = Event()
    with pytest.raises(Cancelled):
        load(checkpoint, folder, lambda _: stop.set(), stop)


def test_a_missing_parameter_is_noticed(tmp_path: Path) -> None:
    checkpoint = make(tmp_path, "Llama")
    folder = prepare(checkpoint, "fp16", tmp_path / "cache")
    assert folder is not None
    path = folder / REST
    header = json.loads(path.read_bytes()[8 : 8 + int.from_bytes(path.read_bytes()[:8], "little")])
    names = [name for name in header if name != "__metadata__"]
    assert "model.norm.weight" in names
    data = path.read_bytes().replace(b'"model.norm.weight"', b'"model.morn.weight"')
    path.write_bytes(data)
    with pytest.raises(RuntimeError, match=r"model\.norm\.weight"):
        load(checkpoint, folder)


# Tables.


def table_file(path: Path, rows: Tensor) -> Tensor:
    write(path, [TensorSpec("t", "F16", tuple(rows.shape))], iter([as_bytes(rows)]), lambda _: None, Event())
    spec, offset = places(path)["t"]
    return map_table(path, offset, spec.shape)


@pytest.mark.parametrize("rows", [1, 1023, 1024, 1025, 2500])
@pytest.mark.parametrize("with_bias", [True, False])
def test_a_head_multiplies_every_row(tmp_path: Path, rows: int, with_bias: bool) -> None:
    make_ = torch.Generator().manual_seed(rows)
    values = torch.randn(rows, 24, generator=make_).half()
    bias = torch.randn(rows, generator=make_) if with_bias else None
    given = torch.randn(2, 3, 24, generator=make_)
    head = TableHead(table_file(tmp_path / "t", values), bias)
    right = nn.functional.linear(given, values.float(), bias)
    assert torch.allclose(head(given), right, atol=1e-4)
    head.shown = min(rows, 1000)
    assert torch.allclose(head(given), right[..., :1000], atol=1e-4)


def test_an_embedding_reads_rows_in_any_shape(tmp_path: Path) -> None:
    values = torch.randn(50, 8).half()
    ids = torch.tensor([[0, 49, 7], [7, 7, 3]])
    found = TableEmbedding(table_file(tmp_path / "t", values))(ids)
    assert found.dtype == torch.float32
    assert torch.equal(found, values[ids].float())


def test_a_table_that_is_written_to_leaves_its_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "t"
    table = table_file(path, torch.ones(50, 8).half())
    before = hashlib.sha256(path.read_bytes()).digest()
    path.chmod(0o400)
    table[3] = 7
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert float(table_again(path)[3].sum()) == 8


def table_again(path: Path) -> Tensor:
    spec, offset = places(path)["t"]
    return map_table(path, offset, spec.shape)
