"""Memory: arithmetic against known models, readable sizes, and the refusal before a load."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.errors import WorkbenchError
from engine.model import memory
from engine.model.memory import (
    MemoryEstimate,
    building_bytes,
    estimate,
    fits,
    give_memory_back,
    human_bytes,
    process_memory,
    require,
    room,
)
from engine.model.preflight import ModelFiles
from engine.settings import load_settings

GIB = 2**30
SEQGPT = ModelFiles(
    name="seqgpt-560m",
    folder=Path(),
    config={"hidden_size": 1024, "n_layer": 24, "n_head": 16, "vocab_size": 250_880},
    architecture="BloomForCausalLM",
    format="bin",
    weights=(),
    total_bytes=0,
    dtypes={"F16": 559_214_592},
    parameters=559_214_592,
    largest_tensor_bytes=250_880 * 1024 * 2,
    context=1024,
)


@pytest.fixture
def holds(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Says how many bytes the process holds, torch included."""
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    return lambda count: monkeypatch.setattr(memory, "process_memory", lambda: (count, count))


@pytest.mark.parametrize(("precision", "weights", "kv"), [("fp16", 2, 96), ("bf16", 2, 96), ("fp32", 4, 192)])
def test_seqgpt_as_worked_out_by_hand(precision: str, weights: int, kv: int) -> None:
    """Weights 1.04 or 2.08 GiB; a token and beam keeps 96 or 192 KiB of keys and values."""
    needed = estimate(SEQGPT, precision)
    assert needed.weights == 559_214_592 * weights
    assert needed.kv_cache == kv * 1024 * 4 * (1024 + 256)
    assert needed.total >= needed.weights + needed.kv_cache
    assert needed.load_peak == needed.weights + 250_880 * 1024 * 2


TABLE = 250_880 * 1024


@pytest.mark.parametrize(("precision", "size"), [("fp16", 2), ("int8", 1)])
def test_packed_weights_are_counted_without_the_table(precision: str, size: int) -> None:
    """What is computed is in fp32, its keys and values too."""
    needed, plain = estimate(SEQGPT, precision, packed=True), estimate(SEQGPT, "fp32")
    assert needed.precision == precision
    assert needed.weights == (559_214_592 - TABLE) * size
    assert needed.kv_cache == plain.kv_cache
    assert needed.activations == plain.activations
    assert needed.load_peak == needed.weights + TABLE * 2


def test_int8_takes_half_of_fp16_and_both_less_than_fp32() -> None:
    half, byte = (estimate(SEQGPT, one, packed=True) for one in ("fp16", "int8"))
    assert byte.weights * 2 == half.weights
    assert byte.total < half.total < estimate(SEQGPT, "fp32").total
    assert half.weights < estimate(SEQGPT, "fp16").weights


@pytest.mark.parametrize(
    ("config", "tables"),
    [
        ({"tie_word_embeddings": True}, 1),
        ({"tie_word_embeddings": False}, 2),
        ({"tie_word_embeddings": None}, 1),
        ({}, 1),
    ],
)
def test_a_head_of_its_own_is_a_table_too(config: dict[str, object], tables: int) -> None:
    files = ModelFiles(**(vars(SEQGPT) | {"config": SEQGPT.config | config}))
    assert estimate(files, "int8", packed=True).weights == 559_214_592 - TABLE * tables


def test_a_table_is_never_more_than_the_model() -> None:
    files = ModelFiles(**(vars(SEQGPT) | {"parameters": 1000}))
    assert estimate(files, "fp16", packed=True).weights == 0
    for config in ({}, {"vocab_size": "many", "hidden_size": 1024}):
        odd = ModelFiles(**(vars(SEQGPT) | {"config": config}))
        assert estimate(odd, "fp16", packed=True).weights == 2 * 559_214_592


def test_building_holds_the_model_as_it_is_read() -> None:
    files = ModelFiles(**(vars(SEQGPT) | {"total_bytes": 559_214_592 * 2}))
    assert building_bytes(files, "fp16") == 559_214_592 * 2 + TABLE * 4
    assert building_bytes(files, "int8") == 559_214_592 * 4 + TABLE * 4


def test_what_fits_is_what_is_not_refused(holds: Callable[[int], None]) -> None:
    holds(0)
    settings = load_settings(max_memory="2g")
    for size in (2 * GIB, 2 * GIB + 1):
        refused = False
        try:
            require(needs(size), settings, 64 * GIB)
        except WorkbenchError:
            refused = True
        assert fits(needs(size), settings, 64 * GIB) == (not refused)


def test_memory_can_be_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    give_memory_back()

    def another(_: str) -> None:
        raise OSError("another libc")

    monkeypatch.setattr("ctypes.CDLL", another)
    give_memory_back()


def test_auto_is_estimated_as_the_largest() -> None:
    assert estimate(SEQGPT, "auto") == estimate(SEQGPT, "fp32")


def test_grouped_keys_take_their_share() -> None:
    shape = {"hidden_size": 576, "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3}
    config = shape | {"intermediate_size": 1536, "vocab_size": 49_152}
    grouped = estimate(ModelFiles(**(vars(SEQGPT) | {"config": config})), "fp32")
    assert grouped.kv_cache == 2 * 30 * 3 * 64 * 4 * 1280 * 4


def test_a_config_without_a_shape_counts_the_weights_alone() -> None:
    needed = estimate(ModelFiles(**(vars(SEQGPT) | {"config": {}})), "fp32")
    assert needed.kv_cache == needed.activations == 0
    assert needed.total == needed.load_peak


def needs(size: int) -> MemoryEstimate:
    return MemoryEstimate("fp32", weights=size, kv_cache=0, activations=0, load_peak=size)


@pytest.mark.parametrize(("limit", "available"), [("2g", 64 * GIB), ("64g", 2 * GIB)], ids=["setting", "machine"])
def test_a_model_that_does_not_fit_is_refused(limit: str, available: int, holds: Callable[[int], None]) -> None:
    holds(0)
    settings = load_settings(max_memory=limit)
    require(needs(2 * GIB), settings, available, name="m")
    with pytest.raises(WorkbenchError) as caught:
        require(needs(2 * GIB + 1), settings, available, name="m")
    assert caught.value.code == "memory_short"
    assert caught.value.message == "The model m needs about 2.0 GiB in fp32; 2.0 GiB may be used."


@pytest.mark.parametrize(("size", "fits_in"), [(GIB // 2, True), (GIB // 2 + 1, False)])
def test_a_model_must_fit_beside_what_the_process_holds(size: int, fits_in: bool, holds: Callable[[int], None]) -> None:
    holds(2 * GIB - GIB // 2)
    settings = load_settings(max_memory="2g")
    assert fits(needs(size), settings, 64 * GIB) is fits_in
    if not fits_in:
        with pytest.raises(WorkbenchError, match=r"512\.0 MiB may be used"):
            require(needs(size), settings, 64 * GIB, name="m")
    assert fits(needs(size), load_settings(), 64 * GIB), "without a budget only what is free counts"


def test_no_room_is_left_by_a_process_beyond_its_budget(holds: Callable[[int], None]) -> None:
    holds(3 * GIB)
    assert room(load_settings(max_memory="2g"), 64 * GIB) == 0


def test_the_model_that_goes_makes_room_but_never_more_than_it_held(holds: Callable[[int], None]) -> None:
    settings = load_settings(max_memory="2g")
    holds(GIB)
    assert room(settings, 64 * GIB, freed=GIB // 2) == 2 * GIB - GIB // 2
    assert room(settings, 64 * GIB, freed=9 * GIB) == 2 * GIB - memory._PROGRAM, "an estimate may be of too much"
    assert room(settings, GIB, freed=GIB // 4) == GIB + GIB // 4, "by what is free on the machine"
    assert room(settings, 64 * GIB, share=0.75) == GIB // 2


def test_before_torch_is_there_its_memory_counts_already(
    holds: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    holds(64 << 20)
    assert memory.held_bytes() == 64 << 20
    monkeypatch.delitem(sys.modules, "torch")
    assert memory.held_bytes() == memory._PROGRAM
    holds(GIB)
    assert memory.held_bytes() == GIB


def test_the_budget_of_a_gpu_is_of_what_torch_took_there(
    holds: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    emptied: list[None] = []
    cuda = SimpleNamespace(
        memory_reserved=lambda: 3 * GIB,
        memory_allocated=lambda: 2 * GIB,
        mem_get_info=lambda: (4 * GIB, 80 * GIB),
        empty_cache=lambda: emptied.append(None),
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    holds(GIB)
    assert (memory.held_bytes("cuda"), memory.held_bytes("cpu")) == (3 * GIB, GIB)
    assert room(load_settings(), device="cuda") == 5 * GIB, "free, and kept by torch without use"
    assert room(load_settings(max_memory="4g"), device="cuda") == GIB
    memory.give_pages_back("cpu")
    assert emptied == []
    memory.give_pages_back("cuda")
    assert emptied == [None]


def test_the_machine_is_asked_when_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("Memory", (), {"available": 100}))
    with pytest.raises(WorkbenchError, match="100 B may be used"):
        require(needs(101), load_settings(), name="m")


def test_the_explanation_names_every_part() -> None:
    text = estimate(SEQGPT, "fp16").explanation
    assert text.startswith("fp16: weights 1.0 GiB, KV cache of 4 beams 480.0 MiB, activations ")
    assert "peak while loading 1.5 GiB" in text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (2**20 - 1, "1.0 MiB"),
        (92_871_040, "88.6 MiB"),
        (3 * 2**40, "3.0 TiB"),
        (5000 * 2**40, "5000.0 TiB"),
    ],
)
def test_readable_sizes(count: int, text: str) -> None:
    assert human_bytes(count) == text


def test_the_memory_of_this_process() -> None:
    now, peak = process_memory()
    assert 10 * 2**20 < now <= peak < 2**40
    block = bytearray(64 * 2**20)
    block[::4096] = bytes(len(block) // 4096)  # every page of it
    assert process_memory()[0] > now + 32 * 2**20
    del block
    assert process_memory()[1] >= peak
