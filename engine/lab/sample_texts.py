"""Built-in texts for sweeps: made-up news, the same ones every time, of even or of mixed lengths."""

import random
from itertools import cycle
from typing import Literal

from engine.types import ClassifyRequest, ExtractRequest, FieldSpec

Language = Literal["zh", "en"]

NEWS: dict[Language, str] = {
    "zh": "昨日三大股指集体收跌。张三在北京的一家公司上班，电话13800138000。央行下调存款准备金率0.5个百分点。"
    "国家队在预赛中以2比1战胜对手，李雷在上海看了比赛，当晚释放了约1万亿元资金的消息传来。",
    "en": "The maker of phones said on Monday that revenue rose 5% to $94.8 billion. Ann Lee moved to London in 2024 "
    "and works for a bank there. The home side won 3-1 after extra time, and Tom Smith of Leeds saw it.",
}
LABELS: dict[Language, tuple[str, ...]] = {
    "zh": ("财经", "体育", "科技", "娱乐"),
    "en": ("finance", "sports", "science", "culture"),
}
FIELDS: dict[Language, tuple[str, ...]] = {"zh": ("人名", "地名", "机构"), "en": ("person", "place", "company")}

_EVEN = 100
_SHORTEST, _LONGEST = 20, 180


def sample_texts(language: Language, mixed: bool, count: int = 64) -> tuple[str, ...]:
    """Different stretches of made-up news: of 100 characters each, or of 20 to 180, any length as often as any other.

    count: how many; the first ones are the same for any count.
    """
    news, draw = NEWS[language], random.Random(1)  # noqa: S311 - nothing is kept secret
    starts = cycle(draw.sample(range(len(news)), len(news)))
    made: dict[str, None] = {}
    while len(made) < count:
        start = next(starts)
        length = draw.randint(_SHORTEST, _LONGEST) if mixed else _EVEN
        stretch = (news * 3)[start : start + length].strip()
        if stretch in made:  # there are few places to begin at: a number makes it another one
            stretch = f"{len(made)} {stretch}"[:length]
        made[stretch] = None
    return tuple(made)


def sample_request(language: Language, task: Literal["classify", "extract"]) -> ClassifyRequest | ExtractRequest:
    """What is asked of the built-in texts, with none of them in it yet."""
    if task == "classify":
        return ClassifyRequest("", LABELS[language])
    return ExtractRequest("", tuple(map(FieldSpec, FIELDS[language])))
