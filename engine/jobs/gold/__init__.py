"""The right answer of a row, read from a cell of the gold column: labels, or spans as JSON.

Cells come from text files (strings), spreadsheets (numbers too) and JSON or Parquet (lists and objects). What cannot
be read is an error of its row and never a guess: offsets that do not fit the text are refused. Answers are read in the
same way (`answer_labels`, `answer_spans`), so that both can be compared.
"""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from engine.jobs.gold.spans import GoldSpan, field_spans, read_spans
from engine.jobs.gold.text import as_value, refuse
from engine.jobs.types import BatchTask
from engine.messages import Phrase
from engine.text.labels import clean_label, parse_labels

__all__ = ["Gold", "GoldSpan", "answer_labels", "answer_scores", "answer_spans", "differs", "read_gold", "same_spans"]

_LABEL_KEYS = ("labels", "label", "chosen")
_ABORTED = re.compile(r"""\[\s*["'{\[]|\{\s*["']""")
"""How lists and objects begin, and no label does: what begins so and cannot be read is damaged."""


@dataclass(frozen=True)
class Gold:
    """What a cell says: labels of a classification (empty: none fits), or spans of an extraction; the other is None."""

    labels: tuple[str, ...] | None = None
    spans: tuple[GoldSpan, ...] | None = None


def read_gold(task: BatchTask, cell: Any, labels: Collection[str] = (), text: str | None = None) -> Gold | None:
    """The gold of a cell; None for an empty one, which says nothing (an empty list says: no label, no value).

    labels: the label set, so that one label with a separator in it is one label. text: what the row's text is, so that
    offsets are checked. Raises WorkbenchError `gold_unreadable`.

    Labels: one label; several as a JSON list, or separated as in `engine.text.labels`; {"label": ...}.
    Spans: {"field": "value" or ["value"...]}, {"field": [{"text", "start", "end"}...]},
    {"field": {"value": [[start, end]...]}}, [{"label" or "field" or "type", "start", "end", "text"}...] and
    [[start, end, "label"]...], each also under one key such as "entities". Offsets count code points; `end` is the
    place after the span, or its last place where the text says so.
    """
    if _empty(cell):
        return None
    return Gold(labels=_labels(cell, labels)) if task == "classify" else Gold(spans=read_spans(cell, text))


def answer_labels(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """The chosen labels of an answer or a correction: "chosen", else "labels" where they are names, else "label"."""
    for key in ("chosen", "labels"):
        names = answer.get(key)
        if (
            isinstance(names, list | tuple)
            and all(isinstance(name, str) for name in names)
            and (names or key == "chosen")
        ):
            return tuple(names)
    label = answer.get("label")
    return (label,) if label else ()


def answer_scores(answer: Mapping[str, Any]) -> dict[str, float]:
    """Probabilities by label; empty where the answer tells none."""
    given = answer.get("labels") or ()
    return {
        one["label"]: float(one["score"])
        for one in given
        if isinstance(one, dict) and isinstance(one.get("score"), int | float)
    }


def answer_spans(answer: Mapping[str, Any]) -> tuple[GoldSpan, ...]:
    """The values of an answer or a correction, in its order; without offsets where they are not in the text."""
    fields = answer.get("fields") or {}
    return tuple(span for name, values in fields.items() for span in field_spans(str(name), values, None))


def differs(task: BatchTask, answer: Mapping[str, Any], gold: Gold, labels: Collection[str] = ()) -> bool:
    """Whether an answer is not the gold one; of an extraction over the fields that were asked for.

    labels: the names that gold may have beside those of the answer's own fields, where a correction left some out.
    Where gold has several labels, a single choice (an answer without "chosen") is right with any of them.
    """
    if task == "classify":
        chosen, wanted = answer_labels(answer), gold.labels or ()
        if "chosen" not in answer and len(chosen) == 1:
            return chosen[0] not in wanted
        return set(chosen) != set(wanted)
    asked = set(answer.get("fields") or {}) | set(labels)
    spans = tuple(span for span in gold.spans or () if span.field in asked)
    return not same_spans(spans, answer_spans(answer))


def same_spans(gold: Collection[GoldSpan], found: Collection[GoldSpan]) -> bool:
    """Whether two sets of spans agree: a field by places where all its gold spans have them, else by distinct texts."""
    for name in {span.field for span in (*gold, *found)}:
        wanted = [span for span in gold if span.field == name]
        given = [span for span in found if span.field == name]
        placed = all(span.start is not None for span in wanted)
        if {span.key(placed) for span in wanted} != {span.key(placed) for span in given}:
            return False
    return True


def _empty(cell: Any) -> bool:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return True
    return isinstance(cell, str) and not cell.strip()


def _labels(cell: Any, known: Collection[str]) -> tuple[str, ...]:
    if isinstance(cell, str):
        label = clean_label(cell)
        if label in known:
            return (label,)
        value = as_value(cell) if label.startswith(("[", "{")) else None
        if value is None and _ABORTED.match(label):
            raise refuse(Phrase("gold_not_json"))
        if not isinstance(value, Mapping | list | tuple):
            return _once(parse_labels(cell))
        cell = value
    if isinstance(cell, Mapping):
        key = next((key for key in _LABEL_KEYS if key in cell), None)
        if key is None:
            raise refuse(Phrase("gold_label_odd"))
        cell = cell[key]
    if cell is None:
        return ()
    return _once([_name(one) for one in cell] if isinstance(cell, list | tuple) else [_name(cell)])


def _name(value: Any) -> str:
    """One label of a list: a name, a number, or {"label": name}; scores beside it mean an answer, which is no gold."""
    if isinstance(value, Mapping) and "label" in value and "score" not in value:
        value = value["label"]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():  # spreadsheets know no whole numbers
        value = int(value)
    if isinstance(value, str | int | float):
        return clean_label(str(value))
    raise refuse(Phrase("gold_label_odd"))


def _once(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
