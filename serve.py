"""The server: the pages and the HTTP API in one process, over one model. `workbench run` starts it with Streamlit."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from engine.api import routes
from ui.engine import jobs, workbench
from ui.live_plot import plotly_route
from ui.monitor.exports import export_route


@asynccontextmanager
async def _lifespan(_: Any) -> AsyncIterator[None]:
    """Begin the load before the first browser comes, go on with jobs that wait, and free the model at the end."""
    workbench().ensure_loaded()
    own = jobs()
    yield
    own.runner.close()
    workbench().close()


# The folder pages/ is for st.navigation: without this, a link to a page of a fresh server runs that file by itself.
PagesManager.uses_pages_directory = False

app = st.App("app.py", routes=[*routes(workbench), plotly_route(), export_route()], lifespan=_lifespan)
