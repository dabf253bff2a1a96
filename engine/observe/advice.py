"""Advice in words, from what was observed: what is odd, with its figures, and what to do.

No advice on thin evidence: each piece has its own conditions. Codes are `advice_*`, in `engine.advice_notes`.
"""

from collections.abc import Callable, Iterator

from engine.observe.advice_growth import growing
from engine.observe.advice_memory import fragmented, full
from engine.observe.advice_requests import blocked, cold, failing, mixed, ungrounded, unused_cache
from engine.observe.seen import Seen
from engine.types import Note

__all__ = ["Seen", "advise"]

_PIECES: tuple[Callable[[Seen], Iterator[Note]], ...] = (
    full,
    growing,
    failing,
    blocked,
    fragmented,
    ungrounded,
    cold,
    mixed,
    unused_cache,
)


def advise(seen: Seen) -> tuple[Note, ...]:
    """Every piece of advice, the most urgent first."""
    return tuple(note for piece in _PIECES for note in piece(seen))
