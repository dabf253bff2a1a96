"""What is fitted once the head is trained: centres of texts and labels, the temperature, when no label fits.

Labels are weighed against texts of public intent rows and of our own texts' domains, a few labels at a time. The
temperature is the one of least log loss (Guo et al. 2017, arXiv:1706.04599); whether any label fits is a logistic
regression on the best label's cosine, with the right label among the others or not.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.model.encoder.offline import LANGUAGES, TEMPLATES, EncoderBackend, language_of
from engine.text.concepts import concepts
from training.rows import Row

DOMAINS = {
    "news_finance": ("财经", "finance"),
    "news": ("时政新闻", "current affairs"),
    "sports": ("体育", "sports"),
    "entertainment": ("娱乐", "entertainment"),
    "customer_service": ("客户服务", "customer service"),
    "contracts": ("合同", "contracts"),
    "e_commerce": ("购物评价", "shopping"),
    "cvs": ("求职简历", "job applications"),
    "medical": ("医疗健康", "health"),
    "encyclopaedia": ("百科知识", "general knowledge"),
    "office": ("办公事务", "office work"),
}
"""Label of a domain's texts, in Chinese and English."""

_INTENTS = ("banking77", "clinc150", "snips_intent")
_TEXTS = 600
_CENTRE_TEXTS = 1500


@dataclass(frozen=True)
class Trial:
    """A text's cosines to some labels. `right`: the index of the right one, None where it is not among them."""

    cosines: Tensor
    right: int | None


def centres(
    backend: EncoderBackend, rows: Sequence[Row], rng: random.Random
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Of each language, the mean vector of texts, and of label sentences."""
    texts, labels = {}, {}
    for spoken in LANGUAGES:
        own = [row.text for row in rows if language_of(row.text) == spoken]
        texts[spoken] = backend.vectors(rng.sample(own, min(_CENTRE_TEXTS, len(own)))).mean(0)
        names = [name for one in concepts().values() for name in (one.zh if spoken == "zh" else one.en)[:4]]
        names += [pair[LANGUAGES.index(spoken)] for pair in DOMAINS.values()]
        made = [backend.vectors([template.format(name) for name in names]) for template in TEMPLATES[spoken]]
        labels[spoken] = torch.stack(made).mean((0, 1))
    return texts, labels


def trials(backend: EncoderBackend, folder: Path, rows: Sequence[Row], rng: random.Random) -> list[Trial]:
    """Texts against a few labels each: the right one and others, or only others."""
    made = []
    for texts, right, labels in _sets(folder, rows, rng):
        cosines = backend.cosines(texts, labels)
        for row, answer in zip(cosines, right, strict=True):
            place = labels.index(answer)
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


def calibration_error(made: Sequence[Trial], temperature: float, bins: int = 10) -> float:
    """Expected calibration error of the chosen labels' probabilities (Guo et al. 2017), over sets with the right one."""
    pairs = []
    for one in made:
        if one.right is not None:
            top, place = (one.cosines / temperature).softmax(0).max(0)
            pairs.append((top.item(), float(place.item() == one.right)))
    error = 0.0
    for number in range(bins):
        own = [pair for pair in pairs if number / bins < pair[0] <= (number + 1) / bins]
        if own:
            error += abs(sum(sure for sure, _ in own) - sum(right for _, right in own)) / len(pairs)
    return error


def _log_loss(made: Sequence[Trial], temperature: float) -> float:
    return -sum((one.cosines / temperature).log_softmax(0)[one.right or 0].item() for one in made) / len(made)


def _sets(folder: Path, rows: Sequence[Row], rng: random.Random) -> list[tuple[list[str], list[str], list[str]]]:
    """(texts, right labels, all labels) of each corpus of intents, and of our texts by domain in each language."""
    made = []
    for corpus in _INTENTS:
        lines = (folder / f"{corpus}_train.jsonl").read_text("utf-8").splitlines()
        read = [json.loads(line) for line in lines]
        labels = sorted({one["gold"] for one in read})
        chosen = rng.sample(read, min(_TEXTS, len(read)))
        made.append(([one["text"] for one in chosen], [one["gold"] for one in chosen], labels))
    for number, spoken in enumerate(LANGUAGES):
        own = [row for row in rows if row.source.startswith(f"written {spoken} ") and _domain(row) in DOMAINS]
        chosen_rows = rng.sample(own, min(_TEXTS, len(own)))
        right = [DOMAINS[_domain(row)][number] for row in chosen_rows]
        made.append(([row.text for row in chosen_rows], right, [pair[number] for pair in DOMAINS.values()]))
    return made


def _domain(row: Row) -> str:
    return row.source.split()[-1]
