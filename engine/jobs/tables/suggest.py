"""Which columns of a table are likely its text, its id and its right answers, as a first choice that users change."""

import re
from dataclasses import dataclass
from statistics import fmean

from engine.jobs.tables.cells import as_text
from engine.jobs.tables.table import Table

_ROWS = 100
_TEXT = re.compile(
    r"^(text|texts|content|sentence|review|comment|body|message|正文|文本|内容|评论|句子|原文)$", re.IGNORECASE
)
_ID = re.compile(r"(^|[_\W])(id|key|uuid|no|nr)($|[_\W])|编号|序号|主键|^号$", re.IGNORECASE)
_GOLD = re.compile(
    r"^(input_)?(gold|label|labels|category|class|target|truth|answer|intent|spans|entities|sentiment|topic)([_\W].*)?$"
    r"|标签|标注|类别|分类|答案|情感|意图|实体",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Suggestion:
    """Names of columns; '' where none is likely."""

    text: str = ""
    id: str = ""
    gold: str = ""


def is_usual(name: str) -> bool:
    """Whether a column of texts, ids or right answers is often called so."""
    return any(one.search(name) for one in (_TEXT, _ID, _GOLD))


def suggest_columns(table: Table) -> Suggestion:
    """By names and by the first rows: a text is named so or has the longest cells, an id never repeats."""
    rows = table.preview(_ROWS)
    cells = {name: [as_text(row.values.get(name)) for row in rows] for name in table.columns}
    gold = next((name for name in table.columns if _GOLD.search(name)), "")
    others = [name for name in table.columns if name != gold and cells[name]] or list(table.columns)
    lengths = {name: fmean(map(len, cells[name])) if cells[name] else 0.0 for name in others}
    text = max(others, key=lambda name: (bool(_TEXT.search(name)), not _ID.search(name), lengths[name]))
    unique = [
        name
        for name, texts in cells.items()
        if name not in {text, gold} and texts and len(set(texts)) == len(texts) and all(texts)
    ]
    named = [name for name in unique if _ID.search(name)]
    return Suggestion(text, next(iter(named), ""), gold)
