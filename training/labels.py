"""Trains the label adapters: small changes to the encoder's last layers that bring texts nearer to their labels.

Texts of public intent rows and of our own domains are told from other labels of their set; meanwhile the vectors of
ordinary sentences are held where they were, so that what the encoder knows beside these sets stays. Only part of the
change is kept in the end (Wortsman et al. 2022, arXiv:2109.01903: between the old weights and the new ones lies what
serves both). Seeded, on the CPU.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.model.encoder.head import AdaptedLayers, HeadShape
from engine.model.encoder.languages import LANGUAGES, TEMPLATES, language_of
from engine.model.encoder.sentences import Reader
from training.rows import Row

DOMAINS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "news_finance": (("财经", "金融", "经济", "股票"), ("finance", "business", "economy", "stock market")),
    "sports": (("体育", "运动", "体育新闻", "赛事"), ("sports", "sport", "games", "competitions")),
    "entertainment": (("娱乐", "影视音乐", "文艺", "明星"), ("entertainment", "film and music", "show business")),
    "news": (("时政", "社会新闻", "国际新闻"), ("politics", "world news", "current affairs")),
    "medical": (("健康", "医疗", "医学"), ("health", "medicine", "medical care")),
    "customer_service": (("客户服务", "售后", "投诉咨询"), ("customer service", "support request", "complaint")),
    "contracts": (("合同", "法律", "协议条款"), ("contract", "law", "agreement")),
    "e_commerce": (("购物", "商品评价", "电商"), ("shopping", "product review", "online shop")),
    "cvs": (("求职招聘", "简历", "职场"), ("job application", "careers", "curriculum vitae")),
    "encyclopaedia": (("百科知识", "科普"), ("general knowledge", "encyclopaedia")),
    "office": (("办公事务", "通知公告"), ("office work", "notice")),
}
"""Labels of a domain's texts, in Chinese and English; at each time a text is told from the others by one of them."""

_OPINIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "pros": (("好评", "正面", "积极", "满意"), ("positive", "praise", "satisfied")),
    "cons": (("差评", "负面", "消极", "不满意"), ("negative", "criticism", "dissatisfied")),
}
"""Labels of a text that names only what is good, or only what is bad."""

_INTENTS = {"clinc150": 4000, "banking77": 3000, "snips_intent": 1000}
"""Public rows of intents, and how many are read at most."""


@dataclass(frozen=True)
class LabelSettings:
    """How the label adapters are trained. `kept`: the share of the change that is kept. `hold`: weight of what holds
    ordinary sentences."""

    seed: int = 7
    steps: int = 360
    batch: int = 32
    others: int = 10
    rate: float = 3e-4
    temperature: float = 0.07
    hold: float = 20.0
    kept: float = 0.6


@dataclass(frozen=True)
class LabelSet:
    """Texts with the index of their label's group. A group holds names of one label; sentences are made of any."""

    name: str
    spoken: str
    texts: tuple[str, ...]
    right: tuple[int, ...]
    groups: tuple[tuple[str, ...], ...]


def label_sets(folder: Path, rows: Sequence[Row], wanted: Callable[[str], bool], rng: random.Random) -> list[LabelSet]:
    """The public intents whose texts are wanted, and our own rows by domain and by opinion, in both languages."""
    made = []
    for corpus, most in _INTENTS.items():
        lines = (folder / f"{corpus}_train.jsonl").read_text("utf-8").splitlines()
        read = [json.loads(line) for line in lines]
        labels = sorted({one["gold"] for one in read})
        read = [one for one in read if wanted(one["text"])]
        chosen = rng.sample(read, min(most, len(read)))
        right = tuple(labels.index(one["gold"]) for one in chosen)
        texts = tuple(one["text"] for one in chosen)
        made.append(LabelSet(corpus, "en", texts, right, tuple((one,) for one in labels)))
    for number, spoken in enumerate(LANGUAGES):
        own = [row for row in rows if row.source.startswith(f"written {spoken} ")]
        pairs = [(row.text, domain) for row in own if (domain := row.source.split()[-1]) in DOMAINS]
        made.append(_labelled("domains", spoken, rng.sample(pairs, min(3000, len(pairs))), DOMAINS, number))
        opinions = [(row.text, next(iter(found))) for row in own if len(found := _opinions(row)) == 1]
        made.append(_labelled("opinions", spoken, opinions[:1000], _OPINIONS, number))
    return [one for one in made if one.texts]


def train_labels(
    reader: Reader,
    sets: Sequence[LabelSet],
    ordinary: Sequence[str],
    shape: HeadShape,
    settings: LabelSettings,
    report: Callable[[str], None] = print,
) -> AdaptedLayers:
    """Trained adapters, already weakened to the share that is kept.

    ordinary: sentences whose vectors are held; their means by language are what is taken away.
    """
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)  # noqa: S311 - drawing examples is no secret
    encoder = reader.encoder
    adapted = AdaptedLayers(encoder, shape.labels_from, len(encoder.layers), shape.labels_rank)
    trained = [one for name, one in adapted.named_parameters() if "norm" not in name]
    for name, one in adapted.named_parameters():
        one.requires_grad_("norm" not in name)
    below = _Below(reader, shape.labels_from)
    held = [below(text) for text in ordinary]
    with torch.inference_mode():
        before = torch.cat([reader.pool(held[at : at + 32], adapted) for at in range(0, len(held), 32)])
    spoken = [language_of(text) for text in ordinary]
    centres = {one: before[[own == one for own in spoken]].mean(0) for one in LANGUAGES}
    optimiser = torch.optim.AdamW(trained, lr=settings.rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / 20) * (1 - step / settings.steps)
    )
    sizes = [len(one.texts) for one in sets]
    for step in range(settings.steps):
        own = rng.choices(sets, sizes)[0]
        texts = rng.sample(range(len(own.texts)), min(settings.batch, len(own.texts)))
        needed = sorted({own.right[one] for one in texts})
        beside = [one for one in range(len(own.groups)) if one not in needed]
        groups = needed + rng.sample(beside, min(settings.others, len(beside)))
        template = rng.choice([*TEMPLATES[own.spoken], "{}"])
        sentences = [template.format(rng.choice(own.groups[one])) for one in groups]
        vectors = reader.pool([below(own.texts[one]) for one in texts], adapted) - centres[own.spoken]
        labels = reader.pool([below(one) for one in sentences], adapted) - centres[own.spoken]
        logits = F.normalize(vectors, dim=1) @ F.normalize(labels, dim=1).T / settings.temperature
        loss = F.cross_entropy(logits, torch.tensor([groups.index(own.right[one]) for one in texts]))
        kept = rng.sample(range(len(held)), 16)
        moved = (1 - (reader.pool([held[one] for one in kept], adapted) * before[kept]).sum(1)).mean()
        optimiser.zero_grad(set_to_none=True)
        (loss + settings.hold * moved).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        schedule.step()
        if step % 60 == 0:
            report(f"labels: step {step}/{settings.steps} loss {loss.item():.3f} moved {moved.item():.4f}")
    adapted.weaken(settings.kept)
    return adapted.requires_grad_(False).eval()


class _Below:
    """States under the adapters, in fp16, remembered by text."""

    def __init__(self, reader: Reader, layers: int) -> None:
        self._reader, self._layers = reader, layers
        self._known: dict[str, Tensor] = {}

    def __call__(self, text: str) -> Tensor:
        if text not in self._known:
            self._known[text] = self._reader.states_of(text, self._layers).half()
        return self._known[text]


def _opinions(row: Row) -> set[str]:
    return {one.concept for one in row.spans} & set(_OPINIONS)


def _labelled(
    name: str,
    spoken: str,
    pairs: Sequence[tuple[str, str]],
    labels: dict[str, tuple[tuple[str, ...], tuple[str, ...]]],
    number: int,
) -> LabelSet:
    """number: the language's place in the labels' pairs."""
    order = list(labels)
    texts, right = tuple(text for text, _ in pairs), tuple(order.index(label) for _, label in pairs)
    return LabelSet(name, spoken, texts, right, tuple(labels[one][number] for one in order))
