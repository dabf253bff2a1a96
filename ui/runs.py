"""A page's runs, from the button to the answer: submit, wait, stop, and find it again after a reload.

The ticket of the last run lives in the process under an id (ui.engine.keep); the id is in session_state, so that page
changes and reloads find the run, going on or answered. It knows neither the request nor how an answer looks.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.errors import WorkbenchError
from engine.run.queue import Ticket
from ui.engine import keep, recall, workbench
from ui.i18n import t
from ui.messages import show_error
from ui.results import show_busy
from ui.sidebar import progress_text

_MOMENT, _POLL = 0.8, 1.0
"""Seconds a run of the page waits for an answer itself, and between polls after that."""
_JUST = 1.0
"""Seconds after Run in which an edit that was made before it may still arrive."""


@dataclass(frozen=True)
class Runs:
    """One kind of run of a page. Its keys in session_state begin with `name`; `stop` is the key of its Stop button."""

    name: str
    stop: str = "stop"

    @property
    def ticket(self) -> str:
        """The key of the last run's id: what the tab should remember."""
        return f"{self.name}_ticket"

    @property
    def error(self) -> str:
        """The key of the error of a request that was refused at once."""
        return f"{self.name}_error"

    def submit(self, request: Any, ask: Callable[[Any], Ticket[Any]]) -> None:
        """Stop the earlier run and ask anew; for a callback, so that another widget's rerun cannot lose the run."""
        st.session_state.pop(self.error, None)
        earlier = recall(st.session_state.get(self.ticket))
        if earlier is not None:
            earlier[1].cancel()
        try:
            ticket = ask(request)
        except WorkbenchError as error:
            st.session_state[self.error] = error
            return
        st.session_state[self.ticket] = keep(request, ticket)

    def was_just_asked(self) -> bool:
        """Whether Run was pressed a moment ago."""
        run = recall(st.session_state.get(self.ticket))
        return run is not None and time.perf_counter() - run[1].created < _JUST

    def show_refusal(self) -> None:
        """The error of a request that was refused at once, where there is one."""
        if self.error in st.session_state:
            show_error(st.session_state[self.error])

    def result_area(
        self,
        request: Any,
        show: Callable[[Any, Any, bool], None],
        *,
        empty: Callable[[], object],
        running: str,
    ) -> None:
        """The last run: none yet, going on, failed, or answered, perhaps for earlier input; refusals apart.

        request: what Run would ask now. show: given the result, its own request, and whether that is an earlier one.
        empty: shows what to do first. running: what is said while the model works.
        """
        run = recall(st.session_state.get(self.ticket))
        if run is None:
            if self.error not in st.session_state:
                empty()
            return
        asked, ticket = run
        place = st.empty()
        with place.container():
            if not ticket.wait(0):
                show_progress(ticket, running)
        # Most answers come within a moment: they are shown in this very run. Others are polled for, not faster than a
        # run of the page takes on a busy machine: a poll interrupts the run before it, and an answer would never be
        # shown.
        if not ticket.wait(_MOMENT):
            place.empty()
            st.fragment(self._waiting, run_every=_POLL)(ticket, running)
            return
        place.empty()
        try:
            result = ticket.result(0)
        except WorkbenchError as error:
            show_error(error)
            return
        stale = asked != request
        if stale:
            st.caption(f":material/history: {t('run.stale')}")
        show(result, asked, stale)

    def _waiting(self, ticket: Ticket[Any], running: str) -> None:
        if ticket.state == "done":
            st.rerun(scope="app")
        show_progress(ticket, running)
        st.button(t("run.stop"), on_click=ticket.cancel, key=self.stop, icon=":material/stop:")


def show_progress(ticket: Ticket[Any], running: str) -> None:
    """What the run waits for: the model, its turn, or the answer, as far as it has come."""
    state = workbench().state()
    if state.status == "loading":
        fraction = state.progress.fraction if state.progress else None
        st.progress(fraction or 0.0, progress_text(state.progress))
        return
    if ticket.state == "queued":
        show_busy(t("run.queued", count=workbench().waiting()))
        return
    done = ticket.progress
    if done is None or done[1] < 2:
        show_busy(running)
    else:
        st.progress(min(1.0, done[0] / done[1]), t("run.prompt", number=min(done[0] + 1, done[1]), count=done[1]))
