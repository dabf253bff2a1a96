"""One file of a packed model: its tensors, each read when it is asked for."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.model.packed.linear import ByteNumbers
from engine.model.packed.table import map_table
from engine.model.tensor_file import TensorSpec, places

_NUMPY: dict[str, Any] = {"I8": np.int8, "F16": np.float16, "F32": np.float32, "I64": np.int64, "BOOL": np.bool_}


class PackedFile:
    """Tensors by name."""

    def __init__(self, path: Path) -> None:
        self.path, self._places = path, places(path)

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __call__(self, name: str) -> Tensor:
        """A tensor."""
        spec, offset = self._places[name]
        values: Any = np.fromfile(self.path, _NUMPY[spec.dtype], spec.values, offset=offset)
        return torch.from_numpy(values.reshape(spec.shape))

    def mapped(self, name: str) -> Tensor:
        """A table whose rows stay in the file."""
        spec, offset = self._places[name]
        return map_table(self.path, offset, spec.shape)

    def place(self, name: str) -> tuple[TensorSpec, int]:
        """A tensor's kind and shape, and the offset of its first byte."""
        return self._places[name]

    @property
    def in_bytes(self) -> bool:
        """Whether it holds layers in int8."""
        return any(spec.dtype == "I8" for spec, _ in self._places.values())

    @property
    def passes(self) -> list[int]:
        """Of each layer in int8."""
        return [int(self(name)) for name in self._places if name.endswith(".passes")]

    def numbers(self, name: str) -> ByteNumbers:
        """Of a layer in int8."""
        zero, passes = (int(self(f"{name}.{part}")) for part in ("zero", "passes"))
        return ByteNumbers(self(f"{name}.scale"), self(f"{name}.smooth"), zero, passes)
