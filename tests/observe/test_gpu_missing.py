"""GPUs: what is missing has the right reason, whichever call fails and however; and all else is still right."""

import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest
from observe.fake_nvml import (
    CALLS,
    ERRORS,
    FIRST,
    GIB,
    SECOND,
    FakeCuda,
    FakeNvml,
    divided_gpu,
    error,
    figures,
    install,
    two_gpus,
)

from engine.observe import gpu, gpu_reasons
from engine.observe.gpu import Gpus
from engine.observe.types import GpuReading, Missing

CODES = {
    "NVMLError_LibraryNotFound": "gpu_no_driver",
    "NVMLError_DriverNotLoaded": "gpu_driver_off",
    "NVMLError_LibRmVersionMismatch": "gpu_driver_mismatch",
    "NVMLError_NoPermission": "gpu_no_permission",
    "NVMLError_NotSupported": "gpu_not_supported",
    "NVMLError_FunctionNotFound": "gpu_old_driver",
    "NVMLError_ArgumentVersionMismatch": "gpu_old_driver",
    "NVMLError_GpuIsLost": "gpu_lost",
    "NVMLError_ResetRequired": "gpu_lost",
    "NVMLError_Timeout": "gpu_timeout",
}
FIGURES = {
    "nvmlDeviceGetMemoryInfo": {"used", "total"},
    "nvmlDeviceGetComputeRunningProcesses": {"others"},
    "nvmlDeviceGetGraphicsRunningProcesses": {"others"},
    "nvmlDeviceGetUtilizationRates": {"utilisation"},
    "nvmlDeviceGetTemperature": {"temperature"},
    "nvmlDeviceGetUUID": {"allocated", "reserved"},
    "nvmlDeviceGetHandleByIndex": {
        "allocated", "reserved", "used", "total", "others", "utilisation", "temperature",
    },
}  # fmt: skip
"""What is missing of a GPU where a call fails."""


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("call", CALLS)
def test_each_call_fails_in_turn(monkeypatch: pytest.MonkeyPatch, call: str, kind: str) -> None:
    gpus = two_gpus()
    fake = install(monkeypatch, gpus, FakeCuda(gpus))
    fake.failing[call] = error(kind)
    fake.only = {"nvmlDeviceGetHandleByIndex": 0, "nvmlInit": None, "nvmlDeviceGetCount": None}.get(call, gpus[0])
    seen = Gpus()
    code = CODES.get(kind, "gpu_failed")
    unnamed = {"nvmlDeviceGetHandleByIndex", "nvmlDeviceGetName"}
    for _ in range(2):
        readings = seen.read()
        if call in {"nvmlInit", "nvmlDeviceGetCount"}:
            # torch still knows what it holds
            assert [figures(one) for one in readings] == [
                {name: FIRST[name] if name in {"allocated", "reserved", "used", "total"} else code for name in FIRST},
                {name: SECOND[name] if name in {"allocated", "reserved", "used", "total"} else code for name in FIRST},
            ]
            assert seen.reason is not None
            assert seen.reason.code == code
            continue
        missing = FIGURES.get(call, set())
        if call == "nvmlDeviceGetGraphicsRunningProcesses" and kind in gpu_reasons.NOT_THERE:
            assert figures(readings[0]) == FIRST | {"others": 5 * GIB}  # it cannot draw
        else:
            unmatched = dict.fromkeys(missing & {"allocated", "reserved"}, "gpu_unmatched")
            assert figures(readings[0]) == FIRST | dict.fromkeys(missing, code) | unmatched
        assert figures(readings[1]) == SECOND
        assert readings[0].name == ("GPU 0" if call in unnamed else "NVIDIA One")
        assert seen.reason is None
    seen.close()


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("call", CALLS)
def test_each_call_fails_in_turn_on_a_divided_gpu(monkeypatch: pytest.MonkeyPatch, call: str, kind: str) -> None:
    fake = install(monkeypatch, divided_gpu())
    fake.failing[call] = error(kind)
    readings = Gpus().read()
    code = "gpu_mig" if kind in gpu_reasons.NOT_THERE else CODES.get(kind, "gpu_failed")
    if call in {"nvmlInit", "nvmlDeviceGetCount"}:
        assert readings == ()
        return
    if call in {"nvmlDeviceGetHandleByIndex", "nvmlDeviceGetMigMode"} or "MigDevice" in call:
        assert len(readings) == 1  # the whole, as far as it is known
        assert isinstance(readings[0].utilisation, Missing)
        return
    expected = {
        "allocated": 0, "reserved": 0, "used": GIB, "total": 10 * GIB, "others": GIB, "utilisation": "gpu_mig",
        "temperature": 61.0,
    }  # fmt: skip
    if not (call == "nvmlDeviceGetGraphicsRunningProcesses" and kind in gpu_reasons.NOT_THERE):
        expected |= dict.fromkeys(FIGURES.get(call, set()) - {"allocated", "reserved"}, code)
    assert figures(readings[0]) == expected
    assert len(readings) == 2


def test_the_reason_for_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("NVMLError_LibraryNotFound", "NVMLError_DriverNotLoaded", "NVMLError_LibRmVersionMismatch"):
        fake = install(monkeypatch, two_gpus())
        fake.failing["nvmlInit"] = error(kind)
        seen = Gpus()
        assert seen.reason is not None  # before any reading
        assert seen.reason.code == CODES[kind]
        assert seen.read() == ()
    install(monkeypatch, [])
    seen = Gpus()
    assert seen.read() == ()
    assert seen.reason is not None
    assert seen.reason.code == "gpu_none"


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "pynvml", None)
    seen = Gpus()
    assert seen.read() == ()
    assert seen.reason is not None
    assert seen.reason.code == "gpu_no_library"


def test_torch_alone_knows_what_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without NVML, as with GPUs of others: used only of a device that this process has begun to use."""
    gpus = two_gpus()
    cuda = FakeCuda(gpus)
    cuda.reserved[1] = 0
    fake = install(monkeypatch, [], cuda)
    fake.failing["nvmlInit"] = error("NVMLError_LibraryNotFound")
    first, second = Gpus().read()
    assert (first.allocated, first.reserved, first.used, first.total) == (100, 1000, 9 * GIB, 24 * GIB)
    assert (figures(second)["used"], second.total) == ("gpu_no_driver", 48 * GIB)


def test_the_real_library_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise pynvml.NVMLError_LibraryNotFound

    monkeypatch.setattr(pynvml, "nvmlInit", missing)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    seen = Gpus()
    assert seen.read() == ()
    assert seen.reason == "no NVIDIA driver was found"


def test_wsl_tells_little(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "osrelease").write_text("5.15.167.4-microsoft-standard-WSL2\n")
    fake = install(monkeypatch, two_gpus())
    fake.failing["nvmlDeviceGetUtilizationRates"] = error("NVMLError_NotSupported")
    first = Gpus().read()[0]
    assert figures(first) == FIRST | {"allocated": 0, "reserved": 0, "utilisation": "gpu_wsl", "others": "gpu_wsl"}
    fake.failing["nvmlDeviceGetComputeRunningProcesses"] = error("NVMLError_NotSupported")
    assert figures(Gpus().read()[0])["others"] == "gpu_wsl"


def test_a_container_hides_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty list of processes there is no proof that nobody else uses the device."""
    install(monkeypatch, two_gpus())
    monkeypatch.setattr(gpu_reasons, "_FIRST_NAMESPACE", 1)
    assert [figures(one)["others"] for one in Gpus().read()] == ["gpu_container"] * 2


def test_a_driver_that_lists_processes_without_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = two_gpus()
    gpus[0].compute[1] = (4_000_001, None)
    install(monkeypatch, gpus)
    assert figures(Gpus().read()[0])["others"] == "gpu_processes_untold"


@pytest.mark.parametrize("kind", ["NVMLError_GpuIsLost", "NVMLError_ResetRequired", "NVMLError_Uninitialized"])
def test_a_gpu_is_lost_midway_and_comes_back(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    gpus = two_gpus()
    fake = install(monkeypatch, gpus)
    clock = [1000.0]
    monkeypatch.setattr(gpu, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    seen = Gpus()
    whole = seen.read()
    fake.only = gpus[0]
    fake.failing = {call: error(kind) for call in FIGURES if call != "nvmlDeviceGetHandleByIndex"}
    for _ in range(3):
        lost, other = seen.read()
        gone = {"used", "total", "others", "utilisation", "temperature"}
        code = CODES.get(kind, "gpu_failed")
        assert {name for name, value in figures(lost).items() if value == code} == gone
        assert other == whole[1]
    assert fake.calls["nvmlInit"] == 1  # not again and again
    fake.failing = {}
    clock[0] += 61
    assert seen.read() == whole
    assert (fake.calls["nvmlInit"], fake.open) == (2, 1)


def test_torch_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that failed makes torch raise; its figures are missing, NVML's are not."""
    gpus = two_gpus()
    cuda = FakeCuda(gpus)
    install(monkeypatch, gpus, cuda)
    cuda.failing = RuntimeError("CUDA error: unspecified launch failure")
    first = Gpus().read()[0]
    assert (figures(first)["allocated"], first.used) == ("gpu_failed", 9 * GIB)
    assert isinstance(first.allocated, Missing)
    assert "unspecified launch failure" in first.allocated.reason


@pytest.mark.parametrize("odd", [TypeError("x"), AttributeError("nvmlDeviceGetTemperature"), OSError(5, "I/O"), ""])
def test_errors_that_are_none_of_nvmls(monkeypatch: pytest.MonkeyPatch, odd: Any) -> None:
    fake = install(monkeypatch, two_gpus())
    for call in FIGURES:
        fake.failing[call] = odd or ValueError("{curly} %s")
    for reading in Gpus().read():
        assert set(figures(reading).values()) <= {"gpu_failed", 0}


def test_a_driver_that_hangs_holds_up_nobody_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_PATIENCE", 0.05)
    hung, go_on = threading.Event(), threading.Event()

    class Hangs(FakeNvml):
        def nvmlDeviceGetUtilizationRates(self, gpu: Any) -> Any:
            if not go_on.is_set():
                hung.set()
                assert go_on.wait(20)
            return super().nvmlDeviceGetUtilizationRates(gpu)

    install(monkeypatch, [])
    monkeypatch.setitem(sys.modules, "pynvml", Hangs(two_gpus()))
    seen = Gpus()
    first: list[tuple[GpuReading, ...]] = []
    reader = threading.Thread(target=lambda: first.append(seen.read()))
    reader.start()
    assert hung.wait(20)
    began = time.monotonic()
    late = seen.read()
    assert time.monotonic() - began < 10
    assert {value for one in late for value in figures(one).values()} == {"gpu_timeout"}
    assert [one.name for one in late] == ["NVIDIA One", "NVIDIA Two"]
    go_on.set()
    reader.join(20)
    assert figures(first[0][1]) == SECOND | {"allocated": 0, "reserved": 0}


def test_what_is_missing_is_logged_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    fake = install(monkeypatch, two_gpus())
    fake.failing["nvmlDeviceGetUtilizationRates"] = error("NVMLError_NotSupported")
    seen = Gpus()
    with caplog.at_level("INFO", "engine.observe.gpu"):
        for _ in range(5):
            seen.read()
    assert [record.getMessage() for record in caplog.records] == [
        f"GPU {number}: utilisation is not available: the driver does not tell it for this GPU" for number in (0, 1)
    ]


def test_a_driver_that_fails_is_tried_again_but_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, two_gpus())
    clock = [1000.0]
    monkeypatch.setattr(gpu, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    seen = Gpus()
    seen.read()
    fake.failing = {call: error("NVMLError_GpuIsLost") for call in CALLS}
    seen.read()
    for _ in range(3):  # it is lost, and then the driver does not start for a while
        clock[0] += 61
        assert seen.read() == seen.read() == ()
    assert fake.calls["nvmlInit"] == 4
    fake.failing = {}
    clock[0] += 61
    assert [one.used for one in seen.read()] == [9 * GIB, GIB]
    assert seen.reason is None


def test_a_driver_that_is_not_there_is_not_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, [])
    clock = [1000.0]
    monkeypatch.setattr(gpu, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    fake.failing["nvmlInit"] = error("NVMLError_LibraryNotFound")
    seen = Gpus()
    for _ in range(3):
        assert seen.read() == ()
        clock[0] += 61
    assert fake.calls["nvmlInit"] == 1
