"""Reads a model's free answers, tolerantly: what fits no label is reported, never dropped without a word.

It does not decide what to ask or how a model decodes, nor what a value means.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.text.align import Aligner
from engine.text.json_answer import as_lines
from engine.types import AnswerLine, Note

_SEPARATORS = re.compile(r"[\t,，、;；\n]")
_STOPS = " 。."
_LINE_ENDS = re.compile(r"\r\n|[\r\n]")
_BULLET = re.compile(r"\s*(?:[-*•·]\s+)?")
_COLON = re.compile(r"[^\S\t]*[:：]")
_ABSENT = "None"
_BROKEN = "\ufffd"
"""What a decoder writes for a character whose last bytes never came."""


@dataclass(frozen=True)
class ParsedAnswer:
    """An answer to an extraction: the values of every label that was asked, and every line that is not blank."""

    fields: dict[str, tuple[str, ...]]
    lines: tuple[AnswerLine, ...]
    notes: tuple[Note, ...]


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


def parse_extract(raw: str, labels: Sequence[str], text: str | None = None, is_cut: bool = False) -> ParsedAnswer:
    """Reads lines of `LABEL: VALUE<TAB>VALUE` or `LABEL: None`; only a TAB separates values.

    The longest label that begins a line is its label. The colon may be full-width and have blanks around it; blanks
    or a bullet may come first. Absent is the very word None alone, as the model was taught it: 无 and none may be
    values. A label without any value is absent too. A label may come twice: its values are joined. Where one label
    was asked and no line names it, the lines are its values. A last character that is broken is trimmed.

    A JSON object of lists is read as such lines: models behind servers are asked for it.

    text: what the model read. Equal values then count no more often than they stand in it, and once where they do
        not. None: all count.
    is_cut: the answer reached its limit of tokens, so that its last line may lack an end; a broken last character
        says the same.

    >>> parse_extract("时间: 12:30\\t8:05\\n地点：None", ["时间", "地点"]).fields
    {'时间': ('12:30', '8:05'), '地点': ()}
    """
    known = [label for label in dict.fromkeys(labels) if label]
    raw = as_lines(raw, known, _ABSENT)
    lines = [line for line in _LINE_ENDS.split(raw) if line.strip()]
    whole, is_broken = _without_broken_tail(lines, text or "")
    said = [_said(line, known) for line in whole]
    if len(known) == 1 and all(label is None for label, _ in said):
        said = [(known[0], _BULLET.sub("", line, count=1)) for line in whole]
    budget = _Budget(text)
    read = [_line(line, label, rest, budget) for line, (label, rest) in zip(lines, said, strict=True)]
    if is_broken or (is_cut and read and not raw.endswith(("\n", "\r"))):
        read[-1] = _as_cut(read[-1])
    fields = {label: tuple(value for line in read if line.asked == label for value in line.values) for label in labels}
    return ParsedAnswer(fields, tuple(read), _notes(read, budget.left_out, is_broken))


def _without_broken_tail(lines: list[str], text: str) -> tuple[list[str], bool]:
    """The lines as they are read, and whether the last one broke off; a text with broken characters has them too."""
    if not lines or _BROKEN in text or not lines[-1].rstrip().endswith(_BROKEN):
        return lines, False
    return [*lines[:-1], lines[-1].rstrip().rstrip(_BROKEN)], True


def _said(line: str, labels: Sequence[str]) -> tuple[str | None, str]:
    """The label of a line and what follows its colon; None and the line where there is no label."""
    for start in (line.lstrip(), _BULLET.sub("", line, count=1)):  # a label may itself begin with a bullet
        found = [one for label in labels if (one := _labelled(start, label))]
        if found:
            *_, label, rest = max(found, key=lambda one: one[:3])
            return label, rest
    return None, line


def _labelled(line: str, label: str) -> tuple[bool, int, bool, str, str] | None:
    """How well a label begins a line (a colon, its length, its own spelling), the label, and what follows."""
    if line[: len(label)].casefold() != label.casefold():
        return None
    following = line[len(label) :]
    colon = _COLON.match(following)
    if colon is None and not label.endswith((":", "：")):  # a label that ends with a colon may not get another
        return None
    return colon is not None, len(label), line.startswith(label), label, following[colon.end() if colon else 0 :]


class _Budget:
    """How often equal values may still count, and how many were left out."""

    def __init__(self, text: str | None) -> None:
        self._aligner = None if text is None else Aligner(text)
        self._limits: dict[str, tuple[object, int]] = {}
        self._used: Counter[tuple[str, object]] = Counter()
        self.left_out = 0

    def takes(self, label: str, value: str) -> bool:
        """Counts one more value of a label, and says whether the text holds that many."""
        if self._aligner is None:
            return True
        if value not in self._limits:
            places = self._aligner.align(value).places
            # 2片 and ２片 are equal: they begin at one place
            self._limits[value] = (places[0] if places else value, max(1, len(places)))
        place, limit = self._limits[value]
        self._used[label, place] += 1
        fits = self._used[label, place] <= limit
        self.left_out += not fits
        return fits


def _line(raw: str, label: str | None, rest: str, budget: _Budget) -> AnswerLine:
    if label is None:
        return AnswerLine(raw, None, (), "unparsed")
    said = [value for value in map(str.strip, rest.split("\t")) if value]
    if not said or said == [_ABSENT]:
        return AnswerLine(raw, label, (), "none")
    kept = tuple(value for value in said if budget.takes(label, value))
    return AnswerLine(raw, label, kept, "values" if kept else "repeat")


def _as_cut(line: AnswerLine) -> AnswerLine:
    return replace(line, outcome="cut") if line.values else line


def _notes(lines: Sequence[AnswerLine], left_out: int, is_broken: bool) -> tuple[Note, ...]:
    notes = []
    if unparsed := dict.fromkeys(line.raw.strip() for line in lines if line.outcome == "unparsed"):
        notes.append(Note("free_unparsed", {"text": " / ".join(unparsed)}))
    if left_out:
        notes.append(Note("free_extra_values", {"count": left_out}))
    if is_broken:
        notes.append(Note("free_broken_tail"))
    return tuple(notes)
