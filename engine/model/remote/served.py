"""The backend of a model behind a server: prompts as texts, probabilities and answers as the server tells them."""

import math
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from threading import Event
from typing import Any

from engine.errors import WorkbenchError
from engine.model.backend import Decoded, Encoded, Generation, Scores, Show, Written
from engine.model.remote.client import Body, Client
from engine.model.remote.estimate import encode, neutralise, pack, restore, turns, unpack
from engine.model.remote.extraction import decoded, structure_of
from engine.model.remote.failures import read_as_expected
from engine.model.remote.probe import CHAT, COMPLETIONS, Abilities
from engine.model.remote.scoring import by_prompts, by_steps
from engine.model.remote.shapes import Told, choice, finish_of, read_prompt, text_of, tokens_of, written_count
from engine.model.remote.structured import fields
from engine.model.remote.writing import Transcript, read_event
from engine.text.grammar import ExtractGrammar
from engine.text.protocol import Prompt, PromptProtocol
from engine.text.structure import AnswerForm
from engine.types import ModelInfo, Note, Structure, Writing

_BROKEN_OFF = {"remote_silent", "remote_broken", "remote_garbage", "remote_rejected", "remote_too_big"}
"""Errors that may come within an answer."""
_JSON_SPARE = 8
"""Tokens that JSON takes for a field beside those of a line: quotes, brackets, commas, blanks."""


class ServedModel:
    """One model of one server. One owner thread only; it keeps nothing of what it is asked."""

    def __init__(
        self, client: Client, model: str, abilities: Abilities, protocol: PromptProtocol, info: ModelInfo
    ) -> None:
        """model: the server's name of it."""
        self._client = client
        self._model = model
        self._abilities = abilities
        self.protocol = protocol
        self.info = info

    def encode_prompt(self, prompt: Prompt, reserve: int, labels: int = 0) -> Encoded:
        """Pieces that stand for tokens, estimated rather too high; see `Backend`."""
        context = self.info.context
        return encode(prompt, budget=context - reserve, context=context, labels=labels)

    def encode_answer(self, answer: str) -> tuple[int, ...]:
        """A whole answer's pieces, with the lead and the ending of the protocol; lines with what they take as JSON."""
        whole = neutralise(self.protocol.answer_lead + answer + self.protocol.label_ending)
        return tuple(pack(whole + '"' * _JSON_SPARE * answer.count("\n")))

    def score(
        self,
        prompt: Sequence[int],
        answers: Sequence[Sequence[int]],
        *,
        vocabulary: bool = False,
        stop: Event | None = None,
    ) -> Scores:
        """Score answers by the way that the server has; see `engine.model.remote.scoring`.

        Raises:
            WorkbenchError: `remote_no_scores` where it tells no probabilities; those of the server's failures.
        """
        text, texts = unpack(prompt), [unpack(one) for one in answers]
        if self._abilities.prompt:
            return self._client.run(self._score_prompts(text, texts), stop)
        if not self._abilities.completions or not self._abilities.top or vocabulary:
            raise WorkbenchError("remote_no_scores")
        return self._client.run(self._score_steps(text, texts), stop)

    def generate(
        self, prompt: Sequence[int], *, beams: int, max_new_tokens: int, stop: Event | None = None
    ) -> Generation:
        """Greedy, whatever the number of beams, which a note of the load says; see `Backend`."""
        written = self.write(prompt, Writing(max_new_tokens), stop=stop)
        return Generation(written.text, written.output_tokens, written.finish != "limit")

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
        """Write by a stream; see `Backend`.

        With a form the tokens have no probabilities: servers tell those among all tokens, not among the legal ones.

        Raises:
            WorkbenchError: `remote_ignored_structure` for an ended answer that does not keep to its form;
                `remote_partial` where the stream broke off within the answer, with what came; `bad_setting` for beams;
                those of the server's failures.
        """
        if writing.beams != 1:
            raise WorkbenchError("bad_setting", name="beams", value=writing.beams, hint="Use 1: servers write by one.")
        path, body = self._asked(prompt)
        body |= _sampling(writing) | {"stream": True, "stream_options": {"include_usage": True}}
        told = 0 if form else min(self._abilities.top, alternatives + 1)
        if told:
            body |= {"logprobs": told} if path == COMPLETIONS else {"logprobs": True, "top_logprobs": told}
        if form is not None:
            body |= fields(self._abilities.structure, form.structure)
        transcript = Transcript(writing.max_new_tokens, writing.stop, alternatives, show)
        self._client.run(self._stream(path, body, transcript), stop)
        notes = (Note("penalty_counts_prompt"),) if writing.repetition_penalty != 1 else ()
        written = transcript.result(probabilities=form is None, notes=notes)
        return written if form is None or written.finish == "limit" else _in_form(written, form)

    def decode(
        self,
        prompts: Sequence[Sequence[int]],
        grammars: Sequence[ExtractGrammar],
        *,
        limits: Sequence[int],
        stop: Event | None = None,
    ) -> tuple[tuple[Decoded, ...], int]:
        """Ask all prompts side by side, and take of the answers what is legal; see `engine.model.remote.extraction`.

        The second figure is the tokens written: how a server shares its passes is not known.
        """
        asked = zip(prompts, grammars, limits, strict=True)
        bodies = [self._extraction(prompt, grammar, limit) for prompt, grammar, limit in asked]
        path = self._asked(prompts[0])[0]
        answers = self._client.run(self._client.post_all(path, bodies, _said), stop)
        made = tuple(
            decoded(said, grammar, ended=ended, tokens=tokens)
            for (said, ended, tokens), grammar in zip(answers, grammars, strict=True)
        )
        return made, sum(len(one.pieces) + one.taken_back for one in made)

    def forget(self) -> None:
        """Nothing is kept here; what the server keeps is its own matter."""

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _asked(self, prompt: Sequence[int]) -> tuple[str, Body]:
        """Where a prompt is sent, and the request's part that holds it."""
        said = turns(prompt)
        if not said and self._abilities.completions:
            return COMPLETIONS, {"model": self._model, "prompt": unpack(prompt)}
        return CHAT, {"model": self._model, "messages": said or [{"role": "user", "content": unpack(prompt)}]}

    def _extraction(self, prompt: Sequence[int], grammar: ExtractGrammar, limit: int) -> Body:
        path, body = self._asked(prompt)
        body |= {"temperature": 0, "max_tokens": limit}
        if self.protocol.name == "seqgpt":  # it was trained on lines
            return body | {"stop": ["\n\n"]}
        held = fields(self._abilities.structure, structure_of(grammar))
        return body | (held if held or path == CHAT else {"stop": ["\n\n", "\nText:"]})  # the next example

    async def _stream(self, path: str, body: Body, transcript: Transcript) -> None:
        async with aclosing(self._client.events(path, body)) as events:
            while True:
                try:
                    event = await anext(events, None)
                    if event is None and not transcript.ended:
                        raise self._client.broken()
                    with read_as_expected(self._client.url):
                        piece = None if event is None else read_event(event, transcript.stops)
                except WorkbenchError as error:
                    if transcript.ended:
                        return  # only the count of its tokens is missing
                    raise _with_what_came(error, transcript.text) from None
                if piece is None or not transcript.add(piece):
                    return

    async def _score_prompts(self, prompt: str, answers: Sequence[str]) -> Scores:
        kind = self._abilities.prompt
        more = {"prompt_logprobs": 0} if kind == "prompt_logprobs" else {"echo": True, "logprobs": 1}
        texts = [prompt, *(prompt + one for one in answers)]
        bodies = [{"model": self._model, "prompt": text, "max_tokens": 1, "temperature": 0} | more for text in texts]
        told = await self._client.post_all(COMPLETIONS, bodies, lambda body: _prompt_tokens(body, kind))
        with read_as_expected(self._client.url):
            return by_prompts(told[0], told[1:])

    async def _score_steps(self, prompt: str, answers: Sequence[str]) -> Scores:
        async def step(read: str, ways: Sequence[str]) -> Sequence[Told]:
            body = {"model": self._model, "prompt": prompt + read, "max_tokens": 1, "temperature": 0}
            body["logprobs"] = self._abilities.top
            told = await self._tokens(body, ways)
            if not told and self._abilities.raw:  # llama.cpp tells nothing where it wrote a part of a character
                told = [replace(one, log=-math.inf) for one in await self._tokens(body, ["0"])]
            return told

        return await by_steps(step, answers, again=self._abilities.raw)

    async def _tokens(self, body: Body, ways: Sequence[str]) -> list[Told]:
        """The tokens of an answer that is held to one of some texts, where that is possible."""
        held = fields(self._abilities.structure, Structure(choices=tuple(ways)))
        answer = await self._client.post(COMPLETIONS, body | held)
        with read_as_expected(self._client.url):
            return tokens_of(choice(answer))


def _sampling(writing: Writing) -> Body:
    """A writing's settings by the names that servers know; those that change nothing are left out."""
    body: Body = {"max_tokens": writing.max_new_tokens, "temperature": writing.temperature}
    if writing.top_p != 1:
        body["top_p"] = writing.top_p
    if writing.seed is not None:
        body["seed"] = writing.seed
    if writing.stop:
        body["stop"] = list(writing.stop[:4])  # more than the protocol allows are watched here alone
    if writing.repetition_penalty != 1:
        body |= dict.fromkeys(("repetition_penalty", "repeat_penalty"), writing.repetition_penalty)  # vLLM, llama.cpp
    return body


def _with_what_came(error: WorkbenchError, text: str) -> WorkbenchError:
    """The error of a stream, with the text that it would lose."""
    if not text or error.code not in _BROKEN_OFF:
        return error
    return WorkbenchError("remote_partial", reason=error.message.rstrip("."), text=text)


def _in_form(written: Written, form: AnswerForm) -> Written:
    """The answer where it keeps to its form, if need be without the blanks around it."""
    problem = form.problem(written.text)
    if problem and not form.problem(written.text.strip()):
        return replace(written, text=written.text.strip())
    if problem:
        raise WorkbenchError("remote_ignored_structure", reason=problem)
    return written


def _said(body: Any) -> tuple[str, bool, int]:
    """What an answer says, whether the server ended it, and the tokens that it took."""
    one = choice(body)
    said = restore(text_of(one))
    count = written_count(body)
    return said, finish_of(one) != "limit", len(pack(said)) if count is None else count


def _prompt_tokens(body: Any, kind: str) -> list[tuple[str, float | None]]:
    """The prompt's tokens; an echo ends with the one that was generated."""
    told = read_prompt(choice(body), kind)
    if kind != "echo":
        return told
    count = written_count(body)
    return told[: len(told) - (1 if count is None else count)]
