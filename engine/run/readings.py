"""What a constrained answer says: values with their probabilities, and what was made of each line. Decodes nothing."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from engine.model.backend import Decoded
from engine.run.questions import Question
from engine.text.grammar import AnsweredLine
from engine.text.merge import Answered
from engine.types import AnswerLine, Note, Outcome, PromptRecord

LEAST = sys.float_info.min
"""A probability that is too small to write: never 0, for it was chosen."""


@dataclass(frozen=True)
class Reading:
    """One answer, read. `absences`: by label that was not found, the probability of just that. `notes`: what is odd."""

    record: PromptRecord
    answered: tuple[Answered, ...]
    absences: dict[str, float]
    notes: tuple[Note, ...] = ()


def read(question: Question, decoded: Decoded) -> Reading:
    """Read a legal answer. A line that the model did not end itself is cut: whole values count, absence does not.

    Where the answer was made from what a server wrote, values and absence have no probability.
    """
    answer = decoded.answer
    answered: list[Answered] = []
    absences: dict[str, float] = {}
    shown: list[AnswerLine] = []
    lines = zip(question.labels, question.grammar.read(answer), strict=True)
    for number, (label, line) in enumerate(lines):
        values = tuple(answer[start:end].decode() for start, end in line.values)
        scores = span_scores(decoded, line)
        answered += [Answered(label, value, score, question.part) for value, score in zip(values, scores, strict=False)]
        cut = line.end >= decoded.written
        if not values and not cut and scores[0] is not None:
            absences[label] = scores[0]
        outcome: Outcome = "cut" if cut else "values" if values else "none"
        raw = answer[line.start : line.end].decode()
        if number in decoded.unanswered and not cut:
            raw, outcome = label, "unparsed"
        shown.append(AnswerLine(raw, label, values, outcome))
    part = question.part
    said = answer.decode() if decoded.said is None else decoded.said
    record = PromptRecord(question.encoded.prompt.string, said, part.start, part.end, tuple(shown))
    return Reading(record, tuple(answered), absences, decoded.notes)


def span_scores(decoded: Decoded, line: AnsweredLine) -> Sequence[float | None]:
    """The probability of each value of a line, or of its `None`, under the grammar; None where it is not known.

    A value's share of the line is from the separator before it, left out, to the one after it: where it ends was a
    choice too. A token belongs to the value in whose share it begins, so the scores' product is the line's probability.
    """
    if decoded.log_probabilities is None:
        return [None] * max(1, len(line.values))
    logs = decoded.log_probabilities
    ends = list(accumulate(map(len, decoded.pieces)))
    begins = [0, *ends[:-1]]
    borders = [line.lead, *(end + 1 for _, end in line.values)] if line.values else [line.lead, line.end + 1]
    sums = (_sum(begins, logs, start, end) for start, end in pairwise(borders))
    return [max(math.exp(one), LEAST) for one in sums]


def _sum(begins: Sequence[int], log_probabilities: Sequence[float], start: int, end: int) -> float:
    pairs = zip(begins, log_probabilities, strict=True)
    return sum(one for begin, one in pairs if start <= begin < end)
