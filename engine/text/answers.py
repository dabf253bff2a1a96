"""Reads a model's free answers, tolerantly: what fits no label is reported, never dropped without a word.

It does not decide what to ask or how a model decodes.
"""

import re
from collections.abc import Sequence

from engine.types import Note

_SEPARATORS = re.compile(r"[\t,，、;；\n]")
_STOPS = " 。."


def parse_classify(raw: str, labels: Sequence[str]) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """The known labels that an answer names, in its order and once each, and notes on the rest.

    The separator of several labels is not documented by the model's authors, so any of TAB , ， 、 ; ； and the
    newline is read as one; a label that itself holds a separator is matched whole, the longest first. Case is
    ignored where no label has the answer's own spelling; a full stop after a label is not part of the answer.

    >>> parse_classify("经济，法律;政治\\n", ["经济", "法律", "政治"])[0]
    ('经济', '法律', '政治')
    """
    known = [label for label in labels if label]
    found: list[str] = []
    unknown: list[str] = []
    repeated = False
    rest = raw.replace("\ufffd", "")
    while rest := rest.lstrip(" \t,，、;；\n\r"):
        label = max(
            (one for one in known if _starts(rest, one)),
            key=lambda one: (len(one), rest.startswith(one)),
            default=None,
        )
        if label is None:
            piece = _SEPARATORS.split(rest, maxsplit=1)[0]
            unknown.append(piece.strip())
            rest = rest[len(piece) :]
            continue
        rest = rest[len(label) :].lstrip(_STOPS)
        if label in found:
            repeated = True
        else:
            found.append(label)
    notes = [Note("free_unparsed", {"text": " / ".join(dict.fromkeys(unknown))})] if unknown else []
    if repeated:
        notes.append(Note("free_repeats"))
    return tuple(found), tuple(notes)


def _starts(text: str, label: str) -> bool:
    """Whether `text` begins with `label` and a separator or the end follows it."""
    if text[: len(label)].casefold() != label.casefold():
        return False
    following = text[len(label) :].lstrip(_STOPS)
    return not following or _SEPARATORS.match(following) is not None
