"""The torch backend: any causal language model of `transformers`, scored and generated with.

Scoring reads the prompt once and then every label in one more pass, as a tree over the prompt's KV cache. Models
whose attention cannot be laid out as a tree (found by a check at load, not by name) are scored label by label over
copies of that cache. It does not fetch or choose a model, and keeps nothing between calls but what
`kv_cache.Prefixes` holds of prompts that it read.
"""

import copy
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any

import torch
from torch import Tensor

from engine.errors import WorkbenchError
from engine.model.backend import Decoded, Encoded, Scores
from engine.model.bloom import last_only, quicken
from engine.model.constrained import Row, write_answers
from engine.model.constraint import Constrainer
from engine.model.free_writing import FreeWriting, check
from engine.model.kv_cache import Prefixes, new_cache
from engine.model.packed.table import TableHead
from engine.model.ragged import RaggedBatch, difference, shares_passes
from engine.model.token_text import TokenText
from engine.model.tokens import Tokens
from engine.model.tree import holds_all, read_tree
from engine.model.trie import ROOT, Trie
from engine.text.grammar import ExtractGrammar
from engine.text.protocol import Prompt, PromptProtocol
from engine.types import ModelInfo, Note

_PREFILL_CHUNK = 256
"""Prompt tokens a forward pass: the longest wait before a stop is noticed."""

_HEAD_CHUNK = 32
"""Positions whose logits over the whole vocabulary are held at once: 32 MB for BLOOM's 250,880 rows."""

_CHECKED_ROWS = 4096

_TOLERANCE = 1e-3
_COARSE_TOLERANCE = 5e-2
"""Largest `difference` between hidden states read in two ways: in fp32, and where rounding is coarse. In half precision
it is 0.01 with a model of 30 layers; in int8 0.03, for a difference of 1e-7 may round the other way and grow. A state
that lacks what stands before it differs by far more."""


class CausalLM(FreeWriting):
    """A loaded `AutoModelForCausalLM` with its tokenizer. One owner thread only."""

    def __init__(
        self,
        model: Any,
        tokens: Tokens,
        protocol: PromptProtocol,
        info: ModelInfo,
        *,
        prefix_bytes: int = 0,
        spare_bytes: int = 2**63,
    ) -> None:
        """prefix_bytes: of the KV caches kept of prompts that were read. spare_bytes: what free writing may take beside
        all else.
        """
        quicken(model)
        self._model = model.eval()
        self._body = model.base_model
        self._head = model.get_output_embeddings()
        self._tokens = tokens
        self.protocol = protocol
        self.info = info
        self._device = model.device
        self._prefixes = Prefixes(prefix_bytes)
        self._spare_bytes = spare_bytes
        self._token_text = TokenText(tokens.tokenizer)
        self._tree = True
        self._batch = True

    @cached_property
    def _constrainer(self) -> Constrainer:
        try:
            return self._spelling
        except ValueError as error:
            raise WorkbenchError("extract_unsupported", name=self.info.name, reason=error) from None

    def encode_prompt(self, prompt: Prompt, reserve: int, labels: int = 0) -> Encoded:
        """Token ids of a prompt that leave `reserve` tokens of the context; see `Backend`."""
        context = self.info.context
        return self._tokens.encode_prompt(prompt, budget=context - reserve, context=context, labels=labels)

    def encode_answer(self, answer: str) -> tuple[int, ...]:
        """A whole answer with its ending: the protocol's characters, else the end token."""
        ending = self.protocol.label_ending
        tokens = self._tokens.plain(self.protocol.answer_lead + answer + ending)
        return tuple(tokens) if ending else (*tokens, self._end_token())

    @torch.inference_mode()
    def warm_up(self) -> None:
        """One small request: settles how answers are scored, and fails here rather than at the first click.

        Raises:
            WorkbenchError: `not_loadable` where the model's own logits cannot be reproduced from its head, or where
                it does not go on from a cache as if it had read all at once (Mamba in transformers 5.24).
        """
        prompt = self._tokens.plain("warm up: one, two, three")
        ids = torch.tensor([prompt], device=self._device)
        with _few_rows(self._head):
            own = self._model(input_ids=ids, use_cache=False).logits[0, -1].float()
            ours = self._logits(self._body(input_ids=ids, use_cache=False).last_hidden_state[0, -1:])[0]
        if not torch.allclose(own, ours, rtol=1e-2, atol=1e-2):
            raise WorkbenchError("not_loadable", name=self.info.name, reason="its output layer is of an unknown kind")
        coarse = self._model.dtype != torch.float32 or self.info.precision == "int8"
        most = _COARSE_TOLERANCE if coarse else _TOLERANCE
        last, cache = self._read(prompt, None)
        if not difference(self._read(prompt[-2:], None, self._read(prompt[:-2], None)[1])[0], last) <= most:
            raise WorkbenchError("not_loadable", name=self.info.name, reason="it does not go on from its own cache")
        answers = [self.encode_answer(word) for word in ("one", "one two", "three")]
        trie = Trie.build(answers)
        each = self._score_each(prompt, trie, None)
        try:
            tree = self._score_tree(prompt, trie, None)
            off = max(difference(tree[node], each[node]) for node in each)
        except (RuntimeError, TypeError, ValueError, AttributeError, IndexError):
            off = float("inf")  # whatever the reason, this model's attention takes no tree
        self._tree = off <= most and holds_all(cache, self.info.context)
        self._batch = shares_passes(self._body, lambda part: self._read(part, None), prompt, most)
        self.info = replace(self.info, notes=() if self._tree else (Note("labels_one_by_one"),))

    @torch.inference_mode()
    def score(
        self,
        prompt: Sequence[int],
        answers: Sequence[Sequence[int]],
        *,
        vocabulary: bool = False,
        stop: Event | None = None,
    ) -> Scores:
        """Score every answer after one prefill; see `Backend`."""
        trie = Trie.build(answers)
        read = self._score_tree if self._tree else self._score_each
        hidden = read(prompt, trie, stop)
        siblings = self._sibling_scores(trie, hidden)
        whole = self._vocabulary_scores(trie, hidden, stop) if vocabulary else None
        return Scores(
            tuple(tuple(siblings[node] for node in path) for path in trie.paths),
            tuple(tuple(whole[node] for node in path) for path in trie.paths) if whole else None,
            len(trie.tokens),
        )

    @torch.inference_mode()
    def decode(
        self,
        prompts: Sequence[Sequence[int]],
        grammars: Sequence[ExtractGrammar],
        *,
        limits: Sequence[int],
        stop: Event | None = None,
    ) -> tuple[tuple[Decoded, ...], int]:
        """Greedy decoding under grammars; see `Backend`. Models whose caches cannot share a pass take turns."""
        rows = [Row(self._constrainer.start(grammar), limit) for grammar, limit in zip(grammars, limits, strict=True)]
        for row in rows:
            row.jump()
        groups = [range(len(rows))] if self._batch else [range(number, number + 1) for number in range(len(rows))]
        forwards = 0
        for group in groups:
            states, caches = zip(*(self._prefill(prompts[number], stop) for number in group), strict=True)
            batch = RaggedBatch(self._body, caches, [len(prompts[number]) for number in group])
            own = [rows[number] for number in group]
            forwards += write_answers(own, torch.stack(states), batch, self._logits, stop)
        return tuple(row.result() for row in rows), forwards

    @property
    def kept_bytes(self) -> int:
        """Of prompts that were read; see `Keeping`."""
        return self._prefixes.nbytes

    def forget(self) -> None:
        """Drop the caches of prompts that were read, and what free writing holds; see `Backend`."""
        if isinstance(self._head, TableHead):
            self._head.unpack()
        self._prefixes.clear()

    def close(self) -> None:
        """Drop the weights and hand freed memory back to the system."""
        self.forget()
        del self._model, self._body, self._head, self._tokens, self._token_text
        gc.collect()
        if self._device.type == "cuda":
            torch.cuda.empty_cache()

    # Scoring. Both ways return the hidden state at each parent of the trie: what predicts its children.

    def _prefill(self, prompt: Sequence[int], stop: Event | None) -> tuple[Tensor, Any]:
        """The last hidden state of the prompt, shape (hidden,), and its cache; what it begins with may be kept."""
        cache = new_cache(self._body)
        length, last = self._prefixes.find(prompt, cache)
        if last is None:
            last, cache = self._read(prompt[length:], stop, cache)
            self._prefixes.keep(prompt, last, cache)
        return last, cache

    def _read(self, tokens: Sequence[int], stop: Event | None, cache: Any = None) -> tuple[Tensor, Any]:
        """The last hidden state of the tokens, shape (hidden,), and their cache, which goes on from a given one."""
        ids = torch.tensor([list(tokens)], device=self._device)
        cache = new_cache(self._body) if cache is None else cache
        for chunk in torch.split(ids, _PREFILL_CHUNK, dim=1):
            check(stop)
            output = self._body(input_ids=chunk, cache=cache, use_cache=True, **last_only(self._body))
            cache = output.cache
        return output.last_hidden_state[0, -1].clone(), cache

    def _score_tree(self, prompt: Sequence[int], trie: Trie, stop: Event | None) -> dict[int, Tensor]:
        """All labels in one pass: a node sees the prompt and its own ancestors, at its depth's position."""
        last, cache = self._prefill(prompt, stop)
        inner = trie.inner()
        if not inner:
            return {ROOT: last}
        check(stop)
        states = read_tree(self._body, cache, len(prompt), trie, inner)
        return {ROOT: last} | dict(zip(inner, states, strict=True))

    def _score_each(self, prompt: Sequence[int], trie: Trie, stop: Event | None) -> dict[int, Tensor]:
        """One pass a label, each over its own copy of the prompt's cache: right for every kind of cache."""
        last, cache = self._prefill(prompt, stop)
        hidden = {ROOT: last}
        for path in trie.paths:
            check(stop)
            read = path[:-1]
            if any(node not in hidden for node in read):
                ids = torch.tensor([[trie.tokens[node] for node in read]], device=self._device)
                output = self._body(input_ids=ids, cache=copy.deepcopy(cache), use_cache=True)
                hidden |= dict(zip(read, output.last_hidden_state[0], strict=True))
        return hidden

    def _sibling_scores(self, trie: Trie, hidden: dict[int, Tensor]) -> dict[int, float]:
        """Log-probability of each node among its siblings, from the head's rows of those tokens alone."""
        scores: dict[int, float] = {}
        for parent, nodes in trie.children().items():
            rows = torch.tensor([trie.tokens[node] for node in nodes], device=self._device)
            among = self._logits(hidden[parent][None], rows)[0].log_softmax(-1)
            scores |= dict(zip(nodes, among.tolist(), strict=True))
        return scores

    def _vocabulary_scores(self, trie: Trie, hidden: dict[int, Tensor], stop: Event | None) -> dict[int, float]:
        """Log-probability of each node over the whole vocabulary."""
        groups = list(trie.children().items())
        scores: dict[int, float] = {}
        for start in range(0, len(groups), _HEAD_CHUNK):
            check(stop)
            part = groups[start : start + _HEAD_CHUNK]
            whole = self._logits(torch.stack([hidden[parent] for parent, _ in part])).log_softmax(-1)
            for row, (_, nodes) in zip(whole, part, strict=True):
                scores |= {node: float(row[trie.tokens[node]]) for node in nodes}
        return scores

    def _logits(self, hidden: Tensor, rows: Tensor | None = None) -> Tensor:
        """fp32 logits, shape (positions, vocabulary or rows), of hidden states of shape (positions, hidden)."""
        if rows is None:
            return self._head(hidden).float()  # type: ignore[no-any-return]
        bias = self._head.bias[rows] if getattr(self._head, "bias", None) is not None else None
        return torch.nn.functional.linear(hidden, self._head.weight[rows].to(hidden.dtype), bias).float()

    def _end_token(self) -> int:
        """The end token that the tokenizer names, which for instruct models ends a turn."""
        return int(self._tokens.tokenizer.eos_token_id)


@contextmanager
def _few_rows(head: Any) -> Iterator[None]:
    """While it lasts, a mapped output layer multiplies some of its rows only, so that not all are read for a check."""
    if not isinstance(head, TableHead):
        yield
        return
    head.shown, rows = min(_CHECKED_ROWS, head.shown), head.shown
    try:
        yield
    finally:
        head.shown = rows


def load_causal_lm(
    folder: Path, *, device: str, dtype: torch.dtype | str, safetensors: bool = True, trusted: bool = False
) -> tuple[Any, Any]:
    """Model and tokenizer from a local folder, in exactly this dtype; nothing is fetched.

    trusted: whether code of the folder is run, where it brings some.
    safetensors: the folder's weight format; else .bin files, of which only tensors are unpickled (torch's default).
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=trusted)
    model = AutoModelForCausalLM.from_pretrained(
        folder,
        dtype=dtype,
        local_files_only=True,
        trust_remote_code=trusted,
        use_safetensors=safetensors,
    )
    return model.to(device), tokenizer
