"""Makes a legal answer of what a server wrote: JSON or lines, of which only values that stand in the text are taken.

A server cannot be held to the text's own spans, so what it writes is a proposal. A value counts where it is a span as
the grammar has it, also if spelled in another width or case; it is then written as the text has it. The rest is named
in a note, and so are fields that the answer does not speak of.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from engine.model.backend import Decoded
from engine.text.align import Aligner
from engine.text.answers import parse_extract
from engine.text.grammar import NONE, SPANS_LIMIT, ExtractGrammar, units
from engine.text.inspect import is_blank, whole_characters
from engine.text.json_answer import read_json_answer
from engine.types import Note, Structure

_SHOWN = 200
"""Characters of left-out values that a note shows."""


@dataclass(frozen=True)
class Proposal:
    """What an answer says of the labels: values by label, and whether what it says of it is whole."""

    values: dict[str, tuple[str, ...]]
    whole: frozenset[str]


def structure_of(grammar: ExtractGrammar) -> Structure:
    """What a server may hold an answer to: a list of strings a label."""
    listed = {"type": "array", "items": {"type": "string"}}
    labels = [line.label for line in grammar.lines]
    schema = {
        "type": "object",
        "properties": dict.fromkeys(labels, listed),
        "required": labels,
        "additionalProperties": False,
    }
    return Structure(schema=json.dumps(schema, ensure_ascii=False))


def decoded(said: str, grammar: ExtractGrammar, *, ended: bool, tokens: int) -> Decoded:
    """The legal answer that is made of what was said.

    ended: whether the server ended it, else it is cut. tokens: that it took.
    """
    labels = [line.label for line in grammar.lines]
    proposal = propose(said, labels, grammar.source, ended=ended)
    spans = _Spans(grammar.source)
    lines, left_out = [], list[str]()
    for line in grammar.lines:
        taken: list[str] = []
        for value in proposal.values.get(line.label, ()):
            span = spans.find(value)
            if span is None:
                left_out.append(value)
            elif taken.count(span) < spans.count(span) and len(taken) < SPANS_LIMIT and (line.many or not taken):
                taken.append(span)
        taken = [] if taken == [NONE] else taken
        lines.append(f"{line.label}: {chr(9).join(taken) or NONE}\n".encode())
    unread = frozenset(number for number, label in enumerate(labels) if label not in proposal.whole)
    written = len(b"".join(lines))
    if not ended:  # from the first line that is not whole on, nothing is certain
        written = len(b"".join(lines[: min(unread, default=len(lines))]))
    pieces = tuple(lines)
    return Decoded(
        pieces,
        None,
        forced=0,
        written=written,
        taken_back=max(0, tokens - len(pieces)),
        said=said,
        unanswered=unread if ended else frozenset(),
        notes=_notes(left_out, [labels[number] for number in sorted(unread)] if ended else []),
    )


def propose(said: str, labels: Sequence[str], source: str, *, ended: bool) -> Proposal:
    """What an answer says: a JSON object anywhere in it, else lines as SeqGPT writes them."""
    found = read_json_answer(said, labels)
    if found:
        whole = frozenset(label for label, told in found.items() if told.whole)
        return Proposal({label: told.values for label, told in found.items()}, whole)
    parsed = parse_extract(said, labels, source, is_cut=not ended)
    spoken = {line.asked for line in parsed.lines if line.asked and line.outcome != "cut"}
    return Proposal(parsed.fields, frozenset(one for one in spoken if one))


class _Spans:
    """The spans of a source, as the grammar has them."""

    def __init__(self, source: str) -> None:
        self._source = whole_characters(source)
        self._aligner = Aligner(self._source)
        self._borders = {0, *accumulate(map(len, units(self._source)))}

    def find(self, value: str) -> str | None:
        """The source's own spelling of a value; None where it is no span of it."""
        value = value.strip()
        if is_blank(value):
            return None
        for start, end in self._aligner.align(value).places:
            span = self._source[start:end]
            if (
                {start, end} <= self._borders
                and span == span.strip()
                and len(span.splitlines()) == 1
                and "\t" not in span
            ):
                return span
        return None

    def count(self, span: str) -> int:
        """How often it stands there."""
        return self._source.count(span)


def _notes(left_out: Sequence[str], unread: Sequence[str]) -> tuple[Note, ...]:
    notes = []
    if left_out:
        shown = ", ".join(dict.fromkeys(left_out))
        notes.append(Note("values_left_out", {"values": shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"}))
    if unread:
        notes.append(Note("fields_unread", {"fields": ", ".join(unread)}))
    return tuple(notes)
