"""Requests answered together are answered as alone, in their order; what each bears of the cost."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from doubles import RecordingBackend, WritingBackend, attempt
from tiny_e5 import tiny_backend
from understanding import ByText

from engine.errors import Cancelled, WorkbenchError
from engine.model.fake import FakeBackend
from engine.run import asking
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.questions import Question
from engine.text.grammar import ExtractGrammar
from engine.types import ClassifyRequest, ClassifyResult, ExtractRequest, ExtractResult, FieldAnswer, FieldSpec

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = [
    "今天的体育新闻很精彩，张三在北京看了比赛。",
    "the price of the film was 12.50",
    "",
    "a",
    "💹👨🏻‍🚒李雷在杭州🇨🇳买了茶，花了120元。",
    "今天天气很好。" * 30,
    "a",
    "Ann Lee moved to London in 2024 with a [GEN] of positive science " * 4,
]
LABELS = [("财经", "体育"), ("positive", "negative", "neutral")]
FIELDS = [
    (FieldSpec("人名"), FieldSpec("地名", many=False), FieldSpec("金额", type="money")),
    (FieldSpec("price", asked=("price", "date"), required=True),),
]
KINDS = ["fake", "plain", "double", "encoder", "bloom", "llama"]


@pytest.fixture(scope="module")
def make(build: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """A backend of a kind."""
    made: dict[str, Callable[[], Any]] = {
        "fake": lambda: FakeBackend(delay=0),
        "plain": lambda: RecordingBackend(plain=True),
        "double": ByText,
        "encoder": lambda: tiny_backend(tmp_path_factory.mktemp("encoder")),
        "bloom": lambda: build("bloom"),
        "llama": lambda: build("llama", context=1024),
    }
    return lambda kind: made[kind]()


def classifications() -> list[ClassifyRequest]:
    return [
        *(
            ClassifyRequest(text, labels, multi=number % 2 > 0)
            for number, text in enumerate(TEXTS)
            for labels in LABELS
        ),
        ClassifyRequest("a", ("b",), threshold=2),
        ClassifyRequest("a", ()),
        ClassifyRequest("a", ("长" * 5000, "b")),
    ]


def extractions() -> list[ExtractRequest]:
    return [
        *(ExtractRequest(text, fields, per_prompt=2) for text in TEXTS for fields in FIELDS),
        ExtractRequest("a", FIELDS[0], per_prompt=0),
        ExtractRequest("a", ()),
        ExtractRequest(TEXTS[0], FIELDS[0], mentions="all", nested=True),
    ]


def same_classification(one: ClassifyResult, other: ClassifyResult) -> None:
    scores, others = ({label.label: label.score for label in result.labels} for result in (one, other))
    assert scores == pytest.approx(others, abs=1e-4)
    assert (one.prompt, one.notes, one.threshold) == (other.prompt, other.notes, other.threshold)
    read = [(result.usage.prompt_tokens, result.usage.scored_tokens) for result in (one, other)]
    assert read[0] == read[1]
    assert (one.free and one.free.raw) == (other.free and other.free.raw)


def places(fields: Sequence[FieldAnswer]) -> list[Any]:
    return [(one.field, [(value.text, value.start, value.end, value.typed) for value in one.values]) for one in fields]


def same_extraction(one: ExtractResult, other: ExtractResult) -> None:
    assert places(one.fields) == places(other.fields)
    numbers = [[value.score for field in result.fields for value in field.values] for result in (one, other)]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-3)
    assert [field.absent for field in one.fields] == pytest.approx([field.absent for field in other.fields], abs=1e-3)
    assert (one.prompts, one.notes) == (other.prompts, other.notes)
    counts = ("prompts", "parts", "prompt_tokens", "output_tokens", "forced_tokens")
    assert [getattr(one.usage, name) for name in counts] == [getattr(other.usage, name) for name in counts]


@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_weighed_together_as_alone(kind: str, make: Callable[[str], Any]) -> None:
    backend = make(kind)
    together = Classifier(backend).many(classifications())
    alone = [attempt(lambda request=request: Classifier(backend)(request)) for request in classifications()]
    for ours, (result, error) in zip(together, alone, strict=True):
        if isinstance(ours, WorkbenchError):
            assert error is not None
            assert (ours.code, ours.details) == (error.code, error.details)
        else:
            assert result is not None
            same_classification(ours, result)
    refused = [one.code for one in together if isinstance(one, WorkbenchError)]
    assert refused[:4] == ["text_empty", "text_empty", "bad_setting", "labels_empty"]


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_found_together_as_alone(kind: str, make: Callable[[str], Any]) -> None:
    backend = make(kind)
    together = Extractor(backend).many(extractions())
    alone = [attempt(lambda request=request: Extractor(backend)(request)) for request in extractions()]
    for ours, (result, error) in zip(together, alone, strict=True):
        if isinstance(ours, WorkbenchError):
            assert error is not None
            assert (ours.code, ours.details) == (error.code, error.details)
        else:
            assert result is not None
            same_extraction(ours, result)
    refused = [one.code for one in together if isinstance(one, WorkbenchError)]
    assert refused == ["text_empty", "text_empty", "bad_setting", "fields_empty"]


def test_free_answers_are_the_same_too() -> None:
    classify = [ClassifyRequest(text, LABELS[0], free=number % 2 > 0) for number, text in enumerate("甲乙丙")]
    for ours, request in zip(Classifier(FakeBackend(delay=0)).many(classify), classify, strict=True):
        assert isinstance(ours, ClassifyResult)
        same_classification(ours, Classifier(FakeBackend(delay=0))(request))
        assert (ours.free is not None) == request.free
    seen: list[tuple[int, int]] = []
    extract = [ExtractRequest(text, FIELDS[1], free=text == "乙") for text in "甲乙丙"]
    many = Extractor(FakeBackend(delay=0)).many(extract, report=lambda done, total: seen.append((done, total)))
    assert [one.free is not None for one in many if isinstance(one, ExtractResult)] == [False, True, False]
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_nothing_is_nothing() -> None:
    for backend in (FakeBackend(delay=0), ByText()):
        assert Classifier(backend).many([]) == []
        assert Extractor(backend).many([]) == []


# What goes together.


def test_texts_of_one_label_set_are_read_together_by_length() -> None:
    backend = ByText()
    texts = ["甲" * 20, "乙", "丙" * 3]
    Classifier(backend).many([ClassifyRequest(text, labels) for text in texts for labels in LABELS])
    assert backend.calls == [["乙", "丙" * 3, "甲" * 20]] * 2


def test_texts_of_one_field_set_are_read_together_whatever_else_is_asked() -> None:
    backend = ByText()
    requests = [ExtractRequest(text, FIELDS[0], mentions=how) for text in ("甲乙", "丙") for how in ("first", "all")]
    Extractor(backend).many([*requests, ExtractRequest("丁", FIELDS[1])])
    assert backend.calls == [["丙", "丙", "甲乙", "甲乙"], ["丁"]]


def test_what_is_read_at_once_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.run.weighing.CHARACTERS", 40)
    monkeypatch.setattr("engine.run.finding.CHARACTERS", 40)
    backend = ByText()
    Classifier(backend).many([ClassifyRequest("字" * 15, LABELS[0]) for _ in range(5)])
    Extractor(backend).many([ExtractRequest("字" * 100, FIELDS[0]) for _ in range(2)])
    assert list(map(len, backend.calls)) == [2, 2, 1, 1, 1]


def test_prompts_of_all_requests_are_written_side_by_side() -> None:
    backend = WritingBackend(lambda grammar: grammar.empty_answer())
    Extractor(backend).many([ExtractRequest(text, FIELDS[0], per_prompt=2) for text in ("甲乙", "丙丁戊")])
    assert backend.batches == [4]


def test_prompts_of_like_length_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[list[int]] = []
    batches = asking.batches

    def recorded(questions: Sequence[Question]) -> Any:
        for batch in batches(questions):
            sizes.append([len(one.part.text) for one in batch])
            yield batch

    monkeypatch.setattr(asking, "batches", recorded)
    lengths = [600, 2, 500, 3, 1]
    Extractor(FakeBackend(delay=0)).many([ExtractRequest("字" * size, FIELDS[1]) for size in lengths])
    assert sizes == [[1, 2, 3], [500, 600]]


def test_each_prompt_has_its_own_limit() -> None:
    """An answer that is too long beside few fields is not, and is cut alone as in company."""
    backend = WritingBackend(
        lambda grammar: f"字: {'甲' * 205}\n" if len(grammar.lines) == 1 else grammar.empty_answer()
    )
    few = ExtractRequest("甲" * 205, (FieldSpec("字"),))
    several = ExtractRequest("甲", tuple(map(FieldSpec, ("很长的名字一", "很长的名字二", "很长的名字三"))))
    ours, _ = Extractor(backend).many([few, several])
    assert isinstance(ours, ExtractResult)
    assert [note.code for note in ours.notes] == ["answer_cut"]
    same_extraction(ours, Extractor(backend)(few))


# What it costs.


def test_the_time_is_shared_by_tokens() -> None:
    requests = [ClassifyRequest("字" * size, ("财经", "体育")) for size in (10, 100, 1000)]
    for backend in (FakeBackend(delay=0.01), ByText()):
        usages = [one.usage for one in Classifier(backend).many(requests, None, 7.0) if isinstance(one, ClassifyResult)]
        each = [one.latency_ms / (one.prompt_tokens + one.scored_tokens) for one in usages]
        assert each == pytest.approx([each[0]] * 3)
        assert {one.queue_ms for one in usages} == {7.0}
    fields = [ExtractRequest("字" * size, FIELDS[1]) for size in (10, 100)]
    usage = [one.usage for one in Extractor(ByText()).many(fields) if isinstance(one, ExtractResult)]
    assert usage[1].latency_ms == pytest.approx(usage[0].latency_ms * 10)


def test_the_passes_made_together_are_shared_and_add_up() -> None:
    backend = WritingBackend(lambda grammar: grammar.empty_answer())
    requests = [ExtractRequest(text, fields) for text in ("甲乙", "丙丁戊") for fields in FIELDS]
    usages = [one.usage for one in Extractor(backend).many(requests) if isinstance(one, ExtractResult)]
    longest = max(one.output_tokens for one in usages)
    assert sum(one.forwards for one in usages) == longest
    assert sum(one.forwards_saved for one in usages) == sum(one.output_tokens for one in usages) - longest


# Stopping.


def stops_after(count: int) -> tuple[threading.Event, Callable[[], None]]:
    stop, calls = threading.Event(), []

    def called() -> None:
        calls.append(1)
        if len(calls) >= count:
            stop.set()

    return stop, called


def test_a_stop_keeps_the_labels_that_are_weighed() -> None:
    stop, called = stops_after(2)

    class Stopping(FakeBackend):
        def score(self, *arguments: Any, **options: Any) -> Any:
            answer = super().score(*arguments, **options)
            called()
            return answer

    many = Classifier(Stopping(delay=0)).many([ClassifyRequest(text, LABELS[0]) for text in "甲乙丙丁"], stop)
    assert [isinstance(one, ClassifyResult) for one in many] == [True, True, False, False]
    assert all(isinstance(one, Cancelled) for one in many[2:])


def test_a_stop_keeps_the_prompts_that_are_answered() -> None:
    stop = threading.Event()

    def answer(grammar: ExtractGrammar) -> str:
        if len(grammar.source) > 300:
            stop.set()
        return grammar.empty_answer()

    requests = [ExtractRequest("字" * size, FIELDS[0], per_prompt=2) for size in (700, 500, 10)]
    many = Extractor(WritingBackend(answer)).many(requests, stop)
    assert [isinstance(one, ExtractResult) for one in many] == [False, True, True]
    assert isinstance(many[0], Cancelled)


def test_a_stop_before_the_start_leaves_nothing() -> None:
    stop = threading.Event()
    stop.set()
    for backend in (FakeBackend(delay=0), ByText()):
        many: list[Any] = Classifier(backend).many([ClassifyRequest(text, LABELS[0]) for text in ("a", "", "b")], stop)
        many += Extractor(backend).many([ExtractRequest(text, FIELDS[0]) for text in ("a", "", "b")], stop)
        assert [one.code for one in many] == ["cancelled", "text_empty", "cancelled"] * 2
