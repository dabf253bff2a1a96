"""Many requests, answered in steps between which others pass.

Requests are taken a window at a time. Those of a window that are asked alike (same task, labels or fields, options) are
cut into steps, the shortest texts first, so many texts and characters at most. A step is one piece of work of low
priority: who asks meanwhile waits for one step. It holds one window of requests and results.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import islice
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.failures import forget_frames
from engine.run.queue import Ticket
from engine.run.together import grouped, packed
from engine.run.weighing import weighs_together
from engine.types import ClassifyRequest, ClassifyResult, ExtractRequest, ExtractResult, ModelInfo, Note

WINDOW = 256
"""Requests taken at a time: among them, those of like length go together."""

SIZE = 8
SIZE_ELSEWHERE = 32
"""Requests in a step at most, where nobody says otherwise: on a CPU, where more gain nothing and keep others waiting
(bench/batches.py), and on other devices."""

CHARACTERS = 2048
"""Characters in a step at most, labels and names included: about what one long text takes."""

Request = ClassifyRequest | ExtractRequest
Answer = ClassifyResult | ExtractResult | WorkbenchError
Outcome = Sequence[Answer] | WorkbenchError
"""What a step gives: an answer a request, or why there is no model that could answer any."""

Submit = Callable[[Sequence[Request]], Ticket[Outcome]]
"""Queues a step of requests that are asked alike."""

Report = Callable[[int, int | None], None]
"""Told how many requests are answered, and of how many; None where that is not known."""


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
        report: Report = lambda _done, _total: None,
    ) -> None:
        """Begin nothing yet.

        usual: how many requests like this one make a step at most; one, where they gain nothing by company.
        size: so many instead, but for those. When the memory runs out it is halved, and stays so.

        Raises:
            WorkbenchError: `bad_setting` for a size below 1.
        """
        if size is not None and size < 1:
            raise WorkbenchError("bad_setting", name="batch_size", value=size, hint="Use a number from 1 on.")
        self.total = len(requests) if isinstance(requests, Sized) else None
        self.done = 0
        self.size = size
        self._submit, self._usual, self._report = submit, usual, report
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
                window = _Window(taken, self.size, self._usual)
                for number, answer in self._answers(window):
                    yield BatchRow(first + number, taken[number], answer)
                if window.ended is not None:
                    raise window.ended
                first += len(taken)
        finally:
            self.cancel()

    def _answers(self, window: "_Window") -> Iterator[tuple[int, Answer]]:
        """A window's answers. The next step is queued before they are handed out, so that the model does not wait."""
        step = self._send(window)
        while step:
            answered = self._take(step, window)
            step = self._send(window)
            self.size = window.size
            self.done += answered
            self._report(self.done, self.total)
            yield from window.ready()
        yield from window.rest()

    def _send(self, window: "_Window") -> list[int]:
        """Queue the next step, which is empty where there is none."""
        step = window.next_step()
        if step:
            self._ticket = self._submit([window.requests[number] for number in step])
            if self._stop.is_set():  # it was set while the ticket was made
                self._ticket.cancel()
        return step

    def _take(self, step: Sequence[int], window: "_Window") -> int:
        """Wait for the step in hand; how many of its requests are answered."""
        assert self._ticket is not None  # noqa: S101 - a step was sent
        try:
            outcome = self._ticket.result()
        except WorkbenchError as error:
            forget_frames(error)
            return window.fail(step, error)
        finally:
            self._ticket = None
        return window.take(step, outcome)


class _Window:
    """Some requests in a row: the steps that are left, and the answers that are there."""

    def __init__(self, requests: Sequence[Request], size: int | None, usual: Callable[[Request], int]) -> None:
        self.requests = requests
        self.size = size
        self._usual = usual
        self.ended: WorkbenchError | None = None
        """Why the steps that are left are not made."""
        self._steps = deque(_steps(requests, self._most))
        self._halved: dict[int, int] = {}
        """By request, with how many others it first ran out of memory."""
        self._answers: dict[int, Answer] = {}
        self._given = 0

    def next_step(self) -> list[int]:
        """Numbers of the requests to be answered next."""
        if self.ended is not None or not self._steps:
            return []
        step = self._steps.popleft()
        most = self._most(self.requests[step[0]])  # the model or the size may be another by now
        if len(step) > most:
            self._steps.appendleft(step[most:])
        return step[:most]

    def take(self, step: Sequence[int], outcome: Outcome) -> int:
        """Keep a step's answers; how many there are. What a stop left half answered is none."""
        if isinstance(outcome, WorkbenchError):
            self.ended = outcome
            return 0
        before = len(self._answers)
        for number, answer in zip(step, outcome, strict=True):
            if _was_stopped(answer):
                self.ended = Cancelled()
            else:
                self._answers[number] = self._noted(number, answer, len(step))
        return len(self._answers) - before

    def fail(self, step: Sequence[int], error: WorkbenchError) -> int:
        """See what can be done about a step without answers; how many requests that answers."""
        if isinstance(error, Cancelled):
            self.ended = error
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
        usual = self._usual(request)
        return usual if usual == 1 or self.size is None else self.size

    def _noted(self, number: int, answer: Answer, size: int) -> Answer:
        if number not in self._halved or isinstance(answer, WorkbenchError):
            return answer
        note = Note("batch_halved", {"count": self._halved[number], "size": size})
        return replace(answer, notes=(*answer.notes, note))


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


def _steps(requests: Sequence[Request], most: Callable[[Request], int]) -> Iterator[list[int]]:
    """Numbers of requests that are asked alike, those of like length together."""
    for numbers in grouped(replace(one, text="") for one in requests).values():
        sizes = [_characters(requests[number]) for number in numbers]
        for step in packed(sizes, CHARACTERS, most(requests[numbers[0]])):
            yield [numbers[place] for place in step]


def _characters(request: Request) -> int:
    """About what a model reads of a request."""
    if isinstance(request, ClassifyRequest):
        return len(request.text) + sum(map(len, request.labels))
    return len(request.text) + sum(len("".join(one.asked) or one.name) + len(one.description) for one in request.fields)


def _was_stopped(answer: Answer) -> bool:
    """Whether it is less than the whole answer."""
    if isinstance(answer, WorkbenchError):
        return isinstance(answer, Cancelled)
    return any(note.code in ("stopped_early", "stopped_free") for note in answer.notes)
