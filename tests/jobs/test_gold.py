"""Gold cells: every usual shape is read, and what cannot be read is an error of its row, never a guess."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.jobs.gold import Gold, GoldSpan, answer_labels, answer_scores, answer_spans, differs, read_gold
from engine.messages import Phrase
from engine.text.labels import clean_label, format_labels

TEXT = "浙商银行企业信贷部叶老桂博士"
NAME = GoldSpan("name", "叶老桂", 9, 12)


def labels_of(cell: Any, known: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    gold = read_gold("classify", cell, known)
    assert gold is not None
    assert gold.spans is None
    return gold.labels


def spans_of(cell: Any, text: str | None = TEXT) -> tuple[GoldSpan, ...] | None:
    gold = read_gold("extract", cell, text=text)
    assert gold is not None
    assert gold.labels is None
    return gold.spans


def why(task: Any, cell: Any, text: str | None = TEXT) -> str:
    with pytest.raises(WorkbenchError) as caught:
        read_gold(task, cell, text=text)
    assert caught.value.code == "gold_unreadable"
    reason = caught.value.details["reason"]
    assert isinstance(reason, Phrase)
    return reason.code


@pytest.mark.parametrize("task", ["classify", "extract"])
@pytest.mark.parametrize("cell", [None, "", "  ", "\t\n", math.nan])
def test_an_empty_cell_says_nothing(task: Any, cell: Any) -> None:
    assert read_gold(task, cell, text=TEXT) is None


# Labels.


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("体育", ("体育",)),
        (" 体育 ", ("体育",)),
        ("体育,财经", ("体育", "财经")),
        ("体育、财经；体育", ("体育", "财经")),
        ('["体育", "财经"]', ("体育", "财经")),
        ("['体育', '财经']", ("体育", "财经")),
        (["体育", "财经", "体育"], ("体育", "财经")),
        ("[]", ()),
        ([], ()),
        ('"酒, 茶",水', ("酒, 茶", "水")),
        ('{"label": "体育"}', ("体育",)),
        ({"labels": ["体育", {"label": "财经"}]}, ("体育", "财经")),
        ({"label": None}, ()),
        (3, ("3",)),
        (3.0, ("3",)),
        (0.5, ("0.5",)),
        (True, ("true",)),
        ([1, 2.0], ("1", "2")),
        ("007", ("007",)),
        ("NA", ("NA",)),
        ("[A] sport", ("[A] sport",)),
        ("{x}", ("{x}",)),
    ],
)
def test_labels(cell: Any, expected: tuple[str, ...]) -> None:
    assert labels_of(cell) == expected


@pytest.mark.parametrize("label", ["食品,饮料", "a; b", '["x"]', "[1, 2]", "{", '"quoted"', "3.0"])
def test_one_label_of_the_set_is_one_label_whatever_is_in_it(label: str) -> None:
    assert labels_of(label, (label, "other")) == (label,)


@given(st.lists(st.text(max_size=12).map(clean_label).filter(bool), min_size=1, max_size=5, unique=True))
def test_labels_that_were_written_out_are_read_back(labels: list[str]) -> None:
    known = set(labels)
    assert labels_of(json.dumps(labels), tuple(known)) == tuple(labels) or json.dumps(labels) in known
    written = format_labels(labels)
    if not written.startswith(("[", "{")):
        assert labels_of(written, tuple(known)) == tuple(labels) or clean_label(written) in known


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ('["体育", "财', "gold_not_json"),
        ('{"label": ', "gold_not_json"),
        ([["体育"]], "gold_label_odd"),
        ({"sport": 1}, "gold_label_odd"),
        ([None], "gold_label_odd"),
        # an exported answer: every label of the set with its probability, which says nothing of what is right
        ([{"label": "体育", "score": 0.9}, {"label": "财经", "score": 0.1}], "gold_label_odd"),
    ],
)
def test_labels_that_cannot_be_read(cell: Any, code: str) -> None:
    assert why("classify", cell) == code


# Spans.


@pytest.mark.parametrize(
    "cell",
    [
        {"name": [{"text": "叶老桂", "start": 9, "end": 12}]},
        {"name": {"text": "叶老桂", "start": 9, "end": 12}},
        {"name": [{"start": 9, "end": 12}]},
        {"name": [{"text": "叶老桂", "start": 9.0, "end": 12.0, "score": 0.7, "status": "exact"}]},
        {"name": [[9, 12]]},
        {"name": {"叶老桂": [[9, 11]]}},  # CLUENER: the end is the last place
        {"name": {"叶老桂": [[9, 12]]}},
        {"name": {"叶老桂": [9, 11]}},
        {"label": {"name": {"叶老桂": [[9, 11]]}}},
        [{"label": "name", "start": 9, "end": 12, "text": "叶老桂"}],
        [{"field": "name", "start": 9, "end": 12}],
        [{"type": "name", "start": 9, "end": 11, "text": "叶老桂"}],
        [{"labels": ["name"], "start": 9, "end": 12, "text": "叶老桂"}],
        [{"label": "name", "start_offset": 9, "end_offset": 12}],
        {"entities": [{"label": "name", "start_offset": 9, "end_offset": 12}]},
        {"label": "name", "start": 9, "end": 12},
        [[9, 12, "name"]],
        {"label": [[9, 12, "name"]]},
        {"entities": [[9, 12, "name"]]},
        {"fields": {"name": [{"text": "叶老桂", "start": 9, "end": 12}]}},
    ],
)
def test_spans_of_every_shape(cell: Any) -> None:
    assert spans_of(cell) == (NAME,)
    assert spans_of(json.dumps(cell)) == (NAME,)
    assert spans_of(repr(cell)) == (NAME,)


@pytest.mark.parametrize(
    "cell",
    [
        {"name": ["叶老桂"]},
        {"name": "叶老桂"},
        [{"field": "name", "value": "叶老桂"}],
        {"fields": {"name": ["叶老桂"]}},
    ],
)
def test_values_without_a_place(cell: Any) -> None:
    assert spans_of(cell) == (GoldSpan("name", "叶老桂"),)


def test_the_last_place_is_taken_for_the_end_only_where_the_text_says_so() -> None:
    assert spans_of({"name": {"叶老桂": [[9, 11]]}}, None) == (NAME,)
    assert why("extract", {"name": {"叶老桂": [[8, 10]]}}) == "gold_offsets_differ"
    assert why("extract", {"name": {"叶老桂": [[9, 13]]}}, None) == "gold_offsets_differ"
    # without the value nothing tells, so the end is the place after the span
    assert spans_of([[9, 11, "name"]]) == (GoldSpan("name", "叶老", 9, 11),)


@pytest.mark.parametrize("cell", ["{}", "[]", {}, [], {"name": None}, {"name": []}, {"name": ""}, {"entities": []}])
def test_gold_without_values_is_gold(cell: Any) -> None:
    assert spans_of(cell) == ()


def test_fields_may_be_named_like_parts_of_a_span() -> None:
    assert spans_of({"start": ["浙商"], "end": ["银行"], "label": ["信贷"]}) == (
        GoldSpan("start", "浙商"),
        GoldSpan("end", "银行"),
        GoldSpan("label", "信贷"),
    )
    assert spans_of({"text": ["浙商"]}) == (GoldSpan("text", "浙商"),)
    assert spans_of({"result": {"浙商": [[0, 2]]}}) == (GoldSpan("result", "浙商", 0, 2),)
    assert spans_of({"a": {"text": [[0, 4]]}}, "text here") == (GoldSpan("a", "text", 0, 4),)


def test_numbers_are_values_and_no_places() -> None:
    assert spans_of({"金额": [100, 200]}) == (GoldSpan("金额", "100"), GoldSpan("金额", "200"))


def test_places_count_code_points() -> None:
    text = "😀𠮷野家 e\u0301"
    assert spans_of([[1, 4, "x"]], text) == (GoldSpan("x", "𠮷野家", 1, 4),)
    assert why("extract", [{"label": "x", "start": 3, "end": 6, "text": "野家"}], text) == "gold_offsets_differ"


def test_one_span_twice_is_one() -> None:
    assert spans_of([[9, 12, "name"], [9, 12, "name"], [0, 2, "name"]]) == (NAME, GoldSpan("name", "浙商", 0, 2))


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("Berlin", "gold_no_spans"),
        ("3", "gold_no_spans"),
        (3, "gold_no_spans"),
        ('{"name": ["叶', "gold_no_spans"),
        (["叶老桂"], "gold_span_odd"),
        ([[9, 12]], "gold_span_odd"),
        ([[9, 12, 3]], "gold_span_odd"),
        ({"name": [{}]}, "gold_span_odd"),
        ({"name": [True]}, "gold_span_odd"),
        ({"name": [[9, 12, "x", "y"]]}, "gold_span_odd"),
        ({"name": [[9.5, 12]]}, "gold_span_odd"),
        ({"name": [[-3, -1]]}, "gold_span_odd"),
        ({"name": [{"start": 9}]}, "gold_span_odd"),
        ({"name": [{"start": True, "end": 3}]}, "gold_span_odd"),
        ({"name": {"叶老桂": "9"}}, "gold_span_odd"),
        ([{"start": 9, "end": 12}], "gold_span_odd"),
        ([[9, 99, "name"]], "gold_offsets_outside"),
        ([[12, 9, "name"]], "gold_offsets_outside"),
        ([[9, 9, "name"]], "gold_offsets_outside"),
        ([{"label": "name", "start": 0, "end": 3, "text": "叶老桂"}], "gold_offsets_differ"),
        ("[" * 100_000, "gold_no_spans"),
        ("[" * 20 + "(" * 5000, "gold_no_spans"),
        ('{"a": "\\d", \'b\': 1', "gold_no_spans"),
    ],
)
def test_spans_that_cannot_be_read(cell: Any, code: str) -> None:
    assert why("extract", cell) == code


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["label", "start", "end", "text", "x"]), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_whatever_is_in_a_cell_is_read_or_refused(cell: Any) -> None:
    for task in ("classify", "extract"):
        for given_cell in (cell, json.dumps(cell), repr(cell)):
            gold, code = None, "gold_unreadable"
            try:
                gold = read_gold(task, given_cell, ("x",), TEXT)
            except WorkbenchError as error:
                code = error.code
            assert code == "gold_unreadable"
            for span in (gold and gold.spans) or ():
                assert span.start is None or span.text == TEXT[span.start : span.end]


# Answers.


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"label": "a", "labels": [{"label": "a", "score": 0.9}, {"label": "b", "score": 0.1}]}, ("a",)),
        ({"label": None, "labels": [{"label": "a", "score": 0.2}]}, ()),
        ({"label": "a", "labels": [{"label": "a", "score": 0.9}], "chosen": ["a", "b"]}, ("a", "b")),
        ({"label": None, "labels": [{"label": "a", "score": 0.9}], "chosen": []}, ()),
        ({"label": "a", "labels": ["a", "b"]}, ("a", "b")),
        ({"label": "a", "labels": []}, ("a",)),
        ({"label": None, "labels": []}, ()),
        ({}, ()),
    ],
)
def test_chosen_labels_of_answers_and_corrections(answer: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert answer_labels(answer) == expected


def test_probabilities_and_values_of_answers() -> None:
    assert answer_scores({"labels": [{"label": "a", "score": 0.9}, {"label": "b", "score": 0}]}) == {"a": 0.9, "b": 0.0}
    assert answer_scores({"labels": ["a"]}) == {}
    body = {
        "fields": {
            "人": [{"text": "甲", "start": 0, "end": 1, "score": 0.5}, {"text": "乙", "start": None, "end": None}]
        }
    }
    assert answer_spans(body) == (GoldSpan("人", "甲", 0, 1), GoldSpan("人", "乙"))
    assert answer_spans({}) == ()


def test_an_answer_differs_from_gold() -> None:
    single = {"label": "a", "labels": [{"label": "a", "score": 1.0}]}
    assert not differs("classify", single, Gold(labels=("a",)))
    assert not differs("classify", single, Gold(labels=("b", "a")))
    assert differs("classify", single, Gold(labels=("b",)))
    assert differs("classify", single, Gold(labels=()))
    assert differs("classify", {"label": None, "labels": []}, Gold(labels=("a",)))
    assert not differs("classify", {"label": None, "labels": []}, Gold(labels=()))
    several = single | {"chosen": ["a"]}
    assert differs("classify", several, Gold(labels=("b", "a")))
    assert not differs("classify", several | {"chosen": ["b", "a"]}, Gold(labels=("a", "b")))


def test_values_differ_from_gold_by_place_or_text_in_the_fields_that_were_asked() -> None:
    answer = {"fields": {"人": [{"text": "甲", "start": 0, "end": 1}], "地": []}}
    assert not differs("extract", answer, Gold(spans=(GoldSpan("人", "甲", 0, 1),)))
    assert not differs("extract", answer, Gold(spans=(GoldSpan("人", "甲"),)))
    assert not differs("extract", answer, Gold(spans=(GoldSpan("人", "甲"), GoldSpan("职", "乙"))))
    assert differs("extract", answer, Gold(spans=(GoldSpan("人", "甲"), GoldSpan("职", "乙"))), ("职",))
    assert differs("extract", answer, Gold(spans=(GoldSpan("人", "甲", 4, 5),)))
    assert differs("extract", answer, Gold(spans=(GoldSpan("人", "甲"), GoldSpan("地", "丙"))))
    assert differs("extract", answer, Gold(spans=()))
