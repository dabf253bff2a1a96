"""What a run was measured on: the machine and the versions of the packages, for the record beside the figures."""

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

_PACKAGES = (
    "torch", "transformers", "tokenizers", "safetensors", "llguidance", "numpy",
    "ctranslate2", "xllamacpp", "gguf", "onnxruntime", "onnx", "openvino",
)  # fmt: skip
_TELLING = ("avx2", "fma", "f16c", "avx512f", "avx512_bf16", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")
"""Instructions that decide how fast a precision is."""


def cores() -> int:
    """CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> dict[str, Any]:
    """Processor, cores, memory, system, and how busy it is now."""
    model, flags = _processor()
    return {
        "processor": model,
        "instructions": [flag for flag in _TELLING if flag in flags],
        "cores": cores(),
        "memory_bytes": psutil.virtual_memory().total,
        "system": platform.platform(),
        "python": platform.python_version(),
        "load_average": list(psutil.getloadavg()),
    }


def packages() -> dict[str, str]:
    """Versions of what the engines run on, where it is installed."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _processor() -> tuple[str, set[str]]:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine(), set()
    entries: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        entries.setdefault(name.strip(), value.strip())
    flags = entries.get("flags") or entries.get("Features") or ""
    return entries.get("model name") or platform.machine(), set(flags.split())
