"""JSON, and lists as Python writes them, in a cell of a gold column."""

import ast
import json
import warnings
from typing import Any

from engine.errors import WorkbenchError
from engine.messages import Phrase

_LONGEST = 1_000_000
"""Characters of a cell that are read; a row's annotations are far shorter."""


def refuse(reason: Phrase) -> WorkbenchError:
    """The error of a cell that cannot be read."""
    return WorkbenchError("gold_unreadable", reason=reason)


def as_value(cell: str) -> Any:
    """The lists and objects that a string writes; None where it writes none.

    Besides JSON it takes what Python prints of them (single quotes), as tables saved by pandas hold it.
    """
    if len(cell) > _LONGEST:
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of backslashes in a text
            return ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
