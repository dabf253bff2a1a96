"""Follows runs of prompts on the page, from the button to the answer, both lanes side by side.

An answer is shown as it grows, by one run of the page that looks at the ticket and writes what is new. Anything that
the user does meanwhile ends that run of the page, not the run of the model: the next one goes on where the ticket is.
When an answer is there the page runs once more, so that the history has it.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.errors import WorkbenchError
from engine.run.queue import Ticket
from engine.types import PromptResult
from ui.engine import recall, workbench
from ui.i18n import t
from ui.prompt.answer import QUIET, live_html, show_answer, show_stopped
from ui.prompt.draft import Draft
from ui.results import show_busy
from ui.runs import Runs, show_progress

TICK = 0.1
"""Seconds between looks at an answer that is being written."""
_MOMENT = 0.25
"""Seconds in which an answer that comes at once is waited for."""


@dataclass(frozen=True)
class Lane:
    """One set of settings on the page.

    now: what Run would ask. place: an `st.empty` of this run of the page. head: said above the answer, where there are
        two.
    """

    name: str
    runs: Runs
    now: Draft
    place: DeltaGenerator
    head: str = ""

    def run(self) -> tuple[Draft, Ticket[PromptResult]] | None:
        """The last run, where there was one."""
        return recall(st.session_state.get(self.runs.ticket))


def wait_a_moment(lanes: Sequence[Lane]) -> None:
    """Give answers that were just asked for the time to come at once, so that nothing flickers.

    Meanwhile the browser empties the lanes' places: of an earlier answer nothing stays below one that begins.
    """
    end = time.monotonic() + _MOMENT
    for lane in lanes:
        run = lane.run()
        if run is not None and lane.runs.was_just_asked():
            run[1].wait(max(0.05, end - time.monotonic()))


def show_lanes(lanes: Sequence[Lane], address: str, above: DeltaGenerator) -> None:
    """Every lane's run: none yet, going on, failed, or answered.

    While one goes on this does not return: the page runs again when it is over. Call it last on the page.

    above: an `st.empty` for what two whole answers have in common.
    """
    live = []
    for lane in lanes:
        with lane.place.container():
            if lane.head:
                st.markdown(f"**{lane.name.upper()}** · {lane.head}")
            lane.runs.show_refusal()
            run = lane.run()
            if run is None:
                if lane.runs.error not in st.session_state:
                    st.info(t("prompt.empty"), icon=":material/edit_note:")
            elif run[1].state == "done":
                _show_over(lane, *run, address)
            else:
                live.append(_Live(lane, *run))
    if len(lanes) > 1 and not live:
        _compare(lanes, above)
    if live:
        while _refresh(live):
            live[0].ticket.wait(TICK)
        st.rerun()


def _show_over(lane: Lane, asked: Draft, ticket: Ticket[PromptResult], address: str) -> None:
    stale = asked != lane.now
    if stale:
        st.caption(f":material/history: {t('run.stale')}")
    try:
        result = ticket.result(0)
    except WorkbenchError as error:
        show_stopped(error, ticket.partial, lane.name, stale=stale)
        return
    show_answer(result, asked, lane.name, stale=stale, address=address)


@dataclass
class _Live:
    """The part of the page that shows one run going on."""

    lane: Lane
    asked: Draft
    ticket: Ticket[PromptResult]
    _said: Any = None
    _shown: str = ""
    _status: DeltaGenerator = field(init=False)
    _text: DeltaGenerator = field(init=False)

    def __post_init__(self) -> None:
        """In the lane's place: how far it is, the Stop button, the text."""
        st.html(QUIET)
        self._status = st.empty()
        st.button(t("run.stop"), on_click=self.ticket.cancel, key=self.lane.runs.stop, icon=":material/stop:")
        self._text = st.empty()

    def refresh(self) -> bool:
        """Show what is new; whether it goes on. The look at session_state lets the page end here."""
        st.session_state.get(self.lane.runs.ticket)
        written = self.ticket.partial
        seconds = 0 if self.ticket.started is None else int(time.perf_counter() - self.ticket.started)
        state = workbench().state()
        said = (self.ticket.state, state.status, state.progress, workbench().waiting(), seconds, bool(written))
        if said != self._said:
            self._said = said
            with self._status.container():
                if written:
                    show_busy(t("prompt.writing", seconds=seconds, count=f"{len(written):,}"))
                else:
                    show_progress(self.ticket, self._waits_for(seconds))
        if written != self._shown:
            self._shown = written
            self._text.html(live_html(written))
        return self.ticket.state != "done"

    def _waits_for(self, seconds: int) -> str:
        """What the model does while it shows nothing: a beam search shows nothing before its end."""
        beams = self.asked.writing.beams
        return t("prompt.searching", count=beams, seconds=seconds) if beams > 1 else t("prompt.running")


def _refresh(live: Sequence[_Live]) -> bool:
    """Refresh every one, also behind one that is over; whether all go on."""
    return min([one.refresh() for one in live])


def _compare(lanes: Sequence[Lane], above: DeltaGenerator) -> None:
    """Whether two whole answers are the same, and where they part."""
    texts = []
    for lane in lanes:
        run = lane.run()
        if run is None or run[1].state != "done" or run[1].error is not None:
            return
        texts.append(run[1].result(0).text)
    first, second = texts
    if first == second:
        said = t("prompt.same")
    else:
        pairs = enumerate(zip(first, second, strict=False), 1)
        place = next((number for number, (one, other) in pairs if one != other), min(map(len, texts)) + 1)
        said = t("prompt.differ", place=f"{place:,}")
    above.caption(f":material/compare: {said}")
