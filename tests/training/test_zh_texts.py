"""Templates of Chinese texts: every slot has a filler, every text comes out whole."""

import json
import random
import re
from pathlib import Path

import pytest

from training.texts.template import render
from training.texts.zh import KNOWN, TEMPLATES
from training.texts.zh_values import FILLERS

CONCEPTS = set(json.loads((Path(__file__).parents[2] / "assets" / "offline" / "concepts.json").read_text("utf-8")))
SLOT = re.compile(r"\{(\w+)(?:\.\d+)?(?::(\w*))?\}")
ALL = [template for templates in TEMPLATES.values() for template in templates]


def marks(template: str) -> set[str]:
    """The concepts that a template's slots are marked with; a concept with a colon but no name is none."""
    found = set()
    for slot in SLOT.finditer(template):
        filler, concept = slot.groups()
        found.add(FILLERS[filler].concept if concept is None else concept)
    return found - {""}


def test_every_slot_has_a_filler() -> None:
    assert {filler for template in ALL for filler, _ in SLOT.findall(template)} <= set(FILLERS)


def test_the_marks_are_concepts_and_every_concept_occurs() -> None:
    counts = {concept: sum(concept in marks(template) for template in ALL) for concept in CONCEPTS}
    assert set().union(*map(marks, ALL)) <= CONCEPTS
    assert {concept for concept, count in counts.items() if count < 3} == {"miscellaneous"}


def test_there_are_many_templates_and_none_twice() -> None:
    assert len(ALL) >= 350
    assert len(set(ALL)) == len(ALL)


@pytest.mark.parametrize("domain", TEMPLATES)
def test_texts_come_out_whole(domain: str) -> None:
    for template in TEMPLATES[domain]:
        assert not re.search(r"[\[\]{}]", SLOT.sub("", re.sub(r"[\[\]]", "", template)))
        assert template.count("[") == template.count("]")
        for seed in range(3):
            blank = {name: type(filler)(filler.concept, lambda _: "值") for name, filler in FILLERS.items()}
            text, _ = render(template, blank, random.Random(seed))
            assert not re.search(r"[\[\]{}]", text)
            text, spans = render(template, FILLERS, random.Random(seed))
            assert text
            assert all(0 <= span.start < span.end <= len(text) and span.concept in CONCEPTS for span in spans)


def test_what_is_known_of_a_domain_are_concepts() -> None:
    assert set(KNOWN) == set(TEMPLATES)
    assert set().union(*KNOWN.values()) <= CONCEPTS


def test_plain_texts_hold_no_slot() -> None:
    assert not [template for template in TEMPLATES["plain"] if SLOT.search(template)]
