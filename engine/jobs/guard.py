"""Cells that a spreadsheet would take for formulas, in exports that are read back.

`engine.text.spreadsheet.safe_cell` puts an apostrophe before such a cell. That alone cannot be told from an apostrophe that was
typed, so an export has a last column that names the cells of its row that got one.
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
