"""Chooses where a model runs and in which precision, and says why. It loads nothing.

`Hardware` is what a choice depends on, so that every case is tested without the hardware.
"""

from dataclasses import dataclass

from engine.errors import WorkbenchError
from engine.messages import Phrase
from engine.types import Device, Note, Precision

_before: list[int] = []
"""Threads that torch had before they were set; empty where they are not."""

PACKED: tuple[Precision, ...] = ("fp16", "int8")
"""Precisions that a CPU computes over packed weights (`engine.model.packed`)."""


@dataclass(frozen=True)
class Hardware:
    """What this machine and this torch build offer. `cuda` and `mps`: None if usable, else why not.

    cpu_fp16, cpu_int8: whether the kernels for packed weights are there. cpu_bf16: whether the CPU multiplies bf16
    itself.
    """

    cuda: str | None
    mps: str | None
    cuda_name: str = ""
    cuda_bf16: bool = False
    cpu_fp16: bool = False
    cpu_int8: bool = False
    cpu_bf16: bool = False


@dataclass(frozen=True)
class Placement:
    """A device, a precision to store the weights in, and the reasons to show."""

    device: str
    precision: Precision
    notes: tuple[Note, ...]


def look_at_hardware() -> Hardware:
    """Ask torch; imports it."""
    import torch

    from engine.model.packed.linear import works

    cuda = torch.cuda.is_available()
    built = torch.version.cuda is not None
    return Hardware(
        cuda=None if cuda else Phrase("no_cuda_device" if built else "no_cuda_build"),
        mps=None if torch.backends.mps.is_available() else Phrase("no_mps"),
        cuda_name=torch.cuda.get_device_name(0) if cuda else "",
        cuda_bf16=cuda and torch.cuda.is_bf16_supported(),
        cpu_fp16=works("fp16"),
        cpu_int8=works("int8"),
        cpu_bf16=torch.cpu._is_avx512_bf16_supported(),
    )


def place(device: Device, precision: Precision, hardware: Hardware) -> Placement:
    """Choose; `auto` prefers CUDA, then Apple's GPU, then the CPU, and the smallest weights that answer as fp32 does.

    Raises:
        WorkbenchError: `device_missing` for a device that was asked for by name and is not there.
    """
    chosen, reason = _device(device, hardware)
    notes = [Note("device_reason", {"device": chosen, "reason": reason})]
    used, why = _precision(chosen, precision, hardware)
    if precision == "auto":
        notes.append(Note("precision_reason", {"precision": used, "reason": why}))
    elif used != precision:
        notes.append(Note("precision_replaced", {"asked": precision, "device": chosen, "reason": why, "used": used}))
    return Placement(chosen, used, tuple(notes))


def _device(device: Device, hardware: Hardware) -> tuple[str, str]:
    missing = {"cuda": hardware.cuda, "mps": hardware.mps, "cpu": None}
    if device != "auto":
        if missing[device] is not None:
            raise WorkbenchError("device_missing", device=device, reason=missing[device])
        return device, Phrase("asked_for")
    if hardware.cuda is None:
        return "cuda", hardware.cuda_name
    if hardware.mps is None:
        return "mps", Phrase("apple_gpu")
    return "cpu", hardware.cuda


def _precision(device: str, precision: Precision, hardware: Hardware) -> tuple[Precision, str]:
    """The precision used, and why it is that one (empty where it was asked for)."""
    if device == "cpu":
        return _cpu_precision(precision, hardware)
    if precision == "auto":
        return "fp16", Phrase("fp16_fast")
    if precision == "int8":
        return "fp16", Phrase("int8_on_cpu")
    if precision == "bf16" and device == "cuda" and not hardware.cuda_bf16:
        return "fp16", Phrase("no_bf16")
    return precision, ""


def _cpu_precision(precision: Precision, hardware: Hardware) -> tuple[Precision, str]:
    usable = {"fp16": hardware.cpu_fp16, "int8": hardware.cpu_int8, "bf16": hardware.cpu_bf16, "fp32": True}
    if usable.get(precision):
        return precision, ""
    best: Precision = "fp16" if hardware.cpu_fp16 else "fp32"
    if precision == "auto":
        return best, Phrase("fp16_exact" if best == "fp16" else "no_kernel")
    return best, Phrase("no_bf16" if precision == "bf16" else "no_kernel")


def use_threads(count: int | None) -> None:
    """Have torch compute on so many threads; None: on as many as it did before any were named."""
    import torch

    if count:
        _before[:] = _before or [torch.get_num_threads()]
        torch.set_num_threads(count)
    elif _before:
        torch.set_num_threads(_before.pop())
