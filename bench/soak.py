"""Many mixed requests to one process: does its memory grow?

    python -m bench.soak [--model offline] [--precision auto] [--requests 2000] [--warm-up 1000] [--most 1.0]

Texts of 20 to 600 characters, no two alike, in Chinese and English, are classified and extracted from with changing
labels and fields, one at a time and in batches; some are stopped on the way, and some are refused. The caches are as
users have them, and full after the warm-up (a small bound sees to that). Prints the process's memory every tenth of
the way; exits with 1 where the median of the last tenth lies more than `most` percent above that of the first after the
warm-up. It measures no speed.
"""

import argparse
import gc
import random
import statistics
import sys
from collections.abc import Iterator

import psutil

from engine.errors import WorkbenchError
from engine.lab.sample_texts import FIELDS, LABELS, NEWS
from engine.model.memory import give_memory_back
from engine.run.batch import Request
from engine.run.workbench import Workbench
from engine.settings import load_settings
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec

_KEPT = "16m"
"""Of texts and of answers: full after some hundred requests."""
_STEP = 8


def requests(count: int) -> Iterator[Request]:
    """Different ones, always the same."""
    draw = random.Random(7)  # noqa: S311 - nothing is kept secret
    for number in range(count):
        language = draw.choice(list(NEWS))
        start = draw.randrange(len(NEWS[language]))
        text = f"{number}. {(NEWS[language] * 8)[start : start + draw.randrange(20, 600)]}"
        labels, names = LABELS[language], FIELDS[language]
        if draw.random() < 0.5:
            yield ClassifyRequest(text, tuple(draw.sample(labels, draw.randint(2, len(labels)))))
        else:
            yield ExtractRequest(text, tuple(map(FieldSpec, draw.sample(names, draw.randint(1, len(names))))))


def ask(workbench: Workbench, asked: list[Request], number: int) -> None:
    """A step of requests: one by one, together, or with a stop and a refusal among them."""
    if number % 3 == 0:
        for row in workbench.many(asked):
            if isinstance(row.answer, WorkbenchError):
                raise row.answer
        return
    for place, one in enumerate(asked):
        ticket = workbench.classify(one) if isinstance(one, ClassifyRequest) else workbench.extract(one)
        if number % 3 == 2 and place == 0:
            ticket.cancel()
            ticket.wait(60)
            continue
        ticket.result(600)
    try:
        workbench.classify(ClassifyRequest(" ", ("a", "b")))
    except WorkbenchError as error:
        if error.code != "text_empty":
            raise


def main() -> None:
    """Ask, look, compare."""
    options = argparse.ArgumentParser()
    options.add_argument("--model", default="offline")
    options.add_argument("--precision", default="auto")
    options.add_argument("--requests", type=int, default=2000)
    options.add_argument("--warm-up", type=int, default=1000)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--most", type=float, default=1.0)
    chosen = options.parse_args()
    settings = load_settings(
        model=chosen.model, precision=chosen.precision, threads=chosen.threads, prefix_cache=_KEPT, result_cache=_KEPT
    )
    workbench, process = Workbench(settings), psutil.Process()
    workbench.load().result()
    everything = list(requests(chosen.warm_up + chosen.requests))
    steps = [everything[start : start + _STEP] for start in range(0, len(everything), _STEP)]
    warm = -(-chosen.warm_up // _STEP)
    tenth = max(1, (len(steps) - warm) // 10)
    seen: list[list[int]] = [[]]
    for number, step in enumerate(steps):
        ask(workbench, step, number)
        if number < warm:
            continue
        seen[-1].append(process.memory_info().rss)
        if len(seen[-1]) == tenth:
            print(
                f"{(number + 1 - warm) * _STEP:6} requests: {statistics.median(seen[-1]) / 2**20:8.1f} MB", flush=True
            )
            seen.append([])
    tenths = [statistics.median(one) for one in seen if len(one) == tenth]
    growth = (tenths[-1] / tenths[0] - 1) * 100
    print(f"growth from the first tenth to the last: {growth:+.2f} %")
    workbench.unload().result(60)
    gc.collect()
    give_memory_back()
    print(f"after unloading: {process.memory_info().rss / 2**20:.1f} MB")
    workbench.close()
    sys.exit(growth > chosen.most)


if __name__ == "__main__":
    main()
