"""A Plotly figure that is updated in place: no flicker, and a zoom stays while data comes. A components-v2 component.

`st.plotly_chart` builds its plot anew at every change of the data, which blinks and loses the zoom. This one hands the
figure to `Plotly.react`. The library is the file that the plotly package brings, served by this process
(`plotly_route`): nothing is fetched from elsewhere.
"""

from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

_HERE = Path(__file__).parent
_PATH = "assets/plotly.min.js"
_component = st.components.v2.component(
    "workbench_live_plot",
    html='<div class="wb-plot"></div>',
    js=(_HERE / "live_plot.js").read_text("utf-8"),
    isolate_styles=False,  # Plotly puts its style sheet into the document's head
)


def live_plot(figure: str, *, key: str, height: int, alt: str, failed: str, view: str = "") -> None:
    """Show a figure, or update the one under the same key.

    figure: {"data", "layout"} as JSON. Colours that begin with @ (@text, @faint, @grid, @background) are the theme's.
    height: pixels. alt: what the plot shows, for those who do not see it. failed: what is said where the library
    cannot be loaded. view: another one forgets the zoom.
    """
    source = f"{_PATH}?v={version('plotly')}"
    data = {"figure": figure, "height": height, "alt": alt, "failed": failed, "view": view, "source": source}
    _component(key=key, data=data, height="content")


def plotly_route() -> Route:
    """Where browsers find the library; for the server's routes."""

    async def library(_: Request) -> FileResponse:
        file = Path(str(files("plotly") / "package_data" / "plotly.min.js"))
        return FileResponse(file, media_type="text/javascript", headers={"Cache-Control": "public, max-age=86400"})

    return Route(f"/{_PATH}", library, methods=["GET"])
