"""Writes down what became of every request: how long, how many tokens, from where, never its text.

It turns requests, answers and tickets into the records of `engine.observe`, which knows neither.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import Cancelled, WorkbenchError
from engine.observe.monitor import Monitor
from engine.observe.types import RequestRecord, Task
from engine.run.batch import Outcome
from engine.run.batch_window import was_stopped
from engine.run.failures import as_workbench_error
from engine.run.queue import Priority, Ticket
from engine.run.result_form import Answer, Request
from engine.types import ClassifyRequest, ExtractRequest, ExtractResult, ModelInfo

_NOTHING: dict[str, Any] = {"prompt_tokens": 0, "output_tokens": 0}


class Watch:
    """Records for one Monitor."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    def answer(
        self, request: Request, ticket: Ticket[Answer], priority: Priority, work: Callable[[], Answer]
    ) -> Answer:
        """Do the work, and write down how it went; errors go through."""
        batch, watched = priority == "batch", self._monitor.watch_peak()
        try:
            with watched:
                found = work()
        except BaseException as error:
            failed = as_workbench_error(error)
            self._record(request, failed, ticket, _since(ticket), batch=batch, peak=watched.peak)
            raise
        self._record(request, found, ticket, _since(ticket), batch=batch, peak=watched.peak)
        return found

    def kept(self, request: Request, answer: Answer, ticket: Ticket[Answer]) -> None:
        """Write down an answer that was kept."""
        self._record(request, answer, ticket, answer.usage.latency_ms)

    def step(
        self,
        requests: Sequence[Request],
        ticket: Ticket[Any],
        work: Callable[[], Outcome],
    ) -> Outcome:
        """Do the work of a batch's step, and write down its rows; errors go through.

        A step that fails is written down where it has one row, whose error that is: of others each is asked again.
        """
        watched = self._monitor.watch_peak()
        try:
            with watched:
                outcome = work()
        except Cancelled:
            raise
        except BaseException as error:
            if len(requests) == 1:
                failed = as_workbench_error(error)
                self._record(requests[0], failed, ticket, _since(ticket), batch=True, peak=watched.peak, step=ticket.id)
            raise
        if not isinstance(outcome, WorkbenchError):
            taken, together = _since(ticket), len(requests)
            for request, answer in zip(requests, outcome, strict=True):
                if not was_stopped(answer):  # the batch drops it, and may ask it again
                    self._record(
                        request, answer, ticket, taken, batch=True, together=together, peak=watched.peak, step=ticket.id
                    )
        return outcome

    def _record(
        self,
        request: Request,
        answer: Any,
        ticket: Ticket[Any],
        latency_ms: float,
        *,
        batch: bool = False,
        together: int = 1,
        peak: int | None = None,
        step: str = "",
    ) -> None:
        task: Task = task_of(request)
        failed = isinstance(answer, WorkbenchError)
        tokens = _NOTHING if failed else {name: getattr(answer.usage, name) for name in _NOTHING}
        values, grounded = (0, 0) if failed else _values(answer)
        record = RequestRecord(
            id=ticket.id,
            time=time.time(),
            task=task,
            batch=batch,
            characters=len(request.text),
            latency_ms=latency_ms,
            share_ms=latency_ms if failed else answer.usage.latency_ms,
            queue_ms=ticket.queue_ms,
            cached=not failed and answer.usage.cached,
            together=together,
            values=values,
            grounded=grounded,
            error=answer.code if failed else "",
            peak=peak,
            step=step,
            warm=self._monitor.is_warm(task),
            **tokens,
        )
        self._monitor.record(record, request.text)


def model_line(info: ModelInfo) -> str:
    """A model as marks and snapshots name it."""
    return f"{info.name} {info.precision} {info.device}"


def _since(ticket: Ticket[Any]) -> float:
    """Milliseconds that the work has taken."""
    return 0.0 if ticket.started is None else (time.perf_counter() - ticket.started) * 1e3


def task_of(request: Request) -> Task:
    """What a request asks for."""
    if isinstance(request, ClassifyRequest):
        return "classify"
    return "extract" if isinstance(request, ExtractRequest) else "prompt"


def _values(answer: Any) -> tuple[int, int]:
    """Values of an extraction, those of its free decoding too, and how many of them are in the text."""
    if not isinstance(answer, ExtractResult):
        return 0, 0
    fields = [*answer.fields, *(answer.free.fields if answer.free else ())]
    found = [value.start is not None for one in fields for value in one.values]
    return len(found), sum(found)
