"""A highlighted text as one HTML document to keep or send: legend, text and table of values, light or dark.

It holds no script and asks for nothing outside itself. What it says in words is given by the caller.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from engine.text.highlight import highlight_html, legend_html, marks_of
from engine.text.highlight_style import STYLE
from engine.types import FieldAnswer

_PAGE = """:root{color-scheme:light;--ground:#fff;--text:#15211f;--line:#d5dedc}
@media (prefers-color-scheme:dark){:root{color-scheme:dark;--ground:#101615;--text:#e6eeec;--line:#33413e}}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1rem 3rem;background:var(--ground);color:var(--text);
  font:1rem/1.6 system-ui,"Noto Sans","Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
h1{font-size:1.35rem;margin:0 0 1rem}
h2{font-size:1rem;margin:1.6rem 0 .4rem}
.facts{font-size:.85rem;opacity:.8;margin:1rem 0 0}
.table{overflow-x:auto;margin-top:1.2rem}
table{border-collapse:collapse;font-size:.9rem;width:100%}
th,td{text-align:start;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line);
  white-space:pre-wrap;overflow-wrap:anywhere;min-width:3rem}
"""


TABLE_END = "</tbody></table></div>\n"
DOCUMENT_END = "</body>\n</html>\n"


@dataclass(frozen=True)
class DocumentTexts:
    """What the document says; `columns` head the table, one for each cell of a row."""

    title: str = "Extracted values"
    not_found: str = "not found"
    columns: tuple[str, ...] = ("Field", "Value", "Meaning", "Score", "Start", "End")
    language: str = "en"


def highlight_document(
    text: str,
    answers: Sequence[FieldAnswer],
    rows: Sequence[Sequence[str]],
    facts: Sequence[str] = (),
    texts: DocumentTexts | None = None,
) -> str:
    """A whole document about one text.

    rows: the table of values, as texts. facts: short lines below the text, such as the model's name.
    """
    said = texts or DocumentTexts()
    return (
        f"{document_start(said.title, said.language)}{legend_html(answers, said.not_found)}\n"
        f"{highlight_html(text, marks_of(answers))}\n"
        f'<p class="facts">{"<br>".join(map(_line, facts))}</p>\n'
        f"{table_start(said.columns)}{''.join(map(table_row, rows))}{TABLE_END}{DOCUMENT_END}"
    )


def document_start(title: str, language: str) -> str:
    """A document up to its first heading; what follows is HTML, and `DOCUMENT_END`."""
    return (
        f'<!DOCTYPE html>\n<html lang="{_line(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{_line(title)}</title>\n<style>{_PAGE}{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{_line(title)}</h1>\n"
    )


def table_start(columns: Sequence[str]) -> str:
    """A table up to its first row; what follows are rows, and `TABLE_END`."""
    heads = "".join(f'<th scope="col">{_line(column)}</th>' for column in columns)
    return f'<div class="table"><table><thead><tr>{heads}</tr></thead><tbody>'


def table_row(row: Sequence[str]) -> str:
    """A row of such a table."""
    return f"<tr>{_cells(row)}</tr>"


def paragraph(text: str, kind: str = "") -> str:
    """A line of text, escaped. kind: `facts` for a small one."""
    return f'<p class="{kind}">{_line(text)}</p>\n'


def heading(text: str) -> str:
    """A heading within the document."""
    return f"<h2>{_line(text)}</h2>\n"


def _cells(row: Sequence[str]) -> str:
    return "".join(f'<td dir="auto">{_line(cell)}</td>' for cell in row)


def _line(text: str) -> str:
    return html.escape(text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd"))
