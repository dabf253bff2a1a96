"""The one place where a model lives: frees the old one before it loads the new one, and gives memory back on unload.

Beside a model that cannot write lives the one that writes in its place, once it is asked for; both go together.
Used by the worker thread only, except for `state` and `kept_bytes`, which any thread may read. It does not queue.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Backend, Keeping
from engine.model.memory import give_memory_back
from engine.run.failures import forget_frames
from engine.run.prompt import writer_settings
from engine.settings import Settings
from engine.types import LoadProgress, ModelInfo, Note, Status

_log = logging.getLogger(__name__)

Load = Callable[[Settings, Callable[[LoadProgress], None], Callable[[Note], None], Event], Backend]
"""Fetches, checks and loads what the settings name; reports progress and choices; stops on the event."""


@dataclass(frozen=True)
class ModelState:
    """The slot as the pages show it. `requested` is what the user asked for, `notes` what was chosen and why.

    progress: of a load under way; while the model is ready, of the load of its writer.
    writer: the model that writes in its place, once it is there.
    """

    status: Status
    requested: str
    info: ModelInfo | None = None
    progress: LoadProgress | None = None
    error: WorkbenchError | None = None
    notes: tuple[Note, ...] = ()
    writer: ModelInfo | None = None


class Slot:
    """Holds at most one backend, and its writer."""

    def __init__(self, load: Load, requested: str) -> None:
        self._load = load
        self._backend: Backend | None = None
        self._writer: Backend | None = None
        self._settings: Settings | None = None
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
            self._backend = self._attempt(settings, report, notes, stop)
        except Cancelled:
            self.state = ModelState("empty", settings.model)
            raise
        except WorkbenchError as error:
            self.state = ModelState("failed", settings.model, error=error, notes=tuple(notes))
            raise
        self._settings = settings
        info = self._backend.info
        self.state = ModelState("ready", settings.model, info=info, notes=(*notes, *info.notes))
        return info

    def writer(self, stop: Event) -> Backend:
        """The model that writes in the place of the loaded one: loaded beside it when it is first asked for.

        Raises:
            WorkbenchError: `prompt_unsupported` where there is none, else why its load failed; what is loaded stays.
        """
        if self._writer is None:
            if self._settings is None:
                raise self.state.error or WorkbenchError("model_missing")
            settings = writer_settings(self._settings, self.backend.info)
            before, notes = self.state, list[Note]()

            def report(progress: LoadProgress) -> None:
                self.state = replace(before, progress=progress)

            try:
                self._writer = self._attempt(settings, report, notes, stop)
            finally:
                self.state = before
            more = tuple(note for note in notes if note not in before.notes)
            self.state = replace(before, writer=self._writer.info, notes=(*before.notes, *more))
        return self._writer

    def forget(self) -> None:
        """Have the models let go of what they keep of earlier requests."""
        for backend in (self._backend, self._writer):
            if backend is not None:
                backend.forget()

    def kept_bytes(self) -> int | None:
        """Bytes of memory for texts that the models have read; None where they do not say. From any thread."""
        held: tuple[object, ...] = (self._backend, self._writer)
        said = [one.kept_bytes for one in held if isinstance(one, Keeping)]
        return sum(said) if said else None

    def unload(self, requested: str = "") -> None:
        """Drop the model and hand its memory back to the system. Nothing to do is fine."""
        if self._backend is not None:
            if self._writer is not None:
                self._writer.close()
            self._backend.close()
            self._backend = self._writer = self._settings = None
            give_memory_back()
        self.state = ModelState("empty", requested or self.state.requested)

    def _attempt(
        self, settings: Settings, report: Callable[[LoadProgress], None], notes: list[Note], stop: Event
    ) -> Backend:
        """Load, or leave nothing half loaded and say why in a `WorkbenchError`."""
        try:
            return self._load(settings, report, notes.append, stop)
        except WorkbenchError as error:
            self._drop_half_loaded(error)
            raise
        except Exception as error:
            _log.exception("loading %s failed", settings.model)
            self._drop_half_loaded(error)
            raise WorkbenchError("not_loadable", name=settings.model, reason=_first_line(error)) from None

    @staticmethod
    def _drop_half_loaded(error: Exception) -> None:
        forget_frames(error)
        give_memory_back()


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return (text[0] if text else type(error).__name__)[:300].rstrip(".")
