"""Extraction: fields, values, a request and its result."""

from dataclasses import dataclass
from typing import Literal

from engine.messages import Phrase
from engine.types.common import ModelInfo, Note

ValueType = Literal["text", "number", "money", "date", "phone", "email", "url", "list", "regex"]
Mentions = Literal["first", "all"]
Grounding = Literal["exact", "normalised", "absent"]
Outcome = Literal["values", "none", "repeat", "cut", "unparsed"]


@dataclass(frozen=True)
class FieldSpec:
    """A field to extract: what it is called in the answer, and how the model is asked for it.

    asked: the wordings the model is asked with; empty: the name itself.
    description: said to the model after the wording, in brackets.
    options: the list of a `list` field.
    pattern: the regular expression of a `regex` field; a value must match it whole.
    many: several values may be found, else the most probable one.
    required: that it was not found is said in a note.
    """

    name: str
    asked: tuple[str, ...] = ()
    description: str = ""
    type: ValueType = "text"
    options: tuple[str, ...] = ()
    pattern: str = ""
    many: bool = True
    required: bool = False


@dataclass(frozen=True)
class TypedValue:
    """What a verbatim value means by its field's type.

    value: plain JSON: a number; {"amount": number, "currency": ISO code or None} for money; an ISO 8601 date such as
        2026-11-30, 2026-11 or 2026; E.164 for a phone where the country is known; None where `problem` says why not.
    problem: why the text does not fit the type (a phrase, so that pages can translate it); empty where it does.
    """

    value: str | int | float | dict[str, object] | None
    problem: Phrase | str = ""


@dataclass(frozen=True)
class FoundValue:
    """One value of a field.

    start, end: code points of the text as given, `text == source[start:end]`; None where it is not in the text.
    score: probability of the span under the grammar (`engine.run.extract`); None for free decoding, and where a server
        wrote the answer.
    status: exact: verbatim; normalised: the source differs in width, case or invisible characters (`text` is the
        source's own spelling); absent: not in the text, which only free decoding can answer.
    asked: the wording that found it.
    typed: its meaning by the field's type; None for plain text fields.
    """

    text: str
    start: int | None
    end: int | None
    score: float | None
    status: Grounding
    asked: str
    typed: TypedValue | None = None


@dataclass(frozen=True)
class FieldAnswer:
    """What was found for a field, in the text's order; no values: not found.

    absent: where nothing was found, the probability of just that, under the grammar and over every prompt that asked;
        None where something was found, where one of the answers is cut or was not given, for free decoding, and where a
        server wrote the answer.
    """

    field: FieldSpec
    values: tuple[FoundValue, ...]
    absent: float | None


@dataclass(frozen=True)
class AnswerLine:
    """One line of a raw answer, and what was made of it.

    outcome: values; none: the field is absent; repeat: all its values were given before; cut: the answer's limit was
        reached before the line's end, and only its whole values count; unparsed: it names no asked wording.
    """

    raw: str
    asked: str | None
    values: tuple[str, ...]
    outcome: Outcome


@dataclass(frozen=True)
class PromptRecord:
    """One prompt and its raw answer. `start`, `end`: the part of the text that it holds, in code points."""

    prompt: str
    raw: str
    start: int
    end: int
    lines: tuple[AnswerLine, ...]


@dataclass(frozen=True)
class ExtractRequest:
    """One text against one field set.

    mentions: first: each value of a field at its first place; all: at every place where the text has it.
    per_prompt: wordings asked in one prompt at most (SeqGPT's authors advise 6).
    free: also run the official free decoding (4 beams, 256 new tokens).
    nested: values of different fields may overlap. Models that are asked by prompts answer each field by itself, so it
        changes nothing there.
    """

    text: str
    fields: tuple[FieldSpec, ...]
    mentions: Mentions = "first"
    per_prompt: int = 6
    free: bool = False
    nested: bool = False


@dataclass(frozen=True)
class Difference:
    """Where free and constrained decoding disagree on a field: the values that only one of them gave."""

    field: str
    constrained: tuple[str, ...]
    free: tuple[str, ...]


@dataclass(frozen=True)
class FreeExtraction:
    """The official free decoding beside the constrained answer.

    grounded: share of its values that are in the text (exact or normalised); None where it gave no value.
    """

    fields: tuple[FieldAnswer, ...]
    grounded: float | None
    differences: tuple[Difference, ...]
    prompts: tuple[PromptRecord, ...]
    notes: tuple[Note, ...]
    output_tokens: int
    latency_ms: float


@dataclass(frozen=True)
class ExtractUsage:
    """What an extraction cost, its free decoding left out.

    prompts: prompts asked, over all parts of the text; parts: how many parts the text was read in.
    output_tokens: tokens of the answers, with those of values that the answers' limit left unfinished.
    forced_tokens: those of them that the grammar left no choice about.
    forwards: passes of the model over answer tokens, of those made for several requests together its share by tokens
        written; forwards_saved: passes more that writing token by token, one prompt after the other, would have taken.
    latency_ms: of requests that were answered together, its share of their time by tokens read and written.
    computed_ms: as in `Usage`.
    """

    prompts: int
    parts: int
    prompt_tokens: int
    output_tokens: int
    forced_tokens: int
    forwards: int
    forwards_saved: int
    latency_ms: float
    queue_ms: float = 0.0
    computed_ms: float | None = None

    @property
    def cached(self) -> bool:
        """Whether the answer was kept from an earlier request."""
        return self.computed_ms is not None


@dataclass(frozen=True)
class ExtractResult:
    """The fields in the request's order, the prompts behind them, and how the answer came about."""

    fields: tuple[FieldAnswer, ...]
    prompts: tuple[PromptRecord, ...]
    usage: ExtractUsage
    model: ModelInfo
    notes: tuple[Note, ...] = ()
    free: FreeExtraction | None = None
