"""The encoder's file: what was written is read, and what is damaged is said to be."""

import struct
from pathlib import Path

import numpy as np
import pytest
from doubles import attempt
from tiny_e5 import EPS, HEADS, HIDDEN, INNER, LAYERS, NORMALISED, POSITIONS, Written, in_four_bits, write_e5

from engine.errors import WorkbenchError
from engine.model.encoder.e5_file import E5File, dequantise
from engine.model.encoder.transformer import Encoder


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("e5") / "e5.bin"


@pytest.fixture(scope="module")
def written(path: Path) -> Written:
    return write_e5(path)


@pytest.fixture
def file(path: Path, written: Written) -> E5File:
    return E5File(path)


def refused(path: Path) -> WorkbenchError:
    """What reading all of it says."""
    with pytest.raises(WorkbenchError) as caught:
        Encoder(E5File(path, "offline"))
    assert caught.value.code == "file_damaged"
    assert caught.value.details["path"] == path
    return caught.value


def test_the_sizes_are_read(file: E5File, written: Written) -> None:
    shape = file.shape
    assert (shape.hidden, shape.layers, shape.heads, shape.inner) == (HIDDEN, LAYERS, HEADS, INNER)
    assert (shape.words, shape.positions) == (len(written.pieces) + 2, POSITIONS)
    assert shape.eps == pytest.approx(EPS)


def test_the_vocabulary_is_read(file: E5File, written: Written) -> None:
    found = file.vocabulary
    assert (found.pieces, found.scores) == (written.pieces, written.scores)
    assert [found.pieces[at] for at in (found.begin, found.pad, found.end, found.unknown)] == [
        "<s>", "<pad>", "</s>", "<unk>"
    ]  # fmt: skip
    assert found.normalised == NORMALISED


def test_tensors_of_single_precision_are_exact(file: E5File, written: Written) -> None:
    for name, tensor in written.tensors.items():
        if not in_four_bits(name):
            assert np.array_equal(file.vector(name), tensor.ravel()), name


def test_matrices_are_within_the_rounding_of_four_bits(file: E5File, written: Written) -> None:
    """A block's scale is its largest weight by 8, so no weight is off by more than one scale, and half of it mostly."""
    for name, tensor in written.tensors.items():
        if in_four_bits(name):
            blocks = (file.matrix(name, tensor.shape[1]) - tensor).reshape(-1, 32)
            scale = np.abs(tensor.reshape(-1, 32)).max(1, keepdims=True) / 8
            assert (np.abs(blocks) <= scale * 1.01).all(), name
            assert (np.abs(blocks) <= scale * 0.51).mean() > 0.95, name


def test_some_rows_of_a_table_are_those_of_the_whole(file: E5File) -> None:
    rows = [5, 0, 17]
    assert np.array_equal(dequantise(file.table("emb.word")[rows]), file.matrix("emb.word", HIDDEN)[rows])


def test_a_tensor_that_is_not_there_is_named(file: E5File) -> None:
    with pytest.raises(WorkbenchError) as caught:
        file.vector("l9.q.b")
    assert "l9.q.b" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    refused(tmp_path / "none.bin")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    refused(tmp_path)


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "e5.bin").touch()
    refused(tmp_path / "e5.bin")


def test_a_file_of_another_kind(path: Path, written: Written, tmp_path: Path) -> None:
    (tmp_path / "e5.bin").write_bytes(b"GGUF" + path.read_bytes()[4:])
    refused(tmp_path / "e5.bin")


@pytest.mark.parametrize("share", range(20))
def test_a_file_that_is_cut(path: Path, written: Written, tmp_path: Path, share: int) -> None:
    raw = path.read_bytes()
    (tmp_path / "e5.bin").write_bytes(raw[: 1 + len(raw) * share // 20])
    refused(tmp_path / "e5.bin")


@pytest.mark.parametrize("place", [3, 30, 44, 52, 64, 500, 1900, 3300, 4000, 5200])
def test_a_beginning_that_is_cut(path: Path, written: Written, tmp_path: Path, place: int) -> None:
    (tmp_path / "e5.bin").write_bytes(path.read_bytes()[:place])
    refused(tmp_path / "e5.bin")


@pytest.mark.parametrize("size", ["hidden", "layers", "heads", "inner", "words", "positions", "types"])
@pytest.mark.parametrize("value", [-1, 0, 96, 1 << 16, (1 << 31) - 32])
def test_sizes_that_make_no_sense(tmp_path: Path, size: str, value: int) -> None:
    write_e5(tmp_path / "e5.bin", **{size: value})
    refused(tmp_path / "e5.bin")


@pytest.mark.parametrize("skipped", range(7))
@pytest.mark.parametrize("value", [-1, 1 << 30])
def test_a_vocabulary_of_senseless_numbers(
    path: Path, written: Written, tmp_path: Path, skipped: int, value: int
) -> None:
    """Its count, its four control pieces, and both halves of its size."""
    raw = bytearray(path.read_bytes())
    struct.pack_into("<i", raw, 4 + 40 + 4 * skipped, value)
    (tmp_path / "e5.bin").write_bytes(raw)
    refused(tmp_path / "e5.bin")


@pytest.mark.parametrize("code", [0x110000, 0xFFFFFFFF])
def test_a_character_that_does_not_exist(path: Path, written: Written, tmp_path: Path, code: int) -> None:
    raw = path.read_bytes()
    entry = struct.pack("<IBI", ord("\n"), 1, ord(" "))
    assert raw.count(entry) == 1
    (tmp_path / "e5.bin").write_bytes(raw.replace(entry, struct.pack("<IBI", code, 1, 32)))
    refused(tmp_path / "e5.bin")


@pytest.mark.parametrize("name", ["emb.word", "l1.fi.w", "l2.oln.b"])
@pytest.mark.parametrize(("start", "size"), [(0, 18), (1 << 63, 64), (64, (1 << 64) - 1), (0, 0)])
def test_a_tensor_of_another_place_or_size(
    path: Path, written: Written, tmp_path: Path, name: str, start: int, size: int
) -> None:
    raw = bytearray(path.read_bytes())
    at = raw.index(struct.pack("<H", len(name)) + name.encode()) + 2 + len(name) + 5
    struct.pack_into("<QQ", raw, at, start, size)
    (tmp_path / "e5.bin").write_bytes(raw)
    refused(tmp_path / "e5.bin")


def test_flipped_bytes_before_the_tensors_never_end_in_another_error(
    path: Path, written: Written, tmp_path: Path
) -> None:
    raw, draw = path.read_bytes(), np.random.default_rng(0)
    for place in draw.integers(0, written.body, 80):
        damaged = bytearray(raw)
        damaged[place] ^= 0xFF
        (tmp_path / "e5.bin").write_bytes(damaged)
        _, error = attempt(lambda: Encoder(E5File(tmp_path / "e5.bin")))
        assert error is None or error.code == "file_damaged"
