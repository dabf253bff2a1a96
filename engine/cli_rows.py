"""How a job goes on, on stderr: a moving line on a terminal, a line every ten seconds elsewhere."""

import sys
import time

import typer

from engine.jobs.types import Progress

_APART = 10.0
"""Seconds between two lines where no terminal is."""


class RowsLine:
    """Told how a job stands (`engine.jobs.running.Report`)."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._shown = ""

    def __call__(self, progress: Progress) -> None:
        """Show it, where it is time to."""
        now = time.monotonic()
        if sys.stderr.isatty():
            said = progress_text(progress)
            typer.echo(f"\r{said.ljust(len(self._shown))}", err=True, nl=False)
            self._shown = said
        elif now - self._last >= _APART:
            self._last = now
            typer.echo(progress_text(progress), err=True)

    def end(self) -> None:
        """Leave the moving line."""
        if self._shown:
            typer.echo("", err=True)
            self._shown = ""


def progress_text(progress: Progress) -> str:
    """Rows, rate, what is left, and what failed.

    >>> progress_text(Progress("running", 1200, 3, 10000, 800.0, 11.0))
    '1,200 of 10,000 rows · 800 rows/s · 0:11 left · 3 failed'
    """
    of = "" if progress.total is None else f" of {progress.total:,}"
    said = [f"{progress.done:,}{of} rows"]
    if progress.rate is not None:
        said.append(f"{progress.rate:,.0f} rows/s" if progress.rate >= 10 else f"{progress.rate:.2g} rows/s")
    if progress.eta is not None:
        minutes, seconds = divmod(round(progress.eta), 60)
        hours, minutes = divmod(minutes, 60)
        said.append(f"{hours}:{minutes:02}:{seconds:02} left" if hours else f"{minutes}:{seconds:02} left")
    said.append(f"{progress.failed:,} failed")
    return " · ".join(said)
