"""Renders the official free decoding beside a constrained extraction: what of it is in the text, and what differs."""

import html

import pandas as pd
import streamlit as st

from engine.types import FoundValue, FreeExtraction
from ui.i18n import t
from ui.messages import show_notes

_STYLE = """<style>
.wb-free{display:grid;grid-template-columns:minmax(5rem,auto) 1fr;gap:.35rem .9rem;align-items:baseline}
.wb-free b{font-weight:600;overflow-wrap:anywhere}
.wb-free div{display:flex;flex-wrap:wrap;gap:.3rem}
.wb-free div span,.wb-states span{padding:.05rem .5rem;border-radius:.4rem;overflow-wrap:anywhere;white-space:pre-wrap}
.wb-exact{background:color-mix(in srgb,#019a46 22%,transparent)}
.wb-normalised{background:color-mix(in srgb,#b18e15 26%,transparent);
  text-decoration:underline wavy #b18e15 1px;text-underline-offset:.25em}
.wb-missing{outline:1px dashed #d73337;outline-offset:-1px;background:color-mix(in srgb,#d73337 14%,transparent);
  text-decoration:line-through #d73337}
.wb-states{display:flex;flex-wrap:wrap;gap:.5rem;font-size:.8rem;margin:.1rem 0 .7rem}
</style>"""
_CLASSES = {"exact": "wb-exact", "normalised": "wb-normalised", "absent": "wb-missing"}


def show_free(free: FreeExtraction) -> None:
    """Its values by how the text has them, the share that is in the text, and a table of differences."""
    with st.container(border=True, key="free"):
        st.markdown(f"**{t('free.title')}**")
        st.html(_STYLE + _values_html(free))
        facts = [_grounded(free), t("free.facts", ms=f"{free.latency_ms:,.0f}", count=free.output_tokens)]
        spans = "".join(f"<span>{html.escape(fact)}</span>" for fact in facts)
        st.html(f'<div class="wb-facts" data-testid="grounded">{spans}</div>')
        if free.differences:
            st.caption(t("free.differences"))
            st.dataframe(
                pd.DataFrame(
                    [
                        {"field": one.field, "constrained": list(one.constrained), "free": list(one.free)}
                        for one in free.differences
                    ]
                ),
                hide_index=True,
                column_config={
                    "field": st.column_config.TextColumn(t("values.field")),
                    "constrained": st.column_config.ListColumn(t("free.only_constrained")),
                    "free": st.column_config.ListColumn(t("free.only_free")),
                },
                alt=t("free.differences"),
            )
        else:
            st.caption(t("free.no_difference"))
        show_notes(free.notes)


def _values_html(free: FreeExtraction) -> str:
    states = "".join(
        f'<span class="{_CLASSES[name]}">{html.escape(t(f"grounding.{name}"))}</span>' for name in _CLASSES
    )
    rows = []
    for answer in free.fields:
        values = "".join(map(_value_html, answer.values)) or f"<em>{html.escape(t('extract.not_found'))}</em>"
        rows.append(f"<b>{html.escape(answer.field.name)}</b><div>{values}</div>")
    return f'<div class="wb-states">{states}</div><div class="wb-free">{"".join(rows)}</div>'


def _value_html(value: FoundValue) -> str:
    place = "" if value.start is None else f" · {value.start}–{value.end}"
    said = html.escape(f"{t(f'grounding.{value.status}')}{place}")
    shown = html.escape(value.text).replace("\n", "&#10;").replace("\t", "&#9;")
    return f'<span class="{_CLASSES[value.status]}" title="{said}">{shown}</span>'


def _grounded(free: FreeExtraction) -> str:
    if free.grounded is None:
        return t("free.no_value")
    values = [value for answer in free.fields for value in answer.values]
    inside = sum(value.status != "absent" for value in values)
    return t("free.grounded", share=f"{free.grounded:.0%}", inside=inside, count=len(values))
