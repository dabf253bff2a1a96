"""Follows an answer's grammar token by token: which tokens are legal, which are forced.

llguidance does the work, on the tokenizer's bytes: a character that is spread over tokens and a token that holds the
end of one part and the beginning of the next are both followed exactly. Control tokens are never legal. It reads no
logits and chooses no token.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.model.tokens import Tokens
from engine.text.grammar import ExtractGrammar

if TYPE_CHECKING:
    from llguidance import LLMatcher


_LIMITS: dict[str, Any] = {"initial_lexer_fuel": 100_000_000, "step_lexer_fuel": 10_000_000}
"""llguidance's limits of work, a hundred times its defaults: these give up on a source of 100,000 characters."""
_OF_CHARACTERS = {*range(0xC0), *range(0xC2, 0xF5)}
"""Bytes that UTF-8 is made of."""
_NEEDED = _OF_CHARACTERS - {*range(0x20), 0x7F, *range(0xF1, 0xF5)} | set(b"\t\n")
"""Those of what people write. Some tokenizers lack a control character, or the first byte of planes without any."""


class Constrainer:
    """Compiles grammars for one tokenizer; building it takes about half a second for 50,000 tokens.

    vocabulary: rows of the model's output layer, which may be more or fewer than the tokenizer's tokens.

    Raises:
        ValueError: the tokenizer's tokens cannot spell every text byte by byte.
    """

    def __init__(self, tokens: Tokens, vocabulary: int) -> None:
        from llguidance.hf import from_tokenizer

        known = len(tokens.tokenizer)
        self._tokenizer = from_tokenizer(tokens.tokenizer, n_vocab=max(vocabulary, known))
        never = tokens.control_ids | set(range(vocabulary, known))
        self._never = np.array(sorted(never), dtype=np.int64)
        self._one_byte: dict[int, int] = {}
        missing = set(_OF_CHARACTERS)
        for token in range(min(vocabulary, known)):
            piece = self._tokenizer.decode_bytes([token])
            if len(piece) == 1 and token not in never:
                self._one_byte.setdefault(piece[0], token)
                missing.discard(piece[0])
                if not missing:
                    break
        if needed := missing & _NEEDED:
            raise ValueError(f"it has no token for the byte {min(needed)}")
        self._foreign = re.compile(_class_of(missing) if missing else "(?!)")

    def start(self, grammar: ExtractGrammar) -> "Constraint":
        """A fresh answer under this grammar. What no token can spell is in no value, and in a label it is a ?."""
        from llguidance import LLMatcher, LLParserLimits

        lines = tuple(
            replace(line, label=self._foreign.sub(lambda char: "?" * len(char[0].encode()), line.label))
            for line in grammar.lines
        )
        spelled = replace(grammar, source=self._foreign.sub("\n", grammar.source), lines=lines)
        matcher = LLMatcher(self._tokenizer, spelled.lark, log_level=0, limits=LLParserLimits(**_LIMITS))
        return Constraint(matcher, self._tokenizer, self._never, self._one_byte, spelled)


def _class_of(missing: set[int]) -> str:
    """A regex class of the characters that need one of these bytes: control characters, or whole planes."""
    planes = ((byte & 7) << 18 for byte in missing if byte >= 0xF1)
    ranges = [f"\\U{first:08x}-\\U{min(first + 0x3FFFF, sys.maxunicode):08x}" for first in planes]
    return "[" + "".join([*ranges, *(f"\\x{byte:02x}" for byte in missing if byte < 0x80)]) + "]"


class Constraint:
    """One answer being written. never: ids that are not written; one_byte: the token of each single byte."""

    def __init__(
        self,
        matcher: "LLMatcher",
        tokenizer: Any,
        never: NDArray[np.int64],
        one_byte: Mapping[int, int],
        grammar: ExtractGrammar,
    ) -> None:
        self._matcher, self._tokenizer, self._grammar = matcher, tokenizer, grammar
        self._never, self._one_byte = never, one_byte
        self.tokens: list[int] = []
        self.answer = b""
        self._check()

    @property
    def done(self) -> bool:
        """Whether the answer is whole: nothing may follow."""
        return bool(self._matcher.is_stopped())

    def legal(self) -> NDArray[np.int64]:
        """Ids of the tokens that may come next, in order; at least one."""
        if forced := self.forced():
            return np.array(forced[:1], dtype=np.int64)
        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        ids = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
        self._check()
        if self._never.size:
            ids = np.setdiff1d(ids, self._never, assume_unique=True)
        if self._grammar.too_often(self.answer):
            ending = [token for token in ids if not self.piece(int(token)).startswith(b"\t")]
            ids = np.array(ending or ids, dtype=np.int64)
        return ids

    def forced(self) -> list[int]:
        """Tokens that the grammar leaves no choice about, as the tokenizer itself would write them; often none.

        Where the tokenizer would write what is not legal (other characters, since it normalises, or a control token),
        it is the next byte alone.
        """
        tokens = [int(token) for token in self._matcher.compute_ff_tokens()]
        if not tokens:
            self._check()
            return []
        fitting = tokens[: self._matcher.validate_tokens(tokens)]
        self._check()
        fitting = list(takewhile(lambda token: token not in self._never, fitting))
        return fitting or [self._one_byte[self._matcher.compute_ff_bytes()[0]]]

    def accept(self, tokens: Sequence[int]) -> None:
        """Write tokens that are legal."""
        self._matcher.consume_tokens(list(tokens))
        self._check()
        self.tokens += tokens
        self.answer += b"".join(map(self.piece, tokens))

    def close(self) -> tuple[int, int]:
        """End an unfinished answer as shortly as it can be: the value in hand is left out, later lines find nothing.

        Returns how many of the answer's bytes stay, and how many of its tokens: a token that holds the end of a
        whole value and what followed it is taken back, and the value's end written anew.
        """
        kept = self._grammar.last_whole(self.answer)
        wanted = self.answer[:kept] + self._grammar.ending(self.answer[:kept])
        self._roll_back(kept)
        tokens = len(self.tokens)
        while not self.done:
            self.accept([self._longest(wanted[len(self.answer) :])])
        return kept, tokens

    def _longest(self, wanted: bytes) -> int:
        """The longest legal token that these bytes begin with."""
        return max(
            (int(token) for token in self.legal() if wanted.startswith(self.piece(int(token)))),
            key=lambda token: len(self.piece(token)),
        )

    def _roll_back(self, length: int) -> None:
        """Take back the tokens that go beyond the first `length` bytes."""
        count = 0
        while len(self.answer) > length:
            count += 1
            self.answer = self.answer[: -len(self.piece(self.tokens[-count]))]
        if count:
            del self.tokens[-count:]
            self._matcher.rollback(count)
            self._check()

    def piece(self, token: int) -> bytes:
        """A token's bytes."""
        return bytes(self._tokenizer.decode_bytes([token]))

    def _check(self) -> None:
        if self._matcher.is_error():
            raise RuntimeError(f"the grammar cannot go on: {self._matcher.get_error()}")
