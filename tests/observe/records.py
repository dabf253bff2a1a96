"""Made samples and requests for the tests of what is said about them."""

from typing import Any

from engine.observe.types import GpuReading, RequestRecord, Sample

MIB, GIB = 2**20, 2**30


def record(time: float = 0.0, **given: Any) -> RequestRecord:
    """A classification of 100 characters that took 20 ms and did not wait."""
    fields: dict[str, Any] = {
        "id": "r0",
        "task": "classify",
        "batch": False,
        "characters": 100,
        "prompt_tokens": 40,
        "output_tokens": 1,
        "latency_ms": 20.0,
        "queue_ms": 0.0,
    } | given
    fields.setdefault("share_ms", fields["latency_ms"])
    return RequestRecord(time=time, **fields)


def sample(time: float = 0.0, rss: float = GIB, **given: Any) -> Sample:
    """A process of 1 GiB on a machine of which a half of 16 GiB is in use."""
    fields: dict[str, Any] = {
        "peak": int(rss),
        "cpu": 50.0,
        "system_used": 8 * GIB,
        "system_total": 16 * GIB,
        "system_cpu": 30.0,
        "waiting": 0,
    } | given
    return Sample(time=time, rss=int(rss), **fields)


def gpu(index: int = 0, **given: Any) -> GpuReading:
    """A GPU of 24 GiB on which torch holds 4 GiB of 5 that it has reserved."""
    fields: dict[str, Any] = {
        "name": "Test GPU",
        "allocated": 4 * GIB,
        "reserved": 5 * GIB,
        "used": 6 * GIB,
        "total": 24 * GIB,
        "others": GIB,
        "utilisation": 40.0,
        "temperature": 60.0,
    } | given
    return GpuReading(index=index, **fields)
