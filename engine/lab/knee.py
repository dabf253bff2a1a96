"""Which setting of a sweep to take: the smallest that is about as fast as the best within the memory budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.errors import WorkbenchError
from engine.messages import Phrase

WITHIN = 0.05
"""A setting is about as fast as the best where it lacks no more than this share of its throughput."""


@dataclass(frozen=True)
class SweepRow:
    """What was measured of one setting: texts in a step, or threads.

    texts_per_second: the median over the repeats. spread: their least and most.
    p50_ms, p95_ms: of what a request takes that is answered in a step: the time of its whole step, over all repeats.
    peak: bytes that were held at most in the first pass, before which only smaller settings ran: allocators do not give
        back all that a larger one took. Of the process on a CPU, of torch's tensors on a GPU; 0: not measured.
    padding: what share of the token positions would be padding if every step were padded to its longest text, 0 to 1;
        None where nothing was measured. `SweepResult.padding` says what this engine does of it.
    error: a code of `engine.messages.ERRORS`; what else is told is then 0. Larger settings have `sweep_skipped`.
    problem: the same as an error, with its details.
    """

    setting: int
    texts_per_second: float = 0.0
    spread: tuple[float, float] = (0.0, 0.0)
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    peak: int = 0
    padding: float | None = None
    error: str = ""
    problem: WorkbenchError | None = None


@dataclass(frozen=True)
class SweepResult:
    """A sweep that is over.

    best: the fastest setting within the budget, in bytes; knee: the smallest about as fast, which is the advice; both
    None where no setting was measured within it. padding: whether this engine pads texts that are read together.
    remark: what else the figures mean.
    """

    rows: tuple[SweepRow, ...]
    best: int | None
    knee: int | None
    budget: int | None
    padding: Phrase | None = None
    remark: Phrase | None = None


def best(rows: Iterable[SweepRow], budget: int | None = None) -> int | None:
    """The fastest setting whose memory stays within the budget; the smallest of equals."""
    usable = _usable(rows, budget)
    return max(usable, key=lambda row: (row.texts_per_second, -row.setting)).setting if usable else None


def knee(rows: Iterable[SweepRow], budget: int | None = None, within: float = WITHIN) -> int | None:
    """The smallest setting within the budget that lacks at most `within` of the best one's throughput there.

    A smaller step keeps others waiting for less, and holds less memory.
    """
    usable = _usable(rows, budget)
    enough = max((row.texts_per_second for row in usable), default=0.0) * (1 - within)
    return min((row.setting for row in usable if row.texts_per_second >= enough), default=None)


def _usable(rows: Iterable[SweepRow], budget: int | None) -> Sequence[SweepRow]:
    return [row for row in rows if not row.error and row.texts_per_second > 0 and (not budget or row.peak <= budget)]
