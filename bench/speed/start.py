"""Seconds from the start of a process to its first answer, as a user of the command line meets them."""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.speed.work import Work
from bench.speed.workers import WorkerError, environment

_NOTHING_KEPT = {"WORKBENCH_RESULT_CACHE": "0", "WORKBENCH_RESULT_CACHE_DISK": "false"}
"""An answer that is kept from the time before would not be computed."""


@dataclass(frozen=True)
class Started:
    """seconds: to the answer's first characters. peak_bytes: the most memory the process held; 0 if not known."""

    seconds: float
    peak_bytes: int


def command(checkpoint: Path, precision: str, threads: int, work: Work) -> list[str]:
    """`workbench classify` on the bench's text, in this interpreter."""
    run = [sys.executable, "-c", "from engine.cli import main; main()"]
    asked = ["classify", work.text, "--labels", "，".join(work.label_names), "--json", "--model", str(checkpoint)]
    return [*run, *asked, "--precision", precision, "--threads", str(threads), "--device", "cpu", "--offline"]


def time_start(checkpoint: Path, precision: str, threads: int, work: Work) -> Started:
    """Start it once.

    Raises:
        WorkerError: it gave no answer, or not one of this precision.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command(checkpoint, precision, threads, work),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment(threads) | _NOTHING_KEPT,
            encoding="utf-8",
        )
        assert process.stdout is not None
        with process.stdout:
            first = process.stdout.read(1)
            seconds = time.perf_counter() - started
            answer = first + process.stdout.read()
        peak = _wait(process)
        if process.returncode:
            errors.seek(0)
            lines = errors.read().strip().splitlines()
            raise WorkerError(lines[-1] if lines else f"exit code {process.returncode}")
    used = json.loads(answer)["model"]["precision"]
    if used != precision:
        raise WorkerError(f"the engine takes {used} in place of {precision} here")
    return Started(seconds, peak)


def _wait(process: "subprocess.Popen[str]") -> int:
    """Wait for its end; the most memory it held, in bytes."""
    if not hasattr(os, "wait4"):
        process.wait()
        return 0
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss * 1024
