"""From token log-probabilities to label probabilities: the variants that were measured, and the one that is used.

Sources: sums and means over tokens as in GPT-3's evaluation (Brown et al. 2020, arXiv:2005.14165, section 2.4); the
prior correction by a content-free prompt is contextual calibration (Zhao et al. 2021, arXiv:2102.09690) in the form of
domain-conditional PMI (Holtzman et al. 2021, arXiv:2104.08315); `siblings` is constrained decoding's own probability,
a walk down the label trie. Figures: docs/accuracy.md. It runs no model.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.model.backend import Scores
from engine.types import ProtocolName

Variant = Literal["sum", "mean", "siblings"]
VARIANTS: tuple[Variant, ...] = ("sum", "mean", "siblings")


@dataclass(frozen=True)
class Scoring:
    """How labels are scored under one prompt protocol.

    variant: how the log-probabilities of a label's tokens, its ending's included, become one logit.
    prior: the content-free text whose logits are subtracted; None for no correction.
    weight: the share of the prior that is subtracted, 0..1.
    """

    variant: Variant
    prior: str | None = None
    weight: float = 1.0


SCORING: dict[ProtocolName, Scoring] = {
    "seqgpt": Scoring("siblings"),
    "chat": Scoring("mean", prior="N/A"),
    "plain": Scoring("mean", prior="N/A"),
    "listed": Scoring("siblings"),
}
"""What measured best with the offline model (docs/accuracy.md); SeqGPT's own weights could not be measured here, nor a
server that tells the probabilities of its next tokens only (`listed`): there is nothing else to score by."""


def label_logits(scores: Scores, variant: Variant) -> list[float]:
    """One logit a label."""
    if variant == "siblings":
        return [sum(tokens) for tokens in scores.siblings]
    if scores.vocabulary is None:
        raise ValueError(f"{variant} needs log-probabilities over the vocabulary")
    return [sum(tokens) / (len(tokens) if variant == "mean" else 1) for tokens in scores.vocabulary]


def correct_prior(logits: Sequence[float], prior: Sequence[float], weight: float = 1.0) -> list[float]:
    """Subtract what the labels score without any text: pointwise mutual information."""
    return [logit - weight * free for logit, free in zip(logits, prior, strict=True)]


def softmax(logits: Sequence[float]) -> list[float]:
    """Probabilities that sum to 1."""
    top = max(logits)
    weights = [math.exp(logit - top) for logit in logits]
    total = sum(weights)
    return [weight / total for weight in weights]
