"""Long texts in overlapping windows of pieces, and windows of similar length together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

WINDOW = 448
OVERLAP = 64
BATCH_PIECES = 1536
"""Pieces of a batch, padding included."""
_FRAME = 8
"""Pieces around a window's own, at most."""


@dataclass(frozen=True)
class Window:
    """A stretch of a text's pieces. `text`: the text's index; `first`, `last`: pieces."""

    text: int
    first: int
    last: int

    @property
    def size(self) -> int:
        """Its pieces."""
        return self.last - self.first


def windows(sizes: Sequence[int]) -> Iterator[Window]:
    """The windows of texts of so many pieces; a text without pieces has one, empty."""
    for text, total in enumerate(sizes):
        first = 0
        while True:
            last = min(total, first + WINDOW)
            yield Window(text, first, last)
            if last == total:
                break
            first = last - OVERLAP


def batches(cut: Sequence[Window]) -> Iterator[list[Window]]:
    """Windows of similar length together: padding is work too."""
    batch: list[Window] = []
    for window in sorted(cut, key=lambda one: one.size):
        if batch and (len(batch) + 1) * (window.size + _FRAME) > BATCH_PIECES:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch
