"""Writes answers under grammars, token by token: at each choice the server tells the best of the legal tokens.

The grammar is followed here (`engine.model.constraint`), over the file's own tokens; what it leaves no choice about is
read together with the next choice.
"""

from collections.abc import Sequence
from threading import Event

from engine.model.backend import Decoded
from engine.model.constraint import ExtractConstraint
from engine.model.gguf.probabilities import Probabilities


def decode(
    ask: Probabilities, prompt: Sequence[int], constraint: ExtractConstraint, limit: int, stop: Event | None
) -> tuple[Decoded, int]:
    """The most probable legal answer, greedily; and the forward passes made."""
    logs: list[float] = []
    forced = forwards = 0
    while not constraint.done and len(constraint.tokens) < limit:
        tokens = constraint.forced()
        if not tokens:
            legal = constraint.legal()
            if len(legal) > 1:
                token, log = ask.among([*prompt, *constraint.tokens], legal, 1, stop)[0]
                constraint.accept([token])
                logs.append(log)
                forwards += 1
                continue
            tokens = legal.tolist()
        constraint.accept(tokens)
        logs += [0.0] * len(tokens)
        forced += len(tokens)
    return _result(constraint, logs, forced), forwards


def _result(constraint: ExtractConstraint, logs: list[float], forced: int) -> Decoded:
    """The answer, closed if it is at its limit."""
    written, taken_back = len(constraint.answer), 0
    if not constraint.done:
        written, kept = constraint.close()
        taken_back = len(logs) - kept
        # the first token written anew stands for the one taken back there: where a value ends was a choice
        logs = [*logs[: kept + 1], *[0.0] * len(constraint.tokens)][: len(constraint.tokens)]
    return Decoded(tuple(map(constraint.piece, constraint.tokens)), tuple(logs), forced, written, taken_back)
