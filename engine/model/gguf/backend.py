"""The GGUF backend: a language model that llama.cpp computes on the CPU, in the quantisation of its file.

Exact: scores, choices under a grammar and settings of drawing come from the model's own logits, through requests of one
token each. Control tokens in a text are its characters, as with every backend.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from threading import Event

from engine.errors import WorkbenchError
from engine.model.answer_text import AnswerText
from engine.model.backend import Decoded, Encoded, Generation, Scores, Show, Written
from engine.model.constraint import Constrainer, FormConstraint, GrammarFault
from engine.model.gguf import beams as beam_search
from engine.model.gguf import decoding, scoring
from engine.model.gguf.probabilities import Probabilities
from engine.model.gguf.server import LlamaServer
from engine.model.gguf.tokenizer import GgufTokenizer
from engine.model.gguf.writing import Writer
from engine.model.tokens import Tokens
from engine.text.grammar import ExtractGrammar
from engine.text.json_schema import brief
from engine.text.protocol import Prompt, PromptProtocol
from engine.text.structure import AnswerForm
from engine.types import ModelInfo, Writing


class GgufBackend:
    """A loaded GGUF file. One owner thread only."""

    def __init__(
        self, server: LlamaServer, tokenizer: GgufTokenizer, protocol: PromptProtocol, info: ModelInfo
    ) -> None:
        self._server, self._tokenizer = server, tokenizer
        self._vocabulary = tokenizer.vocabulary
        self._tokens = Tokens(tokenizer)
        self._ask = Probabilities(server, tokenizer.vocabulary)
        self.protocol = protocol
        self.info = info

    @cached_property
    def _spelling(self) -> Constrainer:
        never = self._tokens
        never.control_ids |= self._vocabulary.unused
        return Constrainer(never, len(self._vocabulary))

    def encode_prompt(self, prompt: Prompt, reserve: int, labels: int = 0) -> Encoded:
        """Token ids of a prompt that leave `reserve` tokens of the context; see `Backend`.

        A model that was trained with a token at the beginning of every text has it there.
        """
        context, begin = self.info.context, self._begin()
        budget = context - reserve - len(begin)
        encoded = self._tokens.encode_prompt(prompt, budget=budget, context=context, labels=labels)
        has_it = encoded.ids[: len(begin)] == begin
        return encoded if has_it else replace(encoded, ids=(*begin, *encoded.ids))

    def encode_answer(self, answer: str) -> tuple[int, ...]:
        """A whole answer with its ending: the protocol's characters, else the end token."""
        ending = self.protocol.label_ending
        tokens = self._tokens.plain(self.protocol.answer_lead + answer + ending)
        return tuple(tokens) if ending else (*tokens, self._end())

    def warm_up(self) -> None:
        """One small request, so that what does not work fails here.

        Raises:
            WorkbenchError: `not_loadable` where texts do not come back from the file's tokens.
        """
        text = "warm up: one, two, three"
        ids = self._tokens.plain(text)
        if self._vocabulary.spell(ids).decode("utf-8", "replace").strip() != text:
            raise WorkbenchError("not_loadable", name=self.info.name, reason="its vocabulary cannot be read")
        self.score(ids, [self.encode_answer(word) for word in ("one", "two")], vocabulary=True)

    def score(
        self,
        prompt: Sequence[int],
        answers: Sequence[Sequence[int]],
        *,
        vocabulary: bool = False,
        stop: Event | None = None,
    ) -> Scores:
        """Score every answer after one prefill; see `Backend`."""
        return scoring.score(self._ask, prompt, answers, vocabulary=vocabulary, stop=stop)

    def generate(
        self, prompt: Sequence[int], *, beams: int, max_new_tokens: int, stop: Event | None = None
    ) -> Generation:
        """Free decoding without sampling; see `Backend`."""
        if beams > 1:
            tokens, finished = self._search(prompt, Writing(max_new_tokens, beams), stop)
            return Generation(self._tokens.decode(tokens), len(tokens), finished)
        written = self.write(prompt, Writing(max_new_tokens), stop=stop)
        tokens = [one.id for one in written.tokens]
        return Generation(self._tokens.decode(tokens), len(tokens), written.finish == "end")

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
        """Write an answer to a free prompt; see `Backend`."""
        constraint = None if form is None else self._follow(form)
        text = AnswerText(writing.stop, show, drops_first_blank=self._tokenizer.puts_blank)
        if writing.beams > 1:
            from engine.model.writing import written_at_once

            tokens, finished = self._search(prompt, writing, stop)
            return written_at_once((self._vocabulary.spell([one]) for one in tokens), text, finished=finished)
        writer = Writer(self._ask, self._vocabulary, prompt, writing, alternatives=alternatives, stop=stop)
        if constraint is None:
            return writer.freely(text)
        try:
            return writer.under(constraint, text)
        except GrammarFault as error:
            raise self._unheld(error) from None

    def decode(
        self,
        prompts: Sequence[Sequence[int]],
        grammars: Sequence[ExtractGrammar],
        *,
        limits: Sequence[int],
        stop: Event | None = None,
    ) -> tuple[tuple[Decoded, ...], int]:
        """Greedy decoding under grammars, one prompt after the other; see `Backend`."""
        try:
            spelling = self._spelling
        except ValueError as error:
            raise WorkbenchError("extract_unsupported", name=self.info.name, reason=error) from None
        decoded, forwards = [], 0
        for prompt, grammar, limit in zip(prompts, grammars, limits, strict=True):
            one, passes = decoding.decode(self._ask, prompt, spelling.start(grammar), limit, stop)
            decoded.append(one)
            forwards += passes
        return tuple(decoded), forwards

    def forget(self) -> None:
        """Have the server let go of prompts that it read; see `Backend`."""
        self._server.forget()

    def close(self) -> None:
        """Give the memory back, and close the server's port."""
        self._server.close()

    def _begin(self) -> tuple[int, ...]:
        begin = self._vocabulary.begin
        return (begin,) if self._vocabulary.adds_begin and begin is not None else ()

    def _end(self) -> int:
        end = self._vocabulary.end
        return end if end is not None else min(self._vocabulary.ends, default=0)

    def _search(self, prompt: Sequence[int], writing: Writing, stop: Event | None) -> tuple[list[int], bool]:
        return beam_search.search(
            self._ask,
            prompt,
            beams=writing.beams,
            most=writing.max_new_tokens,
            ends=self._vocabulary.ends,
            room=2 * self.info.context,
            penalty=writing.repetition_penalty,
            stop=stop,
        )

    def _follow(self, form: AnswerForm) -> FormConstraint:
        try:
            return self._spelling.follow(form)
        except ValueError as error:
            raise self._unheld(error) from None

    def _unheld(self, reason: object) -> WorkbenchError:
        return WorkbenchError("structure_unsupported", name=self.info.name, reason=brief(reason))
