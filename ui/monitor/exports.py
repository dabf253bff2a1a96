"""Files of what is shown: samples and requests as CSV, all of it as JSON."""

from collections.abc import Callable

import streamlit as st

from engine.observe.export import requests_csv, samples_csv, samples_json
from ui.i18n import t
from ui.monitor.state import current_view, paused, span
from ui.monitor.view import View, take_view


def exports() -> None:
    """A button a file. What is written is what the page shows at the press, not when it was drawn."""
    seconds = span()
    still = current_view() if paused() else None

    def shown() -> View:  # downloads run without the session: it holds what it needs
        return still or take_view(seconds)

    files: dict[str, tuple[Callable[[], bytes], str, str]] = {
        "samples": (lambda: samples_csv(shown().samples), "samples.csv", "text/csv"),
        "requests": (lambda: requests_csv(shown().requests), "requests.csv", "text/csv"),
        "json": (lambda: _json(shown()), "monitor.json", "application/json"),
    }
    with st.container(horizontal=True, gap="small", key="monitor_exports"):
        for name, (make, file, mime) in files.items():
            st.download_button(
                t(f"monitor.export_{name}"),
                make,
                file,
                mime,
                key=f"monitor_export_{name}",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
            )


def _json(view: View) -> bytes:
    return samples_json(view.samples, view.requests, view.markers)
