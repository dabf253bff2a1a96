"""Writes an answer token by token: freely, or under a form.

With a form, only legal tokens are weighed, and tokens without a choice are written at once and read together with the
next choice (jump-forward). An answer that is at its limit is closed. It loads nothing and knows no tasks.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Event

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.errors import Cancelled
from engine.model.answer_text import AnswerText
from engine.model.backend import Written
from engine.model.constraint import FormConstraint, GrammarFault
from engine.model.ragged import RaggedBatch
from engine.model.sampling import Sampler
from engine.types import Finish, WrittenToken

Logits = Callable[[Tensor, NDArray[np.int64] | None], Tensor]
"""A hidden state of shape (hidden,) and row ids, or None for all, to fp32 logits of shape (rows,)."""

_CHUNK = 256
"""Tokens read in one pass, after which a stop is noticed."""


@dataclass
class Reading:
    """A prompt that was read, and what reads on. state: after the last token read, shape (hidden,)."""

    state: Tensor
    batch: RaggedBatch
    logits: Logits
    stop: Event | None
    _ahead: list[int] = field(default_factory=list)

    def add(self, tokens: Sequence[int]) -> None:
        """Tokens that were written, to be read when the state after them is needed."""
        self._ahead += tokens

    def after(self, ids: NDArray[np.int64] | None) -> Tensor:
        """Logits of these tokens, or of all, after everything that was added.

        Raises:
            Cancelled: `stop` was set.
        """
        self.check()
        for start in range(0, len(self._ahead), _CHUNK):
            if start:
                self.check()
            self.state = self.batch.read([self._ahead[start : start + _CHUNK]])[0]
        self._ahead = []
        return self.logits(self.state, ids)

    def check(self) -> None:
        """Raises: Cancelled: `stop` was set."""
        if self.stop is not None and self.stop.is_set():
            raise Cancelled


@dataclass(frozen=True)
class Names:
    """What tokens are called. piece: bytes that a token adds to a text; shown: what is shown of it."""

    piece: Callable[[int], bytes]
    shown: Callable[[int], str]
    ends: frozenset[int]
    """Tokens that end an answer."""


class Writer:
    """One answer being written."""

    def __init__(self, reading: Reading, sampler: Sampler, names: Names, text: AnswerText, limit: int) -> None:
        self._reading, self._sampler, self._names = reading, sampler, names
        self._text, self._limit = text, limit
        self._ids: list[int] = []
        self._tokens: list[WrittenToken] = []

    def freely(self) -> Written:
        """Write until the model ends, a stop string stands, or the limit is reached."""
        finish: Finish = "limit"
        ended = 0
        while len(self._ids) < self._limit:
            token, told = self._choose(None)
            if token in self._names.ends:
                finish, ended = "end", 1
                break
            self._write([told])
            self._text.add(self._names.piece(token))
            if self._text.stopped:
                finish = "stop"
                break
        return Written(self._text.end(), finish, len(self._ids) + ended, tuple(self._tokens))

    def under(self, constraint: FormConstraint) -> Written:
        """Write what the constraint takes, to its end; at the limit it is closed.

        Raises:
            GrammarFault: the grammar cannot go on.
        """
        ends = np.array(sorted(self._names.ends), dtype=np.int64)
        ended = False
        while not constraint.done and len(self._ids) < self._limit:
            self._reading.check()
            if forced := constraint.forced()[: self._limit - len(self._ids)]:
                self._take(constraint, [self._unchosen(token) for token in forced])
                continue
            legal, may_end = constraint.legal(), constraint.may_end
            if not len(legal):
                if may_end:
                    break
                raise GrammarFault("no token goes on")
            if not may_end and len(legal) == 1:
                self._take(constraint, [self._unchosen(int(legal[0]))])
                continue
            token, told = self._choose(np.concatenate([legal, ends]) if may_end else legal)
            if ended := token in self._names.ends:
                break
            self._take(constraint, [told])
        written = len(self._ids) + ended
        if ended or constraint.done or len(self._ids) < self._limit:
            return Written(self._tell(constraint), "end", written, tuple(self._tokens))
        kept = constraint.close()
        closing = tuple(self._unchosen(token) for token in constraint.tokens[kept:])
        return Written(self._tell(constraint), "limit", written, (*self._tokens[:kept], *closing))

    def _take(self, constraint: FormConstraint, told: list[WrittenToken]) -> None:
        constraint.accept([one.id for one in told])
        self._write(told)
        self._tell(constraint)

    def _tell(self, constraint: FormConstraint) -> str:
        text = constraint.text
        self._text.text = text
        self._text.tell(len(text))
        return text

    def _write(self, told: list[WrittenToken]) -> None:
        ids = [one.id for one in told]
        self._ids += ids
        self._tokens += told
        self._reading.add(ids)

    def _choose(self, ids: NDArray[np.int64] | None) -> tuple[int, WrittenToken]:
        choice = self._sampler.choose(self._reading.after(ids), ids, self._ids)
        others = tuple((self._names.shown(token), share) for token, share in choice.others)
        return choice.token, WrittenToken(choice.token, self._names.shown(choice.token), choice.probability, others)

    def _unchosen(self, token: int) -> WrittenToken:
        return WrittenToken(token, self._names.shown(token), None)


def whole_row_logits(every: Callable[[Tensor], Tensor], few: Callable[[Tensor, Tensor], Tensor], rows: int) -> Logits:
    """Logits by the whole output layer, or by the rows that are asked for where these are few.

    every: hidden states of shape (1, hidden) to logits of all rows, shape (1, rows). few: these and row ids to logits
        of shape (1, ids).
    """

    def logits(state: Tensor, ids: NDArray[np.int64] | None) -> Tensor:
        if ids is not None and len(ids) * 8 < rows:
            return few(state[None], torch.from_numpy(ids).to(state.device))[0]
        whole = every(state[None])[0].float()
        return whole if ids is None else whole[torch.from_numpy(ids).to(whole.device)]

    return logits


def written_at_once(pieces: Iterable[bytes], text: AnswerText, *, finished: bool) -> Written:
    """An answer that was there as a whole, by its tokens' bytes. finished: whether an end token stood after it."""
    count = 0
    for piece in pieces:
        count += 1
        if not text.stopped:
            text.add(piece)
    finish: Finish = "stop" if text.stopped else "end" if finished else "limit"
    return Written(text.end(), finish, count + finished)
