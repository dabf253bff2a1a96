"""Stand-ins that tests steer: a load that waits, fails or counts, and a backend that records what it is asked."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Decoded, Generation, Scores, Written
from engine.model.fake import FakeBackend
from engine.settings import Settings
from engine.text.grammar import ExtractGrammar
from engine.text.protocol import PlainProtocol
from engine.types import LoadProgress, Note

Result = TypeVar("Result")

WAIT = 30.0
"""Seconds that a test waits for what must happen; reached only where it fails."""


def attempt(call: Callable[[], Result]) -> tuple[Result | None, WorkbenchError | None]:
    """What a call answers, or how it refuses, for tests in which either may be right."""
    try:
        return call(), None
    except WorkbenchError as error:
        return None, error


class StopsAfter(threading.Event):
    """An event that sets itself when it has been asked so often."""

    def __init__(self, questions: int) -> None:
        super().__init__()
        self._left = questions

    def is_set(self) -> bool:
        """Count one more question."""
        self._left -= 1
        return self._left < 0


class Load:
    """A loader for `Workbench` and `Slot`. `script`: what each call does; the last entry serves all later calls.

    An entry is a callable without arguments: what it returns is the backend, what it raises fails the load.
    """

    def __init__(self, *script: Callable[[], Any]) -> None:
        self._script = script or (FakeBackend,)
        self.calls: list[Settings] = []
        self.notes: tuple[Note, ...] = ()

    def __call__(
        self,
        settings: Settings,
        report: Callable[[LoadProgress], None],
        note: Callable[[Note], None],
        stop: threading.Event,
    ) -> Any:
        """Load once more."""
        step = self._script[min(len(self.calls), len(self._script) - 1)]
        self.calls.append(settings)
        for one in self.notes:
            note(one)
        report(LoadProgress("weights", 1, 2, "tensors"))
        return step()


class GatedLoad(Load):
    """A load that begins, says so, and ends when it is let through or stopped."""

    def __init__(self, *script: Callable[[], Any]) -> None:
        super().__init__(*script)
        self.begun = threading.Semaphore(0)
        self.gate = threading.Event()

    def __call__(
        self,
        settings: Settings,
        report: Callable[[LoadProgress], None],
        note: Callable[[Note], None],
        stop: threading.Event,
    ) -> Any:
        """Load once more."""
        self.begun.release()
        backend = super().__call__(settings, report, note, stop)
        while not self.gate.wait(0.01):
            if stop.is_set():
                raise Cancelled
        return backend


class GatedBackend(FakeBackend):
    """A backend whose scoring begins, says so, and ends when it is let through or stopped."""

    def __init__(self) -> None:
        super().__init__(delay=0)
        self.begun = threading.Semaphore(0)
        self.gate = threading.Event()
        self.asked: list[str] = []

    def score(self, prompt: Sequence[int], *arguments: Any, stop: Any = None, **options: Any) -> Scores:
        """Wait for the gate, then score."""
        self.asked.append("".join(chr(token) for token in prompt[:-1]))
        self.begun.release()
        while not self.gate.wait(0.01):
            if stop is not None and stop.is_set():
                raise Cancelled
        return super().score(prompt, *arguments, stop=stop, **options)


class WritingBackend(FakeBackend):
    """A backend that writes the extraction answers it is told: the same each time, or by the grammar.

    Each character is a token of log-probability `log`. `says`: what free decoding answers.
    """

    def __init__(
        self,
        answers: str | Callable[[ExtractGrammar], str],
        *,
        says: str = "",
        finished: bool = True,
        log: float = -0.1,
    ) -> None:
        super().__init__(delay=0)
        self._answers, self._says, self._finished, self._log = answers, says, finished, log
        self.asked: list[ExtractGrammar] = []
        self.batches: list[int] = []
        self.generated: list[dict[str, Any]] = []

    def decode(
        self,
        prompts: Sequence[Sequence[int]],
        grammars: Sequence[ExtractGrammar],
        *,
        limits: Sequence[int],
        stop: Any = None,
    ) -> tuple[tuple[Decoded, ...], int]:
        """Write what was told."""
        if stop is not None and stop.is_set():
            raise Cancelled
        self.asked += grammars
        self.batches.append(len(grammars))
        decoded = []
        for grammar, limit in zip(grammars, limits, strict=True):
            answer = self._answers if isinstance(self._answers, str) else self._answers(grammar)
            fits = len(answer) <= limit
            pieces = tuple(char.encode() for char in (answer if fits else grammar.empty_answer()))
            decoded.append(Decoded(pieces, (self._log,) * len(pieces), 0, len(answer.encode()) if fits else 0))
        return tuple(decoded), max(len(one.pieces) for one in decoded)

    def generate(self, prompt: Sequence[int], **options: Any) -> Generation:
        """Record, then say what was told."""
        stop = options.get("stop")
        if stop is not None and stop.is_set():
            raise Cancelled
        self.generated.append({"prompt": tuple(prompt), **options})
        return Generation(self._says, len(self._says), self._finished)


class RecordingBackend(FakeBackend):
    """The fake under another protocol or without a capability; counts its calls, and says what it is told.

    writer: the named model that is to write in its place.
    """

    def __init__(
        self,
        *,
        plain: bool = False,
        generates: bool = True,
        says: Generation | None = None,
        writes: Written | None = None,
        writer: str | None = None,
    ) -> None:
        super().__init__(delay=0)
        if plain:
            self.protocol = PlainProtocol()
        self.info = replace(
            self.info,
            protocol=self.protocol.name,
            capabilities=("score", "generate") if generates else ("score",),
            writer=writer,
        )
        self._says, self._writes = says, writes
        self.written: list[dict[str, Any]] = []
        self.scored: list[tuple[int, ...]] = []
        self.generated: list[dict[str, Any]] = []

    def score(self, prompt: Sequence[int], *arguments: Any, **options: Any) -> Scores:
        """Record, then score."""
        self.scored.append(tuple(prompt))
        return super().score(prompt, *arguments, **options)

    def generate(self, prompt: Sequence[int], **options: Any) -> Generation:
        """Record, then generate."""
        self.generated.append({"prompt": tuple(prompt), **options})
        return self._says or super().generate(prompt, **options)

    def write(self, prompt: Sequence[int], *arguments: Any, **options: Any) -> Written:
        """Record, then write."""
        self.written.append({"prompt": tuple(prompt), "writing": arguments[0], **options})
        return self._writes or super().write(prompt, *arguments, **options)
