"""A Hugging Face tokenizer with user data kept apart from control tokens.

Rule: a control token typed inside a text or a label reaches the model as the characters it is made of. Not
thread-safe, as the fast tokenizers are not: one owner only.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from engine.model.backend import Encoded
from engine.model.fit import fit_prompt
from engine.text.inspect import whole_characters
from engine.text.protocol import Prompt


class Tokens:
    """Encodes prompts and answers. `tokenizer` is a `transformers` tokenizer."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        control = {str(token) for token in tokenizer.get_added_vocab()}
        control |= {str(token) for token in tokenizer.all_special_tokens}
        self.control_ids = {tokenizer.convert_tokens_to_ids(token) for token in control}
        longest_first = sorted(control, key=len, reverse=True)
        self._control = re.compile("|".join(map(re.escape, longest_first))) if control else None

    def markup(self, text: str) -> list[int]:
        """Token ids of our own frame: control tokens are control tokens."""
        return list(self.tokenizer.encode(text, add_special_tokens=False)) if text else []

    def plain(self, text: str) -> list[int]:
        """Token ids of user data: nothing in it is a control token."""
        ids = self._encode_plain(text)
        if self.control_ids.isdisjoint(ids):
            return ids
        # An added token that is not marked special still matched: cut it apart, which keeps its characters. Where the
        # pieces spell others, each character goes by itself.
        cuts = [0, *(match.start() + 1 for match in self._matches(text)), len(text)]
        ids = self._encode_pieces(text[start:end] for start, end in pairwise(cuts))
        return ids if self.control_ids.isdisjoint(ids) else self._encode_pieces(text)

    def _encode_pieces(self, pieces: Iterable[str]) -> list[int]:
        return [token for piece in pieces for token in self._encode_plain(piece)]

    def control_in(self, text: str) -> tuple[str, ...]:
        """Control tokens that the text spells out, once each."""
        return tuple(dict.fromkeys(match[0] for match in self._matches(text)))

    def encode_prompt(self, prompt: Prompt, *, budget: int, context: int, labels: int) -> Encoded:
        """Fit a prompt into `budget` tokens; see `fit_prompt`."""
        encoded = fit_prompt(
            prompt, budget=budget, context=context, labels=labels, markup=self.markup, plain=self.plain
        )
        read = encoded.prompt
        found = self.control_in(read.role) + self.control_in(read.head + read.text + read.tail)
        return replace(encoded, neutralised=tuple(dict.fromkeys(found)))

    def decode(self, ids: Sequence[int]) -> str:
        """Characters of generated tokens, control tokens left out."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        return self._control.finditer(text) if self._control else iter(())

    def _encode_plain(self, text: str) -> list[int]:
        whole = whole_characters(text)
        return list(self.tokenizer.encode(whole, add_special_tokens=False, split_special_tokens=True))
