"""From a row of a file to a request, and from its answer to what is kept of it. It reads no file and asks no model."""

from typing import Any

from engine.contracts import classify_json, extract_json, fields_json, not_found_json
from engine.errors import WorkbenchError
from engine.jobs.store.stored_form import pack, unpack
from engine.jobs.tables.cells import as_text
from engine.jobs.types import JobSpec, RowResult, SourceRow
from engine.types import ClassifyRequest, ClassifyResult, ExtractRequest, ExtractResult, Note

Answer = ClassifyResult | ExtractResult | WorkbenchError

_SCORE_DIGITS = 6
_SCALARS = (str, int, float, bool, type(None))


def request_of(spec: JobSpec, row: SourceRow) -> ClassifyRequest | ExtractRequest | WorkbenchError:
    """What is asked of a row; an error, `text_missing` or `text_empty`, where it has nothing to read."""
    text = text_of(spec, row)
    if not text.strip():
        if all(row.values.get(column) is None for column in spec.columns):
            return WorkbenchError("text_missing", columns=", ".join(spec.columns))
        return WorkbenchError("text_empty")
    if spec.task == "classify":
        return ClassifyRequest(text, spec.labels, spec.multi, spec.threshold, spec.free)
    return ExtractRequest(text, spec.fields, spec.mentions, spec.per_prompt, spec.free, spec.nested)


def result_of(spec: JobSpec, row: SourceRow, answer: Answer) -> RowResult:
    """What is kept of a row: its answer in the form of `RowResult.answer`, or its error."""
    text = text_of(spec, row)
    key = as_text(row.values.get(spec.id_column)) if spec.id_column else ""
    gold = row.values.get(spec.gold) if spec.gold else None
    if isinstance(answer, WorkbenchError):
        return RowResult(row.number, key, text, {}, error=answer, gold=gold, problem=row.problem)
    if isinstance(answer, ClassifyResult):
        score = answer.labels[0].score if answer.labels else None
        values = grounded = 0
        body = _classified(spec, answer)
    else:
        found = [value for one in answer.fields for value in one.values]
        score = min((value.score for value in found if value.score is not None), default=None)
        values, grounded = len(found), sum(value.start is not None for value in found)
        body = _extracted(answer)
    return RowResult(
        row.number,
        key,
        text,
        body,
        score=None if score is None else round(score, _SCORE_DIGITS),
        values=values,
        grounded=grounded,
        latency_ms=round(answer.usage.latency_ms, 2),
        gold=gold,
        problem=row.problem,
    )


def text_of(spec: JobSpec, row: SourceRow) -> str:
    """The text that is read of a row: its columns' texts that are there, joined by a line end."""
    if len(spec.columns) == 1:
        value = row.values.get(spec.columns[0])
        return value if isinstance(value, str) else as_text(value)
    values = (row.values.get(column) for column in spec.columns)
    return "\n".join(text for text in map(as_text, values) if text)


def _classified(spec: JobSpec, answer: ClassifyResult) -> dict[str, Any]:
    body: dict[str, Any] = {
        "label": answer.chosen[0] if answer.chosen else None,
        "labels": [{"label": one.label, "score": round(one.score, _SCORE_DIGITS)} for one in answer.labels],
    }
    if spec.multi:
        body["chosen"] = list(answer.chosen)
    if answer.notes:
        body["notes"] = [_note(note) for note in answer.notes]
    if answer.free is not None:
        body["free"] = classify_json(answer)["free"]
    return body


def _extracted(answer: ExtractResult) -> dict[str, Any]:
    body: dict[str, Any] = {"fields": fields_json(answer.fields)}
    if missing := not_found_json(answer.fields):
        body["not_found"] = missing
    if answer.notes:
        body["notes"] = [_note(note) for note in answer.notes]
    if answer.free is not None:
        free = extract_json(answer)["free"]
        del free["prompts"]  # they hold the row's text again
        body["free"] = unpack(pack(free))
    return body


def _note(note: Note) -> dict[str, Any]:
    """A note by code, in English, and with its details for other languages."""
    said: dict[str, Any] = {"code": note.code, "text": note.text}
    if note.details:
        said["details"] = {
            name: value if isinstance(value, _SCALARS) else str(value) for name, value in note.details.items()
        }
    return said
