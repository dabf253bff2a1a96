"""The memory limit of a container: Linux keeps one for a group of processes (cgroups, versions 1 and 2).

The system's own figures are those of the whole machine; who goes beyond the group's limit is ended, whatever is
free there.
"""

import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path

_GROUPS = Path("/proc/self/cgroup")
_MOUNT = Path("/sys/fs/cgroup")
_MOST_LEVELS = 32
_NO_LIMIT = 2**60
"""Version 1 writes a number that is larger than any memory."""
_FILES = (
    ("memory.max", "memory.current", b"inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", b"total_inactive_file"),
)
"""Of version 2, of version 1: the files with the limit and the use, and the row of `memory.stat` for old file pages."""


@dataclass(frozen=True)
class GroupMemory:
    """Bytes that a group may use, and those in use that the system cannot take back at once (old pages of files)."""

    limit: int
    used: int


def group_memory() -> GroupMemory | None:
    """The tightest limit that holds for this process; None where there is none."""
    if sys.platform != "linux":
        return None
    found = [memory for memory in map(_read, _folders(_GROUPS, _MOUNT)) if memory is not None]
    return min(found, key=lambda memory: memory.limit - memory.used, default=None)


@functools.lru_cache(maxsize=1)
def _folders(groups: Path, mount: Path) -> list[Path]:
    """Of this process's group and all above it, as far as they can be seen from here; looked for once.

    In a container the groups may be named as the machine sees them, while the mount begins with the container's own.
    """
    try:
        lines = groups.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    folders = []
    for line in lines:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if controllers and "memory" not in controllers.split(","):
            continue
        top = mount / "memory" if controllers else mount
        parts = [part for part in path.split("/") if part and part != ".."][:_MOST_LEVELS]
        folders += [top.joinpath(*parts[:count]) for count in range(len(parts), -1, -1)]
    return [folder for folder in folders if any(os.path.exists(folder / limits) for limits, _, _ in _FILES)]


def _read(folder: Path) -> GroupMemory | None:
    """A folder's limit and use; None where it has no limit, or is none."""
    for limits, uses, old in _FILES:
        try:
            limit = int((folder / limits).read_bytes())
            if limit >= _NO_LIMIT:
                return None
            used = int((folder / uses).read_bytes())
            rows = (line.split() for line in (folder / "memory.stat").read_bytes().splitlines())
            idle = next((int(row[1]) for row in rows if row[0] == old), 0)
        except (OSError, ValueError, IndexError):  # not this version, or "max", which is no limit
            continue
        return GroupMemory(limit, max(0, used - idle))
    return None
