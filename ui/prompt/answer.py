"""Renders an answer to a free prompt: while it is written, when it is whole, and where it was stopped.

All of a model's text is escaped; Markdown in it is shown as it was written.
"""

import html
import json
from typing import Any

import streamlit as st

from engine.contracts import prompt_json, to_json
from engine.errors import WorkbenchError
from engine.types import PromptRequest, PromptResult
from ui.i18n import t
from ui.messages import show_error, show_notes
from ui.prompt.copies import command_line, curl_line, python_code
from ui.prompt.draft import Draft
from ui.prompt.tokens_view import show_tokens
from ui.results import STYLE as RESULT_STYLE
from ui.results import facts_html

STYLE = """<style>
.wb-written{white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.55;max-height:30rem;overflow:auto;
  padding:.7rem .9rem;border-radius:.5rem;border:1px solid color-mix(in srgb,currentColor 18%,transparent)}
.wb-written.wb-json{font-family:"Source Code Pro",ui-monospace,monospace;font-size:.875rem}
.wb-written.wb-blank{opacity:.7;font-style:italic}
.wb-live{display:flex;flex-direction:column-reverse}
.wb-live p{margin:0}
.wb-live p::after{content:"";display:inline-block;width:.5rem;height:1rem;margin-left:.15rem;vertical-align:-.15rem;
  background:#0d9488;animation:wb-caret 1s steps(2) infinite}
@keyframes wb-caret{50%{opacity:0}}
@media (prefers-reduced-motion:reduce){.wb-live p::after{animation:none}}
.wb-finish{padding:0 .45rem;border-radius:.5rem;background:color-mix(in srgb,#0d9488 22%,transparent)}
.wb-finish.wb-cut{background:color-mix(in srgb,#d97706 28%,transparent)}
</style>"""


QUIET = "<style>[data-testid=stStatusWidget]{display:none}</style>"
"""Streamlit's own sign of a page at work has a Stop, which would stop the page and not the model."""


def live_html(text: str) -> str:
    """An answer that is being written; its end stays in sight."""
    box = 'class="wb-written wb-live" data-testid="live" aria-busy="true"'
    return f"{STYLE}<div {box}><p>{html.escape(text)}</p></div>"


def show_answer(result: PromptResult, asked: Draft, lane: str, *, stale: bool, address: str) -> None:
    """A whole answer: text, costs, notes, files, and what is behind it. address: of this server, for curl."""
    pretty = _pretty(result.text) if asked.form.is_json else None
    st.html(RESULT_STYLE + STYLE + _answer_html(result, pretty, stale=stale))
    show_notes(result.notes)
    _show_files(result.text, to_json(prompt_json(result), indent=1), lane)
    _show_behind(result, asked.request(), lane, address)


def show_stopped(error: WorkbenchError, text: str, lane: str, *, stale: bool) -> None:
    """What was written until the run was stopped or failed, below what happened."""
    show_error(error)
    if text:
        shown = html.escape(text)
        st.html(f'{STYLE}<div class="{_age(stale)}"><div class="wb-written" data-testid="written">{shown}</div></div>')
        st.caption(t("prompt.stopped_at", count=f"{len(text):,}"))
        _show_files(text, None, lane)


def _answer_html(result: PromptResult, pretty: str | None, *, stale: bool) -> str:
    if result.text.strip():
        look, shown = ("wb-written wb-json" if pretty else "wb-written"), html.escape(pretty or result.text)
    else:
        look, shown = "wb-written wb-blank", html.escape(t("prompt.nothing_written"))
    names = {"end": t("finish.end"), "stop": t("finish.stop"), "limit": t("finish.limit")}
    cut = " wb-cut" if result.finish == "limit" else ""
    finish = f'<span class="wb-finish{cut}" data-testid="finish">{html.escape(names[result.finish])}</span>'
    return (
        f'<div class="{_age(stale)}" data-testid="answer"><div class="{look}" data-testid="written">{shown}</div>'
        f'<div class="wb-facts">{finish}{facts_html(result.usage, _facts(result))}</div></div>'
    )


def _facts(result: PromptResult) -> list[str]:
    usage, model = result.usage, result.model
    facts = [
        t("result.prompt_tokens", count=usage.prompt_tokens),
        t("prompt.output_tokens", count=usage.output_tokens),
    ]
    took = usage.latency_ms if usage.computed_ms is None else usage.computed_ms
    if usage.output_tokens and took > 0:
        facts.append(t("prompt.rate", rate=f"{usage.output_tokens / took * 1e3:,.1f}"))
    return [*facts, f"{model.name} · {model.device} · {model.precision}"]


def _age(stale: bool) -> str:
    return "wb-stale" if stale else "wb-fresh"


def _pretty(text: str) -> str | None:
    """JSON on lines of its own; None for what is no JSON, such as an answer that was cut."""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return to_json(body, indent=1)


def _show_files(text: str, whole: str | None, lane: str) -> None:
    files = [(t("prompt.as_text"), text.encode("utf-8", "replace"), "txt", "text/plain")]
    if whole is not None:
        files.append(("JSON", whole.encode(), "json", "application/json"))
    with st.container(horizontal=True, vertical_alignment="center", key=f"prompt_{lane}_files"):
        for label, content, ending, kind in files:
            st.download_button(
                label,
                content,
                f"answer.{ending}",
                kind,
                key=f"prompt_{lane}_file_{ending}",
                on_click="ignore",
                icon=":material/download:",
                type="tertiary",
            )


def _show_behind(result: PromptResult, request: PromptRequest, lane: str, address: str) -> None:
    """The machinery, one tab each; what a backend does not tell has no tab."""
    names = {"tokens": t("tokens.title")} if result.tokens else {}
    names |= {"prompt": t("behind.prompt")} if result.prompt else {}
    names |= {
        "raw": t("behind.raw"),
        "json": t("behind.json"),
        "command": t("behind.command"),
        "python": "Python",
        "curl": "curl",
    }
    model = result.model.name
    codes: dict[str, tuple[str, Any]] = {
        "prompt": (result.prompt or " ", None),
        "raw": (result.text or " ", None),
        "json": (to_json(prompt_json(result), indent=1), "json"),
        "command": (command_line(request, model), "bash"),
        "python": (python_code(request, model), "python"),
        "curl": (curl_line(request, address), "bash"),
    }
    for name, tab in zip(names, st.tabs(list(names.values()), key=f"prompt_{lane}_behind"), strict=True):
        with tab:
            if name == "tokens":
                show_tokens(result.tokens)
            else:
                code, language = codes[name]
                st.code(code, language=language, wrap_lines=True, height=360 if len(code) > 4000 else "content")
