"""The safetensors format, read by its header alone and written one tensor at a time.

The file is an 8-byte little-endian header length, a JSON header, then the tensors' bytes without gaps.
Writing it here rather than with the library keeps one tensor in memory instead of all, and lets a stop take
effect between two. It knows nothing of models.
"""

import json
import math
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from engine.errors import Cancelled
from engine.types import LoadProgress

BYTES_PER_VALUE = {
    "F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "I16": 2, "U16": 2,
    "I8": 1, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1,
}  # fmt: skip
_LONGEST_HEADER = 100_000_000  # the library's own limit


@dataclass(frozen=True)
class TensorSpec:
    """A tensor's name, safetensors dtype ("F16", "BF16", "F32", ...) and shape."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def values(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return self.values * BYTES_PER_VALUE[self.dtype]


def read_header(path: Path) -> list[TensorSpec]:
    """The tensors that a file declares, in the order of its header.

    Raises:
        ValueError: the file is not safetensors, or is shorter or longer than its header says.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LONGEST_HEADER):
            raise ValueError("it is cut off inside its header, or is no safetensors file")
        header = json.loads(file.read(length))  # a JSONDecodeError is a ValueError
    if not isinstance(header, dict):
        raise ValueError("its header is not a table of tensors")
    entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
    declared = 8 + length + max((_end_of(entry) for entry in entries.values()), default=0)
    if size != declared:
        raise ValueError(f"it has {size} bytes where its header says {declared}")
    return [_spec(name, entry) for name, entry in entries.items()]


def places(path: Path) -> dict[str, tuple[TensorSpec, int]]:
    """Every tensor of a file that `write` made, with the offset of its first byte.

    Raises:
        ValueError: those of `read_header`.
    """
    specs = read_header(path)
    at = path.stat().st_size - sum(spec.nbytes for spec in specs)
    found = {}
    for spec in specs:
        found[spec.name] = (spec, at)
        at += spec.nbytes
    return found


def write(
    path: Path,
    specs: Sequence[TensorSpec],
    payloads: Iterator[bytes | memoryview],
    report: Callable[[LoadProgress], None],
    stop: Event,
) -> None:
    """Write the tensors of `specs`, whose bytes `payloads` yields in the same order, and flush them to the
    disk.

    Raises:
        Cancelled: `stop` was set between two tensors; the unfinished file is the caller's to remove.
        ValueError: a payload has not the size that its spec says.
    """
    total, done = sum(spec.nbytes for spec in specs), 0
    with path.open("wb") as file:
        file.write(_header(specs))
        for spec, payload in zip(specs, payloads, strict=True):
            if stop.is_set():
                raise Cancelled
            if len(payload) != spec.nbytes:
                raise ValueError(f"{spec.name} has {len(payload)} bytes, not {spec.nbytes}")
            file.write(payload)
            done += spec.nbytes
            report(LoadProgress("convert", done, total, "bytes", spec.name))
        file.flush()
        os.fsync(file.fileno())


def as_bytes(tensor: Any) -> memoryview:
    """A torch tensor's bytes, as a payload."""
    import torch

    flat = tensor.detach().reshape(-1)
    return memoryview(flat.view(torch.uint8).numpy()).cast("B") if flat.numel() else memoryview(b"")


def _header(specs: Sequence[TensorSpec]) -> bytes:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}  # transformers refuses a file without it
    offset = 0
    for spec in specs:
        end = offset + spec.nbytes
        header[spec.name] = {"dtype": spec.dtype, "shape": list(spec.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the first tensor is aligned
    return struct.pack("<Q", len(text)) + text


def _end_of(entry: Any) -> int:
    try:
        return int(entry["data_offsets"][1])
    except (TypeError, KeyError, IndexError) as error:
        raise ValueError("a tensor in its header has no place in the file") from error


def _spec(name: str, entry: dict[str, Any]) -> TensorSpec:
    if entry.get("dtype") not in BYTES_PER_VALUE:
        raise ValueError(f"the tensor {name} has the unknown type {entry.get('dtype')}")
    return TensorSpec(name, entry["dtype"], tuple(int(length) for length in entry.get("shape", ())))
