"""The task extract: a text and a field set in, values with their exact places out. Written against any backend.

A model that understands finds spans at once (`engine.run.finding`), one that writes is asked by prompts
(`engine.run.asking`). It does not queue, load or show.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event

from engine.errors import WorkbenchError
from engine.model.backend import Backend, LanguageModel, Understanding, generates, understands, writes
from engine.run.asking import Asking
from engine.run.finding import find
from engine.run.notes import check_text, input_notes
from engine.run.questions import plan
from engine.text.fields import check_fields, clean_fields, wordings
from engine.types import ExtractRequest, ExtractResult, ExtractUsage, FieldAnswer, Note

MOST_PER_PROMPT = 50

Report = Callable[[int, int], None]
"""Told how many of how many prompts are answered."""


class Extractor:
    """Extracts with one backend. It keeps nothing between calls."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def __call__(
        self,
        request: ExtractRequest,
        stop: Event | None = None,
        queue_ms: float = 0.0,
        report: Report = lambda _done, _total: None,
    ) -> ExtractResult:
        """Answer one request. Stopped after its first prompts, it answers with what these said, and says so.

        Raises:
            WorkbenchError: those of `check_request`, `fields_too_long`, `cancelled`.
        """
        started = time.perf_counter()
        request = check_request(request)
        backend = self._backend
        if understands(backend):
            result = _found(backend, request, stop)
        elif writes(backend):
            result = _asked(backend, request, stop, report)
        else:
            raise TypeError(f"{backend.info.name} neither understands nor writes")
        free_ms = result.free.latency_ms if result.free else 0.0
        latency = (time.perf_counter() - started) * 1e3 - free_ms
        asked = [one.label for one in wordings(request.fields)]
        notes = (*input_notes(request.text, asked, backend.info), *result.notes, *_field_notes(result.fields))
        if request.free and result.free is None:
            missed = (
                Note("stopped_free") if generates(backend) else Note("free_unsupported", {"name": backend.info.name})
            )
            notes = (*notes, missed)
        usage = replace(result.usage, latency_ms=latency, queue_ms=queue_ms)
        return replace(result, usage=usage, notes=notes)


def _found(backend: Understanding, request: ExtractRequest, stop: Event | None) -> ExtractResult:
    """What a model finds that understands."""
    found = find(backend, request, stop)
    notes = (Note("text_in_parts", {"count": found.windows}),) if found.windows > 1 else ()
    usage = ExtractUsage(0, found.windows, found.tokens, 0, 0, 0, 0, 0.0)
    return ExtractResult(found.fields, (), usage, backend.info, notes)


def _asked(backend: LanguageModel, request: ExtractRequest, stop: Event | None, report: Report) -> ExtractResult:
    """What a model writes that is asked by prompts, and its free answer where that is wanted."""
    questions = plan(backend, request.text, wordings(request.fields), request.per_prompt, stop)
    freely = request.free and generates(backend)
    total = len(questions) * (2 if freely else 1)
    asking = Asking(backend, stop, lambda done: report(done, total))
    asking.answer(questions)
    fields = asking.constrained(request, questions)
    notes, usage = asking.notes(questions), asking.usage(questions)
    free = None
    if freely and len(asking.readings) == len(questions):
        free = asking.answer_freely(request, questions, fields)
    records = tuple(one.record for one in asking.readings)
    return ExtractResult(fields, records, usage, backend.info, tuple(notes), free)


def check_request(request: ExtractRequest) -> ExtractRequest:
    """The request with a clean field set, or an error that names what is missing; needs no model.

    Raises:
        WorkbenchError: `text_empty` for a blank text, `bad_setting`, those of `check_fields`.
    """
    request = replace(request, fields=clean_fields(request.fields))
    check_fields(request.fields)
    check_text(request.text)
    if not 1 <= request.per_prompt <= MOST_PER_PROMPT:
        hint = f"Use a number from 1 to {MOST_PER_PROMPT}."
        raise WorkbenchError("bad_setting", name="per_prompt", value=request.per_prompt, hint=hint)
    return request


def _field_notes(fields: Sequence[FieldAnswer]) -> list[Note]:
    notes = []
    missing = [one.field.name for one in fields if one.field.required and not one.values]
    if missing:
        notes.append(Note("fields_missing", {"fields": ", ".join(missing)}))
    odd = [one.field.name for one in fields if any(value.typed and value.typed.problem for value in one.values)]
    if odd:
        notes.append(Note("values_untyped", {"fields": ", ".join(odd)}))
    return notes
