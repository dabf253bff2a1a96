"""The choice of a model in the sidebar: what may be named, and what is known of it before it is loaded.

One box takes a name of the catalog, a folder, a hub id, a GGUF file or a server's address. Whether code of a model may
run is no choice of a browser: only the command line and the settings of the machine declare it.
"""

import html
from typing import get_args

import streamlit as st

from engine.model.about import About, describe, needs_int8
from engine.model.catalog import CATALOG
from engine.model.machine import Machine, look_at_machine
from engine.model.memory import human_bytes, room
from engine.model.remote.address import without_user_info
from engine.settings import Settings
from engine.types import Device, Precision
from ui.engine import workbench
from ui.i18n import LANGUAGES, error_texts, t

_DEVICES = get_args(Device)
_PRECISIONS = get_args(Precision)
_STYLE = """<style>
.wb-about{font-size:.875rem;line-height:1.45;overflow-wrap:anywhere}
.wb-about dl,.wb-about dt,.wb-about dd,.wb-about p{font-size:inherit;line-height:inherit;margin:0;padding:0}
.wb-about dl>div{margin-top:.3rem}
.wb-about dt,.wb-about dd{display:inline}
.wb-about dt{opacity:.75;font-weight:400;margin-right:.4rem}
.wb-about small{font-size:.8125rem;opacity:.75}
.wb-about>small{display:block}
.wb-about p{margin-top:.4rem;padding:.05rem 0 .05rem .6rem;border-left:3px solid #d97706}
.wb-about p.wb-bad{border-color:#dc2626}
</style>"""


def choose_model() -> None:
    """The boxes for name, device and precision, and what is known of that model."""
    settings = workbench().settings
    names = ["auto", *(name for name in CATALOG if name != "fake")]
    model = without_user_info(settings.model)
    if model not in names:
        names.append(model)
    st.selectbox(
        t("model.name"),
        names,
        index=names.index(model),
        accept_new_options=True,
        key="model_name",
        persist_state="session",
        help=t("model.name_help"),
    )
    st.selectbox(t("model.device"), _DEVICES, _DEVICES.index(settings.device), key="model_device")
    st.selectbox(t("model.precision"), _PRECISIONS, _PRECISIONS.index(settings.precision), key="model_precision")
    wanted = workbench().settings_of(**chosen())
    st.html(_STYLE + about_html(describe(wanted), wanted))


def chosen() -> dict[str, str]:
    """What the boxes hold, as settings. Nothing else of the settings can be changed from a page."""
    state = st.session_state
    return {
        "model": state["model_name"] or "auto",
        "device": state["model_device"],
        "precision": state["model_precision"],
    }


def about_html(about: About, settings: Settings) -> str:
    """What is known of a model, every text of its own escaped; what is not known is said, or left out."""
    rows = [_row(t("model.size"), _size(about)), _memory_row(about, settings)]
    rows.append(_row(t("model.licence"), _licence(about)))
    rows.append(_row(t("model.languages"), " · ".join(LANGUAGES.get(one, one) for one in about.languages)))
    rows.append(_row(t("model.abilities"), _abilities(about)))
    warned = [f"<p>{html.escape(one)}</p>" for one in _warnings(about, settings)]
    if about.error is not None:
        sentence, hint = error_texts(about.error)
        warned.append(f'<p class="wb-bad">{html.escape(sentence)} {html.escape(hint)}</p>')
    table = f"<dl>{''.join(rows)}</dl>" if any(rows) else ""
    return (
        f'<div class="wb-about" role="status" data-testid="model-about"><b>{html.escape(about.name)}</b>'
        f"<small>{html.escape(_what(about))}</small>{''.join(warned)}{table}</div>"
    )


def _what(about: About) -> str:
    """What the name stands for, in one line."""
    if about.kind == "auto":
        return t("model.either", otherwise=about.otherwise) if about.otherwise else t("model.certain")
    what = t(f"model.kind.{about.kind}")
    millions = about.parameters / 1e6
    size = f"{millions:,.{0 if millions >= 10 else 1}f} M" if millions else ""
    return " · ".join(part for part in (what, about.detail, size) if part)


def _size(about: About) -> str:
    if about.disk_bytes:
        return t("model.on_disk", size=human_bytes(about.disk_bytes))
    if about.fetch_bytes:
        return t("model.to_fetch", size=human_bytes(about.fetch_bytes))
    return t("model.to_fetch_unknown") if about.kind == "hub" and not about.on_disk else ""


def _memory_row(about: About, settings: Settings) -> str:
    if about.memory is None:
        return ""
    size, precision = human_bytes(about.memory.bytes), about.memory.precision
    if precision:
        said = t("model.about_memory_in", size=size, precision=precision)
    else:
        said = t("model.about_memory", size=size)
    return _row(t("model.memory"), said, t(f"model.basis.{about.memory.basis}"))


def _licence(about: About) -> str:
    if about.licence:
        return about.licence
    if about.licence_file:
        return t("model.licence_file", file=about.licence_file)
    return t("model.not_stated") if about.on_disk and about.kind in {"folder", "hub"} else ""


def _abilities(about: About) -> str:
    """In the order of the pages."""
    if not about.capabilities:
        return ""
    able = [t("model.classifies"), t("model.extracts")]
    if "generate" in about.capabilities:
        able.append(t("model.writes"))
    elif about.writer:
        able.append(t("model.writes_by", writer=about.writer))
    return " · ".join(able)


def _warnings(about: About, settings: Settings) -> list[str]:
    """What speaks against loading it here."""
    warned = []
    if not about.causal:
        warned.append(t("model.not_causal", architecture=about.detail))
    if about.sends_to:
        warned.append(t("model.sends", host=about.sends_to))
    if settings.trust_remote_code:
        warned.append(t("model.trusted"))
    if about.memory is not None and (about.cpu_only or _takes_machine_memory(settings)):
        loaded = workbench().state().info
        most = room(settings, freed=loaded.memory if loaded else 0)
        needed, limit = human_bytes(about.memory.bytes), human_bytes(most)
        if needs_int8(about, settings, most):
            warned.append(t("model.int8_instead", needed=needed, limit=limit))
        elif about.memory.bytes > most:
            warned.append(t("model.no_room", needed=needed, limit=limit))
    return warned


def _takes_machine_memory(settings: Settings) -> bool:
    """Whether the model will lie in the machine's memory, not in a GPU's own."""
    return settings.device in {"cpu", "mps"} or (settings.device == "auto" and _machine().cuda is not None)


@st.cache_resource(show_spinner=False)
def _machine() -> Machine:
    return look_at_machine()


def _row(name: str, value: str, more: str = "") -> str:
    if not value:
        return ""
    small = f" <small>{html.escape(more)}</small>" if more else ""
    return f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}{small}</dd></div>"
