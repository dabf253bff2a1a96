"""The tokens of an answer: each in a colour by its probability, with its id and the alternatives on hover; and a table.

User and model text is escaped, and what has no shape (line ends, tabs) is shown by a sign.
"""

import html
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from engine.types import WrittenToken
from ui.i18n import t

_SHOWN = 1500
"""Tokens in colour; all of them are in the JSON."""
_SIGNS = str.maketrans({"\n": "⏎", "\t": "⇥", "\r": "␍"})
STYLE = """<style>
.wb-tokens{font-family:"Source Code Pro",ui-monospace,monospace;font-size:.875rem;line-height:2;overflow-wrap:anywhere;
  max-height:24rem;overflow:auto}
.wb-tokens span{white-space:pre-wrap;border-radius:.25rem;padding:.1rem .05rem;margin:0 1px;cursor:help;
  background:color-mix(in srgb,var(--wb-heat) 34%,transparent)}
.wb-tokens span.wb-forced{background:none;border-bottom:2px dotted currentColor;border-radius:0}
.wb-scale{display:flex;gap:.5rem;align-items:center;font-size:.8rem;opacity:.8;flex-wrap:wrap}
.wb-scale i{width:7rem;height:.6rem;border-radius:.3rem;
  background:linear-gradient(90deg,hsl(8 75% 50%/.55),hsl(45 80% 50%/.55),hsl(170 70% 38%/.55))}
.wb-scale u{text-decoration:none;border-bottom:2px dotted currentColor}
</style>"""


def show_tokens(tokens: Sequence[WrittenToken]) -> None:
    """The tokens in colour, the scale, and the table."""
    forced = any(token.probability is None for token in tokens)
    said = f"<u>{html.escape(t('tokens.forced'))}</u>" if forced else ""
    st.html(
        f'{STYLE}<div class="wb-scale"><span>0 %</span><i></i><span>100 %</span>'
        f"<span>{html.escape(t('tokens.scale'))}</span>{said}</div>{tokens_html(tokens[:_SHOWN])}"
    )
    if len(tokens) > _SHOWN:
        st.caption(t("tokens.first", count=_SHOWN, total=len(tokens)))
    column = st.column_config
    st.dataframe(
        pd.DataFrame(token_rows(tokens)),
        hide_index=True,
        height=280 if len(tokens) > 6 else "content",
        column_config={
            "place": column.NumberColumn("#", width=40),
            "id": column.NumberColumn(t("tokens.id"), width=65, format="%d"),
            "text": column.TextColumn(t("tokens.text"), width=80),
            "probability": column.NumberColumn(t("tokens.probability"), format="percent", width=75),
            "others": column.TextColumn(t("tokens.others")),
        },
        alt=t("tokens.title"),
        placeholder="–",
    )


def tokens_html(tokens: Sequence[WrittenToken]) -> str:
    """The tokens as a block of escaped HTML; what hovers is also read out."""
    return f'<div class="wb-tokens" data-testid="tokens">{"".join(map(_token_html, tokens))}</div>'


def token_rows(tokens: Sequence[WrittenToken]) -> list[dict[str, object]]:
    """The tokens as a table's rows."""
    return [
        {
            "place": number,
            "id": token.id if token.id >= 0 else None,
            "text": visible(token.text),
            "probability": token.probability,
            "others": _others(token),
        }
        for number, token in enumerate(tokens, 1)
    ]


def visible(text: str) -> str:
    """A token's text with signs for blanks that a table would not show; an empty one as a sign of its own."""
    return text.translate(_SIGNS).replace(" ", "·") or "∅"


def _token_html(token: WrittenToken) -> str:
    shown = html.escape(token.text.translate(_SIGNS)) or "∅"
    if "\n" in token.text:
        shown += "<br>"
    about = [f"{t('tokens.id')} {token.id}"] if token.id >= 0 else []
    about.append(f"“{visible(token.text)}”")
    if token.probability is not None:
        about.append(_percent(token.probability))
    title = " · ".join(about) + (f"\n{t('tokens.others')}: {_others(token)}" if token.alternatives else "")
    look = 'class="wb-forced"' if token.probability is None else f'style="--wb-heat:{_heat(token.probability)}"'
    return f'<span {look} title="{html.escape(title)}">{shown}</span>'


def _others(token: WrittenToken) -> str:
    return "   ".join(f"{visible(text)} {_percent(probability)}" for text, probability in token.alternatives)


def _percent(probability: float) -> str:
    return f"{probability:.1%}"


def _heat(probability: float) -> str:
    """From red (0) over amber (0.5) to teal (1)."""
    share = min(1.0, max(0.0, probability))
    hue = 8 + 74 * share if share < 0.5 else 45 + 250 * (share - 0.5)
    return f"hsl({hue:.0f} 72% 45%)"
