"""How a model that is asked by prompts finds fields' values: constrained answers, and the free ones beside them.

Answers are written under a grammar that leaves only legal ones (`engine.text.grammar`): asked labels, values that are
spans of the text, absence for every field. A value's score is its probability under that grammar: the product, over
its tokens and the separator after it, of each token's probability among the legal ones.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event

from engine.errors import Cancelled
from engine.model.backend import Decoded, LanguageModel
from engine.run.free import generate_officially, official_limit
from engine.run.questions import Question, batches, plan
from engine.run.readings import Reading, read
from engine.run.together import whole_shares
from engine.text.answers import parse_extract
from engine.text.fields import wordings
from engine.text.merge import Answered, differences, field_answers, grounded_rate
from engine.types import ExtractRequest, ExtractUsage, FieldAnswer, FreeExtraction, Note, PromptRecord


@dataclass
class Inquiry:
    """One request, its prompts, and what was answered to the first of them."""

    request: ExtractRequest
    questions: Sequence[Question]
    readings: list[Reading] = field(default_factory=list)
    _tokens: int = 0
    _forced: int = 0
    _forwards: int = 0

    @property
    def longest(self) -> int:
        """Tokens of its longest prompt."""
        return max(len(one.encoded.ids) for one in self.questions)

    @property
    def whole(self) -> bool:
        """Whether every prompt is answered."""
        return len(self.readings) == len(self.questions)

    def take(self, decoded: Decoded, forwards: int) -> None:
        """Read the answer to the next prompt. `forwards`: its share of the passes that wrote it."""
        self.readings.append(read(self.questions[len(self.readings)], decoded))
        self._tokens += _written(decoded)
        self._forced += decoded.forced
        self._forwards += forwards

    def usage(self) -> ExtractUsage:
        """What the constrained answers cost; the time is for the caller to add."""
        answered = self.questions[: len(self.readings)]
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

    def constrained(self) -> tuple[FieldAnswer, ...]:
        """The fields by the constrained answers; absence is not known where an answer was cut or not given."""
        absences: dict[str, float] = {}
        for one in self.readings:
            for label, probability in one.absences.items():
                absences[label] = absences.get(label, 1.0) * probability
        unknown = set(self.cut())
        unknown |= {label for one in self.questions[len(self.readings) :] for label in one.labels}
        absences = {label: probability for label, probability in absences.items() if label not in unknown}
        return field_answers(self.request, [value for one in self.readings for value in one.answered], absences)

    def cut(self) -> dict[str, None]:
        """Labels whose lines the answers' limit cut, in order."""
        lines = (line for one in self.readings for line in one.record.lines)
        return dict.fromkeys(line.asked for line in lines if line.outcome == "cut" and line.asked)

    def notes(self) -> list[Note]:
        """What was not read, not answered or cut."""
        notes = _question_notes(self.questions)
        if not self.whole:
            notes.append(Note("stopped_early", {"done": len(self.readings), "total": len(self.questions)}))
        if self.cut():
            notes.append(Note("answer_cut", {"fields": ", ".join(self.cut())}))
        for note in (note for one in self.readings for note in one.notes):
            if note not in notes:
                notes.append(note)
        return notes


class Asking:
    """Asks one model. `tell`: told of every prompt that is answered."""

    def __init__(self, backend: LanguageModel, stop: Event | None, tell: Callable[[], None]) -> None:
        self._backend, self._stop, self._tell = backend, stop, tell

    def inquire(self, request: ExtractRequest) -> Inquiry:
        """A request's prompts.

        Raises:
            WorkbenchError: `fields_too_long`, `cancelled`.
        """
        asked = wordings(request.fields)
        return Inquiry(request, plan(self._backend, request.text, asked, request.per_prompt, self._stop))

    def answer(self, inquiries: Sequence[Inquiry]) -> None:
        """Decode all prompts under their grammars, those of like length together; a stop keeps what is there."""
        asked = [
            (one, question) for one in sorted(inquiries, key=lambda one: one.longest) for question in one.questions
        ]
        owners = iter([one for one, _ in asked])
        for batch in batches([question for _, question in asked]):
            try:
                decoded, forwards = self._backend.decode(
                    [one.encoded.ids for one in batch],
                    [one.grammar for one in batch],
                    limits=[one.limit for one in batch],
                    stop=self._stop,
                )
            except Cancelled:
                return
            for one, share in zip(decoded, whole_shares(forwards, list(map(_written, decoded))), strict=True):
                next(owners).take(one, share)
                self._tell()

    def answer_freely(self, inquiry: Inquiry, constrained: Sequence[FieldAnswer]) -> FreeExtraction | None:
        """The official decoding of the same prompts, parsed and grounded; None where it was stopped."""
        started = time.perf_counter()
        answered: list[Answered] = []
        records: list[PromptRecord] = []
        notes: list[Note] = []
        tokens = 0
        for question in inquiry.questions:
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
            self._tell()
        fields = field_answers(inquiry.request, answered, {})
        return FreeExtraction(
            fields=fields,
            grounded=grounded_rate(fields),
            differences=differences(constrained, fields),
            prompts=tuple(records),
            notes=tuple(note for number, note in enumerate(notes) if note not in notes[:number]),
            output_tokens=tokens,
            latency_ms=(time.perf_counter() - started) * 1e3,
        )


def _written(decoded: Decoded) -> int:
    """Tokens that the model wrote, those of values included that were not whole."""
    return len(decoded.pieces) + decoded.taken_back


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
