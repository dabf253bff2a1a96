"""Runs the pages without a browser, through Streamlit's AppTest."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.model.backend import Query, ScoredSpan, SpanReading, WeighedLabels
from engine.types import ModelInfo

ROOT = Path(__file__).parents[2]
_MAIN = sys.modules["__main__"]
WINDOW = 400
"""Characters that the stand-in below reads at once."""


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """A page that is run takes the place of the program itself, which processes that are started later begin with."""
    yield
    sys.modules["__main__"] = _MAIN


class UnderstandingBackend:
    """A stand-in for a model that is asked by no prompt: a label fits that the text names, and so does a value."""

    threshold = 0.5
    values = ("Maria Jensen", "Siemens", "张三", "阿里巴巴集团")

    def __init__(self) -> None:
        self.info = ModelInfo(
            "offline", "1", "encoder", "cpu", "fp32", 117_654_272, 512, ("understand",), languages=("zh", "en")
        )

    def weigh_labels(
        self, texts: Sequence[str], labels: Sequence[str], stop: Event | None = None
    ) -> tuple[WeighedLabels, ...]:
        """Weigh a label by whether the text names it; none fits where it names none."""
        return tuple(
            WeighedLabels(tuple(2.0 * (label in text) for label in labels), any(map(text.count, labels)), len(text))
            for text in texts
        )

    def find_spans(
        self, texts: Sequence[str], queries: Sequence[Query], stop: Event | None = None
    ) -> tuple[SpanReading, ...]:
        """The known values, for queries of people and of companies; an earlier query is surer."""
        readings = []
        for text in texts:
            spans = [
                ScoredSpan(text.index(value), text.index(value) + len(value), number, 0.9 - number / 100)
                for number, query in enumerate(queries)
                for place, value in enumerate(self.values)
                if value in text and ("person", "company")[place % 2] in query.concepts
            ]
            readings.append(SpanReading(tuple(spans), (0.9,) * len(queries), len(text), 1 + len(text) // WINDOW))
        return tuple(readings)

    def close(self) -> None:
        """Nothing to give back."""


@pytest.fixture
def understanding_backend() -> type[UnderstandingBackend]:
    """The stand-in, for tests that load it in the place of another model."""
    return UnderstandingBackend


@pytest.fixture
def understanding(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loaded model understands, and does nothing else."""
    monkeypatch.setattr("engine.model.loader.FakeBackend", UnderstandingBackend)


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    """Opens app.py as a fresh session of a fresh process, over the fake model.

    delay: seconds that each step of the model takes. The keywords are the link's.
    """
    from ui.engine import workbench

    def fresh() -> None:
        workbench().close()
        st.cache_resource.clear()

    def open_(delay: float = 0, **link: str) -> AppTest:
        monkeypatch.setenv("WORKBENCH_FAKE_DELAY", str(delay))
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for name, value in link.items():
            app.query_params[name] = value
        return app.run()

    monkeypatch.setenv("WORKBENCH_MODEL", "fake")
    st.cache_resource.clear()
    yield open_
    fresh()


@pytest.fixture
def open_batch(open_app: Callable[..., AppTest]) -> Iterator[Callable[..., AppTest]]:
    """Opens the app at its Batch page; the keywords are the link's."""
    from ui.engine import jobs

    def open_(delay: float = 0, **link: str) -> AppTest:
        app = open_app(delay).switch_page("pages/batch.py")
        for name, value in link.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception
        return app

    yield open_
    jobs().runner.close()
