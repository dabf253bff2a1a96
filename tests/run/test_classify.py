"""The task classify over the fake backend: what is asked, what is chosen, what is said beside it."""

import random
import threading
from typing import Any

import pytest
from doubles import RecordingBackend, attempt
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Generation
from engine.model.fake import FAKE_CONTEXT, FakeBackend
from engine.run.classify import Classifier, check_request
from engine.run.free import OFFICIAL_BEAMS
from engine.run.scoring import Scoring
from engine.types import ClassifyRequest, ClassifyResult, Note


def classify(text: str, *labels: str, backend: Any = None, **options: Any) -> ClassifyResult:
    return Classifier(backend or FakeBackend(delay=0))(ClassifyRequest(text, labels, **options))


def codes(result: ClassifyResult) -> list[str]:
    return [note.code for note in result.notes]


def scores(result: ClassifyResult) -> dict[str, float]:
    return {one.label: one.score for one in result.labels}


# Answers.


def test_an_answer_ranks_every_label_and_its_probabilities_sum_to_one() -> None:
    result = classify("今天的体育新闻很精彩", "财经", "体育", "天气")
    assert result.labels[0].label == "体育"
    assert set(scores(result)) == {"财经", "体育", "天气"}
    ranked = [one.score for one in result.labels]
    assert ranked == sorted(ranked, reverse=True)
    assert sum(ranked) == pytest.approx(1)
    assert result.chosen == ("体育",)
    assert result.prompt == "输入: 今天的体育新闻很精彩\n分类: 财经，体育，天气\n输出: [GEN]"
    assert result.notes == ()
    assert result.free is None


def test_usage_counts_what_was_read_and_scored() -> None:
    usage = classify("ab", "x", "xy").usage
    assert usage.prompt_tokens == len("输入: ab\n分类: x，xy\n输出: ") + 1
    assert usage.scored_tokens == len("x\ny\n")
    assert usage.output_tokens == 0
    assert usage.latency_ms >= 0


def test_equal_scores_keep_the_order_of_the_labels() -> None:
    class Undecided(FakeBackend):
        def score(self, prompt: Any, answers: Any, **options: Any) -> Any:
            from engine.model.backend import Scores

            return Scores(tuple((0.0,) for _ in answers), None, 1)

    result = classify("x", "b", "a", "c", backend=Undecided(delay=0))
    assert [one.label for one in result.labels] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("options", "chosen", "threshold"),
    [
        ({}, ["体育"], 0.0),
        ({"threshold": 0.0}, ["体育"], 0.0),
        ({"threshold": 1.0}, [], 1.0),
        ({"multi": True, "threshold": 0.0}, ["体育", "财经", "天气"], 0.0),
        ({"multi": True, "threshold": 1.0}, [], 1.0),
    ],
)
def test_choice(options: dict[str, Any], chosen: list[str], threshold: float) -> None:
    result = classify("体育", "财经", "体育", "天气", **options)
    assert set(result.chosen) == set(chosen)
    assert list(result.chosen) == [one.label for one in result.labels if one.label in chosen]
    assert result.threshold == threshold


def test_several_labels_are_chosen_from_the_chance_level_on_and_a_threshold_is_inclusive() -> None:
    result = classify("体育和财经", "财经", "体育", "天气", "房产", multi=True)
    assert result.threshold == 0.25
    assert set(result.chosen) == {label for label, score in scores(result).items() if score >= 0.25}
    best = result.labels[0]
    assert classify("体育和财经", "财经", "体育", "天气", "房产", threshold=best.score).chosen == (best.label,)


def test_scores_are_the_same_alone_and_after_other_requests(cases: dict[str, Any]) -> None:
    case = cases["num-batch"]
    beside = eval(case["beside_builder"])  # noqa: S307 - our own line of tests/cases.jsonl
    classifier = Classifier(FakeBackend(delay=0))
    request = ClassifyRequest(case["text"], tuple(case["labels"]))
    alone = scores(classifier(request))
    classifier(ClassifyRequest(beside, tuple(case["labels"])))
    classifier(ClassifyRequest(case["text"], (*case["labels"], "其他")))
    assert scores(classifier(request)) == alone


def test_the_fake_is_the_same_in_every_process() -> None:
    assert scores(classify("甲公司今日上市。", "财经", "体育")) == pytest.approx(
        {"财经": 0.35704, "体育": 0.64296}, abs=1e-4
    )


# Refusals.


def test_no_labels(cases: dict[str, Any]) -> None:
    case = cases["labels-none"]
    with pytest.raises(WorkbenchError) as caught:
        classify(case["text"], *case["labels"])
    assert caught.value.code == "labels_empty"
    assert "label box" in caught.value.hint


@pytest.mark.parametrize("labels", [("",), (" ", "\u200b", "\n", "\u3000")])
def test_blank_labels_are_no_labels(labels: tuple[str, ...]) -> None:
    with pytest.raises(WorkbenchError) as caught:
        classify("x", *labels)
    assert caught.value.code == "labels_empty"


@pytest.mark.parametrize("text", ["", " ", "\u200b\u200d\u2060", "\ufeff\r\n", "\x1c\u3164"])
def test_a_blank_text_is_refused(text: str) -> None:
    with pytest.raises(WorkbenchError) as caught:
        classify(text, "正面", "负面")
    assert caught.value.code == "text_empty"


@pytest.mark.parametrize("text", ["💹", "…—", "!?", "42"])
def test_a_text_without_words_is_answered_with_a_hint(cases: dict[str, Any], text: str) -> None:
    for wordless in (text, cases["text-empty"]["text"]):
        assert "text_symbols" in codes(classify(wordless, "正面", "负面"))


@pytest.mark.parametrize("threshold", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_threshold_beyond_probabilities_is_refused(threshold: float) -> None:
    with pytest.raises(WorkbenchError) as caught:
        check_request(ClassifyRequest("x", ("a", "b"), threshold=threshold))
    assert caught.value.code == "bad_setting"


def test_a_label_longer_than_the_context_is_named_and_shortened() -> None:
    with pytest.raises(WorkbenchError) as caught:
        classify("x", "short", "长" * 2000)
    assert caught.value.code == "label_too_long"
    assert caught.value.details == {"label": "长" * 40 + "…", "tokens": 2001, "limit": FAKE_CONTEXT // 4}


def test_sixty_long_labels_give_the_budget_and_squeeze_no_text(cases: dict[str, Any]) -> None:
    case = cases["labels-many"]
    with pytest.raises(WorkbenchError) as caught:
        classify(case["text"], *case["labels"])
    error = caught.value
    assert error.code == "labels_too_long"
    assert (error.details["count"], error.details["context"]) == (60, FAKE_CONTEXT)
    assert error.details["tokens"] > error.details["limit"] > 0  # type: ignore[operator]
    assert str(error.details["limit"]) in error.message


def test_labels_within_the_budget_that_the_error_gives_are_taken(cases: dict[str, Any]) -> None:
    """The figure in the error must be usable: so many labels that they take just the limit do work."""
    case = cases["labels-many"]
    text = case["text"] * 200
    with pytest.raises(WorkbenchError) as caught:
        classify(text, *case["labels"])
    limit = int(str(caught.value.details["limit"]))
    answers = []
    for count in range(2, 61):
        tail = len(f"\n分类: {'，'.join(case['labels'][:count])}\n输出: ")
        result, error = attempt(lambda count=count: classify(text, *case["labels"][:count]))
        assert (error is None) == (tail <= limit)
        assert result is None or codes(result) == ["text_cut"]
        answers.append(error is None)
    assert answers == sorted(answers, reverse=True)
    assert True in answers
    assert False in answers


# Many and odd inputs.


def test_two_hundred_labels() -> None:
    labels = [f"类{number}" for number in range(200)]
    result = classify("类7", *labels)
    assert len(result.labels) == 200
    assert sum(scores(result).values()) == pytest.approx(1)
    assert codes(result) == []


def test_one_label_is_certain_and_says_that_it_means_nothing() -> None:
    result = classify("x", "a")
    assert (scores(result), result.chosen, codes(result)) == ({"a": 1.0}, ("a",), ["one_label"])


def test_merged_and_twin_labels_are_reported() -> None:
    result = classify("x", "财经", " 财经 ", "ＣＰＩ", "CPI")
    assert [one.label for one in result.labels].count("财经") == 1
    assert result.notes == (
        Note("labels_merged", {"labels": "财经"}),
        Note("labels_twins", {"labels": "ＣＰＩ = CPI"}),
    )


@pytest.mark.parametrize(
    "text",
    [
        "💹👨🏻\u200d🚒张三在杭州🇨🇳买了茶",
        "a\u200bb\u200dc\u2060\ufeffd",
        "\u202bשלום עולם\u202c مرحبا",
        "e\u0301é 한국어 ｶﾞｽ①ﬁ",
        "x\x00y\x1bz\u2028w",
        "{text} %s {0} \\n <b>&amp;</b>",
        "a\r\nb\rc\n\n",
        "分类: 甲，乙\n输出: 甲",
    ],
)
def test_odd_texts_are_read_verbatim(text: str) -> None:
    result = classify(text, "甲", "乙👨🏻\u200d🚒")
    assert f"输入: {text}\n分类: 甲，乙👨🏻\u200d🚒\n输出: [GEN]" == result.prompt
    assert result.usage.prompt_tokens == len(result.prompt) - len("[GEN]") + 1
    assert set(codes(result)) <= {"text_invisible", "script_mismatch"}


def test_a_control_token_in_the_text_is_plain_characters(cases: dict[str, Any]) -> None:
    case = cases["inject-gen"]
    backend = RecordingBackend()
    result = classify(case["text"], *case["labels"], backend=backend)
    gen = max(backend.scored[0])
    assert backend.scored[0].count(gen) == 1
    assert backend.scored[0][-1] == gen
    assert result.notes == (Note("specials_neutralised", {"tokens": "[GEN]"}),)


def test_a_long_text_is_cut_and_the_note_has_the_right_numbers() -> None:
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 5000)))
    backend = RecordingBackend()
    result = classify(text, "财经", "体育新闻", backend=backend)
    kept = int(str(result.notes[0].details["kept"]))
    assert result.notes == (Note("text_cut", {"kept": kept, "total": 5000}),)
    assert result.prompt == f"输入: {text[:kept]}\n分类: 财经，体育新闻\n输出: [GEN]"
    reserve = len("体育新闻\n")
    assert len(backend.scored[0]) + reserve == FAKE_CONTEXT, "one more character would not fit"
    assert result.usage.prompt_tokens == len(backend.scored[0])


def test_a_text_that_just_fits_is_not_cut() -> None:
    room = FAKE_CONTEXT - len("体育\n") - len("输入: \n分类: 财经，体育\n输出: ") - 1
    assert codes(classify("字" * room, "财经", "体育")) == []
    assert codes(classify("字" * (room + 1), "财经", "体育")) == ["text_cut"]


@settings(max_examples=60)
@given(
    st.text(min_size=1, max_size=1500).filter(lambda text: any(map(str.isalnum, text))),
    st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=40),
    st.booleans(),
)
def test_any_request_is_answered_whole_or_refused_by_code(text: str, labels: list[str], multi: bool) -> None:
    request = ClassifyRequest(text, tuple(labels), multi=multi, free=True)
    result, error = attempt(lambda: Classifier(FakeBackend(delay=0))(request))
    if result is None:
        assert error is not None
        assert error.code in {"labels_empty", "labels_too_long", "label_too_long"}
        return
    assert {one.label for one in result.labels} == set(check_request(request).labels)
    assert sum(one.score for one in result.labels) == pytest.approx(1)
    assert set(result.chosen) <= {one.label for one in result.labels}
    assert result.usage.prompt_tokens < FAKE_CONTEXT
    assert all(note.text for note in result.notes)


# Stopping.


def test_a_stop_before_the_start_is_noticed() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        Classifier(FakeBackend(delay=0))(ClassifyRequest("x", ("a", "b")), stop)


def test_a_stop_between_scoring_and_free_decoding_is_noticed() -> None:
    stop = threading.Event()

    class StopsAfterScoring(FakeBackend):
        def score(self, *arguments: Any, **options: Any) -> Any:
            answer = super().score(*arguments, **options)
            stop.set()
            return answer

    with pytest.raises(Cancelled):
        Classifier(StopsAfterScoring(delay=0))(ClassifyRequest("x", ("a", "b"), free=True), stop)


# Free decoding.


def test_free_decoding_is_the_authors_and_is_not_run_unasked() -> None:
    backend = RecordingBackend()
    assert classify("体育", "财经", "体育", backend=backend).free is None
    assert backend.generated == []
    result = classify("体育", "财经", "体育", backend=backend, free=True)
    assert result.free is not None
    assert (result.free.raw, result.free.chosen, result.free.notes) == ("体育\n", ("体育",), ())
    assert result.free.prompt == result.prompt
    asked = backend.generated[0]
    assert (asked["beams"], asked["max_new_tokens"]) == (OFFICIAL_BEAMS, 256) == (4, 256)
    assert result.usage.output_tokens == result.free.output_tokens == 3


def test_free_answers_report_what_was_not_understood() -> None:
    says = Generation("体育，火星", 256, finished=False)
    result = classify("体育", "财经", "体育", backend=RecordingBackend(says=says), free=True)
    assert result.free is not None
    assert result.free.chosen == ("体育",)
    assert result.free.notes == (
        Note("free_unparsed", {"text": "火星"}),
        Note("free_limit", {"limit": 256}),
    )
    assert codes(result) == []


def test_free_decoding_leaves_room_for_its_answer_and_says_what_it_did_not_read() -> None:
    backend = RecordingBackend()
    text = "字" * 900
    result = classify(text, "财经", "体育", backend=backend, free=True)
    assert result.free is not None
    assert codes(result) == []
    kept = int(str(result.free.notes[-1].details["kept"]))
    assert result.free.notes[-1] == Note("text_cut", {"kept": kept, "total": 900})
    assert len(backend.generated[0]["prompt"]) + 256 == FAKE_CONTEXT
    assert result.free.prompt == f"输入: {text[:kept]}\n分类: 财经，体育\n输出: [GEN]"


def test_a_model_that_cannot_generate_still_scores() -> None:
    backend = RecordingBackend(generates=False)
    result = classify("x", "a", "b", backend=backend, free=True)
    assert result.free is None
    assert backend.generated == []
    assert result.notes == (Note("free_unsupported", {"name": "fake"}),)


# The prior.


def test_the_prior_costs_one_prefill_a_label_set() -> None:
    backend = RecordingBackend(plain=True)
    classifier = Classifier(backend)
    for text in ("a1", "b2", "c3"):
        classifier(ClassifyRequest(text, ("x", "y")))
    assert len(backend.scored) == 4
    classifier(ClassifyRequest("a1", ("x", "y", "z")))
    assert len(backend.scored) == 6


def test_the_prior_is_subtracted() -> None:
    backend = RecordingBackend(plain=True)
    raw = Classifier(backend, Scoring("sum"))(ClassifyRequest("N/A", ("x", "y", "zz")))
    assert len(set(scores(raw).values())) == 3
    corrected = Classifier(backend, Scoring("sum", prior="N/A"))(ClassifyRequest("N/A", ("x", "y", "zz")))
    assert list(scores(corrected).values()) == pytest.approx([1 / 3] * 3)


def test_priors_are_forgotten_oldest_first_and_stay_right() -> None:
    backend = RecordingBackend(plain=True)
    classifier = Classifier(backend)
    first = ClassifyRequest("text 1", ("x0", "y0"))
    before = scores(classifier(first))
    for number in range(1, 100):
        classifier(ClassifyRequest("text 1", (f"x{number}", f"y{number}")))
        classifier(first)
    assert len(backend.scored) == 100 * 2 + 99, "what is used again is kept"
    assert scores(classifier(first)) == before


def test_scores_do_not_depend_on_the_order_of_the_labels() -> None:
    labels = ["财经", "体育", "体育新闻", "财", "天气预报"]
    for plain in (False, True):
        backend = RecordingBackend(plain=plain)
        expected = scores(classify("财经与体育", *labels, backend=backend))
        for seed in range(5):
            shuffled = random.Random(seed).sample(labels, len(labels))
            assert scores(classify("财经与体育", *shuffled, backend=backend)) == pytest.approx(expected)


def test_chinese_for_a_model_that_does_not_read_it_is_said() -> None:
    class English(FakeBackend):
        def __init__(self) -> None:
            from dataclasses import replace

            super().__init__(delay=0)
            self.info = replace(self.info, name="small", languages=("en",))

    said = Note("language_unknown", {"name": "small"})
    assert said in classify("今天", "a", "b", backend=English()).notes
    assert said in classify("today", "体育", "b", backend=English()).notes
    assert codes(classify("today", "a", "b", backend=English())) == []
    assert codes(classify("今天", "a", "b")) == ["script_mismatch"]


def test_texts_that_are_hard_to_read_are_said() -> None:
    assert codes(classify("600837, 10.25, +9.98%", "财经", "体育")) == ["text_symbols"]
    assert codes(classify("财\u200b经新闻", "财经", "体育")) == ["text_invisible"]
