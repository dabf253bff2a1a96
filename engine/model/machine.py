"""What this machine has, found in a moment and without torch: cores, memory, GPUs.

`device.look_at_hardware` asks torch itself, and has the last word when a model is loaded.
"""

import importlib.util
import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from engine.messages import Phrase
from engine.observe.machine import free_bytes, system_memory


@dataclass(frozen=True)
class Machine:
    """cores: physical ones that this process may use. memory, free: bytes of the machine's memory.

    cuda, mps: None where such a GPU can be used, else why not. cuda_name: of the first one; cuda_memory: its bytes.
    """

    cores: int
    memory: int
    free: int
    cuda: str | None
    mps: str | None
    cuda_name: str = ""
    cuda_memory: int = 0


def look_at_machine() -> Machine:
    """Ask the operating system, and NVIDIA's driver where torch is built for it."""
    cuda, name, size = _nvidia()
    return Machine(_cores(), system_memory()[1], free_bytes(), cuda, _apple(), name, size)


def _cores() -> int:
    import psutil

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(psutil.cpu_count(logical=False) or usable, usable))


def _nvidia() -> tuple[str | None, str, int]:
    """Why there is no GPU of NVIDIA's to use, or None; its name; its memory in bytes."""
    import pynvml

    if not built_for_cuda():
        return Phrase("no_cuda_build"), "", 0
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in {"", "-1"}:  # hidden from torch
        return Phrase("no_cuda_device"), "", 0
    try:
        pynvml.nvmlInit()
        try:
            first = pynvml.nvmlDeviceGetHandleByIndex(0)
            return None, str(pynvml.nvmlDeviceGetName(first)), int(pynvml.nvmlDeviceGetMemoryInfo(first).total)
        finally:
            pynvml.nvmlShutdown()
    except pynvml.NVMLError:
        return Phrase("no_cuda_device"), "", 0


def built_for_cuda() -> bool:
    """Whether the installed torch is built for CUDA, as its file of versions says; nothing of it is run."""
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return False
    try:
        said = Path(found.origin).with_name("version.py").read_text("utf-8")
    except OSError:
        return False
    return re.search(r"^cuda\b[^=\n]*= *['\"]", said, re.MULTILINE) is not None


def _apple() -> str | None:
    return None if (platform.system(), platform.machine()) == ("Darwin", "arm64") else Phrase("no_mps")
