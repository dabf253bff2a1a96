"""Renders an extraction: the highlighted text, its values, exports, and what is behind them. User text is escaped."""

import json
import shlex
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from engine.contracts import extract_json, to_json
from engine.exports import extract_csv, extract_html, extract_jsonl, meaning_text, record
from engine.text.fields import field_set_json
from engine.text.highlight import highlight_html, legend_html, marks_of
from engine.text.highlight_document import DocumentTexts
from engine.text.highlight_style import STYLE
from engine.text.labels import format_labels, parse_labels
from engine.types import ExtractRequest, ExtractResult, FieldAnswer, FieldSpec, PromptRecord, TypedValue
from ui.free_extraction import show_free
from ui.i18n import language, phrase_text, t
from ui.messages import show_notes
from ui.results import STYLE as RESULT_STYLE
from ui.results import facts_html

_BOX = """.wb-box{max-height:32rem;overflow:auto;padding:.6rem .8rem;border-radius:.5rem;
  border:1px solid color-mix(in srgb,currentColor 18%,transparent)}"""


def show_extraction(result: ExtractResult, request: ExtractRequest, stale: bool) -> None:
    """A whole answer: highlight and legend, values, costs, notes, exports, the free answer, and what is behind them."""
    show_highlight(request.text, result.fields, stale=stale)
    rows = value_rows(result.fields)
    if rows:
        show_values(rows)
    facts = facts_html(result.usage, _facts(result))
    st.html(f'{RESULT_STYLE}<div class="wb-facts" data-testid="facts">{facts}</div>')
    show_notes(result.notes)
    _show_exports(result, request)
    if result.free is not None:
        show_free(result.free)
    _show_behind(result, request)


def show_highlight(text: str, answers: Sequence[FieldAnswer], *, stale: bool = False) -> None:
    """The legend, and the text with its values in colour."""
    kind = "wb-stale" if stale else "wb-fresh"
    st.html(
        f'<style>{STYLE}{_BOX}</style><div class="{kind}" data-testid="answer">'
        f'{legend_html(answers, t("extract.not_found"))}<div class="wb-box">{highlight_html(text, marks_of(answers))}'
        "</div></div>"
    )


def value_rows(answers: Sequence[FieldAnswer]) -> list[dict[str, Any]]:
    """The values as a table's rows; a meaning, or why there is none, only where a field has a type."""
    return [
        {
            "field": answer.field.name,
            "value": value.text,
            "meaning": _meaning(value.typed),
            "score": value.score,
            "start": value.start,
            "end": value.end,
        }
        for answer in answers
        for value in answer.values
    ]


def _meaning(typed: TypedValue | None) -> str:
    if typed is not None and typed.problem:
        return f"⚠ {phrase_text(typed.problem)}"
    return meaning_text(typed)


def show_values(rows: Sequence[dict[str, Any]]) -> None:
    """A table of values; the column of meanings is left out where no field has a type."""
    column = st.column_config
    heads = {
        "field": column.TextColumn(t("values.field"), width=80),
        "value": column.TextColumn(t("values.value"), width=115),
        "meaning": column.TextColumn(t("values.meaning"), width=105, help=t("values.meaning_help")),
        "score": column.NumberColumn(t("values.score"), format="percent", width=70),
        "start": column.NumberColumn(t("values.start"), width=55, help=t("values.offsets_help")),
        "end": column.NumberColumn(t("values.end"), width=55, help=t("values.offsets_help")),
    }
    shown = [name for name in heads if name != "meaning" or any(row[name] for row in rows)]
    st.dataframe(
        pd.DataFrame(list(rows))[shown],
        hide_index=True,
        column_config={name: heads[name] for name in shown},
        alt=t("values.title"),
        placeholder="",
    )


def _facts(result: ExtractResult) -> list[str]:
    usage = result.usage
    facts = []
    if result.prompts:
        facts.append(t("extract.prompts", count=usage.prompts))
    if usage.parts > 1:
        facts.append(t("extract.parts_read", count=usage.parts))
    if result.prompts:
        facts.append(t("result.prompt_tokens", count=usage.prompt_tokens))
        facts.append(t("extract.output_tokens", count=usage.output_tokens, forced=usage.forced_tokens))
        facts.append(t("extract.forwards", count=usage.forwards, saved=usage.forwards_saved))
    else:
        facts.append(t("result.text_tokens", count=usage.prompt_tokens))
    model = result.model
    return [*facts, " · ".join(filter(None, (model.name, model.device, model.precision)))]


def _show_exports(result: ExtractResult, request: ExtractRequest) -> None:
    columns = (
        t("values.field"),
        t("values.value"),
        t("values.meaning"),
        t("values.score"),
        t("values.start"),
        t("values.end"),
    )
    texts = DocumentTexts(t("extract.document"), t("extract.not_found"), columns, language())
    whole = to_json(extract_json(result), indent=1).encode()
    files = (
        ("JSON", whole, "json", "application/json"),
        ("JSONL", extract_jsonl(result), "jsonl", "application/x-ndjson"),
        ("CSV", extract_csv(result), "csv", "text/csv"),
        ("HTML", extract_html(request.text, result, texts, phrase_text), "html", "text/html"),
    )
    with st.container(horizontal=True, vertical_alignment="center", key="exports"):
        for label, content, ending, kind in files:
            st.download_button(
                label,
                content,
                f"extract.{ending}",
                kind,
                key=f"export_{ending}",
                on_click="ignore",
                icon=":material/download:",
                type="tertiary",
            )


def _show_behind(result: ExtractResult, request: ExtractRequest) -> None:
    """The machinery, one tab each; an answer that no prompt was asked for has no prompts to show, nor their parts."""
    names = {"record": t("behind.record")}
    if result.prompts:
        names["prompt"] = t("behind.prompt")
    if result.free is not None:
        names["raw"] = t("behind.raw")
    if result.prompts and result.usage.parts > 1:
        names["parts"] = t("behind.parts")
    names |= {"json": t("behind.json"), "command": t("behind.command")}
    tabs = dict(zip(names, st.tabs(list(names.values())), strict=True))
    with tabs["record"]:
        st.code(to_json(record(result), indent=1), language="json", wrap_lines=True)
    if "prompt" in tabs:
        with tabs["prompt"]:
            _show_prompts(result.prompts, "prompt_shown")
    if result.free is not None:
        with tabs["raw"]:
            _show_prompts(result.free.prompts, "free_prompt_shown")
    if "parts" in tabs:
        with tabs["parts"]:
            _show_parts(result.prompts, request.text)
    with tabs["json"]:
        st.code(to_json(extract_json(result), indent=1), language="json")
    with tabs["command"]:
        st.code(command_line(request, result.model.name), language="bash", wrap_lines=True)


def _show_prompts(prompts: Sequence[PromptRecord], key: str) -> None:
    """One prompt at a time: what the model read, what it wrote, and what was made of each line."""
    if not prompts:
        return

    def name(number: int) -> str:
        one = prompts[number]
        asked = format_labels(dict.fromkeys(line.asked for line in one.lines if line.asked))
        return t("extract.prompt_name", number=number + 1, start=one.start, end=one.end, asked=asked)

    number = 0
    if len(prompts) > 1:
        number = st.selectbox(t("extract.prompt_choice"), range(len(prompts)), format_func=name, key=key)
    chosen = prompts[number]
    st.caption(t("extract.prompt_sent"))
    st.code(chosen.prompt, language=None, wrap_lines=True)
    st.caption(t("extract.prompt_raw"))
    st.code(chosen.raw or " ", language=None, wrap_lines=True)
    if chosen.lines:
        column = st.column_config
        st.dataframe(
            pd.DataFrame(
                [
                    {
                        "raw": line.raw,
                        "asked": line.asked or "",
                        "values": list(line.values),
                        "outcome": t(f"outcome.{line.outcome}"),
                    }
                    for line in chosen.lines
                ]
            ),
            hide_index=True,
            column_config={
                "raw": column.TextColumn(t("lines.raw")),
                "asked": column.TextColumn(t("lines.asked")),
                "values": column.ListColumn(t("lines.values")),
                "outcome": column.TextColumn(t("lines.outcome")),
            },
            alt=t("lines.title"),
        )


def _show_parts(prompts: Sequence[PromptRecord], text: str) -> None:
    """The parts that a long text was read in."""
    parts = sorted({(one.start, one.end) for one in prompts})
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "part": number,
                    "start": start,
                    "end": end,
                    "characters": end - start,
                    "text": " ".join(text[start : start + 60].split()),
                }
                for number, (start, end) in enumerate(parts, 1)
            ]
        ),
        hide_index=True,
        column_config={name: t(f"parts.{name}") for name in ("part", "start", "end", "characters", "text")},
        alt=t("behind.parts"),
    )


def command_line(request: ExtractRequest, model: str) -> str:
    """The command that gives the same answer; fields that are more than names are given as JSON."""
    names = [one.name for one in request.fields]
    plain = format_labels(names)
    only_names = request.fields == tuple(map(FieldSpec, names)) and parse_labels(plain) == names
    if not only_names or plain.startswith(("[", "{")):
        plain = json.dumps(field_set_json(request.fields), ensure_ascii=False)
    parts = ["workbench", "extract", request.text, "--fields", plain, "--model", model]
    if request.mentions != "first":
        parts += ["--mentions", request.mentions]
    if request.per_prompt != ExtractRequest.per_prompt:
        parts += ["--per-prompt", str(request.per_prompt)]
    if request.nested:
        parts.append("--nested")
    if request.free:
        parts.append("--free")
    return shlex.join([*parts, "--json"])
