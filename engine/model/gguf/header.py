"""What a GGUF file says of itself: metadata and tensors. No weight is read.

Format: ggml's docs/gguf.md, versions 2 and 3. Every length is checked against the file, so that one that is cut off or
damaged is told at once, not when a weight is missed.
"""

import mmap
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

_MAGIC = b"GGUF"
_POINTER = b"version https://git-lfs"
_VERSIONS = (2, 3)
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_ALIGNMENT = 32
_DEFAULT_CONTEXT = 1024


@dataclass(frozen=True)
class GgufTensor:
    """A tensor. kind: ggml's number of its type; offset: bytes from where the tensors begin."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int

    @property
    def values(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)


@dataclass(frozen=True)
class GgufHeader:
    """A file's head. file_bytes: its length."""

    metadata: dict[str, Any]
    tensors: tuple[GgufTensor, ...]
    file_bytes: int

    @property
    def architecture(self) -> str:
        """Such as llama or qwen2."""
        return str(self.metadata.get("general.architecture", ""))

    @property
    def context(self) -> int:
        """Tokens that the model was trained on at once."""
        return self.number("context_length") or _DEFAULT_CONTEXT

    @property
    def parameters(self) -> int:
        """All numbers held."""
        return sum(tensor.values for tensor in self.tensors)

    @cached_property
    def precision(self) -> str:
        """The quantisation by llama.cpp's name, such as q4_k_m; by the commonest type where the file does not say."""
        from gguf import GGMLQuantizationType, LlamaFileType

        try:
            name = LlamaFileType(self.metadata["general.file_type"]).name
        except (KeyError, ValueError):
            counts: Counter[int] = Counter()
            for tensor in self.tensors:
                counts[tensor.kind] += tensor.values
            common = counts.most_common(1)[0][0] if counts else 0
            known = {one.value: one.name for one in GGMLQuantizationType}
            name = known.get(common, f"type {common}")
        return str(name).removeprefix("MOSTLY_").removeprefix("ALL_").lower()

    def number(self, key: str) -> int:
        """A whole number that describes the shape, by its key without the architecture; 0 where there is none.

        Some files have a list, with one number a layer: it is the largest.
        """
        value = self.metadata.get(f"{self.architecture}.{key}", 0)
        found = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, int)]
        return max(found, default=0)


def read_header(path: Path) -> GgufHeader:
    """Read the head of a file, which is mapped for that.

    Raises:
        ValueError: it is no such file, is cut off, or lies about its lengths.
        OSError: it cannot be read.
    """
    size = path.stat().st_size
    if size < len(_MAGIC) + 20:
        raise ValueError("it is too short for a GGUF file")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[: len(_POINTER)] == _POINTER:
            raise ValueError("it is a Git LFS pointer, not the weights")
        if data[:4] != _MAGIC:
            raise ValueError("it is no GGUF file")
        return _parse(_Reader(data, size))


def _parse(reader: "_Reader") -> GgufHeader:
    version = reader.number("<I")
    if version not in _VERSIONS:
        raise ValueError(f"it has the version {version} of the format, which is not read here")
    tensor_count, key_count = reader.number("<Q"), reader.number("<Q")
    if max(tensor_count, key_count) > reader.size:
        raise ValueError("its head is damaged")
    metadata = {}
    for _ in range(key_count):
        key = reader.string()
        metadata[key] = reader.value(reader.number("<I"))
    tensors = tuple(_tensor(reader) for _ in range(tensor_count))
    alignment = metadata.get("general.alignment", _ALIGNMENT)
    if not isinstance(alignment, int) or alignment < 1:
        raise ValueError("its head is damaged")
    start = -(-reader.place // alignment) * alignment
    needed = max((start + tensor.offset + _bytes_of(tensor) for tensor in tensors), default=start)
    if needed > reader.size:
        raise ValueError(f"it is cut off: {needed} bytes are told, {reader.size} are there")
    return GgufHeader(metadata, tensors, reader.size)


def _tensor(reader: "_Reader") -> GgufTensor:
    name, dimensions = reader.string(), reader.number("<I")
    if dimensions > 8:
        raise ValueError("its head is damaged")
    shape = tuple(reader.number("<Q") for _ in range(dimensions))
    return GgufTensor(name, shape, reader.number("<I"), reader.number("<Q"))


def _bytes_of(tensor: GgufTensor) -> int:
    """Bytes that it takes; 0 for a type that the gguf package does not know."""
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

    try:
        block, size = GGML_QUANT_SIZES[GGMLQuantizationType(tensor.kind)]
    except (KeyError, ValueError):
        return 0
    return int(-(-tensor.values // block) * size)


class _Reader:
    """A place in the bytes, going forward."""

    def __init__(self, data: mmap.mmap, size: int) -> None:
        self._data, self.size, self.place = data, size, 4

    def number(self, form: str) -> int:
        return int(self._unpack(form))

    def string(self) -> str:
        length = self.number("<Q")
        self._require(length)
        raw = self._data[self.place : self.place + length]
        self.place += length
        return raw.decode("utf-8", errors="surrogateescape")

    def value(self, kind: int, depth: int = 0) -> Any:
        """A value of that type; lists of lists no deeper than anyone writes them."""
        if kind == _STRING:
            return self.string()
        if kind in _NUMBERS:
            return self._unpack(_NUMBERS[kind])
        if kind != _ARRAY or depth > 2:
            raise ValueError("its head is damaged")
        inner, length = self.number("<I"), self.number("<Q")
        self._require(length)  # every element has a byte at least
        if inner in _NUMBERS:
            form = f"<{length}{_NUMBERS[inner][1]}"
            self._require(struct.calcsize(form))
            found = list(struct.unpack_from(form, self._data, self.place))
            self.place += struct.calcsize(form)
            return found
        read: Callable[[], Any] = self.string if inner == _STRING else lambda: self.value(inner, depth + 1)
        return [read() for _ in range(length)]

    def _unpack(self, form: str) -> Any:
        self._require(struct.calcsize(form))
        (found,) = struct.unpack_from(form, self._data, self.place)
        self.place += struct.calcsize(form)
        return found

    def _require(self, length: int) -> None:
        if length > self.size - self.place:
            raise ValueError("it is cut off within its head")
