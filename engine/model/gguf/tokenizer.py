"""A GGUF file's tokenizer, behind the few methods that `engine.model.tokens` uses of those of `transformers`.

Texts are cut by llama.cpp itself, so that they are cut as the model was trained; tokens are spelled from the file.
"""

from collections.abc import Callable, Sequence
from typing import Any

from engine.model.gguf.template import render
from engine.model.gguf.vocabulary import Vocabulary

Cut = Callable[[str, bool], list[int]]
"""A text, and whether the names of control tokens in it are control tokens, to ids."""

_ANCHOR = "\n"


class GgufTokenizer:
    """See the module. `cut`: llama.cpp's way of cutting texts."""

    def __init__(self, vocabulary: Vocabulary, cut: Cut) -> None:
        self.vocabulary = vocabulary
        self._cut = cut
        self.eos_token_id = vocabulary.end
        self.bos_token_id = vocabulary.begin
        self.chat_template = vocabulary.chat_template
        self.all_special_tokens: list[str] = []
        self._anchor = cut(_ANCHOR, False)
        self.puts_blank = cut("a", False) != cut(_ANCHOR + "a", False)[len(self._anchor) :]

    def __len__(self) -> int:
        return len(self.vocabulary)

    def get_added_vocab(self) -> dict[str, int]:
        """Control tokens by name."""
        return dict(self.vocabulary.control)

    def convert_tokens_to_ids(self, token: str) -> int:
        """The id of a control token."""
        return self.vocabulary.control[token]

    def encode(self, text: str, *, add_special_tokens: bool = False, split_special_tokens: bool = False) -> list[int]:
        """Token ids; nothing is put before or behind them.

        split_special_tokens: control tokens in the text are its characters. A SentencePiece vocabulary would put a
        blank before a text: it is cut behind a line end, which is taken off again.
        """
        if not text:
            return []
        if not self.puts_blank:
            return self._cut(text, not split_special_tokens)
        ids = self._cut(_ANCHOR + text, not split_special_tokens)
        whole = ids[: len(self._anchor)] == self._anchor
        return ids[len(self._anchor) :] if whole else self._cut(text, not split_special_tokens)

    def decode(
        self, ids: Sequence[int], *, skip_special_tokens: bool = True, clean_up_tokenization_spaces: bool = False
    ) -> str:
        """The characters of tokens, control tokens left out; bytes that are none become U+FFFD."""
        return self.vocabulary.spell(ids).decode("utf-8", errors="replace")

    def apply_chat_template(
        self, conversation: Sequence[dict[str, str]], *, tokenize: bool = False, add_generation_prompt: bool = True
    ) -> str:
        """A conversation as the file's template writes it.

        Raises:
            ValueError: the template cannot be rendered.
        """
        texts = self.vocabulary.texts
        named = {
            name: texts[token] if token is not None else ""
            for name, token in (("bos_token", self.bos_token_id), ("eos_token", self.eos_token_id))
        }
        return render(self.chat_template, conversation, add_generation_prompt=add_generation_prompt, **named)

    def for_grammars(self, rows: int) -> Any:
        """llguidance's tokenizer over the same tokens. rows: of the model's output layer."""
        from llguidance import LLTokenizer, TokenizerWrapper

        return LLTokenizer(TokenizerWrapper(_Spelling(self, rows)), n_vocab=rows)


class _Spelling:
    """What llguidance asks of a tokenizer."""

    def __init__(self, tokenizer: GgufTokenizer, rows: int) -> None:
        vocabulary = tokenizer.vocabulary
        self._tokenizer = tokenizer
        ends = sorted(vocabulary.ends)
        self.eos_token_id = tokenizer.eos_token_id if tokenizer.eos_token_id is not None else (ends or [0])[0]
        self.bos_token_id = tokenizer.bos_token_id
        self.tokens = list(vocabulary.pieces) + [b""] * (rows - len(vocabulary))
        self.special_token_ids = sorted(vocabulary.control_ids | vocabulary.unused)

    def __call__(self, text: str | bytes) -> list[int]:
        whole = text.decode("utf-8", errors="replace") if isinstance(text, bytes) else text
        return self._tokenizer.encode(whole, split_special_tokens=True)
