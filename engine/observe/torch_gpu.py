"""What torch of this process holds on GPUs. Only looked at where somebody else has imported and begun it."""

import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TorchDevice:
    """One of torch's devices. uuid: without a prefix, in small letters; empty where torch does not tell. Bytes."""

    index: int
    name: str
    uuid: str
    allocated: int
    reserved: int
    total: int


def cuda() -> Any:
    """torch.cuda where this process has begun to use it; None otherwise. Never imports or begins it."""
    found = getattr(sys.modules.get("torch"), "cuda", None)
    try:
        return found if found is not None and found.is_initialized() else None
    except Exception:  # half imported, by another thread
        return None


def torch_devices() -> tuple[TorchDevice, ...]:
    """Every device that torch sees (CUDA_VISIBLE_DEVICES hides some); none where it was not begun.

    Raises:
        Exception: whatever torch raises, for one when a device has failed.
    """
    there = cuda()
    if there is None:
        return ()
    found = []
    for index in range(there.device_count()):
        about = there.get_device_properties(index)
        found.append(
            TorchDevice(
                index,
                str(about.name),
                plain_uuid(str(getattr(about, "uuid", ""))),
                int(there.memory_allocated(index)),
                int(there.memory_reserved(index)),
                int(about.total_memory),
            )
        )
    return tuple(found)


def used_bytes(index: int) -> int:
    """Bytes of torch's device that all processes use. Only for one that this process holds memory on: a look at
    another would begin to use it."""
    free, total = cuda().mem_get_info(index)
    return int(total - free)


def plain_uuid(uuid: str) -> str:
    """`GPU-8F6E...` or `MIG-8F6E...` as torch writes it."""
    return uuid.strip().lower().removeprefix("gpu-").removeprefix("mig-")
