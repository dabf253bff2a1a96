"""What the head is trained on: a text, the spans it holds, and the concepts that were looked for in it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A value in a text: code points `start` to `end`, and the id of its concept (`engine.text.concepts`)."""

    start: int
    end: int
    concept: str


@dataclass(frozen=True)
class Row:
    """One training text.

    spans: everything it holds of the concepts in `known`.
    known: concepts that were looked for: of these, what is not in `spans` is not in the text.
    source: the corpus, or the family of templates, that it comes from.
    exact: whether a span of a wide concept is known to be of no narrower one: a "person" that is no "politician".
    """

    text: str
    spans: tuple[Span, ...]
    known: frozenset[str]
    source: str
    exact: bool = True
