"""From rows to requests, and from answers to what is kept, whatever the cells hold."""

import json
from typing import Any

import pytest

from engine.errors import WorkbenchError
from engine.jobs.requests import request_of, result_of, text_of
from engine.jobs.store.stored_form import (
    pack,
    pack_error,
    pack_spec,
    unpack,
    unpack_error,
    unpack_phrase,
    unpack_spec,
)
from engine.jobs.types import JobSpec, SourceRow
from engine.messages import Phrase
from engine.model.fake import FakeBackend
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec

CLASSIFY = JobSpec("classify", ("text",), "id", "gold", labels=("delivery", "price"))
EXTRACT = JobSpec("extract", ("title", "text"), fields=(FieldSpec("name"), FieldSpec("price", type="money")))


def cells(**values: Any) -> SourceRow:
    return SourceRow(7, values)


def test_a_request_has_all_that_the_spec_says() -> None:
    spec = JobSpec("classify", ("t",), labels=("a", "b"), multi=True, threshold=0.3, free=True)
    assert request_of(spec, cells(t=" x ")) == ClassifyRequest(" x ", ("a", "b"), True, 0.3, True)
    spec = JobSpec("extract", ("t",), fields=EXTRACT.fields, mentions="all", per_prompt=2, free=True, nested=True)
    assert request_of(spec, cells(t="x")) == ExtractRequest("x", EXTRACT.fields, "all", 2, True, True)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"title": "A", "text": "B"}, "A\nB"),
        ({"title": "", "text": "B"}, "B"),
        ({"title": None, "text": 7}, "7"),
        ({"text": ["a", "ü"]}, '["a", "ü"]'),
        ({"title": True, "text": 0.5}, "true\n0.5"),
        ({}, ""),
    ],
)
def test_columns_are_joined_where_they_hold_something(values: dict[str, Any], text: str) -> None:
    assert text_of(EXTRACT, cells(**values)) == text


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({}, "text_missing"),
        ({"text": None}, "text_missing"),
        ({"text": ""}, "text_empty"),
        ({"text": " \n"}, "text_empty"),
    ],
)
def test_a_row_without_a_text_is_an_error_of_its_own(values: dict[str, Any], code: str) -> None:
    error = request_of(CLASSIFY, cells(**values))
    assert isinstance(error, WorkbenchError)
    assert error.code == code
    kept = result_of(CLASSIFY, cells(id=3, gold="x", **values), error)
    assert (kept.number, kept.key, kept.answer, kept.error, kept.gold) == (7, "3", {}, error, "x")


def test_what_is_kept_of_a_classification() -> None:
    row = SourceRow(
        7, {"id": "a", "text": "delivery was late", "gold": ["price"]}, Phrase("row_length", cells=1, columns=2)
    )
    answer = Classifier(FakeBackend())(ClassifyRequest("delivery was late", ("delivery", "price")))
    kept = result_of(CLASSIFY, row, answer)
    assert (kept.number, kept.key, kept.text, kept.gold, kept.problem) == (
        7,
        "a",
        "delivery was late",
        ["price"],
        row.problem,
    )
    assert kept.answer["label"] == "delivery"
    assert [one["label"] for one in kept.answer["labels"]] == ["delivery", "price"]
    assert kept.score == kept.answer["labels"][0]["score"]
    assert sum(one["score"] for one in kept.answer["labels"]) == pytest.approx(1, abs=1e-5)
    assert "chosen" not in kept.answer
    assert kept.latency_ms > 0


def test_several_labels_and_none() -> None:
    spec = JobSpec("classify", ("text",), labels=("delivery", "price"), multi=True, threshold=1.0)
    answer = Classifier(FakeBackend())(ClassifyRequest("x", spec.labels, True, 1.0))
    assert result_of(spec, cells(text="x"), answer).answer["chosen"] == []
    assert result_of(spec, cells(text="x"), answer).answer["label"] is None
    spec = JobSpec("classify", ("text",), labels=("delivery", "price"), multi=True, threshold=0.0)
    answer = Classifier(FakeBackend())(ClassifyRequest("price", spec.labels, True, 0.0))
    assert result_of(spec, cells(text="price"), answer).answer["chosen"] == ["price", "delivery"]


def test_free_answers_and_notes_are_kept_as_plain_json() -> None:
    answer = Classifier(FakeBackend())(ClassifyRequest("price [GEN]", ("price",), free=True))
    kept = result_of(JobSpec("classify", ("text",), labels=("price",)), cells(text="price"), answer)
    assert kept.answer["free"]["chosen"] == ["price"]
    assert "one_label" in {note["code"] for note in kept.answer["notes"]}
    (special,) = (note for note in kept.answer["notes"] if note["code"] == "specials_neutralised")
    assert special["details"] == {"tokens": "[GEN]"}
    assert json.loads(json.dumps(kept.answer)) == kept.answer


def test_what_is_kept_of_an_extraction() -> None:
    text = "name: Ann, price: $ 5"
    answer = Extractor(FakeBackend())(ExtractRequest(text, EXTRACT.fields, free=True))
    kept = result_of(EXTRACT, cells(text=text), answer)
    (value,) = kept.answer["fields"]["name"]
    assert text[value["start"] : value["end"]] == value["text"] == "Ann"
    values = [value for found in kept.answer["fields"].values() for value in found]
    assert (kept.values, kept.grounded) == (len(values), len(values))
    assert kept.score == min(value["score"] for value in values)
    assert set(kept.answer["free"]["fields"]) == {"name", "price"}
    assert json.loads(json.dumps(kept.answer)) == kept.answer


def test_nothing_found_has_no_score() -> None:
    spec = JobSpec("extract", ("text",), fields=(FieldSpec("zz"),))
    answer = Extractor(FakeBackend())(ExtractRequest("!", spec.fields))
    kept = result_of(spec, cells(text="!"), answer)
    assert (kept.score, kept.values, kept.answer["fields"]) == (None, 0, {"zz": []})
    assert kept.answer["not_found"]["zz"] > 0


# How it is written down.


@pytest.mark.parametrize("spec", [CLASSIFY, EXTRACT, JobSpec("classify", (), threshold=0.1, labels=("标签", "\ud800"))])
def test_a_spec_comes_back(spec: JobSpec) -> None:
    assert unpack_spec(pack_spec(spec)) == spec
    assert pack_spec(unpack_spec(pack_spec(spec))) == pack_spec(spec)


def test_a_spec_of_an_earlier_version_gets_the_defaults() -> None:
    assert unpack_spec('{"task":"classify","columns":["text"]}') == JobSpec("classify", ("text",))


def test_errors_come_back_with_their_phrases() -> None:
    error = WorkbenchError("device_missing", device="cuda", reason=Phrase("hub_answers", url="u {x}"))
    again = unpack_error(pack_error(error))
    assert again is not None
    assert (again.code, again.message, again.hint) == (error.code, error.message, error.hint)
    assert isinstance(again.details["reason"], Phrase)
    assert unpack_error(None) is None
    assert type(unpack_error(pack_error(WorkbenchError("cancelled")))).__name__ == "Cancelled"


@pytest.mark.parametrize(
    "raw",
    ['{"code":"gone_long_ago","details":{}}', '{"code":"bad_file","details":{"path":"x"}}'],
)
def test_an_error_that_is_no_more_still_reads(raw: str) -> None:
    error = unpack_error(raw)
    assert error is not None
    assert error.code == "internal"
    assert unpack_phrase('{"$phrase":"gone_long_ago","details":{}}') is None


def test_plain_values_come_back() -> None:
    value = {"a": [1, 0.1, None, True, "\ud800 标签"], "b": {"$phrase": "not one"}}
    assert unpack(pack(value)) == value
