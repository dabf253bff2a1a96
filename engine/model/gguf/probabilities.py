"""What may follow a prompt, and how probable it is, by requests of one token.

The server tells probabilities of the most probable tokens only, and says nothing at all where the token that it draws
is a part of a character. So a token that is none of those in question, the bait, is lifted above all others and drawn;
what is told beside it is what was asked for.

- Over some tokens: these are lifted above all others, and the bait above them. Their shares, told at a temperature that
  leaves even the smallest one a number, are brought back to 1.
- Over the whole vocabulary: the server tells the model's own probability of the token that it draws, before any lift.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.model.gguf.server import LlamaServer
from engine.model.gguf.vocabulary import Vocabulary

_LIFT = 200.0
"""Added to the logits of tokens in question: more than logits of any model differ by."""
_BAIT = 150.0
"""Added beside this to the bait's: no other is drawn, and theirs are still numbers."""
_FLAT = 4.0
"""The temperature at which shares are told."""
_LEAST = -87.0 * _FLAT
"""The logarithm of a share that is too small to be told."""
_BAITS = 64
_FEW = 512
"""Tokens of which all are told: telling takes longer than drawing again."""
_DRAWS = 8
"""Requests until a whole token is drawn."""


@dataclass(frozen=True)
class Drawn:
    """A token that was drawn. log: its log-probability over the whole vocabulary. others: of the most probable."""

    token: int
    log: float
    others: list[tuple[int, float]]


class Probabilities:
    """Asks one server."""

    def __init__(self, server: LlamaServer, vocabulary: Vocabulary) -> None:
        self._server = server
        self.rows = len(vocabulary)
        whole = (
            token for token in range(self.rows) if token not in vocabulary.control_ids and vocabulary.is_whole(token)
        )
        control = sorted(vocabulary.control_ids - vocabulary.ends) + sorted(vocabulary.ends)
        self._baits = [*control, *islice(whole, _BAITS)]
        self._is_whole = vocabulary.is_whole

    def among(
        self, ids: Sequence[int], legal: NDArray[np.int64], most: int, stop: Event | None = None
    ) -> list[tuple[int, float]]:
        """The most probable of some tokens, at most `most`, with their log-probabilities over these alone, best first.

        Of more than a few, those are left out whose probability is no number.
        """
        if len(legal) == 1:
            return [(int(legal[0]), 0.0)]
        if len(legal) > _FEW and (found := self._among_many(ids, legal, most, stop)):
            return found
        return self.all_of(ids, legal.tolist(), stop)[:most]

    def all_of(self, ids: Sequence[int], tokens: Sequence[int], stop: Event | None = None) -> list[tuple[int, float]]:
        """Some tokens with their log-probabilities over these alone, best first, told beside a bait."""
        if len(tokens) == 1:
            return [(tokens[0], 0.0)]
        bait = self._bait(tokens)
        body = {
            "samplers": ["top_k", "temperature"],
            "top_k": len(tokens) + 1,
            "temperature": _FLAT,
            "logit_bias": [*([token, _LIFT] for token in tokens), [bait, _LIFT + _BAIT]],
            "n_probs": len(tokens) + 1,
            "post_sampling_probs": True,
        }
        told = {one["id"]: one["prob"] for one in self._told(ids, body, stop)["top_probs"] if one["id"] != bait}
        logs = {token: _FLAT * math.log(share) for token, share in told.items() if share > 0}
        if not logs or not logs.keys() <= set(tokens):
            raise self._server.failed("it tells other tokens than asked for")
        top = max(logs.values())
        total = top + math.log(sum(math.exp(log - top) for log in logs.values()))
        missing = [(token, _LEAST) for token in tokens if token not in logs]
        found = [(token, log - total) for token, log in logs.items()]
        return sorted([*found, *missing], key=lambda one: -one[1])

    def levels(
        self, ids: Sequence[int], tokens: Sequence[int], stop: Event | None = None
    ) -> dict[int, tuple[float, float]]:
        """Log-probabilities of some tokens: over these alone, and over the whole vocabulary."""
        whole = [token for token in tokens if self._is_whole(token)]
        asked = list(tokens) if whole else [*tokens, self._bait(tokens)]
        among = dict(self.all_of(ids, asked, stop))
        known = max(whole or asked[-1:], key=lambda token: among[token])
        level = self._own(ids, known, 1, stop).log - among[known]
        top = max(among[token] for token in tokens)
        alone = top + math.log(sum(math.exp(among[token] - top) for token in tokens))
        return {token: (among[token] - alone, among[token] + level) for token in tokens}

    def best(
        self, ids: Sequence[int], most: int, *, slot: int | None = None, stop: Event | None = None
    ) -> list[tuple[int, float]]:
        """The most probable tokens of the whole vocabulary with their log-probabilities, best first.

        slot: of the server, where the prompt is kept.
        """
        return self._own(ids, self._baits[0], most, stop, slot).others

    def draw(self, ids: Sequence[int], body: Mapping[str, Any], most: int, stop: Event | None = None) -> Drawn:
        """Have the server draw a token, as `body` says; and the most probable ones."""
        request = {"n_probs": most, "return_tokens": True, "verbose": True, **body}
        answer = self._server.step(ids, request, stop)
        if content := _content(answer):
            return _drawn(content)
        token = _token_of(answer)
        if token is None:
            raise self._server.failed("it tells no token")
        others = self.best(ids, most, stop=stop)  # it is a part of a character
        log = dict(others).get(token)
        return Drawn(token, self.levels(ids, [token], stop)[token][1] if log is None else log, others)

    def pick(self, ids: Sequence[int], body: Mapping[str, Any], stop: Event | None = None) -> int:
        """Have the server draw a token, as `body` says."""
        token = _token_of(self._server.step(ids, {"return_tokens": True, "verbose": True, **body}, stop))
        if token is None:
            raise self._server.failed("it tells no token")
        return token

    def _among_many(
        self, ids: Sequence[int], legal: NDArray[np.int64], most: int, stop: Event | None
    ) -> list[tuple[int, float]]:
        """The best of very many, told beside one that is drawn at random; none where all that were drawn are parts."""
        body = restricted(legal, self.rows) | {"n_probs": most, "post_sampling_probs": True, "temperature": 1}
        for seed in range(_DRAWS):
            content = _content(self._server.step(ids, body | {"seed": seed}, stop))
            if content is not None:
                told = [(int(one["id"]), float(one["prob"])) for one in content["top_probs"]]
                return [(token, math.log(share)) for token, share in told if share > 0]
        return []

    def _own(self, ids: Sequence[int], token: int, most: int, stop: Event | None, slot: int | None = None) -> Drawn:
        """The model's own probability of a token, which is whole, and of the most probable ones."""
        body: dict[str, Any] = {"samplers": ["top_k"], "top_k": 1, "logit_bias": [[token, _LIFT]], "n_probs": most}
        found = _drawn(self._told(ids, body | ({} if slot is None else {"id_slot": slot}), stop))
        if found.token != token:
            raise self._server.failed("it tells another token than asked for")
        return found

    def _told(self, ids: Sequence[int], body: Mapping[str, Any], stop: Event | None) -> dict[str, Any]:
        content = _content(self._server.step(ids, body, stop))
        if content is None:
            raise self._server.failed("it tells no probabilities")
        return content

    def _bait(self, tokens: Collection[int]) -> int:
        """A token that is none of these."""
        taken = set(tokens)
        found = next((token for token in self._baits if token not in taken), None)
        if found is None:
            found = next(token for token in range(self.rows) if token not in taken and self._is_whole(token))
        return found


def restricted(legal: NDArray[np.int64], rows: int, *, ban: bool = False) -> dict[str, Any]:
    """What leaves only some tokens: these are lifted above all others, or the others are banned, whichever is shorter.

    ban: the logits of legal tokens stay what they are.
    """
    if not ban and len(legal) <= rows // 2:
        return {"samplers": ["top_k"], "top_k": len(legal), "logit_bias": [[token, _LIFT] for token in legal.tolist()]}
    banned = np.setdiff1d(np.arange(rows), legal)
    return {"samplers": [], "logit_bias": [[token, False] for token in banned.tolist()]}


def _content(answer: dict[str, Any]) -> dict[str, Any] | None:
    """What is told of the token that was drawn; None where it is a part of a character."""
    content = (answer["choices"][0].get("logprobs") or {}).get("content")
    return dict(content[0]) if content else None


def _drawn(content: dict[str, Any]) -> Drawn:
    others = [(int(one["id"]), float(one["logprob"])) for one in content["top_logprobs"]]
    return Drawn(int(content["id"]), float(content["logprob"]), others)


def _token_of(answer: dict[str, Any]) -> int | None:
    tokens = (answer.get("__verbose") or {}).get("tokens")
    return int(tokens[0]) if tokens else None
