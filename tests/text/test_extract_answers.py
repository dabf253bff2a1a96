"""What the tolerant parser makes of free answers to an extraction."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.answers import parse_extract
from engine.types import AnswerLine, Note

PLAIN = st.text(
    st.characters(exclude_categories=["Cc", "Zl", "Zp", "Zs"], exclude_characters=":：\ufffd"), min_size=1, max_size=8
).filter(lambda label: label.strip() == label)
VALUE = (
    st.text(st.characters(exclude_categories=["Cc", "Zl", "Zp"], exclude_characters="\ufffd"), max_size=10)
    .map(str.strip)
    .filter(bool)
)
NOISE = st.lists(
    st.sampled_from(["甲", "乙", "a", "A", "None", ":", "：", "\t", "\n", "\r", " ", "- ", "•", "\ufffd", "\ud83d"]),
    max_size=20,
).map("".join)


def codes(notes: tuple[Note, ...]) -> list[str]:
    return [note.code for note in notes]


@pytest.mark.parametrize("case", ["parse-colon", "parse-junk", "parse-tab", "parse-none-label", "parse-bare"])
def test_reported_answers(cases: dict[str, Any], case: str) -> None:
    raw, labels, expect = (cases[case][key] for key in ("raw", "labels", "expect"))
    assert {label: list(values) for label, values in parse_extract(raw, labels).fields.items()} == expect


def test_every_reported_answer_is_tested(cases: dict[str, Any]) -> None:
    reported = {key for key, case in cases.items() if case["task"] == "parse_extract"}
    named = {"parse-colon", "parse-junk", "parse-tab", "parse-none-label", "parse-bare", "parse-loop", "parse-cut"}
    assert reported == named


def test_reported_odd_lines_are_told(cases: dict[str, Any]) -> None:
    answer = parse_extract(cases["parse-junk"]["raw"], cases["parse-junk"]["labels"])
    assert answer.lines == (
        AnswerLine("时间: 三点", "时间", ("三点",), "values"),
        AnswerLine("地点 None", None, (), "unparsed"),
        AnswerLine("- 备注：无", None, (), "unparsed"),
    )
    assert answer.notes == (Note("free_unparsed", {"text": "地点 None / - 备注：无"}),)


def test_reported_repetition(cases: dict[str, Any]) -> None:
    case = cases["parse-loop"]
    answer = parse_extract(case["raw"], case["labels"], text="1,1,1")
    assert answer.fields == {"数字": ("1", "1", "1")}
    assert answer.notes == (Note("free_extra_values", {"count": 11}),)
    assert len(parse_extract(case["raw"], case["labels"]).fields["数字"]) == 14, "without the text none is too many"


def test_reported_broken_tail(cases: dict[str, Any]) -> None:
    case = cases["parse-cut"]
    answer = parse_extract(case["raw"], case["labels"])
    assert answer.fields == {"公司": ("𠮷野家", "龙")}
    assert answer.lines == (AnswerLine(case["raw"], "公司", ("𠮷野家", "龙"), "cut"),)
    assert codes(answer.notes) == ["free_broken_tail"]
    assert "limit of tokens" in answer.notes[0].text


@pytest.mark.parametrize(
    ("raw", "labels", "fields"),
    [
        ("", ["甲"], {"甲": ()}),
        (" \n\n", ["甲"], {"甲": ()}),
        ("甲: a\n", [], {}),
        ("甲:a\n乙 ： b\n丙：c", ["甲", "乙", "丙"], {"甲": ("a",), "乙": ("b",), "丙": ("c",)}),
        ("甲: a\r\n乙: None\r", ["甲", "乙"], {"甲": ("a",), "乙": ()}),
        (" - 甲: a\n* 乙: b\n•\t丙: c", ["甲", "乙", "丙"], {"甲": ("a",), "乙": ("b",), "丙": ("c",)}),
        ("- 甲: a", ["甲", "- 甲"], {"甲": (), "- 甲": ("a",)}),
        ("-甲: a\n乙: b", ["甲", "乙"], {"甲": (), "乙": ("b",)}),
        ("甲: -3度\t- b", ["甲", "乙"], {"甲": ("-3度", "- b"), "乙": ()}),
        ("甲: 无\n乙: none", ["甲", "乙"], {"甲": ("无",), "乙": ("none",)}),
        ("甲: None\ta", ["甲", "乙"], {"甲": ("None", "a"), "乙": ()}),
        ("甲:\n乙: \t ", ["甲", "乙"], {"甲": (), "乙": ()}),
        ("甲: \ta\t\t b \t", ["甲", "乙"], {"甲": ("a", "b"), "乙": ()}),
        ("甲: a\n甲: b\n甲: None", ["甲"], {"甲": ("a", "b")}),
        ("甲: 乙: b", ["甲", "乙"], {"甲": ("乙: b",), "乙": ()}),
        ("时间: 开始: 九点", ["时间", "时间: 开始"], {"时间": (), "时间: 开始": ("九点",)}),
        ("时间: 开始", ["时间", "时间: 开始"], {"时间": ("开始",), "时间: 开始": ()}),
        ("时间： 九点", ["时间："], {"时间：": ("九点",)}),
        ("时间：: 九点", ["时间：", "时间"], {"时间：": ("九点",), "时间": ()}),
        ("时间: 九点", ["时间:", "时间"], {"时间:": (), "时间": ("九点",)}),
        ("NAME: x\nname: y", ["Name", "name"], {"Name": ("x",), "name": ("y",)}),
        ("None: None", ["None"], {"None": ()}),
        ("None", ["None"], {"None": ()}),
        ("a\nb\tc\n", ["谁"], {"谁": ("a", "b", "c")}),
        ("None\n", ["谁"], {"谁": ()}),
        ("- a\n- b", ["谁"], {"谁": ("a", "b")}),
        ("答案如下\n谁: a", ["谁"], {"谁": ("a",)}),
        ("a", ["谁", "何时"], {"谁": (), "何时": ()}),
        ("a", ["谁", "谁", ""], {"谁": ("a",), "": ()}),
        ("甲: a\u2028b\x0bc", ["甲"], {"甲": ("a\u2028b\x0bc",)}),
        ("عنوان: شارع", ["عنوان"], {"عنوان": ("شارع",)}),
        ("甲: \ud83d", ["甲"], {"甲": ("\ud83d",)}),
    ],
)
def test_parse(raw: str, labels: list[str], fields: dict[str, tuple[str, ...]]) -> None:
    assert parse_extract(raw, labels).fields == fields


@pytest.mark.parametrize(
    ("raw", "text", "values", "outcomes", "left_out"),
    [
        ("甲: a\ta", "a a", ("a", "a"), ["values"], 0),
        ("甲: a\ta\tb", "a b", ("a", "b"), ["values"], 1),
        ("甲: a\n甲: a\n甲: a\tb", "a b", ("a", "b"), ["values", "repeat", "values"], 2),
        ("甲: x\tx\tx", "a b", ("x",), ["values"], 2),
        ("甲: 2片\t２片", "服２片", ("2片",), ["values"], 1),
        ("甲: art\tart", "start art", ("art",), ["values"], 1),
        ("甲: a\ta", "", ("a",), ["values"], 1),
        ("甲: None\n甲: None", "", (), ["none", "none"], 0),
    ],
)
def test_equal_values_count_as_often_as_the_text_has_them(
    raw: str, text: str, values: tuple[str, ...], outcomes: list[str], left_out: int
) -> None:
    answer = parse_extract(raw, ["甲"], text)
    assert answer.fields == {"甲": values}
    assert [line.outcome for line in answer.lines] == outcomes
    assert answer.notes == ((Note("free_extra_values", {"count": left_out}),) if left_out else ())


def test_one_value_may_be_that_of_two_labels() -> None:
    assert parse_extract("甲: a\n乙: a", ["甲", "乙"], "a").fields == {"甲": ("a",), "乙": ("a",)}


@pytest.mark.parametrize(
    ("raw", "text", "is_cut", "fields", "outcomes", "noted"),
    [
        ("甲: a\ufffd\ufffd\n", None, False, ("a",), ["cut"], ["free_broken_tail"]),
        ("甲: a\t\ufffd", None, False, ("a",), ["cut"], ["free_broken_tail"]),
        ("甲: \ufffd", None, False, (), ["none"], ["free_broken_tail"]),
        ("甲: a\n\ufffd", None, False, ("a",), ["values", "unparsed"], ["free_unparsed", "free_broken_tail"]),
        ("甲: a\ufffdb", None, False, ("a\ufffdb",), ["values"], []),
        ("甲: a\ufffd", "a\ufffd", False, ("a\ufffd",), ["values"], []),
        ("甲: a", None, True, ("a",), ["cut"], []),
        ("甲: a\n", None, True, ("a",), ["values"], []),
        ("", None, True, (), [], []),
    ],
)
def test_an_answer_that_broke_off(
    raw: str, text: str | None, is_cut: bool, fields: tuple[str, ...], outcomes: list[str], noted: list[str]
) -> None:
    answer = parse_extract(raw, ["甲"], text, is_cut=is_cut)
    assert answer.fields == {"甲": fields}
    assert [line.outcome for line in answer.lines] == outcomes
    assert codes(answer.notes) == noted


# Whatever comes.


@given(st.dictionaries(PLAIN, st.lists(VALUE, max_size=4), min_size=1, max_size=5))
def test_a_rendered_answer_comes_back(fields: dict[str, list[str]]) -> None:
    said = {label: "\t".join(values) or "None" for label, values in fields.items()}
    raw = "".join(f"{label}: {values}\n" for label, values in said.items())
    answer = parse_extract(raw, list(fields))
    wanted = {label: () if values == ["None"] else tuple(values) for label, values in fields.items()}
    assert answer.fields == wanted
    assert answer.notes == ()
    assert all(line.outcome in ("values", "none") for line in answer.lines)


@given(
    NOISE | st.text(max_size=30), st.lists(PLAIN | st.sampled_from(["甲", "a", "A", "None", "a:"]), max_size=4), NOISE
)
def test_every_line_is_told(raw: str, labels: list[str], text: str) -> None:
    for source in (None, text):
        answer = parse_extract(raw, labels, source)
        assert set(answer.fields) == set(labels)
        rest = raw
        for line in answer.lines:
            before, found, rest = rest.partition(line.raw)
            assert found
            assert not before.strip()
            assert (line.outcome == "unparsed") == (line.asked is None)
        assert not rest.strip()
        for label, values in answer.fields.items():
            assert values == tuple(one for line in answer.lines if line.asked == label for one in line.values)
            assert all(value in raw for value in values)
