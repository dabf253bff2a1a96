"""From training rows to examples: which concepts are asked of a text, by which names, and which spans answer.

A span of a concept answers its ancestors too (a company is an organisation), unless the more specific one is asked
beside them: then it counts for neither side of the ancestor. Some concepts that were not looked for are asked as well,
at a small weight: most texts hold no order number.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from engine.text.concepts import ancestors, concepts
from training.rows import Row

MOST_ASKED = 10
_STRANGERS = 2
_STRANGER_WEIGHT = 0.2


@dataclass(frozen=True)
class Asked:
    """A concept asked of a text.

    vector_of: what it is asked by: a concept's id, or a name.
    by_name: whether `vector_of` is a name.
    answers: the spans that are right. ignored: spans that are neither right nor wrong.
    weight: of its part in the loss.
    """

    vector_of: str
    by_name: bool
    answers: tuple[tuple[int, int], ...]
    ignored: tuple[tuple[int, int], ...]
    weight: float


def asked_of(row: Row, rng: random.Random) -> list[Asked]:
    """The concepts to ask of a row, drawn."""
    known = sorted(row.known)
    lineage = {one: _lineage(one) for one in {span.concept for span in row.spans} | row.known}
    there = sorted({higher for span in row.spans for higher in lineage[span.concept]} & _askable(row, lineage))
    absent = [one for one in known if one not in there]
    rng.shuffle(there)
    rng.shuffle(absent)
    chosen = there[: MOST_ASKED - 3]
    chosen += absent[: max(2, min(MOST_ASKED - len(chosen), rng.randint(2, 6)))]
    asked = [_ask(row, one, chosen, lineage, rng, 1.0) for one in chosen]
    touching = {higher for one in row.known for higher in lineage[one]}
    strangers = [one for one in concepts() if not _lineage(one) & touching]
    for one in rng.sample(strangers, min(_STRANGERS, len(strangers))):
        asked.append(_ask(row, one, chosen, lineage, rng, _STRANGER_WEIGHT))
    return asked


@cache
def _lineage(concept: str) -> frozenset[str]:
    """A concept and all that it is a kind of; a label that is no concept of the table is of its own kind alone."""
    return frozenset({concept}) | (ancestors(concept) if concept in concepts() else frozenset())


def _draw_name(concept: str, rng: random.Random) -> str:
    """A name in either language, the usual ones more often."""
    known = rng.choice([one for one in (concepts()[concept].zh, concepts()[concept].en) if one])
    return known[int(len(known) * rng.random() ** 2)]


def _askable(row: Row, lineage: dict[str, frozenset[str]]) -> frozenset[str]:
    """Known concepts, and ancestors of a span that were not looked for by themselves."""
    return row.known | {higher for span in row.spans for higher in lineage[span.concept]}


def _ask(
    row: Row, concept: str, chosen: Sequence[str], lineage: dict[str, frozenset[str]], rng: random.Random, weight: float
) -> Asked:
    answers: list[tuple[int, int]] = []
    ignored: list[tuple[int, int]] = []
    for span in row.spans:
        mine = lineage[span.concept]
        if concept not in mine:
            if not row.exact and span.concept in _lineage(concept):
                ignored.append((span.start, span.end))
            continue
        between = any(one != concept and one in mine and concept in _lineage(one) for one in chosen)
        (ignored if between else answers).append((span.start, span.end))
    by_name = concept not in concepts() or rng.random() < 0.5
    name = _draw_name(concept, rng) if by_name and concept in concepts() else concept
    if concept not in row.known and weight == 1.0:  # an ancestor of what was found; others of it may be unmarked
        weight = 0.5
    return Asked(name, by_name, tuple(answers), tuple(ignored), weight)


def batches(lengths: Sequence[int], order: Sequence[int], budget: int, rng: random.Random) -> Iterator[list[int]]:
    """Rows of similar length together, at most `budget` pieces with the padding, the batches in random order."""
    made: list[list[int]] = []
    pool = 1024
    for at in range(0, len(order), pool):
        batch: list[int] = []
        for index in sorted(order[at : at + pool], key=lambda one: lengths[one]):
            if batch and lengths[index] * (len(batch) + 1) > budget:
                made.append(batch)
                batch = []
            batch.append(index)
        made.append(batch)
    rng.shuffle(made)
    yield from made
