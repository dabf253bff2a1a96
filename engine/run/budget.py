"""A budget of memory: near it steps of batches shrink, at it requests wait and are then refused. Nothing is killed.

The budget is of the process, or of what torch holds on the GPU. From `NEAR` of it on, a batch's steps are halved, one
after the other down to one request; they grow back when memory falls. From `FULL` on, what is only kept for speed is
let go and freed pages go back to the system; a request for which that makes no room waits, then is refused. It measures
what is held before a request, so one request alone may still go beyond.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from engine.errors import Cancelled, WorkbenchError
from engine.model.memory import NEAR, human_bytes
from engine.run.queue import Ticket

FULL = 0.95
"""The share of the budget from which on requests wait."""

PATIENCE = 10.0
"""Seconds that a request waits for room, counted from when it was asked; a batch, from its first step without room."""

LOOK_SECONDS = 0.1
"""Between two looks of a request that waits."""

_CALM = 4
"""Steps in a row with memory to spare after which the next ones may be twice as large."""

_TRIM_SECONDS = 1.0
"""Between two tries to give freed pages back: they take some milliseconds each."""

_log = logging.getLogger(__name__)


class Budget:
    """The budget of one workbench; safe from any thread, but for `admit`, which is for the worker's.

    limit: bytes; None: no budget, and nothing here does anything. It may be set anew with every load.
    patience: seconds that a request waits for room.
    """

    def __init__(
        self,
        limit: int | None,
        held: Callable[[], int],
        *,
        trim: Callable[[], None] = lambda: None,
        let_go: Callable[[], None] = lambda: None,
        patience: float = PATIENCE,
    ) -> None:
        """Keep within `limit`.

        held: bytes that are held now, of the memory that the budget is of.
        trim: gives pages that were freed back to the system. let_go: drops what is kept between requests.
        """
        self.limit, self.patience = limit, patience
        self._held, self._trim, self._let_go = held, trim, let_go
        self._lock = threading.Lock()
        self._halvings = self._calm = 0
        self._full = False
        self._trimmed = -_TRIM_SECONDS

    def most(self, size: int) -> int:
        """How many requests a step that would have `size` may have now. Asked once a step: it counts calm ones."""
        if self.limit is None or size <= 1:
            return size
        share = self._share()
        with self._lock:
            before = self._halvings
            if share >= NEAR:
                self._calm = 0
                self._halvings += size >> self._halvings > 1
            elif before:
                self._calm += 1
                if self._calm >= _CALM:
                    self._halvings, self._calm = before - 1, 0
            now = self._halvings
        if now != before:
            change = "shrink" if now > before else "grow"
            _log.info("memory is at %.0f %% of its budget: steps of batches %s to 1/%d", share * 100, change, 2**now)
        return max(1, size >> now)

    def admit(self, ticket: Ticket[Any], patience: float | None = None) -> None:
        """Return where there is room for a request, for which it may wait; others of the worker wait with it.

        patience: seconds since it was asked, in place of the budget's.

        Raises:
            WorkbenchError: `memory_budget`: there is no room.
            Cancelled: the ticket was cancelled while it waited.
        """
        if self.limit is None:
            return
        share = self._share()
        if share >= NEAR:
            self._give_pages_back()
        if share < FULL or self._share() < FULL:
            self._full = False
            return
        if not self._full:  # said once: a batch comes back again and again
            _log.warning("memory is at %.0f %% of its budget: what is kept is let go", share * 100)
        self._full = True
        self._let_go()
        self._trim()
        most = self.patience if patience is None else patience
        while self._share() >= FULL:
            if ticket.stop.is_set():
                raise Cancelled
            if time.perf_counter() - ticket.created >= most:
                raise self._refusal(logging.WARNING if most else logging.DEBUG)
            ticket.stop.wait(LOOK_SECONDS)
            self._trim()

    def _refusal(self, level: int) -> WorkbenchError:
        held, limit = human_bytes(self._held()), human_bytes(self.limit or 0)
        _log.log(level, "a request is refused: %s of %s are held", held, limit)
        return WorkbenchError("memory_budget", held=held, limit=limit)

    def _give_pages_back(self) -> None:
        now = time.monotonic()
        if now - self._trimmed >= _TRIM_SECONDS:
            self._trim()
            self._trimmed = now

    def _share(self) -> float:
        """What is held as a share of the budget; 0 where the system does not tell."""
        try:
            return self._held() / (self.limit or 1)
        except Exception:
            _log.debug("memory cannot be told", exc_info=True)
            return 0.0
