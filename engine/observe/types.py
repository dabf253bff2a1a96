"""What is observed: samples of memory and load, finished requests, markers, snapshots. Nothing is measured here.

Times are seconds since 1970, sizes bytes, shares 0 to 1 unless a name says percent.
"""

from dataclasses import dataclass
from typing import Literal

from engine.messages import Phrase

Task = Literal["classify", "extract", "prompt"]
MarkerKind = Literal["load", "unload", "release", "batch_size", "budget"]


@dataclass(frozen=True)
class Missing:
    """A figure that this machine does not give, and why, as a phrase that pages translate."""

    reason: Phrase


Metric = float | Missing
Bytes = int | Missing


@dataclass(frozen=True)
class GpuReading:
    """One GPU, or one MIG instance of it, at one moment.

    allocated, reserved: what torch of this process holds in tensors, and has taken from the device for them.
    used, total: of the device, by all processes. others: what processes beside this one use of it.
    utilisation: percent of the time in which a kernel ran. temperature: degrees Celsius.
    """

    index: int
    name: str
    allocated: Bytes
    reserved: Bytes
    used: Bytes
    total: Bytes
    others: Bytes
    utilisation: Metric
    temperature: Metric


@dataclass(frozen=True)
class Sample:
    """The machine and this process at one moment.

    rss, peak: bytes that the process holds, and the most it has held. cpu: percent of one core that it used since the
    sample before, so up to 100 a core; system_cpu: percent of all cores, by all processes.
    gpus: empty where there is none; `Monitor.gpu_reason` says why. waiting: requests in the queue.
    mapped: bytes of `rss` that are files' pages, which the system takes back when it needs them. answers: bytes of
    memory for answers that are kept; texts: those for what a model has read, where the model is. None: not known.
    """

    time: float
    rss: int
    peak: int
    cpu: float
    system_used: int
    system_total: int
    system_cpu: float
    waiting: int
    gpus: tuple[GpuReading, ...] = ()
    mapped: int | None = None
    answers: int | None = None
    texts: int | None = None


@dataclass(frozen=True)
class RequestRecord:
    """A request that is over. Never its text.

    time: when it ended. characters: of its text. latency_ms: the work itself, of requests that were answered together
    the time of their whole step, for which each of them waited; share_ms: its own share of that (the same, alone).
    queue_ms: from asking to the start. together: requests in its step.
    values, grounded: values of an extraction, and those that are in the text; 0 for other tasks.
    warm: whether an earlier request of the same task was answered since the model was loaded.
    error: its code; empty where it was answered. peak: bytes that the process, or torch on a GPU, held at most
    meanwhile; None where that was not watched. step: the id of its batch's step; empty for a request alone.
    """

    id: str
    time: float
    task: Task
    batch: bool
    characters: int
    prompt_tokens: int
    output_tokens: int
    latency_ms: float
    share_ms: float
    queue_ms: float
    cached: bool = False
    together: int = 1
    values: int = 0
    grounded: int = 0
    warm: bool = True
    error: str = ""
    peak: int | None = None
    step: str = ""


@dataclass(frozen=True)
class Marker:
    """Something that explains a bend of the curves. details: names and figures of the model or the setting."""

    time: float
    kind: MarkerKind
    details: dict[str, object]


@dataclass(frozen=True)
class Snapshot:
    """A sample with a name. automatic: made by the workbench, whose tags are phrases' codes (`snapshot_load`, ...).

    requests: answered since the process began. model: what was loaded, as "name precision device"; empty: nothing.
    """

    id: int
    tag: str
    automatic: bool
    requests: int
    model: str
    sample: Sample


@dataclass(frozen=True)
class Effect:
    """What an action did to memory: the samples right before and right after it."""

    action: Literal["release", "collect", "unload"]
    before: Sample
    after: Sample


@dataclass(frozen=True)
class Figures:
    """The three figures that users quote of the model that is loaded, in bytes; None while not known yet.

    after_load: right after the load. first_peak: the most during the first request of its life. steady: the median of
    the samples after its tenth request.
    """

    after_load: int | None = None
    first_peak: int | None = None
    steady: int | None = None


@dataclass(frozen=True)
class LogLine:
    """One line of the log, as the panel shows it. level: DEBUG, INFO, WARNING, ERROR."""

    number: int
    time: float
    level: str
    source: str
    text: str
