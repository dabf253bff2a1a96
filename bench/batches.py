"""Many requests in steps of several sizes: what a text costs, and how long a step keeps others waiting.

    python -m bench.batches [--model offline] [--texts 64] [--sizes 1 4 8 16 32] [--threads 2]

Stretches of made-up news, 20 to 180 characters long, are classified and extracted from through `Workbench.many`, with
the steps' limit of characters lifted. Seconds of the processors count a busy machine less than those of the clock do.
The results cache plays no part in batches. It tunes nothing.
"""

import argparse
import random
import time
from itertools import pairwise

from engine.errors import WorkbenchError
from engine.run import batch
from engine.run.workbench import Workbench
from engine.settings import load_settings
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec

NEWS = {
    "zh": "昨日三大股指集体收跌。张三在北京的一家公司上班，电话13800138000。央行下调存款准备金率0.5个百分点。"
    "国家队在预赛中以2比1战胜对手，李雷在上海看了比赛，当晚释放了约1万亿元资金的消息传来。",
    "en": "The maker of phones said on Monday that revenue rose 5% to $94.8 billion. Ann Lee moved to London in 2024 "
    "and works for a bank there. The home side won 3-1 after extra time, and Tom Smith of Leeds saw it.",
}
ASKED = {
    "zh": (("财经", "体育", "科技", "娱乐"), ("人名", "地名", "机构")),
    "en": (("finance", "sports", "science", "culture"), ("person", "place", "company")),
}


def requests(language: str, count: int) -> dict[str, list[batch.Request]]:
    """The same texts for both tasks."""
    draw, news = random.Random(1), NEWS[language] * 3  # noqa: S311 - nothing is kept secret
    starts = [draw.randrange(len(NEWS[language])) for _ in range(count)]
    texts = [news[start : start + draw.randrange(20, 180)] for start in starts]
    labels, names = ASKED[language]
    return {
        "classify": [ClassifyRequest(text, labels) for text in texts],
        "extract": [ExtractRequest(text, tuple(map(FieldSpec, names))) for text in texts],
    }


def measure(workbench: Workbench, asked: list[batch.Request], size: int) -> tuple[float, float, float]:
    """Milliseconds of the clock and of the processors a text; and the longest step, in seconds of the clock."""
    ends = [time.perf_counter()]
    worked = time.process_time()
    for row in workbench.many(asked, batch_size=size, report=lambda _done, _total: ends.append(time.perf_counter())):
        if isinstance(row.answer, WorkbenchError):
            raise row.answer
    worked = time.process_time() - worked
    longest = max(end - start for start, end in pairwise(ends))
    return (ends[-1] - ends[0]) * 1e3 / len(asked), worked * 1e3 / len(asked), longest


def main() -> None:
    """One table."""
    options = argparse.ArgumentParser()
    options.add_argument("--model", default="offline")
    options.add_argument("--language", choices=list(NEWS), default="zh")
    options.add_argument("--texts", type=int, default=64)
    options.add_argument("--sizes", type=int, nargs="+", default=[1, 4, 8, 16, 32])
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    batch.CHARACTERS = 1 << 20
    workbench = Workbench(load_settings(model=chosen.model, threads=chosen.threads))
    workbench.load().result()
    print("| task | texts a step | ms a text | processor ms a text | longest step, s |\n|---|---|---|---|---|")
    for task, asked in requests(chosen.language, chosen.texts).items():
        measure(workbench, asked[:1], 1)
        for size in chosen.sizes:
            clock, worked, longest = measure(workbench, asked, size)
            print(f"| {task} | {size} | {clock:.0f} | {worked:.0f} | {longest:.1f} |", flush=True)
    workbench.close()


if __name__ == "__main__":
    main()
