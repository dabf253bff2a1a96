"""Scores answers by what a server tells: the log-probabilities of a prompt's own tokens, or those of next tokens only.

The first way reads prompt and answer in one piece and knows every token. The second walks from the prompt's end: at
each place where answers differ, the server's most probable next tokens are matched with how the answers go on, and
their probabilities are shared out among the answers. What an answer gets is a probability among the answers, as
constrained decoding would give it; an answer that no reported token begins has none.
"""

import heapq
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from os.path import commonprefix

from engine.errors import WorkbenchError
from engine.model.backend import Scores
from engine.model.remote.shapes import Told, ends_a_turn, readable
from engine.model.trie import Trie
from engine.types import Note

_LEAST_SHARE = 1e-4
"""Of the whole: less is not looked into, for it changes no figure that is shown."""
_MOST_STEPS = 128
"""Requests that one set of answers may take."""
_MOST_LOST = 0.01
"""Of the whole: an answer that shares more with others that it cannot be told from has no probability."""

Tokens = Sequence[tuple[str, float | None]]
Step = Callable[[str, Sequence[str]], Awaitable[Sequence[Told]]]
"""The first tokens that a server writes after the prompt and a text, and how each answer goes on from there."""


def by_prompts(alone: Tokens, whole: Sequence[Tokens]) -> Scores:
    """Scores from the tokens of the prompt alone, and of the prompt with each answer.

    An answer's tokens begin where the first of all answers leaves the prompt's: a tokenizer may join what stands on
    both sides of the border.

    Raises:
        ValueError: an answer has no tokens of its own, or one without a log-probability.
    """
    start = max(1, min(_common(alone, one) for one in whole))
    logs: list[tuple[float, ...]] = []
    numbers: dict[str, int] = {}
    sequences = []
    for one in whole:
        own = one[start:]
        known = tuple(log for _, log in own if log is not None)
        if not own or len(known) < len(own):
            raise ValueError("logprobs")
        logs.append(known)
        sequences.append([numbers.setdefault(key, len(numbers)) for key, _ in own])
    trie = Trie.build(sequences)
    each = {node: log for path, own in zip(trie.paths, logs, strict=True) for node, log in zip(path, own, strict=True)}
    siblings: dict[int, float] = {}
    for nodes in trie.children().values():
        total = _log_sum([each[node] for node in nodes])
        siblings |= {node: each[node] - total for node in nodes}
    return Scores(tuple(tuple(siblings[node] for node in path) for path in trie.paths), tuple(logs), len(trie.tokens))


def _common(one: Tokens, other: Tokens) -> int:
    pairs = zip(one, other, strict=False)
    return next((place for place, (left, right) in enumerate(pairs) if left[0] != right[0]), min(len(one), len(other)))


def _log_sum(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + math.log(sum(math.exp(log - top) for log in logs)) if top > -math.inf else 0.0


@dataclass(frozen=True)
class _Branch:
    """Answers that go on alike so far: what was read of them after the prompt, and their share of the whole.

    text: None where they part within a character, after which no prompt can end.
    """

    text: str | None
    members: tuple[int, ...]
    share: float


async def by_steps(step: Step, answers: Sequence[str], *, again: bool = False) -> Scores:
    """Scores from next tokens, step by step; see the module.

    again: whether a step with fewer ways to go on tells more: where the server writes one of these, and tells its
        probability among all tokens.

    Raises:
        WorkbenchError: `remote_no_scores` where no answer has a probability, or most of it is shared by answers that
            cannot be told apart.
    """
    shares = [0.0] * len(answers)
    lost: dict[int, float] = {}
    order = count()
    ahead = [(-1.0, next(order), _Branch("", tuple(range(len(answers))), 1.0))]
    steps = 0
    if len(answers) == 1:
        shares, ahead = [1.0], []
    while ahead:
        branch = heapq.heappop(ahead)[2]
        if branch.share < _LEAST_SHARE:
            break
        told: dict[bytes, float] = {}
        left = branch.members if branch.text is not None else ()
        while left and steps < _MOST_STEPS:
            steps += 1
            ways = [answers[one][len(branch.text or "") :] for one in left]
            told |= _alternatives(await step(branch.text or "", ways))
            still = tuple(one for one in left if not any(_fits(branch, token, answers[one]) for token in told))
            if not again or still == left:
                break
            left = still
        parted = _parted(branch, told, answers)
        if not parted:
            lost |= {one: lost.get(one, 0.0) + branch.share for one in branch.members}
        for one in parted:
            if len(one.members) == 1:
                shares[one.members[0]] += one.share
            else:
                heapq.heappush(ahead, (-one.share, next(order), one))
    return _scores(answers, shares, lost, steps)


def _scores(answers: Sequence[str], shares: list[float], lost: dict[int, float], steps: int) -> Scores:
    """What the shares say. lost: by answer, what it shares with others that it cannot be told from."""
    unclear = {one for one, share in lost.items() if share > _MOST_LOST}
    shares = [0.0 if one in unclear else share for one, share in enumerate(shares)]
    total = sum(shares)
    if total <= max(lost.values(), default=0.0):
        raise WorkbenchError("remote_no_scores")
    untold = [answer.strip() for answer, share in zip(answers, shares, strict=True) if not share]
    notes = (Note("labels_untold", {"labels": ", ".join(untold)}),) if untold else ()
    siblings = tuple((math.log(share / total) if share else -math.inf,) for share in shares)
    return Scores(siblings, None, steps, notes)


def _fits(branch: _Branch, token: bytes, answer: str) -> bool:
    """Whether an answer goes on from a branch with a token, or is whole within it."""
    rest, own = answer[len(branch.text or "") :].encode("utf-8", "replace"), _own(token)
    return rest.startswith(own) or own.startswith(rest)


def _own(token: bytes) -> bytes:
    """A token as an answer would have it: the end of a turn is a line's."""
    return b"\n" if ends_a_turn(token) else token


def _parted(branch: _Branch, told: dict[bytes, float], answers: Sequence[str]) -> list[_Branch]:
    """The branches that a branch's next tokens part it into, its share shared out by their probabilities."""
    weights: dict[tuple[str | None, tuple[int, ...]], float] = {}
    for token, log in told.items():
        members = tuple(one for one in branch.members if _fits(branch, token, answers[one]))
        if members:
            rests = [answers[one][len(branch.text or "") :] for one in members]
            read = _whole(_own(token), rests)
            way = (None if read is None else (branch.text or "") + read, members)
            weights[way] = weights.get(way, 0.0) + math.exp(log)
    total = sum(weights.values())
    if not total:
        return []
    return [_Branch(text, members, branch.share * weight / total) for (text, members), weight in weights.items()]


def _whole(own: bytes, rests: Sequence[str]) -> str | None:
    """A token's characters; one that ends within a character with the rest of it, where all answers have the same."""
    text = readable(own)
    if text.encode("utf-8", "replace") == own:
        return text
    common = commonprefix(list(rests))  # noqa: RUF071 - character by character it shall be
    return next((common[:size] for size in range(len(common) + 1) if common[:size].encode().startswith(own)), None)


def _alternatives(told: Sequence[Told]) -> dict[bytes, float]:
    """Every token that is told of the first place, the one that was written included."""
    return dict(told[0].others) | {told[0].raw: told[0].log} if told else {}
