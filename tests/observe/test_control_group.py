"""The memory limit of a container, in both versions and wherever its files are; and a machine without one."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.observe import control_group
from engine.observe.control_group import GroupMemory, group_memory
from engine.observe.machine import Machine, free_bytes, system_memory

GIB = 2**30
Group = Callable[..., None]


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Group:
    """Writes down a group's files; and a machine of 64 GiB, 40 of them free."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(control_group, "_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(control_group, "_MOUNT", tmp_path / "mount")
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(total=64 * GIB, available=40 * GIB))

    def write(groups: str, folder: str, limit: object, used: int = 3 * GIB, *, old: bool = False) -> None:
        (tmp_path / "cgroup").write_text(groups)
        place = tmp_path / "mount" / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / ("memory.limit_in_bytes" if old else "memory.max")).write_text(f"{limit}\n")
        (place / ("memory.usage_in_bytes" if old else "memory.current")).write_text(f"{used}\n")
        name = "total_inactive_file" if old else "inactive_file"
        (place / "memory.stat").write_text(f"anon 5\n{name} {GIB}\nactive_file 7\n")

    return write


def test_version_2_in_a_container(group: Group) -> None:
    group("0::/\n", "", 8 * GIB)
    assert group_memory() == GroupMemory(8 * GIB, 2 * GIB)  # without old pages of files
    assert system_memory() == (2 * GIB, 8 * GIB)
    assert free_bytes() == 6 * GIB
    reading = Machine().read()
    assert (reading.system_used, reading.system_total) == (2 * GIB, 8 * GIB)


def test_version_2_on_the_machine_itself(group: Group) -> None:
    """The tightest limit of the group and all above it."""
    group("0::/user.slice/a.scope\n", "user.slice/a.scope", "max")
    group("0::/user.slice/a.scope\n", "user.slice", 16 * GIB, 11 * GIB)
    assert group_memory() == GroupMemory(16 * GIB, 10 * GIB)
    group("0::/user.slice/a.scope\n", "user.slice/a.scope", 12 * GIB, GIB)
    assert group_memory() == GroupMemory(16 * GIB, 10 * GIB)  # 6 GiB are left of it, of the other one 12


@pytest.mark.parametrize("folder", ["memory", "memory/docker/abc"])
def test_version_1_named_as_here_or_as_on_the_machine(group: Group, folder: str) -> None:
    group("11:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n", folder, 8 * GIB, old=True)
    assert system_memory() == (2 * GIB, 8 * GIB)


def test_no_limit(group: Group, tmp_path: Path) -> None:
    group("0::/\n", "", "max")
    assert group_memory() is None
    assert system_memory() == (24 * GIB, 64 * GIB)
    assert free_bytes() == 40 * GIB
    group("4:memory:/\n", "memory", 9223372036854771712, old=True)
    assert group_memory() is None


def test_a_limit_above_what_the_machine_has(group: Group) -> None:
    group("0::/\n", "", 200 * GIB)
    assert system_memory() == (24 * GIB, 64 * GIB)
    assert free_bytes() == 40 * GIB


def test_a_group_that_is_full(group: Group) -> None:
    group("0::/\n", "", 2 * GIB, 4 * GIB)
    assert free_bytes() == 0
    assert system_memory() == (2 * GIB, 2 * GIB)


@pytest.mark.parametrize("groups", ["", "nonsense", "0::", "0::/../../etc", "::::", "0::/a/" * 99, "\ud800"])
def test_odd_files(group: Group, groups: str, tmp_path: Path) -> None:
    group("0::/\n", "", "many")
    (tmp_path / "cgroup").write_bytes(groups.encode("utf-8", "surrogatepass"))
    assert group_memory() is None
    assert system_memory() == (24 * GIB, 64 * GIB)


def test_other_systems(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    group("0::/\n", "", 8 * GIB)
    monkeypatch.setattr("sys.platform", "darwin")
    assert group_memory() is None


def test_without_such_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(control_group, "_GROUPS", tmp_path / "none")
    assert group_memory() is None
