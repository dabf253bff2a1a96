"""Cells of a CSV file that spreadsheets open: no text can run as a formula there."""

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What makes a spreadsheet take a cell for a formula; in East Asian settings also in full width."""


def safe_cell(content: object) -> object:
    """A cell that a spreadsheet shows as it is: text that would be a formula follows an apostrophe; None is empty.

    >>> safe_cell("=1+1"), safe_cell(-3), safe_cell(None)
    ("'=1+1", -3, '')
    """
    if isinstance(content, str) and content.startswith(_FORMULA):
        return f"'{content}"
    return "" if content is None else content
