"""Answers in JSON, whole or cut anywhere, read label by label; whatever is given, nothing is raised or invented."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.answers import parse_extract
from engine.text.json_answer import JsonValues, as_lines, read_json_answer

LABELS = ("city", "date")
ANSWER = json.dumps({"city": ["New York", "Köln"], "date": ["2026"]})


def test_a_whole_answer() -> None:
    assert read_json_answer(ANSWER, LABELS) == {
        "city": JsonValues(("New York", "Köln"), True),
        "date": JsonValues(("2026",), True),
    }
    assert as_lines(ANSWER, LABELS, "None") == "city: New York\tKöln\ndate: 2026\n"


@pytest.mark.parametrize("length", range(len(ANSWER)))
def test_a_cut_answer_gives_whole_values_only(length: int) -> None:
    for label, told in read_json_answer(ANSWER[:length], LABELS).items():
        whole = {"city": ("New York", "Köln"), "date": ("2026",)}[label]
        assert told.values == whole[: len(told.values)]
        assert told.whole is (ANSWER[:length].count("]") > LABELS.index(label))


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('{"city": "Rome"}', {"city": (("Rome",), True)}),
        ('{"city": null, "date": []}', {"city": ((), True), "date": ((), True)}),
        ('{"CITY": [3, -4.5e2]}', {"city": (("3", "-4.5e2"), True)}),
        ('{"other": ["x"], "city": ["y"]}', {"city": (("y",), True)}),
        ('{"city": ["a"], "city": ["b"]}', {"city": (("a",), True)}),
        ('{"city": {"x": 1}}', {"city": ((), False)}),
        ('{"city": ["\\"q\\"", "\\u4eac", "\\ud83d"]}', {"city": (('"q"', "京", "\ufffd"), True)}),
        ("city: Rome", {}),
        ("{}", {}),
        ("{city: x}", {}),
    ],
)
def test_shapes(said: str, found: dict[str, tuple[tuple[str, ...], bool]]) -> None:
    assert read_json_answer(said, LABELS) == {label: JsonValues(*told) for label, told in found.items()}


@given(st.text(st.sampled_from('{}[]":,\\ cityda3.e\n'), max_size=60))
def test_anything_is_read(said: str) -> None:
    read_json_answer(said, LABELS)
    parse_extract(said, LABELS, said)


@given(st.lists(st.text(max_size=8), max_size=4))
def test_what_was_written_is_read(values: list[str]) -> None:
    told = read_json_answer(json.dumps({"city": values}), LABELS)["city"]
    assert told == JsonValues(tuple(value.encode("utf-8", "replace").decode() for value in values), True)


def test_free_answers_in_json_are_parsed_like_lines() -> None:
    parsed = parse_extract(f"```json\n{ANSWER}\n```", LABELS, "from New York to Köln")
    assert parsed.fields == {"city": ("New York", "Köln"), "date": ("2026",)}
    assert [line.outcome for line in parsed.lines] == ["values", "values"]
    cut = parse_extract(ANSWER[:22], LABELS, "from New York to Köln", is_cut=True)
    assert [line.outcome for line in cut.lines] == ["cut"]
