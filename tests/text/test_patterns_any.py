"""What holds for the rules on any text at all: legal places, the same answer again, an end in time."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.patterns import CONCEPTS, Match, find

KNOWN = json.loads((Path(__file__).parents[2] / "assets/offline/concepts.json").read_text("utf-8"))
TEXT = st.text(max_size=60) | st.text(
    st.sampled_from(
        "0123456789０５.,:-/～年月日号点时分元块%％万亿一二两三十百千零〇第个岁次成@#aAmptSFGQ$¥€()（） \n\u3000\u200b"
        "天前后周男汉族\ud83d"
    ),
    max_size=40,
)
WORDS = (
    "2023年 5月3日 三季度 12:30 上午9点 3天 前 两个小时 35000元 ¥1,280 月薪 2万 百分之五 12% three hundred million "
    "dollars May 3 , 2024 in 2019 to ago http://a.b.com/ x@y.com @ab #cd# 13800138000 转8001 010-62345678 订单号 "
    "AB-1234 : ， 。 - 岁"
)
PIECES = st.lists(st.sampled_from([*WORDS.split(), " "]), max_size=14).map("".join)


def test_concepts_are_known() -> None:
    assert set(KNOWN) >= CONCEPTS


@given(TEXT | PIECES)
def test_places_are_legal(text: str) -> None:
    matches = find(text, CONCEPTS)
    assert all(0 <= match.start < match.end <= len(text) and match.concept in CONCEPTS for match in matches)
    assert matches == sorted(matches, key=lambda match: (match.start, match.end, match.concept))
    for concept in CONCEPTS:
        own = [match for match in matches if match.concept == concept]
        assert all(one.end <= two.start for one, two in pairwise(own))


@given(PIECES)
def test_concepts_do_not_depend_on_what_else_is_asked(text: str) -> None:
    matches = find(text, CONCEPTS)
    for concept in {match.concept for match in matches} | {"date", "number"}:
        assert find(text, [concept]) == [match for match in matches if match.concept == concept]


@given(PIECES)
def test_blanks_and_case_of_a_value_are_within_it(text: str) -> None:
    assert all(text[match.start : match.end].strip() == text[match.start : match.end] for match in find(text, CONCEPTS))


def test_nothing_asked() -> None:
    assert find("2023年5月3日", []) == []
    assert find("2023年5月3日", ["person", "no such concept"]) == []
    assert find("", CONCEPTS) == []


def test_several_concepts_in_order() -> None:
    text = "张三，男，35岁，2023年5月入职，月薪2万，电话13800138000。"
    found = find(text, ["phone", "age", "gender", "date", "money"])
    assert [(match.concept, text[match.start : match.end]) for match in found] == [
        ("gender", "男"),
        ("age", "35岁"),
        ("date", "2023年5月"),
        ("money", "2万"),
        ("phone", "13800138000"),
    ]


def test_offsets_count_code_points() -> None:
    assert find("😀\ud83d电话：１３８００１３８０００", ["phone"]) == [Match(5, 16, "phone", "chinese mobile")]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("char", "1@. -#(一年a:*+")
def test_long_runs_end(char: str) -> None:
    text = char * 100_000
    assert all(0 <= match.start < match.end <= len(text) for match in find(text, CONCEPTS))


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "unit",
    [
        "近", "两", "\u3000", "★", "/", "%", "1.", "1,", "1-", "1 ", "1:", "a.", "a@", "@a", "#a", "a-", "1,111", "1年",
        "1月", "1元", "一月", "+1 ", "1*", "12 345 678 ", "http://", "www.", "two ", "May ", "2020-", "a@b.co ", "月薪",
        "电话", "订单号", "1/", "百分之", "☆★", "AAA 1", "1天前", "f:", "12:3", "1.1.1.", "汉族", "本科，",
        "John Smith, ", "三十", "$1-", "1 x ", "one hundred ", "评分", "性别", "1岁", "一点", "身份证1", "a.b@c.d",
    ],
)  # fmt: skip
def test_hostile_texts_end(unit: str) -> None:
    text = (unit * 20_000)[:20_000]
    assert all(0 <= match.start < match.end <= len(text) for match in find(text, CONCEPTS))
