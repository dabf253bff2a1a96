"""The task extract: a text and a field set in, values with their exact places out. Written against any backend.

Answers are written under a grammar that leaves only legal ones (`engine.text.grammar`): asked labels, values that are
spans of the text, absence for every field. A value's score is its probability under that grammar: the product, over
its tokens and the separator after it, of each token's probability among the legal ones. It does not queue, load or
show.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Backend
from engine.run.free import generate_officially, official_limit
from engine.run.notes import check_text, input_notes
from engine.run.questions import Question, batches, plan
from engine.run.readings import LEAST, Reading, read
from engine.text.answers import parse_extract
from engine.text.fields import asked_as, check_fields, clean_fields, wordings
from engine.text.merge import Answered, Part, differences, field_answer, grounded_rate
from engine.types import (
    ExtractRequest,
    ExtractResult,
    ExtractUsage,
    FieldAnswer,
    FreeExtraction,
    Note,
    PromptRecord,
)

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
        started, info = time.perf_counter(), self._backend.info
        request = check_request(request)
        asked = wordings(request.fields)
        questions = plan(self._backend, request.text, asked, request.per_prompt, stop)
        freely = request.free and "generate" in info.capabilities
        total = len(questions) * (2 if freely else 1)
        run = _Run(self._backend, stop, lambda done: report(done, total))
        run.answer(questions)
        fields = _constrained_fields(request, run.readings, questions[len(run.readings) :])
        usage = run.usage(questions, (time.perf_counter() - started) * 1e3, queue_ms)
        notes = [*input_notes(request.text, [one.label for one in asked], info), *_question_notes(questions)]
        notes += _answer_notes(fields, run.readings, len(questions))
        free = None
        if freely and len(run.readings) == len(questions):
            free = run.answer_freely(request, questions, fields)
        if request.free and free is None:
            notes.append(Note("stopped_free") if freely else Note("free_unsupported", {"name": info.name}))
        records = tuple(one.record for one in run.readings)
        return ExtractResult(fields, records, usage, info, tuple(notes), free)


class _Run:
    """One request being answered. `report`: told how many prompts are answered."""

    def __init__(self, backend: Backend, stop: Event | None, report: Callable[[int], None]) -> None:
        self._backend, self._stop, self._report = backend, stop, report
        self.readings: list[Reading] = []
        self._tokens = self._forced = self._forwards = 0

    def answer(self, questions: Sequence[Question]) -> None:
        """Decode all prompts under their grammars; a stop after the first of them keeps what is there."""
        for batch in batches(questions):
            try:
                decoded, forwards = self._backend.decode(
                    [one.encoded.ids for one in batch],
                    [one.grammar for one in batch],
                    max_new_tokens=max(one.limit for one in batch),
                    stop=self._stop,
                )
            except Cancelled:
                if not self.readings:
                    raise
                return
            self.readings += map(read, batch, decoded)
            self._tokens += sum(len(one.pieces) + one.taken_back for one in decoded)
            self._forced += sum(one.forced for one in decoded)
            self._forwards += forwards
            self._report(len(self.readings))

    def usage(self, questions: Sequence[Question], latency_ms: float, queue_ms: float) -> ExtractUsage:
        """What the constrained answers cost."""
        answered = questions[: len(self.readings)]
        return ExtractUsage(
            prompts=len(answered),
            parts=len({one.part for one in answered}),
            prompt_tokens=sum(len(one.encoded.ids) for one in answered),
            output_tokens=self._tokens,
            forced_tokens=self._forced,
            forwards=self._forwards,
            forwards_saved=self._tokens - self._forwards,
            latency_ms=latency_ms,
            queue_ms=queue_ms,
        )

    def answer_freely(
        self, request: ExtractRequest, questions: Sequence[Question], constrained: Sequence[FieldAnswer]
    ) -> FreeExtraction | None:
        """The official decoding of the same prompts, parsed and grounded; None where it was stopped."""
        started = time.perf_counter()
        answered: list[Answered] = []
        records: list[PromptRecord] = []
        notes: list[Note] = []
        tokens = 0
        for number, question in enumerate(questions):
            try:
                generated = generate_officially(self._backend, question.encoded.ids, self._stop)
            except Cancelled:
                return None
            part = question.part
            parsed = parse_extract(generated.text, question.labels, part.text, is_cut=not generated.finished)
            answered += [
                Answered(label, value, None, part) for label, values in parsed.fields.items() for value in values
            ]
            records.append(
                PromptRecord(question.encoded.prompt.string, generated.text, part.start, part.end, parsed.lines)
            )
            tokens += generated.output_tokens
            notes += parsed.notes
            if not generated.finished:
                notes.append(Note("free_limit", {"limit": official_limit(self._backend.info.context)}))
            self._report(len(questions) + number + 1)
        fields = _fields(request, answered, {})
        return FreeExtraction(
            fields=fields,
            grounded=grounded_rate(fields),
            differences=differences(constrained, fields),
            prompts=tuple(records),
            notes=tuple(note for number, note in enumerate(notes) if note not in notes[:number]),
            output_tokens=tokens,
            latency_ms=(time.perf_counter() - started) * 1e3,
        )


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


def _constrained_fields(
    request: ExtractRequest, readings: Sequence[Reading], unanswered: Sequence[Question]
) -> tuple[FieldAnswer, ...]:
    answered = [value for one in readings for value in one.answered]
    absences: dict[str, float] = {}
    for one in readings:
        for label, probability in one.absences.items():
            absences[label] = absences.get(label, 1.0) * probability
    unknown = {line.asked for one in readings for line in one.record.lines if line.outcome == "cut"}
    unknown |= {label for one in unanswered for label in one.labels}
    absences = {label: probability for label, probability in absences.items() if label not in unknown}
    return _fields(request, answered, absences)


def _fields(
    request: ExtractRequest, answered: Iterable[Answered], absences: dict[str, float]
) -> tuple[FieldAnswer, ...]:
    """The fields in the request's order. `absences`: probability of "not found" of labels that no prompt found."""
    whole = Part(request.text, 0, len(request.text))
    answered = list(answered)
    fields = []
    for spec in request.fields:
        labels = asked_as(spec)
        found = field_answer(spec, labels, answered, request.mentions, whole)
        if not found.values and labels.keys() <= absences.keys():
            absent = max(math.prod(absences[label] for label in labels), LEAST)
            found = replace(found, absent=absent)
        fields.append(found)
    return tuple(fields)


def _question_notes(questions: Sequence[Question]) -> list[Note]:
    notes = []
    parts = len({one.part for one in questions})
    if parts > 1:
        notes.append(Note("text_in_parts", {"count": parts}))
    unread = sum(len(one.part.text) - one.encoded.kept for one in questions)
    if unread:
        notes.append(Note("parts_cut", {"count": unread}))
    neutralised = dict.fromkeys(token for one in questions for token in one.encoded.neutralised)
    if neutralised:
        notes.append(Note("specials_neutralised", {"tokens": ", ".join(neutralised)}))
    return notes


def _answer_notes(fields: Sequence[FieldAnswer], readings: Sequence[Reading], questions: int) -> list[Note]:
    notes = []
    if len(readings) < questions:
        notes.append(Note("stopped_early", {"done": len(readings), "total": questions}))
    cut = dict.fromkeys(
        line.asked for one in readings for line in one.record.lines if line.outcome == "cut" and line.asked
    )
    if cut:
        notes.append(Note("answer_cut", {"fields": ", ".join(cut)}))
    missing = [one.field.name for one in fields if one.field.required and not one.values]
    if missing:
        notes.append(Note("fields_missing", {"fields": ", ".join(missing)}))
    odd = [one.field.name for one in fields if any(value.typed and value.typed.problem for value in one.values)]
    if odd:
        notes.append(Note("values_untyped", {"fields": ", ".join(odd)}))
    return notes
