"""What a loaded model of `transformers` writes freely: greedily, drawn, by beam search, or held to a form.

It is the part of `CausalLM` that answers free prompts; reading prompts, and all other tasks, are there.
"""

from collections.abc import Sequence
from functools import cached_property
from threading import Event
from typing import Any

import torch
from torch import Tensor

from engine.errors import Cancelled, WorkbenchError
from engine.model.answer_text import AnswerText
from engine.model.backend import Generation, Show, Written
from engine.model.beams import search
from engine.model.constraint import Constrainer, FormConstraint, GrammarFault
from engine.model.memory import free_bytes
from engine.model.packed.table import TableHead
from engine.model.ragged import RaggedBatch
from engine.model.sampling import Sampler
from engine.model.token_text import TokenText
from engine.model.tokens import Tokens
from engine.model.writing import Names, Reading, Writer, whole_row_logits, written_at_once
from engine.text.json_schema import brief
from engine.text.structure import AnswerForm
from engine.types import ModelInfo, Writing


class FreeWriting:
    """Writes with what its heir has loaded. _spare_bytes: of memory that writing may take beside all else."""

    info: ModelInfo
    _model: Any
    _body: Any
    _head: Any
    _tokens: Tokens
    _token_text: TokenText
    _spare_bytes: int

    def _prefill(self, prompt: Sequence[int], stop: Event | None) -> tuple[Tensor, Any]:
        """The last hidden state of a prompt, shape (hidden,), and its cache."""
        raise NotImplementedError

    def _logits(self, hidden: Tensor, rows: Tensor | None = None) -> Tensor:
        """fp32 logits, shape (positions, vocabulary or rows), of hidden states of shape (positions, hidden)."""
        raise NotImplementedError

    @torch.inference_mode()
    def generate(
        self, prompt: Sequence[int], *, beams: int, max_new_tokens: int, stop: Event | None = None
    ) -> Generation:
        """Free decoding without sampling; see `Backend`."""
        tokens, finished = self._search(prompt, beams, max_new_tokens, stop=stop)
        return Generation(self._tokens.decode(tokens), len(tokens), finished)

    @torch.inference_mode()
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
        """Write an answer to a free prompt; see `Backend`. The prompt is read as for every other request."""
        constraint = None if form is None else self._follow(form)
        text = AnswerText(writing.stop, show, drops_first_blank=self._token_text.drops_first_blank)
        if writing.beams > 1:
            self._hold_head(stop)
            tokens, finished = self._search(
                prompt, writing.beams, writing.max_new_tokens, penalty=writing.repetition_penalty, stop=stop
            )
            return written_at_once(map(self._token_text.bytes_of, tokens), text, finished=finished)
        state, cache = self._prefill(prompt, stop)
        batch = RaggedBatch(self._body, [cache], [len(prompt)])
        rows = self._head.weight.shape[0]

        def all_logits(hidden: Tensor) -> Tensor:
            self._hold_head(stop)
            return self._logits(hidden)

        reading = Reading(state, batch, whole_row_logits(all_logits, self._logits, rows), stop)
        ends = frozenset(end for end in self._end_tokens() if end is not None and end < rows)
        names = Names(self._token_text.bytes_of, self._token_text.shown, ends)
        writer = Writer(reading, Sampler(writing, alternatives), names, text, writing.max_new_tokens)
        if constraint is None:
            return writer.freely()
        try:
            return writer.under(constraint)
        except GrammarFault as error:
            raise self._unheld(error) from None

    def _follow(self, form: AnswerForm) -> FormConstraint:
        try:
            return self._spelling.follow(form)
        except ValueError as error:
            raise self._unheld(error) from None

    def _unheld(self, reason: object) -> WorkbenchError:
        return WorkbenchError("structure_unsupported", name=self.info.name, reason=brief(reason))

    def _hold_head(self, stop: Event | None) -> None:
        """Have the whole output layer at hand for token after token, where there is memory for it."""
        head = self._head
        if isinstance(head, TableHead) and head.packed_bytes <= min(self._spare_bytes, free_bytes() // 2):
            head.pack(lambda: check(stop))

    def _search(
        self, prompt: Sequence[int], beams: int, most: int, *, penalty: float = 1.0, stop: Event | None
    ) -> tuple[list[int], bool]:
        pad, ends = self._pad_token(), self._end_tokens()
        return search(self._model, prompt, beams=beams, most=most, pad=pad, ends=ends, penalty=penalty, stop=stop)

    @cached_property
    def _spelling(self) -> Constrainer:
        return Constrainer(self._tokens, self._head.weight.shape[0])

    def _end_tokens(self) -> set[int]:
        ends = self._model.generation_config.eos_token_id
        if ends is None:
            ends = self._tokens.tokenizer.eos_token_id
        return set(ends) if isinstance(ends, list) else {ends}

    def _pad_token(self) -> int:
        named = (self._tokens.tokenizer.pad_token_id, self._tokens.tokenizer.eos_token_id)
        return next((int(token) for token in named if token is not None), 0)


def check(stop: Event | None) -> None:
    """Raises: Cancelled: `stop` was set."""
    if stop is not None and stop.is_set():
        raise Cancelled
