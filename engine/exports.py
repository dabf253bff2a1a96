"""What an extraction exports: rows, CSV, JSON Lines, the record, and a document with the highlighted text.

CSV is made for spreadsheets: no cell can run as a formula there. JSON Lines and the record hold the values as they
are. The whole result as JSON is `engine.contracts.extract_json`.
"""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from engine.text.highlight_document import DocumentTexts, highlight_document
from engine.text.spreadsheet import safe_cell
from engine.types import ExtractResult, FoundValue, TypedValue

_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
"""Line ends that are none in JSON, but to many who read it line by line."""


@dataclass(frozen=True)
class Row:
    """One value of a field.

    status: how the text has it (`engine.types.Grounding`). meaning: by the field's type, None for plain text.
    """

    field: str
    value: str
    start: int | None
    end: int | None
    score: float | None
    status: str
    meaning: str | int | float | dict[str, object] | None
    problem: str
    asked: str


_NAMES = [one.name for one in fields(Row)]


def rows(result: ExtractResult) -> list[Row]:
    """Every value, in the order of the fields and of the text."""
    return [_row(answer.field.name, value) for answer in result.fields for value in answer.values]


def meaning_text(typed: TypedValue | None) -> str:
    """What a value means, in one cell: a number, a date, an amount with its currency; empty where that is not known."""
    if typed is None or typed.value is None:
        return ""
    if isinstance(typed.value, dict):
        return " ".join(str(part) for part in typed.value.values() if part is not None)
    return str(typed.value)


def extract_csv(result: ExtractResult) -> bytes:
    """Rows as CSV in UTF-8 with a byte order mark; a field without a value has a row that says `not found`."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(_NAMES)
    for answer in result.fields:
        for value in answer.values:
            row = _row(answer.field.name, value)
            meaning = meaning_text(value.typed) if isinstance(row.meaning, dict) else row.meaning
            writer.writerow(safe_cell(cell) for cell in _cells(replace(row, meaning=meaning)))
        if not answer.values:
            writer.writerow([safe_cell(answer.field.name), "", "", "", "", "not found", "", "", ""])
    return target.getvalue().encode("utf-8-sig", "replace")


def extract_jsonl(result: ExtractResult) -> bytes:
    """One value a line, as it is."""
    return b"".join(json_line(dict(zip(_NAMES, _cells(row), strict=True))) for row in rows(result))


def json_line(body: object) -> bytes:
    """A line of JSON Lines, with its end; half of a character as JSON writes it."""
    line = _LINE_ENDS.sub(lambda end: f"\\u{ord(end[0]):04x}", json.dumps(body, ensure_ascii=False))
    return f"{line}\n".encode("utf-8", "backslashreplace")


def record(result: ExtractResult) -> dict[str, Any]:
    """The field set filled in: by field's name a value, or a list where it may have several; None where none is found.

    A value is its meaning by the field's type, else its text; every value once, in however many places.
    """
    filled: dict[str, Any] = {}
    for answer in result.fields:
        values = [_meant(value) for value in {value.text: value for value in answer.values}.values()]
        filled[answer.field.name] = values if answer.field.many else next(iter(values), None)
    return filled


def extract_html(
    text: str, result: ExtractResult, texts: DocumentTexts | None = None, say: Callable[[str], str] = str
) -> bytes:
    """A document with the highlighted text and its values. say: a value's problem in the document's language."""
    cells = [
        (
            answer.field.name,
            value.text,
            f"⚠ {say(value.typed.problem)}" if value.typed and value.typed.problem else meaning_text(value.typed),
            "" if value.score is None else f"{value.score:.1%}",
            "" if value.start is None else str(value.start),
            "" if value.end is None else str(value.end),
        )
        for answer in result.fields
        for value in answer.values
    ]
    model = result.model
    facts = [f"{model.name} {model.revision} · {model.device} · {model.precision}"]
    return highlight_document(text, result.fields, cells, facts, texts).encode("utf-8", "replace")


def _row(name: str, value: FoundValue) -> Row:
    typed = value.typed or TypedValue(None)
    return Row(
        name, value.text, value.start, value.end, value.score, value.status, typed.value, typed.problem, value.asked
    )


def _cells(row: Row) -> list[Any]:
    return [getattr(row, name) for name in _NAMES]


def _meant(value: FoundValue) -> Any:
    return value.text if value.typed is None or value.typed.value is None else value.typed.value
