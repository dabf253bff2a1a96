"""Writes an export as one HTML document to look at: a table of labels, or each text with its values highlighted.

It shows the first `MOST` rows and says how many there are. It holds no script and asks for nothing outside itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.jobs.exports.layout import SIDE_BY_SIDE, Layout, OutRow
from engine.jobs.tables.cells import as_text
from engine.messages import render
from engine.text import highlight_document as document
from engine.text.highlight import highlight_html, legend_html, marks_of
from engine.types import FieldAnswer, FieldSpec, FoundValue

MOST = 2000
"""Rows of a document: a browser shows them at once."""


@dataclass(frozen=True)
class SheetTexts:
    """What the document says. columns: of the table of labels. shown: with {shown} and {total}."""

    title: str = "Results"
    columns: tuple[str, ...] = ("Row", "Text", "Label", "Score", "Labels")
    row: str = "Row {number}"
    not_found: str = "not found"
    corrected: str = "corrected"
    shown: str = "The first {shown} of {total} rows are shown."
    language: str = "en"


def write_html(
    rows: Iterable[OutRow], layout: Layout, path: Path, texts: SheetTexts | None = None, most: int = MOST
) -> int:
    """Write the first rows; how many rows there were."""
    said = texts or SheetTexts()
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as target:
        target.write(document.document_start(said.title, said.language))
        if layout.task == "classify":
            target.write(document.table_start(said.columns))
        for row in rows:
            count += 1
            if count <= most:
                target.write(_labels(count, row, said) if layout.task == "classify" else _values(count, row, said))
        if layout.task == "classify":
            target.write(document.TABLE_END)
        if count > most:
            target.write(document.paragraph(render(said.shown, {"shown": most, "total": count}), "facts"))
        target.write(document.DOCUMENT_END)
    return count


def _labels(number: int, row: OutRow, said: SheetTexts) -> str:
    names = row.chosen if row.chosen is not None else [row.label] if row.label is not None else []
    label = SIDE_BY_SIDE.join(names) if row.error is None else f"⚠ {row.error.message}"
    others = [
        f"{as_text(one.get('label'))} {one['score']:.1%}" if isinstance(one, dict) and one.get("score") is not None
        else as_text(one.get("label") if isinstance(one, dict) else one)
        for one in row.labels or ()
    ]  # fmt: skip
    score = "" if row.score is None else f"{row.score:.1%}"
    mark = f" ({said.corrected})" if row.corrected else ""
    return document.table_row([str(number), row.text, f"{label}{mark}", score, "\n".join(others[:5])])


def _values(number: int, row: OutRow, said: SheetTexts) -> str:
    mark = f" ({said.corrected})" if row.corrected else ""
    head = document.heading(render(said.row, {"number": number}) + mark)
    if row.error is not None:
        return head + highlight_html(row.text, []) + document.paragraph(f"⚠ {row.error.message}")
    answers = [_answer(name, values) for name, values in (row.fields or {}).items()]
    unplaced = "".join(
        document.paragraph(f"{one.field.name}: {SIDE_BY_SIDE.join(texts)}", "facts")
        for one in answers
        if (texts := [value.text for value in one.values if value.start is None])
    )
    return f"{head}{legend_html(answers, said.not_found)}\n{highlight_html(row.text, marks_of(answers))}\n{unplaced}"


def _answer(name: str, values: Any) -> FieldAnswer:
    """Values as `contracts.extract_json` writes them, or as a user typed them."""
    found = [value if isinstance(value, dict) else {"text": value} for value in values or ()]
    return FieldAnswer(FieldSpec(name), tuple(map(_value, found)), None)


def _value(value: dict[str, Any]) -> FoundValue:
    start, end = value.get("start"), value.get("end")
    if not (isinstance(start, int) and isinstance(end, int)):
        start = end = None
    return FoundValue(as_text(value.get("text")), start, end, value.get("score"), value.get("status", "exact"), "")
