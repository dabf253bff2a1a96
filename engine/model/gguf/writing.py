"""Writes an answer token by token: freely, or under a form. The server draws each token, with that step's settings.

One request a token, so that tokens, stops and grammars are followed here, and so that the repetition penalty's window
is the answer and nothing of the prompt.
"""

import math
import secrets
from collections.abc import Sequence
from hashlib import blake2b
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import Cancelled
from engine.model.answer_text import AnswerText
from engine.model.backend import Written
from engine.model.constraint import FormConstraint, GrammarFault
from engine.model.gguf.probabilities import Probabilities, restricted
from engine.model.gguf.vocabulary import Vocabulary
from engine.types import Finish, Writing, WrittenToken


class Writer:
    """One answer being written."""

    def __init__(
        self,
        ask: Probabilities,
        vocabulary: Vocabulary,
        prompt: Sequence[int],
        writing: Writing,
        *,
        alternatives: int,
        stop: Event | None,
    ) -> None:
        self._ask, self._vocabulary, self._prompt = ask, vocabulary, list(prompt)
        self._writing, self._alternatives, self._stop = writing, alternatives, stop
        self._seed = secrets.randbits(62) if writing.seed is None else writing.seed
        self._ids: list[int] = []
        self._told: list[WrittenToken] = []

    def freely(self, text: AnswerText) -> Written:
        """Write until the model ends, a stop string stands, or the limit is reached."""
        finish: Finish = "limit"
        ended = 0
        while len(self._ids) < self._writing.max_new_tokens:
            token, told = self._any()
            if token in self._vocabulary.ends:
                finish, ended = "end", 1
                break
            self._take([token], [told])
            text.add(self._vocabulary.spell([token]))
            if text.stopped:
                finish = "stop"
                break
        return Written(text.end(), finish, len(self._ids) + ended, tuple(self._told))

    def under(self, constraint: FormConstraint, text: AnswerText) -> Written:
        """Write what the constraint takes, to its end; at the limit it is closed.

        Raises:
            GrammarFault: the grammar cannot go on.
        """
        ends = np.array(sorted(self._vocabulary.ends), dtype=np.int64)
        ended = False

        def take(tokens: Sequence[int], told: list[WrittenToken]) -> None:
            constraint.accept(tokens)
            self._take(tokens, told)
            _tell(text, constraint)

        while not constraint.done and (left := self._writing.max_new_tokens - len(self._ids)) > 0:
            self._check()
            if forced := constraint.forced()[:left]:
                take(forced, list(map(self._unchosen, forced)))
                continue
            legal, may_end = constraint.legal(), constraint.may_end
            if not len(legal):
                if may_end:
                    break
                raise GrammarFault("no token goes on")
            if not may_end and len(legal) == 1:
                take([int(legal[0])], [self._unchosen(int(legal[0]))])
                continue
            token, told = self._legal(np.concatenate([legal, ends]) if may_end else legal)
            if ended := token in self._vocabulary.ends:
                break
            take([token], [told])
        written = len(self._ids) + ended
        if ended or constraint.done or len(self._ids) < self._writing.max_new_tokens:
            return Written(_tell(text, constraint), "end", written, tuple(self._told))
        kept = constraint.close()
        closing = map(self._unchosen, constraint.tokens[kept:])
        return Written(_tell(text, constraint), "limit", written, (*self._told[:kept], *closing))

    def _any(self) -> tuple[int, WrittenToken]:
        """A token of the whole vocabulary."""
        most = 1 + self._alternatives
        if self._plain:
            (token, log), *others = self._ask.best(self._so_far(), most, stop=self._stop)
            return token, self._named(token, log, others)
        drawn = self._ask.draw(self._so_far(), self._settings(), most, self._stop)
        return drawn.token, self._named(drawn.token, drawn.log, drawn.others)

    def _legal(self, legal: NDArray[np.int64]) -> tuple[int, WrittenToken]:
        """One of the legal tokens. What is drawn among them comes without its probability: the server does not say."""
        if self._plain:
            (token, log), *others = self._ask.among(self._so_far(), legal, 1 + self._alternatives, self._stop)
            return token, self._named(token, log, others)
        limits, settings = restricted(legal, self._ask.rows, ban=self._penalised), self._settings()
        names = [*limits["samplers"], *settings["samplers"]]
        token = self._ask.pick(self._so_far(), settings | limits | {"samplers": names}, self._stop)
        return token, self._unchosen(token)

    @property
    def _penalised(self) -> bool:
        return self._writing.repetition_penalty != 1

    @property
    def _plain(self) -> bool:
        """Whether the most probable token is written."""
        return not self._writing.temperature and not self._penalised

    def _settings(self) -> dict[str, Any]:
        """Samplers in the order of `Writing`: the penalty, the temperature, the nucleus."""
        writing, names = self._writing, []
        body: dict[str, Any] = {}
        if self._penalised and self._ids:
            names.append("penalties")
            body |= {"repeat_penalty": writing.repetition_penalty, "repeat_last_n": len(self._ids)}
        if writing.temperature:
            names += ["temperature", "top_p"]
            body |= {"temperature": writing.temperature, "top_p": writing.top_p, "seed": self._seed_of_step()}
        else:
            names.append("top_k")
            body["top_k"] = 1
        return body | {"samplers": names}

    def _seed_of_step(self) -> int:
        """Another seed for each token, since each is a request of its own."""
        digest = blake2b(f"{self._seed} {len(self._ids)}".encode(), digest_size=4).digest()
        return int.from_bytes(digest) >> 1

    def _so_far(self) -> list[int]:
        return [*self._prompt, *self._ids]

    def _take(self, tokens: Sequence[int], told: list[WrittenToken]) -> None:
        self._ids += tokens
        self._told += told

    def _named(self, token: int, log: float, others: list[tuple[int, float]]) -> WrittenToken:
        shown = self._vocabulary.shown
        told = [(shown(other), math.exp(share)) for other, share in others if other != token]
        return WrittenToken(token, shown(token), min(1.0, math.exp(log)), tuple(told[: self._alternatives]))

    def _unchosen(self, token: int) -> WrittenToken:
        return WrittenToken(token, self._vocabulary.shown(token), None)

    def _check(self) -> None:
        if self._stop is not None and self._stop.is_set():
            raise Cancelled


def _tell(text: AnswerText, constraint: FormConstraint) -> str:
    text.text = constraint.text
    text.tell(len(text.text))
    return text.text
