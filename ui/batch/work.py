"""Work of the page that may take long: a thread each, found again by key after a reload, followed by polls.

A page never waits for it longer than a moment. The threads know no Streamlit.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Any, Generic, TypeVar

import streamlit as st

from engine.errors import Cancelled, WorkbenchError
from engine.run.failures import as_workbench_error
from ui.i18n import t
from ui.messages import show_error
from ui.results import show_busy

Result = TypeVar("Result")

_MOMENT, _POLL = 0.6, 1.0
"""Seconds that a run of the page waits itself, and between polls after that."""
_KEPT = 60
_log = logging.getLogger(__name__)


class Work(Generic[Result]):
    """One piece of work on a daemon thread. `do` gets the work itself and tells it how far it is."""

    def __init__(self, key: Hashable, do: Callable[["Work[Result]"], Result]) -> None:
        self.key = key
        self.stop = threading.Event()
        self.done, self.total = 0, 0
        self._do = do
        self._future: Future[Result] = Future()
        threading.Thread(target=self._run, name="batch-page-work", daemon=True).start()

    def tell(self, done: int, total: int | None = None) -> None:
        """Note how far it is; `total` is 0 or None where that is not known.

        Raises:
            Cancelled: it was asked to stop.
        """
        if self.stop.is_set():
            raise Cancelled
        self.done, self.total = done, total or 0

    @property
    def over(self) -> bool:
        """Whether it has ended, well or not."""
        return self._future.done()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long; whether it is over."""
        wait([self._future], seconds)
        return self.over

    def result(self) -> Result:
        """What it gave, once it is over.

        Raises:
            WorkbenchError: what went wrong, as a user may read it.
        """
        failed = self._future.exception(0)
        if failed is not None:
            raise failed.with_traceback(None)
        return self._future.result(0)

    def _run(self) -> None:
        try:
            found = self._do(self)
        except BaseException as error:
            if not isinstance(error, WorkbenchError):
                _log.exception("work of the Batch page failed")
            self._future.set_exception(as_workbench_error(error))
        else:
            self._future.set_result(found)


@st.cache_resource(show_spinner=False)
def _works() -> "tuple[OrderedDict[Hashable, Work[Any]], threading.Lock]":
    return OrderedDict(), threading.Lock()


def begun(key: Hashable, do: Callable[[Work[Result]], Result]) -> Work[Result]:
    """The work under a key, begun now where nobody has yet; the oldest ones are stopped and forgotten."""
    works, lock = _works()
    with lock:
        if key not in works:
            works[key] = Work(key, do)
        works.move_to_end(key)
        while len(works) > _KEPT:
            works.popitem(last=False)[1].stop.set()
        return works[key]


def known(key: Hashable) -> Work[Any] | None:
    """The work under a key, where it was begun."""
    return _works()[0].get(key)


def forget(key: Hashable) -> None:
    """Stop it, and let it be begun anew."""
    works, lock = _works()
    with lock:
        found = works.pop(key, None)
    if found is not None:
        found.stop.set()


def follow(work: Work[Result], running: str, key: str, show: Callable[[Result], None]) -> None:
    """Show what it gave; until then how far it is, with a button that stops it; after a stop or an error, one that
    begins it anew. running: what it does, in words."""
    if not work.wait(_MOMENT):
        st.fragment(_waiting, run_every=_POLL)(work, running, key)
        return
    try:
        found = work.result()
    except WorkbenchError as error:
        show_error(error)
        again = t("batch.try_again")
        st.button(again, on_click=forget, args=(work.key,), key=f"{key}_again", icon=":material/replay:")
        return
    show(found)


def _waiting(work: Work[Any], running: str, key: str) -> None:
    if work.over:
        st.rerun(scope="app")
    if work.total:
        said = t("batch.of", done=f"{work.done:,}", total=f"{work.total:,}")
        st.progress(min(1.0, work.done / work.total), f"{running}: {said}")
    else:
        show_busy(f"{running}: {work.done:,}" if work.done else running)
    st.button(t("run.stop"), on_click=work.stop.set, key=f"{key}_stop", icon=":material/stop:")
