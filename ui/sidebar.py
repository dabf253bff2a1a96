"""The sidebar of every page: which model answers, how far its load is, and the switches for both.

It polls the engine from a fragment, so that a load in another browser shows here too.
"""

import html

import streamlit as st

from engine.errors import WorkbenchError
from engine.model.catalog import CATALOG
from engine.model.memory import human_bytes
from engine.run.slot import ModelState
from engine.types import Capability, LoadProgress, Note
from ui.engine import capabilities, workbench
from ui.i18n import LANGUAGES, choose_language, error_texts, language, note_text, t
from ui.memory_chip import memory_chip
from ui.messages import plain, show_error
from ui.models import choose_model, chosen

_CACHE_POLL = 5.0
"""Seconds between looks at how much is kept."""
_MOMENT = 1.0
"""Seconds that a press waits to see its effect."""
_BRAND = '<div style="font-size:1.15rem;font-weight:700;letter-spacing:-.01em">SeqGPT Workbench</div>'


def sidebar() -> None:
    """Everything in the sidebar below the navigation."""
    with st.sidebar:
        st.html(_BRAND)
        st.markdown(f"**{t('model.title')}**")
        loading, able = workbench().state().status == "loading", capabilities()
        st.fragment(_model_state, run_every=1.0 if loading else 5.0)(loading, able)
        _model_choice()
        _language_choice()


def progress_text(progress: LoadProgress | None) -> str:
    """What a load is doing, with its figures."""
    if progress is None:
        return t("load.queued")
    text = t(f"load.{progress.phase}")
    if progress.total and progress.unit == "bytes":
        return f"{text} {progress.done / 2**20:,.0f} / {progress.total / 2**20:,.0f} MB"
    if progress.fraction is not None:
        return f"{text} {progress.fraction:.0%}"
    return text


def _model_state(was_loading: bool, able: tuple[Capability, ...] | None) -> None:
    """The state and its buttons; the page follows where it ends or begins a load, or what the model can do changes."""
    state = workbench().state()
    if (state.status == "loading") != was_loading or capabilities() != able:
        st.rerun(scope="app")
    if state.status == "loading":
        st.progress((state.progress.fraction or 0.0) if state.progress else 0.0, progress_text(state.progress))
        st.button(t("model.stop"), on_click=_unload, key="model_stop", width="stretch")
    elif state.status == "failed" and state.error is not None:
        show_error(state.error)
    elif state.status == "empty":
        st.caption(t("model.empty"))
    else:
        _model_card(state)
    for note in state.notes:
        _show_note(note)
    st.html(memory_chip())


def _show_note(note: Note) -> None:
    """As small text; loud where code that came with a model runs here."""
    if note.code == "trusts_code":
        st.warning(plain(note_text(note)), icon=":material/warning:")
    else:
        st.caption(plain(note_text(note)))


def _model_card(state: ModelState) -> None:
    info = state.info
    if info is None:
        return
    size = f" · {info.parameters / 1e6:,.0f} M" if info.parameters else ""
    place = " · ".join(filter(None, (info.device, info.precision))) + size
    st.html(
        f'<div data-testid="model-ready"><b>{html.escape(info.name)}</b><br>'
        f'<span style="opacity:.75">{html.escape(place)}</span></div>'
    )
    entry = CATALOG.get(info.name)
    if entry is not None:
        st.caption(t(f"model.about.{entry.name}"), help=t(f"model.more.{entry.name}"))
        st.caption(plain(f"{t('model.licence')}: {entry.licence}"))


def _model_choice() -> None:
    with st.expander(t("model.change")):
        choose_model()
        st.button(
            t("model.load"),
            on_click=_load,
            key="model_load",
            type="primary",
            width="stretch",
        )
        st.button(t("model.unload"), on_click=_unload, key="model_unload", width="stretch")
        st.fragment(_cache_button, run_every=_CACHE_POLL)()


def _cache_button() -> None:
    """What is kept of earlier requests, by a poll: answers come after the sidebar is drawn."""
    size = workbench().cache_size()
    st.button(
        t("cache.clear", count=f"{size.answers:,}", size=human_bytes(size.bytes)),
        on_click=_clear_cache,
        key="cache_clear",
        help=t("cache.clear_help"),
        disabled=not size.answers,
        width="stretch",
    )


def _clear_cache() -> None:
    try:
        workbench().clear_cache()
    except WorkbenchError as error:
        st.toast(plain(" ".join(error_texts(error))), icon=":material/error:")


def _load() -> None:
    workbench().load(**chosen())


def _unload() -> None:
    workbench().unload().wait(_MOMENT)  # the run that follows then shows it; behind a long run a later poll does


def _language_choice() -> None:
    def changed() -> None:
        choose_language(st.session_state["language_choice"] or language())

    st.segmented_control(
        t("language"),
        list(LANGUAGES),
        default=language(),
        format_func=LANGUAGES.__getitem__,
        key="language_choice",
        on_change=changed,
        label_visibility="collapsed",
        width="stretch",
    )
