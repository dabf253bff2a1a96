"""SmolLM2-135M in the 4 bits of its package, computed by llama.cpp: the same model as torch computes."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from engine.errors import WorkbenchError
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.prompt import Prompter
from engine.settings import load_settings
from engine.text.structure import make_form
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, PromptRequest, Structure, Writing

pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
pytestmark = pytest.mark.model
REQUIRED = os.environ.get("WORKBENCH_REQUIRE_MODEL") == "1"
DATA = os.environ.get("WORKBENCH_TEST_DATA")
NAMES = ("sib200_en", "snips_intent")
ROWS = 50


def loaded(name: str) -> Any:
    from engine.model.loader import load_backend

    try:
        return load_backend(load_settings(model=name), lambda _: None, lambda _: None, Event())
    except WorkbenchError as error:
        if error.code != "download_failed" or REQUIRED:
            raise
        pytest.skip(f"SmolLM2 cannot be fetched: {error.message}")


@pytest.fixture(scope="module")
def small() -> Iterator[Any]:
    backend = loaded("smollm2-135m-q4")
    yield backend
    backend.close()


def test_it_is_in_the_precision_of_its_file(small: Any) -> None:
    info = small.info
    assert (info.precision, info.device, info.protocol, info.context) == ("q4_1", "cpu", "chat", 4096)
    assert info.parameters == 134_515_008
    assert info.revision == "0.1.2"


def test_finance_comes_first(small: Any) -> None:
    text = "Stocks rallied as the central bank cut rates"
    result = Classifier(small)(ClassifyRequest(text, ("sports", "finance", "technology")))
    assert result.chosen == ("finance",)


def test_values_are_found_where_they_are(small: Any) -> None:
    text = "Tim Cook said in Berlin on 3 May 2024 that Apple will pay $12 million."
    fields = tuple(FieldSpec(name) for name in ("person", "city", "date", "company"))
    result = Extractor(small)(ExtractRequest(text, fields))
    found = {one.field.name: [(value.text, value.start) for value in one.values] for one in result.fields}
    assert found["city"] == [("Berlin", 17)]
    assert found["date"] == [("3 May 2024", 27)]
    assert all(text[value.start : value.end] == value.text for one in result.fields for value in one.values)


def test_a_free_prompt_is_answered_as_a_chat_model_answers(small: Any) -> None:
    shown: list[str] = []
    request = PromptRequest("Name three colours.", Writing(24), alternatives=2)
    result = Prompter(small)(request, show=shown.append)
    assert result.text.startswith("1. Red")
    assert result.finish == "limit"
    assert shown[-1] == result.text
    assert "".join(one.text for one in result.tokens) == result.text
    assert all(one.probability and len(one.alternatives) == 2 for one in result.tokens)


@pytest.mark.parametrize(
    "structure",
    [
        Structure(choices=("Berlin", "Paris", "Rome")),
        Structure(regex="[A-Z][a-z]+, [A-Z][a-z]+"),
        Structure('{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}'),
    ],
)
def test_a_structure_is_kept(small: Any, structure: Structure) -> None:
    request = PromptRequest("What is the capital of France?", Writing(32), structure=structure)
    result = Prompter(small)(request)
    assert make_form(structure).problem(result.text) == ""


@pytest.mark.timeout(900)
@pytest.mark.skipif(not DATA, reason="WORKBENCH_TEST_DATA names no folder with labelled rows")
def test_the_best_label_is_that_of_torch(small: Any) -> None:
    """100 rows of 7 topics and 7 intents; torch computes the same weights in fp16, llama.cpp in 4 by 8 bits."""
    rows: list[dict[str, Any]] = []
    for name in NAMES:
        path = Path(str(DATA)) / "eval" / f"{name}.jsonl"
        if not path.exists():
            pytest.skip(f"{path} is not there")
        rows += [json.loads(line) for line in path.read_text("utf-8").splitlines()[:ROWS]]
    other = loaded("smollm2-135m")
    try:
        best = [best_labels(backend, rows) for backend in (small, other)]
    finally:
        other.close()
    same = sum(one == two for one, two in zip(*best, strict=True))
    assert len(rows) == 2 * ROWS
    assert same >= 0.9 * len(rows), f"{same} of {len(rows)}"


def best_labels(backend: Any, rows: list[dict[str, Any]]) -> list[str]:
    classifier = Classifier(backend)
    requests = (ClassifyRequest(row["text"], tuple(row["labels"])) for row in rows)
    return [classifier(request).labels[0].label for request in requests]
