"""The grammar of an extraction's answer: which answers are legal, and what a legal one says.

One line a wording, in the prompt's order: `LABEL: SPAN TAB SPAN ...` or `LABEL: None`. Every SPAN is a part of the
source, cut between words of alphabetic scripts and between characters of all others, with something visible at its
edges and no TAB or line end in it. So an answer names the asked labels and no others, invents no value, and always
parses. The word `None` alone means "not in the text", also where the text holds that word.

Written for llguidance's dialect of Lark (github.com/guidance-ai/llguidance, docs/syntax.md). It knows no tokenizer.
"""

import json
from dataclasses import dataclass
from functools import cached_property

import regex

from engine.text.inspect import IGNORABLE, whole_characters

NONE = "None"
"""How SeqGPT says that a label is not in the text."""

SPANS_LIMIT = 32
"""Values of one line at most: an endless answer ends."""

_BLANK = r"\s\x1c-\x1f"
"""What Python calls a blank: llguidance's \\s lacks the separators of ASCII."""
_INSIDE = r"[^\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
"""Anything but TAB and line ends."""
_VISIBLE = f"[^{_BLANK}" + "".join(char if char == "-" else f"\\u{{{ord(char):x}}}" for char in IGNORABLE) + "]"
"""What a span begins with: so that it is something that a person sees."""

_UNIT = regex.compile(r"(?:[\p{Latin}\p{Greek}\p{Cyrillic}\p{Armenian}\p{Georgian}]\p{M}*)+|\p{Nd}+|\X", regex.DOTALL)
_LONGEST_UNIT = 64
"""Code points: a longer word, such as a DNA sequence, is cut. llguidance gives up on 700 bytes without a choice."""


def units(text: str) -> list[str]:
    """The smallest parts that a span begins and ends between: words, numbers, and characters as people see them.

    >>> units("A公司 paid 12元")
    ['A', '公', '司', ' ', 'paid', ' ', '12', '元']
    """
    return [
        match[0][at : at + _LONGEST_UNIT]
        for match in _UNIT.finditer(text)
        for at in range(0, len(match[0]), _LONGEST_UNIT)
    ]


@dataclass(frozen=True)
class GrammarLine:
    """One line of the answer: its label, and whether it may hold several values."""

    label: str
    many: bool


@dataclass(frozen=True)
class AnsweredLine:
    """One line of a legal answer, in bytes of the answer.

    start, end: without the line end. lead: where the label ends, after its colon. values: (start, end) each, without
    the blank and the TAB around it; none: the label is not in the text.
    """

    start: int
    lead: int
    end: int
    values: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ExtractGrammar:
    """The legal answers to one prompt over one source text."""

    source: str
    lines: tuple[GrammarLine, ...]

    @cached_property
    def _bytes(self) -> bytes:
        return whole_characters(self.source).encode()

    @cached_property
    def lark(self) -> str:
        """The grammar as llguidance reads it."""
        parts = json.dumps(units(whole_characters(self.source)), ensure_ascii=False)
        one = f'(SPAN | "{NONE}")'
        several = f'(SPAN ("\\t" SPAN){{0,{SPANS_LIMIT - 1}}} | "{NONE}")'
        lines = " ".join(
            f'{json.dumps(line.label + ": ", ensure_ascii=False)} {several if line.many else one} "\\n"'
            for line in self.lines
        )
        return (
            f"start: {lines}\n"
            f"SPAN: PART & /{_VISIBLE}({_INSIDE}*[^{_BLANK}])?/\n"
            f'PART: %regex {{"substring_chunks": {parts}}}\n'
        )

    def empty_answer(self) -> str:
        """The answer that finds nothing: the shortest there is, as a rule."""
        return "".join(f"{line.label}: {NONE}\n" for line in self.lines)

    def too_often(self, answer: bytes) -> bool:
        """Whether the line being written holds its last value more often than the source does: a loop."""
        number, line = answer.count(b"\n"), answer.rpartition(b"\n")[2]
        if b"\t" not in line:
            return False
        values = line[len(self.lines[number].label.encode()) + 2 :].split(b"\t")
        return values.count(values[-1]) > self._bytes.count(values[-1])

    def last_whole(self, answer: bytes) -> int:
        """Bytes of an unfinished answer up to the end of its last whole value, or else of the last line's label."""
        start = answer.rfind(b"\n") + 1
        tab = answer.rfind(b"\t", start)
        number = answer.count(b"\n")
        lead = start + len(self.lines[number].label.encode()) + 1 if number < len(self.lines) else start
        return min(len(answer), tab if tab >= 0 else lead)

    def ending(self, answer: bytes) -> bytes:
        """What ends an answer at once: no value after its last label, nothing more after a whole value."""
        start, number = answer.rfind(b"\n") + 1, answer.count(b"\n")
        empty = [f"{line.label}: {NONE}\n".encode() for line in self.lines[number:]]
        line = answer[start:]
        return b"".join([empty[0][len(line) :] if empty[0].startswith(line) else b"\n", *empty[1:]])

    def read(self, answer: bytes) -> tuple[AnsweredLine, ...]:
        """What a legal answer says, line by line."""
        lines, start = [], 0
        for line in self.lines:
            end = answer.index(b"\n", start)
            lead = start + len(line.label.encode()) + 1
            lines.append(AnsweredLine(start, lead, end, _values(answer, lead, end)))
            start = end + 1
        return tuple(lines)


def _values(answer: bytes, lead: int, end: int) -> tuple[tuple[int, int], ...]:
    values, place = [], lead + 1
    for value in answer[place:end].split(b"\t"):
        values.append((place, place + len(value)))
        place += len(value) + 1
    return () if answer[lead + 1 : end] == NONE.encode() else tuple(values)
