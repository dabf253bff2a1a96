"""Follows an answer's grammar token by token: which tokens are legal, which are forced.

llguidance does the work, on the tokenizer's bytes: a character that is spread over tokens and a token that holds the
end of one part and the beginning of the next are both followed exactly. Control tokens are never legal. It reads no
logits and chooses no token.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.model.tokens import Tokens
from engine.text.grammar import ExtractGrammar

if TYPE_CHECKING:
    from llguidance import LLMatcher


class Constrainer:
    """Compiles grammars for one tokenizer; building it takes about half a second for 50,000 tokens.

    vocabulary: rows of the model's output layer, which may be more than the tokenizer's tokens.
    """

    def __init__(self, tokens: Tokens, vocabulary: int) -> None:
        from llguidance.hf import from_tokenizer

        self._tokenizer = from_tokenizer(tokens.tokenizer, n_vocab=vocabulary)
        self._never = np.array(sorted(tokens.control_ids), dtype=np.int64)

    def start(self, grammar: ExtractGrammar) -> "Constraint":
        """A fresh answer under this grammar."""
        from llguidance import LLMatcher

        return Constraint(LLMatcher(self._tokenizer, grammar.lark, log_level=0), self._tokenizer, self._never, grammar)


class Constraint:
    """One answer being written."""

    def __init__(self, matcher: "LLMatcher", tokenizer: Any, never: NDArray[np.int64], grammar: ExtractGrammar) -> None:
        self._matcher, self._tokenizer, self._never, self._grammar = matcher, tokenizer, never, grammar
        self.tokens: list[int] = []
        self.answer = b""
        self._check()

    @property
    def done(self) -> bool:
        """Whether the answer is whole: nothing may follow."""
        return bool(self._matcher.is_stopped())

    def legal(self) -> NDArray[np.int64]:
        """Ids of the tokens that may come next, in order; at least one."""
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
        """Tokens that the grammar leaves no choice about, as the tokenizer itself would write them; often none."""
        tokens = [int(token) for token in self._matcher.compute_ff_tokens()]
        self._check()
        return tokens if np.isin(tokens, self._never, invert=True).all() else []

    def accept(self, tokens: Sequence[int]) -> None:
        """Write tokens that are legal."""
        self._matcher.consume_tokens(list(tokens))
        self._check()
        self.tokens += tokens
        self.answer += b"".join(map(self.piece, tokens))

    def close(self) -> int:
        """End an unfinished answer as shortly as it can be: the value in hand is left out, later lines find nothing.

        Returns how many bytes of the answer were there before and stay.
        """
        self._roll_back(self._grammar.last_whole(self.answer))
        kept = len(self.answer)
        while not self.done:
            tokens = self.forced() or self._shortest_ending()
            if tokens:
                self.accept(tokens)
            else:  # inside a span, whose separator came in one token with its end
                self._roll_back(len(self.answer) - 1)
                kept = min(kept, len(self.answer))
        return kept

    def _shortest_ending(self) -> list[int]:
        """A token that ends the line or says that there is no value; none inside a span."""
        ending = self._grammar.ending(self.answer)
        fitting = [int(token) for token in self.legal() if ending.startswith(self.piece(int(token)))]
        return [max(fitting, key=lambda token: len(self.piece(token)))] if fitting else []

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
