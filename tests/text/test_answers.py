"""What the tolerant parser makes of free answers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.answers import parse_classify
from engine.text.labels import SEPARATORS, clean_label
from engine.types import Note

LABEL = (
    st.text(max_size=10)
    .map(lambda raw: clean_label(raw.replace("\ufffd", "")).strip(SEPARATORS + " 。.\u3000\ufeff\u200b\u00a0"))
    .filter(bool)
)
"""Clean labels that no full stop or separator borders: those border answers, and are not part of them."""
WORD = st.text(st.sampled_from("经济法律政治体育abcXYZ 3é💹"), min_size=1, max_size=6).map(str.strip).filter(bool)


def test_reported_unknown_separators(cases: dict[str, Any]) -> None:
    case = cases["parse-multi"]
    chosen, notes = parse_classify(case["raw"], case["labels"])
    assert list(chosen) == case["expect"]
    assert notes == ()


@pytest.mark.parametrize(
    ("raw", "labels", "chosen", "codes"),
    [
        ("财经\n", ["财经", "体育"], ("财经",), []),
        ("", ["财经"], (), []),
        (" \n\t，\r\n", ["财经"], (), []),
        ("体育，财经", ["财经", "体育"], ("体育", "财经"), []),
        ("体育\t财经;", ["财经", "体育"], ("体育", "财经"), []),
        ("财经。", ["财经"], ("财经",), []),
        (" Sports.\n", ["Sports"], ("Sports",), []),
        ("Sports. Politics", ["Sports", "Politics"], (), ["free_unparsed"]),
        ("SPORTS", ["sports"], ("sports",), []),
        ("财经新闻", ["财经"], (), ["free_unparsed"]),
        ("财经，未知，体育", ["财经", "体育"], ("财经", "体育"), ["free_unparsed"]),
        ("酒, 茶", ["酒", "茶", "酒, 茶"], ("酒, 茶",), []),
        ("酒, 水", ["酒", "水", "酒, 茶"], ("酒", "水"), []),
        ("ab", ["a", "ab"], ("ab",), []),
        ("财经\n财经\n财经", ["财经"], ("财经",), ["free_repeats"]),
        ("财\ufffd经", ["财经"], ("财经",), []),
        ("财经", [], (), ["free_unparsed"]),
    ],
)
def test_parse(raw: str, labels: list[str], chosen: tuple[str, ...], codes: list[str]) -> None:
    found, notes = parse_classify(raw, labels)
    assert found == chosen
    assert [note.code for note in notes] == codes


def test_what_fits_no_label_is_quoted_once_each() -> None:
    _, notes = parse_classify("甲，乙，甲，财经，丙 丁", ["财经"])
    assert notes == (Note("free_unparsed", {"text": "甲 / 乙 / 丙 丁"}),)


def test_a_label_in_its_own_spelling_wins_over_its_twin() -> None:
    labels = ["CPI", "cpi", "Cpi"]
    assert [parse_classify(label, labels)[0] for label in labels] == [(label,) for label in labels]
    assert parse_classify("cPI", labels)[0] == ("CPI",), "no spelling fits: the first label"


@given(st.lists(LABEL, min_size=1, max_size=6, unique=True), st.sampled_from(["", "\n", "。", ". \n", "\n\n"]))
def test_a_single_label_is_recognised_whatever_it_holds(labels: list[str], ending: str) -> None:
    for label in labels:
        assert parse_classify(label + ending, labels) == ((label,), ())


@given(st.lists(WORD, min_size=1, max_size=6, unique_by=str.casefold), st.sampled_from("\t,，、;；\n"))
def test_labels_joined_by_any_separator_come_back(labels: list[str], separator: str) -> None:
    assert parse_classify(separator.join(labels) + "\n", labels) == (tuple(labels), ())


@given(st.text(st.sampled_from("甲乙ab,，\n\t 。.\ufffd"), max_size=40), st.lists(LABEL | WORD, max_size=4))
def test_every_answer_is_read_to_its_end(raw: str, labels: list[str]) -> None:
    """Nothing is lost: each character is in a label, in the note, or is a separator."""
    chosen, notes = parse_classify(raw, labels)
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= set(labels)
    told = "".join(chosen) + "".join(str(note.details) for note in notes)
    lost = {character for character in raw if character.casefold() not in told.casefold()}
    assert lost <= set(",，\n\t 。.\ufffd")
