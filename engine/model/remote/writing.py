"""An answer as it streams in: its text, its tokens, its end. It asks nothing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.model.answer_text import AnswerText
from engine.model.backend import Show, Written
from engine.model.remote.estimate import pack, restore
from engine.model.remote.shapes import Told, choice, finish_of, readable, text_of, tokens_of, written_count
from engine.types import Finish, Note, WrittenToken

_SPARE = 64
"""Events without a token that a stream may hold beside those with one."""


@dataclass(frozen=True)
class Piece:
    """What an event brings: more text, its tokens, why the answer ends, how many tokens it took in all."""

    text: str
    told: list[Told]
    finish: Finish | None
    count: int | None


def read_event(event: Any, stops: Sequence[str]) -> Piece:
    """What an event of a stream holds. stops: the strings that were asked to end the answer.

    Raises:
        LookupError, TypeError, ValueError: it is of another shape.
    """
    one, count = choice(event), written_count(event)
    if one is None:
        return Piece("", [], None, count)
    return Piece(text_of(one), tokens_of(one), finish_of(one, stops), count)


class Transcript:
    """Takes a stream's events one by one, and says when it has seen enough.

    limit: tokens asked for. stops: strings that end the answer, watched here too, since a server may not.
    """

    def __init__(self, limit: int, stops: Sequence[str], alternatives: int, show: Show | None) -> None:
        self.stops = stops
        self._limit, self._alternatives = limit, alternatives
        self._answer = AnswerText(stops, None if show is None else lambda text: show(restore(text)))
        self._told: list[Told] = []
        self._finish: Finish | None = None
        self._count: int | None = None
        self._events = 0

    @property
    def text(self) -> str:
        """The answer so far."""
        return restore(self._answer.text)

    @property
    def ended(self) -> bool:
        """Whether the server, or a stop string, ended it."""
        return self._finish is not None

    def add(self, piece: Piece) -> bool:
        """One more event; whether there is anything more to wait for."""
        self._events += 1
        self._count = piece.count or self._count
        if self._finish is None:
            self._answer.add_text(piece.text)
            self._told += piece.told
            self._finish = piece.finish
            if self._answer.stopped:
                self._finish = "stop"
                return False  # the server might go on
        if self._finish is None and self._events > 2 * self._limit + _SPARE:
            self._finish = "limit"  # it does not keep to what was asked
            return False
        return self._finish is None or self._count is None

    def result(self, *, probabilities: bool, notes: tuple[Note, ...] = ()) -> Written:
        """The whole answer. probabilities: whether those of the server are the contract's."""
        text = self._answer.end()
        count = self._count if self._count is not None else len(self._told) or len(pack(text))
        tokens = self._tokens(text) if probabilities else ()
        return Written(restore(text), self._finish or "limit", count, tokens, notes)

    def _tokens(self, text: str) -> tuple[WrittenToken, ...]:
        """The tokens of the text, without those of a stop string or of the end."""
        tokens, left = [], len(text.encode("utf-8", "replace"))
        for one in self._told:
            if left <= 0:
                break
            left -= len(one.raw)
            others = [(readable(raw), math.exp(log)) for raw, log in one.others if raw != one.raw]
            tokens.append(WrittenToken(-1, readable(one.raw), math.exp(one.log), tuple(others[: self._alternatives])))
        return tuple(tokens)
