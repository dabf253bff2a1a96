"""Field sets: what people type and share, and what is asked of a model."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.text.fields import (
    FIELDS_LIMIT,
    Wording,
    asked_as,
    clean_fields,
    field_set_json,
    parse_fields,
    read_field_set,
    wordings,
)
from engine.types import FieldSpec, ValueType

FULL = FieldSpec("ROE", ("earning power", "return"), "in percent", "regex", ("a",), r"\d+%", many=False, required=True)


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("甲方，乙方", ["甲方", "乙方"]),
        ('"a, b"; c\n\nd', ["a, b", "c", "d"]),
        ("a, a ,b", ["a", "b"]),
        ("", []),
        ('["甲", {"name": "乙"}]', ["甲", "乙"]),
        ('{"fields": ["甲"], "name": "set"}', ["甲"]),
        ('  [" x ", "x", ""]', ["x"]),
    ],
)
def test_fields_are_typed_as_names_or_json(raw: str, names: list[str]) -> None:
    assert [one.name for one in parse_fields(raw)] == names


def test_a_field_set_comes_back_from_its_json() -> None:
    for field_set in [(FULL,), (FULL, FieldSpec("x")), ()]:
        assert read_field_set(json.dumps(field_set_json(field_set))) == field_set
    assert field_set_json([FieldSpec("x")]) == [{"name": "x"}]


lines = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@given(
    st.lists(
        st.builds(
            FieldSpec,
            name=lines,
            asked=st.lists(lines, max_size=3, unique=True).map(tuple),
            description=lines,
            type=st.sampled_from(get_args(ValueType)),
            options=st.lists(lines, max_size=3, unique=True).map(tuple),
            pattern=st.text(max_size=5),
            many=st.booleans(),
            required=st.booleans(),
        ),
        max_size=4,
        unique_by=lambda one: one.name,
    )
)
def test_any_clean_field_set_comes_back(field_set: list[FieldSpec]) -> None:
    assert read_field_set(json.dumps(field_set_json(field_set))) == clean_fields(field_set) == tuple(field_set)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("[", "not_json"),
        ("[" * 100_000, "not_json"),
        ("{}", "no_field_list"),
        ('{"fields": "x"}', "no_field_list"),
        ("[1]", "odd_field"),
        ("[[]]", "odd_field"),
        ('[{"name": "x", "kind": 1}]', "field_attribute_unknown"),
        ("[{}]", "field_unnamed"),
        ('[{"name": 1}]', "field_attribute_odd"),
        ('[{"name": "x", "asked": "y"}]', "field_attribute_odd"),
        ('[{"name": "x", "asked": [1]}]', "field_attribute_odd"),
        ('[{"name": "x", "type": "colour"}]', "field_attribute_odd"),
        ('[{"name": "x", "many": 1}]', "field_attribute_odd"),
        ('[{"name": null}]', "field_attribute_odd"),
    ],
)
def test_what_is_no_field_set_is_refused_with_the_reason(raw: str, code: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        read_field_set(raw)
    assert refused.value.code == "fields_unreadable"
    assert getattr(refused.value.details["reason"], "code", None) == code


def test_more_fields_than_a_set_may_have_are_not_cut_silently() -> None:
    names = json.dumps([f"f{number}" for number in range(FIELDS_LIMIT + 50)])
    assert len(read_field_set(names)) == FIELDS_LIMIT + 1, "one too many, so that the check refuses it"


def test_cleaning_keeps_one_line_and_the_first_of_a_name() -> None:
    given = [
        FieldSpec(" a\tb\n"),
        FieldSpec("a b", description="second"),
        FieldSpec(""),
        FieldSpec("c", ("", " d ", "d")),
    ]
    assert clean_fields(given) == (FieldSpec("a b"), FieldSpec("c", ("d",)))


def test_wordings_are_asked_once_in_order_with_their_description() -> None:
    field_set = [
        FieldSpec("x", many=False),
        FieldSpec("价格", ("金额", "x"), "人民币", many=False),
        FieldSpec("y", ("x",)),
    ]
    assert wordings(field_set) == (
        Wording("x", True),
        Wording("金额（人民币）", False),
        Wording("x (人民币)", False),
    )
    assert asked_as(field_set[1]) == {"金额（人民币）": "金额", "x (人民币)": "x"}


@pytest.mark.parametrize("given", [FULL, FieldSpec("x"), FieldSpec("x", description="d")])
def test_every_wording_leads_back_to_its_field(given: Any) -> None:
    assert {one.label for one in wordings([given])} == set(asked_as(given))
