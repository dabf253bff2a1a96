"""The figures of an evaluation as Plotly charts; colours that read on a light and on a dark ground."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from engine.lab.calibration import Calibration, CurvePoint
from engine.lab.label_scores import LabelEvaluation
from ui.i18n import t

MOST_LABELS = 25
"""Labels on a side of a matrix that can still be read."""
CONFIG = {"displayModeBar": False}
_TEAL, _AMBER, _BLUE, _GREY = "#0d9488", "#d97706", "#026fd7", "#8a9693"
_INKS = {"light": "#15211f", "dark": "#e6eeec"}
"""Of figures that stand on a colour: the theme's text colours."""
_GROUND = [[0.0, "rgba(13,148,136,0.04)"], [1.0, "rgba(13,148,136,0.85)"]]
_NAME = 18
_CELL = 34
"""Pixels of a row of the matrix."""


def confusion(evaluation: LabelEvaluation) -> tuple[go.Figure, list[tuple[str | None, str | None]]]:
    """The matrix, and gold and chosen label of each point that can be clicked, in the points' order.

    A heatmap cannot be selected in: points that are not seen lie on its cells.
    """
    golds, chosen = evaluation.axes()
    counts = {(cell.gold, cell.chosen): cell.count for cell in evaluation.cells}
    shares = []
    for gold in golds:
        total = sum(counts.get((gold, one), 0) for one in chosen)
        shares.append([counts.get((gold, one), 0) / total if total else 0.0 for one in chosen])
    pairs = [(gold, one) for gold in golds for one in chosen if (gold, one) in counts]
    places = {name: place for place, name in enumerate(golds)}, {name: place for place, name in enumerate(chosen)}
    figure = go.Figure(go.Heatmap(z=shares, zmin=0, zmax=1, colorscale=_GROUND, showscale=False, hoverinfo="skip"))
    hidden, ink = {"marker": {"opacity": 0}}, _INKS["dark" if st.context.theme.type == "dark" else "light"]
    figure.add_scatter(
        x=[places[1][one] for _, one in pairs],
        y=[places[0][gold] for gold, _ in pairs],
        text=[f"{counts[pair]:,}" for pair in pairs],
        customdata=[[_full(gold), _full(one)] for gold, one in pairs],
        hovertemplate=f"{t('evaluate.gold')}: %{{customdata[0]}}<br>{t('evaluate.chosen')}: %{{customdata[1]}}"
        "<br>%{text}<extra></extra>",
        mode="markers+text",
        marker={"symbol": "square", "size": 26, "opacity": 0, "color": _TEAL},
        textfont={"color": ink},
        selected=hidden | {"textfont": {"color": ink}},
        unselected=hidden | {"textfont": {"color": ink}},
        showlegend=False,
    )
    figure.update_xaxes(
        title=t("evaluate.chosen"),
        tickvals=list(range(len(chosen))),
        ticktext=[_short(one) for one in chosen],
        side="top",
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        title=t("evaluate.gold"),
        tickvals=list(range(len(golds))),
        ticktext=[_short(one) for one in golds],
        autorange="reversed",
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    _laid_out(figure, 130 + _CELL * max(3, len(golds)), top=70)
    return figure, pairs


def calibration_chart(calibration: Calibration) -> go.Figure:
    """Share of right ones by probability; on the dashed line, probabilities mean what they say."""
    bins = [one for one in calibration.bins if one.count]
    figure = go.Figure()
    figure.add_bar(
        x=[(one.low + one.high) / 2 for one in bins],
        y=[one.count / calibration.count for one in bins],
        width=[(one.high - one.low) * 0.9 for one in bins],
        marker_color=_GREY,
        opacity=0.35,
        name=t("evaluate.share"),
        hovertemplate="%{y:.1%}<extra></extra>",
    )
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"dash": "dash", "color": _GREY, "width": 1}, showlegend=False,
        hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(
        x=[one.probability for one in bins],
        y=[one.right for one in bins],
        mode="lines+markers",
        line={"color": _TEAL},
        name=t("evaluate.right_share"),
        customdata=[one.count for one in bins],
        hovertemplate="%{x:.1%} → %{y:.1%} (%{customdata})<extra></extra>",
    )
    _shares(figure, t("values.score"))
    return figure


def threshold_chart(curve: Sequence[CurvePoint], best: CurvePoint | None) -> go.Figure:
    """What a threshold would do to precision, recall, F1 and coverage."""
    figure = go.Figure()
    lines: tuple[tuple[str, str, str, str], ...] = (
        ("precision", t("evaluate.precision"), _TEAL, "solid"),
        ("recall", t("evaluate.recall"), _BLUE, "dash"),
        ("f1", t("evaluate.f1"), _AMBER, "solid"),
        ("coverage", t("evaluate.coverage"), _GREY, "dot"),
    )
    for name, said, colour, dash in lines:
        figure.add_scatter(
            x=[point.threshold for point in curve],
            y=[getattr(point, name) for point in curve],
            mode="lines",
            line={"color": colour, "dash": dash},
            name=said,
            hovertemplate=f"%{{y:.1%}}<extra>{said}</extra>",
        )
    if best is not None:
        figure.add_vline(x=best.threshold, line={"color": _AMBER, "width": 1, "dash": "dash"})
    _shares(figure, t("evaluate.threshold"))
    figure.update_layout(hovermode="x unified")
    return figure


def _shares(figure: go.Figure, name: str) -> None:
    axis: dict[str, Any] = {"range": [0, 1.02], "tickformat": ".0%", "fixedrange": True}
    figure.update_xaxes(title=name, **axis)
    figure.update_yaxes(**axis)
    _laid_out(figure, 300, top=10)


def _laid_out(figure: go.Figure, height: int, top: int) -> None:
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": top, "b": 10},
        legend={"orientation": "h", "y": -0.25},
        dragmode=False,
        clickmode="event+select",
    )


def _full(name: str | None) -> str:
    """A label in a hover text, whose markup it must not become."""
    said = t("result.none") if name is None else name
    return said.replace("<", "‹").replace(">", "›").replace("&", "＆")


def _short(name: str | None) -> str:
    said = _full(name)
    return said if len(said) <= _NAME else f"{said[: _NAME - 1]}…"
