"""`auto` where a hub answers a knock and then refuses the files: the offline model, with a note that says so."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tiny_e5 import write_e5, write_head

from engine.errors import WorkbenchError
from engine.model import loader
from engine.model.catalog import CATALOG
from engine.model.encoder import load
from engine.model.encoder.e5_file import E5File
from engine.model.encoder.transformer import Encoder
from engine.model.resolve import Resolved
from engine.settings import Settings, load_settings
from engine.types import Note


def arrange(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    write_e5(folder / load.FILE)
    write_head(folder / "head.safetensors", Encoder(E5File(folder / load.FILE)))
    monkeypatch.setattr(load, "HEAD", folder / "head.safetensors")

    def resolve(name: str, _: Settings) -> Resolved:
        entry = CATALOG["seqgpt-560m" if name == "auto" else name]
        return Resolved(entry.name, "a test", entry=entry)

    def ensure(resolved: Resolved, *_: Any) -> Path:
        if resolved.name == "seqgpt-560m":
            raise WorkbenchError("download_failed", name=resolved.name, reason="403")
        return folder

    monkeypatch.setattr(loader, "resolve", resolve)
    monkeypatch.setattr(loader, "ensure", ensure)


def test_auto_goes_on_with_the_offline_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    arrange(monkeypatch, tmp_path)
    notes: list[Note] = []
    backend = loader.load_backend(load_settings(model="auto"), lambda _: None, notes.append, Event())
    assert backend.info.name == "offline"
    assert backend.info.capabilities == ("understand",)
    assert "seqgpt-560m could not be fetched" in notes[0].text
    backend.close()


def test_a_model_asked_for_by_name_is_not_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    arrange(monkeypatch, tmp_path)
    with pytest.raises(WorkbenchError) as caught:
        loader.load_backend(load_settings(model="seqgpt-560m"), lambda _: None, lambda _: None, Event())
    assert caught.value.code == "download_failed"
