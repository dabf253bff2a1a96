"""The bench's side processes: a JSON line in, a JSON line out, and nothing done in between.

Each command is an object with `do`; an answer is {"ok": ...}, {"cannot": true} for work that the engine cannot do, or
{"error": ...}. What an engine prints goes to the standard error, so that the answers stay clean.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any


class _Desk:
    """Holds the one engine of this process, its work, and what was asked before."""

    def __init__(self) -> None:
        self._engine: Any = None
        self._work: Any = None

    def prepare(self, folder: str, tiny: bool, tokens: int) -> dict[str, Any]:
        """Make the checkpoint if need be; the work over it."""
        from bench.speed.checkpoint import make_checkpoint
        from bench.speed.work import make_work

        return make_work(make_checkpoint(Path(folder), tiny=tiny), tokens=tokens).as_json()

    def rates(self, checkpoint: str, threads: int) -> dict[str, Any]:
        """What the machine reaches."""
        from bench.speed.checkpoint import shape_of
        from bench.speed.floor import measure_rates

        return asdict(measure_rates(threads, shape_of(Path(checkpoint))))

    def load(self, engine: str, checkpoint: str, threads: int, scratch: str, work: dict[str, Any]) -> dict[str, Any]:
        """Load an engine; why it is missing, or what it says of itself."""
        from bench.speed.engines import engine_class
        from bench.speed.work import read_work

        kind = engine_class(engine)
        if missing := kind.missing():
            return {"missing": missing}
        Path(scratch).mkdir(parents=True, exist_ok=True)
        loaded = kind()
        loaded.load(Path(checkpoint), threads, Path(scratch))
        self._engine, self._work = loaded, read_work(work)
        return {"missing": "", "precision": kind.precision, "how": kind.how}

    def time(self, kind: str) -> dict[str, Any]:
        """Do a piece of work and time it."""
        return asdict(self._engine.timed(kind, self._work))

    def peak(self) -> int:
        """The most memory that this process has held, in bytes."""
        return peak_bytes()


def peak_bytes() -> int:
    """The most resident memory of this process, in bytes; 0 where the system does not tell."""
    try:
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        import resource
    except (OSError, ImportError):
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    desk = _Desk()
    for line in sys.stdin:
        command = json.loads(line)
        do: Callable[..., Any] = getattr(desk, command.pop("do"))
        try:
            answer = {"ok": do(**command)}
        except NotImplementedError:
            answer = {"cannot": True}
        except Exception as error:  # told, not raised: one engine's failure is a line in the table
            import traceback

            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, ensure_ascii=False) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
