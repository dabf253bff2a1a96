"""Where values stand in texts, in code points of the text as given."""

import re
import threading
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.align import Aligner, Alignment
from engine.text.inspect import IGNORABLE

HARD = st.text(
    st.sampled_from(
        "aAeé2２ﬁfi㎏kgｶﾞガカ①1ßsSİı, \t\n\r\u00a0\u3000“”\"‘'-–—甲乙한하ᄒ\u1161\u11ab´゛½👨🏻🚒🇨🇳אم"
        "\u0301\u0323\u3099\u0345\u20e3\u200b\u200d\ufeff\u00ad\u200f\ufe0f\ud83d\ude00"
    ),
    max_size=12,
)
IGNORED = re.compile(f"[{IGNORABLE}]")
TEXT = HARD | st.text(max_size=12)


def comparable(text: str) -> str:
    """What is compared, in the plainest words; only for texts that neither marks nor ignorables begin or end."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return " ".join(folded.split())


def found(value: str, text: str) -> tuple[str, list[str]]:
    alignment = Aligner(text).align(value)
    return alignment.status, [text[start:end] for start, end in alignment.places]


# Verbatim.


@pytest.mark.parametrize(
    ("value", "text", "places"),
    [
        ("aa", "aaa", [(0, 2), (1, 3)]),
        ("abab", "ababab", [(0, 4), (2, 6)]),
        ("art", "start art", [(6, 9)]),
        ("art", "start", [(2, 5)]),
        ("art", "ART art's artful", [(4, 7)]),
        ("start art", "start art", [(0, 9)]),
        ("10", "2010 and 10", [(9, 11)]),
        ("10", "２０10 10kg", [(5, 7)]),
        ("10", "A10, 10", [(1, 3), (5, 7)]),
        ("李雷", "李雷给李雷打电话，李雷没接", [(0, 2), (3, 5), (9, 11)]),
        ("京", "北京大学 京", [(1, 2), (5, 6)]),
        ("AI", "用AI写AIGC", [(1, 3)]),
        ("서울", "서울에서 서울", [(0, 2), (5, 7)]),
        ("рад", "paрад рад", [(2, 5), (6, 9)]),
        ("град", "виноград град", [(9, 13)]),
        ("שלום", "ושלום שלום", [(6, 10)]),
        ("cafe", "cafe\u0301 cafe", [(6, 10)]),
        ("cafe", "cafe\u0301", [(0, 4)]),
        ("cafe\u0301", "cafe\u0301s cafe\u0301", [(7, 12)]),
        ("👨", "👨🏻\u200d🚒 👨", [(5, 6)]),
        ("🇨🇳", "杭州🇨🇳买", [(2, 4)]),
        ("❤", "❤\ufe0f", [(0, 1)]),
        ("\ud83d", "a\ud83db", [(1, 2)]),
        ("a b", "a  b", []),
        ("x", "", []),
        ("", "abc", []),
        (" ", "a b", []),
        ("\u200b", "a\u200bb", []),
    ],
)
def test_verbatim_places(value: str, text: str, places: list[tuple[int, int]]) -> None:
    assert Aligner(text).occurrences(value) == places
    if places:
        assert Aligner(text).align(value) == Alignment(tuple(places), "exact")


# Spelled otherwise.


@pytest.mark.parametrize(
    ("value", "text", "spelled"),
    [
        ("ガス", "共㎏ｶﾞｽ①", ["ｶﾞｽ"]),
        ("ｶﾞｽ", "ガス", ["ガス"]),
        ("カス", "ｶﾞｽ", []),
        ("カ", "ｶﾞｽ", []),
        ("kg", "共㎏", ["㎏"]),
        ("k", "共㎏", []),
        ("g", "共㎏", []),
        ("㎏", "5 kg", ["kg"]),
        ("1", "①ﬁn", ["①"]),
        ("FIN", "①ﬁn", ["ﬁn"]),
        ("in", "①ﬁn", []),
        ("AB公司", "A\u200bB公司 签约", ["A\u200bB公司"]),
        ("公司签", "公司 签约", []),
        ("B公司", "\u200bＢ公司\u200b。", ["Ｂ公司"]),
        ("a b c", "A \t\r\n B\u3000\u00a0C", ["A \t\r\n B\u3000\u00a0C"]),
        (" 甲方 \n", "甲方", ["甲方"]),
        ("a b", "a \u200b b", ["a \u200b b"]),
        ('"it\'s"', "说“it’s”", ["“it’s”"]),
        ("2010-2015", "2010–2015年", ["2010–2015"]),
        ("-3", "气温−3度", ["−3"]),
        ("STRASSE", "die Straße", ["Straße"]),
        ("s", "ß", []),
        ("café", "a CAFE\u0301.", ["CAFE\u0301"]),
        ("cafe", "a CAFÉ", []),
        ("cafe", "a CAFE\u0301", []),
        ("ệ", "E\u0302\u0323", ["E\u0302\u0323"]),
        ("한", "\u1112\u1161\u11ab", ["\u1112\u1161\u11ab"]),
        ("하", "\u1112\u1161\u11ab", []),
        ("ΑΣ", "ας", ["ας"]),
        ("i\u0307", "İ", ["İ"]),
        ("X❤", "x❤\ufe0f!", ["x❤"]),
        ("Xa", "x\ufe0fa", ["x\ufe0fa"]),
        ("👨🚒", "👨\u200d🚒", ["👨\u200d🚒"]),
        ("ABC", "\u202eabc\u202c", ["abc"]),
        ("ＡＲＴ", "start art", ["art"]),
        ("CPI", "cpi Ｃpi", ["cpi", "Ｃpi"]),
        ("´", "＂", []),
        ("天津", "北京", []),
        ("a\ud83d", "A\ud83d", ["A\ud83d"]),
        ("", "A", []),
        (" \n", "A B", []),
        ("\u200b\ufeff", "A B", []),
    ],
)
def test_places_in_another_spelling(value: str, text: str, spelled: list[str]) -> None:
    assert found(value, text) == ("normalised" if spelled else "absent", spelled)


def test_reported_width(cases: dict[str, Any]) -> None:
    case = cases["off-width"]
    expect = case["expect"]
    assert Aligner(case["text"]).align(case["value"]) == Alignment(
        ((expect["start"], expect["end"]),), expect["status"]
    )
    assert case["text"][expect["start"] : expect["end"]] == expect["text"]


def test_reported_changes_of_length(cases: dict[str, Any]) -> None:
    assert found(cases["off-nfkc"]["value"], cases["off-nfkc"]["text"]) == ("normalised", ["A\u200bB公司"])


@pytest.mark.parametrize(
    ("case", "value", "places"),
    [
        ("off-emoji", "张三", [(5, 7)]),
        ("off-emoji", "杭州", [(8, 10)]),
        ("off-repeat", "李雷", [(0, 2), (3, 5), (9, 11)]),
        ("off-crlf", "A公司", [(6, 9)]),
        ("off-crlf", "B公司", [(15, 18)]),
        ("ground-nested", "北京", [(0, 2)]),
    ],
)
def test_reported_offsets(cases: dict[str, Any], case: str, value: str, places: list[tuple[int, int]]) -> None:
    assert Aligner(cases[case]["text"]).align(value) == Alignment(tuple(places), "exact")


# Whatever comes.


@given(TEXT, TEXT)
def test_every_place_is_what_its_status_says(value: str, text: str) -> None:
    aligner = Aligner(text)
    alignment = aligner.align(value)
    assert (alignment.status == "absent") == (not alignment.places)
    assert list(alignment.places) == sorted(set(alignment.places))
    for start, end in alignment.places:
        assert 0 <= start < end <= len(text)
        if alignment.status == "exact":
            assert text[start:end] == value
        else:
            assert value not in text
            spelled = text[start:end]
            assert Aligner(value).align(spelled).places, "what each is found in is the same"
            assert Aligner(spelled).align(value).places == ((0, len(spelled)),)
            assert not IGNORED.search(spelled[0] + spelled[-1])
    assert aligner.occurrences(value) == (list(alignment.places) if alignment.status == "exact" else [])


@given(TEXT, st.text(st.sampled_from("ab甲 1"), min_size=1, max_size=3), TEXT)
def test_a_value_is_found_where_it_was_put(before: str, value: str, after: str) -> None:
    alignment = Aligner(before + value + after).align(value)
    assert (alignment.status == "exact") == bool(value.strip())


@given(st.text(st.sampled_from("ab"), max_size=14), st.text(st.sampled_from("ab"), min_size=1, max_size=6))
def test_overlapping_places_are_all_found(text: str, value: str) -> None:
    every = [(at, at + len(value)) for at in range(len(text)) if text.startswith(value, at)]
    assert Aligner(text).occurrences(value) == ([(0, len(text))] if text == value else every)


@given(st.text(st.sampled_from("aAéＢﬁ㎏２ 甲\tßガ"), min_size=1, max_size=8))
def test_another_spelling_is_found_whole(text: str) -> None:
    value = comparable(text)
    alignment = Aligner(f"「{text}」").align(value)
    assert bool(alignment.places) == bool(value)
    for start, end in alignment.places:
        assert comparable(f"「{text}」"[start:end]) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("=" * 200_000, "=" * 20_000), ("e" + "\u0301\u0323" * 100_000, "E\u0301"), ("\u00a0\u200b" * 100_000, "E")],
    ids=["periodic", "marks", "blanks"],
)
def test_no_text_holds_the_worker_for_minutes(text: str, value: str) -> None:
    worker = threading.Thread(target=lambda: Aligner(text).align(value), daemon=True)
    worker.start()
    worker.join(20)
    assert not worker.is_alive()
