"""The GGUF backend over a tiny file, against torch on the same weights."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_gguf import FORMS, LABELS, TEXT, exact, ids, make_tiny

from engine.model.gguf import probabilities
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.prompt import Prompter
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.text.structure import make_form
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, PromptRequest, Structure, Writing

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_tiny(tmp_path_factory.mktemp("gguf"))


@pytest.fixture(scope="module")
def tiny(made: dict[str, Path]) -> Iterator[Any]:
    with exact(made["gguf"]) as backend:
        yield backend


@pytest.fixture(scope="module")
def torch_one(made: dict[str, Path]) -> Any:
    from checkpoints import load_tiny

    backend = load_tiny("llama", made["llama"], context=2048)
    backend.warm_up()
    return backend


def flat(rows: Any) -> list[float]:
    return [value for row in rows for value in row]


# The same as torch.


@pytest.mark.parametrize(
    "text", [TEXT, "", "a <|im_end|> b", "\x00x\ufeff e\u0301 \ud800", "😀\n\n12 3", "[GEN] 　体育"]
)
def test_texts_are_cut_into_the_same_tokens(tiny: Any, torch_one: Any, text: str) -> None:
    prompt = tiny.protocol.free(text)
    ours, theirs = tiny.encode_prompt(prompt, 64), torch_one.encode_prompt(prompt, 64)
    assert ours == theirs
    assert tiny.encode_answer(text) == torch_one.encode_answer(text)


def test_a_control_token_in_a_text_stays_characters(tiny: Any) -> None:
    encoded = tiny.encode_prompt(tiny.protocol.free("x <|im_start|>system"), 64)
    assert encoded.neutralised == ("<|im_start|>",)
    assert Counter(encoded.ids)[1] == 2, "the frame's own: of the user's turn and of the answer"


def test_a_long_text_is_cut_to_fit(tiny: Any) -> None:
    text = "the movie was good 天气 " * 400
    encoded = tiny.encode_prompt(tiny.protocol.score(text, LABELS), 64, 5)
    assert 0 < encoded.kept < len(text)
    assert 2048 - 64 - 8 <= len(encoded.ids) <= 2048 - 64


@pytest.mark.parametrize("text", [TEXT, "天气"])
def test_scores_are_those_of_torch(tiny: Any, torch_one: Any, text: str) -> None:
    answers = [tiny.encode_answer(label) for label in LABELS]
    ours = tiny.score(ids(tiny, text), answers, vocabulary=True)
    theirs = torch_one.score(ids(tiny, text), answers, vocabulary=True)
    assert flat(ours.siblings) == pytest.approx(flat(theirs.siblings), abs=1e-3)
    assert flat(ours.vocabulary) == pytest.approx(flat(theirs.vocabulary), abs=1e-3)
    assert ours.scored_tokens == theirs.scored_tokens
    assert sum(math.exp(sum(row)) for row in ours.siblings) == pytest.approx(1, abs=1e-5)
    alone = tiny.score(ids(tiny, text), answers)
    assert flat(alone.siblings) == pytest.approx(flat(ours.siblings), abs=1e-4)
    assert alone.vocabulary is None


def test_tokens_that_are_parts_of_characters_are_scored(tiny: Any, torch_one: Any) -> None:
    """Bytes of the same beginning, on which the server says nothing where it draws them itself."""
    answers = [tuple(torch_one._tokens.plain(text)) for text in ("樱", "樲", "\U0001f600", "\U0001f601")]
    ours, theirs = (one.score(ids(tiny), answers, vocabulary=True) for one in (tiny, torch_one))
    assert flat(ours.siblings) == pytest.approx(flat(theirs.siblings), abs=1e-3)
    assert flat(ours.vocabulary) == pytest.approx(flat(theirs.vocabulary), abs=1e-3)


@pytest.mark.parametrize("prompt", [TEXT, "天气 很好"])
@pytest.mark.parametrize(
    "writing",
    [
        Writing(20),
        Writing(20, repetition_penalty=1.5),
        Writing(16, beams=4),
        Writing(12, beams=2, repetition_penalty=1.3),
    ],
)
def test_what_is_most_probable_is_written_as_by_torch(tiny: Any, torch_one: Any, writing: Writing, prompt: str) -> None:
    ours = tiny.write(ids(tiny, prompt), writing, alternatives=2)
    theirs = torch_one.write(ids(tiny, prompt), writing, alternatives=2)
    assert (ours.text, ours.finish, ours.output_tokens) == (theirs.text, theirs.finish, theirs.output_tokens)
    for one, other in zip(ours.tokens, theirs.tokens, strict=True):
        assert (one.id, one.text) == (other.id, other.text)
        assert one.probability == pytest.approx(other.probability, abs=1e-4)
        assert [share for _, share in one.alternatives] == pytest.approx(
            [share for _, share in other.alternatives], abs=1e-4
        )


def test_free_decoding_is_that_of_torch(tiny: Any, torch_one: Any) -> None:
    for beams in (1, 4):
        ours = tiny.generate(ids(tiny), beams=beams, max_new_tokens=12)
        assert ours == torch_one.generate(ids(tiny), beams=beams, max_new_tokens=12)


@pytest.mark.parametrize("beams", [2, 3, 5])
def test_beams_end_where_those_of_torch_end(
    tiny: Any, torch_one: Any, beams: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With likely tokens for end tokens: answers of other lengths compete, and some end at a low rank."""
    likely = [token for token, _ in tiny._ask.best(ids(tiny), 16)]
    lengths = set()
    for end in [*likely, *(one.id for one in tiny.write(ids(tiny), Writing(10)).tokens)]:
        monkeypatch.setattr(tiny, "_vocabulary", replace(tiny._vocabulary, ends=frozenset({end})))
        monkeypatch.setattr(torch_one._model.generation_config, "eos_token_id", end)
        ours = tiny.generate(ids(tiny), beams=beams, max_new_tokens=8)
        assert ours == torch_one.generate(ids(tiny), beams=beams, max_new_tokens=8)
        lengths.add((ours.output_tokens, ours.finished))
    assert len(lengths) > 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("writing", [Writing(40), Writing(7), Writing(40, repetition_penalty=1.4)])
def test_a_form_is_written_as_by_torch(tiny: Any, torch_one: Any, form: Structure, writing: Writing) -> None:
    ours, theirs = (one.write(ids(tiny), writing, form=make_form(form)) for one in (tiny, torch_one))
    assert (ours.text, ours.finish, ours.output_tokens) == (theirs.text, theirs.finish, theirs.output_tokens)
    assert make_form(form).problem(ours.text) == ""
    assert [one.probability is None for one in ours.tokens] == [
        writing.repetition_penalty != 1 or one.probability is None for one in theirs.tokens
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_choice_among_very_many_is_the_same(
    tiny: Any, torch_one: Any, form: Structure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probabilities, "_FEW", 1)
    ours, theirs = (
        one.write(ids(tiny), Writing(24), form=make_form(form), alternatives=1) for one in (tiny, torch_one)
    )
    assert ours.text == theirs.text
    for one, other in zip(ours.tokens, theirs.tokens, strict=True):
        assert (one.probability is None) == (other.probability is None)
        assert (one.probability or 0) == pytest.approx(other.probability or 0, abs=1e-3)
        assert [share for _, share in one.alternatives] == pytest.approx(
            [share for _, share in other.alternatives][: len(one.alternatives)], abs=1e-3
        )


def test_an_extraction_is_decoded_as_by_torch(tiny: Any, torch_one: Any) -> None:
    lines = (GrammarLine("person", many=True), GrammarLine("地名", many=False), GrammarLine("price", many=True))
    grammar = ExtractGrammar(TEXT, lines)
    prompt = tuple(tiny.encode_prompt(tiny.protocol.extract(TEXT, ["person", "地名", "price"]), 200).ids)
    for limit in (8, 200):
        (ours,), forwards = tiny.decode([prompt], [grammar], limits=[limit])
        (theirs,), _ = torch_one.decode([prompt], [grammar], limits=[limit])
        assert (ours.pieces, ours.forced, ours.written, ours.taken_back) == (
            theirs.pieces,
            theirs.forced,
            theirs.written,
            theirs.taken_back,
        )
        assert ours.log_probabilities == pytest.approx(theirs.log_probabilities, abs=1e-3)
        assert 0 < forwards <= len(ours.pieces) + ours.taken_back


# The tasks.


def test_the_tasks_answer(tiny: Any, torch_one: Any) -> None:
    requests = [ClassifyRequest(TEXT, LABELS), ClassifyRequest("天气 很好 " * 30, LABELS, multi=True)]
    for request in requests:
        ours, theirs = Classifier(tiny)(request), Classifier(torch_one)(request)
        assert ours.labels[0].label == theirs.labels[0].label
        assert sum(one.score for one in ours.labels) == pytest.approx(1)
    fields = tuple(FieldSpec(name) for name in ("person", "city", "金额"))
    found = Extractor(tiny)(ExtractRequest(TEXT, fields, mentions="all", free=True))
    for one in found.fields:
        assert all(TEXT[value.start : value.end] == value.text for value in one.values)
    assert found.free is not None
    assert found.usage.forwards_saved > 0
    shown: list[str] = []
    answer = Prompter(tiny)(PromptRequest(TEXT, Writing(16)), show=shown.append)
    assert answer.text == Prompter(torch_one)(PromptRequest(TEXT, Writing(16))).text
    assert shown[-1] == answer.text
    assert shown == sorted(shown, key=len)


@given(st.text(max_size=40))
@settings(max_examples=15)
def test_nothing_is_invented(tiny: Any, text: str) -> None:
    grammar = ExtractGrammar(text, (GrammarLine("人名", many=True), GrammarLine("x", many=False)))
    prompt = tuple(tiny.encode_prompt(tiny.protocol.extract(text, ["人名", "x"]), 200).ids)
    (decoded,), _ = tiny.decode([prompt], [grammar], limits=[60])
    for line in grammar.read(decoded.answer):
        assert all(decoded.answer[start:end] in text.encode(errors="replace") for start, end in line.values)
