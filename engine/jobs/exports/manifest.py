"""How an export came about, whole enough to do it again, as JSON beside the export."""

import json
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import engine
from engine.jobs.exports.layout import error_json
from engine.jobs.exports.writers import whole_file
from engine.jobs.tables import digest
from engine.jobs.types import Job, JobSpec

FORMAT = 1
_PACKAGES = ("torch", "transformers", "tokenizers", "llguidance", "pyarrow")


def manifest(job: Job, *, corrected: int = 0, export: Path | None = None) -> dict[str, Any]:
    """What a job is, asks and has done, in plain JSON types. Times are UTC; nothing of the rows' texts is in it.

    corrected: rows that a user corrected. export: the file that it stands beside, as it is now.

    Raises:
        WorkbenchError: `bad_file`: `export` cannot be read.
    """
    form = {name: value for name, value in asdict(job.form).items() if value}
    said: dict[str, Any] = {
        "format": FORMAT,
        "workbench": engine.__version__,
        "job": {"name": job.name, "id": job.id, "state": job.state, "engine": job.engine},
        "input": {"name": _input_name(job), "sha256": job.digest, "form": form},
        "rows": {"total": job.total, "done": job.done, "failed": job.failed, "corrected": corrected},
        "times": {
            "created": _time(job.created),
            "started": _time(job.started),
            "ended": _time(job.ended),
            "seconds": round(job.seconds, 3),
        },
        "task": job.spec.task,
        "columns": {"text": list(job.spec.columns), "id": job.spec.id_column or None, "gold": job.spec.gold or None},
        **_asked(job.spec),
        "model": dict(job.model),
        "versions": versions(),
    }
    if job.more_models:
        said["more_models"] = [dict(one) for one in job.more_models]
    if job.error is not None:
        said["error"] = error_json(job.error)
    if export is not None:
        said["export"] = {"name": export.name, "sha256": digest(export)}
    return said


def manifest_path(export: Path) -> Path:
    """Where the manifest of an export is: `out.csv.manifest.json` for `out.csv`."""
    return export.with_name(f"{export.name}.manifest.json")


def write_manifest(said: dict[str, Any], export: Path) -> Path:
    """Put a manifest beside its export, whole or not at all.

    Raises:
        WorkbenchError: `file_not_written`.
    """
    path = manifest_path(export)
    with whole_file(path) as draft:
        text = json.dumps(said, ensure_ascii=False, indent=2)
        draft.write_bytes(f"{text}\n".encode("utf-8", "backslashreplace"))
    return path


def versions() -> dict[str, str]:
    """Of Python, the workbench and what computes; a package that is not installed is left out."""
    found = {"python": platform.python_version(), "workbench": engine.__version__}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _input_name(job: Job) -> str:
    """The file's own name; of a job's own copy, which lies in the job's folder, what the job is called."""
    return job.name if job.source.parent.name == job.id else job.source.name


def _asked(spec: JobSpec) -> dict[str, Any]:
    """Labels or fields whole, and how answers are decoded."""
    decoding: dict[str, Any] = {"constrained": True, "free": spec.free, "batch_size": spec.batch_size}
    if spec.task == "classify":
        decoding |= {"multi": spec.multi, "threshold": spec.threshold}
        return {"labels": list(spec.labels), "decoding": decoding}
    decoding |= {"mentions": spec.mentions, "per_prompt": spec.per_prompt, "nested": spec.nested}
    return {"fields": [asdict(one) for one in spec.fields], "decoding": decoding}


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
