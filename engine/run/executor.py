"""What the worker's thread does: loads and lets go, answers, gives memory back. It owns the slot, and queues nothing.

Every method but `identity`, `state`, `kept` and `kept_bytes` is for that one thread.
"""

import gc
import itertools
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.errors import WorkbenchError
from engine.model.backend import generates
from engine.model.memory import give_memory_back, give_pages_back, held_bytes
from engine.observe.monitor import Monitor
from engine.observe.types import Effect
from engine.run.batch import Outcome, answer_step
from engine.run.batch import Request as BatchRequest
from engine.run.budget import Budget
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.prompt import Prompter
from engine.run.queue import Priority, Ticket
from engine.run.result_cache import ResultCache
from engine.run.result_form import Answer, Request
from engine.run.result_key import ModelIdentity
from engine.run.slot import Load, ModelState, Slot
from engine.run.watch import Watch, model_line
from engine.settings import Settings
from engine.types import ClassifyRequest, ExtractRequest, ModelInfo

_log = logging.getLogger(__name__)

Turn = Callable[[Ticket[Any]], AbstractContextManager[None]]
"""Held by a ticket while it loads a writer; raises `Cancelled` where the model that it is for is about to go."""


@dataclass(frozen=True)
class _Tasks:
    """What the loaded model is used for. `prompt`: None until another model writes in its place."""

    classify: Classifier
    extract: Extractor
    prompt: Prompter | None
    identity: ModelIdentity


class Executor:
    """One slot and what is done with the model in it."""

    def __init__(self, load: Load, requested: str, cache: ResultCache, monitor: Monitor, turn: Turn) -> None:
        self._slot = Slot(load, requested)
        self._cache, self._monitor, self._turn = cache, monitor, turn
        self._watch = Watch(monitor)
        self._loads = itertools.count()
        self.budget = Budget(None, self._held, trim=lambda: give_pages_back(self._device()), let_go=self._make_room)
        self._tasks: _Tasks | None = None

    @property
    def state(self) -> ModelState:
        """Where the model stands."""
        return self._slot.state

    @property
    def identity(self) -> ModelIdentity | None:
        """Which model answers, exactly; None while none does."""
        tasks = self._tasks
        return None if tasks is None else tasks.identity

    def kept_bytes(self) -> tuple[int, int | None]:
        """Bytes of memory for answers that are kept, and for texts that were read; from any thread."""
        return self._cache.memory_bytes, self._slot.kept_bytes()

    def load(self, settings: Settings, ticket: Ticket[ModelInfo]) -> ModelInfo:
        """Free what is held, then load."""
        self.budget.limit = settings.max_memory
        self._drop()
        info = self._slot.load(settings, ticket.stop)
        backend = self._slot.backend
        prompt = Prompter(backend) if generates(backend) else None
        identity = ModelIdentity(info, load=next(self._loads))
        self._tasks = _Tasks(Classifier(backend), Extractor(backend), prompt, identity)
        _log.info("loaded %s on %s in %s", info.name, info.device, info.precision)
        give_memory_back()  # what only the load took: it would count as the model's
        self._monitor.loaded(model_line(info))
        return info

    def unload(self) -> Effect:
        """Drop the model."""

        def drop() -> None:
            self._drop()
            self._slot.unload()

        return self._effect("unload", drop)

    def release(self) -> Effect:
        """Let go of what is kept in memory between requests, and of what allocators hold for later."""

        def let_go() -> None:
            self._make_room()
            give_memory_back()

        return self._effect("release", let_go)

    def collect(self) -> Effect:
        """Have Python collect what nothing refers to."""
        return self._effect("collect", gc.collect)

    def forget(self) -> None:
        """Let go of what the model keeps of earlier requests."""
        self._slot.forget()

    def close(self) -> None:
        """Drop the model, at the end; nothing is measured."""
        self._tasks = None
        self._slot.unload()

    def answer(
        self, request: Request, kind: type[Answer], ticket: Ticket[Answer], priority: Priority, cache: bool
    ) -> Answer:
        """Do the work, unless it may be looked up and the same request was answered while this one waited."""
        if cache and self.identity is not None:
            found = self._cache.find(request, self.identity, kind, ticket.queue_ms)
            if found is not None:
                self._watch.kept(request, found, ticket)
                return found
        computed = self._watch.answer(request, ticket, priority, lambda: self._compute(request, ticket))
        if cache:
            self._cache.keep(request, self._ready().identity, computed)  # the work may have loaded a writer
        return computed

    def kept(self, request: Request, kind: type[Answer], identity: ModelIdentity) -> Ticket[Answer] | None:
        """An answered ticket where the answer is kept; from any thread."""
        found = self._cache.find(request, identity, kind)
        if found is None:
            return None
        ticket = Ticket[Answer](lambda _: found)
        ticket.run()
        self._watch.kept(request, found, ticket)
        return ticket

    def step(self, requests: Sequence[BatchRequest], ticket: Ticket[Outcome]) -> Outcome:
        """Answer a batch's step."""
        try:
            tasks = self._ready()
        except WorkbenchError as error:
            return error
        self.budget.admit(ticket, 0)  # what is refused is tried again by the batch
        return self._watch.step(requests, ticket, lambda: answer_step(tasks.classify, tasks.extract, requests, ticket))

    def _compute(self, request: Any, ticket: Ticket[Any]) -> Any:
        def report(done: int, total: int) -> None:
            ticket.progress = (done, total)

        def show(text: str) -> None:
            ticket.partial = text

        self.budget.admit(ticket)
        tasks = self._ready()
        if isinstance(request, ClassifyRequest):
            return tasks.classify(request, ticket.stop, ticket.queue_ms)
        if isinstance(request, ExtractRequest):
            return tasks.extract(request, ticket.stop, ticket.queue_ms, report)
        return (tasks.prompt or self._load_writer(ticket))(request, ticket.stop, ticket.queue_ms, show)

    def _load_writer(self, ticket: Ticket[Any]) -> Prompter:
        """Have another model write from now on."""
        with self._turn(ticket):
            writer = self._slot.writer(ticket.stop)
        tasks = self._ready()
        prompt = Prompter(writer, instead_of=self._slot.backend.info.name)
        identity = replace(tasks.identity, writer=writer.info)
        self._tasks = replace(tasks, prompt=prompt, identity=identity)
        _log.info("loaded %s, to write in the place of %s", writer.info.name, self._slot.backend.info.name)
        self._monitor.mark("load", model=model_line(writer.info))
        return prompt

    def _effect(self, action: Literal["release", "collect", "unload"], act: Callable[[], object]) -> Effect:
        before = self._monitor.now()
        act()
        after = self._monitor.now()
        if action == "release":
            self._monitor.released(after)
        _log.info("%s: from %d to %d bytes", action, before.rss, after.rss)
        return Effect(action, before, after)

    def _device(self) -> str:
        info = self._slot.state.info
        return info.device if info else "cpu"

    def _held(self) -> int:
        return held_bytes(self._device())

    def _make_room(self) -> None:
        """Let go of what is kept for speed alone."""
        self._cache.shed()
        self._slot.forget()
        gc.collect()

    def _drop(self) -> None:
        if self._tasks is not None:
            self._tasks = None
            self._monitor.unloaded()

    def _ready(self) -> _Tasks:
        if self._tasks is None:
            raise self._slot.state.error or WorkbenchError("model_missing")
        return self._tasks
