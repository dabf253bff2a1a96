"""The bytes that each token of a tokenizer adds to a text, whatever stands before it.

By what the tokenizer's decoder says of itself: bytes as characters (BLOOM, GPT-2, Qwen), or blanks as ▁ and single
bytes as <0x..> (SentencePiece). Of any other, a token is what the decoder makes of it alone.
"""

import re
from functools import cached_property
from typing import Any

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class TokenText:
    """See the module. tokenizer: of `transformers`."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        marked = {token for token, one in getattr(tokenizer, "added_tokens_decoder", {}).items() if one.special}
        self._special = set(tokenizer.all_special_ids) | marked
        self._added = {int(token): str(name) for name, token in tokenizer.get_added_vocab().items()}

    def bytes_of(self, token: int) -> bytes:
        """What a token adds; nothing for a control token."""
        if token in self._special:
            return b""
        if token in self._added:
            return self._added[token].encode()
        name = self._tokenizer.convert_ids_to_tokens(token)
        if name is None:  # a row of the output layer that no token has
            return b""
        if "ByteLevel" in self._decoder:
            known = all(char in _BYTES for char in name)
            return bytes(_BYTES[char] for char in name) if known else str(name).encode()
        if "ByteFallback" in self._decoder:
            byte = _BYTE.fullmatch(name)
            return bytes([int(byte[1], 16)]) if byte else name.replace("▁", " ").encode()
        return str(self._tokenizer.decode([token], clean_up_tokenization_spaces=False)).encode()

    def shown(self, token: int) -> str:
        """A token as people read it: a control token by its name, bytes of an unfinished character as \\x..."""
        if token in self._special:
            return str(self._tokenizer.convert_ids_to_tokens(token))
        return self.bytes_of(token).decode("utf-8", "backslashreplace")

    @property
    def drops_first_blank(self) -> bool:
        """Whether a text that begins with a blank is shown without it, as SentencePiece's are."""
        return '"Strip"' in self._decoder

    @cached_property
    def _decoder(self) -> str:
        """The decoder as the tokenizers library writes it."""
        decoder = getattr(getattr(self._tokenizer, "backend_tokenizer", None), "decoder", None)
        return "" if decoder is None else decoder.__getstate__().decode()


def _byte_level() -> dict[str, int]:
    """GPT-2's characters for bytes: printable ones stand for themselves, the others for what comes after 255."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + place): byte for place, byte in enumerate(hidden)}


_BYTES = _byte_level()
