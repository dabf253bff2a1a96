"""Prompt templates: what is a variable, what stays as it is, and that values are never read as templates."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.text.field_schema import field_schema
from engine.text.templates import escape, fill, variables
from engine.types import FieldSpec

JSON = '{"a": {"b": [{"c": 1}, {}]}, "d": {"e": {}}}'


@pytest.mark.parametrize(
    ("template", "names", "filled"),
    [
        ("", (), ""),
        ("no braces", (), "no braces"),
        ("{a}{b} {a}", ("a", "b"), "12 1"),
        ("{文本}：{_x1}", ("文本", "_x1"), "3：4"),
        (JSON, (), JSON),
        (JSON.replace("1", "{a}"), ("a",), JSON),
        ('{"a": {a}}', ("a",), '{"a": 1}'),
        ('{{"a": {a}}}', ("a",), '{"a": 1}'),
        ('{{"a": {{"b": {a}}}}}', ("a",), '{"a": {"b": 1}}'),
        ("{{a}}", (), "{a}"),
        ("{{{a}}}", ("a",), "{1}"),
        ("{{", (), "{"),
        ("}}", (), "}"),
        ("smile :-}} {{-:", (), "smile :-} {-:"),
        ('{"open": "{{"}', (), '{"open": "{"}'),
        ('{{"close": "}}"}}', (), '{"close": "}"}'),
        ("{a!r} {a.b} {a:>3} {0} { a } {} {a b}", (), "{a!r} {a.b} {a:>3} {0} { a } {} {a b}"),
        ("%s $a ${a} \\{a}", ("a",), "%s $a $1 \\1"),
    ],
)
def test_what_is_a_variable_and_what_stays(template: str, names: tuple[str, ...], filled: str) -> None:
    assert variables(template) == names
    assert fill(template, {"a": "1", "b": "2", "文本": "3", "_x1": "4"}) == filled


@pytest.mark.parametrize(
    ("template", "brace", "line", "column"),
    [
        ("{", "{", 1, 1),
        ("a\nb {text", "{", 2, 3),
        ("a}", "}", 1, 2),
        ("{a}}", "}", 1, 4),
        ("{{a}", "}", 1, 4),
        ('{"a": 1}}', "}", 1, 9),
        ('{"a": {"b": 1}', "{", 1, 1),
        ("一\n二\n三}", "}", 3, 2),
    ],
)
def test_a_brace_without_a_partner_is_named_with_its_place(template: str, brace: str, line: int, column: int) -> None:
    for use in (variables, lambda text: fill(text, {"a": ""})):
        with pytest.raises(WorkbenchError) as caught:
            use(template)
        assert caught.value.code == "template_brace"
        assert caught.value.details == {"brace": brace, "line": line, "column": column, "twice": brace * 2}


def test_a_variable_without_a_value_is_named_and_an_empty_value_is_one() -> None:
    with pytest.raises(WorkbenchError) as caught:
        fill("{a} {b}", {"a": ""})
    assert (caught.value.code, caught.value.details) == ("template_variable", {"name": "b"})
    assert fill("[{a}]", {"a": "", "unused": "x"}) == "[]"


@pytest.mark.parametrize("value", ["{b}", "{{", "}}", "{", "}", "{a.__class__}", "\\1", "\ud800", "%(b)s"])
def test_values_are_never_read_as_templates(value: str) -> None:
    assert fill("<{a}>{b}", {"a": value, "b": "2"}) == f"<{value}>2"


@given(st.text(alphabet='{}ab":1 \n'), st.text(alphabet="{}a"))
def test_any_template_is_filled_or_refused(template: str, value: str) -> None:
    try:
        names = variables(template)
    except WorkbenchError:
        return
    filled = fill(template, dict.fromkeys(names, value))
    assert len(filled) <= len(template) + len(value) * template.count("{")


@given(st.text(alphabet='{}ab":1\n') | st.text())
def test_a_text_that_is_escaped_fills_to_itself(text: str) -> None:
    assert variables(escape(text)) == ()
    assert fill(escape(text), {}) == text


json_values = st.recursive(
    st.none() | st.integers() | st.text(alphabet="abc,: "),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="xyz"), inner, max_size=3),
    max_leaves=12,
)


@given(json_values)
def test_json_needs_no_doubling(value: object) -> None:
    text = json.dumps(value)
    assert fill(text, {}) == text
    assert variables(text) == ()


def test_the_schema_of_fields_says_what_a_record_looks_like() -> None:
    schema = field_schema(
        [
            FieldSpec("name", many=False, required=True, description="of the buyer"),
            FieldSpec("价格", many=False, type="number"),
            FieldSpec("kind", type="list", options=("a", "b")),
            FieldSpec("code", type="regex", pattern="A|B", many=False, required=True),
        ]
    )
    assert schema == {
        "type": "object",
        "properties": {
            "name": {"description": "of the buyer", "type": "string"},
            "价格": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "kind": {"type": "array", "items": {"enum": ["a", "b"]}},
            "code": {"type": "string", "pattern": "^(?:A|B)$"},
        },
        "required": ["name", "价格", "kind", "code"],
        "additionalProperties": False,
    }
