"""Ends an unfinished answer under a grammar, without a model: by the fewest bytes that a plain search finds.

What is left to say is left empty where the grammar allows that: null, an empty string, an empty list; else it is the
first thing that is legal. It reads no probabilities, so what it writes says nothing: callers tell that it was written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from engine.text.structure import AnswerForm

MOST = 4096
"""Bytes that an ending may have."""
_MOST_LOOKS = 1024
"""Places of an ending at which a byte is looked for, each in a few milliseconds."""

_FILLING = 16
"""Bytes that fill a string up to its least length, before others are tried."""

_QUOTE, _BACKSLASH = b'"\\'
_STRUCTURE = b"[{,:"
_OTHERS = [*b"? .-_0123456789", *range(0x61, 0x7B), *range(0x41, 0x5B)]
_ALL = [*dict.fromkeys([*_OTHERS, *range(0x20, 0x7F), *b"\n\t", *range(0x80, 0xF5), *range(0x20)])]
_IN_STRING = [*dict.fromkeys([_QUOTE, *(byte for byte in _ALL if byte != _BACKSLASH), _BACKSLASH])]
_IN_JSON = [*dict.fromkeys([*b']},n"[{0123456789-tf', *_ALL])]


@dataclass(frozen=True)
class _Rules:
    """What an ending is looked for with. hints: what a string may have to hold, tried as it is."""

    one_byte: Mapping[int, int]
    is_json: bool
    hints: Sequence[bytes]


def ending(matcher: Any, one_byte: Mapping[int, int], answer: bytes, form: AnswerForm) -> bytes | None:
    """Bytes that make an answer whole; None where none were found.

    matcher: llguidance's, after the answer; it stays as it is. one_byte: the token of each single byte.
    """
    rules = _Rules(one_byte, form.is_json, [hint.encode(errors="replace") for hint in form.hints])
    probe, added, looked = matcher.deep_copy(), b"", 0
    while not probe.is_stopped() and not probe.is_accepting():
        more = bytes(probe.compute_ff_bytes())
        if not more or any(byte not in one_byte for byte in more):
            more = _next(probe, rules, answer, added)
            looked += 1
        added += more
        if not more or len(added) > MOST or looked > _MOST_LOOKS:
            return None
        if not probe.consume_tokens([one_byte[byte] for byte in more]):
            return None
    return None if probe.is_error() else added


def _next(probe: Any, rules: _Rules, answer: bytes, added: bytes) -> bytes:
    """The next bytes of an ending, one as a rule; none where none are legal.

    added: what of it stands after the answer already.
    """
    whole = answer + added
    in_string = rules.is_json and is_in_string(whole)
    closers = b'"' if in_string else b",]}" if rules.is_json else b""
    order = _IN_STRING if in_string else _IN_JSON if rules.is_json else _ALL
    legal = [byte for byte in order if _takes(probe, rules, [byte])]
    if not legal:
        return b""
    is_value_next = rules.is_json and not in_string and (not whole or whole[-1] in _STRUCTURE)
    if legal[0] in closers or is_value_next:
        return bytes(legal[:1])
    singles = (bytes([byte]) for byte in legal if byte != _BACKSLASH)
    for more in chain(singles, rules.hints if in_string or not rules.is_json else ()):
        if _closes(probe, rules, more, closers):
            return more
    written = whole[max(len(answer), whole.rfind(b'"') + 1) :]
    if len(written) < _FILLING:
        return bytes(legal[:1])
    # What was not written yet comes first, so that whatever has to be there is in its turn.
    return bytes([next((byte for byte in legal if byte not in written), legal[len(written) % len(legal)])])


def _closes(probe: Any, rules: _Rules, more: bytes, closers: bytes) -> bool:
    """Whether what is being written may end right after these bytes."""
    if not _takes(probe, rules, more):
        return False
    if any(_takes(probe, rules, more + bytes([closer])) for closer in closers):
        return True
    ahead = probe.deep_copy()
    return bool(ahead.consume_tokens([rules.one_byte[byte] for byte in more]) and ahead.is_accepting())


def _takes(probe: Any, rules: _Rules, more: Sequence[int]) -> bool:
    """Whether these bytes may follow."""
    if any(byte not in rules.one_byte for byte in more):
        return False
    return bool(probe.validate_tokens([rules.one_byte[byte] for byte in more]) == len(more))


def shortest(form: AnswerForm) -> str:
    """A short answer of a form, made without a model; empty where none was found."""
    more = ending(form.over_bytes(), {byte: byte for byte in range(256)}, b"", form)
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
    spells = bytes(chain.from_iterable(tokenizer.decode_bytes([token]) for token in own)) == more
    if spells and matcher.validate_tokens(own) == len(own):
        return own
    return [one_byte[byte] for byte in more]
