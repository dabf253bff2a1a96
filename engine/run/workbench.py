"""The engine as its users see it: one object a process, one model in it, requests that return tickets.

Pages, the command line and the HTTP API all hold the same object. Every call here is safe from any thread and returns
at once; the work happens on the worker's thread.
"""

import logging
import threading
from dataclasses import dataclass, replace

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import generates
from engine.model.loader import load_backend
from engine.run.classify import Classifier, check_request
from engine.run.extract import Extractor
from engine.run.extract import check_request as check_extract
from engine.run.prompt import Prompter
from engine.run.prompt import check_request as check_prompt
from engine.run.queue import Priority, Ticket, Worker
from engine.run.slot import Load, ModelState, Slot
from engine.settings import Settings
from engine.types import (
    ClassifyRequest,
    ClassifyResult,
    ExtractRequest,
    ExtractResult,
    ModelInfo,
    PromptRequest,
    PromptResult,
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tasks:
    """What the loaded model is used for. `prompt`: None until another model writes in its place."""

    classify: Classifier
    extract: Extractor
    prompt: Prompter | None


class Workbench:
    """One model, one worker, every request."""

    def __init__(self, settings: Settings, load: Load = load_backend) -> None:
        self._settings = settings
        self._slot = Slot(load, settings.model)
        self._worker = Worker()
        self._lock = threading.Lock()
        self._loading: tuple[Settings, Ticket[ModelInfo]] | None = None
        self._loading_writer: Ticket[PromptResult] | None = None
        self._tasks: Tasks | None = None

    @property
    def settings(self) -> Settings:
        """The settings of the model that is loaded or asked for."""
        return self._settings

    def state(self) -> ModelState:
        """Where the model stands."""
        state = self._slot.state
        loading = self._loading
        if state.status == "empty" and loading is not None and loading[1].state != "done":
            return replace(state, status="loading", requested=loading[0].model)
        return state

    def waiting(self) -> int:
        """Requests that have not begun."""
        return self._worker.waiting()

    def load(self, **changes: object) -> Ticket[ModelInfo]:
        """Load the model of the settings, changed by `changes` (model, device, precision, threads).

        Asking for what is loaded or loading joins that load: five browsers cause one. Asking for something else stops
        a load under way. A failed load is tried again.
        """
        with self._lock:
            wanted = self._settings.model_copy(update=changes)
            if self._loading is not None:
                current, ticket = self._loading
                if current == wanted and not ticket.stop.is_set() and ticket.error is None:
                    return ticket
                if ticket.state != "done":
                    ticket.cancel()
            self._stop_writer()
            self._settings = wanted
            ticket = self._worker.submit(lambda own: self._load_now(wanted, own))
            self._loading = (wanted, ticket)
            return ticket

    def ensure_loaded(self) -> Ticket[ModelInfo]:
        """The current load, begun if nobody has yet; a failed or stopped one is not tried again by itself."""
        with self._lock:
            if self._loading is not None:
                return self._loading[1]
        return self.load()

    def unload(self) -> Ticket[None]:
        """Stop a load under way, drop the model and give its memory back."""
        with self._lock:
            if self._loading is not None:
                self._loading[1].cancel()
            self._stop_writer()
        return self._worker.submit(lambda _: self._unload_now())

    def classify(self, request: ClassifyRequest, priority: Priority = "interactive") -> Ticket[ClassifyResult]:
        """Queue one classification; waits for a load under way.

        Raises:
            WorkbenchError: at once, for a request that no model could answer.
        """
        check_request(request)
        self.ensure_loaded()
        return self._worker.submit(lambda ticket: self._classify_now(request, ticket), priority)

    def extract(self, request: ExtractRequest, priority: Priority = "interactive") -> Ticket[ExtractResult]:
        """Queue one extraction; waits for a load under way. The ticket's progress counts prompts.

        Raises:
            WorkbenchError: at once, for a request that no model could answer.
        """
        check_extract(request)
        self.ensure_loaded()
        return self._worker.submit(lambda ticket: self._extract_now(request, ticket), priority)

    def prompt(self, request: PromptRequest, priority: Priority = "interactive") -> Ticket[PromptResult]:
        """Queue one free prompt; waits for a load under way.

        Where the loaded model cannot write, the one that the catalog names in its place is loaded beside it, once;
        `state` shows how far that is.

        Raises:
            WorkbenchError: at once, for a request that no model could answer.
        """
        check_prompt(request)
        self.ensure_loaded()
        return self._worker.submit(lambda ticket: self._prompt_now(request, ticket), priority)

    def close(self) -> None:
        """Unload and end the worker."""
        loading = self._loading
        if loading is not None:
            loading[1].cancel()
        self._worker.close()
        self._tasks = None
        self._slot.unload()

    def _stop_writer(self) -> None:
        """Stop the load of a writer, which ends with the model that it is for; holding the lock."""
        if self._loading_writer is not None:
            self._loading_writer.cancel()

    # On the worker's thread.

    def _load_now(self, settings: Settings, ticket: Ticket[ModelInfo]) -> ModelInfo:
        self._tasks = None
        info = self._slot.load(settings, ticket.stop)
        backend = self._slot.backend
        prompt = Prompter(backend) if generates(backend) else None
        self._tasks = Tasks(Classifier(backend), Extractor(backend), prompt)
        _log.info("loaded %s on %s in %s", info.name, info.device, info.precision)
        return info

    def _unload_now(self) -> None:
        self._tasks = None
        self._slot.unload()

    def _classify_now(self, request: ClassifyRequest, ticket: Ticket[ClassifyResult]) -> ClassifyResult:
        return self._ready().classify(request, ticket.stop, ticket.queue_ms)

    def _extract_now(self, request: ExtractRequest, ticket: Ticket[ExtractResult]) -> ExtractResult:
        def report(done: int, total: int) -> None:
            ticket.progress = (done, total)

        return self._ready().extract(request, ticket.stop, ticket.queue_ms, report)

    def _prompt_now(self, request: PromptRequest, ticket: Ticket[PromptResult]) -> PromptResult:
        prompt = self._ready().prompt or self._load_writer(ticket)
        return prompt(request, ticket.stop, ticket.queue_ms)

    def _load_writer(self, ticket: Ticket[PromptResult]) -> Prompter:
        """Have another model write from now on."""
        with self._lock:
            loading = self._loading
            if loading is None or loading[1].stop.is_set() or loading[1].state != "done":
                raise Cancelled  # the model is about to go, by a request that waits behind this one
            self._loading_writer = ticket
        try:
            writer = self._slot.writer(ticket.stop)
        finally:
            with self._lock:
                self._loading_writer = None
        tasks = self._ready()
        prompt = Prompter(writer, instead_of=self._slot.backend.info.name)
        self._tasks = replace(tasks, prompt=prompt)
        _log.info("loaded %s, to write in the place of %s", writer.info.name, self._slot.backend.info.name)
        return prompt

    def _ready(self) -> Tasks:
        if self._tasks is None:
            raise self._slot.state.error or WorkbenchError("model_missing")
        return self._tasks
