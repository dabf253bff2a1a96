"""Texts written for training the head: templates and the values that fill them, in Chinese and English.

Every text is drawn by a seed: one template, or two of one domain after each other. What a domain is known to mark
whenever it occurs, and what a text marks, was looked for in it; of other concepts nothing is said.
"""

import random
from collections.abc import Iterator, Mapping, Sequence

from training.rows import Row, Span
from training.texts import en, en_values, zh, zh_values
from training.texts.template import Filler, render

_TWO = 0.25
"""Share of texts that are two templates long."""
_LOWER = 0.12
"""Share of English texts without capitals, as people type them."""

_LANGUAGES: tuple[tuple[str, Mapping[str, Sequence[str]], Mapping[str, frozenset[str]], Mapping[str, Filler]], ...] = (
    ("zh", zh.TEMPLATES, zh.KNOWN, zh_values.FILLERS),
    ("en", en.TEMPLATES, en.KNOWN, en_values.FILLERS),
)


def written(count: int, seed: int) -> Iterator[Row]:
    """`count` texts, the languages in turn, every template about as often as any other of its language."""
    rng = random.Random(seed)  # noqa: S311 - drawing texts is no secret
    for number in range(count):
        language, templates, known, fillers = _LANGUAGES[number % len(_LANGUAGES)]
        domain = rng.choices(list(templates), [len(own) for own in templates.values()])[0]
        text, spans = render(rng.choice(templates[domain]), fillers, rng)
        if rng.random() < _TWO:
            more, further = render(rng.choice(templates[domain]), fillers, rng)
            text += " " if language == "en" else ""
            spans += tuple(Span(one.start + len(text), one.end + len(text), one.concept) for one in further)
            text += more
        if language == "en" and rng.random() < _LOWER and len(text.lower()) == len(text):
            text = text.lower()
        yield Row(
            text, spans, known[domain] | {one.concept for one in spans}, f"written {language} {domain}", exact=False
        )
