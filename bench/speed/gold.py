"""Leads a decoding under a grammar to a given answer, so that random weights write what a trained model would.

All work is done as usual: each choice's logits are computed over its legal tokens, and only then one of them is
raised above the others: the longest with which the given answer goes on.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from engine.model.constrained import Row
from engine.model.constraint import ExtractConstraint


@dataclass
class Guide:
    """The answer that is written. tokens: those that are a part of it, by their bytes (`parts`).

    choices: when each choice was made, by `time.perf_counter`, and how many tokens are read before the next.
    """

    answer: bytes
    tokens: Mapping[bytes, int]
    choices: list[tuple[float, int]] = field(default_factory=list)

    def steps(self) -> list[float]:
        """Seconds from a choice to the next, of those with one token to read between them."""
        pairs = zip(self.choices, self.choices[1:], strict=False)
        return [after - before for (before, width), (after, _) in pairs if width == 1]

    def logits(self, row: Row, rows: Tensor, logits: Tensor) -> Tensor:
        """Logits of shape (1, rows) with the answer's next token on top.

        Raises:
            ValueError: the answer goes on with no legal token.
        """
        left = self.answer[len(row.constraint.answer) :]
        for length in range(len(left), 0, -1):
            token = self.tokens.get(left[:length])
            if token is not None:
                place = int(torch.searchsorted(rows, token))
                if place < len(rows) and rows[place] == token:
                    logits[0, place] = logits.max() + 1
                    return logits
        raise ValueError(f"the grammar does not allow the answer to go on with {left[:20]!r}")


@contextmanager
def led_by(guide: Guide) -> Iterator[None]:
    """While it lasts, every row chooses what the guide says."""
    original = Row.choose

    def choose(row: Row, hidden: Tensor, logits: Any) -> None:
        original(row, hidden, lambda states, rows: guide.logits(row, rows, logits(states, rows)))
        guide.choices.append((time.perf_counter(), len(row.pending)))

    Row.choose = choose  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        Row.choose = original  # type: ignore[method-assign]


def parts(constraint: ExtractConstraint, answer: bytes, vocabulary: int) -> dict[bytes, int]:
    """Every token that is a part of the answer. vocabulary: how many tokens there are."""
    found: dict[bytes, int] = {}
    for token in range(vocabulary):
        piece = constraint.piece(token)
        if piece and piece in answer:
            found.setdefault(piece, token)
    return found


def passes(constraint: ExtractConstraint, answer: bytes, tokens: Mapping[bytes, int]) -> int:
    """Forward passes after the prompt that this answer takes: one before every choice that follows written tokens."""
    row, count = Row(constraint, limit=10 * len(answer)), 0
    row.jump()
    with led_by(Guide(answer, tokens)):
        while row.going_on:
            count += bool(row.pending)
            row.pending.clear()
            row.choose(torch.zeros(1), lambda _, rows: torch.zeros(1, len(rows)))
    assert row.constraint.answer == answer, row.constraint.answer.decode()
    return count
