"""Why a figure of a GPU is not there: NVML's errors as phrases. It asks no GPU."""

from pathlib import Path

from engine.messages import Phrase

_RELEASE = Path("/proc/sys/kernel/osrelease")
_PID_NAMESPACE = Path("/proc/self/ns/pid")
_FIRST_NAMESPACE = 0xEFFFFFFC
"""The number of the namespace that Linux starts with (PROC_PID_INIT_INO)."""

_CODES = {
    "ImportError": "gpu_no_library",
    "ModuleNotFoundError": "gpu_no_library",
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
LOST = frozenset({"NVMLError_GpuIsLost", "NVMLError_ResetRequired", "NVMLError_Uninitialized"})
"""After these a device's handle is of no use any more."""

NEVER = frozenset({"gpu_no_library", "gpu_no_driver"})
"""Reasons that stay while the process lives."""
NOT_THERE = frozenset({"NVMLError_NotSupported", "NVMLError_InvalidArgument"})
"""A device does not have what was asked for; the second one is of instances of a GPU."""


def reason_of(error: Exception, *, mig: bool = False) -> Phrase:
    """The reason that an exception of NVML, or of anything in its place, stands for.

    mig: it is of a GPU that is divided, or of an instance of it.
    """
    kind = type(error).__name__
    if mig and kind in NOT_THERE:
        return Phrase("gpu_mig")
    if kind == "NVMLError_NotSupported" and in_wsl():
        return Phrase("gpu_wsl")
    if kind in _CODES:
        return Phrase(_CODES[kind])
    return Phrase("gpu_failed", said=(str(error) or kind)[:200])


def in_wsl() -> bool:
    """Whether this Linux runs inside Windows."""
    try:
        return "microsoft" in _RELEASE.read_text("utf-8").lower()
    except OSError:
        return False


def processes_hidden() -> Phrase | None:
    """Why NVML's list of processes cannot be read here; None where it can.

    In a container process numbers are not the machine's: NVML may list none, or others, and this process unknown.
    """
    if in_wsl():
        return Phrase("gpu_wsl")
    try:
        return Phrase("gpu_container") if _PID_NAMESPACE.stat().st_ino != _FIRST_NAMESPACE else None
    except OSError:
        return None  # not Linux
