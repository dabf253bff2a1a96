"""GPUs: what NVML and torch tell is put together rightly, whatever order and names they use."""

import subprocess
import sys

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
    figures,
    install,
    two_gpus,
)

from engine.observe import gpu_reasons
from engine.observe.gpu import Gpus
from engine.observe.types import Missing


def test_two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = two_gpus()
    fake = install(monkeypatch, gpus, FakeCuda(gpus))
    seen = Gpus()
    first, second = seen.read()
    assert (first.index, first.name, second.index, second.name) == (0, "NVIDIA One", 1, "NVIDIA Two")
    assert figures(first) == FIRST  # its own 3 GiB are not others', and a program that computes and draws counts once
    assert figures(second) == SECOND
    assert seen.reason is None
    assert set(fake.calls) <= set(CALLS)
    seen.close()
    assert fake.open == 0


def test_the_library_is_opened_once_and_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, two_gpus())
    seen = Gpus()
    assert not fake.calls
    for _ in range(5):
        seen.read()
    assert seen.reason is None
    assert (fake.calls["nvmlInit"], fake.calls["nvmlDeviceGetName"]) == (1, 2)
    seen.close()
    assert len(seen.read()) == 2
    assert (fake.calls["nvmlInit"], fake.open) == (2, 1)


@pytest.mark.parametrize(
    ("visible", "expected"),
    [((0, 1), (100, 200)), ((1, 0), (200, 100)), ((1,), (0, 100)), ((0,), (100, 0)), ((), (0, 0))],
    ids=str,
)
def test_torch_lists_other_devices_in_another_order(
    monkeypatch: pytest.MonkeyPatch, visible: tuple[int, ...], expected: tuple[int, int]
) -> None:
    gpus = two_gpus()
    install(monkeypatch, gpus, FakeCuda([gpus[number] for number in visible]))
    assert tuple(reading.allocated for reading in Gpus().read()) == expected


def test_torch_that_was_not_begun_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = two_gpus()
    cuda = FakeCuda(gpus)
    cuda.begun = False
    for there in (cuda, None):
        install(monkeypatch, gpus, there)
        assert [(one.allocated, one.reserved, one.used) for one in Gpus().read()] == [(0, 0, 9 * GIB), (0, 0, GIB)]


def test_looking_does_not_import_torch() -> None:
    code = (
        "import sys; from engine.observe.sampler import SAMPLER; SAMPLER.read(); SAMPLER.gpu_reason;"
        "from engine.observe.peak import PEAKS\nwith PEAKS.watch(): pass\nprint('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"


def test_instances_of_a_divided_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = divided_gpu()
    instances = [one for one in gpus[0].places or () if one]
    fake = install(monkeypatch, gpus, FakeCuda(instances[1:]))
    first, second = Gpus().read()
    assert (first.name, second.name) == ("NVIDIA Big MIG 1g.10gb", "NVIDIA Big MIG 2g.20gb")
    assert (first.index, second.index) == (0, 1)
    expected = {"total": 10 * GIB, "used": GIB, "others": GIB, "utilisation": "gpu_mig", "temperature": 61.0}
    assert figures(first) == expected | {"allocated": 0, "reserved": 0}
    assert figures(second)["allocated"] == 100
    assert set(fake.calls) | {"nvmlShutdown"} == set(CALLS)


def test_an_instance_named_by_its_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """As torch names it with some drivers: clear where the GPU has one instance, and unclear where it has two."""
    gpus = divided_gpu()
    install(monkeypatch, gpus, FakeCuda(gpus))
    assert [one.allocated for one in Gpus().read()] == [Missing(gpu_reasons.Phrase("gpu_unmatched"))] * 2
    gpus[0].places = (gpus[0].places or [])[:1]
    assert [one.allocated for one in Gpus().read()] == [100]


def test_torch_that_tells_no_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = two_gpus()
    install(monkeypatch, gpus[:1], FakeCuda(gpus[:1], uuids=False))
    assert [one.allocated for one in Gpus().read()] == [100]  # one of each: no doubt
    install(monkeypatch, gpus, FakeCuda(gpus, uuids=False))
    assert [figures(one)["allocated"] for one in Gpus().read()] == ["gpu_unmatched"] * 2


def test_an_older_driver_tells_memory_by_the_older_call(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, two_gpus())
    fake.old_memory = True
    assert Gpus().read()[1].used == GIB + GIB // 4


def test_the_made_up_library_is_like_the_real_one() -> None:
    assert [name for name in CALLS if not callable(getattr(pynvml, name))] == []
    for name in ("NVML_DEVICE_MIG_ENABLE", "NVML_TEMPERATURE_GPU", "nvmlMemory_v2"):
        assert getattr(FakeNvml, name) == getattr(pynvml, name)
    assert len(ERRORS) > 20
