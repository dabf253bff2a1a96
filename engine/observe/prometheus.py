"""Figures in Prometheus' text format: counts since the start, and the machine and process as they are at the request.

A metric that this machine does not give is left out. Nothing of it is kept between two requests.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from engine.observe.monitor import Monitor
from engine.observe.totals import SECONDS, Histogram, Totals
from engine.observe.types import GpuReading, Missing, Sample
from engine.types import ModelInfo

if TYPE_CHECKING:
    from prometheus_client import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""What the answer says it is: the format that every version of Prometheus reads."""

STATES = ("empty", "loading", "ready", "failed")

_GPU_BYTES = ("allocated", "reserved", "used", "others", "total")


def model_labels(info: ModelInfo | None) -> dict[str, str]:
    """What is said of the loaded model; empty where none is."""
    if info is None:
        return {}
    return {"name": info.name, "revision": info.revision, "precision": info.precision, "device": info.device}


def metrics_text(monitor: Monitor, state: str, model: Mapping[str, object]) -> bytes:
    """Every metric of this moment.

    state: where the model stands, one of `STATES`. model: `model_labels` of the one that is loaded.
    """
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(monitor, state, model))
    return generate_latest(registry)


class _Collector:
    """Gives the metrics of one moment."""

    def __init__(self, monitor: Monitor, state: str, model: Mapping[str, object]) -> None:
        self._monitor, self._state, self._model = monitor, state, model

    def collect(self) -> Iterator["Metric"]:
        yield from _of_totals(self._monitor.totals())
        yield from _of_model(self._state, self._model)
        try:
            sample = self._monitor.now()
        except Exception:  # the system does not tell; what was counted is told all the same
            return
        yield from _of_sample(sample)


def _of_totals(totals: Totals) -> Iterator["Metric"]:
    from prometheus_client.core import CounterMetricFamily

    requests = CounterMetricFamily(
        "workbench_requests", "Requests that are over, by task and outcome.", labels=["task", "outcome"]
    )
    for (task, outcome), count in sorted(totals.requests.items()):
        requests.add_metric([task, outcome], count)
    yield requests
    cached = CounterMetricFamily("workbench_cache_hits", "Answers that were kept from earlier ones.", labels=["task"])
    for task, count in sorted(totals.cached.items()):
        cached.add_metric([task], count)
    yield cached
    yield from _histogram("workbench_request_seconds", "Work on answered requests, queue not counted.", totals.seconds)
    yield from _histogram("workbench_queue_seconds", "Time that answered requests waited to begin.", totals.waited)
    tokens = CounterMetricFamily("workbench_tokens", "Tokens of computed answers.", labels=["kind"])
    tokens.add_metric(["prompt"], totals.prompt_tokens)
    tokens.add_metric(["output"], totals.output_tokens)
    yield tokens
    yield CounterMetricFamily("workbench_values", "Values that extractions found.", value=totals.values)
    yield CounterMetricFamily(
        "workbench_grounded_values", "Values among them that are in their text.", value=totals.grounded
    )


def _of_model(state: str, model: Mapping[str, object]) -> Iterator["Metric"]:
    from prometheus_client.core import GaugeMetricFamily

    stands = GaugeMetricFamily("workbench_model_state", "Where the model stands: 1 at its state.", labels=["state"])
    for one in STATES:
        stands.add_metric([one], float(one == state))
    yield stands
    if model:
        names = sorted(model)
        info = GaugeMetricFamily("workbench_model_info", "The model that is loaded.", labels=names)
        info.add_metric([_label(model[name]) for name in names], 1)
        yield info


def _of_sample(sample: Sample) -> Iterator["Metric"]:
    yield _gauge("workbench_queue_waiting", "Requests that have not begun.", [((), sample.waiting)])
    yield _gauge(
        "workbench_memory_bytes",
        "Memory: of this process now (rss) and at most (peak), files' pages among it (mapped), of the machine.",
        _given(
            {
                "rss": sample.rss,
                "peak": sample.peak,
                "mapped": sample.mapped,
                "system_used": sample.system_used,
                "system_total": sample.system_total,
            }
        ),
        ["kind"],
    )
    yield _gauge(
        "workbench_cache_bytes",
        "Memory for what is kept between requests: answers, and texts that a model has read.",
        _given({"answers": sample.answers, "texts": sample.texts}),
        ["kind"],
    )
    yield _gauge(
        "workbench_cpu_ratio",
        "Processor time: of the process in cores, of the machine as a share of all cores.",
        [(("process",), sample.cpu / 100), (("system",), sample.system_cpu / 100)],
        ["kind"],
    )
    if sample.gpus:
        yield from _of_gpus(sample.gpus)


def _of_gpus(gpus: Iterable[GpuReading]) -> Iterator["Metric"]:
    """Each figure that the GPU tells."""
    held = [
        ((str(gpu.index), gpu.name, kind), value)
        for gpu in gpus
        for kind in _GPU_BYTES
        if not isinstance(value := getattr(gpu, kind), Missing)
    ]
    yield _gauge(
        "workbench_gpu_memory_bytes",
        "Memory of a GPU: torch's tensors, what torch has reserved, of the device, by other processes, in all.",
        held,
        ["gpu", "name", "kind"],
    )
    labels = ["gpu", "name"]
    used = _told(gpus, "utilisation", 100)
    yield _gauge("workbench_gpu_utilisation_ratio", "Share of the time in which a kernel ran.", used, labels)
    degrees = _told(gpus, "temperature", 1)
    yield _gauge("workbench_gpu_temperature_celsius", "Temperature of a GPU.", degrees, labels)


def _told(gpus: Iterable[GpuReading], figure: str, unit: float) -> list[tuple[tuple[str, ...], float]]:
    return [
        ((str(gpu.index), gpu.name), value / unit)
        for gpu in gpus
        if not isinstance(value := getattr(gpu, figure), Missing)
    ]


def _given(figures: Mapping[str, int | None]) -> list[tuple[tuple[str, ...], float]]:
    return [((kind,), value) for kind, value in figures.items() if value is not None]


def _gauge(
    name: str, what: str, figures: Iterable[tuple[tuple[str, ...], float]], labels: Iterable[str] = ()
) -> "Metric":
    from prometheus_client.core import GaugeMetricFamily

    gauge = GaugeMetricFamily(name, what, labels=list(labels))
    for values, figure in figures:
        gauge.add_metric([_label(value) for value in values], figure)
    return gauge


def _histogram(name: str, what: str, by_task: Mapping[str, Histogram]) -> Iterator["Metric"]:
    from prometheus_client.core import HistogramMetricFamily

    family = HistogramMetricFamily(name, what, labels=["task"])
    for task, one in sorted(by_task.items()):
        buckets, below = [], 0
        for end, count in zip((*map(str, SECONDS), "+Inf"), one.counts, strict=True):
            below += count
            buckets.append((end, float(below)))
        family.add_metric([task], buckets, sum_value=one.sum)
    yield family


def _label(value: object) -> str:
    """A label's value: any text, but no half of a character."""
    return str(value).encode("utf-8", "replace").decode()
