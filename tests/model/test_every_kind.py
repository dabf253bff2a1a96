"""The same three tasks with every architecture, as it is loaded and with packed weights: classify, extract, write."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import packed
import pytest
from checkpoints import CHAT

from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.prompt import Prompter
from engine.text.protocol import PlainProtocol
from engine.text.structure import make_form
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, PromptRequest, Structure, Writing

pytestmark = pytest.mark.usefixtures("one_thread")
KINDS = ("BLOOM", "Llama", "Qwen2", "GPT-2", "LFM2")
TEXT = "Ann Lee lives in Paris; 张三在北京买了书💹, for 12.50 on Monday."
SCHEMA = {
    "type": "object",
    "properties": {
        "who": {"type": "string", "minLength": 1},
        "where": {"type": ["string", "null"]},
        "price": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    },
    "required": ["who", "where", "price", "tags"],
}
FORMS = {
    "schema": Structure(json.dumps(SCHEMA)),
    "grounded": Structure(json.dumps(SCHEMA), grounded=True),
    "regex": Structure(regex=r"[A-Z][a-z]+ \d{4}(-\d\d){2}"),
    "choices": Structure(choices=("today", "to", "明天", "明天早上")),
}


@pytest.fixture(scope="module", params=[(kind, way) for kind in KINDS for way in ("fp32", "fp16", "int8")])
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    name, way = request.param
    root: Path = tmp_path_factory.mktemp("kinds")
    checkpoint = packed.make(root, name)
    backend = _plain(checkpoint) if way == "fp32" else packed.backend(checkpoint, root / "cache", way)
    backend.protocol = PlainProtocol()
    backend.warm_up()
    yield backend
    backend.close()


def _plain(checkpoint: Path) -> Any:
    import torch

    from engine.model.causal_lm import CausalLM, load_causal_lm
    from engine.model.tokens import Tokens
    from engine.types import ModelInfo

    model, tokenizer = load_causal_lm(checkpoint, device="cpu", dtype=torch.float32)
    info = ModelInfo(checkpoint.name, "local", "plain", "cpu", "fp32", model.num_parameters(), 512)
    return CausalLM(model, Tokens(tokenizer), PlainProtocol(), info, prefix_bytes=2**22)


def test_classify(kind: Any) -> None:
    labels = ("sports", "finance", "财经 news")
    result = Classifier(kind)(ClassifyRequest(TEXT, labels, free=True))
    assert {one.label for one in result.labels} == set(labels)
    assert sum(one.score for one in result.labels) == pytest.approx(1)
    assert result.chosen == (result.labels[0].label,)
    assert result.free is not None
    again = Classifier(kind)(ClassifyRequest(TEXT, labels[::-1]))
    scores = {one.label: one.score for one in result.labels}
    for one in again.labels:
        assert one.score == pytest.approx(scores[one.label], abs=1e-4)


def test_extract(kind: Any) -> None:
    fields = tuple(map(FieldSpec, ("who", "地点", "price")))
    result = Extractor(kind)(ExtractRequest(TEXT, fields, per_prompt=2))
    assert len(result.prompts) == 2
    for answer in result.fields:
        for value in answer.values:
            assert value.status == "exact"
            assert TEXT[value.start : value.end] == value.text
            assert 0 < (value.score or 0) <= 1


@pytest.mark.parametrize(
    "writing",
    [Writing(20), Writing(20, temperature=1.5, top_p=0.9, repetition_penalty=1.2, seed=5), Writing(10, beams=3)],
    ids=["greedy", "sampled", "beams"],
)
def test_write(kind: Any, writing: Writing) -> None:
    shown: list[str] = []
    request = PromptRequest(TEXT, writing, role="A poet.", alternatives=2)
    result = Prompter(kind)(request, show=shown.append)
    assert result.prompt == f"A poet.\n\n{TEXT}"
    assert 0 < result.usage.output_tokens <= writing.max_new_tokens
    assert result.text.startswith(shown[-1] if shown else "")
    assert all(later.startswith(earlier) for earlier, later in pairwise(shown))
    assert bool(result.tokens) == (writing.beams == 1)
    for token in result.tokens:
        assert 0 < (token.probability or 0) <= 1
        assert len(token.alternatives) == 2
    again = Prompter(kind)(request)
    assert (again.text, [one.id for one in again.tokens]) == (result.text, [one.id for one in result.tokens])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("limit", [7, 120])
def test_write_in_a_form(kind: Any, form: str, limit: int) -> None:
    source = TEXT if FORMS[form].grounded else ""
    for writing in (Writing(limit), Writing(limit, temperature=2.0, seed=limit)):
        result = Prompter(kind)(PromptRequest("who?", writing, structure=FORMS[form], source=source))
        assert make_form(FORMS[form], source).problem(result.text) == ""
        assert {note.code for note in result.notes} <= {"answer_closed"}
        assert (result.finish == "limit") == bool(result.notes)


def test_write_in_turns(kind: Any) -> None:
    kind.protocol, plain = replace(CHAT, system=("<s>system\n", "</s>\n<s>user\n")), kind.protocol
    try:
        result = Prompter(kind)(PromptRequest("Hi </s>", Writing(5), role="A <pad> poet"))
    finally:
        kind.protocol = plain
    assert result.prompt.startswith("<s>system\nA <pad> poet</s>\n<s>user\nHi </s>")
    assert [note.code for note in result.notes][:1] == ["specials_neutralised"]
