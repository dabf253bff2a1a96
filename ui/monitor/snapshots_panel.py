"""Snapshots: made by a button under a name or by the workbench itself; their table, the difference of two, a plot."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from engine.model.memory import human_bytes
from engine.observe.snapshots import Change, difference, label
from engine.observe.types import Bytes, Missing, Snapshot
from ui.i18n import phrase_text, t
from ui.live_plot import live_plot
from ui.monitor.actions import difference_text
from ui.monitor.charts import COLOURS, GPU_COLOURS, axis, figure, unit_of
from ui.monitor.clock import moment
from ui.monitor.exports import links
from ui.monitor.latency import TABLE_STYLE
from ui.monitor.state import SPANS, every
from ui.monitor.view import monitor

FROM, TO = "monitor_from", "monitor_to"
_TAG, _DELETED = "monitor_tag", "monitor_deleted"
_POLL = 5.0
_SHOWN = 60
"""Snapshots in the table and the plot at most, the newest; all are in the file."""


def snapshots_panel() -> None:
    """Everything about snapshots."""
    with st.form("monitor_snapshot", clear_on_submit=True, border=False, enter_to_submit=True):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        left.text_input(t("snapshots.name"), key=_TAG, max_chars=80, placeholder=t("snapshots.name_hint"))
        right.form_submit_button(
            t("snapshots.take"), on_click=_take, key="monitor_take", icon=":material/photo_camera:", width="stretch"
        )
    st.fragment(_kept, run_every=every(_POLL))()


def _kept() -> None:
    taken = monitor().snapshots()
    if not taken:
        st.info(t("snapshots.empty"), icon=":material/photo_camera:")
        return
    st.html(snapshots_table(taken[-_SHOWN:]))
    if len(taken) > _SHOWN:
        st.caption(t("snapshots.shown", count=_SHOWN, total=len(taken)))
    _tools(taken)
    if len(taken) > 1:
        _compare(taken)
    st.markdown(f"**{t('snapshots.plot')}**")
    live_plot(
        snapshots_plot(taken[-_SHOWN:]),
        key="monitor_snapshots_plot",
        height=260,
        alt=t("snapshots.plot"),
        failed=t("monitor.plot_failed"),
    )


def _tools(taken: Sequence[Snapshot]) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        with st.popover(t("snapshots.delete"), icon=":material/delete:", key="monitor_delete_some"):
            names = {one.id: full_label(one) for one in taken}
            state = st.session_state
            if any(one not in names for one in state.get(_DELETED) or []):
                state[_DELETED] = [one for one in state[_DELETED] if one in names]
            st.multiselect(
                t("snapshots.which"), list(names), key=_DELETED, format_func=lambda one: names.get(one, str(one))
            )
            st.button(
                t("snapshots.delete_now"), on_click=_delete, key="monitor_delete", disabled=not state.get(_DELETED)
            )
        st.html(links(str(SPANS[0]), {"snapshots.csv": "snapshots"}), width="content")


def _compare(taken: Sequence[Snapshot]) -> None:
    by_id = {one.id: one for one in taken}
    state = st.session_state
    for key, otherwise in ((FROM, taken[0].id), (TO, taken[-1].id)):
        if state.get(key) not in by_id:
            state[key] = otherwise
    st.markdown(f"**{t('snapshots.difference')}**")
    columns = st.columns(2)
    for column, key in zip(columns, (FROM, TO), strict=True):
        column.selectbox(
            t(f"snapshots.{'from' if key == FROM else 'to'}"),
            list(by_id),
            key=key,
            format_func=lambda one: full_label(by_id[one]) if one in by_id else str(one),
        )
    st.html(difference_table(by_id[state[FROM]], by_id[state[TO]]))


def _take() -> None:
    st.session_state[TO] = monitor().snapshot(st.session_state.get(_TAG) or "").id


def _delete() -> None:
    for number in st.session_state.get(_DELETED) or []:
        monitor().forget_snapshot(number)
    st.session_state[_DELETED] = []


def full_label(snapshot: Snapshot) -> str:
    """Its name and when it was made: names may be the same."""
    return f"{phrase_text(label(snapshot))} · {moment(snapshot.sample.time)}"


def snapshots_table(taken: Sequence[Snapshot]) -> str:
    """A row each, the newest first. Names are escaped."""
    gpus = sorted({gpu.index for one in taken for gpu in one.sample.gpus})
    heads = [t("snapshots.snapshot"), t("snapshots.time"), t("monitor.process"), t("monitor.peak"), t("monitor.system")]
    heads += [t("monitor.gpu_memory", number=index) for index in gpus]
    heads += [t("snapshots.requests"), t("snapshots.model")]
    rows = []
    for one in reversed(taken):
        sample = one.sample
        reserved = {gpu.index: gpu.reserved for gpu in sample.gpus}
        sizes: list[Bytes] = [sample.rss, sample.peak, sample.system_used]
        cells = [_size(size) for size in sizes]
        cells += [_size(reserved[index]) if index in reserved else "–" for index in gpus]
        mark = "" if one.automatic else " wb-own"
        rows.append(
            f'<tr class="wb-snapshot{mark}"><th scope="row">{escape(phrase_text(label(one)))}</th>'
            f"<td>{moment(sample.time)}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}"
            f'<td>{one.requests:,}</td><td class="wb-text">{escape(one.model) or "–"}</td></tr>'
        )
    last = f'<th scope="col" class="wb-text">{escape(heads.pop())}</th>'
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads) + last
    style = "<style>.wb-own>th:first-child{font-weight:600!important}</style>"
    return (
        f'{TABLE_STYLE}{style}<div class="wb-table" tabindex="0" data-testid="snapshots">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def difference_table(before: Snapshot, after: Snapshot) -> str:
    """What changed between two, figure by figure."""
    rows = [_changed(one) for one in difference(before, after)]
    passed = after.sample.time - before.sample.time
    answered = after.requests - before.requests
    more = t("snapshots.between", seconds=f"{passed:,.0f}", count=f"{answered:+,}")
    heads = ["", phrase_text(label(before)), phrase_text(label(after)), t("snapshots.change")]
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return (
        f'{TABLE_STYLE}<div class="wb-table" tabindex="0" data-testid="difference">{table}</div>'
        f'<div style="font-size:.875rem;opacity:.75;margin-top:.3rem">{escape(more)}</div>'
    )


def snapshots_plot(taken: Sequence[Snapshot]) -> str:
    """A bar a snapshot: what the process held, and torch's share of each GPU."""
    names = [escape(f"{phrase_text(label(one))} #{one.id}") for one in taken]
    columns: dict[str, list[int | None]] = {t("monitor.process"): [one.sample.rss for one in taken]}
    for index in sorted({gpu.index for one in taken for gpu in one.sample.gpus}):
        found = [next((gpu.reserved for gpu in one.sample.gpus if gpu.index == index), None) for one in taken]
        columns[t("monitor.gpu_memory", number=index)] = [size if isinstance(size, int) else None for size in found]
    size, unit = unit_of([one for column in columns.values() for one in column if one is not None])
    colours = (COLOURS["process"], *GPU_COLOURS)
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": names,
            "y": [None if one is None else round(one / size, 3) for one in column],
            "marker": {"color": colours[number % len(colours)]},
            "hovertemplate": f"%{{y:,.4~g}} {unit}",
        }
        for number, (name, column) in enumerate(columns.items())
    ]
    layout = {
        "yaxis": axis(unit),
        "xaxis": {"automargin": True, "tickfont": {"size": 11}, "type": "category"},
        "bargap": 0.35,
        "showlegend": len(traces) > 1,
    }
    return figure(traces, layout)


def _changed(change: Change) -> str:
    name = t(f"monitor.{FIGURES[change.figure]}")
    if change.gpu is not None:
        name = f"GPU {change.gpu} · {name}"
    changed = (
        phrase_text(change.change.reason) if isinstance(change.change, Missing) else difference_text(change.change)
    )
    return (
        f'<tr><th scope="row">{escape(name)}</th><td>{_size(change.before)}</td><td>{_size(change.after)}</td>'
        f"<td>{escape(changed)}</td></tr>"
    )


FIGURES = {
    "rss": "process",
    "peak": "peak",
    "system_used": "system",
    "allocated": "gpu_allocated",
    "reserved": "gpu_reserved",
    "used": "gpu_used",
    "others": "gpu_others",
}


def _size(size: Bytes) -> str:
    if isinstance(size, Missing):
        return f'<span title="{escape(phrase_text(size.reason))}">–</span>'
    return human_bytes(size)
