"""Where a model runs and in which precision, on every kind of machine without having one."""

from typing import Any

import pytest

from engine.errors import WorkbenchError
from engine.model.device import Hardware, Placement, look_at_hardware, place
from engine.types import Note

NO_CUDA, NO_MPS = "this torch build has no CUDA", "no Apple GPU was found"
CPU = Hardware(NO_CUDA, NO_MPS)
NEW_GPU = Hardware(None, NO_MPS, "NVIDIA H100", cuda_bf16=True)
OLD_GPU = Hardware(None, NO_MPS, "NVIDIA T4", cuda_bf16=False)
APPLE = Hardware(NO_CUDA, None)
BOTH = Hardware(None, None, "NVIDIA H100", cuda_bf16=True)


def because(placement: Placement) -> list[tuple[str, dict[str, object]]]:
    return [(note.code, note.details) for note in placement.notes]


@pytest.mark.parametrize(
    ("hardware", "device", "reason"),
    [
        (CPU, "cpu", NO_CUDA),
        (NEW_GPU, "cuda", "NVIDIA H100"),
        (OLD_GPU, "cuda", "NVIDIA T4"),
        (APPLE, "mps", "Apple GPU"),
        (BOTH, "cuda", "NVIDIA H100"),
    ],
)
def test_auto_takes_the_fastest_device_and_says_why(hardware: Hardware, device: str, reason: str) -> None:
    placement = place("auto", "auto", hardware)
    assert (placement.device, placement.precision) == (device, "fp32" if device == "cpu" else "fp16")
    assert because(placement) == [("device_reason", {"device": device, "reason": reason})]


@pytest.mark.parametrize(
    ("device", "hardware", "missing"),
    [
        ("cpu", CPU, None),
        ("cpu", BOTH, None),
        ("cuda", CPU, NO_CUDA),
        ("cuda", APPLE, NO_CUDA),
        ("cuda", NEW_GPU, None),
        ("mps", CPU, NO_MPS),
        ("mps", NEW_GPU, NO_MPS),
        ("mps", APPLE, None),
        ("mps", BOTH, None),
    ],
)
def test_a_device_by_name_is_used_or_refused_never_replaced(
    device: Any, hardware: Hardware, missing: str | None
) -> None:
    if missing is None:
        placement = place(device, "auto", hardware)
        assert placement.device == device
        assert because(placement) == [("device_reason", {"device": device, "reason": "asked for"})]
        return
    with pytest.raises(WorkbenchError) as caught:
        place(device, "auto", hardware)
    assert caught.value.code == "device_missing"
    assert caught.value.details == {"device": device, "reason": missing}


@pytest.mark.parametrize(
    ("device", "hardware", "precision", "used"),
    [
        ("cpu", CPU, "fp32", "fp32"),
        ("cpu", CPU, "bf16", "bf16"),
        ("cpu", CPU, "fp16", "fp32"),
        ("cpu", NEW_GPU, "fp16", "fp32"),
        ("cuda", NEW_GPU, "fp32", "fp32"),
        ("cuda", NEW_GPU, "bf16", "bf16"),
        ("cuda", NEW_GPU, "fp16", "fp16"),
        ("cuda", OLD_GPU, "bf16", "fp16"),
        ("cuda", OLD_GPU, "fp32", "fp32"),
        ("mps", APPLE, "fp32", "fp32"),
        ("mps", APPLE, "bf16", "bf16"),
        ("mps", APPLE, "fp16", "fp16"),
    ],
)
def test_a_precision_is_used_or_replaced_with_a_reason(
    device: Any, hardware: Hardware, precision: Any, used: str
) -> None:
    placement = place(device, precision, hardware)
    assert placement.precision == used
    replaced = [note for note in placement.notes if note.code == "precision_replaced"]
    assert len(replaced) == (used != precision)
    for note in replaced:
        assert (note.details["asked"], note.details["used"], note.details["device"]) == (precision, used, device)
        assert note.details["reason"]


def test_half_precision_asked_for_on_a_cpu(cases: dict[str, Any]) -> None:
    case = cases["num-half-cpu"]
    placement = place(case["device"], case["precision"], CPU)
    assert (placement.device, placement.precision) == ("cpu", "fp32")
    assert placement.notes[-1] == Note(
        "precision_replaced",
        {
            "asked": "fp16",
            "device": "cpu",
            "reason": "CPUs have no fast half-precision arithmetic",
            "used": "fp32",
        },
    )
    assert "fp32 is used instead" in placement.notes[-1].text


@pytest.mark.parametrize(
    ("available", "version", "mps", "expected"),
    [
        (False, None, False, Hardware(NO_CUDA, NO_MPS)),
        (False, "12.8", False, Hardware("no NVIDIA GPU or driver was found", NO_MPS)),
        (False, None, True, Hardware(NO_CUDA, None)),
        (True, "12.8", False, Hardware(None, "no Apple GPU was found", "NVIDIA T4", False)),
    ],
)
def test_looking_at_the_hardware(
    monkeypatch: pytest.MonkeyPatch, available: bool, version: str | None, mps: bool, expected: Hardware
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: available)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "NVIDIA T4")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", version)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert look_at_hardware() == expected


def test_this_machine_can_be_looked_at() -> None:
    assert place("auto", "auto", look_at_hardware()).notes[0].details["reason"]
