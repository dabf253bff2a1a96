"""Plots of a view, as Plotly figures in JSON: memory, GPUs, load and the queue. Latency is in `latency`.

A plot has at most some hundred points: samples are put together by the time they are of, so that a point does not
change as it moves along. Of memory and the queue the highest of each point's samples is shown, of load the mean.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from engine.observe.types import GpuReading, Marker, Missing, Sample
from ui.i18n import t
from ui.monitor.view import View

_LOW = 0.35
"""A part of a plot that is no higher than this has few numbers at its axis."""
POINTS = 240
"""Points of a line at most."""
COLOURS = {
    "process": "#14a393",
    "system": "#8b98a5",
    "others": "#8b98a5",
    "reserved": "#e08a1e",
    "used": "#8b5cf6",
    "budget": "#ef4444",
}
GPU_COLOURS = ("#8b5cf6", "#e08a1e", "#3b82f6", "#ec4899", "#84cc16", "#f43f5e", "#06b6d4", "#a16207")
_MIB, _GIB = 2**20, 2**30
Group = tuple[float, list[Sample]]


def memory_plot(view: View, ahead: float, budget: int | None) -> str:
    """What the process holds, and below it what the whole system uses. ahead: seconds of the browser's clock."""
    groups = grouped(view)
    held = [max(one.rss for one in group) for _, group in groups]
    size, unit = unit_of([*held, budget or 0])
    traces = [line(groups, ahead, [one / size for one in held], t("monitor.process"), "process", unit, fill=True)]
    if budget:
        traces.append(_level(view, ahead, budget / size, t("monitor.budget"), unit))
    used = [max(one.system_used for one in group) / _GIB for _, group in groups]
    traces.append(line(groups, ahead, used, t("monitor.system"), "system", "GiB", axis="y2", fill=True))
    total = max((one.system_total for _, group in groups for one in group), default=0) / _GIB
    layout = time_layout(view, ahead)
    layout["yaxis"] = axis(unit, domain=[0.42, 1])
    layout["yaxis2"] = axis("GiB", domain=[0, 0.3]) | ({"range": [0, total]} if total else {})
    return figure(traces, layout)


def gpu_plot(view: View, ahead: float, index: int) -> str:
    """Memory of one GPU: what torch holds in tensors, what it has reserved, what all processes and what others use."""
    groups = grouped(view)
    columns = {
        name: [_highest(group, index, name) for _, group in groups]
        for name in ("allocated", "reserved", "used", "others")
    }
    size, unit = unit_of([value for column in columns.values() for value in column if value is not None])
    colours = {"allocated": "process", "reserved": "reserved", "used": "used", "others": "others"}
    traces = [
        line(groups, ahead, [None if one is None else one / size for one in column], said, colours[name], unit)
        for name, column in columns.items()
        if any(one is not None for one in column) and (said := t(f"monitor.gpu_{name}"))
    ]
    return figure(traces, time_layout(view, ahead) | {"yaxis": axis(unit)})


def load_plot(view: View, ahead: float, cores: int) -> str:
    """How busy CPU and GPUs are, in percent of all of each; below it temperatures, where a GPU tells one."""
    groups = grouped(view)
    process = [_mean(one.cpu / cores for one in group) for _, group in groups]
    system = [_mean(one.system_cpu for one in group) for _, group in groups]
    traces = [
        line(groups, ahead, process, t("monitor.cpu_process"), "process", "%"),
        line(groups, ahead, system, t("monitor.cpu_system"), "system", "%"),
    ]
    warm = []
    for number, gpu in enumerate(gpus_of(view)):
        name, colour = f"GPU {gpu.index}", GPU_COLOURS[number % len(GPU_COLOURS)]
        busy = [_average(group, gpu.index, "utilisation") for _, group in groups]
        degrees = [_average(group, gpu.index, "temperature") for _, group in groups]
        if any(one is not None for one in busy):
            traces.append(line(groups, ahead, busy, name, colour, "%"))
        if any(one is not None for one in degrees):
            warm.append(line(groups, ahead, degrees, f"{name} °C", colour, "°C", axis="y2"))
    layout = time_layout(view, ahead)
    layout["yaxis"] = axis("%", domain=[0.42, 1] if warm else [0, 1]) | {"range": [0, 102]}
    if warm:
        layout["yaxis2"] = axis("°C", domain=[0, 0.3])
    return figure([*traces, *warm], layout)


def queue_plot(view: View, ahead: float) -> str:
    """How many requests wait, and below it how long each one that was asked alone had waited."""
    groups = grouped(view)
    waiting = [max(one.waiting for one in group) for _, group in groups]
    depth = line(groups, ahead, waiting, t("monitor.waiting"), "process", "", fill=True)
    depth["line"] |= {"shape": "hv"}
    alone = [one for one in view.requests if not one.batch][-POINTS:]
    waits: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "name": t("monitor.waited"),
        "x": [_ms(one.time, ahead) for one in alone],
        "y": [round(one.queue_ms, 2) for one in alone],
        "yaxis": "y2",
        "marker": {"color": COLOURS["reserved"], "size": 5},
        "hovertemplate": "%{y:,.4~g} ms<extra></extra>",
    }
    layout = time_layout(view, ahead)
    layout["yaxis"] = axis("", domain=[0.42, 1]) | {"range": [0, max([*waiting, 3]) * 1.1], "tickformat": "d"}
    layout["yaxis2"] = axis("ms", domain=[0, 0.3]) | {"range": [0, max([one.queue_ms for one in alone] + [1]) * 1.15]}
    return figure([depth, waits], layout)


def gpus_of(view: View) -> tuple[GpuReading, ...]:
    """The GPUs of the newest sample."""
    return view.latest.gpus if view.latest is not None else ()


def grouped(view: View) -> list[Group]:
    """The samples of each point and the point's time, oldest first."""
    step = max(1, -(-view.seconds // POINTS))
    groups: dict[int, list[Sample]] = {}
    for one in view.samples:
        groups.setdefault(int(one.time // step), []).append(one)
    return [(group[-1].time, group) for group in groups.values()]


def unit_of(sizes: Iterable[float]) -> tuple[int, str]:
    """The bytes of a unit that suits these sizes, and its name."""
    return (_GIB, "GiB") if max(sizes, default=0) >= 2 * _GIB else (_MIB, "MiB")


def line(
    groups: Sequence[Group],
    ahead: float,
    values: Sequence[float | None],
    name: str,
    colour: str,
    unit: str,
    *,
    axis: str = "y",
    fill: bool = False,
) -> dict[str, Any]:
    """A line over time; None is a gap."""
    drawn = COLOURS.get(colour, colour)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [_ms(time, ahead) for time, _ in groups],
        "y": [None if one is None else round(one, 3) for one in values],
        "yaxis": axis,
        "line": {"color": drawn, "width": 2},
        "hovertemplate": f"%{{y:,.4~g}} {unit}",
    } | ({"fill": "tozeroy", "fillcolor": f"{drawn}22"} if fill else {})


def figure(traces: Sequence[dict[str, Any]], layout: dict[str, Any]) -> str:
    """The JSON that `ui.live_plot` takes."""
    base: dict[str, Any] = {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "@text", "size": 12, "family": "@font"},
        "margin": {"l": 8, "r": 8, "t": 30, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 11}},
        "hoverlabel": {"bgcolor": "@background", "font": {"color": "@text"}},
        "hovermode": "x unified",
        "showlegend": True,
    }
    return json.dumps({"data": list(traces), "layout": base | layout}, ensure_ascii=False, separators=(",", ":"))


def time_layout(view: View, ahead: float) -> dict[str, Any]:
    """The time axis, and a line wherever the model, its precision or a setting changed."""
    lines = [_marked(one, ahead) for one in view.markers if one.time >= view.begin]
    return {
        "xaxis": {
            "type": "date",
            "range": [_ms(view.begin, ahead), _ms(view.until, ahead)],
            "gridcolor": "@grid",
            "linecolor": "@grid",
            "zeroline": False,
            "automargin": True,
            "nticks": 6,
            "hoverformat": "%H:%M:%S",
            "tickformatstops": [{"dtickrange": [None, 60000], "value": "%H:%M:%S"}, {"value": "%H:%M"}],
            "anchor": "free",
            "position": 0,
        },
        "shapes": [shape for shape, _ in lines],
        "annotations": [said for _, said in lines],
    }


def axis(unit: str, domain: Sequence[float] = (0, 1)) -> dict[str, Any]:
    """A value axis that begins at nothing."""
    return {
        "domain": list(domain),
        "rangemode": "tozero",
        "gridcolor": "@grid",
        "zeroline": False,
        "automargin": True,
        "nticks": 5 if domain[1] - domain[0] > _LOW else 3,
        "ticksuffix": f" {unit}" if unit not in {"", "%"} else unit,
        "tickfont": {"size": 11},
    }


def marker_text(marker: Marker) -> str:
    """What changed, in a few words; names of models are text, never markup."""
    details = {name: str(value) for name, value in marker.details.items()}
    known = " ".join(value for value in details.values() if value and value != "None")
    return escape(f"{t(f'monitor.mark_{marker.kind}')} {known}".strip())


def _marked(marker: Marker, ahead: float) -> tuple[dict[str, Any], dict[str, Any]]:
    at, text = _ms(marker.time, ahead), marker_text(marker)
    style = {"color": "@faint", "width": 1, "dash": "dot"}
    shape = {"type": "line", "xref": "x", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": style}
    short = text if len(text) <= _LONGEST_MARK else f"{text[:_LONGEST_MARK]}…"
    said = {
        "x": at,
        "y": 1,
        "xref": "x",
        "yref": "paper",
        "text": short,
        "hovertext": text,
        "showarrow": False,
        "textangle": 90,
        "xanchor": "left",
        "yanchor": "top",
        "xshift": 1,
        "font": {"size": 10, "color": "@faint"},
    }
    return shape, said


_LONGEST_MARK = 26
"""Characters of a marker's text."""


def _level(view: View, ahead: float, value: float, name: str, unit: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [_ms(view.begin, ahead), _ms(view.until, ahead)],
        "y": [value, value],
        "line": {"color": COLOURS["budget"], "width": 1.5, "dash": "dash"},
        "hovertemplate": f"%{{y:,.4~g}} {unit}",
    }


def _ms(time: float, ahead: float) -> float:
    """Plotly's dates: milliseconds since 1970 on the browser's clock."""
    return round((time + ahead) * 1e3)


def _readings(group: Sequence[Sample], index: int, name: str) -> list[float]:
    values = [getattr(gpu, name) for one in group for gpu in one.gpus if gpu.index == index]
    return [float(value) for value in values if not isinstance(value, Missing)]


def _highest(group: Sequence[Sample], index: int, name: str) -> float | None:
    return max(_readings(group, index, name), default=None)


def _average(group: Sequence[Sample], index: int, name: str) -> float | None:
    known = _readings(group, index, name)
    return sum(known) / len(known) if known else None


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known)


Plot = Callable[[View, float], str]
