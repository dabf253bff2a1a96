"""A row's answer as the page shows it: cells of a table, bars of probabilities, values in the text.

Answers come as the JSON of `workbench batch`; a correction has the same shape and goes before the answer.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.jobs.gold import answer_labels
from engine.jobs.tables.cells import as_text
from engine.jobs.types import JobSpec, RowResult
from engine.messages import NOTES
from engine.text.inspect import whole_characters
from engine.types import FieldAnswer, FieldSpec, FoundValue, Note
from ui.i18n import error_texts, note_text, phrase_text, t

_SHOWN = 200
"""Characters of a text in a table."""


def whole_row(row: RowResult) -> RowResult:
    """The row as a browser can be told it: half of a character, which JSON can hold, is U+FFFD; offsets stay."""
    return replace(
        row,
        text=whole_characters(row.text),
        key=whole_characters(row.key),
        answer=_whole(row.answer),
        correction=_whole(row.correction),
        gold=_whole(row.gold),
    )


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, dict):
        return {_whole(name): _whole(inner) for name, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list | tuple) else value


def row_cells(row: RowResult, spec: JobSpec) -> dict[str, Any]:
    """One row of the table of results."""
    row = whole_row(replace(row, text=row.text[: 2 * _SHOWN]))
    text = " ".join(row.text.split())
    return {
        "number": row.number + 1,
        "key": row.key,
        "text": text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…",
        "answer": "" if row.error is not None and row.correction is None else answer_text(now(row), spec),
        "score": row.score,
        "gold": as_text(row.gold),
        "state": state_text(row),
    }


def now(row: RowResult) -> dict[str, Any]:
    """What counts: the correction where there is one, else the model's answer."""
    return row.answer if row.correction is None else row.correction


def answer_text(answer: dict[str, Any], spec: JobSpec) -> str:
    """An answer in one cell."""
    if spec.task == "classify":
        return ", ".join(chosen(answer)) or t("result.none")
    parts = [
        f"{name}: {' / '.join(str(value.get('text', '')) for value in values)}"
        for name, values in (answer.get("fields") or {}).items()
        if values
    ]
    return "; ".join(parts) or t("extract.not_found")


def state_text(row: RowResult) -> str:
    """What is special about a row: failed and why, corrected, odd in the file."""
    said = []
    if row.error is not None:
        said.append(f"✗ {error_texts(row.error)[0]}")
    if row.correction is not None:
        said.append(f"✎ {t('batch.corrected')}")
    if row.problem is not None:
        said.append(f"⚠ {phrase_text(row.problem)}")
    return whole_characters(" · ".join(said))


def chosen(answer: dict[str, Any]) -> list[str]:
    """The chosen labels of a classification; none: none of these."""
    return list(answer_labels(answer))


def note_texts(answer: dict[str, Any]) -> list[str]:
    """The notes of an answer in the session's language."""
    said = []
    for note in answer.get("notes") or ():
        code = note.get("code")
        try:
            said.append(
                note_text(Note(code, note.get("details") or {})) if code in NOTES else str(note.get("text", ""))
            )
        except (KeyError, IndexError, ValueError):  # another version of the workbench wrote it
            said.append(str(note.get("text", "")))
    return said


def scores(answer: dict[str, Any]) -> list[tuple[str, float]]:
    """Every label with its probability, where the answer has them."""
    found = []
    for one in answer.get("labels") or ():
        if isinstance(one, dict) and isinstance(one.get("score"), int | float):
            found.append((str(one.get("label")), float(one["score"])))
    return found


def field_answers(answer: dict[str, Any], specs: Iterable[FieldSpec]) -> list[FieldAnswer]:
    """The values of an extraction, as the highlight takes them: a field's number gives its colour."""
    fields = answer.get("fields") or {}
    return [FieldAnswer(spec, tuple(map(_value, fields.get(spec.name) or ())), None) for spec in specs]


def _value(given: dict[str, Any]) -> FoundValue:
    text = str(given.get("text", ""))
    status = given.get("status")
    return FoundValue(
        text,
        given.get("start"),
        given.get("end"),
        given.get("score"),
        status if status in {"exact", "normalised", "absent"} else "exact",
        str(given.get("asked", "")),
    )
