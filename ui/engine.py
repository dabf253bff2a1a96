"""The process's one Workbench, and the tickets that browsers wait for.

Held by `st.cache_resource`, never in a module global: Streamlit may import a module again, a cached object stays.
"""

import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.jobs.runner import Runner
from engine.jobs.store import JobStore
from engine.observe.log import setup_log
from engine.run.queue import Ticket
from engine.run.workbench import Workbench
from engine.settings import load_settings
from engine.types import Capability

_TICKETS_KEPT = 200


@st.cache_resource(show_spinner=False)
def workbench() -> Workbench:
    """The engine of this process, with the settings of file and environment."""
    settings = load_settings()
    setup_log(settings)
    return Workbench(settings)


@dataclass(frozen=True)
class Jobs:
    """The jobs of the data folder, and the thread that runs them one after another."""

    store: JobStore
    runner: Runner


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The jobs of this process; those that wait go on from here."""
    store = JobStore(workbench().settings.data_dir)
    runner = Runner(workbench(), store)
    runner.start()
    return Jobs(store, runner)


def capabilities() -> tuple[Capability, ...] | None:
    """What the loaded model states that it can do; None while none is loaded."""
    info = workbench().state().info
    return None if info is None else info.capabilities


@st.cache_resource(show_spinner=False)
def _tickets() -> "OrderedDict[str, tuple[Any, Ticket[Any]]]":
    return OrderedDict()


def keep(request: Any, ticket: Ticket[Any]) -> str:
    """Keep a request and its ticket, so that a reloaded page finds them; returns an id that cannot be guessed."""
    name = secrets.token_urlsafe(12)
    tickets = _tickets()
    tickets[name] = (request, ticket)
    while len(tickets) > _TICKETS_KEPT:
        tickets.popitem(last=False)
    return name


def recall(name: str | None) -> tuple[Any, Ticket[Any]] | None:
    """The request and ticket of an id; None if unknown or forgotten."""
    return _tickets().get(name) if name else None
