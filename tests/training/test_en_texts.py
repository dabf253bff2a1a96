"""The English templates: their slots, their marks and what they say is known."""

import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from training.texts.en import KNOWN, TEMPLATES
from training.texts.en_values import FILLERS
from training.texts.template import Filler, render

CONCEPTS = frozenset(
    json.loads((Path(__file__).parents[2] / "assets" / "offline" / "concepts.json").read_text("utf-8"))
)
SLOT = re.compile(r"\{(\w+)(?:\.\d+)?(:\w*)?\}")
PLACEHOLDERS = {name: Filler("", lambda rng: "x") for name in FILLERS}
ALL = [(domain, template) for domain, templates in TEMPLATES.items() for template in templates]


def test_every_slot_has_a_filler_and_every_mark_is_a_concept() -> None:
    slots = {found for _, template in ALL for found in SLOT.findall(template)}
    assert {name for name, _ in slots} <= FILLERS.keys()
    assert {mark[1:] for _, mark in slots if mark[1:]} <= CONCEPTS
    assert {filler.concept for filler in FILLERS.values() if filler.concept} <= CONCEPTS


def test_every_concept_is_in_three_templates_at_least() -> None:
    held = [{mark[1:] or name for name, mark in SLOT.findall(template)} for _, template in ALL]
    assert [one for one in CONCEPTS if sum(one in names for names in held) < 3] == ["miscellaneous"]


@pytest.mark.parametrize("domain", TEMPLATES)
def test_texts_are_whole_and_their_spans_lie_inside(domain: str) -> None:
    for template in TEMPLATES[domain]:
        fixed, _ = render(template, PLACEHOLDERS, random.Random(0))
        assert not re.search(r"[\[\]{}|]| $|\\n", fixed), template
        for seed in range(3):
            text, spans = render(template, FILLERS, random.Random(seed))
            assert text.strip(), template
            assert all(0 <= span.start < span.end <= len(text) for span in spans), template
            assert all(one.end <= other.start for one, other in pairwise(spans)), template


def test_known_concepts_exist_and_plain_texts_hold_none() -> None:
    assert KNOWN.keys() == TEMPLATES.keys()
    assert frozenset[str]().union(*KNOWN.values()) <= CONCEPTS
    assert not any(SLOT.search(template) for template in TEMPLATES["plain"])
