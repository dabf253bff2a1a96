"""What the tests of this room stand on."""

from pathlib import Path

import pytest

from engine.observe import gpu_reasons


@pytest.fixture(autouse=True)
def plain_linux(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither a container nor Windows, whatever the tests run on."""
    space = tmp_path / "pid"
    space.write_text("")
    monkeypatch.setattr(gpu_reasons, "_PID_NAMESPACE", space)
    monkeypatch.setattr(gpu_reasons, "_FIRST_NAMESPACE", space.stat().st_ino)
    monkeypatch.setattr(gpu_reasons, "_RELEASE", tmp_path / "osrelease")
