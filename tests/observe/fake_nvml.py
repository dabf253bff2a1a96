"""A made-up pynvml with made-up GPUs, and a made-up torch.cuda on them. Errors are the real module's own classes.

What it raises of itself is what drivers do: a GPU that is divided (MIG) tells no utilisation, its instances no
temperature, and a place without an instance is not found.
"""

import os
import sys
from collections import Counter
from dataclasses import dataclass, field, fields
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from engine.observe.types import GpuReading, Missing

GIB = 2**30
CALLS = (
    "nvmlInit",
    "nvmlDeviceGetCount",
    "nvmlDeviceGetHandleByIndex",
    "nvmlDeviceGetName",
    "nvmlDeviceGetUUID",
    "nvmlDeviceGetMigMode",
    "nvmlDeviceGetMaxMigDeviceCount",
    "nvmlDeviceGetMigDeviceHandleByIndex",
    "nvmlDeviceGetMemoryInfo",
    "nvmlDeviceGetComputeRunningProcesses",
    "nvmlDeviceGetGraphicsRunningProcesses",
    "nvmlDeviceGetUtilizationRates",
    "nvmlDeviceGetTemperature",
    "nvmlShutdown",
)
"""Every call that may be made."""
ERRORS = sorted(name for name in dir(pynvml) if name.startswith("NVMLError_"))


def error(kind: str) -> Exception:
    """One of the real module's errors."""
    made: Exception = getattr(pynvml, kind)()
    return made


@dataclass(eq=False)
class FakeGpu:
    """A GPU or an instance of one; eq=False: a handle is itself."""

    name: str
    uuid: str
    used: int
    total: int
    utilisation: int = 37
    temperature: int = 61
    compute: list[tuple[int, int | None]] = field(default_factory=list)
    graphics: list[tuple[int, int | None]] = field(default_factory=list)
    places: "list[FakeGpu | None] | None" = None
    """Instances by place; None: it is not divided."""
    instance: bool = False


def two_gpus() -> list[FakeGpu]:
    """Two whole GPUs; this process, a browser and another program use the first."""
    return [
        FakeGpu(
            "NVIDIA One",
            "GPU-aaaaaaaa-0000-0000-0000-000000000001",
            9 * GIB,
            24 * GIB,
            compute=[(os.getpid(), 3 * GIB), (4_000_001, 5 * GIB)],
            graphics=[(4_000_002, GIB), (4_000_001, GIB)],
        ),
        FakeGpu("NVIDIA Two", "GPU-bbbbbbbb-0000-0000-0000-000000000002", GIB, 48 * GIB, 90, 70),
    ]


def divided_gpu() -> list[FakeGpu]:
    """One GPU as two instances, in the first and the third of its seven places."""
    instances = [
        FakeGpu(
            f"NVIDIA Big MIG {size}",
            f"MIG-cccccccc-0000-0000-0000-00000000000{number}",
            number * GIB,
            10 * number * GIB,
            compute=[(4_000_000 + number, number * GIB)],
            instance=True,
        )
        for number, size in ((1, "1g.10gb"), (2, "2g.20gb"))
    ]
    places = [instances[0], None, instances[1], None, None, None, None]
    return [FakeGpu("NVIDIA Big", "GPU-dddddddd-0000-0000-0000-000000000009", 3 * GIB, 80 * GIB, places=places)]


class FakeNvml:
    """What `import pynvml` gives. failing: an error by call; `only`: the handle or number that it is for."""

    NVML_DEVICE_MIG_ENABLE = 1
    NVML_TEMPERATURE_GPU = 0
    nvmlMemory_v2 = pynvml.nvmlMemory_v2  # noqa: N815 - the library's name

    def __init__(self, gpus: list[FakeGpu]) -> None:
        self.gpus = gpus
        self.failing: dict[str, Exception] = {}
        self.only: Any = None
        self.calls: Counter[str] = Counter()
        self.open = 0
        self.old_memory = False
        """Whether the driver knows only the older call for memory."""

    def _ask(self, call: str, subject: Any = None) -> None:
        self.calls[call] += 1
        if call in self.failing and (self.only is None or subject is self.only or subject == self.only):
            raise self.failing[call]

    def nvmlInit(self) -> None:
        self._ask("nvmlInit")
        self.open += 1

    def nvmlShutdown(self) -> None:
        self.open -= 1
        self._ask("nvmlShutdown")

    def nvmlDeviceGetCount(self) -> int:
        self._ask("nvmlDeviceGetCount")
        return len(self.gpus)

    def nvmlDeviceGetHandleByIndex(self, number: int) -> FakeGpu:
        self._ask("nvmlDeviceGetHandleByIndex", number)
        return self.gpus[number]

    def nvmlDeviceGetName(self, gpu: FakeGpu) -> str:
        self._ask("nvmlDeviceGetName", gpu)
        return gpu.name

    def nvmlDeviceGetUUID(self, gpu: FakeGpu) -> str:
        self._ask("nvmlDeviceGetUUID", gpu)
        return gpu.uuid

    def nvmlDeviceGetMigMode(self, gpu: FakeGpu) -> list[int]:
        self._ask("nvmlDeviceGetMigMode", gpu)
        return [int(gpu.places is not None)] * 2

    def nvmlDeviceGetMaxMigDeviceCount(self, gpu: FakeGpu) -> int:
        self._ask("nvmlDeviceGetMaxMigDeviceCount", gpu)
        return len(gpu.places or ())

    def nvmlDeviceGetMigDeviceHandleByIndex(self, gpu: FakeGpu, place: int) -> FakeGpu:
        self._ask("nvmlDeviceGetMigDeviceHandleByIndex", gpu)
        found = (gpu.places or [])[place]
        if found is None:
            raise error("NVMLError_NotFound")
        return found

    def nvmlDeviceGetMemoryInfo(self, gpu: FakeGpu, version: int | None = None) -> Any:
        self._ask("nvmlDeviceGetMemoryInfo", gpu)
        if version is not None and self.old_memory:
            raise error("NVMLError_FunctionNotFound")
        reserved = 0 if version is not None else GIB // 4  # the older call counts it as used
        return SimpleNamespace(used=gpu.used + reserved, total=gpu.total, free=gpu.total - gpu.used)

    def nvmlDeviceGetComputeRunningProcesses(self, gpu: FakeGpu) -> list[Any]:
        self._ask("nvmlDeviceGetComputeRunningProcesses", gpu)
        return [SimpleNamespace(pid=pid, usedGpuMemory=size) for pid, size in gpu.compute]

    def nvmlDeviceGetGraphicsRunningProcesses(self, gpu: FakeGpu) -> list[Any]:
        self._ask("nvmlDeviceGetGraphicsRunningProcesses", gpu)
        if gpu.instance:
            raise error("NVMLError_InvalidArgument")
        return [SimpleNamespace(pid=pid, usedGpuMemory=size) for pid, size in gpu.graphics]

    def nvmlDeviceGetUtilizationRates(self, gpu: FakeGpu) -> Any:
        self._ask("nvmlDeviceGetUtilizationRates", gpu)
        if gpu.instance or gpu.places is not None:
            raise error("NVMLError_NotSupported")
        return SimpleNamespace(gpu=gpu.utilisation, memory=1)

    def nvmlDeviceGetTemperature(self, gpu: FakeGpu, sensor: int) -> int:
        self._ask("nvmlDeviceGetTemperature", gpu)
        if gpu.instance:
            raise error("NVMLError_InvalidArgument")
        return gpu.temperature


class FakeCuda:
    """torch.cuda as a process sees it that has begun to use these GPUs, in this order (CUDA_VISIBLE_DEVICES)."""

    def __init__(self, gpus: list[FakeGpu], *, uuids: bool = True) -> None:
        self.gpus, self.uuids = gpus, uuids
        self.begun = True
        self.allocated = [(number + 1) * 100 for number in range(len(gpus))]
        self.reserved = [(number + 1) * 1000 for number in range(len(gpus))]
        self.most = list(self.allocated)
        self.failing: Exception | None = None

    def _check(self) -> None:
        if self.failing is not None:
            raise self.failing

    def is_initialized(self) -> bool:
        return self.begun

    def device_count(self) -> int:
        self._check()
        return len(self.gpus)

    def get_device_properties(self, index: int) -> Any:
        gpu = self.gpus[index]
        uuid = {"uuid": gpu.uuid.split("-", 1)[1]} if self.uuids else {}
        return SimpleNamespace(name=gpu.name, total_memory=gpu.total, **uuid)

    def memory_allocated(self, index: int) -> int:
        self._check()
        return self.allocated[index]

    def memory_reserved(self, index: int) -> int:
        return self.reserved[index]

    def mem_get_info(self, index: int) -> tuple[int, int]:
        gpu = self.gpus[index]
        return gpu.total - gpu.used, gpu.total

    def reset_peak_memory_stats(self, index: int) -> None:
        self.most[index] = self.allocated[index]

    def max_memory_allocated(self, index: int) -> int:
        return self.most[index]

    def hold(self, index: int, size: int) -> None:
        """Have tensors take or free so many bytes."""
        self.allocated[index] += size
        self.most[index] = max(self.most[index], self.allocated[index])


def install(patch: pytest.MonkeyPatch, gpus: list[FakeGpu], cuda: FakeCuda | None = None) -> FakeNvml:
    """Put the made-up modules in the place of the real ones; without `cuda` torch is there, but has none."""
    fake = FakeNvml(gpus)
    patch.setitem(sys.modules, "pynvml", fake)
    patch.setitem(sys.modules, "torch", SimpleNamespace() if cuda is None else SimpleNamespace(cuda=cuda))
    return fake


def figures(reading: GpuReading) -> dict[str, Any]:
    """Its figures: those that are missing as the codes of their reasons."""
    found = {
        field.name: getattr(reading, field.name) for field in fields(reading) if field.name not in {"index", "name"}
    }
    return {name: value.reason.code if isinstance(value, Missing) else value for name, value in found.items()}


FIRST = {
    "allocated": 100, "reserved": 1000, "used": 9 * GIB, "total": 24 * GIB, "others": 6 * GIB, "utilisation": 37.0,
    "temperature": 61.0,
}  # fmt: skip
SECOND = {
    "allocated": 200, "reserved": 2000, "used": GIB, "total": 48 * GIB, "others": 0, "utilisation": 90.0,
    "temperature": 70.0,
}  # fmt: skip
