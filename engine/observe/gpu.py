"""GPUs: what NVML tells of the devices, and torch of what this process holds on them.

Every figure may be missing, with its reason. NVML lists all devices in its own order, torch those that are visible to
it in another: they are matched by their UUIDs. A GPU that is divided (MIG) is listed as its instances.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.messages import Phrase
from engine.observe.gpu_reasons import LOST, NEVER, NOT_THERE, processes_hidden, reason_of
from engine.observe.torch_gpu import TorchDevice, plain_uuid, torch_devices, used_bytes
from engine.observe.types import Bytes, GpuReading, Metric, Missing

_log = logging.getLogger(__name__)
_PATIENCE = 1.0
"""Seconds that a reader waits for another's reading to be over: a driver may hang."""
_RETRY_SECONDS = 60.0
"""Between two tries to find devices again that were lost, or a driver that failed."""


@dataclass
class _Device:
    """One entry of the list. handle: NVML's; None where it gave none. parent: that of the whole GPU."""

    handle: Any
    parent: Any
    name: str
    uuid: str = ""
    parent_uuid: str = ""
    mig: bool = False
    broken: Phrase | None = None


class Gpus:
    """The GPUs of the machine. The library is opened with the first reading. Safe from any thread; never raises."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._nvml: Any = None
        self._devices: list[_Device] = []
        self._opened: float | None = None
        self._reason: Phrase | None = None
        self._lost = False
        self._told: set[tuple[int, str, str]] = set()

    @property
    def reason(self) -> Phrase | None:
        """Why no GPU is listed by NVML; None where one is."""
        with self._turn() as mine:
            if mine and self._opened is None:
                self._open()
        return self._reason

    def read(self) -> tuple[GpuReading, ...]:
        """Every device now."""
        with self._turn() as mine:
            if not mine:
                late = Missing(Phrase("gpu_timeout"))
                return tuple(_all_missing(index, device.name, late) for index, device in enumerate(self._devices))
            if self._opened is None or (self._lost and time.monotonic() - self._opened > _RETRY_SECONDS):
                self._open()
            torch = _torch()
            if not self._devices:
                return _torch_alone(torch, self._reason or Phrase("gpu_none"))
            held = _held(torch, self._devices)
            return tuple(self._read(index, device, *held[index]) for index, device in enumerate(self._devices))

    def close(self) -> None:
        """Let the library go; the next reading opens it again."""
        with self._turn() as mine:
            if mine and self._nvml is not None:
                _quietly(self._nvml.nvmlShutdown)
            if mine:
                self._nvml, self._devices, self._opened = None, [], None

    def _turn(self) -> "_Turn":
        return _Turn(self._lock)

    def _open(self) -> None:
        """Begin with the library, and list the devices."""
        if self._nvml is not None:
            _quietly(self._nvml.nvmlShutdown)
        self._opened, self._lost, self._nvml, self._devices = time.monotonic(), False, None, []
        try:
            import pynvml

            pynvml.nvmlInit()
            self._nvml = pynvml
            count = int(pynvml.nvmlDeviceGetCount())
        except Exception as error:
            before, self._reason = self._reason, reason_of(error)
            self._lost = self._reason.code not in NEVER  # a driver may be about to start, or to come back
            if self._reason != before:
                _log.info("no GPU is observed: %s", self._reason)
            return
        self._reason = None if count else Phrase("gpu_none")
        for number in range(count):
            self._devices.extend(self._list(number))

    def _list(self, number: int) -> list[_Device]:
        """A GPU, or its instances."""
        nvml = self._nvml
        name = f"GPU {number}"
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(number)
        except Exception as error:
            self._note(number, "device", error)
            return [_Device(None, None, name, broken=reason_of(error))]
        whole = _Device(handle, handle, _text(nvml.nvmlDeviceGetName, handle) or name)
        whole.uuid = whole.parent_uuid = plain_uuid(_text(nvml.nvmlDeviceGetUUID, handle))
        try:
            whole.mig = nvml.nvmlDeviceGetMigMode(handle)[0] == nvml.NVML_DEVICE_MIG_ENABLE
        except Exception:  # most GPUs cannot be divided
            return [whole]
        return (self._instances(whole) if whole.mig else []) or [whole]

    def _instances(self, whole: _Device) -> list[_Device]:
        nvml, found = self._nvml, []
        try:
            most = int(nvml.nvmlDeviceGetMaxMigDeviceCount(whole.handle))
        except Exception:
            return []
        for place in range(most):
            try:
                handle = nvml.nvmlDeviceGetMigDeviceHandleByIndex(whole.handle, place)
            except Exception:
                _log.debug("no instance %d", place, exc_info=True)
                continue
            name = _text(nvml.nvmlDeviceGetName, handle)
            if name in {"", whole.name}:
                name = f"{whole.name} MIG {place}"
            uuid = plain_uuid(_text(nvml.nvmlDeviceGetUUID, handle))
            found.append(_Device(handle, whole.handle, name, uuid, whole.uuid, mig=True))
        return found

    def _read(self, index: int, device: _Device, allocated: Bytes, reserved: Bytes) -> GpuReading:
        nvml = self._nvml
        if device.broken is not None:
            gone = Missing(device.broken)
            return replace(_all_missing(index, device.name, gone), allocated=allocated, reserved=reserved)

        def ask(figure: str, call: Callable[[], Any]) -> Any:
            try:
                return call()
            except Exception as error:
                self._note(index, figure, error)
                return Missing(reason_of(error, mig=device.mig))

        memory = ask("memory", lambda: _memory(nvml, device.handle))
        used, total = (memory, memory) if isinstance(memory, Missing) else memory
        others: Bytes = ask("others", lambda: _others(nvml, device.handle))
        utilisation: Metric = ask("utilisation", lambda: float(nvml.nvmlDeviceGetUtilizationRates(device.handle).gpu))
        # an instance has no sensor of its own; it is on the same chip
        temperature: Metric = ask(
            "temperature",
            lambda: float(nvml.nvmlDeviceGetTemperature(device.parent, nvml.NVML_TEMPERATURE_GPU)),
        )
        return GpuReading(index, device.name, allocated, reserved, used, total, others, utilisation, temperature)

    def _note(self, index: int, figure: str, error: Exception) -> None:
        kind = type(error).__name__
        self._lost = self._lost or kind in LOST
        if (index, figure, kind) not in self._told:
            self._told.add((index, figure, kind))
            _log.info("GPU %d: %s is not available: %s", index, figure, reason_of(error))


class _Turn:
    """A lock that is waited for with patience; says whether it is held."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock, self._held = lock, False

    def __enter__(self) -> bool:
        self._held = self._lock.acquire(timeout=_PATIENCE)
        return self._held

    def __exit__(self, *_: object) -> None:
        if self._held:
            self._lock.release()


def _memory(nvml: Any, handle: Any) -> tuple[int, int]:
    """Bytes used and in all. The older call counts what the driver keeps for itself as used."""
    try:
        found = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    except Exception:
        found = nvml.nvmlDeviceGetMemoryInfo(handle)
    return int(found.used), int(found.total)


def _others(nvml: Any, handle: Any) -> Bytes:
    """Bytes that other processes use of the device."""
    processes = list(nvml.nvmlDeviceGetComputeRunningProcesses(handle))
    try:
        processes += nvml.nvmlDeviceGetGraphicsRunningProcesses(handle)
    except Exception as error:
        if type(error).__name__ not in NOT_THERE:  # a device that cannot draw has no list of programs that do
            raise
    hidden = processes_hidden()
    if hidden is not None:
        return Missing(hidden)
    sizes: dict[int, int] = {}
    for process in processes:
        if process.usedGpuMemory is None:
            return Missing(Phrase("gpu_processes_untold"))
        sizes[process.pid] = max(sizes.get(process.pid, 0), int(process.usedGpuMemory))  # one that computes and draws
    sizes.pop(os.getpid(), None)
    return sum(sizes.values())


def _torch() -> tuple[TorchDevice, ...] | Phrase:
    try:
        return torch_devices()
    except Exception as error:
        _log.debug("torch does not tell its memory", exc_info=True)
        return reason_of(error)


def _held(torch: tuple[TorchDevice, ...] | Phrase, devices: Sequence[_Device]) -> list[tuple[Bytes, Bytes]]:
    """What torch holds on each device, and has reserved: nothing on those that it does not see."""
    if isinstance(torch, Phrase):
        return [(Missing(torch), Missing(torch))] * len(devices)
    found = _match(torch, devices)
    rest: tuple[Bytes, Bytes] = (0, 0)
    if len(found) < len(torch):  # one of torch's could be any of the rest
        unclear = Missing(Phrase("gpu_unmatched"))
        rest = (unclear, unclear)
    places = {id(place): (one.allocated, one.reserved) for one, place in found.items()}
    return [places.get(id(device), rest) for device in devices]


def _match(torch: Sequence[TorchDevice], devices: Sequence[_Device]) -> dict[TorchDevice, _Device]:
    """Torch's devices that are known in the list."""
    if len(torch) == len(devices) == 1 and not (torch[0].uuid and devices[0].uuid):
        return {torch[0]: devices[0]}
    found = {}
    for one in torch:
        places = [device for device in devices if one.uuid and device.uuid == one.uuid]
        # older drivers name an instance by its GPU: clear only where that has one
        places = places or [device for device in devices if one.uuid and device.parent_uuid == one.uuid]
        if len(places) == 1:
            found[one] = places[0]
    return found


def _torch_alone(torch: tuple[TorchDevice, ...] | Phrase, reason: Phrase) -> tuple[GpuReading, ...]:
    """Devices as torch alone knows them, where NVML does not."""
    if isinstance(torch, Phrase):
        return ()
    unknown = Missing(reason)
    found = []
    for one in torch:
        used: Bytes = unknown
        if one.reserved:
            try:
                used = used_bytes(one.index)
            except Exception as error:
                used = Missing(reason_of(error))
        found.append(
            GpuReading(one.index, one.name, one.allocated, one.reserved, used, one.total, unknown, unknown, unknown)
        )
    return tuple(found)


def _all_missing(index: int, name: str, why: Missing) -> GpuReading:
    return GpuReading(index, name, why, why, why, why, why, why, why)


def _text(call: Callable[[Any], Any], handle: Any) -> str:
    try:
        said = call(handle)
    except Exception:
        return ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def _quietly(call: Callable[[], Any]) -> None:
    try:
        call()
    except Exception:
        _log.debug("NVML could not be closed", exc_info=True)
