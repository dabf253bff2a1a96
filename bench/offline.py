"""The offline model: how right and how fast it is, in the tables of docs/offline-model.md.

    python -m bench.offline FOLDER [--rows 250] [--threads 2] [--quality | --speed]

FOLDER holds JSONL files of rows as for `bench.extraction` and `bench.accuracy`. Fields are also asked by other names
than the files use. Times are of the tasks, as a page runs them; "together" gives the backend all texts at once.
What is kept of texts is dropped before each pass over them. It tunes nothing.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import torch

from bench.accuracy import read_rows as read_labelled
from bench.extraction import read_rows as read_fields
from bench.extraction import tally
from engine.model.backend import Query
from engine.model.loader import load_backend
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.settings import load_settings
from engine.text.concepts import lookup
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec
from training.fit import calibration_error

_SIMPLE = {"人名": "姓名", "地名": "位置", "机构名": "单位"}
_ENGLISH = {"人名": "person", "地名": "location", "机构名": "organization"}
_CHINESE = {"person": "人名", "location": "地名", "organization": "机构名"}
SPANS: tuple[tuple[str, dict[str, str]], ...] = (
    ("uner_zh", {}),
    ("uner_zh", _SIMPLE),
    ("uner_zh", _ENGLISH),
    ("uner_en", {}),
    ("uner_en", _CHINESE),
    ("wnut17", {}),
    ("crossner_ai", {}),
    ("snips_bookrestaurant_slots", {}),
)
LABELS = ("sib200_zh", "sib200_en", "banking77", "snips_intent", "clinc_domains")
_REPEATS = 5


def quality(backend: Any, folder: Path, rows: int) -> None:
    """Micro F1 of exact values, and accuracy with its calibration."""
    print("| set | asked as | values | F1 |\n|---|---|---|---|")
    for name, asked in SPANS:
        one = tally(backend, read_fields(folder / f"{name}.jsonl")[:rows], asked)
        print(f"| {name} | {'、'.join(asked.values()) or 'its own labels'} | {one.gold} | {one.f1:.3f} |", flush=True)
    print("\n| set | labels | accuracy | mean probability of the best | calibration error |\n|---|---|---|---|---|")
    classify = Classifier(backend)
    for name in LABELS:
        labelled = read_labelled(folder / f"{name}.jsonl", rows)
        pairs = []
        for row in labelled:
            best = classify(ClassifyRequest(row["text"], tuple(row["labels"]))).labels[0]
            pairs.append((best.score, best.label == row["gold"]))
        right, sure = (sum(own) / len(pairs) for own in zip(*[(hit, score) for score, hit in pairs], strict=True))
        labels = len(labelled[0]["labels"])
        print(f"| {name} | {labels} | {right:.3f} | {sure:.3f} | {calibration_error(pairs):.3f} |", flush=True)


def speed(backend: Any, folder: Path) -> None:
    """Milliseconds a text, and the memory of the process."""
    fields = ("人名", "地名", "机构名", "时间", "金额")
    labels = ("科技", "旅游", "政治", "体育", "健康", "娱乐", "地理")
    texts = [row["text"] for row in read_fields(folder / "uner_zh.jsonl")]
    texts += [row["text"] for row in read_fields(folder / "uner_en.jsonl")]
    texts = texts[::4]
    extract, classify = Extractor(backend), Classifier(backend)
    specs = tuple(FieldSpec(name) for name in fields)
    queries = [Query(name, lookup(name)) for name in fields]
    works: dict[str, Callable[[], object]] = {
        "extract, one by one": lambda: [extract(ExtractRequest(text, specs)) for text in texts],
        "extract, together": lambda: backend.find_spans(texts, queries),
        "classify, one by one": lambda: [classify(ClassifyRequest(text, labels)) for text in texts],
        "classify, together": lambda: backend.weigh_labels(texts, labels),
    }
    length = sum(map(len, texts)) / len(texts)
    print(f"\n{len(texts)} texts of {length:.0f} characters on average, {torch.get_num_threads()} threads\n")
    print("| work | ms a text, median | lowest | highest | texts a second |\n|---|---|---|---|---|")
    taken: dict[str, list[float]] = {name: [] for name in works}
    for repeat in range(_REPEATS + 1):
        for name, work in works.items():
            for kept in (backend._texts, backend._states):  # labels and names stay, as they would
                kept.forget()
            started = time.perf_counter()
            work()
            if repeat:  # the first is a warm-up
                taken[name].append((time.perf_counter() - started) / len(texts) * 1e3)
    for name, times in taken.items():
        middle = statistics.median(times)
        print(f"| {name} | {middle:.1f} | {min(times):.1f} | {max(times):.1f} | {1e3 / middle:.0f} |")
    print(f"\nresident memory of the process: {psutil.Process().memory_info().rss / 2**20:.0f} MiB")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=250)
    parser.add_argument("--threads", type=int, default=2)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--quality", action="store_true")
    only.add_argument("--speed", action="store_true")
    arguments = parser.parse_args()
    settings = load_settings(model="offline", threads=arguments.threads)
    backend = load_backend(settings, lambda _: None, lambda _: None, Event())
    if not arguments.speed:
        quality(backend, arguments.folder, arguments.rows)
    if not arguments.quality:
        speed(backend, arguments.folder)


if __name__ == "__main__":
    main()
