"""Beam search over the server, one forward pass a beam and token.

As `transformers` does it (5.24, `generate` with early_stopping=False and length_penalty=1): answers that are over are
compared by their mean log-probability a token; the search ends when no beam can still be better than the worst of them.
Each beam has a slot of the server, where its prompt stays read.
"""

import heapq
from collections.abc import Collection, Sequence
from threading import Event

from engine.model.gguf.probabilities import Probabilities
from engine.model.gguf.server import SLOTS

Beam = tuple[float, list[int]]
"""The sum of log-probabilities, and the tokens."""


def search(
    ask: Probabilities,
    prompt: Sequence[int],
    *,
    beams: int,
    most: int,
    ends: Collection[int],
    room: int,
    penalty: float = 1.0,
    stop: Event | None = None,
) -> tuple[list[int], bool]:
    """The tokens of the best answer before its end token, and whether there was one.

    most: new tokens. room: tokens that all slots hold together. penalty: of tokens that an answer holds already.

    Raises:
        Cancelled: `stop` was set.
    """
    slots = SLOTS if min(beams, SLOTS) * (len(prompt) + most) <= room else 1
    running: list[Beam] = [(0.0, [])]
    over: list[tuple[float, list[int]]] = []
    for length in range(1, most + 1):
        found = [
            (score + log, [*tokens, token])
            for number, (score, tokens) in enumerate(running)
            for token, log in _next(ask, [*prompt, *tokens], tokens, beams, penalty, number % slots, stop)
        ]
        best = heapq.nlargest(2 * beams, found, key=lambda one: one[0])
        for place, (score, tokens) in enumerate(best):
            if place < beams and (tokens[-1] in ends or length == most):
                over.append((score / length, tokens))
        over = heapq.nlargest(beams, over, key=lambda one: one[0])
        running = [one for one in best if one[1][-1] not in ends][:beams]
        if not running or (len(over) == beams and running[0][0] / length <= over[-1][0]):
            break
    tokens = over[0][1]
    return (tokens[:-1], True) if tokens[-1] in ends else (tokens, False)


def _next(
    ask: Probabilities,
    ids: Sequence[int],
    written: Sequence[int],
    beams: int,
    penalty: float,
    slot: int,
    stop: Event | None,
) -> list[tuple[int, float]]:
    """The most probable next tokens with their log-probabilities, as many as a beam may contribute."""
    seen = set(written) if penalty != 1 else set()
    wanted = 2 * beams + len(seen)
    told = ask.best(ids, wanted, slot=slot, stop=stop)
    return [(token, log * penalty if token in seen else log) for token, log in told]
