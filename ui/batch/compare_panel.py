"""This job beside another one on the same file: what was asked otherwise, which rows changed, and who is right."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from engine.jobs.types import Job
from engine.lab.compare import Comparison, Difference, Group, Transition, compare_jobs
from ui.batch.evaluate_panel import clickable, figures_html, share, told
from ui.batch.jobs_list import state_said
from ui.batch.times import when
from ui.batch.versions import version
from ui.batch.work import Work, begun, follow
from ui.engine import jobs
from ui.i18n import phrase_text, t
from ui.messages import plain

_OTHER = "batch_view_compare_with"
_LISTED = 40
_LOOKED_AT = 1000
"""Jobs among which others on the same file are looked for."""


def compare_panel(job: Job) -> None:
    """Choose the other job; how to make one where there is none."""
    others = {
        one.id: one
        for one in jobs().store.list(0, _LOOKED_AT)
        if one.id != job.id and one.digest == job.digest and one.spec.task == job.spec.task
    }
    if not others:
        st.info(t("compare.none"), icon=":material/compare_arrows:")
        return
    if st.session_state.get(_OTHER) not in others:
        st.session_state[_OTHER] = next(iter(others))

    def said(job_id: str) -> str:
        one = others[job_id]
        return f"{one.name} · {when(one.created)} · {state_said(one.state)}"

    chosen = st.selectbox(t("compare.other"), list(others), format_func=said, key=_OTHER)
    other = others[chosen]
    states = [(one.id, one.done, one.failed, version(one.id)) for one in (job, other)]

    def compare(work: Work[Comparison]) -> Comparison:
        return compare_jobs(other, jobs().store.each(other.id), job, told(work, job))

    follow(
        begun(("compare", *states), compare),
        t("compare.running"),
        "batch_compare",
        lambda found: _show(found, other),
    )


def _show(found: Comparison, other: Job) -> None:
    st.caption(plain(t("compare.a_b", name=f"{other.name} · {when(other.created)}")))
    st.info(f"**{t('compare.verdict')}**: {plain(phrase_text(found.verdict))}", icon=":material/gavel:")
    _show_differences(found)
    _show_figures(found)
    _show_groups(found)
    _show_transitions(found.transitions, found.more_transitions)


def _show_differences(found: Comparison) -> None:
    st.markdown(f"**{t('compare.asked')}**")
    if not found.differences:
        st.caption(t("compare.same_asked"))
        return
    rows = [
        {"part": phrase_text(one.part), "a": phrase_text(one.a), "b": phrase_text(one.b)} for one in found.differences
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={"part": t("compare.part"), "a": t("compare.a"), "b": t("compare.b")},
        alt=t("compare.asked"),
        key="batch_compare_differences",
        placeholder="–",
    )


def _show_figures(found: Comparison) -> None:
    said = [t("compare.rows", count=f"{found.rows:,}")]
    left = (
        (found.only_in_a, t("compare.only_in_a", count=f"{found.only_in_a:,}")),
        (found.only_in_b, t("compare.only_in_b", count=f"{found.only_in_b:,}")),
        (found.failed_a, t("compare.failed_a", count=f"{found.failed_a:,}")),
        (found.failed_b, t("compare.failed_b", count=f"{found.failed_b:,}")),
        (found.failed_both, t("compare.failed_both", count=f"{found.failed_both:,}")),
        (found.unreadable, t("compare.unreadable", count=f"{found.unreadable:,}")),
    )
    said += [what for count, what in left if count]
    st.caption(plain(" · ".join(said)))
    cards = [(t("compare.agreement"), share(found.agreement), "")]
    if found.kappa is not None:
        cards.append((t("compare.kappa"), f"{found.kappa:.2f}", t("compare.kappa_is")))
    if found.gold_rows:
        cards += [_difference(t("compare.accuracy"), found.accuracy), _difference(t("compare.f1"), found.f1)]
        p = "–" if found.p is None else f"{found.p:.3f}" if found.p >= 0.001 else "< 0.001"
        cards.append((t("compare.p"), p, t("compare.p_is", count=f"{found.gold_rows:,}")))
    st.html(figures_html(cards))
    if not found.gold_rows:
        st.caption(t("compare.no_gold"))


def _difference(name: str, one: Difference) -> tuple[str, str, str]:
    below = t("compare.from_to", a=share(one.a), b=share(one.b))
    if one.interval is not None:
        interval = t("evaluate.interval", low=f"{one.interval.low:+.1%}", high=f"{one.interval.high:+.1%}")
        below = f"{below} · {interval}"
    return name, "–" if one.value is None else f"{one.value:+.1%}", below


def _show_groups(found: Comparison) -> None:
    groups: list[tuple[str, Group]] = [(t("compare.changed"), found.changed)]
    if found.gold_rows:
        groups += [
            (t("compare.only_b"), found.only_b),
            (t("compare.only_a"), found.only_a),
            (t("compare.both_right"), found.both_right),
            (t("compare.neither"), found.neither),
        ]
    clickable(
        [{"name": name, "count": group.count} for name, group in groups],
        {"name": t("compare.group"), "count": st.column_config.NumberColumn(t("compare.count"), width=90)},
        [(name, group.numbers) for name, group in groups],
        "batch_compare_groups",
        t("compare.group"),
    )
    st.caption(t("compare.open_help"))


def _show_transitions(transitions: Sequence[Transition], more: int) -> None:
    if not transitions:
        return
    st.markdown(f"**{t('compare.transitions')}**")
    listed = transitions[:_LISTED]
    rows: list[dict[str, Any]] = [
        {
            "field": one.field or "",
            "old": ", ".join(one.old) or t("result.none" if one.field is None else "extract.not_found"),
            "new": ", ".join(one.new) or t("result.none" if one.field is None else "extract.not_found"),
            "count": one.count,
            "better": one.better,
            "worse": one.worse,
        }
        for one in listed
    ]
    column = st.column_config
    heads: dict[str, Any] = {
        "field": column.TextColumn(t("values.field"), width=110),
        "old": column.TextColumn(t("compare.a"), width=190),
        "new": column.TextColumn(t("compare.b"), width=190),
        "count": column.NumberColumn(t("evaluate.rows_head"), width=80),
        "better": column.NumberColumn(t("compare.only_b"), width=100),
        "worse": column.NumberColumn(t("compare.only_a"), width=100),
    }
    for name in ("field", "better", "worse"):
        if not any(row[name] for row in rows):
            heads.pop(name)
            rows = [{key: value for key, value in row.items() if key != name} for row in rows]
    clickable(
        rows,
        heads,
        [(f"A: {row['old']} → B: {row['new']}", one.numbers) for row, one in zip(rows, listed, strict=True)],
        "batch_compare_transitions",
        t("compare.transitions"),
    )
    rest = more + sum(one.count for one in transitions[_LISTED:])
    if rest:
        st.caption(t("compare.more_transitions", count=f"{rest:,}"))
