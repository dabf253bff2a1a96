"""Renders answers: bars of probabilities, the chosen labels, the exact prompt. Every user text is escaped."""

import html
import shlex
from collections.abc import Sequence

import streamlit as st

from engine.contracts import classify_json, to_json
from engine.text.labels import format_labels
from engine.types import ClassifyRequest, ClassifyResult, ExtractUsage, FreeAnswer, LabelScore, Usage
from ui.i18n import t
from ui.messages import show_notes

_BARS_SHOWN = 12

STYLE = """<style>
.wb-note{font-size:.875rem;opacity:.85;border-left:3px solid #d97706;padding:.1rem .6rem;margin:.15rem 0}
.wb-chosen{display:flex;flex-wrap:wrap;gap:.4rem;align-items:baseline;margin:.1rem 0 .4rem}
.wb-chosen b{font-size:1.5rem;line-height:1.3;overflow-wrap:anywhere}
.wb-chosen b:not(:last-child)::after{content:" ·";font-weight:400;opacity:.6}
.wb-none{font-size:1.25rem;opacity:.75}
.wb-bars{display:grid;grid-template-columns:minmax(5rem,34%) 1fr 4.2rem;gap:.4rem .75rem;align-items:center;margin:0}
.wb-label{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden;overflow-wrap:anywhere;
  line-height:1.25;text-align:right;padding-right:.25rem}
.wb-track{position:relative;height:1rem;border-radius:.5rem;
  background:color-mix(in srgb,currentColor 10%,transparent);overflow:hidden}
.wb-fill{height:100%;min-width:2px;border-radius:.5rem;background:color-mix(in srgb,currentColor 35%,transparent)}
.wb-fill.wb-on{background:#0d9488}
.wb-mark{position:absolute;top:0;bottom:0;width:2px;background:currentColor;opacity:.55}
.wb-score{font-variant-numeric:tabular-nums;text-align:right}
.wb-stale{opacity:.65}
.wb-facts{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.875rem;opacity:.8;margin-top:.6rem}
.wb-kept{padding:0 .45rem;border:1px solid color-mix(in srgb,currentColor 45%,transparent);border-radius:.5rem;
  line-height:1.35;align-self:center;cursor:help}
</style>"""


BUSY = """<style>
.wb-busy{height:.5rem;margin-top:.4rem;border-radius:.25rem;overflow:hidden;
  background:color-mix(in srgb,currentColor 10%,transparent)}
.wb-busy i{display:block;width:35%;height:100%;border-radius:.25rem;background:#0d9488;
  animation:wb-busy 1.4s ease-in-out infinite alternate}
@keyframes wb-busy{to{transform:translateX(186%)}}
@media (prefers-reduced-motion:reduce){.wb-busy i{animation:none;width:100%;opacity:.5}}
</style>"""


def show_busy(text: str) -> None:
    """A text over a bar that moves without claiming how far the work is."""
    st.html(f'{BUSY}<div role="status" data-testid="busy">{html.escape(text)}<div class="wb-busy"><i></i></div></div>')


def show_classification(result: ClassifyResult, request: ClassifyRequest, *, stale: bool) -> None:
    """A whole answer: chosen labels, bars, costs, notes, the free answer, and what is behind them."""
    st.html(STYLE + answer_html(result, stale=stale))
    hidden = result.labels[_BARS_SHOWN:]
    if hidden:
        with st.expander(t("result.more", count=len(hidden))):
            st.html(_bars_html(result, hidden))
    show_notes(result.notes)
    if result.free is not None:
        _show_free(result, result.free)
    _show_behind(result, request)


def answer_html(result: ClassifyResult, *, stale: bool) -> str:
    """Chosen labels, the first bars and the costs as one block of escaped HTML."""
    if result.chosen:
        chosen = "".join(f"<b>{html.escape(label)}</b>" for label in result.chosen)
    else:
        chosen = f'<span class="wb-none">{html.escape(t("result.none"))}</span>'
    facts = facts_html(result.usage, _facts(result))
    return (
        f'<div class="{"wb-stale" if stale else "wb-fresh"}" data-testid="answer">'
        f'<div class="wb-chosen">{chosen}</div>{_bars_html(result, result.labels[:_BARS_SHOWN])}'
        f'<div class="wb-facts">{facts}</div></div>'
    )


def _bars_html(result: ClassifyResult, labels: Sequence[LabelScore]) -> str:
    rows = []
    for one in labels:
        label, score = html.escape(one.label), one.score
        on = " wb-on" if one.label in result.chosen else ""
        mark = f'<div class="wb-mark" style="left:{result.threshold:.2%}"></div>' if result.threshold else ""
        rows.append(
            f'<div class="wb-label" role="rowheader" title="{label}">{label}</div>'
            f'<div class="wb-track" role="cell" aria-hidden="true">'
            f'<div class="wb-fill{on}" style="width:{score:.2%}"></div>{mark}</div>'
            f'<div class="wb-score" role="cell">{score:.1%}</div>'
        )
    rows = [f'<div role="row" style="display:contents">{row}</div>' for row in rows]
    return f'<div class="wb-bars" role="table" aria-label="{html.escape(t("result.bars"))}">{"".join(rows)}</div>'


def facts_html(usage: Usage | ExtractUsage, facts: Sequence[str]) -> str:
    """The time that an answer took, a mark where it was kept from an earlier request, and other facts, escaped."""
    shown = [f"<span>{html.escape(t('result.latency', ms=_milliseconds(usage.latency_ms)))}</span>"]
    if usage.computed_ms is not None:
        said = html.escape(t("result.cached_help", ms=_milliseconds(usage.computed_ms)))
        mark = html.escape(t("result.cached"))
        shown.append(f'<span class="wb-kept" title="{said}" data-testid="cached">{mark}</span>')
    return "".join([*shown, *(f"<span>{html.escape(fact)}</span>" for fact in facts)])


def _milliseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _facts(result: ClassifyResult) -> list[str]:
    usage = result.usage
    if result.prompt:
        facts = [
            t("result.prompt_tokens", count=usage.prompt_tokens),
            t("result.label_tokens", count=usage.scored_tokens),
        ]
    else:
        facts = [t("result.text_tokens", count=usage.prompt_tokens)]
    model = result.model
    return [*facts, " · ".join(filter(None, (model.name, model.device, model.precision)))]


def _show_free(result: ClassifyResult, free: FreeAnswer) -> None:
    with st.container(border=True):
        st.markdown(f"**{t('free.title')}**")
        chosen = " ".join(f"<b>{html.escape(label)}</b>" for label in free.chosen)
        agree = free.chosen[:1] == result.chosen[:1]
        verdict = t("free.agrees" if agree else "free.differs") if free.chosen else t("free.no_label")
        facts = t("free.facts", ms=f"{free.latency_ms:,.0f}", count=free.output_tokens)
        st.html(
            f'<div class="wb-chosen">{chosen}</div>'
            f'<div class="wb-facts"><span>{html.escape(verdict)}</span><span>{html.escape(facts)}</span></div>'
        )
        show_notes(free.notes)


def _show_behind(result: ClassifyResult, request: ClassifyRequest) -> None:
    """The machinery, one tab each."""
    names = {"prompt": t("behind.prompt")} if result.prompt else {}
    if result.free is not None:
        names["raw"] = t("behind.raw")
    names |= {"json": t("behind.json"), "command": t("behind.command")}
    tabs = dict(zip(names, st.tabs(list(names.values())), strict=True))
    if "prompt" in tabs:
        with tabs["prompt"]:
            st.code(result.prompt, language=None, wrap_lines=True)
    if result.free is not None:
        with tabs["raw"]:
            st.code(result.free.raw or " ", language=None, wrap_lines=True)
    with tabs["json"]:
        st.code(to_json(classify_json(result), indent=1), language="json")
    with tabs["command"]:
        st.code(command_line(request, result.model.name), language="bash", wrap_lines=True)


def command_line(request: ClassifyRequest, model: str) -> str:
    """The command that gives the same answer."""
    parts = [
        "workbench",
        "classify",
        request.text,
        "--labels",
        format_labels(request.labels),
        "--model",
        model,
    ]
    if request.multi:
        parts.append("--multi")
    if request.threshold is not None:
        parts += ["--threshold", f"{request.threshold:g}"]
    if request.free:
        parts.append("--free")
    return shlex.join([*parts, "--json"])
