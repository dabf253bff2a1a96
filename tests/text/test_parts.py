"""Parts of a long text: they end and begin at sentences where there are some, and always go on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.parts import OVERLAP, last_border, next_start

SENTENCES = "第一句。第二句！“第三句？”第四句"


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        (SENTENCES, 12, "第一句。第二句！"),
        (SENTENCES, 15, "第一句。第二句！“第三句？”"),
        ("It costs 1.5 euro. And more to come", 30, "It costs 1.5 euro. "[:-1]),
        ("one two three four", 15, "one two three "),
        ("abcdefghij", 7, "abcdefg"),
        ("ab👨🏻‍🚒cd", 5, "ab"),
        ("line one\nline two", 14, "line one\n"),
        ("x" * 10 + "。" + "y" * 40, 45, "x" * 10 + "。" + "y" * 34),
    ],
)
def test_a_part_ends_at_the_best_place_of_its_later_half(text: str, end: int, expected: str) -> None:
    assert text[: last_border(text, 0, end)] == expected


def test_the_next_part_begins_at_a_sentence_of_the_overlap() -> None:
    text = "很长的一句话。" * 40
    end = 140
    start = next_start(text, 0, end)
    assert end - OVERLAP <= start < end
    assert text[start - 1] == "。"


def test_without_a_sentence_the_overlap_begins_at_a_character() -> None:
    assert next_start("x" * 500, 0, 300) == 300 - 75
    assert next_start("👨🏻‍🚒" * 100, 0, 16) == 12, "a quarter of a short part at most, and no half emoji"


@given(st.text(min_size=1, max_size=300), st.integers(1, 120))
def test_parts_always_go_on_and_leave_nothing_out(text: str, size: int) -> None:
    start, read = 0, 0
    for _ in range(len(text) + 1):
        end = min(len(text), start + size)
        end = end if end == len(text) else last_border(text, start, end)
        assert start <= read < end <= start + size
        read = end
        if end == len(text):
            break
        start = next_start(text, start, end)
    assert read == len(text)
