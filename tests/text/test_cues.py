"""Values that the text names itself, and how near a name stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.cues import LONGEST_VALUE, named_values, nearness


def named(text: str, name: str) -> list[str]:
    return [text[start:end] for start, end in named_values(text, name)]


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("型号：BY-300", "型号", ["BY-300"]),
        ("产品型号：BY-300，数量：5台", "型号", ["BY-300"]),
        ("产品型号：BY-300，数量：5台", "数量", ["5台"]),
        ("甲方：北京某某科技有限公司\n乙方：李雷", "甲方", ["北京某某科技有限公司"]),
        ("Warranty: 2 years", "Warranty", ["2 years"]),
        ("warranty:2 years. Price: $5", "Warranty", ["2 years"]),
        ("Colour = deep blue; size = M", "colour", ["deep blue"]),
        ("Colour = deep blue; size = M", "size", ["M"]),
        ("Name - Maria Jensen\r\nAge - 30", "name", ["Maria Jensen"]),
        ("Model\u3000:\u3000X1", "Model", ["X1"]),
        ("Delivery  date: soon", "delivery date", ["soon"]),
        ("颜色：红；颜色：蓝。", "颜色", ["红", "蓝"]),
        ("| Model: X1 | Size: 3 |", "Model", ["X1"]),
        ("(Model: X1)", "Model", ["X1"]),
        ("备注：“加急”", "备注", ["“加急”"]),
        ("地址:北京市,海淀区", "地址", ["北京市,海淀区"]),
    ],
)
def test_a_value_follows_its_name_and_a_sign(text: str, name: str, values: list[str]) -> None:
    assert named(text, name) == values


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("Name: ACME (China) Ltd.", "Name", ["ACME (China) Ltd"]),
        ("公司：甲骨文（中国）有限公司，地址：北京", "公司", ["甲骨文（中国）有限公司"]),
        ("备注：（待定）已付", "备注", ["（待定）已付"]),
        ("（公司：甲骨文（中国）有限公司）", "公司", ["甲骨文（中国）有限公司"]),
        ("参考：文献[3]", "参考", ["文献[3]"]),
        ("公司：甲（上海，北京）", "公司", ["甲（上海，北京）"]),
        ("Note: open (bracket", "Note", ["open (bracket"]),
    ],
)
def test_a_bracket_that_the_value_opens_is_part_of_it(text: str, name: str, values: list[str]) -> None:
    assert named(text, name) == values


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("型号BY-300", "型号"),
        ("型号：", "型号"),
        ("型号：\n下一行", "型号"),
        ("Username: bob", "name"),
        ("a well-name-d thing", "name"),
        ("x", ""),
        ("x: y", " "),
        ("", "型号"),
    ],
)
def test_without_a_sign_or_a_value_there_is_none(text: str, name: str) -> None:
    assert named(text, name) == []


def test_a_sentence_is_no_value() -> None:
    assert named("说明：" + "很" * (LONGEST_VALUE + 5), "说明") == []
    assert named("Note: ACME (China) " + "very " * 20, "Note") == []
    assert named("Note: " + "(x y) " * 20, "Note") == []


def test_a_name_of_signs_is_taken_as_it_is() -> None:
    assert named("a.c: 1\nabc: 2", "a.c") == ["1"]
    assert named("C++ (latest): 20", "C++ (latest)") == ["20"]


@given(st.text(max_size=80), st.sampled_from(["型号", "Name", "a", "）"]) | st.text(max_size=6))
def test_places_are_in_the_text_and_not_blank_at_their_ends(text: str, name: str) -> None:
    for start, end in named_values(text, name):
        assert 0 <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()


@given(st.text("ab：: ，。()（）\n型号", max_size=60))
def test_a_value_stands_after_its_name_in_one_line(text: str) -> None:
    for start, end in named_values(text, "型号"):
        assert "型号" in text[:start]
        assert "\n" not in text[start:end]


# Nearness.


def test_a_name_just_before_is_nearest() -> None:
    assert nearness("交货期2024年", 3, "交货期") == 1
    assert 0.9 < nearness("交货期：2024年", 4, "交货期") < 1


def test_the_further_away_the_less() -> None:
    text = "签订日期2024年，交货期2025年"
    near, far = nearness(text, text.index("2025"), "交货期"), nearness(text, text.index("2025"), "签订日期")
    assert near > far > 0


@pytest.mark.parametrize(
    "text", ["交货期。2024年", "交货期\n2024年", "交货期; 2024年", "2024年交货期", "交" + " " * 40 + "2024年"]
)
def test_out_of_the_clause_or_out_of_sight_is_not_near(text: str) -> None:
    assert nearness(text, text.index("2024"), "交货期") == 0


def test_case_does_not_matter_nor_what_grows_in_lower_case() -> None:
    assert nearness("İ START DATE 2024", 13, "Start date") > 0.9


def test_the_last_of_a_names_places_counts() -> None:
    text = "date a date 2024"
    assert nearness(text, text.index("2024"), "date") == nearness("date 2024", 5, "date")


def test_no_name_is_nowhere() -> None:
    assert nearness("abc", 2, "") == 0


@given(st.text(max_size=60), st.integers(0, 60), st.text(max_size=5))
def test_nearness_is_a_share(text: str, start: int, name: str) -> None:
    assert 0 <= nearness(text, start, name) <= 1
