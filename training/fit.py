"""What is fitted once the head is trained: the temperature of labels' probabilities, and when no label fits.

Labels are weighed against texts that were not trained on, a few labels at a time. The temperature is the one of least
log loss (Guo et al. 2017, arXiv:1706.04599); whether any label fits is a logistic regression on the best label's
cosine, with the right label among the others or not.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.model.encoder.offline import EncoderBackend
from training.labels import LabelSet

_TEXTS = 600


@dataclass(frozen=True)
class Trial:
    """A text's cosines to some labels. `right`: the index of the right one, None where it is not among them."""

    cosines: Tensor
    right: int | None


def trials(backend: EncoderBackend, sets: Sequence[LabelSet], rng: random.Random) -> list[Trial]:
    """Texts against a few labels each: the right one and others, or only others."""
    made = []
    for own in sets:
        chosen_texts = rng.sample(range(len(own.texts)), min(_TEXTS, len(own.texts)))
        labels = [names[0] for names in own.groups]
        cosines = backend.cosines([own.texts[one] for one in chosen_texts], labels)
        for row, place in zip(cosines, [own.right[one] for one in chosen_texts], strict=True):
            others = [one for one in range(len(labels)) if one != place]
            chosen = rng.sample(others, min(len(others), rng.randint(2, 12)))
            made.append(Trial(row[[place, *chosen]], 0))
            made.append(Trial(row[chosen], None))
    return made


def fit_temperature(made: Sequence[Trial]) -> float:
    """The divisor of cosines that makes the right labels' log loss least."""
    known = [one for one in made if one.right is not None]
    return min((0.01 * 1.05**step for step in range(60)), key=lambda one: _log_loss(known, one))


def fit_fits(made: Sequence[Trial]) -> tuple[float, float]:
    """Centre and slope of the logistic that tells sets with the right label from sets without."""
    best = torch.stack([one.cosines.max() for one in made])
    there = torch.tensor([float(one.right is not None) for one in made])
    centre, slope = torch.tensor(0.3, requires_grad=True), torch.tensor(10.0, requires_grad=True)
    optimiser = torch.optim.LBFGS([centre, slope], max_iter=200)

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = F.binary_cross_entropy_with_logits(slope * (best - centre), there)
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    return centre.item(), slope.item()


def accuracy(made: Sequence[Trial]) -> float:
    """Share of sets with the right label whose best label it is."""
    known = [one for one in made if one.right is not None]
    return sum(int(one.cosines.argmax()) == one.right for one in known) / len(known)


def told(made: Sequence[Trial], centre: float) -> float:
    """Share of all sets that are rightly said to hold a label that fits, or none."""
    return sum((one.cosines.max().item() >= centre) == (one.right is not None) for one in made) / len(made)


def sureness(made: Sequence[Trial], temperature: float) -> list[tuple[float, bool]]:
    """Of each set with the right label: the best label's probability, and whether it is the right one."""
    best = [((one.cosines / temperature).softmax(0).max(0), one.right) for one in made if one.right is not None]
    return [(top.values.item(), top.indices.item() == right) for top, right in best]


def calibration_error(pairs: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """Expected calibration error (Guo et al. 2017) of probabilities, each with whether it was right."""
    error = 0.0
    for number in range(bins):
        own = [one for one in pairs if number / bins < one[0] <= (number + 1) / bins]
        error += abs(sum(score for score, _ in own) - sum(hit for _, hit in own)) / len(pairs)
    return error


def _log_loss(made: Sequence[Trial], temperature: float) -> float:
    return -sum((one.cosines / temperature).log_softmax(0)[one.right or 0].item() for one in made) / len(made)
