"""Chooses the next token of an answer: the most probable one, or one drawn at random as `Writing` says."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.types import Writing

_FIRST_TRIED = 512
"""Tokens among which the set of `top_p` is looked for before all are sorted."""


@dataclass(frozen=True)
class Choice:
    """A token that was chosen, its probability before any setting, and the most probable others, best first."""

    token: int
    probability: float
    others: tuple[tuple[int, float], ...]


class Sampler:
    """Chooses the tokens of one answer. The same seed draws the same on the same machine."""

    def __init__(self, writing: Writing, alternatives: int) -> None:
        self._writing, self._alternatives = writing, alternatives
        self._random = torch.Generator()
        if writing.seed is None:
            self._random.seed()
        else:
            self._random.manual_seed(writing.seed)

    def choose(self, logits: Tensor, ids: NDArray[np.int64] | None, written: Iterable[int]) -> Choice:
        """Choose one of the legal tokens.

        logits: of these, fp32, shape (tokens,). ids: which they are; None: all, in order. written: the answer's tokens.

        Raises:
            FloatingPointError: the logits are no numbers.
        """
        logits = logits.float().cpu()
        chances = logits.softmax(-1)
        place = self._place(self._penalised(logits, ids, written))
        chance = float(chances[place])
        if math.isnan(chance):
            raise FloatingPointError("the model's logits are no numbers: half precision is too small for it")

        def token(at: int) -> int:
            return at if ids is None else int(ids[at])

        return Choice(token(place), chance, tuple((token(at), share) for at, share in self._others(chances, place)))

    def _others(self, chances: Tensor, place: int) -> list[tuple[int, float]]:
        if not self._alternatives:
            return []
        best, places = chances.topk(min(self._alternatives + 1, len(chances)))
        found = [(at, share) for at, share in zip(places.tolist(), best.tolist(), strict=True) if at != place]
        return found[: self._alternatives]

    def _penalised(self, logits: Tensor, ids: NDArray[np.int64] | None, written: Iterable[int]) -> Tensor:
        penalty = self._writing.repetition_penalty
        if penalty == 1:
            return logits
        seen = np.array(sorted(set(written)), dtype=np.int64)
        places = torch.from_numpy(seen if ids is None else np.flatnonzero(np.isin(ids, seen)))
        own = logits[places]
        return logits.index_put((places,), torch.where(own > 0, own / penalty, own * penalty))

    def _place(self, logits: Tensor) -> int:
        if not self._writing.temperature:
            return int(logits.argmax())
        # Less the largest one first: else a small temperature makes infinities of them.
        chances = ((logits - logits.max()).double() / self._writing.temperature).softmax(-1)
        places = None
        if self._writing.top_p < 1:
            chances, places = _nucleus(chances, self._writing.top_p)
        sums = chances.cumsum(-1)
        drawn = torch.rand(1, generator=self._random, dtype=torch.float64) * sums[-1]
        at = min(int(torch.searchsorted(sums, drawn, right=True)), len(sums) - 1)
        return at if places is None else int(places[at])


def _nucleus(chances: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """The smallest set of the most probable that holds this share, and where they stand."""
    best, places = chances.topk(min(_FIRST_TRIED, len(chances)))
    if float(best.sum()) < share:
        best, places = chances.sort(descending=True, stable=True)
    before = best.cumsum(-1) - best
    kept = int((before < share).sum())
    return best[:kept], places[:kept]
