"""Advice in words, from what was observed: what is odd, with its figures, and what to do.

No advice on thin evidence: each piece has its own conditions. Codes are `advice_*` in `engine.messages.NOTES`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.observe.types import Marker, RequestRecord, Sample
from engine.types import Note


@dataclass(frozen=True)
class Seen:
    """What advice is drawn from, oldest first.

    budget: bytes that the process, or the model on its GPU, may take; None: no limit is set.
    batch_size: texts in a step of a batch; None: the usual number.
    """

    samples: Sequence[Sample]
    requests: Sequence[RequestRecord]
    markers: Sequence[Marker] = ()
    budget: int | None = None
    batch_size: int | None = None


def advise(seen: Seen) -> tuple[Note, ...]:
    """Every piece of advice, the most urgent first."""
    return ()
