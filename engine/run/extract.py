"""The task extract: texts with their field sets in, values with their exact places out. Written against any backend.

A model that understands finds spans at once (`engine.run.finding`), one that writes is asked by prompts
(`engine.run.asking`). It does not queue, load or show.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Backend, LanguageModel, generates, understands, writes
from engine.run.asking import Asking, Inquiry
from engine.run.finding import Found, find
from engine.run.notes import check_text, input_notes
from engine.run.together import attempt, shares
from engine.text.fields import check_fields, clean_fields, wordings
from engine.types import ExtractRequest, ExtractResult, ExtractUsage, FieldAnswer, ModelInfo, Note

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
        (answer,) = self.many([request], stop, queue_ms, report)
        if isinstance(answer, WorkbenchError):
            raise answer
        return answer

    def many(
        self,
        requests: Sequence[ExtractRequest],
        stop: Event | None = None,
        queue_ms: float = 0.0,
        report: Report = lambda _done, _total: None,
    ) -> list[ExtractResult | WorkbenchError]:
        """Answer requests together, in their order; an error stands in the place of the request that has it.

        A model that understands reads texts of the same field set together; one that writes answers all prompts side by
        side. Stopped, it keeps what is answered, as for one request; those without any answer have `cancelled`.
        """
        started = time.perf_counter()
        checked = [attempt(check_request, one) for one in requests]
        clean = [one for one in checked if not isinstance(one, WorkbenchError)]
        answers = iter(self._answers(clean, stop, report))
        results = [one if isinstance(one, WorkbenchError) else next(answers) for one in checked]
        free_ms = sum(one.free.latency_ms for one in results if isinstance(one, ExtractResult) and one.free)
        elapsed = (time.perf_counter() - started) * 1e3 - free_ms
        return [
            one if isinstance(one, WorkbenchError) else self._finished(request, one, share, queue_ms)
            for request, one, share in zip(requests, results, shares(elapsed, list(map(_cost, results))), strict=True)
        ]

    def _answers(
        self, requests: Sequence[ExtractRequest], stop: Event | None, report: Report
    ) -> list[ExtractResult | WorkbenchError]:
        """What the model finds, the way that it has."""
        backend = self._backend
        if understands(backend):
            found = find(backend, requests, stop)
            return [one if isinstance(one, WorkbenchError) else _found(one, backend.info) for one in found]
        if writes(backend):
            return _asked(backend, requests, stop, report)
        raise TypeError(f"{backend.info.name} neither understands nor writes")

    def _finished(
        self, request: ExtractRequest, result: ExtractResult, latency_ms: float, queue_ms: float
    ) -> ExtractResult:
        """The result with its time, and with what is said about the text, the values and the free answer."""
        info = self._backend.info
        asked = [one.label for one in wordings([one.field for one in result.fields])]
        notes = (*input_notes(request.text, asked, info), *result.notes, *_field_notes(result.fields))
        if request.free and result.free is None:
            can = generates(self._backend)
            notes = (*notes, Note("stopped_free") if can else Note("free_unsupported", {"name": info.name}))
        usage = replace(result.usage, latency_ms=latency_ms, queue_ms=queue_ms)
        return replace(result, usage=usage, notes=notes)


def _cost(one: ExtractResult | WorkbenchError) -> int:
    """Tokens read and written."""
    return 0 if isinstance(one, WorkbenchError) else one.usage.prompt_tokens + one.usage.output_tokens


def _found(found: Found, model: ModelInfo) -> ExtractResult:
    """What a model finds that understands."""
    notes = (Note("text_in_parts", {"count": found.windows}),) if found.windows > 1 else ()
    usage = ExtractUsage(0, found.windows, found.tokens, 0, 0, 0, 0, 0.0)
    return ExtractResult(found.fields, (), usage, model, notes)


def _asked(
    backend: LanguageModel, requests: Sequence[ExtractRequest], stop: Event | None, report: Report
) -> list[ExtractResult | WorkbenchError]:
    """What a model writes that is asked by prompts, and its free answers where these are wanted."""
    told = count(1)
    asking = Asking(backend, stop, lambda: report(next(told), total))
    inquiries = [attempt(asking.inquire, one) for one in requests]
    planned = [one for one in inquiries if not isinstance(one, WorkbenchError)]
    total = sum(len(one.questions) * (2 if one.request.free and generates(backend) else 1) for one in planned)
    asking.answer(planned)
    return [one if isinstance(one, WorkbenchError) else _told(backend, asking, one) for one in inquiries]


def _told(backend: LanguageModel, asking: Asking, inquiry: Inquiry) -> ExtractResult | WorkbenchError:
    """What the answers to a request's prompts say; `cancelled` where there is none."""
    if not inquiry.readings:
        return Cancelled()
    fields = inquiry.constrained()
    free = None
    if inquiry.request.free and inquiry.whole and generates(backend):
        free = asking.answer_freely(inquiry, fields)
    records = tuple(one.record for one in inquiry.readings)
    return ExtractResult(fields, records, inquiry.usage(), backend.info, tuple(inquiry.notes()), free)


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
