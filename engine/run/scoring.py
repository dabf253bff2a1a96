"""From token log-probabilities to label probabilities: the variants that were measured, and the one that is used.

Sources: sums and means over tokens as in GPT-3's evaluation (Brown et al. 2020, arXiv:2005.14165, §2.4); the prior
correction by a content-free prompt is contextual calibration (Zhao et al. 2021, arXiv:2102.09690) in the form of
domain-conditional PMI (Holtzman et al. 2021, arXiv:2104.08315); `siblings` is constrained decoding's own probability,
a walk down the label trie. Figures: docs/accuracy.md. It runs no model.
"""

import math
from collections.abc import Sequence
from typing import Literal

from engine.model.backend import Scores

Variant = Literal["sum", "sum_end", "mean", "mean_end", "siblings"]
VARIANTS: tuple[Variant, ...] = ("sum", "sum_end", "mean", "mean_end", "siblings")


def label_logits(scores: Scores, variant: Variant, ending_tokens: int) -> list[float]:
    """One logit a label. `ending_tokens`: how many of each answer's last tokens are the ending, not the label."""
    if variant == "siblings":
        return [sum(tokens) for tokens in scores.siblings]
    if scores.vocabulary is None:
        raise ValueError(f"{variant} needs log-probabilities over the vocabulary")
    with_end = variant.endswith("_end")
    logits = []
    for tokens in scores.vocabulary:
        used = tokens if with_end or not ending_tokens else tokens[:-ending_tokens]
        logits.append(sum(used) / (len(used) if variant.startswith("mean") else 1))
    return logits


def correct_prior(logits: Sequence[float], prior: Sequence[float]) -> list[float]:
    """Subtract what the labels score without any text: pointwise mutual information."""
    return [logit - free for logit, free in zip(logits, prior, strict=True)]


def softmax(logits: Sequence[float]) -> list[float]:
    """Probabilities that sum to 1."""
    top = max(logits)
    weights = [math.exp(logit - top) for logit in logits]
    total = sum(weights)
    return [weight / total for weight in weights]
