"""The one place where a model lives: frees the old one before it loads the new one, and gives memory back on unload.

Used by the worker thread only, except for `state`, which any thread may read. It does not queue.
"""

import ctypes
import gc
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Backend
from engine.run.failures import forget_frames
from engine.settings import Settings
from engine.types import LoadProgress, ModelInfo, Note, Status

_log = logging.getLogger(__name__)

Load = Callable[[Settings, Callable[[LoadProgress], None], Callable[[Note], None], Event], Backend]
"""Fetches, checks and loads what the settings name; reports progress and choices; stops on the event."""


@dataclass(frozen=True)
class ModelState:
    """The slot as the pages show it. `requested` is what the user asked for, `notes` what was chosen and why."""

    status: Status
    requested: str
    info: ModelInfo | None = None
    progress: LoadProgress | None = None
    error: WorkbenchError | None = None
    notes: tuple[Note, ...] = ()


class Slot:
    """Holds at most one backend."""

    def __init__(self, load: Load, requested: str) -> None:
        self._load = load
        self._backend: Backend | None = None
        self.state = ModelState("empty", requested)

    @property
    def backend(self) -> Backend:
        """The loaded backend.

        Raises:
            WorkbenchError: why the last load failed, else `model_missing`.
        """
        if self._backend is None:
            raise self.state.error or WorkbenchError("model_missing")
        return self._backend

    def load(self, settings: Settings, stop: Event) -> ModelInfo:
        """Free what is held, then load; on failure the slot is empty and says why."""
        self.unload(settings.model)
        notes: list[Note] = []

        def report(progress: LoadProgress) -> None:
            self.state = ModelState("loading", settings.model, progress=progress, notes=tuple(notes))

        report(LoadProgress("resolve"))
        try:
            self._backend = self._load(settings, report, notes.append, stop)
        except Cancelled as error:
            self._drop_half_loaded(error)
            self.state = ModelState("empty", settings.model)
            raise
        except WorkbenchError as error:
            self._drop_half_loaded(error)
            self.state = ModelState("failed", settings.model, error=error, notes=tuple(notes))
            raise
        except Exception as error:
            _log.exception("loading %s failed", settings.model)
            self._drop_half_loaded(error)
            failure = WorkbenchError("not_loadable", name=settings.model, reason=_first_line(error))
            self.state = ModelState("failed", settings.model, error=failure, notes=tuple(notes))
            raise failure from None
        info = self._backend.info
        self.state = ModelState("ready", settings.model, info=info, notes=(*notes, *info.notes))
        return info

    def unload(self, requested: str = "") -> None:
        """Drop the model and hand its memory back to the system. Nothing to do is fine."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None
            give_memory_back()
        self.state = ModelState("empty", requested or self.state.requested)

    @staticmethod
    def _drop_half_loaded(error: Exception) -> None:
        forget_frames(error)
        give_memory_back()


def give_memory_back() -> None:
    """Collect, then return freed heap pages to the system: glibc keeps them otherwise."""
    gc.collect()
    if sys.platform == "linux":
        try:
            ctypes.CDLL("libc.so.6").malloc_trim(0)
        except (OSError, AttributeError):  # another libc: nothing to trim
            _log.debug("malloc_trim is not available")


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return (text[0] if text else type(error).__name__)[:300].rstrip(".")
