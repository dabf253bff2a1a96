"""What people do not see in a text."""

import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Phrase
from engine.text.inspect import OddCharacter, invisible, lint, reveal, script, script_of

TEXT = st.text(max_size=20) | st.text(
    st.sampled_from(
        [*"a1甲あп ا\t\n\u3000\u00a0\u200b\u200c\u200d\ufeff\ufe0f\ufffd\x00\ue000", "\ud83d", "👨", "🏴", "क"]
    ),
    max_size=20,
)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a\u200bb", {1: "zero-width"}),
        ("a\u2060\u200db", {1: "zero-width", 2: "zero-width"}),
        ("\ufeffa\ufeff", {0: "bom", 2: "zero-width"}),
        ("co\u00adop", {2: "soft-hyphen"}),
        ("a\u202eb\u2066\u200f", {1: "bidi", 3: "bidi", 4: "bidi"}),
        ("שלום\u200e!", {4: "bidi"}),
        ("a\u00a0b\u202fc\u2003\u2028", {1: "blank", 3: "blank", 5: "blank", 6: "blank"}),
        ("a\u3164\u2800", {1: "blank", 2: "blank"}),
        ("\x00a\x1b\x7f\x85", {0: "control", 2: "control", 3: "control", 4: "control"}),
        ("\ue000\U000f0000", {0: "private-use", 1: "private-use"}),
        ("a\ud83d", {1: "surrogate"}),
        ("龙\ufffd", {1: "replacement"}),
        ("a\U000e0041\U000e0001", {1: "tag", 2: "tag"}),
        ("a\ufe0f", {1: "variation-selector"}),
        ("葛\U000e0100", {1: "variation-selector"}),
        ("😀\ufe0f\ufe0f", {2: "variation-selector"}),
        ("😀\U000e0100", {1: "variation-selector"}),
        ("🏴\U000e0067\U000e007f", {1: "tag", 2: "tag"}),
        ("\ufe0f", {0: "variation-selector"}),
        ("😀\u200da", {1: "zero-width"}),
        ("New\u3000York", {3: "blank"}),
        ("A\u3000", {}),
        ("\u3000\u3000甲方：\u3000乙\u30001", {}),
        ("", {}),
        ("plain\ttext\r\n中文，한국어 ١٢", {}),
        ("👨🏻\u200d🚒 ❤\ufe0f 1\ufe0f\u20e3 ☺\ufe0e 🇨🇳 👁\ufe0f\u200d🗨\ufe0f", {}),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", {}),
        ("می\u200cخواهم क्\u200dष", {}),
        ("ᠠ\u180b", {}),
        ("cafe\u0301", {}),
        ("раypal", {0: "look-alike", 1: "look-alike"}),
        ("Mосква", {0: "look-alike"}),
        ("Αpple", {0: "look-alike"}),
        ("аb", {0: "look-alike"}),
        ("раура Ελλάδα paypal Москва", {}),
        ("TNFα kΩ μm Δx", {}),
    ],
)
def test_odd_characters(text: str, kinds: dict[int, str]) -> None:
    assert {odd.offset: odd.kind for odd in invisible(text)} == kinds


@pytest.mark.parametrize(
    ("char", "code", "name"),
    [
        ("\u200b", "U+200B", "ZERO WIDTH SPACE"),
        ("\x07", "U+0007", "<control-0007>"),
        ("\ue000", "U+E000", "<private-use-E000>"),
        ("\udfff", "U+DFFF", "<surrogate-DFFF>"),
        ("\U000e0000", "U+E0000", "<reserved-E0000>"),
        ("\U000e0041", "U+E0041", "TAG LATIN CAPITAL LETTER A"),
    ],
)
def test_an_odd_character_is_named(char: str, code: str, name: str) -> None:
    (odd,) = invisible(f"x{char}")
    assert (odd.offset, odd.char, odd.code, odd.name) == (1, char, code, name)


def test_reveal_sets_odd_characters_apart() -> None:
    (first, second) = invisible("\ufeff甲\u200b乙")
    assert reveal("\ufeff甲\u200b乙") == [("\ufeff", first), ("甲", None), ("\u200b", second), ("乙", None)]
    assert reveal("甲") == [("甲", None)]
    assert reveal("") == []


@given(TEXT)
def test_pieces_join_to_the_text(text: str) -> None:
    pieces = reveal(text)
    assert "".join(piece for piece, _ in pieces) == text
    assert all(piece for piece, _ in pieces)
    assert tuple(odd for _, odd in pieces if odd) == invisible(text)
    for odd in invisible(text):
        assert isinstance(odd, OddCharacter)
        assert text[odd.offset] == odd.char
    assert len({odd.offset for odd in invisible(text)}) == len(invisible(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", ""),
        ("12.5 %，。😀", ""),
        ("今天下雨", "han"),
        ("𠮷野家々", "han"),
        ("ひらがなカタカナー漢字", "kana"),
        ("ｶﾞｽ", "kana"),
        ("대한민국", "hangul"),
        ("weather é ﬁ", "latin"),
        ("ＡＢＣ", "latin"),
        ("𝐀𝐁", "latin"),
        ("погода", "cyrillic"),
        ("الطقس", "arabic"),
        ("שלום", "hebrew"),
        ("อากาศ", "thai"),
        ("καιρός", "other"),
        ("मौसम", "other"),
        ("用AI写", "han"),
        ("\ud83d", ""),
    ],
)
def test_script_of(text: str, name: str) -> None:
    assert script_of(text) == name


def test_the_script_is_judged_by_the_first_letters() -> None:
    assert script_of("1" * 9000 + "a" * 5000 + "甲" * 9000) == "latin"


def test_a_letter_has_a_script_and_a_digit_has_none() -> None:
    assert [script(char) for char in "aЯ甲ガｶ한µK１,\u0301"] == [
        *("LATIN", "CYRILLIC", "CJK", "KATAKANA", "KATAKANA", "HANGUL", "GREEK", "LATIN"),
        *("", "", ""),
    ]


# Hints before a run.


@pytest.mark.parametrize(
    ("text", "asked", "codes"),
    [
        ("今天下雨", ["天气"], []),
        ("", [], []),
        (" \n", ["天气"], []),
        ("  \n\t。！？", ["正面"], ["text_symbols"]),
        ("😀", ["正面"], ["text_symbols"]),
        ("10kg", ["weight"], []),
        ("今天\u200b下雨", ["天气"], ["text_invisible"]),
        ("\u200b1", ["天气"], ["text_symbols", "text_invisible"]),
        ("раypal", ["name"], ["text_invisible"]),
        ("今天下雨", ["weather", "sports"], ["script_mismatch"]),
        ("It rains today", ["天气", "体育"], ["script_mismatch"]),
        ("It rains in 杭州 today, they say", ["天气"], ["script_mismatch"]),
        ("OpenAI发布GPT-4o", ["公司"], []),
        ("今天下雨", ["CPI", "GDP", "股市"], []),
        ("ひらがな", ["天气"], []),
        ("天気", ["ひらがな"], []),
        ("서울", ["城市"], ["script_mismatch"]),
        ("погода", ["weather"], ["script_mismatch"]),
        ("καιρός", ["天气"], ["script_mismatch"]),
        ("今天下雨", ["1", "2"], []),
        ("今天下雨", [], []),
    ],
)
def test_lint(text: str, asked: list[str], codes: list[str]) -> None:
    assert [note.code for note in lint(text, asked)] == codes


def test_reported_symbols(cases: dict[str, Any]) -> None:
    case = cases["ground-symbols"]
    assert [note.code for note in lint(case["text"], case["fields"])] == ["text_symbols"]


def test_hidden_characters_are_counted_and_three_are_named() -> None:
    (note,) = lint("a\u200bb\u200b\u00ad\u202e", ["x"])
    assert note.details == {
        "count": 4,
        "names": "U+200B ZERO WIDTH SPACE, U+00AD SOFT HYPHEN, U+202E RIGHT-TO-LEFT OVERRIDE",
    }
    (note,) = lint("a\u200b\u00ad\u202e\u2060", ["x"])
    assert str(note.details["names"]).endswith("RIGHT-TO-LEFT OVERRIDE, …")


def test_scripts_can_be_said_in_another_language() -> None:
    (note,) = lint("今天下雨", ["weather"])
    given = note.details["text"], note.details["asked"]
    assert [script.code for script in given if isinstance(script, Phrase)] == ["script_han", "script_latin"]
    assert "is in Chinese" in note.text


@given(TEXT, st.lists(TEXT, max_size=3))
def test_any_text_is_looked_at(text: str, asked: list[str]) -> None:
    for note in lint(text, asked):
        assert note.text
    assert (script_of(text) == "") == (not any(map(str.isalpha, text)))


@pytest.mark.parametrize("unit", ["\u00a0\u200b", "раypal", "👨\u200d", "🏴\U000e0067", "\ud83d"])
def test_a_long_text_is_looked_at_in_linear_time(unit: str) -> None:
    worker = threading.Thread(target=lint, args=(unit * (200_000 // len(unit)), ["x"]), daemon=True)
    worker.start()
    worker.join(20)
    assert not worker.is_alive()
