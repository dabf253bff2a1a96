"""Extraction on labelled rows: whether every answer is legal, and how many values are right.

    python -m bench.extraction FOLDER --model smollm2-135m [--sets uner_en ...] [--rows 250]

FOLDER holds JSONL files of rows {"text", "labels", "task": "extract", "gold": {label: [value, ...]}}; `--sets` names
those to read, all by default. Prints a Markdown table: a row is one file. Values are compared as exact strings, each
once a label. It tunes nothing.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from engine.model.loader import load_backend
from engine.run.extract import Extractor
from engine.settings import load_settings
from engine.text.answers import parse_extract
from engine.types import ExtractRequest, ExtractResult, FieldSpec, PromptRecord


@dataclass
class Tally:
    """Counts over the rows of one set."""

    rows: int = 0
    unparsed: int = 0
    """Rows with an answer that the tolerant parser does not read just as the engine does."""
    cut: int = 0
    """Rows with an answer that was closed at its limit of tokens."""
    foreign: int = 0
    """Fields or lines that were not asked."""
    invented: int = 0
    """Values that do not equal the text at their offsets."""
    values: int = 0
    right: int = 0
    gold: int = 0
    forwards: int = 0
    saved: int = 0
    seconds: float = 0.0

    def add(self, row: dict[str, Any], result: ExtractResult) -> None:
        """Count one row."""
        text, labels = row["text"], set(row["labels"])
        lines = [line for one in result.prompts for line in one.lines]
        self.rows += 1
        self.unparsed += not all(map(_parses, result.prompts))
        self.cut += any(line.outcome == "cut" for line in lines)
        self.foreign += sum(line.asked not in labels for line in lines)
        self.foreign += sum(one.field.name not in labels for one in result.fields)
        for one in result.fields:
            self.invented += sum(
                value.start is None or text[value.start : value.end] != value.text for value in one.values
            )
            found, gold = {value.text for value in one.values}, set(row["gold"].get(one.field.name, ()))
            self.values += len(found)
            self.right += len(found & gold)
            self.gold += len(gold)
        self.forwards += result.usage.forwards
        self.saved += result.usage.forwards_saved

    @property
    def f1(self) -> float:
        """Micro F1 of the values."""
        return 2 * self.right / max(1, self.values + self.gold)


def _parses(record: PromptRecord) -> bool:
    parsed = parse_extract(record.raw, [str(line.asked) for line in record.lines])
    values = {line.asked: line.values for line in record.lines}
    return parsed.fields == values and all(line.outcome in {"values", "none"} for line in parsed.lines)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The extraction rows of one file."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [row for row in rows if row["task"] == "extract"]


def tally(backend: Any, rows: Sequence[dict[str, Any]], asked: Mapping[str, str] | None = None) -> Tally:
    """Extract every row's labels from its text, and count.

    asked: other wordings for labels; the values still count for the label.
    """
    extractor, counts = Extractor(backend), Tally()
    started = time.perf_counter()
    for row in rows:
        fields = tuple(FieldSpec(label, asked=((asked or {}).get(label, label),)) for label in row["labels"])
        counts.add(row, extractor(ExtractRequest(row["text"], fields)))
    counts.seconds = time.perf_counter() - started
    return counts


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--rows", type=int, default=250)
    arguments = parser.parse_args()
    backend = load_backend(load_settings(model=arguments.model), lambda _: None, lambda _: None, Event())
    sets = arguments.sets or sorted(path.stem for path in arguments.folder.glob("*.jsonl"))
    columns = ["set", "rows", "not parsed", "labels not asked", "values not in the text", "closed at the limit"]
    columns += ["values", "F1", "forwards saved", "ms a row"]
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    for name in sets:
        rows = read_rows(arguments.folder / f"{name}.jsonl")[: arguments.rows]
        if not rows:
            continue
        one = tally(backend, rows)
        saved = one.saved / max(1, one.saved + one.forwards)
        counts = [one.rows, one.unparsed, one.foreign, one.invented, one.cut, one.values]
        figures = [f"{one.f1:.3f}", f"{saved:.0%}", f"{one.seconds / one.rows * 1e3:,.0f}"]
        print(f"| {' | '.join(map(str, [name, *counts, *figures]))} |", flush=True)


if __name__ == "__main__":
    main()
