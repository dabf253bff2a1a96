"""Embedding and output layer over rows that stay in a file: mapped in fp16, converted where they are read.

The tied table is 46 % of BLOOM-560M. A prompt reads some hundreds of its rows, a constrained step some hundreds more;
only free decoding and scores over the whole vocabulary read all of it.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from engine.model.packed.linear import HalfLinear

_ROWS = 1024
"""Rows converted at once: 4 MB of fp32, which a cache holds."""
_PACKED_ROWS = 16_384
"""Rows packed at once: 64 MB of fp32 beside them."""


class TableEmbedding(nn.Module):
    """Token ids to fp32 rows of a table of fp16, shape (vocabulary, hidden)."""

    weight: Tensor

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", table, persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids of shape (...) to states of shape (..., hidden)."""
        return self.weight[ids].float()


class TableHead(nn.Module):
    """Hidden states to fp32 logits over every row of a table.

    shown: rows that are multiplied, all but for a check that need not read the whole file.
    """

    weight: Tensor
    bias: Tensor | None

    def __init__(self, table: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.register_buffer("weight", table, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        self.shown = len(table)
        self._packed: list[HalfLinear] = []

    def forward(self, states: Tensor) -> Tensor:
        """States of shape (..., hidden) to logits of shape (..., vocabulary)."""
        table = self.weight[: self.shown]
        rows = states.reshape(-1, table.shape[1])
        if self._packed and self.shown == len(self.weight):
            out = torch.cat([part(rows) for part in self._packed], dim=1)
        else:
            out = rows.new_empty(len(rows), len(table))
            part = rows.new_empty(_ROWS, table.shape[1])
            for start in range(0, len(table), _ROWS):
                some = part[: len(table) - start].copy_(table[start : start + _ROWS])
                out[:, start : start + _ROWS] = rows @ some.T
        if self.bias is not None:
            out += self.bias[: self.shown]
        return out.view(*states.shape[:-1], -1)

    @property
    def packed_bytes(self) -> int:
        """Bytes of memory that `pack` takes from now on; 0 where it was done."""
        return 0 if self._packed else self.weight.numel() * self.weight.element_size()

    def pack(self, check: Callable[[], None]) -> None:
        """Hold all rows packed in memory too, until `unpack`: a product over all then reads them once, in fp16.

        The same numbers, but for the order of a sum. For free writing, which takes that product for every token.

        check: called now and then; what it raises ends the packing.
        """
        if not self.packed_bytes:
            return
        packed = []
        for start in range(0, len(self.weight), _PACKED_ROWS):
            check()
            packed.append(HalfLinear(self.weight[start : start + _PACKED_ROWS], None))
        self._packed = packed

    def unpack(self) -> None:
        """Give that memory back."""
        self._packed = []


def map_table(path: Path, offset: int, shape: tuple[int, ...]) -> Tensor:
    """A table of fp16 in a file, mapped: pages are read when they are used. It is not to be written to."""
    return torch.from_numpy(np.memmap(path, np.float16, "c", offset, shape))
