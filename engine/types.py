"""The nouns every room shares: requests, results, model descriptions. Frozen, without behaviour worth a test.

Scores are probabilities in 0..1. Offsets and lengths of text count code points; token counts count the loaded
model's tokens; times are milliseconds.
"""

from dataclasses import dataclass, field
from typing import Literal

from engine.messages import NOTES, Phrase, render

Precision = Literal["auto", "fp32", "bf16", "fp16", "int8"]
Device = Literal["auto", "cpu", "cuda", "mps"]
ProtocolName = Literal["seqgpt", "chat", "plain", "listed", "encoder"]
Capability = Literal["understand", "score", "generate"]
Status = Literal["empty", "loading", "ready", "failed"]
ValueType = Literal["text", "number", "money", "date", "phone", "email", "url", "list", "regex"]
Mentions = Literal["first", "all"]
Grounding = Literal["exact", "normalised", "absent"]
Finish = Literal["end", "stop", "limit"]
Outcome = Literal["values", "none", "repeat", "cut", "unparsed"]


@dataclass(frozen=True)
class Note:
    """Something the user should see beside an answer; `code` is one of `engine.messages.NOTES`."""

    code: str
    details: dict[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The note in English."""
        return render(NOTES[self.code], self.details)


@dataclass(frozen=True)
class ModelInfo:
    """The loaded model, as shown beside every answer."""

    name: str
    revision: str
    protocol: ProtocolName
    device: str
    precision: str
    parameters: int
    context: int
    """Tokens of prompt and answer together that the engine uses at most."""
    capabilities: tuple[Capability, ...] = ("score", "generate")
    languages: tuple[str, ...] = ()
    """Languages it was trained on, as in the catalog; empty where that is not known."""
    notes: tuple[Note, ...] = ()
    memory: int = 0
    """Bytes of the machine's memory that it may take, as estimated before it was loaded; 0 where nothing was."""
    writer: str | None = None
    """The named model that answers free prompts in its place, where it cannot write."""


@dataclass(frozen=True)
class LoadProgress:
    """Where a load stands. `total` is None while it is not known; the unit is bytes or tensors."""

    phase: Literal["resolve", "fetch", "convert", "verify", "import", "weights", "warmup"]
    done: int = 0
    total: int | None = None
    unit: Literal["bytes", "tensors", ""] = ""
    detail: str = ""

    @property
    def fraction(self) -> float | None:
        """Share done in 0..1, or None where the total is unknown."""
        return None if not self.total else min(1.0, self.done / self.total)


@dataclass(frozen=True)
class ClassifyRequest:
    """One text against one label set.

    multi: choose every label that reaches `threshold`, else the best one.
    threshold: the least probability of a chosen label. None means 0 for a single choice (the best label is always
        chosen) and 1/len(labels), the chance level, for several.
    free: also run the official free decoding (4 beams, 256 new tokens).
    """

    text: str
    labels: tuple[str, ...]
    multi: bool = False
    threshold: float | None = None
    free: bool = False


@dataclass(frozen=True)
class LabelScore:
    """A label and its probability within the label set."""

    label: str
    score: float


@dataclass(frozen=True)
class FreeAnswer:
    """The official free decoding beside the scores, and what the tolerant parser made of it."""

    raw: str
    chosen: tuple[str, ...]
    notes: tuple[Note, ...]
    prompt: str
    output_tokens: int
    latency_ms: float


@dataclass(frozen=True)
class Usage:
    """What an answer cost. `scored_tokens`: label tokens scored after the one prefill.

    latency_ms: of requests that were answered together, its share of their time by tokens read and scored; the time of
        free decoding is not in it.

    computed_ms: what a kept answer took when it was computed, where `latency_ms` is the time to look it up; None where
        it was computed now.
    """

    prompt_tokens: int
    scored_tokens: int
    output_tokens: int
    latency_ms: float
    queue_ms: float = 0.0
    computed_ms: float | None = None

    @property
    def cached(self) -> bool:
        """Whether the answer was kept from an earlier request."""
        return self.computed_ms is not None


@dataclass(frozen=True)
class ClassifyResult:
    """Labels best first, the chosen ones (empty: none of these), and how the answer came about."""

    labels: tuple[LabelScore, ...]
    chosen: tuple[str, ...]
    threshold: float
    prompt: str
    usage: Usage
    model: ModelInfo
    notes: tuple[Note, ...] = ()
    free: FreeAnswer | None = None


@dataclass(frozen=True)
class Writing:
    """How a model writes an answer.

    max_new_tokens: of the answer at most, from 1 to half the model's context.
    beams: 1, or a beam search, which does not sample and shows nothing before its end.
    temperature: what logits are divided by before a token is drawn; 0 takes the most probable one.
    top_p: tokens are drawn from the smallest set that holds this much probability (Holtzman et al. 2020,
        arXiv:1904.09751).
    repetition_penalty: what the logits of tokens that the answer holds already are divided by, or multiplied where
        they are below 0 (Keskar et al. 2019, arXiv:1909.05858); tokens of the prompt do not count. 1 is none.
    seed: of what is drawn; None draws anew each time.
    stop: strings before which the answer ends; they are not part of it.
    """

    max_new_tokens: int = 256
    beams: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    stop: tuple[str, ...] = ()

    @property
    def varies(self) -> bool:
        """Whether the same request may be answered otherwise the next time."""
        return self.beams == 1 and self.temperature > 0 and self.seed is None


@dataclass(frozen=True)
class Structure:
    """What a written answer must be, of which exactly one is given.

    schema: JSON that this JSON schema, as text, takes. regex: what this expression matches whole. choices: one of
        these.
    grounded: with a schema, strings of the answer that the schema leaves free are parts of the request's `source`.
    """

    schema: str = ""
    regex: str = ""
    choices: tuple[str, ...] = ()
    grounded: bool = False


@dataclass(frozen=True)
class PromptRequest:
    """A free prompt.

    role: said to the model before the text: its system turn where it has those.
    source: the text that grounded strings are parts of.
    alternatives: how many other tokens the answer tells of each place.
    """

    text: str
    writing: Writing = Writing()
    role: str = ""
    structure: Structure | None = None
    source: str = ""
    alternatives: int = 0


@dataclass(frozen=True)
class WrittenToken:
    """A token of an answer.

    id: -1 where a server does not tell it.
    text: its characters; bytes of an unfinished one as \\x... probability: that the model gave it, over the tokens
        that were legal, before any sampling setting; None where there was no choice, or where the server does not say.
    alternatives: (text, probability) of the most probable others, best first.
    """

    id: int
    text: str
    probability: float | None
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class PromptResult:
    """What a model wrote after a free prompt. `model`: the one that wrote, which may not be the one that is loaded.

    finish: end: by the model's own end token, or the structure's; stop: at a stop string; limit: cut off.
    prompt: as the model read it. tokens: empty where the backend does not tell them (beam search).
    """

    text: str
    usage: Usage
    model: ModelInfo
    notes: tuple[Note, ...] = ()
    finish: Finish = "end"
    prompt: str = ""
    tokens: tuple[WrittenToken, ...] = ()


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
