"""Greedy decoding under a grammar: the most probable legal token at each step, and no other.

Only the head's rows of legal tokens are multiplied, which equals masking the whole vocabulary. Tokens that the grammar
leaves no choice about are not predicted: they are read together with the next one (jump-forward). Prompts decode side
by side. It knows no grammar's meaning and searches no beams.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.errors import Cancelled
from engine.model.backend import Decoded
from engine.model.constraint import ExtractConstraint
from engine.model.ragged import RaggedBatch

Logits = Callable[[Tensor, Tensor], Tensor]
"""Hidden states of shape (positions, hidden) and row ids to fp32 logits of shape (positions, rows)."""


@dataclass
class Row:
    """One answer being written. `pending`: tokens written that the model has not read."""

    constraint: ExtractConstraint
    limit: int
    pending: list[int] = field(default_factory=list)
    log_probabilities: list[float] = field(default_factory=list)
    forced: int = 0
    _legal: NDArray[np.int64] | None = None

    @property
    def going_on(self) -> bool:
        """Whether a choice is to be made; else the answer is whole, or at its limit."""
        return not self.constraint.done and len(self.constraint.tokens) < self.limit

    def jump(self) -> None:
        """Write every token that follows without a choice."""
        while self.going_on:
            tokens = self.constraint.forced()
            if not tokens:
                self._legal = self.constraint.legal()
                if len(self._legal) > 1:
                    return
                tokens = self._legal.tolist()
            self._write(tokens, [0.0] * len(tokens))
            self.forced += len(tokens)

    def choose(self, hidden: Tensor, logits: Logits) -> None:
        """Write the most probable legal token after `hidden`, shape (hidden,), and what follows it by force."""
        assert self._legal is not None  # noqa: S101 - jump() has stopped at a choice
        rows = torch.from_numpy(self._legal).to(hidden.device)
        among = logits(hidden[None], rows)[0].log_softmax(-1)
        best = int(among.argmax())
        log = float(among[best])
        if math.isnan(log):
            raise FloatingPointError("the model's logits are no numbers: half precision is too small for it")
        self._write([int(self._legal[best])], [log])
        self.jump()

    def result(self) -> Decoded:
        """The answer, closed if it is at its limit."""
        constraint, logs = self.constraint, self.log_probabilities
        written, taken_back = len(constraint.answer), 0
        if not constraint.done:
            written, kept = constraint.close()
            taken_back = len(logs) - kept
            # The first token written anew stands for the one taken back there: where a value ends was a choice.
            logs = [*logs[: kept + 1], *[0.0] * len(constraint.tokens)][: len(constraint.tokens)]
        pieces = tuple(map(constraint.piece, constraint.tokens))
        return Decoded(pieces, tuple(logs), self.forced, written, taken_back)

    def _write(self, tokens: Sequence[int], log_probabilities: Sequence[float]) -> None:
        self.constraint.accept(tokens)
        self.pending += tokens
        self.log_probabilities += log_probabilities


def write_answers(rows: Sequence[Row], states: Tensor, batch: RaggedBatch, logits: Logits, stop: Event | None) -> int:
    """Write the answers to their ends; returns the forward passes made.

    states: hidden states after each row's prompt, shape (rows, hidden). Rows may begin with pending tokens (`jump`).

    Raises:
        Cancelled: `stop` was set.
    """
    for row, state in zip(rows, states, strict=True):
        if row.going_on and not row.pending:
            row.choose(state, logits)
    forwards, inside = 0, list(range(len(rows)))
    while left := [number for number in inside if rows[number].going_on]:
        if stop is not None and stop.is_set():
            raise Cancelled
        if len(left) < len(inside):
            batch.keep([inside.index(number) for number in left])
            inside = left
        width = min(len(rows[number].pending) for number in left)
        states = batch.read([rows[number].pending[:width] for number in left])
        forwards += 1
        for number, state in zip(left, states, strict=True):
            row = rows[number]
            row.pending = row.pending[width:]
            if not row.pending:
                row.choose(state, logits)
    return forwards
