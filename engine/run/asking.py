"""How a model that is asked by prompts finds fields' values: constrained answers, and the free ones beside them.

Answers are written under a grammar that leaves only legal ones (`engine.text.grammar`): asked labels, values that are
spans of the text, absence for every field. A value's score is its probability under that grammar: the product, over
its tokens and the separator after it, of each token's probability among the legal ones.
"""

import time
from collections.abc import Callable, Sequence
from threading import Event

from engine.errors import Cancelled
from engine.model.backend import LanguageModel
from engine.run.free import generate_officially, official_limit
from engine.run.questions import Question, batches
from engine.run.readings import Reading, read
from engine.text.answers import parse_extract
from engine.text.merge import Answered, differences, field_answers, grounded_rate
from engine.types import ExtractRequest, ExtractUsage, FieldAnswer, FreeExtraction, Note, PromptRecord


class Asking:
    """One request being answered. `report`: told how many prompts are answered."""

    def __init__(self, backend: LanguageModel, stop: Event | None, report: Callable[[int], None]) -> None:
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

    def usage(self, questions: Sequence[Question]) -> ExtractUsage:
        """What the constrained answers cost; the time is for the caller to add."""
        answered = questions[: len(self.readings)]
        return ExtractUsage(
            prompts=len(answered),
            parts=len({one.part for one in answered}),
            prompt_tokens=sum(len(one.encoded.ids) for one in answered),
            output_tokens=self._tokens,
            forced_tokens=self._forced,
            forwards=self._forwards,
            forwards_saved=self._tokens - self._forwards,
            latency_ms=0.0,
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
        fields = field_answers(request, answered, {})
        return FreeExtraction(
            fields=fields,
            grounded=grounded_rate(fields),
            differences=differences(constrained, fields),
            prompts=tuple(records),
            notes=tuple(note for number, note in enumerate(notes) if note not in notes[:number]),
            output_tokens=tokens,
            latency_ms=(time.perf_counter() - started) * 1e3,
        )

    def constrained(self, request: ExtractRequest, questions: Sequence[Question]) -> tuple[FieldAnswer, ...]:
        """The fields by the constrained answers; absence is not known where an answer was cut or not given."""
        absences: dict[str, float] = {}
        for one in self.readings:
            for label, probability in one.absences.items():
                absences[label] = absences.get(label, 1.0) * probability
        unknown = set(self.cut())
        unknown |= {label for one in questions[len(self.readings) :] for label in one.labels}
        absences = {label: probability for label, probability in absences.items() if label not in unknown}
        return field_answers(request, [value for one in self.readings for value in one.answered], absences)

    def cut(self) -> dict[str, None]:
        """Labels whose lines the answers' limit cut, in order."""
        lines = (line for one in self.readings for line in one.record.lines)
        return dict.fromkeys(line.asked for line in lines if line.outcome == "cut" and line.asked)

    def notes(self, questions: Sequence[Question]) -> list[Note]:
        """What was not read, not answered or cut."""
        notes = _question_notes(questions)
        if len(self.readings) < len(questions):
            notes.append(Note("stopped_early", {"done": len(self.readings), "total": len(questions)}))
        if self.cut():
            notes.append(Note("answer_cut", {"fields": ", ".join(self.cut())}))
        return notes


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
