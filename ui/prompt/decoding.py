"""How the answer is written: the settings of a lane, and what the answer must be."""

from typing import Any

import streamlit as st

from engine.text.field_schema import schema_text
from engine.types import Writing
from ui.i18n import t
from ui.prompt.draft import KINDS, Kind
from ui.prompt.state import (
    BEAMS,
    BOUNDS,
    FORM_TEXTS,
    GROUNDED,
    KIND,
    LIMIT,
    LIMITS,
    MODE,
    MODES,
    PENALTY,
    SEED,
    STOP,
    TEMPERATURE,
    TOP_P,
    has_structure,
    other_fields,
    setting,
)

_SEEDS = 2**31 - 1


def settings_form(lane: str) -> None:
    """The settings of one lane; only those that its way of choosing tokens honours."""
    key = {name: setting(lane, name) for name in (MODE, LIMIT, BEAMS, TEMPERATURE, TOP_P, PENALTY, SEED, STOP)}
    names = {"greedy": t("decoding.greedy"), "beams": t("decoding.beams"), "sample": t("decoding.sample")}
    st.segmented_control(
        t("decoding.mode"),
        MODES,
        required=True,
        format_func=names.__getitem__,
        key=key[MODE],
        help=t("decoding.mode_help"),
        persist_state="session",
        width="stretch",
    )
    mode, structured = st.session_state[key[MODE]], has_structure()
    if mode == "beams" and structured:
        st.caption(f":material/warning: {t('decoding.no_beams')}")
    elif mode == "beams":
        _slider(t("decoding.beam_count"), BEAMS, key[BEAMS], 1)
    if mode == "sample":
        _slider(t("decoding.temperature"), TEMPERATURE, key[TEMPERATURE], 0.05, t("decoding.temperature_help"))
        _slider(t("decoding.top_p"), TOP_P, key[TOP_P], 0.05, t("decoding.top_p_help"))
        st.number_input(
            t("decoding.seed"),
            0,
            _SEEDS,
            key=key[SEED],
            placeholder=t("decoding.seed_hint"),
            help=t("decoding.seed_help"),
            persist_state="session",
        )
    _slider(t("decoding.penalty"), PENALTY, key[PENALTY], 0.05, t("decoding.penalty_help"))
    st.number_input(
        t("decoding.limit"), *LIMITS, key=key[LIMIT], help=t("decoding.limit_help"), persist_state="session"
    )
    if structured:
        st.caption(t("decoding.no_stop"))
        return
    st.text_area(
        t("decoding.stop"),
        key=key[STOP],
        height=68,
        placeholder=t("decoding.stop_hint"),
        help=t("decoding.stop_help"),
        persist_state="session",
    )


def structure_form() -> None:
    """What the answer must be."""
    names: dict[Kind, str] = {
        "none": t("form.none"),
        "fields": t("form.fields"),
        "schema": t("form.schema"),
        "regex": t("form.regex"),
        "choices": t("form.choices"),
    }
    st.selectbox(
        t("form.title"),
        KINDS,
        format_func=names.__getitem__,
        key=KIND,
        help=t("form.help"),
        persist_state="session",
    )
    kind: Kind = st.session_state[KIND]
    if kind == "none":
        return
    if kind == "fields":
        own = other_fields()
        st.caption(t("form.fields_help"))
        if own:
            st.code(schema_text(own), language="json", height=160, wrap_lines=True)
    elif kind == "regex":
        st.text_input(names[kind], key=FORM_TEXTS[kind], placeholder=r"\d{4}-\d{2}-\d{2}", persist_state="session")
    else:
        hints: dict[Any, str] = {"schema": '{"type": "object", …}', "choices": t("form.choices_hint")}
        st.text_area(
            names[kind],
            key=FORM_TEXTS[kind],
            height=160 if kind == "schema" else 100,
            placeholder=hints[kind],
            persist_state="session",
        )
    if kind in {"fields", "schema"}:
        st.toggle(t("form.grounded"), key=GROUNDED, help=t("form.grounded_help"), persist_state="session")
    empty = not other_fields() if kind == "fields" else not (st.session_state.get(FORM_TEXTS[kind]) or "").strip()
    if empty:
        st.caption(f":material/warning: {t('form.empty')}")


def settings_text(writing: Writing) -> str:
    """The settings in a few words, as a head of an answer."""
    if writing.beams > 1:
        words = [t("decoding.with_beams", count=writing.beams)]
    elif writing.temperature > 0:
        words = [t("decoding.sampled", temperature=f"{writing.temperature:g}", top_p=f"{writing.top_p:g}")]
        if writing.seed is not None:
            words.append(t("decoding.with_seed", seed=writing.seed))
    else:
        words = [t("decoding.greedy")]
    if writing.repetition_penalty != 1:
        words.append(t("decoding.with_penalty", penalty=f"{writing.repetition_penalty:g}"))
    return " · ".join([*words, t("decoding.up_to", count=writing.max_new_tokens)])


def _slider(label: str, name: str, key: str, step: float, said: str | None = None) -> None:
    least, most = BOUNDS[name]
    st.slider(label, least, most, step=step, key=key, help=said, persist_state="session")
