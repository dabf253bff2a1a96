"""The slot: one model at a time, freed before the next, and what the pages are told meanwhile."""

import gc
import logging
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from doubles import Load, RecordingBackend

from engine.errors import Cancelled, WorkbenchError
from engine.model.fake import FakeBackend
from engine.run.slot import ModelState, Slot
from engine.settings import Settings, load_settings
from engine.types import LoadProgress, Note

CHOICE = Note("choice_reason", {"name": "fake", "reason": "a test"})


@pytest.fixture
def settings() -> Settings:
    return load_settings(model="fake")


@pytest.fixture
def no_log() -> Iterator[None]:
    """Log records keep tracebacks, and pytest keeps log records."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def raising(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def test_states_of_a_load(settings: Settings) -> None:
    seen: list[ModelState] = []
    load = Load(lambda: seen.append(slot.state) or FakeBackend())
    load.notes = (CHOICE,)
    slot = Slot(load, "fake")
    assert slot.state == ModelState("empty", "fake")
    with pytest.raises(WorkbenchError) as caught:
        _ = slot.backend
    assert caught.value.code == "model_missing"
    info = slot.load(settings, threading.Event())
    assert seen == [ModelState("loading", "fake", progress=LoadProgress("weights", 1, 2, "tensors"), notes=(CHOICE,))]
    assert slot.state == ModelState("ready", "fake", info=info, notes=(CHOICE,))
    assert slot.backend.info is info
    slot.unload()
    slot.unload()
    assert slot.state == ModelState("empty", "fake")


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (WorkbenchError("memory_short", name="m", needed="2", precision="fp32", limit="1"), "memory_short", None),
        (RuntimeError("size mismatch for a.weight.\n  many\n  lines"), "not_loadable", "size mismatch for a.weight"),
        (KeyError(), "not_loadable", "KeyError"),
        (OSError("x" * 5000), "not_loadable", "x" * 300),
    ],
)
def test_a_failed_load_leaves_the_slot_empty_and_says_why(
    settings: Settings, error: Exception, code: str, reason: str | None
) -> None:
    slot = Slot(Load(raising(error), FakeBackend), "fake")
    with pytest.raises(WorkbenchError) as caught:
        slot.load(settings, threading.Event())
    assert caught.value.code == code
    if reason is not None:
        assert caught.value.details["reason"] == reason
    assert (slot.state.status, slot.state.error) == ("failed", caught.value)
    with pytest.raises(WorkbenchError) as again:
        _ = slot.backend
    assert again.value is caught.value
    slot.load(settings, threading.Event())
    assert slot.state.status == "ready"


def test_a_stopped_load_is_no_failure(settings: Settings) -> None:
    slot = Slot(Load(raising(Cancelled())), "other")
    with pytest.raises(Cancelled):
        slot.load(settings, threading.Event())
    assert slot.state == ModelState("empty", "fake")


def test_unload_closes_the_backend_and_frees_it(settings: Settings) -> None:
    closed: list[int] = []

    class Closing(RecordingBackend):
        def close(self) -> None:
            closed.append(1)

    slot = Slot(Load(Closing), "fake")
    slot.load(settings, threading.Event())
    backend = weakref.ref(slot.backend)
    slot.unload()
    assert (closed, backend()) == ([1], None)


def test_the_old_model_is_gone_before_the_new_one_is_read(settings: Settings) -> None:
    """Two models at once would not fit where one does."""
    held: list[weakref.ref[FakeBackend]] = []

    def build() -> FakeBackend:
        assert all(backend() is None for backend in held)
        new = FakeBackend()
        held.append(weakref.ref(new))
        return new

    slot = Slot(Load(build), "fake")
    for _ in range(3):
        slot.load(settings, threading.Event())
    assert [backend() is not None for backend in held] == [False, False, True]


# The writer beside a model that cannot write.


def reading() -> RecordingBackend:
    return RecordingBackend(generates=False, writer="fake")


def test_states_of_a_writers_load(settings: Settings) -> None:
    seen: list[ModelState] = []
    load = Load(reading, lambda: seen.append(slot.state) or FakeBackend())
    slot = Slot(load, "fake")
    with pytest.raises(WorkbenchError) as caught:
        slot.writer(threading.Event())
    assert caught.value.code == "model_missing"
    slot.load(settings, threading.Event())
    before, load.notes = slot.state, (CHOICE,)
    writer = slot.writer(threading.Event())
    assert seen == [replace(before, progress=LoadProgress("weights", 1, 2, "tensors"))]
    assert slot.state == replace(before, writer=writer.info, notes=(CHOICE,))
    assert slot.writer(threading.Event()) is writer
    assert len(load.calls) == 2


@pytest.mark.usefixtures("no_log")
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (WorkbenchError("memory_short", name="m", needed="2", precision="fp32", limit="1"), "memory_short"),
        (RuntimeError("size mismatch"), "not_loadable"),
        (Cancelled(), "cancelled"),
    ],
)
def test_a_writer_that_fails_leaves_the_model_as_it_was(settings: Settings, error: Exception, code: str) -> None:
    slot = Slot(Load(reading, raising(error), FakeBackend), "fake")
    slot.load(settings, threading.Event())
    before = slot.state
    with pytest.raises(WorkbenchError) as caught:
        slot.writer(threading.Event())
    assert (caught.value.code, slot.state) == (code, before)
    assert slot.writer(threading.Event()).info.name == "fake", "asked again, it is tried again"


def test_unload_closes_the_writer_too(settings: Settings) -> None:
    closed: list[str] = []

    class Closing(FakeBackend):
        def close(self) -> None:
            closed.append("writer")

    slot = Slot(Load(reading, Closing), "fake")
    slot.load(settings, threading.Event())
    writer = weakref.ref(slot.writer(threading.Event()))
    slot.unload()
    assert (closed, writer(), slot.state) == (["writer"], None, ModelState("empty", "fake"))
    with pytest.raises(WorkbenchError):
        slot.writer(threading.Event())


@pytest.mark.usefixtures("no_log")
@pytest.mark.parametrize("kind", [lambda: WorkbenchError("model_missing"), lambda: RuntimeError("x"), Cancelled])
def test_a_half_loaded_model_is_freed_although_its_error_is_kept(
    settings: Settings, kind: Callable[[], Exception]
) -> None:
    alive: list[weakref.ref[FakeBackend]] = []

    def build() -> FakeBackend:
        weights = FakeBackend()
        alive.append(weakref.ref(weights))
        try:
            raise LookupError("the first of two")
        except LookupError as error:
            raise kind() from error

    slot = Slot(Load(build), "fake")
    with pytest.raises(WorkbenchError) as caught:
        slot.load(settings, threading.Event())
    gc.collect()
    assert caught.value is not None
    assert alive[0]() is None
