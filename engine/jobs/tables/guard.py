"""Cells that a spreadsheet would take for formulas, in exports that are read back.

`engine.text.spreadsheet.safe_cell` puts an apostrophe before such a cell. That alone cannot be told from an apostrophe
that was typed, so an export has a last column that names the cells of its row that got one.
"""

from engine.text.spreadsheet import safe_cell

GUARDED = "workbench_guarded"
"""The head of that column; its cells are JSON lists of columns, or empty."""


def unguard(cell: str) -> str:
    """A cell without the apostrophe that `safe_cell` put there; any other as it is.

    >>> unguard("'=1+1"), unguard("'tis")
    ('=1+1', "'tis")
    """
    plain = cell.removeprefix("'")
    return plain if plain != cell and safe_cell(plain) == cell else cell


def guard_name(name: str) -> str:
    """A column's name as a safe cell; one that looks guarded already gets one more apostrophe, to be told apart.

    >>> guard_name("=x"), guard_name("'=x"), guard_name("x")
    ("'=x", "''=x", 'x')
    """
    return f"'{name}" if _is_formula(name.lstrip("'")) else name


def unguard_name(name: str) -> str:
    """A name that `guard_name` wrote, as it was."""
    return name.removeprefix("'") if _is_formula(name.lstrip("'")) else name


def _is_formula(text: str) -> bool:
    return safe_cell(text) != text
