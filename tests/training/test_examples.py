"""Which concepts are asked of a training text, and which spans answer them."""

import random

from engine.text.concepts import concepts
from training.examples import Asked, asked_of, batches
from training.rows import Row, Span

COMPANY, PERSON, PLACE = Span(0, 3, "company"), Span(4, 6, "person"), Span(7, 9, "location")
TEXT = "甲公司请王五去上海。"


def drawn(row: Row, times: int = 60) -> list[list[Asked]]:
    rng = random.Random(1)
    return [asked_of(row, rng) for _ in range(times)]


def named(concept: str, one: Asked) -> bool:
    return one.vector_of == concept or (one.by_name and one.vector_of in concepts()[concept].names)


def test_a_span_answers_its_own_concept_and_wider_ones() -> None:
    row = Row(TEXT, (COMPANY,), frozenset({"company", "person"}), "corpus")
    for asked in drawn(row):
        for one in asked:
            if one.weight == 1.0 and not one.by_name:
                assert one.answers == (((0, 3),) if one.vector_of == "company" else ())
            if not one.by_name and one.vector_of == "organization":
                narrower = any(named("company", other) for other in asked)
                assert (one.answers, one.ignored) == (((), ((0, 3),)) if narrower else (((0, 3),), ()))


def test_absent_concepts_are_asked_too() -> None:
    row = Row(TEXT, (COMPANY,), frozenset({"company", "person"}), "corpus")
    assert any(named("person", one) and not one.answers for asked in drawn(row) for one in asked)


def test_what_was_not_looked_for_counts_little() -> None:
    row = Row(TEXT, (), frozenset({"person"}), "corpus")
    strangers = [one for asked in drawn(row) for one in asked if not named("person", one)]
    assert strangers
    assert {one.weight for one in strangers} == {0.2}


def test_a_wide_span_says_nothing_of_narrower_ones_unless_it_is_exact() -> None:
    for exact, ignored in ((False, ((7, 9),)), (True, ())):
        row = Row(TEXT, (PLACE,), frozenset({"location", "city"}), "written zh news", exact=exact)
        cities = [one for asked in drawn(row) for one in asked if not one.by_name and one.vector_of == "city"]
        assert cities
        assert {one.ignored for one in cities} == {ignored}
        assert {one.answers for one in cities} == {()}


def test_the_same_seed_asks_the_same() -> None:
    row = Row(TEXT, (COMPANY, PERSON), frozenset({"company", "person", "location"}), "corpus")
    assert drawn(row) == drawn(row)


def test_batches_hold_every_row_once_within_the_budget() -> None:
    rng = random.Random(2)
    lengths = [rng.randint(5, 90) for _ in range(3000)]
    order = list(range(3000))
    rng.shuffle(order)
    made = list(batches(lengths, order, 900, rng))
    assert sorted(one for batch in made for one in batch) == list(range(3000))
    assert all(max(lengths[one] for one in batch) * len(batch) <= 900 for batch in made)
