"""The parent's side of `bench.speed.worker`: starts side processes, asks them, ends them."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]
_PATIENCE = 20.0
"""Seconds that a process is given to end by itself."""


class WorkerError(Exception):
    """A side process gave an error, or died."""


class CannotError(Exception):
    """The engine cannot do this piece of work."""


def environment(threads: int) -> dict[str, str]:
    """The same for every engine: so many threads, which sleep while they wait, and no network."""
    count = str(threads)
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH", "")) if part)
    counts = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), count)
    return os.environ | counts | {
        "OMP_WAIT_POLICY": "PASSIVE",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": path,
        "PYTHONUTF8": "1",
    }  # fmt: skip


class Worker:
    """One side process. log: where its standard error goes."""

    def __init__(self, threads: int, log: Path) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log
        with log.open("w", encoding="utf-8") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bench.speed.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(threads),
                encoding="utf-8",
            )

    def ask(self, do: str, **options: Any) -> Any:
        """Send one command and wait for its answer.

        Raises:
            WorkerError: it answered with an error, or died; the message says why.
            CannotError: the engine cannot do this work.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **options}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            raise WorkerError(f"its process ended ({self._last_words()})")
        answer = json.loads(line)
        if "cannot" in answer:
            raise CannotError(do)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer["ok"]

    def close(self) -> None:
        """End the process; a second time does nothing."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _last_words(self) -> str:
        code = self._process.wait(_PATIENCE)
        lines = self._log.read_text("utf-8", errors="replace").strip().splitlines()
        return f"exit code {code}: {lines[-1] if lines else 'no message'}"
