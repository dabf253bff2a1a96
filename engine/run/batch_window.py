"""A stretch of a batch: its steps, cut by texts and characters, made smaller where memory is short, and their answers.

It queues nothing and waits for nothing.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.errors import Cancelled, WorkbenchError
from engine.run.together import grouped, packed
from engine.types import ClassifyRequest, ClassifyResult, ExtractRequest, ExtractResult, Note

Request = ClassifyRequest | ExtractRequest
Answer = ClassifyResult | ExtractResult | WorkbenchError
Outcome = Sequence[Answer] | WorkbenchError
"""What a step gives: an answer a request, or why there is no model that could answer any."""


@dataclass(frozen=True)
class Limits:
    """What makes a step small; see `batch.Batch`."""

    usual: Callable[[Request], int]
    characters: int
    allowed: Callable[[int], int]


class Window:
    """Some requests in a row: the steps that are left, and the answers that are there."""

    def __init__(self, requests: Sequence[Request], size: int | None, limits: Limits) -> None:
        self.requests = requests
        self.size = size
        self._limits = limits
        self.ended: WorkbenchError | None = None
        """Why the steps that are left are not made."""
        self.refused: WorkbenchError | None = None
        """Why the last step was not begun, where it is to be tried again: there was no memory for it."""
        self._steps = deque(_steps(requests, self._most, limits.characters))
        self._halved: dict[int, int] = {}
        """By request, with how many others it first ran out of memory."""
        self._shrunk: dict[int, int] = {}
        """By request, how many its step would have had at first without a budget of memory."""
        self._answers: dict[int, Answer] = {}
        self._given = 0

    def next_step(self) -> list[int]:
        """Numbers of the requests to be answered next."""
        if self.ended is not None or not self._steps:
            return []
        step = self._steps.popleft()
        full = self._most(self.requests[step[0]])  # the model or the size may be another by now
        wanted = min(len(step), full)
        most = min(wanted, self._limits.allowed(full) if wanted > 1 else 1)
        if len(step) > most:
            self._steps.appendleft(step[most:])
        if most < wanted:
            self._shrunk = dict.fromkeys(step[:most], wanted) | self._shrunk
        return step[:most]

    def take(self, step: Sequence[int], outcome: Outcome) -> int:
        """Keep a step's answers; how many there are. What a stop left half answered is none."""
        self.refused = None
        if isinstance(outcome, WorkbenchError):
            self.ended = outcome
            return 0
        before = len(self._answers)
        for number, answer in zip(step, outcome, strict=True):
            if was_stopped(answer):
                self.ended = Cancelled()
            else:
                self._answers[number] = self._noted(number, answer, len(step))
        return len(self._answers) - before

    def fail(self, step: Sequence[int], error: WorkbenchError) -> int:
        """See what can be done about a step without answers; how many requests that answers."""
        self.refused = error if error.code == "memory_budget" else None
        if isinstance(error, Cancelled):
            self.ended = error
        elif self.refused:
            self._steps.appendleft(list(step))
        elif len(step) == 1:
            self._answers[step[0]] = error
            return 1
        elif error.code == "out_of_memory":
            self.size = len(step) // 2
            self._halved = dict.fromkeys(step, len(step)) | self._halved
            self._steps.appendleft(list(step))  # it is cut by the new size
        else:  # whose fault it is shows when each is asked alone
            self._steps.extendleft([number] for number in reversed(step))
        return 0

    def ready(self) -> Iterator[tuple[int, Answer]]:
        """Answers that no other must come before, each once."""
        while self._given in self._answers:
            yield self._given, self._answers.pop(self._given)
            self._given += 1

    def rest(self) -> Iterator[tuple[int, Answer]]:
        """All other answers, where the steps have ended."""
        for number in sorted(self._answers):
            yield number, self._answers.pop(number)

    def _most(self, request: Request) -> int:
        usual = self._limits.usual(request)
        return usual if usual == 1 or self.size is None else self.size

    def _noted(self, number: int, answer: Answer, size: int) -> Answer:
        if isinstance(answer, WorkbenchError):
            return answer
        told = {"batch_halved": self._halved.get(number, 0), "batch_shrunk": self._shrunk.get(number, 0)}
        notes = [Note(code, {"count": count, "size": size}) for code, count in told.items() if count > size]
        return replace(answer, notes=(*answer.notes, *notes)) if notes else answer


def _steps(requests: Sequence[Request], most: Callable[[Request], int], characters: int) -> Iterator[list[int]]:
    """Numbers of requests that are asked alike, those of like length together."""
    for numbers in grouped(replace(one, text="") for one in requests).values():
        sizes = [_characters(requests[number]) for number in numbers]
        for step in packed(sizes, characters, most(requests[numbers[0]])):
            yield [numbers[place] for place in step]


def _characters(request: Request) -> int:
    """About what a model reads of a request."""
    if isinstance(request, ClassifyRequest):
        return len(request.text) + sum(map(len, request.labels))
    return len(request.text) + sum(len("".join(one.asked) or one.name) + len(one.description) for one in request.fields)


def was_stopped(answer: Answer) -> bool:
    """Whether it is less than the whole answer."""
    if isinstance(answer, WorkbenchError):
        return isinstance(answer, Cancelled)
    return any(note.code in ("stopped_early", "stopped_free") for note in answer.notes)
