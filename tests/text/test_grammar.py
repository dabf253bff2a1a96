"""The grammar of extraction answers, through llguidance over plain bytes: what is legal, and what it says."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llguidance import LLMatcher, LLTokenizer

from engine.text.grammar import SPANS_LIMIT, ExtractGrammar, GrammarLine, units

BYTES = LLTokenizer("byte")
TEXT = "  Ann Lee\tlives in 北京市, flat 12b.\r\nCall “Bo” 👨🏻‍🚒 at 10.5 None "


def grammar(source: str = TEXT, *labels: str, many: bool = True) -> ExtractGrammar:
    return ExtractGrammar(source, tuple(GrammarLine(label, many) for label in labels or ("who",)))


def legal(grammar: ExtractGrammar, answer: str | bytes) -> bool:
    """Whether the grammar takes an answer whole."""
    matcher = LLMatcher(BYTES, grammar.lark, log_level=0)
    tokens = list(answer.encode() if isinstance(answer, str) else answer)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


@pytest.mark.parametrize(
    "values",
    [
        "None",
        "Ann Lee",
        "Ann",
        "Lee",
        "北京",
        "北京市, flat 12b",
        "12",
        "b",
        ".",
        "“Bo”",
        "👨🏻‍🚒",
        "10.5",
        "5",
        "Ann\tAnn\t市",
    ],
)
def test_spans_between_words_and_characters_are_legal(values: str) -> None:
    assert legal(grammar(), f"who: {values}\n")


@pytest.mark.parametrize(
    "values",
    [
        "",
        " ",
        "Eve",
        "An",
        "nn Lee",
        "Ann Lee ",
        " Ann",
        "Ann Lee\tlives in\t",
        "Ann  Lee",
        "ann lee",
        "北京市\r\n",
        "flat 12b.\r\nCall",
        "1",
        "👨",
        "\u200d",
        "None\tAnn",
        "Lee\tNone",
        "Ann\n",
    ],
)
def test_everything_else_is_not(values: str) -> None:
    assert not legal(grammar(TEXT.replace("None", "")), f"who: {values}\n")


def test_every_label_has_its_line_in_order() -> None:
    two = grammar(TEXT, "who", "where")
    assert legal(two, "who: Ann\nwhere: 北京\n")
    assert not legal(two, "who: Ann\n")
    assert not legal(two, "where: 北京\nwho: Ann\n")
    assert not legal(two, "who: Ann\nwhere: 北京\nwhy: None\n")


def test_one_value_where_one_is_asked() -> None:
    one = grammar(TEXT, "who", many=False)
    assert legal(one, "who: Ann\n")
    assert not legal(one, "who: Ann\tLee\n")


def test_values_of_a_line_end() -> None:
    assert legal(grammar(), "who: " + "\t".join(["Ann"] * SPANS_LIMIT) + "\n")
    assert not legal(grammar(), "who: " + "\t".join(["Ann"] * (SPANS_LIMIT + 1)) + "\n")


@pytest.mark.parametrize("label", ["时间: 开始", 'a "b"', "back\\slash", "{x}", "/re/", "None", "🏷️", "a|b", "\u2028x"])
def test_any_label_is_written_as_it_is(label: str) -> None:
    one = grammar(TEXT, label)
    assert legal(one, f"{label}: Ann\n")
    assert not legal(one, "Ann: Ann\n")


@pytest.mark.parametrize("word", ["b" * 3000, "ACGT" * 900, "a" + "\u0300" * 3000, "👨\u200d" * 800])
def test_a_very_long_word_is_a_span_and_so_are_its_pieces(word: str) -> None:
    one = grammar(f"x {word} y")
    assert legal(one, f"who: {word[:64]}\n")
    assert not legal(one, f"who: {word[:63]}\n")
    assert "".join(units(word)) == word


def test_half_a_character_is_a_replacement_character() -> None:
    assert legal(grammar("a\ud800b"), "who: a\ufffdb\n")


def test_a_source_without_anything_visible_has_no_span() -> None:
    blank = grammar(" \t\u200b\r\n")
    assert legal(blank, "who: None\n")
    assert not legal(blank, "who: \u200b\n")


def test_reading_gives_the_values() -> None:
    answer = "who: Ann\tLee\nwhere: None\nwhy: 北京\n".encode()
    lines = grammar(TEXT, "who", "where", "why").read(answer)
    assert [[answer[start:end].decode() for start, end in line.values] for line in lines] == [
        ["Ann", "Lee"],
        [],
        ["北京"],
    ]
    assert [answer[line.start : line.lead].decode() for line in lines] == ["who:", "where:", "why:"]


@pytest.mark.parametrize(
    ("answer", "kept", "ending"),
    [
        ("", "", "who: None\nwhere: None\n"),
        ("wh", "wh", "o: None\nwhere: None\n"),
        ("who: ", "who:", " None\nwhere: None\n"),
        ("who: An", "who:", " None\nwhere: None\n"),
        ("who: Ann\t", "who: Ann", "\nwhere: None\n"),
        ("who: Ann\tLe", "who: Ann", "\nwhere: None\n"),
        ("who: Ann\n", "who: Ann\n", "where: None\n"),
        ("who: Ann\nwhere: 北", "who: Ann\nwhere:", " None\n"),
    ],
)
def test_a_cut_answer_keeps_whole_values_and_ends_shortly(answer: str, kept: str, ending: str) -> None:
    rules = grammar(TEXT, "who", "where")
    whole = answer.encode()[: rules.last_whole(answer.encode())]
    assert whole.decode() == kept
    assert rules.ending(whole).decode() == ending


def test_a_loop_is_noticed() -> None:
    twice = grammar("Lee met Lee")
    assert not twice.too_often(b"who: Lee")
    assert not twice.too_often(b"who: Lee\tLee")
    assert twice.too_often(b"who: Lee\tLee\tLee")
    assert not twice.too_often(b"who: Lee\tLee\tmet")


def texts() -> st.SearchStrategy[str]:
    """Texts of many scripts: CJK, emoji, right to left, combining marks, control characters, odd blanks."""
    ranges = ["az", "AZ", "09", "一龥", "ぁん", "가힣", "اي", "את", "\u0300\u036f", "\U0001f300\U0001f6ff", "\x00\x1f"]
    letters = [st.characters(min_codepoint=ord(one[0]), max_codepoint=ord(one[1])) for one in ranges]
    odd = st.sampled_from(["\u200b", "\u200d", "\ufe0f", "\ufeff", "\t", "\n", "\r\n", "\u2028", "\u00a0", " ", "None"])
    return st.lists(st.one_of(*letters, odd, st.characters()), min_size=1, max_size=40).map("".join)


@given(texts(), st.data())
def test_every_run_of_units_with_visible_edges_is_legal(text: str, data: st.DataObject) -> None:
    assert "".join(units(text)) == text
    runs = [span for span in spans(text) if span != "None"]
    if runs:
        assert legal(grammar(text), f"who: {data.draw(st.sampled_from(runs))}\n")


def spans(text: str) -> Iterator[str]:
    """Spans that begin and end with a letter or digit, found the plain way."""
    parts = units(text)
    for first in range(len(parts)):
        for last in range(first, min(len(parts), first + 5)):
            span = "".join(parts[first : last + 1])
            if span[0].isalnum() and span[-1].isalnum() and span.isprintable():
                yield span
