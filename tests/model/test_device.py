"""Where a model runs and in which precision, on every kind of machine without having one."""

from dataclasses import replace
from typing import Any, get_args

import pytest

from engine.errors import WorkbenchError
from engine.model.device import PACKED, Hardware, Placement, look_at_hardware, place
from engine.phrases import PHRASES
from engine.types import Note, Precision

NO_CUDA, NO_MPS = "this torch build has no CUDA", "no Apple GPU was found"
CPU = Hardware(NO_CUDA, NO_MPS, cpu_fp16=True, cpu_int8=True)
NEW_CPU = replace(CPU, cpu_bf16=True)
BARE_CPU = Hardware(NO_CUDA, NO_MPS)
NEW_GPU = replace(CPU, cuda=None, cuda_name="NVIDIA H100", cuda_bf16=True)
OLD_GPU = replace(CPU, cuda=None, cuda_name="NVIDIA T4")
APPLE = replace(CPU, mps=None)
BOTH = replace(NEW_GPU, mps=None)
HARDWARE = {
    "CPU": CPU,
    "CPU with bf16": NEW_CPU,
    "CPU without kernels": BARE_CPU,
    "CPU with fp16 alone": replace(CPU, cpu_int8=False),
    "CPU with int8 alone": replace(CPU, cpu_fp16=False),
    "new GPU": NEW_GPU,
    "old GPU": OLD_GPU,
    "Apple": APPLE,
    "both": BOTH,
}


def because(placement: Placement) -> list[tuple[str, dict[str, object]]]:
    return [(note.code, note.details) for note in placement.notes]


@pytest.mark.parametrize(
    ("hardware", "device", "reason", "precision", "why"),
    [
        (CPU, "cpu", NO_CUDA, "fp16", "fp16_exact"),
        (NEW_CPU, "cpu", NO_CUDA, "fp16", "fp16_exact"),
        (BARE_CPU, "cpu", NO_CUDA, "fp32", "no_kernel"),
        (HARDWARE["CPU with int8 alone"], "cpu", NO_CUDA, "fp32", "no_kernel"),
        (NEW_GPU, "cuda", "NVIDIA H100", "fp16", "fp16_fast"),
        (OLD_GPU, "cuda", "NVIDIA T4", "fp16", "fp16_fast"),
        (APPLE, "mps", "Apple GPU", "fp16", "fp16_fast"),
        (BOTH, "cuda", "NVIDIA H100", "fp16", "fp16_fast"),
    ],
)
def test_auto_takes_the_fastest_device_and_the_smallest_weights_and_says_why(
    hardware: Hardware, device: str, reason: str, precision: str, why: str
) -> None:
    placement = place("auto", "auto", hardware)
    assert (placement.device, placement.precision) == (device, precision)
    assert because(placement) == [
        ("device_reason", {"device": device, "reason": reason}),
        ("precision_reason", {"precision": precision, "reason": PHRASES[why]}),
    ]


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
        assert because(placement)[0] == ("device_reason", {"device": device, "reason": "asked for"})
        return
    with pytest.raises(WorkbenchError) as caught:
        place(device, "auto", hardware)
    assert caught.value.code == "device_missing"
    assert caught.value.details == {"device": device, "reason": missing}


@pytest.mark.parametrize(
    ("device", "kind", "precision", "used", "why"),
    [
        ("cpu", "CPU", "fp32", "fp32", ""),
        ("cpu", "CPU", "fp16", "fp16", ""),
        ("cpu", "CPU", "int8", "int8", ""),
        ("cpu", "CPU", "bf16", "fp16", "no_bf16"),
        ("cpu", "CPU with bf16", "bf16", "bf16", ""),
        ("cpu", "CPU without kernels", "fp32", "fp32", ""),
        ("cpu", "CPU without kernels", "fp16", "fp32", "no_kernel"),
        ("cpu", "CPU without kernels", "int8", "fp32", "no_kernel"),
        ("cpu", "CPU without kernels", "bf16", "fp32", "no_bf16"),
        ("cpu", "CPU with fp16 alone", "int8", "fp16", "no_kernel"),
        ("cpu", "CPU with int8 alone", "int8", "int8", ""),
        ("cpu", "CPU with int8 alone", "fp16", "fp32", "no_kernel"),
        ("cpu", "new GPU", "fp16", "fp16", ""),
        ("cpu", "new GPU", "bf16", "fp16", "no_bf16"),
        ("cpu", "both", "int8", "int8", ""),
        ("cuda", "new GPU", "fp32", "fp32", ""),
        ("cuda", "new GPU", "bf16", "bf16", ""),
        ("cuda", "new GPU", "fp16", "fp16", ""),
        ("cuda", "new GPU", "int8", "fp16", "int8_on_cpu"),
        ("cuda", "old GPU", "bf16", "fp16", "no_bf16"),
        ("cuda", "old GPU", "fp32", "fp32", ""),
        ("cuda", "old GPU", "int8", "fp16", "int8_on_cpu"),
        ("mps", "Apple", "fp32", "fp32", ""),
        ("mps", "Apple", "bf16", "bf16", ""),
        ("mps", "Apple", "fp16", "fp16", ""),
        ("mps", "Apple", "int8", "fp16", "int8_on_cpu"),
    ],
)
def test_a_precision_is_used_or_replaced_with_a_reason(
    device: Any, kind: str, precision: Any, used: str, why: str
) -> None:
    placement = place(device, precision, HARDWARE[kind])
    assert placement.precision == used
    replaced = [note.details for note in placement.notes if note.code == "precision_replaced"]
    details = {"asked": precision, "device": device, "reason": why and PHRASES[why], "used": used}
    assert replaced == ([details] if why else [])


@pytest.mark.parametrize("kind", HARDWARE)
@pytest.mark.parametrize("precision", get_args(Precision))
@pytest.mark.parametrize("device", ["auto", "cpu", "cuda", "mps"])
def test_every_choice_can_be_computed_and_is_said(device: Any, precision: Any, kind: str) -> None:
    hardware = HARDWARE[kind]
    if (device == "cuda" and hardware.cuda) or (device == "mps" and hardware.mps):
        with pytest.raises(WorkbenchError):
            place(device, precision, hardware)
        return
    placement = place(device, precision, hardware)
    on_cpu = {"fp32": True, "fp16": hardware.cpu_fp16, "int8": hardware.cpu_int8, "bf16": hardware.cpu_bf16}
    on_gpu = {"fp32": True, "fp16": True, "int8": False, "bf16": hardware.cuda_bf16 or placement.device == "mps"}
    usable = on_cpu if placement.device == "cpu" else on_gpu
    assert usable[placement.precision]
    assert precision in {placement.precision, "auto"} or not usable[precision]
    codes = [note.code for note in placement.notes]
    if precision == "auto":
        assert codes == ["device_reason", "precision_reason"]
        assert placement.precision != "int8", "by request alone, or where nothing else fits"
    else:
        assert codes == ["device_reason"] + ["precision_replaced"] * (placement.precision != precision)
    assert all(note.details["reason"] and note.text for note in placement.notes)


def test_precisions_of_packed_weights_are_those_of_kernels() -> None:
    assert PACKED == ("fp16", "int8")


def test_half_precision_asked_for_on_a_cpu(cases: dict[str, Any]) -> None:
    case = cases["num-half-cpu"]
    placement = place(case["device"], case["precision"], CPU)
    assert (placement.device, placement.precision) == ("cpu", "fp16")
    assert [note.code for note in placement.notes] == ["device_reason"]
    placement = place(case["device"], case["precision"], BARE_CPU)
    assert (placement.device, placement.precision) == ("cpu", "fp32")
    assert placement.notes[-1] == Note(
        "precision_replaced",
        {
            "asked": "fp16",
            "device": "cpu",
            "reason": "this machine's torch has no kernels for packed weights",
            "used": "fp32",
        },
    )
    assert "fp32 is used instead" in placement.notes[-1].text


@pytest.mark.parametrize(
    "kernels", [set(), {"fp16"}, {"int8"}, {"fp16", "int8", "bf16"}], ids=["none", "fp16", "int8", "all"]
)
@pytest.mark.parametrize(
    ("available", "version", "mps", "expected"),
    [
        (False, None, False, BARE_CPU),
        (False, "12.8", False, Hardware("no NVIDIA GPU or driver was found", NO_MPS)),
        (False, None, True, Hardware(NO_CUDA, None)),
        (True, "12.8", False, Hardware(None, "no Apple GPU was found", "NVIDIA T4", False)),
    ],
)
def test_looking_at_the_hardware(
    monkeypatch: pytest.MonkeyPatch, kernels: set[str], available: bool, version: str | None, mps: bool, expected: Any
) -> None:
    import torch

    monkeypatch.setattr("engine.model.packed.linear.works", kernels.__contains__)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: "bf16" in kernels)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: available)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "NVIDIA T4")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", version)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    own = {f"cpu_{name}": name in kernels for name in ("fp16", "int8", "bf16")}
    assert look_at_hardware() == replace(expected, **own)


def test_this_machine_can_be_looked_at() -> None:
    assert place("auto", "auto", look_at_hardware()).notes[0].details["reason"]
