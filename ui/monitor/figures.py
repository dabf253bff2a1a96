"""The figures of now, each with its course, and the three figures that users quote of the loaded model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from engine.model.memory import human_bytes
from engine.observe.types import Figures, Missing, RequestRecord, Sample
from engine.observe.windows import percentile, warmed
from ui.i18n import phrase_text, t
from ui.monitor.latency import milliseconds
from ui.monitor.view import View

_COURSE, _STEPS = 60, 30
"""Seconds that a course shows, and its points."""
_NOW = 10
"""Seconds over which rates are told."""
_NONE = "–"
STYLE = """<style>
.st-key-monitor_figures{display:grid!important;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.6rem}
.st-key-monitor_figures>*{width:auto!important;min-width:0}
.st-key-monitor_figures [data-testid=stMetric]{height:100%}
.st-key-monitor_figures [data-testid=stMetricDelta]{background:none;padding:0;border:0;color:inherit;opacity:.75}
.st-key-monitor_figures [data-testid=stMetricDelta] *{color:inherit}
.st-key-monitor_figures [data-testid=stMetricValue]{font-size:1.45rem;line-height:1.35}
.st-key-monitor_figures [data-testid=stMetricLabel] p{font-size:.8125rem}
@media (max-width:640px){.st-key-monitor_figures{grid-template-columns:repeat(2,minmax(0,1fr))}}
.wb-three{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.6rem;margin:0;padding:0}
.wb-three>div{padding:.7rem .9rem;border-radius:.5rem;border:1px solid color-mix(in srgb,currentColor 16%,transparent)}
.wb-three strong{display:block;font-size:.875rem}
.wb-three b{display:block;font-size:2rem;line-height:1.25;font-variant-numeric:tabular-nums;font-weight:600}
.wb-three small{opacity:.75;font-size:.8125rem;line-height:1.35;display:block}
</style>"""


@dataclass(frozen=True)
class Figure:
    """One figure of now. context: small words below it. course: its values over the last minute, oldest first."""

    name: str
    value: str
    context: str
    course: Sequence[float]
    help: str | None = None
    bars: bool = False


def live_figures(view: View, cores: int, budget: int | None) -> list[Figure]:
    """Every figure of a view; a machine with GPUs has two more for each."""
    latest = view.latest
    if latest is None:
        return []
    recent = [one for one in view.all_samples if one.time > view.until - _COURSE]
    limit = human_bytes(budget or latest.system_total)
    of = t("monitor.of_budget" if budget else "monitor.of_machine", limit=limit)
    return [
        Figure(
            t("monitor.process"), human_bytes(latest.rss), of, [one.rss for one in recent], t("monitor.process_help")
        ),
        Figure(
            t("monitor.system"),
            human_bytes(latest.system_used),
            t("monitor.of", limit=human_bytes(latest.system_total)),
            [one.system_used for one in recent],
        ),
        Figure(
            t("monitor.cpu"),
            f"{latest.cpu / cores:.0f} %",
            t("monitor.cpu_all", percent=f"{latest.system_cpu:.0f}", count=cores),
            [one.cpu / cores for one in recent],
            t("monitor.cpu_help"),
        ),
        *_gpu_figures(latest, recent),
        *_request_figures(view),
    ]


def _request_figures(view: View) -> list[Figure]:
    window, recent, now = view.window, view.last(_COURSE), view.last(_NOW)
    answered = [one for one in now if not one.error]
    tokens = sum(map(_tokens, answered)) / _NOW
    waits = window.queue_p95
    latest = view.latest
    times = sorted(one.latency_ms for one in warmed(view.requests))
    courses = _buckets(view, recent)
    return [
        Figure(
            t("monitor.requests"),
            f"{len(answered) / _NOW:,.1f}",
            t("monitor.in_window", count=f"{sum(not one.error for one in view.requests):,}"),
            _rates(courses, lambda own: sum(not one.error for one in own)),
            t("monitor.requests_help"),
            bars=True,
        ),
        Figure(
            t("monitor.tokens"),
            f"{tokens:,.0f}",
            t("monitor.per_second"),
            _rates(courses, lambda own: sum(map(_tokens, own))),
            t("monitor.tokens_help"),
            bars=True,
        ),
        Figure(
            t("monitor.queue"),
            f"{latest.waiting if latest else 0:,}",
            t("monitor.queue_wait", time=milliseconds(waits)) if waits is not None else t("monitor.queue_none"),
            [one.waiting for one in view.all_samples if one.time > view.until - _COURSE],
            bars=True,
        ),
        Figure(
            t("monitor.p95"),
            milliseconds(percentile(times, 0.95)) if times else _NONE,
            t("monitor.p50", time=milliseconds(percentile(times, 0.5))) if times else t("monitor.no_request"),
            [_p95(own) for own in courses],
            t("monitor.p95_help"),
        ),
        Figure(
            t("monitor.hits"),
            _NONE if window.cache_rate is None else f"{window.cache_rate:.0%}",
            t("monitor.hits_of") if window.cache_rate is not None else t("monitor.no_request"),
            _rates(courses, lambda own: sum(one.cached for one in own)),
            t("monitor.hits_help"),
            bars=True,
        ),
        Figure(
            t("monitor.grounded"),
            _NONE if window.grounded_rate is None else f"{window.grounded_rate:.0%}",
            t("monitor.grounded_of") if window.grounded_rate is not None else t("monitor.no_value"),
            _rates(courses, lambda own: sum(one.values for one in own)),
            t("monitor.grounded_help"),
            bars=True,
        ),
    ]


def show_figures(figures: Sequence[Figure]) -> None:
    """The figures as cards beside each other."""
    st.html(STYLE)
    with st.container(key="monitor_figures"):
        for one in figures:
            st.metric(
                one.name,
                one.value,
                one.context,
                delta_color="primary",
                delta_arrow="off",
                help=one.help,
                border=True,
                chart_data=list(one.course) if len(one.course) > 1 else None,
                chart_type="bar" if one.bars else "area",
            )


def three_figures(figures: Figures, model: str) -> str:
    """After load, first peak, steady: large, each with what it means, or when it will be known."""
    parts = []
    for name, size in (
        ("after_load", figures.after_load),
        ("first_peak", figures.first_peak),
        ("steady", figures.steady),
    ):
        said = t(f"monitor.{name}_help") if size is not None else t(f"monitor.{name}_not_yet")
        value = _NONE if size is None else human_bytes(size)
        parts.append(
            f'<div role="listitem" data-testid="figure-{name}"><strong>{escape(t(f"monitor.{name}"))}</strong>'
            f"<b>{value}</b><small>{escape(said)}</small></div>"
        )
    return f'{STYLE}<div class="wb-three" role="list" aria-label="{escape(model)}">{"".join(parts)}</div>'


def _gpu_figures(latest: Sample, recent: Sequence[Sample]) -> list[Figure]:
    found = []
    for gpu in latest.gpus:
        used, total = gpu.used, gpu.total
        course = [one.used for sample in recent for one in sample.gpus if one.index == gpu.index]
        if isinstance(used, Missing):
            value, context = _NONE, phrase_text(used.reason)
        else:
            value = human_bytes(used)
            context = "" if isinstance(total, Missing) else t("monitor.of", limit=human_bytes(total))
        name = t("monitor.gpu_memory", number=gpu.index)
        known = [float(one) for one in course if not isinstance(one, Missing)]
        found.append(Figure(name, value, context, known, gpu.name))
        busy = gpu.utilisation
        share = _NONE if isinstance(busy, Missing) else f"{busy:.0f} %"
        hot = gpu.temperature
        beside = phrase_text(busy.reason) if isinstance(busy, Missing) else ""
        if not isinstance(hot, Missing):
            beside = f"{hot:.0f} °C"
        loads = [one.utilisation for sample in recent for one in sample.gpus if one.index == gpu.index]
        known = [one for one in loads if not isinstance(one, Missing)]
        found.append(Figure(t("monitor.gpu_load", number=gpu.index), share, beside, known, gpu.name))
    return found


def _tokens(one: RequestRecord) -> int:
    return 0 if one.cached or one.error else one.prompt_tokens + one.output_tokens


def _buckets(view: View, recent: Sequence[RequestRecord]) -> list[list[RequestRecord]]:
    """Requests of the last minute, in steps of two seconds, oldest first."""
    courses: list[list[RequestRecord]] = [[] for _ in range(_STEPS)]
    for one in recent:
        place = int((one.time - (view.until - _COURSE)) / _COURSE * _STEPS)
        courses[min(max(place, 0), _STEPS - 1)].append(one)
    return courses


def _rates(courses: Sequence[list[RequestRecord]], count: Callable[[list[RequestRecord]], int]) -> list[float]:
    return [count(own) * _STEPS / _COURSE for own in courses]


def _p95(records: Sequence[RequestRecord]) -> float:
    times = sorted(one.latency_ms for one in warmed(records))
    return percentile(times, 0.95) if times else 0.0
