"""What a precision changes: accuracy and extraction of each, its agreement with fp32, and the time beside it.

    python -m bench.precisions FOLDER [--model smollm2-135m] [--rows 60] [--precisions fp32 fp16 int8] [--threads 2]

FOLDER holds JSONL files as for `bench.accuracy` and `bench.extraction`. One model is loaded after the other; the same
rows are asked of each. "agrees": rows whose best label is fp32's, and values that are in fp32's answers and the other
way round (F1). "change": the largest difference of a label's probability from fp32's, the median of the rows. Prints a
Markdown table. It tunes nothing.
"""

import argparse
import gc
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from bench.accuracy import read_rows as read_labelled
from bench.extraction import read_rows as read_fields
from engine.model.loader import load_backend
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.settings import load_settings
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec

LABELS = ("sib200_en", "snips_intent", "clinc_domains")
SPANS = ("uner_en", "snips_bookrestaurant_slots")


@dataclass
class Answers:
    """What one precision answered, a row each."""

    labels: list[dict[str, float]] = field(default_factory=list)
    values: list[set[tuple[str, str]]] = field(default_factory=list)
    classify_ms: float = 0.0
    extract_ms: float = 0.0
    twice: str = ""


def answer(backend: Any, labelled: list[dict[str, Any]], asked: list[dict[str, Any]]) -> Answers:
    """Ask everything."""
    classify, extract, made = Classifier(backend), Extractor(backend), Answers()
    layers = [one.passes for one in backend._model.modules() if type(one).__name__ == "ByteLinear"]
    passes = getattr(backend._body, "passes", layers)  # a graph has no layers, and says it itself
    made.twice = f"{passes.count(2)} of {len(passes)}" if passes else ""
    started = time.process_time()
    for row in labelled:
        result = classify(ClassifyRequest(row["text"], tuple(row["labels"])))
        made.labels.append({one.label: one.score for one in result.labels})
    made.classify_ms = (time.process_time() - started) / len(labelled) * 1e3
    started = time.process_time()
    for row in asked:
        found = extract(ExtractRequest(row["text"], tuple(map(FieldSpec, row["labels"]))))
        made.values.append({(one.field.name, value.text) for one in found.fields for value in one.values})
    made.extract_ms = (time.process_time() - started) / len(asked) * 1e3
    return made


def f1(found: list[set[tuple[str, str]]], right: list[set[tuple[str, str]]]) -> float:
    """Micro F1 of values."""
    both = sum(len(one & other) for one, other in zip(found, right, strict=True))
    return 2 * both / max(1, sum(map(len, found)) + sum(map(len, right)))


def best(scores: dict[str, float]) -> str:
    """The most probable label."""
    return max(scores, key=scores.__getitem__)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--precisions", nargs="+", default=["fp32", "fp16", "int8"])
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    labelled = [row for name in LABELS for row in read_labelled(arguments.folder / f"{name}.jsonl", arguments.rows)]
    asked = [row for name in SPANS for row in read_fields(arguments.folder / f"{name}.jsonl")[: arguments.rows // 3]]
    gold = [{(label, value) for label, values in row["gold"].items() for value in values} for row in asked]
    print(
        "| precision | layers read twice | accuracy | agrees | change | F1 | agrees | classify, ms of the processors |",
        end="",
    )
    print(" extract, ms of the processors |\n" + "|---" * 9 + "|")
    right: Answers | None = None
    for precision in arguments.precisions:
        settings = load_settings(model=arguments.model, precision=precision, threads=arguments.threads)
        backend: Any = load_backend(settings, lambda _: None, lambda _: None, Event())
        made = answer(backend, labelled, asked)
        backend.close()
        del backend
        gc.collect()
        right = right or made
        hits = [best(one) == row["gold"] for one, row in zip(made.labels, labelled, strict=True)]
        pairs = list(zip(made.labels, right.labels, strict=True))
        same = [best(one) == best(other) for one, other in pairs]
        change = statistics.median(max(abs(one[label] - other[label]) for label in one) for one, other in pairs)
        figures = [
            statistics.mean(hits),
            statistics.mean(same),
            change,
            f1(made.values, gold),
            f1(made.values, right.values),
        ]
        cells = [precision, made.twice, *(f"{one:.3f}" for one in figures)]
        print(f"| {' | '.join(cells)} | {made.classify_ms:,.0f} | {made.extract_ms:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
