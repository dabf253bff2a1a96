"""Label sets as people type and paste them."""

import threading
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.labels import SEPARATORS, clean_label, format_labels, normalise_labels, parse_labels

TRICKY = st.text(
    st.sampled_from([*SEPARATORS, *"\"“”' \u3000\ufeff\u200b\u00a0\u2028\x00\x1fab酒，茶é💹\u200d"]), max_size=30
)
LABELS = st.lists(st.one_of(TRICKY, st.text(max_size=12)).map(clean_label).filter(bool), max_size=8)


def test_reported_mixed_separators(cases: dict[str, Any]) -> None:
    case = cases["labels-mixed"]
    assert parse_labels(case["raw"]) == case["expect"]


def test_reported_twins(cases: dict[str, Any]) -> None:
    result = normalise_labels(parse_labels(cases["labels-twins"]["raw"]))
    assert result.labels == ("财经", "ＣＰＩ", "CPI", "cpi")
    assert result.merged == ("财经",)
    assert result.twins == (("ＣＰＩ", "CPI", "cpi"),)


@pytest.mark.parametrize("separator", SEPARATORS)
def test_each_separator_splits_and_only_quotes_protect_it(separator: str) -> None:
    assert parse_labels(f"甲{separator}乙") == ["甲", "乙"]
    if separator not in "\n\r\t":
        assert parse_labels(f'"甲{separator}乙"{separator}丙') == [f"甲{separator}乙", "丙"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", []),
        (" ,，\n\t ; ", []),
        ('""', []),
        ('"a, b"', ["a, b"]),
        ('  "a, b"  ,c', ["a, b", "c"]),
        ("“a，b”，c", ["a，b", "c"]),
        ('"say ""hi"""', ['say "hi"']),
        ('"never closed, b', ['"never closed', "b"]),
        ('"a"b,c', ['"a"b', "c"]),
        ('5" disk, 3" disk', ['5" disk', '3" disk']),
        ("a\r\nb\r\n", ["a", "b"]),
        ("\ufeffa,\u200bb\u200b,\u3000c\u3000,\u00a0d", ["a", "b", "c", "d"]),
        ("two words, l'été", ["two words", "l'été"]),
        ("👨🏻\u200d🚒，🇨🇳", ["👨🏻\u200d🚒", "🇨🇳"]),
        ("a\u2028b\x00c", ["a b c"]),
        ("1:2, 3.5", ["1:2", "3.5"]),
        ("a\x9fb\ud83d", ["a b\ufffd"]),
        ("عربي، نص", ["عربي، نص"]),
    ],
)
def test_parse(raw: str, expected: list[str]) -> None:
    assert parse_labels(raw) == expected


def test_format_quotes_only_where_needed() -> None:
    assert format_labels(["甲", "two words", "a, b", '"x"', 'in"side', "“y”"]) == (
        '甲,two words,"a, b","""x""",in"side,"“y”"'
    )


@given(LABELS)
def test_format_then_parse_gives_the_labels_back(labels: list[str]) -> None:
    assert parse_labels(format_labels(labels)) == labels


@given(TRICKY)
def test_parse_then_format_then_parse_changes_nothing(raw: str) -> None:
    labels = parse_labels(raw)
    assert parse_labels(format_labels(labels)) == labels
    assert all(label and label == clean_label(label) for label in labels)


@given(st.lists(TRICKY, max_size=8))
def test_normalise_keeps_each_clean_label_once_and_in_order(labels: list[str]) -> None:
    result = normalise_labels(labels)
    cleaned = [one for one in map(clean_label, labels) if one]
    assert list(result.labels) == list(dict.fromkeys(cleaned))
    assert set(result.merged) == {one for one in cleaned if cleaned.count(one) > 1}
    for group in result.twins:
        assert len(group) > 1
        assert len({unicodedata.normalize("NFKC", label).casefold() for label in group}) == 1
    again = normalise_labels(result.labels)
    assert (again.labels, again.merged) == (result.labels, ())


@pytest.mark.parametrize("unit", ["“,", '",', '"",', '"""', "“a”b,", '"a"b,', "，", " ", '"a""'])
def test_a_megabyte_of_the_same_is_read_in_linear_time(unit: str) -> None:
    """A page and an HTTP route split labels: no paste may hold them for minutes."""
    worker = threading.Thread(target=parse_labels, args=(unit * (300_000 // len(unit)),), daemon=True)
    worker.start()
    worker.join(20)
    assert not worker.is_alive()
