"""How long requests took: points by task and length on a logarithmic axis, and the table of percentiles."""

from collections.abc import Sequence
from html import escape
from typing import Any

from engine.observe.types import RequestRecord
from engine.observe.windows import Latency, length_bucket, percentile, warmed
from ui.i18n import t
from ui.monitor.charts import axis, figure, time_layout
from ui.monitor.view import View

POINTS = 600
"""Requests drawn at most, the newest; the percentiles are of all."""
_TASKS = {"classify": "#14a393", "extract": "#8b5cf6", "prompt": "#e08a1e"}
_LENGTHS = {"short": "circle", "medium": "diamond", "long": "triangle-up"}
_SHARES = {"P50": 0.5, "P95": 0.95, "P99": 0.99}
TABLE_STYLE = """<style>
.wb-table{overflow-x:auto}
.wb-table table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums;margin:0}
.wb-table th,.wb-table td{padding:.28rem .7rem;text-align:right;white-space:nowrap;border:0;
  border-bottom:1px solid color-mix(in srgb,currentColor 12%,transparent)}
.wb-table th{font-weight:600;opacity:.75;background:none}
.wb-table tbody th{opacity:1;font-weight:400}
.wb-table th:first-child,.wb-table .wb-text{text-align:left}
.wb-tight th,.wb-tight td{padding:.28rem .45rem!important}
.wb-table td.wb-text{white-space:normal;overflow-wrap:anywhere;min-width:7rem}
.wb-table tr.wb-group th{font-weight:600;opacity:.75;padding-top:.6rem}
.wb-table tr.wb-aside{opacity:.7}
.wb-table tr.wb-best th,.wb-table tr.wb-best td{background:color-mix(in srgb,#14a393 14%,transparent)}
</style>"""


def latency_plot(view: View, ahead: float) -> str:
    """A point a request that was computed; the percentiles of those of a warm model as lines."""
    shown = [one for one in view.requests if not one.cached and not one.error][-POINTS:]
    failed = [one for one in view.requests if one.error and one.error != "cancelled"][-POINTS:]
    shown.sort(key=lambda one: (not one.warm, one.characters))  # the legend has the first one's shape
    traces = [
        _points([one for one in shown if one.task == task], ahead, t(f"page.{task}"), colour)
        for task, colour in _TASKS.items()
    ]
    traces.append(_points(failed, ahead, t("monitor.failed"), "#ef4444", "x"))
    traces = [trace for trace in traces if trace["x"]]
    traces += _percentiles(view, ahead)
    layout = time_layout(view, ahead)
    layout["yaxis"] = axis("ms") | {"type": "log", "dtick": "D1" if _narrow(shown) else 1, "rangemode": "normal"}
    layout["hovermode"] = "closest"
    return figure(traces, layout)


def latency_table(view: View) -> str:
    """Percentiles by task and by length; the first answers after a load and the kept ones apart."""
    window = view.window
    rows = []
    for title, found in (("task", window.by_task), ("length", window.by_length)):
        if found:
            rows.append(f'<tr class="wb-group"><th colspan="6">{escape(t(f"monitor.by_{title}"))}</th></tr>')
            for name in [one for one in (*_TASKS, *_LENGTHS) if one in found]:
                rows.append(_row(t(f"page.{name}" if name in _TASKS else f"monitor.{name}"), found[name]))
    aside = [_row(f"{t(f'page.{name}')} ({t('monitor.first')})", found) for name, found in window.cold.items()]
    if window.cached is not None:
        aside.append(_row(t("monitor.cached"), window.cached))
    if aside:
        rows.append(f'<tr class="wb-group"><th colspan="6">{escape(t("monitor.apart"))}</th></tr>')
        rows += [row.replace("<tr>", '<tr class="wb-aside">') for row in aside]
    heads = ["", t("monitor.count"), *_SHARES, t("monitor.mean")]
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    return (
        f'{TABLE_STYLE}<div class="wb-table" tabindex="0" data-testid="latency-table">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def milliseconds(value: float) -> str:
    """About three figures, in milliseconds or seconds."""
    if value >= 1000:
        return f"{value / 1e3:,.2f} s" if value < 10_000 else f"{value / 1e3:,.1f} s"
    return f"{value:.0f} ms" if value >= 100 else f"{value:.1f} ms" if value >= 1 else f"{value:.2f} ms"


def _row(name: str, latency: Latency) -> str:
    times = (latency.p50, latency.p95, latency.p99, latency.mean)
    cells = [f"{latency.count:,}", *map(milliseconds, times)]
    return f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _points(
    points: Sequence[RequestRecord], ahead: float, name: str, colour: str, symbol: str | None = None
) -> dict[str, Any]:
    """Points of one colour, each with the shape of its length unless all have one."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [round((one.time + ahead) * 1e3) for one in points],
        "y": [max(0.01, round(one.latency_ms, 2)) for one in points],
        "customdata": [[one.characters, one.prompt_tokens + one.output_tokens, one.together] for one in points],
        "marker": {"color": colour, "symbol": symbol or list(map(_shape, points)), "size": 7, "opacity": 0.75},
        "hovertemplate": f"%{{y:,.4~g}} ms<br>{t('monitor.point')}",
    }


def _shape(one: RequestRecord) -> str:
    """By length; empty for a first answer after a load."""
    shape = _LENGTHS[length_bucket(one.characters)]
    return shape if one.warm else f"{shape}-open"


def _percentiles(view: View, ahead: float) -> list[dict[str, Any]]:
    times = sorted(one.latency_ms for one in warmed(view.requests))
    if not times:
        return []
    lines = []
    ends = [round((view.begin + ahead) * 1e3), round((view.until + ahead) * 1e3)]
    places = {"P50": (1, "bottom left"), "P95": (1, "top left"), "P99": (0, "top right")}
    for name, share in _SHARES.items():
        value = max(0.01, percentile(times, share))
        at, where = places[name]
        said = ["", ""]
        said[at] = f"{name} {milliseconds(value)}"
        lines.append(
            {
                "type": "scatter",
                "mode": "lines+text",
                "x": ends,
                "y": [value, value],
                "text": said,
                "textposition": where,
                "textfont": {"size": 11, "color": "@text"},
                "line": {"color": "@faint", "width": 1, "dash": {"P50": "solid", "P95": "dash"}.get(name, "dot")},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
    return lines


def _narrow(shown: Sequence[RequestRecord]) -> bool:
    """Whether the points lie within less than two powers of ten, so that the axis needs numbers in between."""
    times = [max(0.01, one.latency_ms) for one in shown]
    return not times or max(times) < 100 * min(times)
