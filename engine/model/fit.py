"""Fits a prompt into a context by cutting its text, and nothing but its text.

Works with any tokenizer through two functions: one that reads control tokens and one that never does.
"""

from collections.abc import Callable, Sequence

from engine.errors import WorkbenchError
from engine.model.backend import Encoded
from engine.text.protocol import Prompt

Encode = Callable[[str], Sequence[int]]

_LEAST_TEXT = 64
"""Tokens of text that a label set must leave room for, where the text is that long: less says too little."""


def fit_prompt(prompt: Prompt, *, budget: int, context: int, labels: int, markup: Encode, plain: Encode) -> Encoded:
    """Encode a prompt in at most `budget` tokens, keeping as much of the text's beginning as fits.

    The plain part is encoded in one piece, so that tokens may span the border between text and frame, as in the
    model's training. `labels` is their number, for the message.

    Raises:
        WorkbenchError: `labels_too_long` where the frame leaves too little room for the text.
    """
    before = [*markup(prompt.before), *(plain(prompt.role) if prompt.role else ()), *markup(prompt.between)]
    after = list(markup(prompt.after))

    def encode(characters: int) -> list[int]:
        return [*before, *plain(prompt.head + prompt.text[:characters] + prompt.tail), *after]

    frame = len(encode(0))
    ids, kept = _longest(encode, len(prompt.text), budget)
    if frame > budget or (kept < len(prompt.text) and budget - frame < _LEAST_TEXT):
        tail = len(plain(prompt.tail))
        limit = max(0, budget - (frame - tail) - _LEAST_TEXT)
        raise WorkbenchError("labels_too_long", count=labels, tokens=tail, limit=limit, context=context)
    return Encoded(tuple(ids), prompt.cut(kept), kept)


def _longest(encode: Callable[[int], list[int]], total: int, budget: int) -> tuple[list[int], int]:
    """The longest beginning of the text that fits, by doubling and bisection; a long text is never encoded whole."""
    low, ids = 0, encode(0)
    high = min(total, max(1, budget) * 2)
    while len(found := encode(high)) <= budget:
        low, ids = high, found
        if high == total:
            return ids, total
        high = min(total, high * 2)
    while high - low > 1:
        middle = (low + high) // 2
        found = encode(middle)
        if len(found) <= budget:
            low, ids = middle, found
        else:
            high = middle
    return ids, low
