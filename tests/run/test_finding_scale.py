"""Fields by a model that understands, of long texts and of field sets that share wordings."""

import time
from threading import Event
from typing import get_args

import pytest
from understanding import Understander

from engine.errors import Cancelled
from engine.model.backend import SpanReading
from engine.run.extract import Extractor
from engine.run.finding import propose, sought_of
from engine.text.values import find_matches, find_options
from engine.types import ExtractRequest, FieldSpec, Mentions


@pytest.mark.parametrize("unit", ["1 2 3 4 5 6 7 8 9 ", "price: 5\n"])
def test_a_text_of_thousands_of_values_is_read_in_seconds(unit: str) -> None:
    fields = tuple(map(FieldSpec, ("number", "price", "salary")))
    started = time.perf_counter()
    for mentions in get_args(Mentions):
        Extractor(Understander())(ExtractRequest(unit * (30_000 // len(unit)), fields, mentions))
    assert time.perf_counter() - started < 12


def test_a_very_long_name_costs_no_more_beside_each_value() -> None:
    names = tuple(FieldSpec(f"{'x' * 3000}{end}", type="number") for end in "ab")
    started = time.perf_counter()
    Extractor(Understander())(ExtractRequest("1 2 3 4 5 6 7 8 9 " * 300, names))
    assert time.perf_counter() - started < 3


def test_fields_that_share_a_wording_but_not_its_type_share_no_values() -> None:
    fields = (
        FieldSpec("when", asked=("日期",), type="date"),
        FieldSpec("digits", asked=("日期",), type="regex", pattern="[0-9]{6}"),
        FieldSpec("which", asked=("日期",), type="list", options=("甲",)),
    )
    result = Extractor(Understander())(ExtractRequest("2024年1月5日，编号123456，甲。", fields))
    assert [[value.text for value in one.values] for one in result.fields] == [["2024年1月5日"], ["123456"], ["甲"]]


def test_fields_that_share_a_wording_and_its_meaning_share_its_values() -> None:
    fields = (
        FieldSpec("one", asked=("日期",)),
        FieldSpec("two", asked=("日期",), type="date"),
        FieldSpec("three", asked=("zorp",)),
    )
    result = Extractor(Understander())(ExtractRequest("2024年1月5日", fields))
    assert [[value.text for value in one.values] for one in result.fields] == [["2024年1月5日"]] * 2 + [[]]
    assert [one.absent for one in result.fields] == [None, None, 1.0]


def test_it_stops_between_wordings() -> None:
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled):
        propose("1", [sought_of(FieldSpec("number"), "number", "number")], SpanReading((), (0.0,), 1, 1), stop)


def test_a_pattern_finds_all_of_a_long_text() -> None:
    assert len(find_matches("a" * 100_000, ".")) == 100_000


def test_options_that_are_built_to_hang_end_in_time() -> None:
    started = time.perf_counter()
    assert find_options("a" * 20_000, ("a" * 5000 + "b", "a" * 3000 + "c")) == []
    assert time.perf_counter() - started < 3


def test_options_are_found_in_any_case_the_longer_of_two_that_begin_alike() -> None:
    assert find_options("GROẞE foo Foo Bar, foobar 京foo", ("große", "foo", "foo bar", "", " ")) == [
        (0, 5), (6, 9), (10, 17), (27, 30)
    ]  # fmt: skip
