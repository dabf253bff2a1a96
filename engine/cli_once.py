"""One request in a process of its own, as the command line asks it: load with progress on stderr, answer, let go."""

import sys
from collections.abc import Callable, Iterable
from threading import Event
from typing import TypeVar

import typer

from engine.model.backend import Backend
from engine.run.result_form import Answer as Result
from engine.run.result_form import Request
from engine.settings import Settings
from engine.types import LoadProgress, Note

Answer = TypeVar("Answer")


def print_notes(notes: Iterable[Note]) -> None:
    """A line a note, on stderr."""
    for note in notes:
        typer.echo(f"note: {note.text}", err=True)


def answer_once(settings: Settings, ask: Callable[[Backend, Event], Answer]) -> Answer:
    """Load the model on this thread, with its progress on stderr, and answer one request."""
    from engine.model.loader import load_backend

    stop = Event()
    backend = load_backend(settings, ProgressLine(), lambda note: print_notes([note]), stop)
    try:
        return ask(backend, stop)
    finally:
        backend.close()


def unless_kept(
    settings: Settings,
    request: Request,
    kind: type[Result],
    backend: Backend,
    compute: Callable[[], Result],
    writer: Backend | None = None,
) -> Result:
    """The answer that is kept on disk, where the settings allow it, else a new one."""
    from engine.run.result_cache import open_cache
    from engine.run.result_key import ModelIdentity

    cache = open_cache(settings, memory=False)
    try:
        identity = ModelIdentity(backend.info, None if writer is None else writer.info)
        return cache.answer(request, identity, kind, compute)
    finally:
        cache.close()


class ProgressLine:
    """Shows a load on stderr: a moving line on a terminal, a line a phase elsewhere."""

    def __init__(self) -> None:
        self._phase = ""

    def __call__(self, progress: LoadProgress) -> None:
        terminal = sys.stderr.isatty()
        if progress.phase != self._phase:
            if terminal and self._phase:
                typer.echo("", err=True)
            self._phase = progress.phase
            if not terminal:
                typer.echo(f"{progress.phase} …", err=True)
        if terminal:
            share = "" if progress.fraction is None else f"{progress.fraction:4.0%}"
            typer.echo(f"\r{progress.phase:8} {share}", err=True, nl=False)
