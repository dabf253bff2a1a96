"""Settings: what beats what, how sizes are read, and what a wrong value is told."""

from pathlib import Path

import pytest

from engine.errors import WorkbenchError
from engine.settings import load_settings


def test_flags_beat_environment_beat_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "workbench.toml"
    file.write_text('model = "from-file"\ndevice = "cpu"\nprecision = "bf16"\n')
    monkeypatch.setenv("WORKBENCH_CONFIG", str(file))
    assert load_settings().model == "from-file"
    monkeypatch.setenv("WORKBENCH_MODEL", "from-environment")
    assert load_settings().model == "from-environment"
    settings = load_settings(model="from-flag", device=None)
    assert (settings.model, settings.device, settings.precision) == ("from-flag", "cpu", "bf16")


@pytest.mark.parametrize(
    ("written", "size"),
    [("2g", 2 * 2**30), ("800M", 800 * 2**20), ("1.5GiB", 3 * 2**29), ("64kb", 64 * 2**10), (5000, 5000)],
)
def test_sizes(written: object, size: int) -> None:
    assert load_settings(max_memory=written).max_memory == size


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("device", "tpu"),
        ("precision", "int3"),
        ("threads", 0),
        ("max_memory", "much"),
        ("max_memory", "-2g"),
        ("log_level", "loud"),
        ("hub", "elsewhere"),
    ],
)
def test_a_wrong_value_is_named(name: str, value: object) -> None:
    with pytest.raises(WorkbenchError) as caught:
        load_settings(**{name: value})
    assert caught.value.code == "bad_setting"
    assert caught.value.details["name"] == name
    assert caught.value.hint


def test_choices_are_listed() -> None:
    with pytest.raises(WorkbenchError, match="auto, cpu, cuda, mps"):
        load_settings(device="tpu")


def test_an_unknown_name_in_the_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "workbench.toml"
    file.write_text('modell = "typo"\n')
    monkeypatch.setenv("WORKBENCH_CONFIG", str(file))
    with pytest.raises(WorkbenchError, match="modell"):
        load_settings()


def test_a_file_that_does_not_parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "workbench.toml"
    file.write_text("model = \n")
    monkeypatch.setenv("WORKBENCH_CONFIG", str(file))
    with pytest.raises(WorkbenchError) as caught:
        load_settings()
    assert caught.value.code == "bad_file"
