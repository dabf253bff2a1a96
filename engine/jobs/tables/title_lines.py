"""Lines above a table's head: a title, a date, a remark, as reports and exports of other programs begin.

Such a line has one cell where the table has several. They are left out only where what follows clearly is a head.
"""

from collections.abc import Sequence

from engine.jobs.tables.suggest import is_usual

LOOKED_AT = 30
"""Records that are looked at."""
_MOST = 10


def titles_above(rows: Sequence[Sequence[str]]) -> int:
    """How many of a file's first records stand above its head; 0 where that is not clear.

    The head then has several names, all different, none a number and each shorter than the longest title, and the rows
    after it are as wide as it is. Where a title's line has no separators, as of a text with separators in it its name
    has none, one of the names must be a usual one besides.

    >>> titles_above([["Reviews of 2026", ""], ["id", "text"], ["1", "fine"]])
    1
    >>> titles_above([["评论内容"], ["很好", "不错"], ["一般", "还行"]])
    0
    """
    place = next((at for at, cells in enumerate(rows) if not _is_title(cells)), 0)
    if not 0 < place <= _MOST or place + 1 >= len(rows):
        return 0
    head, after = rows[place], rows[place + 1 :]
    names = list(head)
    while names and not names[-1].strip():
        names.pop()
    longest = max(len(cell) for cells in rows[:place] for cell in cells)
    clear = (
        len(names) > 1
        and len(set(names)) == len(names)
        and all(name[:1].strip() and len(name) < longest and not _is_number(name) for name in names)
        and all(len(cells) == len(head) for cells in after)
        and any(not _is_title(cells) for cells in after)
        and (all(len(cells) > 1 for cells in rows[:place]) or any(map(is_usual, names)))
    )
    return place if clear else 0


def _is_title(cells: Sequence[str]) -> bool:
    return bool(cells) and bool(cells[0].strip()) and not any(cell.strip() for cell in cells[1:])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
