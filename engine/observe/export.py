"""Files of what was observed: samples, requests and snapshots as CSV and JSON.

CSV is in UTF-8 with a byte order mark and safe to open in a spreadsheet. Times are ISO 8601 in UTC. A figure that the
machine does not give is an empty cell, in JSON null with its reason beside it.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from engine.observe.snapshots import label
from engine.observe.types import GpuReading, Marker, Missing, RequestRecord, Sample, Snapshot
from engine.text.spreadsheet import safe_cell

_SAMPLE = [one.name for one in fields(Sample) if one.name != "gpus"]
_REQUEST = [one.name for one in fields(RequestRecord)]
_GPU = [one.name for one in fields(GpuReading) if one.name != "index"]


def samples_csv(samples: Sequence[Sample]) -> bytes:
    """A row a sample; each GPU has columns of its own, `gpu0_allocated` and so on."""
    indexes = _indexes(samples)
    return _csv([*_SAMPLE, *_gpu_names(indexes)], ([*_sample(one), *_gpus(one, indexes)] for one in samples))


def requests_csv(records: Iterable[RequestRecord]) -> bytes:
    """A row a request, never its text."""
    return _csv(_REQUEST, (_cells(one, _REQUEST) for one in records))


def snapshots_csv(snapshots: Sequence[Snapshot]) -> bytes:
    """A row a snapshot: its name, what was loaded, and its sample."""
    indexes = _indexes([one.sample for one in snapshots])
    head = ["id", "tag", "automatic", "requests", "model"]
    rows = ([*_named(one), *_sample(one.sample), *_gpus(one.sample, indexes)] for one in snapshots)
    return _csv([*head, *_SAMPLE, *_gpu_names(indexes)], rows)


def samples_json(
    samples: Sequence[Sample], records: Iterable[RequestRecord] = (), markers: Iterable[Marker] = ()
) -> bytes:
    """One object with `samples`, `requests` and `markers`."""
    everything = {
        "samples": [_sample_json(one) for one in samples],
        "requests": [asdict(one) | {"time": _iso(one.time)} for one in records],
        "markers": [asdict(one) | {"time": _iso(one.time)} for one in markers],
    }
    return _json(everything)


def _sample_json(sample: Sample) -> dict[str, Any]:
    plain = {name: getattr(sample, name) for name in _SAMPLE} | {"time": _iso(sample.time)}
    return plain | {"gpus": [_gpu_json(gpu) for gpu in sample.gpus]}


def _gpu_json(gpu: GpuReading) -> dict[str, Any]:
    """A figure that is missing is null, and its reason is in `missing`."""
    values = {one.name: getattr(gpu, one.name) for one in fields(gpu)}
    missing = {name: str(value.reason) for name, value in values.items() if isinstance(value, Missing)}
    return {name: None if name in missing else value for name, value in values.items()} | {"missing": missing}


def _indexes(samples: Iterable[Sample]) -> list[int]:
    return sorted({gpu.index for sample in samples for gpu in sample.gpus})


def _gpu_names(indexes: Iterable[int]) -> list[str]:
    return [f"gpu{index}_{name}" for index in indexes for name in _GPU]


def _named(one: Snapshot) -> list[object]:
    return [one.id, str(label(one)), one.automatic, one.requests, one.model]


def _sample(sample: Sample) -> list[object]:
    return _cells(sample, _SAMPLE)


def _gpus(sample: Sample, indexes: Iterable[int]) -> list[object]:
    by_index = {gpu.index: gpu for gpu in sample.gpus}
    return [getattr(by_index.get(index), name, None) for index in indexes for name in _GPU]


def _cells(one: Sample | RequestRecord, names: Iterable[str]) -> list[object]:
    return [_iso(one.time) if name == "time" else getattr(one, name) for name in names]


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow("" if isinstance(cell, Missing) else safe_cell(cell) for cell in row)
    return target.getvalue().encode("utf-8-sig", "replace")


def _json(content: object) -> bytes:
    text = json.dumps(content, ensure_ascii=False, indent=1, default=str)
    return text.encode("utf-8", "backslashreplace")  # half of a character as JSON writes it


def _iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")
