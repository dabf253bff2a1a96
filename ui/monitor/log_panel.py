"""The log as it grows: newest last, filtered by level. Its lines are escaped: they may name what users typed."""

from html import escape

import streamlit as st

from engine.observe.types import LogLine
from ui.i18n import t
from ui.monitor.clock import moment
from ui.monitor.state import LEVEL, LEVELS, every, paused
from ui.monitor.view import monitor

_LINES = 400
"""Lines shown at most, the newest."""
_LONGEST = 2000
"""Characters of a line."""
_POLL = 2.0
_KEPT = "monitor_log_lines"
STYLE = """<style>
.wb-log{display:flex;flex-direction:column-reverse;overflow:auto;max-height:32rem;padding:.6rem .8rem;
  border-radius:.5rem;border:1px solid color-mix(in srgb,currentColor 16%,transparent);
  font:.8125rem/1.5 "Source Code Pro",ui-monospace,monospace}
.wb-log ol{list-style:none;margin:0;padding:0}
.wb-log li{margin:0;padding:0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:inherit}
.wb-log time,.wb-log i{opacity:.65;font-style:normal}
.wb-log b{font-weight:600;display:inline-block;min-width:4.6em}
.wb-log .wb-warning b{color:#d97706}
.wb-log .wb-error b{color:#ef4444}
.wb-log .wb-debug{opacity:.75}
</style>"""


def log_panel() -> None:
    """The filter, and the lines, which follow by themselves unless the page is paused."""
    st.segmented_control(
        t("monitor.level"), LEVELS, required=True, key=LEVEL, persist_state="session", help=t("monitor.level_help")
    )
    still = paused()
    if not still:
        st.session_state.pop(_KEPT, None)
    st.fragment(_lines, run_every=every(_POLL))(still)


def _lines(still: bool) -> None:
    level = str(st.session_state[LEVEL])
    lines: tuple[LogLine, ...] | None = st.session_state.get(_KEPT) if still else None
    if lines is None:
        lines = monitor().log("DEBUG")
        if still:
            st.session_state[_KEPT] = lines
    st.html(log_html([one for one in lines if LEVELS.index(_level(one)) >= LEVELS.index(level)]))


def log_html(lines: list[LogLine]) -> str:
    """The newest lines as a list that keeps to its end while it grows."""
    if not lines:
        return f'<div class="wb-log">{STYLE}<span>{escape(t("monitor.log_empty"))}</span></div>'
    rows = "".join(
        f'<li class="wb-{_level(one).lower()}"><time>{moment(one.time)}</time> <b>{escape(one.level)}</b>'
        f"<i>{escape(one.source)}</i> {escape(one.text[:_LONGEST])}</li>"
        for one in lines[-_LINES:]
    )
    name = escape(t("monitor.log"))
    attributes = f'role="log" tabindex="0" aria-label="{name}" data-testid="log"'
    return f'{STYLE}<div class="wb-log" {attributes}><ol>{rows}</ol></div>'


def _level(one: LogLine) -> str:
    return one.level if one.level in LEVELS else "ERROR" if one.level == "CRITICAL" else "INFO"
