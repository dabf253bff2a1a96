"""The figures of a run, from raw times to medians and ratios, as one JSON document."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.speed.checkpoint import Shape
from bench.speed.engines import KINDS, Timed
from bench.speed.floor import WEIGHT_BYTES, Rates, floor_seconds
from bench.speed.start import Started
from bench.speed.work import Work

OFFICIAL = "official"
BASELINES = (OFFICIAL, "hf-greedy", "article-a")
STEP = "step"
"""One pass over one token, worked out of the answers' times where an engine does not tell it."""


@dataclass
class EngineRun:
    """What one engine did. skipped: why it did nothing, or stopped; failed: why it did not do some work."""

    name: str
    precision: str = ""
    how: str = ""
    group: int = 0
    skipped: str = ""
    load_seconds: float | None = None
    peak_bytes: int | None = None
    times: dict[str, list[Timed]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    starts: list[Started] = field(default_factory=list)


def floors(work: Work, shape: Shape, rates: Rates) -> dict[str, dict[str, float]]:
    """Seconds by precision and piece of work."""
    return {
        precision: {kind: floor_seconds(kind, precision, work, shape, rates) for kind in (*KINDS, STEP)}
        for precision in WEIGHT_BYTES
    }


def figures(runs: Sequence[EngineRun], least: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Every engine with the figures of all its work; `least` as `floors` gives it."""
    measured = [_measured(run, least.get(run.precision, {})) for run in runs]
    official: Mapping[str, Any] = next((one["works"] for one in measured if one["name"] == OFFICIAL), {})
    for one in measured:
        for kind, figure in one["works"].items():
            base = official.get(kind, {}).get("median")
            figure["times_official"] = base / figure["median"] if base else None
    return measured


def _measured(run: EngineRun, least: Mapping[str, float]) -> dict[str, Any]:
    works: dict[str, dict[str, Any]] = {kind: _figure(times) for kind, times in run.times.items() if times}
    if step := _steps(run.times, works):
        works[STEP] = step
    for kind, figure in works.items():
        figure["over_floor"] = figure["median"] / least[kind] if least.get(kind) else None
    return {
        "name": run.name,
        "precision": run.precision,
        "how": run.how,
        "group": run.group,
        "skipped": run.skipped,
        "failed": run.failed,
        "load_seconds": run.load_seconds,
        "peak_bytes": run.peak_bytes,
        "works": works,
        "start": _spread([one.seconds for one in run.starts]) | {"raw": [asdict(one) for one in run.starts]}
        if run.starts
        else None,
    }


def _figure(times: Sequence[Timed]) -> dict[str, Any]:
    spread = _spread([one.seconds for one in times])
    marks = {"tokens": times[-1].tokens, "extrapolated": any(one.extrapolated for one in times)}
    return spread | marks | {"raw": [asdict(one) for one in times]}


def _steps(times: Mapping[str, Sequence[Timed]], works: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """What the engine tells; else the time of the answer beyond the prompt's, by the answer's tokens."""
    told = [one.step_seconds for one in times.get("extract", ()) if one.step_seconds is not None]
    if told:
        return _spread(told) | {"tokens": 1, "extrapolated": works["extract"]["extrapolated"], "derived": False}
    answer, prompt = works.get("extract"), works.get("prefill")
    if answer is None or prompt is None or answer["tokens"] < 1:
        return None
    seconds = (answer["median"] - prompt["median"]) / answer["tokens"]
    if seconds <= 0:
        return None
    return _spread([seconds]) | {"tokens": 1, "extrapolated": answer["extrapolated"], "derived": True}


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(seconds), "min": min(seconds), "max": max(seconds)}
