"""What an extraction asks: the wordings in groups, over the parts of a text that is too long for one prompt.

It plans and encodes; nothing is decoded here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Encoded, LanguageModel
from engine.run.free import official_limit
from engine.text.fields import Wording
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.text.merge import Part
from engine.text.parts import last_border, next_start

_VALUE_TOKENS = 192
"""Tokens that the values of one prompt may take together, beside those that say "not found" for every field."""

_BATCH_TOKENS = 2048
"""Prompt tokens decoded together: the KV cache of SeqGPT-560M then takes 400 MB in fp32."""


@dataclass(frozen=True)
class Question:
    """One prompt: some wordings asked of one part of the text. `limit`: tokens that its answer may take."""

    part: Part
    wordings: tuple[Wording, ...]
    encoded: Encoded
    limit: int

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels asked, in order."""
        return tuple(one.label for one in self.wordings)

    @property
    def grammar(self) -> ExtractGrammar:
        """Its legal answers."""
        return _grammar(self.part.text, self.wordings)


def plan(
    backend: LanguageModel, text: str, asked: Sequence[Wording], per_prompt: int, stop: Event | None = None
) -> list[Question]:
    """Every prompt, part by part: `per_prompt` wordings at most in each, over as much of the text as fits.

    Raises:
        WorkbenchError: `fields_too_long` where the wordings leave the text no room; `cancelled`.
    """
    groups = [tuple(asked[at : at + per_prompt]) for at in range(0, len(asked), per_prompt)]
    limits = [_answer_limit(backend, group) for group in groups]
    reserve = max(*limits, official_limit(backend.info.context))
    longest = groups[limits.index(max(limits))]
    questions = []
    for part in _parts(backend, text, longest, reserve):
        if stop is not None and stop.is_set():
            raise Cancelled
        questions += [
            Question(part, group, _encode(backend, part.text, group, reserve), limit)
            for group, limit in zip(groups, limits, strict=True)
        ]
    return questions


def batches(questions: Sequence[Question]) -> Iterator[list[Question]]:
    """Questions in order, as many together as the token budget allows."""
    batch: list[Question] = []
    for question in questions:
        longest = max(len(one.encoded.ids) for one in (*batch, question))
        if batch and longest * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(question)
    if batch:
        yield batch


def _parts(backend: LanguageModel, text: str, group: Sequence[Wording], reserve: int) -> Iterator[Part]:
    """The text in parts that fit with the longest group of wordings; one part where all of it fits."""
    start = 0
    while True:
        kept = _encode(backend, text[start:], group, reserve).kept
        if start + kept >= len(text):
            yield Part(text, start, len(text))
            return
        end = last_border(text, start, start + max(1, kept - kept // 50))  # a hair less: groups differ by some tokens
        yield Part(text, start, end)
        start = next_start(text, start, end)


def _encode(backend: LanguageModel, text: str, group: Sequence[Wording], reserve: int) -> Encoded:
    prompt = backend.protocol.extract(text, [one.label for one in group])
    try:
        return backend.encode_prompt(prompt, reserve=reserve, labels=len(group))
    except WorkbenchError as error:
        if error.code != "labels_too_long":
            raise
        raise WorkbenchError("fields_too_long", **error.details) from None


def _grammar(text: str, group: Sequence[Wording]) -> ExtractGrammar:
    return ExtractGrammar(text, tuple(GrammarLine(one.label, one.many) for one in group))


def _answer_limit(backend: LanguageModel, group: Sequence[Wording]) -> int:
    """Tokens of an answer: one that finds nothing always fits, and values in a part of the context beside it."""
    empty = backend.encode_answer(_grammar("", group).empty_answer())
    return len(empty) + min(_VALUE_TOKENS, backend.info.context // 4)
