"""What a backend is: a few methods over one loaded model. Tasks are written against this and nothing else.

A backend belongs to one thread (run/queue's worker), tokenizer included: the fast tokenizers are not thread-safe.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Protocol, TypeGuard, runtime_checkable

from engine.text.grammar import ExtractGrammar
from engine.text.protocol import Prompt, PromptProtocol
from engine.text.structure import AnswerForm
from engine.types import Finish, ModelInfo, Note, Writing, WrittenToken


@dataclass(frozen=True)
class Encoded:
    """A prompt as token ids, with its text cut to fit.

    kept: code points of the text that the model reads.
    neutralised: control tokens typed inside the user's text or labels, encoded as plain characters.
    """

    ids: tuple[int, ...]
    prompt: Prompt
    kept: int
    neutralised: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scores:
    """Log-probabilities of answers, one inner tuple a token, for each answer.

    vocabulary: over the whole vocabulary, None where it was not asked for.
    siblings: over the tokens with which some answer goes on from the same prefix: constrained decoding's.
    scored_tokens: distinct tokens scored after the prefill.
    notes: what could not be known; the log-probability of an answer that has none is -inf, and a note names it.
    """

    siblings: tuple[tuple[float, ...], ...]
    vocabulary: tuple[tuple[float, ...], ...] | None
    scored_tokens: int
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Generation:
    """A generated answer. `finished`: ended by the model's end token, not by the limit."""

    text: str
    output_tokens: int
    finished: bool


@dataclass(frozen=True)
class Written:
    """A written answer, without the stop string or the end token; `tokens`: empty where they are not known.

    output_tokens: tokens that the model wrote, with those that ended the answer.
    notes: what of the request was done otherwise than asked.
    """

    text: str
    finish: Finish
    output_tokens: int
    tokens: tuple[WrittenToken, ...] = ()
    notes: tuple[Note, ...] = ()


Show = Callable[[str], None]
"""Told all of an answer's text so far, whenever there is more of it: whole characters, and nothing that may yet turn
out to be a stop string. An exception that it raises ends the writing."""


@dataclass(frozen=True)
class Decoded:
    """An answer written under a grammar, token by token.

    pieces: each token's bytes.
    log_probabilities: of each token among those that were legal; 0 where there was no choice. None: not known, as the
        answer was made from what a server wrote.
    forced: how many of the tokens were written without a choice.
    written: bytes that the model wrote; at its limit an answer is closed, and what follows only ends it legally.
    taken_back: tokens beside `pieces` that the model wrote, forced ones too: of a value that was not whole.
    said: what the model wrote, where `pieces` were made from it; None where they are it.
    unanswered: numbers of the lines about which it said nothing that could be read; they stand as not found.
    notes: what of it was left out.
    """

    pieces: tuple[bytes, ...]
    log_probabilities: tuple[float, ...] | None
    forced: int
    written: int
    taken_back: int = 0
    said: str | None = None
    unanswered: frozenset[int] = frozenset()
    notes: tuple[Note, ...] = ()

    @property
    def answer(self) -> bytes:
        """The answer's bytes."""
        return b"".join(self.pieces)


@dataclass(frozen=True)
class WeighedLabels:
    """Labels against a text, by a model that understands.

    logits: one a label; their softmax is the labels' probabilities.
    fits: the probability that any of the labels fits the text at all.
    tokens: pieces of the text that were read.
    """

    logits: tuple[float, ...]
    fits: float
    tokens: int


@dataclass(frozen=True)
class Query:
    """What is looked for. `concepts`: ids of `engine.text.concepts` that the name means, empty where none is known."""

    name: str
    concepts: tuple[str, ...]


@dataclass(frozen=True)
class ScoredSpan:
    """A span of a text, code points [start, end), that may answer the query of that index."""

    start: int
    end: int
    query: int
    probability: float


@dataclass(frozen=True)
class SpanReading:
    """Every span that is at all likely, and what was read.

    best: by query, the probability of its best span.
    tokens: pieces of the text. windows: stretches that it was read in, overlapping.
    """

    spans: tuple[ScoredSpan, ...]
    best: tuple[float, ...]
    tokens: int
    windows: int


class Backend(Protocol):
    """One loaded model. What it can do beside this is stated in its capabilities, and written down below."""

    @property
    def info(self) -> ModelInfo:
        """What it is and what it can do."""

    def forget(self) -> None:
        """Drop what it kept of texts that it read."""

    def close(self) -> None:
        """Give the memory back; the backend is not used again."""


@runtime_checkable
class Keeping(Protocol):
    """A backend that can say how much it keeps of texts that it read."""

    @property
    def kept_bytes(self) -> int:
        """Bytes of memory; from any thread."""


class Understanding(Backend, Protocol):
    """A model that reads a text and answers at once, without writing: capability `understand`."""

    @property
    def threshold(self) -> float:
        """The probability from which a span is a value."""

    def weigh_labels(
        self, texts: Sequence[str], labels: Sequence[str], stop: Event | None = None
    ) -> tuple[WeighedLabels, ...]:
        """Weigh the labels for each text, all texts together.

        Raises:
            Cancelled: `stop` was set.
        """

    def find_spans(
        self, texts: Sequence[str], queries: Sequence[Query], stop: Event | None = None
    ) -> tuple[SpanReading, ...]:
        """Find spans for the queries in each text, all texts together; overlapping ones are for the caller to sort out.

        Raises:
            Cancelled: `stop` was set.
        """


class LanguageModel(Backend, Protocol):
    """A model that is asked by a prompt and writes: capabilities `score` and `generate`."""

    @property
    def protocol(self) -> PromptProtocol:
        """How it is asked."""

    def encode_prompt(self, prompt: Prompt, reserve: int, labels: int = 0) -> Encoded:
        """Token ids of a prompt that leave `reserve` tokens of the context for the answer; cuts the text only.

        labels: how many labels the prompt lists, for the message.

        Raises:
            WorkbenchError: `labels_too_long` where the parts around the text leave it no room.
        """

    def encode_answer(self, answer: str) -> tuple[int, ...]:
        """Token ids of a whole answer: the lead, the answer, and the ending that tells it from a longer one."""

    def score(
        self,
        prompt: Sequence[int],
        answers: Sequence[Sequence[int]],
        *,
        vocabulary: bool = False,
        stop: Event | None = None,
    ) -> Scores:
        """Score every answer after one prefill of the prompt. Each answer's tokens end with the ending's."""

    def generate(
        self, prompt: Sequence[int], *, beams: int, max_new_tokens: int, stop: Event | None = None
    ) -> Generation:
        """Free decoding without sampling: greedy for one beam, beam search for more."""

    def write(
        self,
        prompt: Sequence[int],
        writing: Writing,
        *,
        form: AnswerForm | None = None,
        alternatives: int = 0,
        show: Show | None = None,
        stop: Event | None = None,
    ) -> Written:
        """Write an answer to a free prompt, token by token; with several beams, by beam search.

        form: what the answer must be: at every step the model chooses among the tokens that keep to it.
        alternatives: other tokens told of each place.

        Raises:
            Cancelled: `stop` was set; no more than one token is written after that.
            WorkbenchError: `structure_unsupported` where this backend cannot hold to such a form.
        """

    def decode(
        self,
        prompts: Sequence[Sequence[int]],
        grammars: Sequence[ExtractGrammar],
        *,
        limits: Sequence[int],
        stop: Event | None = None,
    ) -> tuple[tuple[Decoded, ...], int]:
        """Greedy decoding under a grammar a prompt, all prompts together; the answers and the forward passes made.

        limits: new tokens of each answer at most.
        """


def understands(backend: Backend) -> TypeGuard[Understanding]:
    """Whether a model answers without a prompt."""
    return "understand" in backend.info.capabilities


def generates(backend: Backend) -> TypeGuard[LanguageModel]:
    """Whether a model writes freely."""
    return "generate" in backend.info.capabilities


def writes(backend: Backend) -> TypeGuard[LanguageModel]:
    """Whether a model is asked by prompts, and scores or writes what may follow them."""
    return "score" in backend.info.capabilities
