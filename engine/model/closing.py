"""Ends an unfinished answer under a grammar, without a model: by the fewest bytes that a plain search finds.

What is left to say is left empty where the grammar allows that: null, an empty string, an empty list; else it is the
first thing that is legal. It reads no probabilities, so what it writes says nothing: callers tell that it was written.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from engine.text.structure import AnswerForm

MOST = 4096
"""Bytes that an ending may have."""

_QUOTE, _BACKSLASH = b'"\\'
_STRUCTURE = b"[{,:"
_OTHERS = [*b"? .-_0123456789", *range(0x61, 0x7B), *range(0x41, 0x5B)]
_ALL = [*dict.fromkeys([*_OTHERS, *range(0x20, 0x7F), *b"\n\t", *range(0x80, 0xF5), *range(0x20)])]
_IN_STRING = [*dict.fromkeys([_QUOTE, *(byte for byte in _ALL if byte != _BACKSLASH), _BACKSLASH])]
_IN_JSON = [*dict.fromkeys([*b']},n"[{0123456789-tf', *_ALL])]


def ending(matcher: Any, one_byte: Mapping[int, int], answer: bytes, *, is_json: bool) -> bytes | None:
    """Bytes that make an answer whole; None where none were found.

    matcher: llguidance's, after the answer; it stays as it is. one_byte: the token of each single byte.
    """
    probe, added = matcher.deep_copy(), b""
    while not probe.is_stopped() and not probe.is_accepting():
        more = bytes(probe.compute_ff_bytes())
        if not more or any(byte not in one_byte for byte in more):
            more = _next(probe, one_byte, answer + added, is_json=is_json)
        added += more
        if not more or len(added) > MOST:
            return None
        if not probe.consume_tokens([one_byte[byte] for byte in more]):
            return None
    return None if probe.is_error() else added


def _next(probe: Any, one_byte: Mapping[int, int], answer: bytes, *, is_json: bool) -> bytes:
    """The next byte of an ending; empty where none is legal."""
    in_string = is_json and is_in_string(answer)
    closers = b'"' if in_string else b",]}" if is_json else b""
    order = _IN_STRING if in_string else _IN_JSON if is_json else _ALL
    legal = [byte for byte in order if byte in one_byte and _takes(probe, [one_byte[byte]])]
    if not legal:
        return b""
    is_value_next = is_json and not in_string and (not answer or answer[-1] in _STRUCTURE)
    if legal[0] in closers or is_value_next:
        return bytes(legal[:1])
    return bytes([next((byte for byte in legal if _closes(probe, one_byte, byte, closers)), legal[0])])


def _closes(probe: Any, one_byte: Mapping[int, int], byte: int, closers: bytes) -> bool:
    """Whether what is being written may end right after a byte."""
    if byte == _BACKSLASH and closers:
        return False
    if any(_takes(probe, [one_byte[byte], one_byte[closer]]) for closer in closers if closer in one_byte):
        return True
    ahead = probe.deep_copy()
    return bool(ahead.consume_tokens([one_byte[byte]]) and ahead.is_accepting())


def _takes(probe: Any, tokens: Sequence[int]) -> bool:
    return bool(probe.validate_tokens(list(tokens)) == len(tokens))


def shortest(form: AnswerForm) -> str:
    """A short answer of a form, made without a model; empty where none was found."""
    more = ending(form.over_bytes(), {byte: byte for byte in range(256)}, b"", is_json=form.is_json)
    return (more or b"").decode(errors="replace")


def is_in_string(answer: bytes) -> bool:
    """Whether a beginning of JSON ends within a string."""
    inside, escaped = False, False
    for byte in answer:
        if escaped:
            escaped = False
        elif byte == _BACKSLASH:
            escaped = inside
        elif byte == _QUOTE:
            inside = not inside
    return inside


def spelled(matcher: Any, tokenizer: Any, one_byte: Mapping[int, int], more: bytes) -> list[int]:
    """Tokens that spell these bytes, which may follow: the tokenizer's own where they are legal, else one a byte."""
    own = [int(token) for token in tokenizer.tokenize_bytes(more)]
    if bytes(chain.from_iterable(tokenizer.decode_bytes([token]) for token in own)) == more and _takes(matcher, own):
        return own
    return [one_byte[byte] for byte in more]
