"""Packed models answer alike alone, in a batch, after an edit of the labels, as a tree and label by label."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from checkpoints import make_bloom
from hypothesis import given, settings
from hypothesis import strategies as st
from packed import backend, make

from engine.model.constrained import Decoded
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = [
    "今天的体育新闻很精彩, the film was great",
    "Ann Lee moved to Paris; the price of the film was 12.50",
    "张三在北京买了三本书，花了120元。" * 4,
    "phone",
]
LABELS = [["体育", "财经", "sports"], ["good", "bad", "good music", "体育新闻"], ["a", "b"], ["sports", "体育"]]
FIELDS = [["人名", "地名"], ["price", "日期"], ["人名"]]
CLOSE = {"fp16": 2e-3, "int8": 2e-2}
"""Of log-probabilities. Those of fp16 differ by rounding in fp32, those of int8 where a step is rounded otherwise."""
ROOM = 2**24


@pytest.fixture(scope="module", params=["bloom", "llama"])
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp(request.param)
    return make_bloom(root / "bloom") if request.param == "bloom" else make(root, "Llama")


@pytest.fixture(scope="module", params=["fp16", "int8"])
def precision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def build(checkpoint: Path, precision: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """A new backend, to which nothing is known."""
    cache = tmp_path_factory.mktemp("cache")
    return lambda **options: backend(checkpoint, cache, precision, **options)


@pytest.fixture(scope="module")
def plain(build: Callable[..., Any]) -> Any:
    """A backend that keeps nothing, so that every answer is as if it were the first."""
    return build()


@pytest.fixture(scope="module")
def keeping(build: Callable[..., Any]) -> Any:
    """A backend that keeps what it has read."""
    made = build(prefix_bytes=ROOM)
    made.warm_up()
    return made


def asked(backend: Any, text: str, labels: Sequence[str]) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    prompt = backend.encode_prompt(backend.protocol.score(text, labels), 32, len(labels)).ids
    return tuple(prompt), [backend.encode_answer(label) for label in labels]


def flat(scores: Any) -> list[float]:
    return [one for part in (scores.siblings, scores.vocabulary) for tokens in part for one in tokens]


def scored(backend: Any, text: str, labels: Sequence[str]) -> list[float]:
    prompt, answers = asked(backend, text, labels)
    return flat(backend.score(prompt, answers, vocabulary=True))


def extraction(backend: Any, text: str, names: Sequence[str]) -> tuple[tuple[int, ...], ExtractGrammar]:
    prompt = tuple(backend.encode_prompt(backend.protocol.extract(text, names), 64).ids)
    return prompt, ExtractGrammar(text, tuple(GrammarLine(name, True) for name in names))


def decoded(backend: Any, requests: Sequence[tuple[str, Sequence[str]]], limit: int = 60) -> tuple[Decoded, ...]:
    prompts, rules = zip(*(extraction(backend, text, names) for text, names in requests), strict=True)
    answers, _ = backend.decode(prompts, rules, limits=[limit] * len(prompts))
    return tuple(answers)


def test_it_warms_up_and_shares_passes(keeping: Any) -> None:
    assert keeping._tree
    assert keeping._batch
    assert keeping.info.notes == ()


@pytest.mark.parametrize("text", TEXTS)
def test_the_tree_equals_label_by_label(build: Callable[..., Any], precision: str, text: str) -> None:
    one = build()
    for labels in LABELS:
        tree = scored(one, text, labels)
        one._tree = False
        assert scored(one, text, labels) == pytest.approx(tree, abs=CLOSE[precision])
        one._tree = True


@pytest.mark.parametrize("text", TEXTS)
def test_a_relabel_equals_a_fresh_start(build: Callable[..., Any], precision: str, text: str) -> None:
    one = build(prefix_bytes=ROOM)
    for labels in [*LABELS, *LABELS]:
        assert scored(one, text, labels) == pytest.approx(scored(build(), text, labels), abs=CLOSE[precision])


def test_a_relabel_reads_the_labels_alone(build: Callable[..., Any]) -> None:
    one, read = build(prefix_bytes=ROOM), []
    own = one._read
    one._read = lambda tokens, *rest: (read.append(len(tokens)), own(tokens, *rest))[1]
    for labels in (*LABELS, LABELS[0]):
        scored(one, TEXTS[2], labels)
    whole = len(asked(one, TEXTS[2], LABELS[0])[0])
    assert read[0] == whole
    assert len(read) == len(LABELS), "the last was asked before: nothing of it is read"
    assert max(read[1:]) < whole / 2


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from(TEXTS), st.sampled_from(LABELS))
        | st.tuples(st.just(TEXTS[2]), st.permutations(LABELS[1])),
        max_size=6,
    )
)
def test_what_was_asked_before_changes_no_score(
    plain: Any, keeping: Any, precision: str, before: list[tuple[str, list[str]]]
) -> None:
    for text, labels in before:
        found, right = scored(keeping, text, labels), scored(plain, text, labels)
        assert found == pytest.approx(right, abs=CLOSE[precision])


@settings(max_examples=10)
@given(st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(FIELDS)), min_size=1, max_size=5))
def test_together_equals_alone(plain: Any, precision: str, requests: list[tuple[str, list[str]]]) -> None:
    together = decoded(plain, requests)
    alone = [decoded(plain, [one])[0] for one in requests]
    assert [one.answer for one in together] == [one.answer for one in alone]
    for one, other in zip(together, alone, strict=True):
        assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=CLOSE[precision])


@settings(max_examples=10)
@given(st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(FIELDS)), min_size=1, max_size=5))
def test_decoding_is_the_same_after_a_relabel(
    plain: Any, keeping: Any, precision: str, requests: list[tuple[str, list[str]]]
) -> None:
    for _ in range(2):
        for one, other in zip(decoded(keeping, requests), decoded(plain, requests), strict=True):
            assert one.answer == other.answer
            assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=CLOSE[precision])


def test_scoring_and_decoding_do_not_disturb_each_other(plain: Any, keeping: Any, precision: str) -> None:
    for number in range(12):
        text, labels, names = TEXTS[number % 4], LABELS[number % 3], FIELDS[number % 2]
        assert scored(keeping, text, labels) == pytest.approx(scored(plain, text, labels), abs=CLOSE[precision])
        requests = [(text, names), (TEXTS[0], names)]
        assert [one.answer for one in decoded(keeping, requests)] == [one.answer for one in decoded(plain, requests)]
        prompt, _ = asked(plain, text, labels)
        written = [one.generate(prompt, beams=4, max_new_tokens=5) for one in (keeping, plain)]
        assert written[0] == written[1]


def test_forgetting_changes_no_answer(plain: Any, keeping: Any, precision: str) -> None:
    scored(keeping, TEXTS[0], LABELS[0])
    assert keeping._prefixes.nbytes > 0
    keeping.forget()
    assert keeping._prefixes.nbytes == 0
    right = scored(plain, TEXTS[0], LABELS[0])
    assert scored(keeping, TEXTS[0], LABELS[0]) == pytest.approx(right, abs=CLOSE[precision])


def test_both_tasks_are_answered(keeping: Any) -> None:
    result = Classifier(keeping)(ClassifyRequest(TEXTS[0], tuple(LABELS[0])))
    assert sum(one.score for one in result.labels) == pytest.approx(1)
    found = Extractor(keeping)(ExtractRequest(TEXTS[1], tuple(map(FieldSpec, FIELDS[0]))))
    for field in found.fields:
        for value in field.values:
            assert TEXTS[1][value.start : value.end] == value.text


def test_close_drops_what_is_kept(build: Callable[..., Any]) -> None:
    one = build(prefix_bytes=ROOM)
    scored(one, TEXTS[0], LABELS[0])
    kept = one._prefixes
    one.close()
    assert kept.nbytes == 0
