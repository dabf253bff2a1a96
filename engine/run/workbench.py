"""The engine as its users see it: one object a process, one model in it, requests that return tickets.

Pages, the command line and the HTTP API all hold the same object. Every call here is safe from any thread and returns
at once; the work happens on the worker's thread.
"""

import itertools
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import generates
from engine.model.loader import load_backend
from engine.model.memory import trim_heap
from engine.run.batch import Batch, Outcome, answer_step, usual_size
from engine.run.batch import Report as BatchReport
from engine.run.batch import Request as BatchRequest
from engine.run.classify import Classifier, check_request
from engine.run.extract import Extractor
from engine.run.extract import check_request as check_extract
from engine.run.prompt import Prompter
from engine.run.prompt import check_request as check_prompt
from engine.run.queue import Priority, Ticket, Worker
from engine.run.result_cache import open_cache
from engine.run.result_file import CacheSize
from engine.run.result_form import Answer, Request
from engine.run.result_key import ModelIdentity
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
    identity: ModelIdentity


class Workbench:
    """One model, one worker, every request."""

    def __init__(self, settings: Settings, load: Load = load_backend) -> None:
        self._settings = settings
        self._trusted = settings.model if settings.trust_remote_code else None
        self._slot = Slot(load, settings.model)
        self._worker = Worker(tidy=trim_heap)
        self._lock = threading.Lock()
        self._loading: tuple[Settings, Ticket[ModelInfo]] | None = None
        self._loading_writer: Ticket[PromptResult] | None = None
        self._tasks: Tasks | None = None
        self._loads = itertools.count()
        self._cache = open_cache(settings)

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

    def settings_of(self, **changes: object) -> Settings:
        """The settings that a load with these changes would have.

        Code of its own may run of the one model only that was named where trust was declared, at the start: another
        one, which may be named in a browser, is not trusted.
        """
        wanted = self._settings.model_copy(update=changes)
        return wanted.model_copy(update={"trust_remote_code": wanted.model == self._trusted})

    def waiting(self) -> int:
        """Requests that have not begun."""
        return self._worker.waiting()

    def load(self, **changes: object) -> Ticket[ModelInfo]:
        """Load the model of the settings, changed by `changes` (model, device, precision, threads).

        Asking for what is loaded or loading joins that load: five browsers cause one. Asking for something else stops
        a load under way. A failed load is tried again.
        """
        with self._lock:
            wanted = self.settings_of(**changes)
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

    def classify(
        self, request: ClassifyRequest, priority: Priority = "interactive", *, cache: bool = True
    ) -> Ticket[ClassifyResult]:
        """Queue one classification; waits for a load under way.

        cache: whether a kept answer will do, which waits for nothing, and whether the answer is kept.

        Raises:
            WorkbenchError: at once, for a request that no model could answer.
        """
        check_request(request)
        return self._ask(request, ClassifyResult, self._classify_now, priority, cache)

    def extract(
        self, request: ExtractRequest, priority: Priority = "interactive", *, cache: bool = True
    ) -> Ticket[ExtractResult]:
        """Queue one extraction; waits for a load under way. The ticket's progress counts prompts.

        cache: as for `classify`.

        Raises:
            WorkbenchError: at once, for a request that no model could answer.
        """
        check_extract(request)
        return self._ask(request, ExtractResult, self._extract_now, priority, cache)

    def prompt(
        self, request: PromptRequest, priority: Priority = "interactive", *, cache: bool = True
    ) -> Ticket[PromptResult]:
        """Queue one free prompt; waits for a load under way.

        Where the loaded model cannot write, the one that the catalog names in its place is loaded beside it, once;
        `state` shows how far that is.

        cache: as for `classify`.

        Raises:
            WorkbenchError: at once, for a request that no model could answer.
        """
        check_prompt(request)
        return self._ask(request, PromptResult, self._prompt_now, priority, cache)

    def many(
        self,
        requests: Iterable[BatchRequest],
        *,
        batch_size: int | None = None,
        report: BatchReport = lambda _done, _total: None,
    ) -> Batch:
        """Answer requests in batches that let others pass; iterate over what this gives for the rows. See `Batch`.

        batch_size: requests answered together at most.

        Raises:
            WorkbenchError: `bad_setting` for a size below 1.
        """
        return Batch(
            requests,
            self._submit_step,
            usual=lambda request: usual_size(self._slot.state.info, request),
            size=batch_size,
            report=report,
        )

    def cache_size(self) -> CacheSize:
        """How many answers are kept, and the bytes that they take in memory and on disk."""
        return self._cache.size()

    def clear_cache(self) -> Ticket[None]:
        """Let go of every kept answer now, and of what the model keeps of earlier requests in its turn.

        Raises:
            WorkbenchError: `file_not_written`: those on disk are still there.
        """
        ticket = self._worker.submit(lambda _: self._slot.forget())
        self._cache.clear()
        return ticket

    def close(self) -> None:
        """Unload and end the worker."""
        loading = self._loading
        if loading is not None:
            loading[1].cancel()
        self._worker.close()
        self._tasks = None
        self._slot.unload()
        self._cache.close()

    def _ask(
        self,
        request: Request,
        kind: type[Answer],
        work: Callable[[Any, Ticket[Answer]], Answer],
        priority: Priority,
        cache: bool,
    ) -> Ticket[Answer]:
        """A ticket that is answered already where the answer is kept, else one that waits for its turn."""
        kept = self._kept(request, kind) if cache else None
        if kept is not None:
            ticket = Ticket[Answer](lambda _: kept)
            ticket.run()
            return ticket
        self.ensure_loaded()

        def answer(ticket: Ticket[Answer]) -> Answer:
            if not cache:
                return work(request, ticket)
            return self._answer_once(request, kind, work, ticket)

        return self._worker.submit(answer, priority)

    def _kept(self, request: Request, kind: type[Answer]) -> Answer | None:
        """The kept answer of the model that is loaded, where no other load and no unload is asked for."""
        with self._lock:
            loading, tasks = self._loading, self._tasks
        if loading is None or loading[1].stop.is_set() or loading[1].state != "done" or tasks is None:
            return None
        return self._cache.find(request, tasks.identity, kind)

    def _submit_step(self, requests: Sequence[BatchRequest]) -> Ticket[Outcome]:
        self.ensure_loaded()
        return self._worker.submit(lambda ticket: self._step_now(requests, ticket), "batch")

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
        identity = ModelIdentity(info, load=next(self._loads))
        self._tasks = Tasks(Classifier(backend), Extractor(backend), prompt, identity)
        _log.info("loaded %s on %s in %s", info.name, info.device, info.precision)
        return info

    def _unload_now(self) -> None:
        self._tasks = None
        self._slot.unload()

    def _answer_once(
        self,
        request: Request,
        kind: type[Answer],
        work: Callable[[Any, Ticket[Answer]], Answer],
        ticket: Ticket[Answer],
    ) -> Answer:
        """Do the work, unless the same request was answered while this one waited."""
        found = self._cache.find(request, self._ready().identity, kind, ticket.queue_ms)
        if found is None:
            found = work(request, ticket)
            self._cache.keep(request, self._ready().identity, found)  # the work may have loaded a writer
        return found

    def _classify_now(self, request: ClassifyRequest, ticket: Ticket[ClassifyResult]) -> ClassifyResult:
        return self._ready().classify(request, ticket.stop, ticket.queue_ms)

    def _extract_now(self, request: ExtractRequest, ticket: Ticket[ExtractResult]) -> ExtractResult:
        def report(done: int, total: int) -> None:
            ticket.progress = (done, total)

        return self._ready().extract(request, ticket.stop, ticket.queue_ms, report)

    def _step_now(self, requests: Sequence[BatchRequest], ticket: Ticket[Outcome]) -> Outcome:
        try:
            tasks = self._ready()
        except WorkbenchError as error:
            return error
        return answer_step(tasks.classify, tasks.extract, requests, ticket)

    def _prompt_now(self, request: PromptRequest, ticket: Ticket[PromptResult]) -> PromptResult:
        prompt = self._ready().prompt or self._load_writer(ticket)

        def show(text: str) -> None:
            ticket.partial = text

        return prompt(request, ticket.stop, ticket.queue_ms, show)

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
        identity = replace(tasks.identity, writer=writer.info)
        self._tasks = replace(tasks, prompt=prompt, identity=identity)
        _log.info("loaded %s, to write in the place of %s", writer.info.name, self._slot.backend.info.name)
        return prompt

    def _ready(self) -> Tasks:
        if self._tasks is None:
            raise self._slot.state.error or WorkbenchError("model_missing")
        return self._tasks
