"""Sweeps: the same texts read with several settings, to see which one is fast enough and small enough.

A setting is a number of texts in a step of a batch, or of the processor's threads. All settings are measured, the
smallest first, each after a warm-up; then all again: a moment in which the machine is busy does not hit one alone.
Neither kept answers nor texts that the model has read play a part. It tunes nothing by itself: `adopt` does.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.errors import WorkbenchError
from engine.lab import experiment
from engine.lab.experiment import Experiment
from engine.lab.knee import SweepResult, SweepRow, best, knee
from engine.lab.passes import Pass, distinct, how_it_pads, read_once, row_of
from engine.messages import Phrase
from engine.model.machine import look_at_machine
from engine.run.batch import CHARACTERS, Request
from engine.run.classify import check_request as check_classify
from engine.run.extract import check_request as check_extract
from engine.run.failures import forget_frames
from engine.run.queue import Ticket
from engine.run.workbench import Workbench
from engine.types import ClassifyRequest, ModelInfo

_log = logging.getLogger(__name__)
_WAIT_SECONDS = 0.1

SweepKind = Literal["batch", "threads"]
SweepJob = Experiment[SweepRow, SweepResult]


@dataclass(frozen=True)
class Plan:
    """What is measured.

    texts: read once a pass; where they are fewer than the largest size, some come again, each with a number before it.
    template: what is asked of each; its text is not used. sizes: texts in a step. threads: none: 1, 2, 4, ... up to the
    cores. repeats: measured passes of each setting. budget: bytes that a setting may hold to be advised; None: any.
    """

    texts: tuple[str, ...]
    template: Request
    sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    threads: tuple[int, ...] = ()
    repeats: int = 2
    budget: int | None = None


def start_sweep(workbench: Workbench, kind: SweepKind, plan: Plan) -> SweepJob:
    """Begin a sweep beside the requests of others, which may pass between its steps.

    Raises:
        WorkbenchError: `experiment_running`; `sweep_without_texts`; `bad_setting` for a plan that cannot be measured.
    """
    _check(plan)
    work = sweep_batch if kind == "batch" else sweep_threads
    return experiment.start(f"sweep_{kind}", lambda job: work(workbench, plan, job))


def adopt(workbench: Workbench, kind: SweepKind, setting: int) -> Ticket[ModelInfo] | None:
    """Use a setting from now on: texts in a step at once; threads by a load, whose ticket this gives.

    Raises:
        WorkbenchError: `bad_setting` for one below 1.
    """
    if kind == "batch":
        workbench.set_batch_size(setting)
        return None
    if setting < 1:
        raise WorkbenchError("bad_setting", name="threads", value=setting, hint="Use a number from 1 on.")
    return workbench.load(threads=setting)


def sweep_batch(workbench: Workbench, plan: Plan, job: SweepJob) -> SweepResult:
    """Measure numbers of texts in a step. A size for which memory runs out has an error; larger ones are not tried.

    Where this model reads texts of this task one after the other, steps hold one text whatever is asked: all sizes are
    then alike, as they are in use. The limit of characters in a step is lifted.

    Raises:
        WorkbenchError: what is wrong with the model or the request; `experiment_disturbed`.
        Cancelled: by `job.cancel`.
    """
    model = _model(workbench, job)
    asked = _requests(plan, max(plan.sizes))

    def measure(size: int, requests: Sequence[Request]) -> Pass:
        read = read_once(workbench, requests, job, size=size, characters=None)
        if workbench.state().info != model:
            raise WorkbenchError("experiment_disturbed")
        return read

    made = _Measured(plan, sorted(set(plan.sizes)), asked, measure, job)
    for number in range(plan.repeats):
        for size in made.settings:
            if not number:
                made.warm_up(size, size)
            made.take(size)
    result = made.result(model)
    return replace(result, remark=Phrase("steps_of_one")) if made.largest == 1 < max(plan.sizes) else result


def sweep_threads(workbench: Workbench, plan: Plan, job: SweepJob) -> SweepResult:
    """Measure numbers of threads, loading the model anew for each, in steps of the size that is set.

    At the end, also of a stop, the threads are again what they were, unless somebody else loads or unloads meanwhile.

    Raises:
        WorkbenchError: `sweep_without_threads`; what is wrong with the model or the request; `experiment_disturbed`.
        Cancelled: by `job.cancel`.
    """
    model = _model(workbench, job)
    if model.device == "remote":
        raise WorkbenchError("sweep_without_threads", name=model.name)
    loads = _Loads(workbench, job)

    def measure(threads: int, requests: Sequence[Request]) -> Pass:
        loads.load(threads)
        return read_once(workbench, requests, job, size=None, characters=CHARACTERS)

    counts = plan.threads or thread_counts(look_at_machine().cores)
    made = _Measured(plan, sorted(set(counts)), _requests(plan, 1), measure, job)
    try:
        for _ in range(plan.repeats):
            for threads in made.settings:
                made.warm_up(threads, 1)
                made.take(threads)
    finally:
        loads.restore()
    return made.result(model)


def thread_counts(cores: int) -> tuple[int, ...]:
    """1, 2, 4, ... and all the cores."""
    doubled = (2**power for power in range(cores.bit_length()))
    return tuple(sorted({*(count for count in doubled if count < cores), cores}))


class _Measured:
    """What a sweep has so far. `measure`: reads texts once with a setting. `settings`: the smallest first."""

    def __init__(
        self,
        plan: Plan,
        settings: Sequence[int],
        asked: Sequence[Request],
        measure: Callable[[int, Sequence[Request]], Pass],
        job: SweepJob,
    ) -> None:
        self.settings = settings
        self._asked, self._measure, self._job, self._budget = asked, measure, job, plan.budget
        self._passes: dict[int, list[Pass]] = {one: [] for one in settings}
        self._failed: dict[int, WorkbenchError] = {}
        job.progress = (0, len(settings) * plan.repeats)

    def warm_up(self, setting: int, texts: int) -> None:
        """Read some of the texts, which is not counted."""
        self._attempt(setting, self._asked[:texts])

    def take(self, setting: int) -> None:
        """Read all texts, and count that."""
        made = self._attempt(setting, self._asked)
        if made is not None:
            self._passes[setting].append(made)
        done, total = self._job.progress
        self._job.progress = (done + 1, total)
        self._job.rows = self.rows()

    @property
    def largest(self) -> int:
        """Texts in the largest step that was measured; 0 where none was."""
        every = (count for passes in self._passes.values() for one in passes for count, _ in one.steps)
        return max(every, default=0)

    def rows(self) -> tuple[SweepRow, ...]:
        """The settings that something is known of."""
        return tuple(filter(None, map(self._row, self.settings)))

    def result(self, model: ModelInfo) -> SweepResult:
        """All of it, with the advice."""
        rows = self.rows()
        return SweepResult(rows, best(rows, self._budget), knee(rows, self._budget), self._budget, how_it_pads(model))

    def _attempt(self, setting: int, requests: Sequence[Request]) -> Pass | None:
        self._job.check()
        if any(failed <= setting for failed in self._failed):
            return None
        try:
            return self._measure(setting, requests)
        except WorkbenchError as error:
            if error.code not in ("out_of_memory", "memory_budget"):
                raise
            forget_frames(error)
            self._failed[setting] = error
            return None

    def _row(self, setting: int) -> SweepRow | None:
        error = self._failed.get(setting)
        if error is None and any(failed < setting for failed in self._failed):
            error = WorkbenchError("sweep_skipped")
        if error is not None:
            return SweepRow(setting, error=error.code, problem=error)
        return row_of(setting, self._passes[setting]) if self._passes[setting] else None


class _Loads:
    """Loads the same model with other threads, and in the end as it was."""

    def __init__(self, workbench: Workbench, job: SweepJob) -> None:
        self._workbench, self._job = workbench, job
        self._threads = workbench.settings.threads
        self._asked = workbench.settings

    def load(self, threads: int) -> None:
        """Load, unless it is loaded so.

        Raises:
            WorkbenchError: `experiment_disturbed`: another model or none is there by now; else why it does not load.
        """
        if self._others_changed_it():
            raise WorkbenchError("experiment_disturbed")
        self._asked = self._workbench.settings_of(threads=threads)
        ticket = self._workbench.load(threads=threads)
        with self._job.cancelling(ticket.cancel):
            ticket.result()

    def restore(self) -> None:
        """Load with the threads of before."""
        if self._others_changed_it():
            return
        try:
            self._workbench.load(threads=self._threads).result()
        except WorkbenchError as error:  # the model's state says so
            _log.warning("the model does not load as before the sweep: %s", error.code)

    def _others_changed_it(self) -> bool:
        unloaded = self._workbench.state().status == "empty" and not self._job.stop.is_set()
        return self._workbench.settings != self._asked or unloaded


def _model(workbench: Workbench, job: SweepJob) -> ModelInfo:
    """The model, once it is loaded; a stop ends the wait, not the load, for which others may wait too."""
    ticket = workbench.ensure_loaded()
    while not ticket.wait(_WAIT_SECONDS):
        job.check()
    return ticket.result()


def _requests(plan: Plan, count: int) -> list[Request]:
    return [replace(plan.template, text=text) for text in distinct(plan.texts, count)]


def _check(plan: Plan) -> None:
    if not distinct(plan.texts, 1):
        raise WorkbenchError("sweep_without_texts")
    for name, values in (("sizes", plan.sizes), ("threads", plan.threads or (1,)), ("repeats", (plan.repeats,))):
        if not values or min(values) < 1:
            shown = ", ".join(map(str, values)) or "none"
            raise WorkbenchError("bad_setting", name=name, value=shown, hint="Use numbers from 1 on.")
    request = _requests(plan, 1)[0]
    if isinstance(request, ClassifyRequest):
        check_classify(request)
    else:
        check_extract(request)
