"""Follows an answer's grammar token by token: which tokens are legal, which are forced.

llguidance does the work, on the tokenizer's bytes: a character that is spread over tokens and a token that holds the
end of one part and the beginning of the next are both followed exactly. Control tokens are never legal. It reads no
logits and chooses no token.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.model.closing import ending, spelled
from engine.model.tokens import Tokens
from engine.text.grammar import ExtractGrammar
from engine.text.structure import WORK_LIMITS, AnswerForm

if TYPE_CHECKING:
    from llguidance import LLMatcher


_OF_CHARACTERS = {*range(0xC0), *range(0xC2, 0xF5)}
"""Bytes that UTF-8 is made of."""
_NEEDED = _OF_CHARACTERS - {*range(0x20), 0x7F, *range(0xF1, 0xF5)} | set(b"\t\n")
"""Those of what people write. Some tokenizers lack a control character, or the first byte of planes without any."""


@dataclass(frozen=True)
class Alphabet:
    """A tokenizer as constraints need it. never: ids that are not written; one_byte: the token of each single byte."""

    tokenizer: Any
    never: NDArray[np.int64]
    one_byte: Mapping[int, int]


class Constrainer:
    """Compiles grammars for one tokenizer; building it takes about half a second for 50,000 tokens.

    vocabulary: rows of the model's output layer, which may be more or fewer than the tokenizer's tokens.

    Raises:
        ValueError: the tokenizer's tokens cannot spell every text byte by byte.
    """

    def __init__(self, tokens: Tokens, vocabulary: int) -> None:
        known = len(tokens.tokenizer)
        tokenizer = _spelling(tokens.tokenizer, max(vocabulary, known))
        never = tokens.control_ids | set(range(vocabulary, known))
        one_byte: dict[int, int] = {}
        missing = set(_OF_CHARACTERS)
        for token in range(min(vocabulary, known)):
            piece = tokenizer.decode_bytes([token])
            if len(piece) == 1 and token not in never:
                one_byte.setdefault(piece[0], token)
                missing.discard(piece[0])
                if not missing:
                    break
        if needed := missing & _NEEDED:
            raise ValueError(f"it has no token for the byte {min(needed)}")
        self._alphabet = Alphabet(tokenizer, np.array(sorted(never), dtype=np.int64), one_byte)
        self._foreign = re.compile(_class_of(missing) if missing else "(?!)")

    def start(self, grammar: ExtractGrammar) -> "ExtractConstraint":
        """A fresh answer under this grammar. What no token can spell is in no value, and in a label it is a ?."""
        lines = tuple(
            replace(line, label=self._foreign.sub(lambda char: "?" * len(char[0].encode()), line.label))
            for line in grammar.lines
        )
        spelled = replace(grammar, source=self._foreign.sub("\n", grammar.source), lines=lines)
        return ExtractConstraint(self._matcher(spelled.lark), self._alphabet, spelled)

    def follow(self, form: AnswerForm) -> "FormConstraint":
        """A fresh answer of this form.

        Raises:
            ValueError: this tokenizer cannot write all that the form names, or the form asks for too much.
        """
        named = form.structure.schema + form.structure.regex + "".join(form.structure.choices)
        if odd := self._foreign.search(named):
            raise ValueError(f"it has no token for U+{ord(odd[0]):04X}")
        try:
            return FormConstraint(self._matcher(form.lark), self._alphabet, form)
        except GrammarFault as error:
            raise ValueError(str(error)) from None

    def _matcher(self, lark: str) -> "LLMatcher":
        from llguidance import LLMatcher, LLParserLimits

        return LLMatcher(self._alphabet.tokenizer, lark, log_level=0, limits=LLParserLimits(**WORK_LIMITS))


def _spelling(tokenizer: Any, rows: int) -> Any:
    """llguidance's tokenizer: one that is none of `transformers` makes it itself."""
    if hasattr(tokenizer, "for_grammars"):
        return tokenizer.for_grammars(rows)
    from llguidance.hf import from_tokenizer

    return from_tokenizer(tokenizer, n_vocab=rows)


def _class_of(missing: set[int]) -> str:
    """A regex class of the characters that need one of these bytes: control characters, or whole planes."""
    planes = ((byte & 7) << 18 for byte in missing if byte >= 0xF1)
    ranges = [f"\\U{first:08x}-\\U{min(first + 0x3FFFF, sys.maxunicode):08x}" for first in planes]
    return "[" + "".join([*ranges, *(f"\\x{byte:02x}" for byte in missing if byte < 0x80)]) + "]"


class GrammarFault(RuntimeError):  # noqa: N818
    """A grammar that cannot go on: it asks for too much work, or for what no token can spell."""


class Constraint:
    """One answer being written."""

    def __init__(self, matcher: "LLMatcher", alphabet: Alphabet) -> None:
        self._matcher, self._tokenizer = matcher, alphabet.tokenizer
        self._never, self._one_byte = alphabet.never, alphabet.one_byte
        self.tokens: list[int] = []
        self.answer = b""
        self._check()

    @property
    def done(self) -> bool:
        """Whether the answer is whole: nothing may follow."""
        return bool(self._matcher.is_stopped())

    @property
    def may_end(self) -> bool:
        """Whether the answer is whole as it is, though more may follow."""
        return bool(self._matcher.is_accepting())

    def legal(self) -> NDArray[np.int64]:
        """Ids of the tokens that may come next, in order; at least one, but where the answer may end."""
        if forced := self.forced():
            return np.array(forced[:1], dtype=np.int64)
        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        ids = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
        self._check()
        return np.setdiff1d(ids, self._never, assume_unique=True) if self._never.size else ids

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

    def piece(self, token: int) -> bytes:
        """A token's bytes."""
        return bytes(self._tokenizer.decode_bytes([token]))

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

    def _check(self) -> None:
        if self._matcher.is_error():
            raise GrammarFault(f"the grammar cannot go on: {self._matcher.get_error()}")


class ExtractConstraint(Constraint):
    """The answer of an extraction."""

    def __init__(self, matcher: "LLMatcher", alphabet: Alphabet, grammar: ExtractGrammar) -> None:
        super().__init__(matcher, alphabet)
        self._grammar = grammar

    def legal(self) -> NDArray[np.int64]:
        """As ever, but a value that is there more often than in the source ends its line."""
        ids = super().legal()
        if len(ids) > 1 and self._grammar.too_often(self.answer):
            ending = [token for token in ids if not self.piece(int(token)).startswith(b"\t")]
            ids = np.array(ending or ids, dtype=np.int64)
        return ids

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


class FormConstraint(Constraint):
    """An answer of a form of its own."""

    def __init__(self, matcher: "LLMatcher", alphabet: Alphabet, form: AnswerForm) -> None:
        super().__init__(matcher, alphabet)
        self._form = form

    @property
    def text(self) -> str:
        """The characters that are written and stay, whatever follows."""
        return self.answer[: self._form.whole_part(self.answer)].decode(errors="replace")

    def close(self) -> int:
        """End an unfinished answer in few tokens, where that can be done; no half of a character stays.

        Returns how many of its tokens stay as they were.
        """
        kept = self._form.whole_part(self.answer)
        wanted = self.answer[:kept]
        self._roll_back(kept)
        tokens = len(self.tokens)
        if len(self.answer) < kept:  # the end of a token that was taken back
            self.accept(self._spelled(wanted[len(self.answer) :]))
        if more := ending(self._matcher, self._one_byte, self.answer, self._form):
            self.accept(self._spelled(more))
        return tokens

    def _spelled(self, more: bytes) -> list[int]:
        tokens = spelled(self._matcher, self._tokenizer, self._one_byte, more)
        if any(token in self._never for token in tokens):
            return [self._one_byte[byte] for byte in more]
        return tokens
