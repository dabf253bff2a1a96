"""A GGUF file's vocabulary: the bytes of every token, which tokens are control tokens, which end an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from engine.model.gguf.header import GgufHeader

_UNKNOWN, _CONTROL, _OWN, _UNUSED, _BYTE = 2, 3, 4, 5, 6
"""Types of tokens as gguf numbers them (`gguf.TokenType`)."""
_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")
_END_NAMES = {"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>", "<end_of_turn>", "</s>"}
_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_BLANK = "\u2581"
"""What SentencePiece writes for a blank."""


@dataclass(frozen=True)
class Vocabulary:
    """Tokens by id.

    texts: as the file has them. pieces: the bytes that each stands for; a control token's are its name.
    control: ids of tokens with a name of their own, by that name: those that steer the model, and those that its makers
        added. unused: ids that are never written. ends: ids after which an answer is over.
    """

    texts: tuple[str, ...]
    pieces: tuple[bytes, ...]
    control: dict[str, int]
    unused: frozenset[int]
    ends: frozenset[int]
    begin: int | None
    end: int | None
    adds_begin: bool
    chat_template: str

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def control_ids(self) -> frozenset[int]:
        """Ids of control tokens."""
        return frozenset(self.control.values())

    def spell(self, ids: Sequence[int]) -> bytes:
        """The bytes of written tokens; control tokens are left out."""
        return b"".join(self.pieces[token] for token in ids if token not in self.control_ids)

    def is_whole(self, token: int) -> bool:
        """Whether a token is of whole characters."""
        try:
            self.pieces[token].decode()
        except UnicodeDecodeError:
            return False
        return True

    def shown(self, token: int) -> str:
        """A token as people read it: a control token by its name, bytes of an unfinished character as \\x..."""
        return self.pieces[token].decode("utf-8", "backslashreplace")


def read_vocabulary(header: GgufHeader) -> Vocabulary:
    """The vocabulary of a file.

    Raises:
        ValueError: it has none, or one of a kind that is not read here.
    """
    data = {key.removeprefix("tokenizer.ggml."): value for key, value in header.metadata.items()}
    texts, kind = data.get("tokens"), data.get("model")
    if not isinstance(texts, list) or not texts or not isinstance(texts[0], str):
        raise ValueError("it has no vocabulary")
    if kind not in {"gpt2", "llama"}:
        raise ValueError(f"its tokenizer is of the kind {kind}, which is not read here")
    types = data.get("token_type") or [1] * len(texts)
    if not isinstance(types, list) or len(types) != len(texts):
        raise ValueError("its vocabulary is damaged")
    named = {text: token for token, text in enumerate(texts) if types[token] in {_UNKNOWN, _CONTROL, _OWN}}
    spell = _spelled_by_bytes if kind == "gpt2" else _spelled_by_pieces
    pieces = tuple(
        text.encode("utf-8", "surrogateescape") if types[token] in {_UNKNOWN, _CONTROL, _OWN, _UNUSED}
        else spell(text, types[token])
        for token, text in enumerate(texts)
    )  # fmt: skip
    steering = {key: data[key] for key in ("bos_token_id", *_END_KEYS) if data.get(key) in range(len(texts))}
    ends = {steering[key] for key in _END_KEYS if key in steering}
    ends |= {token for text, token in named.items() if text in _END_NAMES and types[token] == _CONTROL}
    return Vocabulary(
        texts=tuple(texts),
        pieces=pieces,
        control=named,
        unused=frozenset(token for token, one in enumerate(types) if one == _UNUSED),
        ends=frozenset(ends),
        begin=steering.get("bos_token_id"),
        end=steering.get("eos_token_id"),
        adds_begin=bool(data.get("add_bos_token", kind == "llama")) and "bos_token_id" in steering,
        chat_template=str(header.metadata.get("tokenizer.chat_template", "")),
    )


def _spelled_by_bytes(text: str, _kind: int) -> bytes:
    table = _byte_table()
    try:
        return bytes(table[char] for char in text)
    except KeyError:  # a name that is no spelling
        return text.encode("utf-8", "surrogateescape")


def _spelled_by_pieces(text: str, kind: int) -> bytes:
    if kind == _BYTE and (byte := _BYTE_NAME.fullmatch(text)):
        return bytes([int(byte[1], 16)])
    return text.replace(_BLANK, " ").encode("utf-8", "surrogateescape")


@lru_cache(maxsize=1)
def _byte_table() -> dict[str, int]:
    """Characters by which byte-level BPE writes bytes: GPT-2's `bytes_to_unicode` (Radford et al. 2019)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(byte): byte for byte in printable}
    rest = [byte for byte in range(256) if byte not in set(printable)]
    return table | {chr(256 + number): byte for number, byte in enumerate(rest)}
