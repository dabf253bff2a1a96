"""The engine as its users see it: one object a process, one model in it, requests that return tickets.

Pages, the command line and the HTTP API all hold the same object. Every call here is safe from any thread and returns
at once; the work happens on the worker's thread.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from engine.errors import Cancelled
from engine.model.loader import load_backend
from engine.model.memory import trim_heap
from engine.observe.monitor import Monitor
from engine.observe.types import Effect
from engine.run.batch import CHARACTERS, Batch, Outcome, check_size, usual_size
from engine.run.batch import Report as BatchReport
from engine.run.batch import Request as BatchRequest
from engine.run.classify import check_request
from engine.run.executor import Executor
from engine.run.extract import check_request as check_extract
from engine.run.prompt import check_request as check_prompt
from engine.run.queue import Priority, Ticket, Worker
from engine.run.result_cache import open_cache
from engine.run.result_file import CacheSize
from engine.run.result_form import Answer, Request
from engine.run.slot import Load, ModelState
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


class Workbench:
    """One model, one worker, every request."""

    def __init__(self, settings: Settings, load: Load = load_backend) -> None:
        self._settings = settings
        self._trusted = settings.model if settings.trust_remote_code else None
        self._worker = Worker(tidy=trim_heap)
        self._lock = threading.Lock()
        self._loading: tuple[Settings, Ticket[ModelInfo]] | None = None
        self._loading_writer: Ticket[Any] | None = None
        self._cache = open_cache(settings)
        self._batch_size = settings.batch_size
        self.monitor = Monitor(settings, self._worker.waiting, lambda: self._executor.kept_bytes())  # noqa: PLW0108 - it is made below
        """What the process does and holds; it begins to look with the first load."""
        self._executor = Executor(load, settings.model, self._cache, self.monitor, self._loads_writer)

    @property
    def settings(self) -> Settings:
        """The settings of the model that is loaded or asked for."""
        return self._settings

    def state(self) -> ModelState:
        """Where the model stands."""
        state = self._executor.state
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
            self.monitor.start()
            ticket = self._worker.submit(lambda own: self._executor.load(wanted, own))
            self._loading = (wanted, ticket)
            return ticket

    def ensure_loaded(self) -> Ticket[ModelInfo]:
        """The current load, begun if nobody has yet; a failed or stopped one is not tried again by itself."""
        with self._lock:
            if self._loading is not None:
                return self._loading[1]
        return self.load()

    def unload(self) -> Ticket[Effect]:
        """Stop a load under way, drop the model and give its memory back."""
        with self._lock:
            if self._loading is not None:
                self._loading[1].cancel()
            self._stop_writer()
        return self._worker.submit(lambda _: self._executor.unload())

    def release(self) -> Ticket[Effect]:
        """Let go of what is kept between requests, texts and answers, and of memory held for later."""
        return self._worker.submit(lambda _: self._executor.release())

    def collect(self) -> Ticket[Effect]:
        """Have Python collect what nothing refers to."""
        return self._worker.submit(lambda _: self._executor.collect())

    def classify(
        self, request: ClassifyRequest, priority: Priority = "interactive", *, cache: bool = True
    ) -> Ticket[ClassifyResult]:
        """Queue one classification; waits for a load under way.

        cache: whether a kept answer will do, which waits for nothing, and whether the answer is kept.

        Raises:
            WorkbenchError: at once, for a request that no model could answer.
        """
        check_request(request)
        return self._ask(request, ClassifyResult, priority, cache)

    def extract(
        self, request: ExtractRequest, priority: Priority = "interactive", *, cache: bool = True
    ) -> Ticket[ExtractResult]:
        """Queue one extraction; waits for a load under way. The ticket's progress counts prompts.

        cache: as for `classify`.

        Raises:
            WorkbenchError: at once, for a request that no model could answer.
        """
        check_extract(request)
        return self._ask(request, ExtractResult, priority, cache)

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
        return self._ask(request, PromptResult, priority, cache)

    def many(
        self,
        requests: Iterable[BatchRequest],
        *,
        batch_size: int | None = None,
        characters: int | None = CHARACTERS,
        report: BatchReport = lambda _done, _total: None,
    ) -> Batch:
        """Answer requests in batches that let others pass; iterate over what this gives for the rows. See `Batch`.

        batch_size: requests answered together at most; None: as set, else the usual number.
        characters: of those together at most; None: any number.

        Raises:
            WorkbenchError: `bad_setting` for a size below 1.
        """
        return Batch(
            requests,
            self._submit_step,
            usual=lambda request: usual_size(self._executor.state.info, request),
            size=self._batch_size if batch_size is None else batch_size,
            characters=characters,
            allowed=self._executor.budget.most,
            patience=self._executor.budget.patience,
            report=report,
        )

    @property
    def batch_size(self) -> int | None:
        """Requests that a step of a batch holds at most where none is named; None: the usual number."""
        return self._batch_size

    def set_batch_size(self, size: int | None) -> None:
        """Set it, for batches that begin from now on.

        Raises:
            WorkbenchError: `bad_setting` for a size below 1.
        """
        check_size(size)
        self._batch_size = size
        self.monitor.mark("batch_size", size=size)

    def cache_size(self) -> CacheSize:
        """How many answers are kept, and the bytes that they take in memory and on disk."""
        return self._cache.size()

    def forget(self) -> Ticket[None]:
        """Have the model let go of what it keeps of texts that it has read; kept answers stay."""
        return self._worker.submit(lambda _: self._executor.forget())

    def clear_cache(self) -> Ticket[None]:
        """Let go of every kept answer now, and of what the model keeps of earlier requests in its turn.

        Raises:
            WorkbenchError: `file_not_written`: those on disk are still there.
        """
        ticket = self.forget()
        self._cache.clear()
        return ticket

    def close(self) -> None:
        """Unload and end the worker."""
        loading = self._loading
        if loading is not None:
            loading[1].cancel()
        self._worker.close()
        self.monitor.close()
        self._executor.close()
        self._cache.close()

    def _ask(self, request: Request, kind: type[Answer], priority: Priority, cache: bool) -> Ticket[Answer]:
        """A ticket that is answered already where the answer is kept, else one that waits for its turn."""
        kept = self._kept(request, kind) if cache else None
        if kept is not None:
            return kept
        self.ensure_loaded()
        return self._worker.submit(
            lambda ticket: self._executor.answer(request, kind, ticket, priority, cache), priority
        )

    def _kept(self, request: Request, kind: type[Answer]) -> Ticket[Answer] | None:
        """The kept answer of the model that is loaded, where no other load and no unload is asked for."""
        with self._lock:
            loading, identity = self._loading, self._executor.identity
        if loading is None or loading[1].stop.is_set() or loading[1].state != "done" or identity is None:
            return None
        return self._executor.kept(request, kind, identity)

    def _submit_step(self, requests: Sequence[BatchRequest]) -> Ticket[Outcome]:
        self.ensure_loaded()
        return self._worker.submit(lambda ticket: self._executor.step(requests, ticket), "batch")

    def _stop_writer(self) -> None:
        """Stop the load of a writer, which ends with the model that it is for; holding the lock."""
        if self._loading_writer is not None:
            self._loading_writer.cancel()

    @contextmanager
    def _loads_writer(self, ticket: Ticket[Any]) -> Iterator[None]:
        """While it lasts, whoever unloads or loads stops this ticket; on the worker's thread."""
        with self._lock:
            loading = self._loading
            if loading is None or loading[1].stop.is_set() or loading[1].state != "done":
                raise Cancelled  # the model is about to go, by a request that waits behind this one
            self._loading_writer = ticket
        try:
            yield
        finally:
            with self._lock:
                self._loading_writer = None
