"""The Monitor page as a whole: what stands where, and what follows by itself.

The figures follow every second, the plots every two and a half, each in a fragment of its own: the page itself does
not run again. While the page is paused nothing follows, and every plot keeps its zoom.
"""

import os
from functools import partial

import streamlit as st

from engine.observe.types import Missing
from ui import tab_memory
from ui.engine import workbench
from ui.i18n import language, phrase_text, t
from ui.live_plot import live_plot
from ui.messages import plain
from ui.monitor.actions import actions
from ui.monitor.advice_panel import SECONDS as ADVICE_SECONDS
from ui.monitor.advice_panel import advice
from ui.monitor.charts import Plot, gpu_plot, gpus_of, load_plot, memory_plot, queue_plot
from ui.monitor.clock import moment, offset, zone
from ui.monitor.exports import exports
from ui.monitor.figures import live_figures, show_figures, three_figures
from ui.monitor.latency import POINTS, latency_plot, latency_table
from ui.monitor.log_panel import log_panel
from ui.monitor.snapshots_panel import snapshots_panel
from ui.monitor.state import (
    PANEL,
    PANELS,
    PAUSED,
    REMEMBERED,
    SPAN,
    SPANS,
    current_view,
    every,
    panel,
    paused,
    span,
    start,
)
from ui.monitor.tune import REMEMBERED as TUNE_REMEMBERED
from ui.monitor.tune import start_state as start_tuning
from ui.monitor.tune import tune_panel
from ui.monitor.view import View, drawn, fresh, monitor
from ui.results import show_busy

_FIGURES, _PLOTS = 1.0, 2.5
"""Seconds between two looks."""
_HEIGHT = 300
_STALE = 5
"""A newest sample as many times older than samples are apart is too old."""


def monitor_page() -> None:
    """The chosen panel; the others are not computed."""
    start()
    start_tuning()
    _head()
    # Before the panel: after a reload its settings are back before the plots of another one are drawn.
    tab_memory.remember([*REMEMBERED, *TUNE_REMEMBERED])
    if panel() == "live":
        _live()
    elif panel() == "snapshots":
        snapshots_panel()
    elif panel() == "log":
        log_panel()
    else:
        tune_panel()


def _head() -> None:
    """Which panel, and where something follows by itself, which span and whether it does."""
    st.segmented_control(
        t("monitor.panel"),
        PANELS,
        required=True,
        format_func=lambda one: t(f"monitor.panel_{one}"),
        key=PANEL,
        persist_state="session",
        label_visibility="collapsed",
    )
    if panel() not in {"live", "log"}:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="monitor_controls"):
        if panel() == "live":
            st.segmented_control(
                t("monitor.span"),
                SPANS,
                required=True,
                format_func=lambda one: t("monitor.minutes", count=one // 60),
                key=SPAN,
                persist_state="session",
                label_visibility="collapsed",
            )
        st.toggle(t("monitor.pause"), key=PAUSED, help=t("monitor.pause_help"), persist_state="session")
        if paused() and panel() == "live":
            st.caption(t("monitor.paused_at", time=moment(current_view().until)), width="content")


def _live() -> None:
    st.fragment(_now, run_every=every(_FIGURES))()
    st.markdown(f"**{t('monitor.three')}**", help=t("monitor.three_help"))
    st.fragment(_three, run_every=every(_PLOTS))()
    actions()
    st.fragment(advice, run_every=every(ADVICE_SECONDS))()
    st.fragment(_plots, run_every=every(_PLOTS))()
    exports()


def _now() -> None:
    view = current_view()
    latest = view.latest
    if latest is None:
        show_busy(t("monitor.first_sample"))
        return
    apart = workbench().settings.sample_seconds
    if view.until - latest.time > _STALE * apart and not paused():
        st.warning(t("monitor.stale", seconds=f"{view.until - latest.time:,.0f}"), icon=":material/history:")
    cores, budget = _cores(), _budget()
    key = ("figures", view.seconds, language(), budget)
    show_figures(drawn().get(key, view.until, lambda: live_figures(view, cores, budget)))


def _three() -> None:
    model = workbench().state().info
    st.html(three_figures(fresh("figures", 1.0, monitor().figures), model.name if model else ""))
    if model is None:
        st.caption(t("monitor.no_model"))


def _plots() -> None:
    view = current_view()
    if view.latest is None:
        return
    budget, cores = _budget(), _cores()
    on_cpu = not gpus_of(view)
    memory: Plot = lambda seen, ahead: memory_plot(seen, ahead, budget if on_cpu else None)  # noqa: E731
    left, right = st.columns(2, gap="large")
    with left:
        _plot("memory", view, memory)
    with right:
        _plot("load", view, lambda seen, ahead: load_plot(seen, ahead, cores))
    _gpus(view)
    left, right = st.columns(2, gap="large")
    with left:
        _latency(view)
    with right:
        _plot("queue", view, queue_plot)
    if view.requests:
        st.html(fresh_table(view))


def fresh_table(view: View) -> str:
    """The table of latencies, made once a view."""
    return drawn().get(("table", view.seconds, language()), view.until, lambda: latency_table(view))


def _gpus(view: View) -> None:
    """A plot a GPU, or one line that says why there is none."""
    gpus = gpus_of(view)
    if not gpus:
        reason = monitor().gpu_reason
        said = phrase_text(reason) if reason is not None else t("monitor.no_gpu_listed")
        st.caption(plain(t("monitor.no_gpu", reason=said)))
        return
    columns = st.columns(2, gap="large")
    for number, gpu in enumerate(gpus):
        with columns[number % 2]:
            missing = {
                phrase_text(value.reason)
                for value in (gpu.allocated, gpu.reserved, gpu.used, gpu.others, gpu.utilisation, gpu.temperature)
                if isinstance(value, Missing)
            }
            title = f"GPU {gpu.index}: {gpu.name}"
            _plot(f"gpu_{gpu.index}", view, partial(gpu_plot, index=gpu.index), title)
            for why in sorted(missing):
                st.caption(plain(t("monitor.gpu_missing", reason=why)))


def _latency(view: View) -> None:
    if not any(not one.cached for one in view.requests):
        st.markdown(f"**{t('monitor.plot_latency')}**")
        minutes = t("monitor.minutes", count=view.seconds // 60)
        st.info(t("monitor.no_requests_yet", minutes=minutes), icon=":material/hourglass_empty:")
        st.page_link("pages/classify.py", label=t("page.classify"), icon=":material/label:")
        return
    _plot("latency", view, latency_plot)
    st.caption(t("monitor.shapes"))
    computed = sum(not one.cached and not one.error for one in view.requests)
    if computed > POINTS:
        st.caption(t("monitor.newest", count=f"{POINTS:,}", total=f"{computed:,}"))


def _plot(name: str, view: View, make: Plot, title: str | None = None) -> None:
    """A plot under its title; it is built once a view for all pages of a language and time zone."""
    said = title or t(f"monitor.plot_{name}")
    explained = None if title else t(f"monitor.plot_{name}_help")
    st.markdown(f"**{plain(said)}**", help=explained)
    ahead = offset(view.until)
    made = drawn().get((name, view.seconds, language(), ahead), view.until, lambda: make(view, ahead))
    live_plot(
        made,
        key=f"monitor_plot_{name}",
        height=_HEIGHT,
        alt=said,
        failed=t("monitor.plot_failed"),
        view=f"{span()} {zone()}",
    )


@st.cache_resource(show_spinner=False)
def _cores() -> int:
    return os.cpu_count() or 1


def _budget() -> int | None:
    return workbench().settings.max_memory
