"""A job on Ray Data: on the cores of this machine, or on a cluster by its address (extra `ray`).

This process reads the file, hands blocks of rows to Ray's object store, and keeps what comes back, as the runner of one
machine does: the same rows, errors, manifest and resume. Each worker loads the model by itself; where they run on other
machines, the same version of the workbench must be installed there, and the model reachable under the same name.

Ray's traps, and what is done: workers that take every CPU starve the rest, so some are spared; a small input becomes
one block, so blocks are cut here; an exception ends a run, so workers raise none; a run that hangs says nothing, so a
watchdog does.
"""

import logging
import os
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from threading import Event
from typing import Any

from pydantic import SecretStr

from engine import __version__
from engine.errors import Cancelled, WorkbenchError
from engine.jobs.keeping import Keeper, Report
from engine.jobs.ray_data.rows import block, read_fatal, unpack_result
from engine.jobs.ray_data.worker import RowWorker
from engine.jobs.running import check_columns, run_to_end
from engine.jobs.source import open_source
from engine.jobs.store import JobStore
from engine.jobs.store.stored_form import pack_spec, unpack
from engine.jobs.tables import Table
from engine.jobs.types import Job, SourceRow
from engine.settings import Settings

_log = logging.getLogger(__name__)

STALLED = 600.0
"""Seconds without a row after which a run is given up; a worker's load of the model counts too."""
_ROUND = 100_000
"""Rows that are handed to Ray at a time: the object store holds their texts, and a stop waits for no more."""
_MOST_ROWS = 512
"""In a block."""
_BLOCKS_A_WORKER = 8
_CALL_ROWS = 64
"""Rows that a worker answers in one call: what is lost when it is killed."""
_THREADS = 4
"""CPU threads of a worker at most, where the settings name none."""
_LOOKED_UP = 10_000


@dataclass(frozen=True)
class Share:
    """How a cluster is used. cpus, gpus: of each worker, as Ray counts them; threads: of its model."""

    workers: int
    cpus: float
    gpus: float
    threads: int


def share_of(cpus: float, gpus: float, nodes: int, settings: Settings) -> Share:
    """Workers for a cluster of so many CPUs, GPUs and machines; one CPU is spared for Ray itself."""
    if gpus >= 1 and settings.device in ("auto", "cuda"):
        workers = int(gpus)
        return Share(workers, min(1.0, max(0.25, (cpus - 1) / workers)), 1.0, settings.threads or 1)
    spare = max(0.5, cpus - 1)
    threads = settings.threads or max(1, min(_THREADS, int(cpus / max(1, nodes)) - 1))
    workers = max(1, int(spare // threads))
    return Share(workers, min(float(threads), spare), 0.0, threads)


def run_on_ray(
    store: JobStore,
    job: Job,
    settings: Settings,
    *,
    address: str | None = None,
    stop: Event,
    report: Report = lambda _: None,
    any_model: bool = False,
) -> Job:
    """Run a job until it is done, fails, or `stop` is set; then it is paused. How it stands at the end.

    address: of a running cluster; None: `RAY_ADDRESS`, else one of this machine alone, which ends with the run.

    Raises:
        WorkbenchError: `extra_missing`; else as `running.run_here`.
    """
    if find_spec("ray") is None:
        raise WorkbenchError("extra_missing", what="--engine ray", extra="ray")

    def work() -> None:
        table = open_source(job)
        check_columns(job.spec, table.columns)
        keeper = Keeper(store, job, stop, report, any_model=any_model)
        with _cluster(address) as ray:
            _Rounds(ray, store, job, settings, stop, keeper, remote=_is_remote(address)).all(table)

    return run_to_end(store, job, stop, work)


class _Rounds:
    """A job while it runs on a cluster."""

    def __init__(
        self, ray: Any, store: JobStore, job: Job, settings: Settings, stop: Event, keeper: Keeper, *, remote: bool
    ) -> None:
        self._ray, self._store, self._job, self._stop, self._keeper = ray, store, job, stop, keeper
        resources = ray.cluster_resources()
        nodes = sum(bool(node["Alive"]) for node in ray.nodes())
        self._share = share_of(resources.get("CPU", 1.0), resources.get("GPU", 0.0), nodes, settings)
        self._settings = _sent(settings, self._share.threads, remote=remote)
        self._model = ""
        _log.info("Ray: %d workers of %g CPUs on %d machines", self._share.workers, self._share.cpus, nodes)

    def all(self, table: Table) -> None:
        """Answer every row that is not done.

        Raises:
            WorkbenchError: why no more rows can be answered; `cancelled` where it was stopped.
        """
        total = table.count()
        self._store.set_total(self._job.id, total)
        left = self._left(table, total)
        try:
            while rows := list(islice(left, _ROUND)):
                self._round(rows)
            self._keeper.settle()
        finally:
            self._keeper.keep()
        if self._stop.is_set():
            raise Cancelled

    def _left(self, table: Table, total: int) -> Iterator[SourceRow]:
        """The rows that are not done."""
        for first in range(0, total, _LOOKED_UP):
            done = self._store.done_numbers(self._job.id, first, first + _LOOKED_UP)
            if len(done) == min(_LOOKED_UP, total - first):
                continue
            for row in islice(table.rows(first), _LOOKED_UP):
                if self._stop.is_set():
                    raise Cancelled
                if row.number not in done:
                    yield row

    def _round(self, rows: list[SourceRow]) -> None:
        """Hand rows to the workers, and keep what comes back."""
        data, share = self._ray.data, self._share
        size = max(1, min(_MOST_ROWS, -(-len(rows) // (share.workers * _BLOCKS_A_WORKER))))
        blocks = [self._ray.put(block(self._job.spec, rows[at : at + size])) for at in range(0, len(rows), size)]
        workers = min(share.workers, len(blocks))
        answered = data.from_arrow_refs(blocks).map_batches(
            RowWorker,
            fn_constructor_kwargs={
                "settings": self._settings,
                "spec": pack_spec(self._job.spec),
                "version": __version__,
            },
            compute=data.ActorPoolStrategy(min_size=1, max_size=workers),
            batch_size=_CALL_ROWS,
            num_cpus=share.cpus,
            num_gpus=share.gpus or None,
        )
        missing = {row.number for row in rows}
        for batch in _watched(answered.iter_batches(batch_size=_CALL_ROWS, prefetch_batches=0), self._stop):
            self._keep(batch, missing)
        if missing:
            raise WorkbenchError("ray_lost_rows", count=len(missing))

    def _keep(self, batch: dict[str, Any], missing: set[int]) -> None:
        columns = (batch[name] for name in ("number", "result", "model", "fatal"))
        for number, body, model, fatal in zip(*columns, strict=True):
            error = read_fatal(fatal)
            if error is not None:
                raise error
            if model and model != self._model:
                self._keeper.see_model(unpack(model))
                self._model = model
            missing.discard(int(number))
            self._keeper.take(unpack_result(number, body))


def _watched(batches: Iterable[dict[str, Any]], stop: Event) -> Iterator[dict[str, Any]]:
    """What comes, until there is no more, a stop is asked for, or nothing comes for too long.

    Raises:
        WorkbenchError: `cancelled`, `ray_stalled`, `ray_failed`.
    """
    coming: queue.Queue[dict[str, Any] | BaseException | None] = queue.Queue(maxsize=8)
    over = Event()

    def hand(one: dict[str, Any] | BaseException | None) -> bool:
        while not over.is_set():
            try:
                coming.put(one, timeout=0.2)
                return True
            except queue.Full:
                continue
        return False

    def fetch() -> None:
        try:
            for batch in batches:
                if not hand(batch):
                    return
            hand(None)
        except BaseException as error:
            hand(error)

    threading.Thread(target=fetch, name="ray-rows", daemon=True).start()
    last = time.monotonic()
    try:
        while not stop.is_set():
            try:
                one = coming.get(timeout=0.1)
            except queue.Empty:
                if time.monotonic() - last > STALLED:
                    raise WorkbenchError("ray_stalled", minutes=round(STALLED / 60)) from None
                continue
            if one is None:
                return
            if isinstance(one, BaseException):
                raise WorkbenchError("ray_failed", reason=_first_line(one)) from None
            last = time.monotonic()
            yield one
        raise Cancelled
    finally:
        over.set()


@contextmanager
def _cluster(address: str | None) -> Iterator[Any]:
    """Ray, connected; what was begun here ends here.

    Raises:
        WorkbenchError: `ray_unreachable`.
    """
    # Nothing is told to anybody; and workers without a GPU see the machine as it is, as Ray will have it later anyway.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    logging.getLogger("ray").setLevel(logging.ERROR)
    import ray
    import ray.data

    ours = not ray.is_initialized()
    if ours:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if not _is_remote(address):
            quiet |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        try:
            ray.init(address=address, **quiet)
        except Exception as error:
            where = address or os.environ.get("RAY_ADDRESS") or "127.0.0.1"
            raise WorkbenchError("ray_unreachable", address=where, reason=_first_line(error)) from None
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()


def _is_remote(address: str | None) -> bool:
    return bool(address or os.environ.get("RAY_ADDRESS"))


def _sent(settings: Settings, threads: int, *, remote: bool) -> dict[str, Any]:
    """The settings of a worker; other machines have folders of their own."""
    given = {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in settings.model_dump().items()
    }
    given |= {"threads": threads, "result_cache": 0, "result_cache_disk": False}
    return {name: value for name, value in given.items() if not (remote and name in ("cache_dir", "data_dir"))}


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300].rstrip(".")
