"""A small language for templates of training texts.

    {person}                a value of the filler `person`, marked with that filler's concept
    {person.1}              the same, drawn once in a text: every {person.1} is the same value
    {person:recipient}      a value of the filler `person`, marked with the concept `recipient`
    {person:}               a value that is not marked
    [often|now and then|]   one of the choices, drawn evenly; choices nest and may hold slots

Braces and brackets have no other use; a text that needs one takes it from a filler.
"""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from training.rows import Span

Draw = Callable[[random.Random], str]

_INNERMOST = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(?P<filler>\w+)(?:\.(?P<number>\d+))?(?P<marked>:(?P<concept>\w*))?\}")


@dataclass(frozen=True)
class Filler:
    """Values for a slot. `concept`: what its values are marked with; empty for values that are not marked."""

    concept: str
    draw: Draw


def render(template: str, fillers: Mapping[str, Filler], rng: random.Random) -> tuple[str, tuple[Span, ...]]:
    """A text from a template, and the spans of its marked values in the text's order.

    Raises:
        KeyError: a slot that no filler has.
    """
    while _INNERMOST.search(template):
        template = _INNERMOST.sub(lambda choices: rng.choice(choices[1].split("|")), template)
    drawn: dict[tuple[str, str], str] = {}
    text, spans, at = "", [], 0
    for slot in _SLOT.finditer(template):
        filler = fillers[slot["filler"]]
        value = filler.draw(rng)
        if slot["number"]:
            value = drawn.setdefault((slot["filler"], slot["number"]), value)
        text += template[at : slot.start()]
        concept = slot["concept"] if slot["marked"] else filler.concept
        if concept:
            spans.append(Span(len(text), len(text) + len(value), concept))
        text += value
        at = slot.end()
    return text + template[at:], tuple(spans)


def one_of(*values: str) -> Draw:
    """Draws one of the values evenly."""
    return lambda rng: rng.choice(values)


def words(values: str) -> Draw:
    """Draws one of the values evenly; they are parted by lines where there are any, else by blanks."""
    parted = [one.strip() for one in values.splitlines() if one.strip()] if "\n" in values else values.split()
    return one_of(*parted)
