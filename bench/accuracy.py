"""Accuracy of label scoring: every scoring variant and prior on labelled rows, from one set of forwards.

    python -m bench.accuracy FOLDER --model smollm2-135m [--protocols plain seqgpt] [--rows 250] [--json FILE]

FOLDER holds JSONL files of rows {"text", "labels", "task": "classify", "gold"}; `--sets` names those to read. Prints a
Markdown table: a row is one protocol, variant and prior, a column one file. It tunes nothing: what the engine uses is
in engine/run/scoring.py, chosen from this table.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any

from engine.model.loader import load_backend
from engine.run.scoring import SCORING, VARIANTS, Scoring, correct_prior, label_logits
from engine.settings import load_settings
from engine.text.protocol import PlainProtocol, PromptProtocol, SeqGPTProtocol

PROTOCOLS: dict[str, PromptProtocol] = {"plain": PlainProtocol(), "seqgpt": SeqGPTProtocol()}
PRIORS = ("N/A", "")
ENGLISH = ("sib200_en", "snips_intent", "clinc_domains", "banking77")


def scorings() -> list[Scoring]:
    """Every scoring to compare."""
    return [
        *(Scoring(variant) for variant in VARIANTS),
        *(Scoring(variant, prior, weight) for variant in VARIANTS for prior in PRIORS for weight in (0.5, 1.0)),
    ]


def accuracy(backend: Any, protocol: PromptProtocol, rows: Sequence[dict[str, Any]]) -> dict[Scoring, float]:
    """Share of rows whose best label is the gold one, for each scoring."""
    right = dict.fromkeys(scorings(), 0)
    priors: dict[tuple[object, ...], Any] = {}
    for row in rows:
        labels = tuple(row["labels"])
        scores = _read(backend, protocol, row["text"], labels)
        for scoring in right:
            logits = label_logits(scores, scoring.variant)
            if scoring.prior is not None:
                key = (labels, scoring.prior)
                if key not in priors:
                    priors[key] = _read(backend, protocol, scoring.prior, labels)
                logits = correct_prior(logits, label_logits(priors[key], scoring.variant), scoring.weight)
            best = max(range(len(labels)), key=logits.__getitem__)
            right[scoring] += labels[best] == row["gold"]
    return {scoring: count / len(rows) for scoring, count in right.items()}


def _read(backend: Any, protocol: PromptProtocol, text: str, labels: Sequence[str]) -> Any:
    answers = [backend.encode_answer(label) for label in labels]
    encoded = backend.encode_prompt(protocol.score(text, labels), max(map(len, answers)), len(labels))
    return backend.score(encoded.ids, answers, vocabulary=True)


def read_rows(path: Path, limit: int) -> list[dict[str, Any]]:
    """The classification rows of one file; rows without a label set get all labels of the file."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["task"] == "classify"]
    labels = sorted({row["gold"] for row in rows})
    return [{"labels": labels} | row for row in rows[:limit]]


def describe(scoring: Scoring) -> str:
    """Two cells of the table: variant and prior."""
    if scoring.prior is None:
        return f"{scoring.variant} | none"
    return f"{scoring.variant} | {scoring.weight:g} x {scoring.prior or 'empty text'}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=list(PROTOCOLS))
    parser.add_argument("--sets", nargs="+", default=list(ENGLISH))
    parser.add_argument("--rows", type=int, default=250)
    arguments = parser.parse_args()
    backend: Any = load_backend(load_settings(model=arguments.model), lambda _: None, lambda _: None, Event())
    used = SCORING[backend.protocol.name]
    print(f"| prompt | variant | prior | {' | '.join(arguments.sets)} | mean |")
    print(f"|---|---|---|{'---|' * (len(arguments.sets) + 1)}")
    for name in arguments.protocols:
        protocol = PROTOCOLS[name]
        backend.protocol = protocol
        columns = []
        for one in arguments.sets:
            started = time.perf_counter()
            columns.append(accuracy(backend, protocol, read_rows(arguments.folder / f"{one}.jsonl", arguments.rows)))
            print(f"{name} {one}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
        for scoring in scorings():
            values = [column[scoring] for column in columns]
            cells = " | ".join(f"{value:.3f}" for value in [*values, sum(values) / len(values)])
            mark = " **(used)**" if name == "plain" and scoring == used else ""
            print(f"| {name} | {describe(scoring)}{mark} | {cells} |")


if __name__ == "__main__":
    main()
