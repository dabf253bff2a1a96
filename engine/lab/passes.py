"""One pass of a sweep: all texts read once with one setting, and what that says of the setting.

Before a pass the model lets go of the texts that it keeps, and one other text is read for what is asked (labels,
fields). Kept answers play no part: batches do not ask for them.
"""

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.errors import WorkbenchError
from engine.lab.experiment import Experiment
from engine.lab.knee import SweepResult, SweepRow
from engine.messages import Phrase
from engine.model.memory import trim_heap
from engine.observe.machine import human_bytes
from engine.observe.windows import percentile
from engine.run.batch import Batch, BatchRow, Request
from engine.run.workbench import Workbench
from engine.types import ModelInfo

_GROUP_PIECES = 1536
"""Word pieces that the offline model pads together at most, padding included (`engine.model.encoder.windows`)."""


@dataclass(frozen=True)
class Pass:
    """One pass. seconds: of the clock, from the first step's wait to the last one's end.

    steps: requests in each step, and the seconds of its work. read: tokens of all texts; padded: token positions, were
    every step padded to its longest text. peak: bytes held at most; 0 where nothing tells.
    """

    texts: int
    seconds: float
    steps: tuple[tuple[int, float], ...]
    read: int
    padded: int
    peak: int


def read_once(
    workbench: Workbench,
    requests: Sequence[Request],
    job: Experiment[SweepRow, SweepResult],
    *,
    size: int | None,
    characters: int | None,
) -> Pass:
    """Read the texts once in steps of so many, and of so many characters at most; None: as is usual, and any number.

    Raises:
        WorkbenchError: `out_of_memory` or `memory_budget` where steps had to be smaller; else what is wrong with a
            request or with the model.
        Cancelled: by `job.cancel`.
    """
    workbench.forget().result()
    trim_heap()
    for row in workbench.many([_another(requests[0])], batch_size=1):
        _answered(row)
    steps: list[tuple[Sequence[int], float]] = []
    tokens: dict[int, int] = {}
    rows = workbench.many(requests, batch_size=size, characters=characters)
    rows.on_step = lambda numbers, seconds: steps.append((numbers, seconds))
    with job.cancelling(rows.cancel), workbench.monitor.watch_peak() as watch:
        started = time.perf_counter()
        for row in _whole(rows, workbench):
            tokens[row.number] = _answered(row)
        seconds = time.perf_counter() - started
    lengths = [[tokens[number] for number in numbers] for numbers, _ in steps]
    return Pass(
        len(requests),
        seconds,
        tuple((len(numbers), took) for numbers, took in steps),
        sum(map(sum, lengths)),
        sum(len(own) * max(own) for own in lengths),
        watch.peak or 0,
    )


def row_of(setting: int, passes: Sequence[Pass]) -> SweepRow:
    """What the passes say of a setting; there is one at least."""
    rates = [one.texts / one.seconds for one in passes]
    felt = sorted(took * 1e3 for one in passes for count, took in one.steps for _ in range(count))
    read, padded = sum(one.read for one in passes), sum(one.padded for one in passes)
    return SweepRow(
        setting,
        texts_per_second=statistics.median(rates),
        spread=(min(rates), max(rates)),
        p50_ms=percentile(felt, 0.5),
        p95_ms=percentile(felt, 0.95),
        peak=passes[0].peak,
        padding=1 - read / padded if padded else 0.0,
    )


def how_it_pads(model: ModelInfo) -> Phrase:
    """Whether a model pads texts that are read together, in words.

    Language models here read every prompt by itself, and write side by side one token of each row: nothing is padded.
    The offline model pads, but sorts texts by length and pads small groups of them.
    """
    if "understand" in model.capabilities:
        return Phrase("padding_groups", pieces=f"{_GROUP_PIECES:,}")
    return Phrase("padding_elsewhere") if model.device == "remote" else Phrase("padding_none")


def distinct(texts: Sequence[str], count: int) -> tuple[str, ...]:
    """The texts that are not blank, each once; then again with numbers before them, until there are `count`."""
    own = tuple(dict.fromkeys(one for one in texts if one.strip()))
    made = dict.fromkeys(own)
    while own and len(made) < count:
        made[f"{len(made)} {own[len(made) % len(own)]}"] = None
    return tuple(made)


def _another(request: Request) -> Request:
    """The same asked of another text that begins otherwise."""
    return replace(request, text=request.text[::-1] + ".")


def _whole(rows: Batch, workbench: Workbench) -> Iterator[BatchRow]:
    """The rows, unless a step had to be smaller than was asked: then it is no measurement of that size."""
    try:
        for row in rows:
            codes = set() if isinstance(row.answer, WorkbenchError) else {note.code for note in row.answer.notes}
            if "batch_halved" in codes:
                raise WorkbenchError("out_of_memory")
            if "batch_shrunk" in codes:
                limit = human_bytes(workbench.settings.max_memory or 0)
                raise WorkbenchError("memory_budget", held=human_bytes(workbench.monitor.now().rss), limit=limit)
            yield row
    finally:
        rows.close()


def _answered(row: BatchRow) -> int:
    """The tokens that were read for a row."""
    if isinstance(row.answer, WorkbenchError):
        raise row.answer
    return row.answer.usage.prompt_tokens
