"""The speed bench: our engine beside others, the same work over one checkpoint, interleaved in one run.

    workbench bench [--quick] [--engines all] [--repeats 3] [--tiny] [--threads N] [--tokens 256] [--json FILE]

Every engine lives in a process of its own and waits while another works. All are loaded, do everything once for
warmth, and then take turns, work by work. Prints Markdown; FILE gets everything that was measured. Engines that are
not installed are left out, and named.
"""

import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from bench.speed.checkpoint import shape_of
from bench.speed.engines import KINDS, REGISTRY, Timed, engine_class
from bench.speed.floor import Rates
from bench.speed.machine import cores, machine, packages
from bench.speed.report import markdown
from bench.speed.results import EngineRun, figures, floors
from bench.speed.start import time_start
from bench.speed.work import TOKENS, Work, read_work
from bench.speed.workers import CannotError, Worker, WorkerError
from engine import __version__
from engine.errors import WorkbenchError
from engine.settings import load_settings

_MOST_GIGABYTES = 16.0
_SHARE = 0.85
"""Of the memory that is free: the rest is for the pieces of work."""
_PRIORITY = (
    "official", "ours-int8", "ours-fp16", "ctranslate2-int8", "llama.cpp-q8_0", "llama.cpp-q4_0", "onnxruntime-int8",
    "openvino-int8", "hf-greedy", "ours-fp32", "article-a",
)  # fmt: skip
"""Who is measured side by side where not all fit."""
QUICK = "ours-int8,ctranslate2-int8,llama.cpp-q4_0"
"""The fastest of ours and of the others: a few minutes, with all that must be made first."""


def measure(
    *,
    repeats: int = 3,
    engines: str = "all",
    quick: bool = False,
    tiny: bool = False,
    threads: int | None = None,
    tokens: int = TOKENS,
    json_file: Path | None = None,
) -> dict[str, Any]:
    """Run the bench, print its tables, and return its document.

    engines: names separated by commas, or all. quick: one repeat, and where all are asked for, those of `QUICK`.
    tiny: a checkpoint of 2 layers, to try the bench.

    Raises:
        WorkbenchError: `bad_setting` for an engine that is not known.
    """
    if quick:
        repeats, engines = 1, QUICK if engines == "all" else engines
    names = _chosen(engines)
    threads = threads or cores()
    root = load_settings().cache_dir / "bench"
    checkpoint = root / ("bloom-tiny" if tiny else "bloom-560m-shaped")
    scratch = root / "scratch" / checkpoint.name
    started, before = datetime.now(UTC), machine()
    _say(f"checkpoint {checkpoint}")
    with Worker(threads, scratch / "prepare.log") as worker:
        work = read_work(worker.ask("prepare", folder=str(checkpoint), tiny=tiny, tokens=tokens))
    with Worker(threads, scratch / "floor.log") as worker:
        _say("the machine's floor")
        rates = Rates(**worker.ask("rates", checkpoint=str(checkpoint), threads=threads))
    runs = {name: EngineRun(name) for name in names}
    groups = _groups(names)
    for number, group in enumerate(groups):
        for name in group:
            runs[name].group = number
        _measure_group([runs[name] for name in group], checkpoint, threads, scratch, work, repeats)
    for repeat in range(repeats):
        for run in runs.values():
            if run.name.startswith("ours-") and not run.skipped:
                _time_start(run, checkpoint, threads, work, f"{repeat + 1}/{repeats}")
    shape = shape_of(checkpoint)
    least = floors(work, shape, rates)
    document = {
        "bench": "speed",
        "version": __version__,
        "command": sys.argv,
        "started": started.isoformat(timespec="seconds"),
        "machine": before,
        "load_average_after": list(psutil.getloadavg()),
        "packages": packages(),
        "threads": threads,
        "repeats": repeats,
        "checkpoint": {"name": checkpoint.name, "weights_of_layers": shape.weights, **asdict(shape)},
        "work": _counts(work, tokens),
        "floor": {"rates": asdict(rates), "seconds": least},
        "groups": groups,
        "engines": figures(list(runs.values()), least),
    }
    if json_file is not None:
        json_file.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")
    sys.stdout.write(markdown(document))
    return document


def _chosen(engines: str) -> list[str]:
    if engines.strip() == "all":
        return list(REGISTRY)
    names = list(dict.fromkeys(name.strip() for name in engines.split(",") if name.strip()))
    for name in names or [engines]:
        if name not in REGISTRY:
            hint = f"Use all, or some of {', '.join(REGISTRY)}."
            raise WorkbenchError("bad_setting", name="engines", value=name, hint=hint)
    return names


def _groups(names: Sequence[str]) -> list[list[str]]:
    """Engines that fit into memory together; one group where all do."""
    room = min(_MOST_GIGABYTES, psutil.virtual_memory().available / 2**30 * _SHARE)
    groups: list[list[str]] = []
    left = 0.0
    for name in sorted(names, key=lambda name: _PRIORITY.index(name) if name in _PRIORITY else len(_PRIORITY)):
        size = _gigabytes(name)
        if not groups or size > left:
            groups.append([])
            left = room
        groups[-1].append(name)
        left -= size
    return [[name for name in names if name in group] for group in groups]


def _gigabytes(name: str) -> float:
    try:
        kind = engine_class(name)
        return 0.0 if kind.missing() else kind.gigabytes
    except (ImportError, AttributeError):
        return 0.0


def _measure_group(
    runs: Sequence[EngineRun], checkpoint: Path, threads: int, scratch: Path, work: Work, repeats: int
) -> None:
    """Load these engines, and let them take turns."""
    with ExitStack() as stack:
        workers = {}
        for run in runs:
            _say(f"load {run.name}")
            worker = stack.enter_context(Worker(threads, scratch / f"{run.name}.log"))
            begun = time.perf_counter()
            try:
                own = str(scratch / run.name)
                options = {"checkpoint": str(checkpoint), "threads": threads, "scratch": own, "work": work.as_json()}
                said = worker.ask("load", engine=run.name, **options)
            except WorkerError as error:
                said = {"missing": str(error)}
            if said["missing"]:
                run.skipped = said["missing"]
                worker.close()
                _say(f"  left out: {run.skipped}")
                continue
            run.load_seconds = time.perf_counter() - begun
            run.precision, run.how = said["precision"], said["how"]
            workers[run.name] = worker
        loaded = [run for run in runs if run.name in workers]
        for repeat in range(repeats + 1):
            for kind in KINDS:
                for run in loaded:
                    _do(run, workers[run.name], kind, repeat, f"{repeat}/{repeats}" if repeat else "warm-up")
        for run in loaded:
            try:
                run.peak_bytes = workers[run.name].ask("peak") or None
            except WorkerError as error:
                run.failed.setdefault("peak", str(error))


def _do(run: EngineRun, worker: Worker, kind: str, repeat: int, where: str) -> None:
    """One engine's turn; what failed once is not tried again."""
    if kind in run.failed or (repeat and kind not in run.times):
        return
    try:
        timed = Timed(**worker.ask("time", kind=kind))
    except CannotError:
        return
    except WorkerError as error:
        run.failed[kind] = str(error)
        _say(f"{where} {run.name} {kind}: {error}")
        return
    times = run.times.setdefault(kind, [])
    if repeat:
        times.append(timed)
    _say(f"{where} {run.name} {kind}: {timed.seconds:.3f} s")


def _time_start(run: EngineRun, checkpoint: Path, threads: int, work: Work, where: str) -> None:
    if "start" in run.failed:
        return
    try:
        run.starts.append(time_start(checkpoint, run.precision, threads, work))
        _say(f"{where} {run.name} start: {run.starts[-1].seconds:.3f} s")
    except WorkerError as error:
        run.failed["start"] = str(error)


def _counts(work: Work, tokens: int) -> dict[str, Any]:
    """The sizes of the work, in tokens and in pieces."""
    return {
        "text_tokens": tokens,
        "prompt_tokens": len(work.prompt),
        "labels": len(work.labels),
        "label_tokens": list(map(len, work.labels)),
        "relabel_prompt_tokens": len(work.relabel_prompt),
        "relabel_label_tokens": list(map(len, work.relabel_labels)),
        "fields": len(work.fields),
        "extract_prompt_tokens": len(work.extract_prompt),
        "extract_answer_tokens": len(work.extract_answer),
        "extract_passes": work.extract_passes,
        "batch": len(work.batch),
        "batch_tokens": list(map(len, work.batch)),
    }


def _say(line: str) -> None:
    sys.stderr.write(f"bench: {line}\n")
    sys.stderr.flush()
