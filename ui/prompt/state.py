"""The Prompt page's keys in session_state: what a fresh page begins with, what is read off it, and what is loaded.

Widgets keep their values under these keys for the session; the tab remembers them across a reload (ui.tab_memory).
"""

from dataclasses import replace
from typing import Any

import streamlit as st

from engine.text.field_schema import schema_text
from engine.text.labels import format_labels
from engine.types import FieldSpec, Writing
from ui import tab_memory
from ui.classify import LABELS as CLASSIFY_LABELS
from ui.engine import workbench
from ui.extract import FIELDS as EXTRACT_FIELDS
from ui.extract import sample_fields
from ui.fields.table import clean_row, fields_of
from ui.prompt.draft import KINDS, Draft, Form, Kind, read_draft, used_variables
from ui.runs import Runs
from ui.source import own_samples

TEMPLATE, ROLE, KIND, GROUNDED, COMPARE, KEEP = (
    "prompt_template",
    "prompt_role",
    "prompt_kind",
    "prompt_grounded",
    "prompt_compare",
    "prompt_keep",
)
FORM_TEXTS: dict[Kind, str] = {"schema": "prompt_schema", "regex": "prompt_regex", "choices": "prompt_choices"}
"""Where the text of each form is typed."""
VALUE = "prompt_value_"
"""The beginning of the keys of the variables' values."""
RUNS = {lane: Runs(f"prompt_{lane}", stop=f"prompt_{lane}_run_stop") for lane in ("a", "b")}
"""The runs of the two settings; the second only where they are compared."""

MODE, LIMIT, BEAMS, TEMPERATURE, TOP_P, PENALTY, SEED, STOP = (
    "mode",
    "limit",
    "beams",
    "temperature",
    "top_p",
    "penalty",
    "seed",
    "stop",
)
MODES = ("greedy", "beams", "sample")
LIMITS = (1, 8192)
_EAST_ASIAN = "\u2e80"
"""The first character of the East Asian scripts."""
BOUNDS: dict[str, tuple[float, float]] = {
    BEAMS: (2, 8),
    TEMPERATURE: (0.05, 2.0),
    TOP_P: (0.05, 1.0),
    PENALTY: (1.0, 2.0),
}
"""The ends of the sliders."""
_SETTINGS: dict[str, Any] = {
    MODE: "greedy",
    LIMIT: Writing.max_new_tokens,
    BEAMS: 4,
    TEMPERATURE: 0.8,
    TOP_P: 0.95,
    PENALTY: 1.0,
    SEED: None,
    STOP: "",
}


def setting(lane: str, name: str) -> str:
    """The key of a setting of lane a or b."""
    return f"prompt_{lane}_{name}"


def start() -> None:
    """Before the widgets: what the tab remembers, else the first sample."""
    tab_memory.take_back([*_fixed(), *tab_memory.kept_keys(VALUE)])
    state = st.session_state
    state.setdefault(KEEP, workbench().settings.history)
    state.setdefault(COMPARE, False)
    for lane in RUNS:
        for name, value in _SETTINGS.items():
            default = "sample" if (lane, name) == ("b", MODE) else value  # two alike would compare nothing
            state.setdefault(setting(lane, name), default)
    if TEMPLATE not in state:
        load(sample_draft(own_samples("prompts")[0]))
    for key in (ROLE, *FORM_TEXTS.values()):
        state.setdefault(key, "")
    state.setdefault(KIND, "none")
    state.setdefault(GROUNDED, False)


def remember() -> None:
    """After the widgets: mirror it all into the tab."""
    values = [str(key) for key in st.session_state if str(key).startswith(VALUE)]
    tab_memory.remember([*_fixed(), *values])


def draft(lane: str = "a") -> Draft:
    """What Run would ask now, with the settings of a lane."""
    state = st.session_state
    template = state.get(TEMPLATE) or ""
    values = tuple((name, state.get(VALUE + name) or "") for name in used_variables(template))
    role = (state.get(ROLE) or "").strip()
    form = _form()
    writing = _writing(lane)
    if form.structure() is not None:  # it ends an answer by itself, and beams keep to none: the settings say so
        writing = replace(writing, beams=1, stop=())
    return Draft(template, values, role, writing, form, bool(state.get(KEEP)))


def has_structure() -> bool:
    """Whether a structure is asked for now."""
    return _form().structure() is not None


def load(given: Draft) -> None:
    """Put a draft into the editor, its settings into lane a; for callbacks, and before the widgets."""
    state = st.session_state
    state[TEMPLATE], state[ROLE] = given.template, given.role
    for name, value in given.values:
        state[VALUE + name] = value
    kind = "schema" if given.form.kind == "fields" else given.form.kind  # the fields may be others by now
    state[KIND], state[GROUNDED] = kind, given.form.grounded
    if kind in FORM_TEXTS:
        state[FORM_TEXTS[kind]] = given.form.text
    for name, value in _settings_of(given.writing).items():
        state[setting("a", name)] = value


def sample_draft(sample: dict[str, Any]) -> Draft:
    """The draft of a sample; of its fields it takes the variables `fields` and `schema`, and the form."""
    given = read_draft(sample)
    if "fields" not in sample:
        return given
    own = sample_fields(sample)
    values = dict(given.values) | {"fields": field_names(own), "schema": schema_text(own)}
    used = used_variables(given.template)
    return replace(
        given,
        values=tuple((name, value) for name, value in values.items() if name in used),
        form=Form("schema", schema_text(own), given.form.grounded),
    )


def other_labels() -> str:
    """The Classify page's labels, as a prompt lists them; those of its first sample where it was never opened."""
    labels = _elsewhere(CLASSIFY_LABELS)
    return listed(labels if isinstance(labels, list) else own_samples("classify")[0]["labels"])


def other_fields() -> tuple[FieldSpec, ...]:
    """The Extract page's fields; those of its first sample where it was never opened."""
    rows = _elsewhere(EXTRACT_FIELDS)
    if isinstance(rows, list):
        return fields_of(clean_row(row) for row in rows if isinstance(row, dict))
    return sample_fields(own_samples("extract")[0])


def field_names(own: tuple[FieldSpec, ...]) -> str:
    """The names of fields, as a prompt lists them."""
    return listed([one.name for one in own])


def listed(names: list[str]) -> str:
    """Names as a sentence of their script lists them, in quotes where one holds a comma."""
    quoted = [format_labels([name]) for name in names]
    return ("，" if max("".join(names), default="") >= _EAST_ASIAN else ", ").join(quoted)


def _fixed() -> list[str]:
    settings = [setting(lane, name) for lane in RUNS for name in _SETTINGS]
    runs = [runs.ticket for runs in RUNS.values()]
    return [TEMPLATE, ROLE, KIND, GROUNDED, COMPARE, KEEP, *FORM_TEXTS.values(), *settings, *runs]


def _elsewhere(key: str) -> Any:
    """What another page has, or what the tab remembers of it."""
    return st.session_state.get(key, tab_memory.kept(key))


def _form() -> Form:
    state = st.session_state
    kind: Kind = next((one for one in KINDS if one == state.get(KIND)), "none")
    if kind == "none":
        return Form()
    own = other_fields() if kind == "fields" else ()
    text = (schema_text(own) if own else "") if kind == "fields" else state.get(FORM_TEXTS[kind]) or ""
    return Form(kind, text, kind in {"fields", "schema"} and bool(state.get(GROUNDED)))


def _writing(lane: str) -> Writing:
    """Settings of modes that are not chosen are not asked for."""
    given = {name: st.session_state.get(setting(lane, name), default) for name, default in _SETTINGS.items()}
    sampled = given[MODE] == "sample"
    return Writing(
        max_new_tokens=int(given[LIMIT] or Writing.max_new_tokens),
        beams=int(given[BEAMS]) if given[MODE] == "beams" else 1,
        temperature=float(given[TEMPERATURE]) if sampled else 0.0,
        top_p=float(given[TOP_P]) if sampled else 1.0,
        repetition_penalty=float(given[PENALTY]),
        seed=given[SEED] if sampled else None,
        stop=tuple(line.replace("\\n", "\n").replace("\\t", "\t") for line in (given[STOP] or "").splitlines() if line),
    )


def _settings_of(writing: Writing) -> dict[str, Any]:
    """The inverse of `_writing`: only what the writing says; the settings of other modes stay."""
    shown: dict[str, Any] = {
        MODE: "beams" if writing.beams > 1 else "sample" if writing.temperature > 0 else "greedy",
        LIMIT: min(max(writing.max_new_tokens, LIMITS[0]), LIMITS[1]),
        PENALTY: _within(PENALTY, writing.repetition_penalty),
        STOP: "\n".join(one.replace("\n", "\\n").replace("\t", "\\t") for one in writing.stop),
    }
    if writing.beams > 1:
        shown[BEAMS] = int(_within(BEAMS, writing.beams))
    elif writing.temperature > 0:
        shown |= {TEMPERATURE: _within(TEMPERATURE, writing.temperature), TOP_P: _within(TOP_P, writing.top_p)}
        shown[SEED] = writing.seed
    return shown


def _within(name: str, value: float) -> float:
    least, most = BOUNDS[name]
    return min(max(value, least), most)
