"""Release, collect, unload: each a button, and what it did to memory, which stays shown.

A press is a ticket of the process (ui.engine.keep) like every request: it waits for the request in hand, and a page
that is left or loaded anew finds it.
"""

from collections.abc import Callable
from html import escape

import streamlit as st

from engine.errors import WorkbenchError
from engine.model.memory import human_bytes
from engine.observe.types import Effect, Missing
from engine.run.queue import Ticket
from ui.engine import keep, recall, workbench
from ui.i18n import t
from ui.messages import show_error
from ui.monitor.clock import moment
from ui.monitor.state import ACTIONS, action_key, poll
from ui.results import show_busy

_ICONS = {"release": ":material/mop:", "collect": ":material/recycling:", "unload": ":material/eject:"}
_MOMENT, _POLL = 0.6, 1.0
"""Seconds that a run of the page waits for an action, and between polls after that."""
_STYLE = """<style>
.wb-effect{display:grid;grid-template-columns:1fr auto;gap:0 .8rem;align-items:baseline;padding:.45rem .7rem;
  border-left:3px solid #14a393;background:color-mix(in srgb,currentColor 5%,transparent);border-radius:0 .5rem .5rem 0;
  font-variant-numeric:tabular-nums;margin:.25rem 0}
.wb-effect b{font-weight:600}
.wb-effect span{text-align:right}
.wb-effect small{grid-column:1/-1;opacity:.75}
</style>"""


def actions() -> None:
    """The buttons, and below them the latest effect of each."""
    does: dict[str, Callable[[], Ticket[Effect]]] = {
        "release": lambda: workbench().release(),
        "collect": lambda: workbench().collect(),
        "unload": lambda: workbench().unload(),
    }
    tickets = [(name, found[1]) for name in ACTIONS if (found := recall(st.session_state.get(action_key(name))))]
    waiting = any(not ticket.wait(_MOMENT) for _, ticket in tickets)  # before the buttons, which follow from it
    empty = workbench().state().status == "empty"
    with st.container(horizontal=True, gap="small", key="monitor_actions"):
        for name in ACTIONS:
            st.button(
                t(f"monitor.{name}"),
                on_click=_begin,
                args=(name, does[name]),
                key=f"monitor_{name}",
                icon=_ICONS[name],
                help=t(f"monitor.{name}_help"),
                disabled=name == "unload" and empty,
            )
        if empty:
            st.button(t("monitor.load_again"), on_click=_load, key="monitor_load", icon=":material/replay:")
    if waiting:
        st.fragment(_waiting, run_every=poll(_POLL))(tickets)
        return
    _show(tickets)


def _load() -> None:
    workbench().load()


def _begin(name: str, act: Callable[[], Ticket[Effect]]) -> None:
    """A callback: no other widget's rerun can lose it. A press that comes twice unloads once."""
    if name == "unload" and workbench().state().status == "empty":
        return
    st.session_state[action_key(name)] = keep(name, act())


def _waiting(tickets: list[tuple[str, Ticket[Effect]]]) -> None:
    if all(ticket.state == "done" for _, ticket in tickets):
        st.rerun(scope="app")
    _show(tickets)


def _show(tickets: list[tuple[str, Ticket[Effect]]]) -> None:
    st.html(_STYLE)
    for name, ticket in sorted(tickets, key=lambda one: -one[1].created):
        if ticket.state != "done":
            show_busy(t("monitor.acting", action=t(f"monitor.{name}"), count=workbench().waiting()))
            continue
        try:
            st.html(effect_html(ticket.result(0)))
        except WorkbenchError as error:
            show_error(error)


def effect_html(effect: Effect) -> str:
    """Memory before and after, and the difference, of the process and of each GPU that torch uses."""
    rows = [(t("monitor.process"), effect.before.rss, effect.after.rss)]
    after = {gpu.index: gpu for gpu in effect.after.gpus}
    for gpu in effect.before.gpus:
        later = after.get(gpu.index)
        if later and not isinstance(gpu.reserved, Missing) and not isinstance(later.reserved, Missing):
            rows.append((t("monitor.gpu_memory", number=gpu.index), gpu.reserved, later.reserved))
    shown = []
    for name, before, then in rows:
        label = f"<b>{escape(t(f'monitor.{effect.action}'))}</b> · {escape(name)}"
        sizes = f"{human_bytes(before)} → {human_bytes(then)} <b>({difference_text(then - before)})</b>"
        shown.append(f"<div>{label}</div><span>{sizes}</span>")
    when = escape(t("monitor.acted_at", time=moment(effect.after.time)))
    return (
        f'<div class="wb-effect" role="status" data-testid="effect-{effect.action}">{"".join(shown)}'
        f"<small>{when}</small></div>"
    )


def difference_text(change: int) -> str:
    """`-3.0 MiB`, `+1.5 GiB`, `±0 B`, with a true minus sign."""
    if not change:
        return "±0 B"
    return f"{'+' if change > 0 else '−'}{human_bytes(abs(change))}"
