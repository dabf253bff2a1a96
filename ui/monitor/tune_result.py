"""What a sweep found: a table, a plot with the advised setting and the budget marked, and buttons that adopt one."""

from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from engine.errors import WorkbenchError
from engine.lab.knee import SweepResult, SweepRow
from engine.lab.sweep import SweepJob, SweepKind, adopt
from engine.model.memory import human_bytes
from ui.engine import workbench
from ui.i18n import error_texts, phrase_text, t
from ui.live_plot import live_plot
from ui.messages import plain, show_error
from ui.monitor.charts import COLOURS, axis, figure, unit_of
from ui.monitor.latency import TABLE_STYLE, milliseconds

_ADOPTED = "tune_adopted"
_HEIGHT = 460


def show_sweep(job: SweepJob, kind: SweepKind) -> None:
    """A sweep that is over: done, stopped with what was measured, or failed."""
    if job.state == "cancelled":
        st.info(t("tune.cancelled"), icon=":material/stop_circle:")
    elif job.error is not None:
        show_error(job.error)
    result = job.result
    rows = result.rows if result is not None else job.rows
    if not rows:
        return
    if result is not None:
        _say(result, kind)
        _adopt_buttons(result, kind)
    show_rows(rows, kind, result)
    measured = [row for row in rows if not row.error]
    if measured:
        live_plot(
            sweep_plot(measured, kind, result),
            key="tune_plot",
            height=_HEIGHT,
            alt=t("tune.plot"),
            failed=t("monitor.plot_failed"),
            view=job.id,
        )


def show_rows(rows: Sequence[SweepRow], kind: SweepKind, result: SweepResult | None = None) -> None:
    """The table; the advised row is marked."""
    st.html(rows_table(rows, kind, result))
    if result is not None and result.padding is not None:
        st.caption(plain(t("tune.padding_note", reason=phrase_text(result.padding))))


def rows_table(rows: Sequence[SweepRow], kind: SweepKind, result: SweepResult | None) -> str:
    """Throughput with its spread, latency, memory and padding of every setting."""
    heads = [t(f"tune.setting_{kind}"), t("tune.throughput"), "P50", "P95", t("tune.peak"), t("tune.padding")]
    body = []
    for row in rows:
        if row.error:
            said = escape(_problem(row))
            body.append(f'<tr><th scope="row">{row.setting}</th><td class="wb-text" colspan="5">{said}</td></tr>')
            continue
        over = result is not None and result.budget is not None and row.peak > result.budget
        memory = (human_bytes(row.peak) if row.peak else "–") + (f" ⚠ {escape(t('tune.over'))}" if over else "")
        cells = [
            f"{row.texts_per_second:,.1f} <small>({row.spread[0]:,.1f} – {row.spread[1]:,.1f})</small>",
            milliseconds(row.p50_ms),
            milliseconds(row.p95_ms),
            memory,
            "–" if row.padding is None else f"{row.padding:.0%}",
        ]
        best = result is not None and row.setting == result.knee
        mark = f" ★ {escape(t('tune.advised'))}" if best else ""
        body.append(
            f'<tr{" class=wb-best" if best else ""}><th scope="row">{row.setting}{mark}</th>'
            f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        )
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    return f'{TABLE_STYLE}<div class="wb-table wb-tight" tabindex="0" data-testid="sweep">{table}</div>'


def sweep_plot(rows: Sequence[SweepRow], kind: SweepKind, result: SweepResult | None) -> str:
    """Throughput with its spread, P95 and peak memory over the settings; the advised one and the budget are marked."""
    names = [str(row.setting) for row in rows]
    budget = result.budget if result is not None else None
    size, unit = unit_of([*(row.peak for row in rows), budget or 0])
    speed = _course(names, [row.texts_per_second for row in rows], t("tune.throughput"), COLOURS["process"], "y")
    speed["error_y"] = {
        "type": "data",
        "symmetric": False,
        "array": [row.spread[1] - row.texts_per_second for row in rows],
        "arrayminus": [row.texts_per_second - row.spread[0] for row in rows],
        "thickness": 1.2,
        "width": 5,
    }
    traces = [
        speed,
        _course(names, [row.p95_ms for row in rows], t("tune.p95"), COLOURS["used"], "y2"),
        _course(names, [row.peak / size for row in rows], t("tune.peak"), COLOURS["reserved"], "y3"),
    ]
    if budget:
        level = _course(names, [budget / size] * len(names), t("monitor.budget"), COLOURS["budget"], "y3")
        traces.append(level | {"mode": "lines", "line": {"color": COLOURS["budget"], "dash": "dash", "width": 1.5}})
    layout: dict[str, Any] = {
        "xaxis": {
            "type": "category",
            "title": {"text": t(f"tune.setting_{kind}"), "font": {"size": 11}},
            "automargin": True,
            "anchor": "free",
            "position": 0,
        },
        "yaxis": axis("", domain=[0.68, 1]),
        "yaxis2": axis("ms", domain=[0.34, 0.62]),
        "yaxis3": axis(unit, domain=[0, 0.28]),
        "shapes": [],
    }
    if result is not None and result.knee is not None and str(result.knee) in names:
        at = names.index(str(result.knee))
        layout["shapes"] = [
            {
                "type": "rect",
                "xref": "x",
                "yref": "paper",
                "x0": at - 0.4,
                "x1": at + 0.4,
                "y0": 0,
                "y1": 1,
                "fillcolor": f"{COLOURS['process']}1f",
                "line": {"width": 0},
                "layer": "below",
            }
        ]
    return figure(traces, layout)


def _course(names: Sequence[str], values: Sequence[float], name: str, colour: str, at: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(names),
        "y": [round(one, 3) for one in values],
        "yaxis": at,
        "line": {"color": colour, "width": 2},
        "hovertemplate": "%{y:,.4~g}",
    }


def _say(result: SweepResult, kind: SweepKind) -> None:
    if result.knee is None:
        st.warning(t("tune.none_fits" if result.budget else "tune.none_measured"), icon=":material/warning:")
        return
    by_setting = {row.setting: row for row in result.rows}
    knee, best = by_setting[result.knee], by_setting[result.best or result.knee]
    share = knee.texts_per_second / best.texts_per_second if best.texts_per_second else 1.0
    if knee is best:
        said = t(f"tune.fastest_{kind}", setting=knee.setting)
    else:
        said = t(f"tune.found_{kind}", setting=knee.setting, share=f"{share:.0%}", best=best.setting)
    st.success(plain(said), icon=":material/check_circle:")


def _adopt_buttons(result: SweepResult, kind: SweepKind) -> None:
    """The advised setting first and loud, the others beside it; what is in use is said."""
    now = in_use(kind)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="tune_adopt_row"):
        if result.knee is not None:
            _adopt_button(kind, result.knee, t("tune.adopt", setting=result.knee), now, advised=True)
            st.caption(t("tune.or"), width="content")
        for row in result.rows:
            if not row.error and row.setting != result.knee:
                _adopt_button(kind, row.setting, str(row.setting), now)
    if st.session_state.get(_ADOPTED) is not None:
        show_error(st.session_state[_ADOPTED])
    usual = t("tune.usual")
    st.html(
        f'<div data-testid="in-use" style="font-size:.875rem;opacity:.8">'
        f"{escape(t(f'tune.in_use_{kind}', setting=usual if now is None else now))}</div>"
    )


def _adopt_button(kind: SweepKind, setting: int, said: str, now: int | None, *, advised: bool = False) -> None:
    st.button(
        said,
        on_click=_adopt,
        args=(kind, setting),
        key=f"tune_adopt_{setting}",
        type="primary" if advised else "secondary",
        icon=":material/check:" if setting == now else None,
        help=t("tune.adopt_help", setting=setting),
    )


def in_use(kind: SweepKind) -> int | None:
    """The setting that is used now; None: the usual one."""
    return workbench().batch_size if kind == "batch" else workbench().settings.threads


def _adopt(kind: SweepKind, setting: int) -> None:
    st.session_state.pop(_ADOPTED, None)
    try:
        adopt(workbench(), kind, setting)
    except WorkbenchError as error:
        st.session_state[_ADOPTED] = error


def _problem(row: SweepRow) -> str:
    """Why a setting has no figures."""
    problem = getattr(row, "problem", None)
    error = problem if isinstance(problem, WorkbenchError) else WorkbenchError(row.error)
    return " ".join(part for part in error_texts(error) if part)
