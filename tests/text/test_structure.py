"""What an answer must be: which structures are refused and why, what their grammars take, what is said of an answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.text.json_schema import SCHEMA_LIMIT
from engine.text.structure import CHOICES_LIMIT, TEXT_LIMIT, AnswerForm, make_form
from engine.types import Structure

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": ["integer", "null"]},
        "kind": {"enum": ["friend", "foe", None]},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 2},
    },
    "required": ["name", "age"],
}
SOURCE = 'Tim "Bo" Cook\tlives in\\at 北京市💹, flat 12b.\nNone'


def by_schema(schema: Any, **options: Any) -> AnswerForm:
    source = options.pop("source", "")
    return make_form(Structure(schema=json.dumps(schema), **options), source)


def grounded(schema: Any, source: str = SOURCE) -> AnswerForm:
    return by_schema(schema, grounded=True, source=source)


def takes(form: AnswerForm, answer: str) -> bool:
    """Whether the grammar takes an answer whole, byte by byte."""
    matcher, tokens = form.over_bytes(), list(answer.encode())
    return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def reason(structure: Structure, source: str = "") -> str:
    with pytest.raises(WorkbenchError) as refused:
        make_form(structure, source)
    assert refused.value.code == "bad_structure"
    return str(refused.value.details["reason"].code)  # type: ignore[attr-defined]


# What is refused.


@pytest.mark.parametrize(
    ("structure", "code"),
    [
        (Structure(), "structure_none"),
        (Structure(schema=" \n"), "structure_none"),
        (Structure(schema="{}", regex="a"), "structure_several"),
        (Structure(regex="a", choices=("a",)), "structure_several"),
        (Structure(schema="{"), "schema_not_json"),
        (Structure(schema='{"minimum": NaN}'), "schema_not_json"),
        (Structure(schema="[" * 100_000), "schema_too_large"),
        (Structure(schema="[" * 20_000), "schema_too_deep"),
        (Structure(schema='{"not":' * 80 + "{}" + "}" * 80), "schema_too_deep"),
        (Structure(schema="true"), "schema_no_object"),
        (Structure(schema='["type"]'), "schema_no_object"),
        (Structure(schema='{"type": "text"}'), "schema_invalid"),
        (Structure(schema='{"required": "a"}'), "schema_invalid"),
        (Structure(schema='{"type": "string", "pattern": "("}'), "grammar_refused"),
        (Structure(schema='{"uniqueItems": true, "type": "array"}'), "grammar_refused"),
        (Structure(schema='{"$ref": "https://example.test/schema.json"}'), "grammar_refused"),
        (Structure(schema='{"type": "integer", "minimum": 3, "maximum": 2}'), "grammar_refused"),
        (Structure(regex="("), "regex_faulty"),
        (Structure(regex="a(?=b)"), "regex_faulty"),
        (Structure(regex="a" * (TEXT_LIMIT + 1)), "structure_too_long"),
        (Structure(choices=("a", "")), "choice_empty"),
        (Structure(choices=("a", "b", "a")), "choice_twice"),
        (Structure(choices=tuple(map(str, range(CHOICES_LIMIT + 1)))), "choices_too_many"),
        (Structure(choices=("a" * TEXT_LIMIT, "b")), "structure_too_long"),
        (Structure(choices=("a\ud800",)), "grammar_refused"),
        (Structure(regex="a", grounded=True), "grounded_without_schema"),
        (Structure(choices=("a", "b"), grounded=True), "grounded_without_schema"),
    ],
)
def test_each_fault_has_a_reason(structure: Structure, code: str) -> None:
    assert reason(structure) == code


def test_a_schema_is_read_up_to_its_limit() -> None:
    schema = '{"type": "string"}'
    make_form(Structure(schema=schema + " " * (SCHEMA_LIMIT - len(schema))))
    assert reason(Structure(schema=schema + " " * (SCHEMA_LIMIT - len(schema) + 1))) == "schema_too_large"


@pytest.mark.parametrize("count", [10, 1000])
def test_an_object_may_have_many_keys_that_can_be_left_out(count: int) -> None:
    form = by_schema({"type": "object", "properties": {f"k{number}": {"type": "null"} for number in range(count)}})
    assert takes(form, "{}")
    assert takes(form, f'{{"k1":null,"k{count - 1}":null}}')


@pytest.mark.parametrize("source", ["", " \n\u200b"])
def test_a_source_must_hold_something(source: str) -> None:
    assert reason(Structure(schema=compact(PERSON), grounded=True), source) == "grounded_without_source"


@pytest.mark.parametrize(
    ("schema", "part"),
    [
        ({"type": "string", "pattern": "a"}, "pattern"),
        ({"type": "string", "format": "date"}, "format"),
        ({"type": "string", "maxLength": 5}, "maxLength"),
        ({"type": "string", "minLength": 2}, "minLength"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "uniqueItems"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "null"}}, "prefixItems"),
        ({"type": "array", "items": {"type": "null"}, "minItems": 3, "maxItems": 2}, "maxItems"),
        ({"type": "object", "properties": {}, "patternProperties": {}}, "patternProperties"),
        ({"type": "object", "properties": {}, "required": ["a"]}, "required"),
        ({"oneOf": [{"type": "string"}, {"type": "null"}], "type": "string"}, "oneOf"),
        ({"anyOf": [{"type": "string"}], "minLength": 1}, "minLength"),
        ({"enum": ["a"], "type": "integer"}, "enum"),
        ({"$ref": "#/$defs/none"}, "$ref #/$defs/none"),
        ({"$ref": "https://example.test/a"}, "$ref https://example.test/a"),
        ({"type": "array", "items": True}, "true"),
    ],
)
def test_what_grounded_strings_cannot_be_held_to_is_refused(schema: Any, part: str) -> None:
    for whole in (schema, {"type": "object", "properties": {"x": schema}}):
        with pytest.raises(WorkbenchError) as refused:
            grounded(whole)
        said: Any = refused.value.details["reason"]
        assert (said.code, said.details) == ("grounded_part", {"part": part})


@pytest.mark.parametrize("schema", [{}, {"properties": {"a": {"type": "null"}}}, {"type": "array"}])
def test_a_part_without_a_type_could_be_any_string(schema: Any) -> None:
    assert reason(Structure(schema=compact(schema), grounded=True), SOURCE) == "grounded_untyped"


# What the grammars take.


def test_json_by_a_schema_is_compact() -> None:
    form = by_schema(PERSON)
    assert takes(form, compact({"name": 'Eve "x" 北京', "age": None, "kind": "foe", "tags": ["a"]}))
    assert takes(form, compact({"name": "", "age": 3}))
    for wrong in ('{"name": "a","age":3}', '{"age":3,"name":"a"}', '{"name":"a"}', '{"name":"a","age":3.5}', "{}"):
        assert not takes(form, wrong)


@pytest.mark.parametrize("regex", [r"[a-z]+/\d{2}", r"^[a-z]+/\d{2}$"])
def test_a_regular_expression_is_matched_whole(regex: str) -> None:
    form = make_form(Structure(regex=regex))
    assert takes(form, "ab/12")
    assert not takes(form, "ab/123")
    assert (form.problem("ab/12"), bool(form.problem("xx ab/12"))) == ("", True)


def test_an_escaped_dollar_at_the_end_is_no_anchor() -> None:
    form = make_form(Structure(regex=r"^\d+\$"))
    assert takes(form, "12$")
    assert not takes(form, "12")


def test_choices_are_taken_as_they_are() -> None:
    form = make_form(Structure(choices=("to", "today", 'a"b\\\n北京')))
    assert all(takes(form, one) for one in form.structure.choices)
    assert not any(takes(form, one) for one in ("tod", "", "to "))


@pytest.mark.parametrize(
    ("value", "legal"),
    [
        ({"name": "Tim", "age": 3}, True),
        ({"name": "", "age": None, "kind": "friend", "tags": []}, True),
        ({"name": '"Bo" Cook\tlives in\\at 北', "age": -7, "tags": ["京市💹", "12"]}, True),
        ({"name": "💹, flat 12b.\nNone", "age": 0, "kind": None}, True),
        ({"name": "Eve", "age": 3}, False),
        ({"name": "Ti", "age": 3}, False),
        ({"name": "Tim ", "age": 3}, False),
        ({"name": "Cook lives", "age": 3}, False),
        ({"name": "Tim", "age": 3, "tags": [""]}, False),
        ({"name": "Tim", "age": 3, "tags": ["12", "12", "12"]}, False),
        ({"name": "Tim", "age": 3, "kind": "Tim"}, False),
        ({"name": "Tim", "age": "12"}, False),
        ({"name": "Tim", "tags": []}, False),
        ({"name": "Tim", "age": 3, "more": "Tim"}, False),
    ],
)
def test_grounded_strings_are_spans_of_the_source(value: Any, legal: bool) -> None:
    form = grounded(PERSON)
    assert takes(form, compact(value)) is legal
    if legal:
        assert form.problem(compact(value)) == ""


def test_null_where_the_schema_allows_it_and_references() -> None:
    form = grounded(
        {
            "$defs": {"node": {"type": "object", "properties": {"at": {"$ref": "#/$defs/at"}, "next": {"$ref": "#"}}}}
            | {"at": {"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]}},
            "anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}],
        }
    )
    assert takes(form, '{"at":"Tim","next":{"at":null,"next":{"next":null}}}')
    assert takes(form, "{}")
    assert not takes(form, '{"at":""}')
    assert form.problem('{"at":"Tim","next":{"at":"flat"}}') == ""
    assert "Eve" in form.problem('{"at":"Tim","next":{"at":"Eve"}}')


@pytest.mark.parametrize(
    ("required", "legal"),
    [
        ((), ["{}", "a", "b", "c", "ab", "ac", "bc", "abc"]),
        (("b",), ["b", "ab", "bc", "abc"]),
        (("a", "c"), ["ac", "abc"]),
        (("c",), ["c", "ac", "bc", "abc"]),
    ],
)
def test_optional_keys_may_be_left_out_and_commas_are_right(required: tuple[str, ...], legal: list[str]) -> None:
    properties = {name: {"type": "null"} for name in "abc"}
    form = grounded({"type": "object", "properties": properties, "required": required})
    for names in ["{}", "a", "b", "c", "ab", "ac", "bc", "abc", "ba", "ca"]:
        value = compact(dict.fromkeys(names.strip("{}")))
        assert takes(form, value) is (names in legal), value
    assert not takes(form, '{"a":null,}')
    assert not takes(form, '{,"a":null}')


@pytest.mark.parametrize(("least", "most"), [(0, None), (1, 1), (0, 0), (2, 3), (0, 2), (3, None)])
def test_lists_keep_their_lengths(least: int, most: int | None) -> None:
    limits = {"minItems": least} | ({} if most is None else {"maxItems": most})
    form = grounded({"type": "array", "items": {"type": "boolean"}, **limits})
    for length in range(6):
        legal = least <= length <= (99 if most is None else most)
        assert takes(form, compact([True] * length)) is legal


def test_half_a_character_and_rare_ones_break_no_grammar() -> None:
    form = grounded({"type": "string"}, "a\ud800b \U00050000c\u0301\U000f0000")
    assert takes(form, '"a"')
    assert not takes(form, '"ab"')
    assert takes(form, '"b \U00050000c\u0301"')
    assert form.problem('"a"') == ""


@given(st.text(min_size=1, max_size=40), st.data())
def test_every_span_between_units_comes_back_as_a_part_of_the_source(text: str, data: st.DataObject) -> None:
    from engine.text.grammar import units
    from engine.text.inspect import is_blank

    if is_blank(text):
        return
    form = grounded({"type": "string"}, text)
    parts = units(text)
    start = data.draw(st.integers(0, len(parts) - 1))
    end = data.draw(st.integers(start + 1, len(parts)))
    span = "".join(parts[start:end])
    answer = json.dumps(span, ensure_ascii=False)
    visible = not is_blank(span[0]) and not is_blank(span[-1]) and span[0].isprintable() and span[-1].isprintable()
    if visible and "\\u" not in answer and not any("\ud800" <= char <= "\udfff" for char in text):
        assert takes(form, answer), answer
    if takes(form, answer):
        assert json.loads(answer) in text
        assert form.problem(answer) == ""


# What is said of a finished answer.


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ('{\n "age": 3, "name": "Eve", "more": [1]}', None),
        ("{", "answer_not_json"),
        ("Sure: {}", "answer_not_json"),
        ('{"name": "Eve", "age": NaN}', "answer_not_json"),
        ("[" * 100_000, "answer_not_json"),
        ('{"name": "Eve"}', "answer_off_schema"),
        ('{"name": 3, "age": 3}', "answer_off_schema"),
        ('{"name": "Eve", "age": 3, "tags": ["a", "b", "c"]}', "answer_off_schema"),
    ],
)
def test_what_a_server_answers_is_compared_with_the_schema(answer: str, code: str | None) -> None:
    said: Any = by_schema(PERSON).problem(answer)
    assert said == "" if code is None else said.code == code


def test_a_decimal_is_a_multiple_as_people_count() -> None:
    form = by_schema({"type": "number", "multipleOf": 0.1})
    assert (form.problem("0.3"), bool(form.problem("0.35"))) == ("", True)


def test_a_pattern_that_takes_for_ever_is_given_up() -> None:
    form = by_schema({"type": "string", "pattern": r"^(a|a)*$"})
    assert form.problem('"aaa"') == ""
    assert form.problem(f'"{"a" * 40}b"')
    assert by_schema({"type": "string", "pattern": r"^\p{Lu}+$"}).problem('"ÉA"') == ""


def test_choices_and_groundedness_of_a_finished_answer() -> None:
    form = make_form(Structure(choices=("yes", "no")))
    assert (form.problem("yes"), bool(form.problem("Yes"))) == ("", True)
    form = grounded(PERSON)
    assert form.problem('{"age": 3, "name": "Tim", "tags": ["flat"], "kind": "foe"}') == ""
    for wrong in ({"name": "Eve"}, {"name": "Tim", "tags": ["foe"]}, {"name": "Tim", "more": {"x": ["Eve"]}}):
        assert "not in the source" in form.problem(json.dumps(wrong | {"age": 1}))


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (b"", 0),
        (b"abc", 3),
        ("北".encode(), 3),
        ("北".encode()[:2], 0),
        ("x💹".encode()[:4], 1),
        ("x💹".encode(), 5),
        (b'"a\\', 2),
        (b'"a\\\\', 4),
        (b'"a\\\\\\', 4),
        (b'"a\\u00', 2),
        (b'"a\\u001f', 8),
        (b'"a\\\\u00', 7),
    ],
)
def test_the_part_of_an_answer_that_stays(answer: bytes, kept: int) -> None:
    assert by_schema({"type": "string"}).whole_part(answer) == kept
