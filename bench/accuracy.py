"""Accuracy of label scoring: every prompt protocol and scoring variant on labelled rows, from one set of forwards.

    python -m bench.accuracy EVAL_FOLDER --model offline [--protocols chat plain seqgpt] [--rows 250]

The folder holds JSONL files of rows {"text", "labels", "task": "classify", "gold"}. Prints a Markdown table; a row of
it is one protocol, variant and prior, a column one file. It tunes nothing: what the engine uses is in
engine/run/scoring.py, chosen from this table.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.run.scoring import VARIANTS, Scoring, correct_prior, label_logits

PRIORS = (None, "N/A", "")
WEIGHTS = (0.5, 1.0)


def variants() -> list[Scoring]:
    """Every scoring to compare."""
    plain = [Scoring(variant) for variant in VARIANTS]
    corrected = [
        Scoring(variant, prior, weight)
        for variant in VARIANTS
        for prior in PRIORS
        if prior is not None
        for weight in WEIGHTS
    ]
    return plain + corrected


def score_rows(backend: Any, protocol: Any, rows: Sequence[dict[str, Any]]) -> dict[Scoring, float]:
    """Share of rows whose best label is the gold one, for each scoring."""
    right = dict.fromkeys(variants(), 0)
    priors: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        labels = tuple(row["labels"])
        answers = [backend.encode_answer(label) for label in labels]
        longest = max(map(len, answers))

        def read(text: str, labels: Any = labels, answers: Any = answers, longest: int = longest) -> Any:
            encoded = backend.encode_prompt(protocol.score(text, labels), longest, len(labels))
            return backend.score(encoded.ids, answers, vocabulary=True)

        scores = read(row["text"])
        for scoring in right:
            logits = label_logits(scores, scoring.variant)
            if scoring.prior is not None:
                key = (labels, scoring.prior)
                if key not in priors:
                    priors[key] = read(scoring.prior)
                prior = label_logits(priors[key], scoring.variant)
                logits = correct_prior(logits, prior, scoring.weight)
            best = max(range(len(labels)), key=logits.__getitem__)
            right[scoring] += labels[best] == row["gold"]
    return {scoring: count / len(rows) for scoring, count in right.items()}


def read_rows(path: Path, limit: int) -> list[dict[str, Any]]:
    """The classification rows of one file."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [row for row in rows if row["task"] == "classify"][:limit]


def describe(scoring: Scoring) -> str:
    """A cell's name of a scoring."""
    if scoring.prior is None:
        return f"{scoring.variant} | none"
    return f"{scoring.variant} | {scoring.weight:g} x {scoring.prior or 'empty text'}"
