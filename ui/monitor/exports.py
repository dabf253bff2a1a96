"""Files of what is shown: measurements and requests as CSV, all of it as JSON, snapshots as CSV.

They are links to this server, made at the press. A download button's file is let go of when a fragment of any page
ends, and here one ends every second: now and then the file was gone before the browser asked for it.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from html import escape

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.observe.export import requests_csv, samples_csv, samples_json, snapshots_csv
from ui.i18n import t
from ui.monitor.state import SPANS, current_view, paused, span
from ui.monitor.view import View, monitor, take_view

_PATH = "assets/monitor"
_KEPT = 20
"""Views of paused pages that can be exported, the newest."""
_FILES: dict[str, Callable[[View], bytes]] = {
    "samples.csv": lambda view: samples_csv(view.samples),
    "requests.csv": lambda view: requests_csv(view.requests),
    "monitor.json": lambda view: samples_json(view.samples, view.requests, view.markers),
    "snapshots.csv": lambda _: snapshots_csv(monitor().snapshots()),
}
_STYLE = """<style>
.wb-files{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;font-size:.875rem;margin-top:.4rem}
.wb-files a{color:inherit;text-decoration:none;border-bottom:1px solid color-mix(in srgb,currentColor 35%,transparent)}
.wb-files a:hover{border-color:currentColor}
</style>"""


def exports() -> None:
    """Links to what the page shows: of a live page as it is at the press, of a paused one where it stands."""
    which = _keep(current_view()) if paused() else str(span())
    st.html(links(which, {"samples.csv": "samples", "requests.csv": "requests", "monitor.json": "json"}))


def links(which: str, names: dict[str, str]) -> str:
    """Links to files of a view, by file name the end of the key of what they are called."""
    shown = "".join(
        f'<a href="{_PATH}/{which}/{file}" download="{file}">⤓ {escape(t(f"monitor.export_{name}"))}</a>'
        for file, name in names.items()
    )
    return f'{_STYLE}<div class="wb-files" data-testid="files">{shown}</div>'


def export_route() -> Route:
    """Where browsers get the files; for the server's routes."""

    async def export(request: Request) -> Response:
        make, view = _FILES.get(request.path_params["file"]), _view(request.path_params["which"])
        if make is None or view is None:
            return Response("not found", 404, media_type="text/plain")
        content = await run_in_threadpool(lambda: make(view()))
        kind = "application/json" if request.path_params["file"].endswith(".json") else "text/csv"
        disposition = f'attachment; filename="{request.path_params["file"]}"'
        return Response(content, media_type=kind, headers={"Content-Disposition": disposition})

    return Route(f"/{_PATH}/{{which}}/{{file}}", export, methods=["GET"])


@st.cache_resource(show_spinner=False)
def _frozen() -> "OrderedDict[str, View]":
    return OrderedDict()


def _keep(view: View) -> str:
    """A name for a view that a page stands at; the same for the same view."""
    kept = _frozen()
    for name, known in list(kept.items()):
        if known.until == view.until and known.seconds == view.seconds:
            return name
    name = secrets.token_urlsafe(9)
    kept[name] = view
    while len(kept) > _KEPT:
        kept.popitem(last=False)
    return name


def _view(which: str) -> Callable[[], View] | None:
    """How to get the view of a name or of a span; None for neither."""
    if which in map(str, SPANS):
        return lambda: take_view(int(which))
    kept = _frozen().get(which)
    return None if kept is None else lambda: kept
