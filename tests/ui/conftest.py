"""Runs the pages without a browser, through Streamlit's AppTest."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


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
