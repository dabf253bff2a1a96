"""Many requests, answered in steps between which others pass.

Requests are taken a window at a time. Those of a window that are asked alike (same task, labels or fields, options) are
cut into steps, the shortest texts first, so many texts and characters at most. A step is one piece of work of low
priority: who asks meanwhile waits for one step. It holds one window of requests and results.
"""

import logging
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from threading import Event

from engine.errors import WorkbenchError
from engine.run.batch_window import Answer, Limits, Outcome, Request, Window
from engine.run.budget import PATIENCE
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.failures import forget_frames
from engine.run.queue import Ticket
from engine.run.weighing import weighs_together
from engine.types import ClassifyRequest, ExtractRequest, ModelInfo

__all__ = [
    "CHARACTERS",
    "SIZE",
    "SIZE_ELSEWHERE",
    "WINDOW",
    "Answer",
    "Batch",
    "BatchRow",
    "Outcome",
    "Request",
    "answer_step",
    "check_size",
    "usual_size",
]

WINDOW = 256
"""Requests taken at a time: among them, those of like length go together."""

SIZE = 8
SIZE_ELSEWHERE = 32
"""Requests in a step at most, where nobody says otherwise: on a CPU, where more gain nothing and keep others waiting
(bench/batches.py), and on other devices."""

CHARACTERS = 2048
"""Characters in a step at most, labels and names included: about what one long text takes."""

Submit = Callable[[Sequence[Request]], Ticket[Outcome]]
"""Queues a step of requests that are asked alike."""

Report = Callable[[int, int | None], None]
"""Told how many requests are answered, and of how many; None where that is not known."""

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 0.2
"""Between two tries of a step for which there is no memory."""


@dataclass(frozen=True)
class BatchRow:
    """A request and its answer, or the error in its place. `number`: which request it is, from 0 on."""

    number: int
    request: Request
    answer: Answer


class Batch(Iterator[BatchRow]):
    """Iterate over it for the rows, in the order of the requests; the work is done meanwhile.

    One thread iterates; any may cancel. A request that fails does not stop the others. Where no more rows can come
    although there are requests left, iterating raises why: `cancelled`, or what is wrong with the model. All that is
    done comes before, also what stands after a gap.
    """

    def __init__(
        self,
        requests: Iterable[Request],
        submit: Submit,
        *,
        usual: Callable[[Request], int] = lambda _: SIZE,
        size: int | None = None,
        characters: int | None = CHARACTERS,
        allowed: Callable[[int], int] = lambda size: size,
        patience: float = PATIENCE,
        report: Report = lambda _done, _total: None,
    ) -> None:
        """Begin nothing yet.

        usual: how many requests like this one make a step at most; one, where they gain nothing by company.
        size: so many instead, but for those. When the memory runs out it is halved, and stays so.
        characters: in a step at most; None: any number.
        allowed: how many of so many requests may go in a step now, by the memory that is left: `Budget.most`.
        patience: seconds to wait while steps are refused for want of memory; then no more rows come.

        Raises:
            WorkbenchError: `bad_setting` for a size below 1.
        """
        check_size(size)
        self.total = len(requests) if isinstance(requests, Sized) else None
        self.done = 0
        self.in_order = True
        """Whether rows come in the requests' order. Else they come as they are answered: who shows them meanwhile need
        not wait for the longest text of a window. For the thread that iterates."""
        self.size = size
        self.on_step: Callable[[Sequence[int], float], None] = lambda _numbers, _seconds: None
        """Told of every step that is answered, on the thread that iterates: which requests were in it, and the seconds
        of its work."""
        self._submit, self._report = submit, report
        self._limits = Limits(usual, sys.maxsize if characters is None else characters, allowed)
        self._patience = patience
        self._first = 0
        self._stop = Event()
        self._ticket: Ticket[Outcome] | None = None
        self._rows = self._all(requests)

    def __next__(self) -> BatchRow:
        """The next row.

        Raises:
            WorkbenchError: why no more can come.
        """
        return next(self._rows)

    def cancel(self) -> None:
        """Stop at the next step; what is done still comes. Idempotent."""
        self._stop.set()
        ticket = self._ticket
        if ticket is not None:
            ticket.cancel()

    def close(self) -> None:
        """Stop, and drop what is done; for the thread that iterates."""
        self._rows.close()

    def _all(self, requests: Iterable[Request]) -> Generator[BatchRow, None, None]:
        source, first = iter(requests), 0
        try:
            while taken := list(islice(source, WINDOW)):
                self._first = first
                window = Window(taken, self.size, self._limits)
                for number, answer in self._answers(window):
                    yield BatchRow(first + number, taken[number], answer)
                if window.ended is not None:
                    raise window.ended
                first += len(taken)
        finally:
            self.cancel()

    def _answers(self, window: Window) -> Iterator[tuple[int, Answer]]:
        """A window's answers. The next step is queued before they are handed out, so that the model does not wait."""
        step = self._send(window)
        refused: float | None = None
        while step:
            answered = self._take(step, window)
            refused = self._wait_for_room(window, refused) if window.refused else None
            step = self._send(window)
            self.size = window.size
            self.done += answered
            self._report(self.done, self.total)
            yield from window.ready() if self.in_order else window.rest()
        yield from window.rest()

    def _send(self, window: Window) -> list[int]:
        """Queue the next step, which is empty where there is none."""
        step = window.next_step()
        if step:
            self._ticket = self._submit([window.requests[number] for number in step])
            if self._stop.is_set():  # it was set while the ticket was made
                self._ticket.cancel()
        return step

    def _wait_for_room(self, window: Window, since: float | None) -> float:
        """Let some time pass after a step for which there was no memory; since when there is none."""
        now = time.monotonic()
        if since is None:
            _log.warning("a batch waits for memory: %s", window.refused)
        if now - (since or now) >= self._patience:
            window.ended = window.refused
        else:
            self._stop.wait(min(_LOOK_SECONDS, self._patience))
        return since or now

    def _take(self, step: Sequence[int], window: Window) -> int:
        """Wait for the step in hand; how many of its requests are answered."""
        ticket = self._ticket
        assert ticket is not None  # noqa: S101 - a step was sent
        try:
            outcome = ticket.result()
        except WorkbenchError as error:
            forget_frames(error)
            return window.fail(step, error)
        finally:
            self._ticket = None
        if not isinstance(outcome, WorkbenchError):
            self.on_step([self._first + one for one in step], time.perf_counter() - (ticket.started or 0.0))
        return window.take(step, outcome)


def check_size(size: int | None) -> None:
    """Refuse a number of requests in a step that cannot be.

    Raises:
        WorkbenchError: `bad_setting` for a size below 1.
    """
    if size is not None and size < 1:
        raise WorkbenchError("bad_setting", name="batch_size", value=size, hint="Use a number from 1 on.")


def answer_step(
    classifier: Classifier, extractor: Extractor, requests: Sequence[Request], ticket: Ticket[Outcome]
) -> Outcome:
    """Answer a step's requests, which are all of one kind."""
    classify = [one for one in requests if isinstance(one, ClassifyRequest)]
    extract = [one for one in requests if isinstance(one, ExtractRequest)]
    stop, waited = ticket.stop, ticket.queue_ms
    return [*classifier.many(classify, stop, waited), *extractor.many(extract, stop, waited)]


def usual_size(model: ModelInfo | None, request: Request) -> int:
    """How many requests like this one make a step; `model`: None while it is not known.

    Prompts that score labels, and free answers, come one after the other anyway: others may pass between them.
    """
    if request.free:
        return 1
    if model is None:
        return SIZE
    if isinstance(request, ClassifyRequest) and not weighs_together(model):
        return 1
    return SIZE if model.device == "cpu" else SIZE_ELSEWHERE
