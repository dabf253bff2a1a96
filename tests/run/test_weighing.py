"""Labels by a model that understands: what is weighed, chosen and said where none fits."""

import threading
from typing import Any

import pytest
from doubles import RecordingBackend
from understanding import Understander

from engine.errors import Cancelled
from engine.run.classify import Classifier
from engine.run.scoring import softmax
from engine.run.weighing import Prompted, Understood, Weighed, weigher
from engine.types import ClassifyRequest, ClassifyResult

LOGITS = {"体育": 2.0, "财经": 1.0, "天气": -1.0}
FITTING, UNFITTING = 0.5, 0.49


def classify(fits: float, *labels: str, **options: Any) -> ClassifyResult:
    backend = Understander(logits=LOGITS, fits=fits)
    return Classifier(backend)(ClassifyRequest("今天的新闻", labels or tuple(LOGITS), **options))


def codes(result: ClassifyResult) -> list[str]:
    return [note.code for note in result.notes]


def test_a_model_is_asked_the_way_that_it_has() -> None:
    assert isinstance(weigher(Understander()), Understood)
    assert isinstance(weigher(RecordingBackend()), Prompted)


def test_a_model_that_can_neither_is_refused() -> None:
    backend = Understander()
    backend.info = type(backend.info)("none", "1", "encoder", "cpu", "fp32", 0, 512, ())
    with pytest.raises(TypeError, match="none"):
        weigher(backend)


def test_what_is_weighed() -> None:
    (weighed,) = weigher(Understander(logits=LOGITS, fits=0.7))(["今天的新闻"], ("财经", "体育"), None)
    assert isinstance(weighed, Weighed)
    assert (weighed.logits, weighed.fits) == ([1.0, 2.0], 0.7)
    assert (weighed.prompt, weighed.tokens, weighed.scored, weighed.kept) == ("", 5, 0, 5)


def test_a_model_that_is_prompted_cannot_tell_whether_any_fits() -> None:
    (weighed,) = weigher(RecordingBackend())(["今天的新闻"], ("财经", "体育"), None)
    assert isinstance(weighed, Weighed)
    assert weighed.fits is None


def test_probabilities_are_the_softmax_of_the_logits() -> None:
    result = classify(FITTING)
    assert [one.label for one in result.labels] == ["体育", "财经", "天气"]
    assert [one.score for one in result.labels] == pytest.approx(softmax([2.0, 1.0, -1.0]))


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({}, ("体育",)),
        ({"threshold": 0.0}, ("体育",)),
        ({"threshold": 0.5}, ("体育",)),
        ({"threshold": 0.9}, ()),
        ({"multi": True}, ("体育",)),
        ({"multi": True, "threshold": 0.2}, ("体育", "财经")),
        ({"multi": True, "threshold": 0.0}, ("体育", "财经", "天气")),
    ],
)
def test_where_labels_fit_the_threshold_decides(options: dict[str, Any], chosen: tuple[str, ...]) -> None:
    result = classify(FITTING, **options)
    assert result.chosen == chosen
    assert "no_label_fits" not in codes(result)


@pytest.mark.parametrize("options", [{"threshold": 0.1}, {"multi": True}, {"multi": True, "threshold": 0.0}])
def test_where_none_fits_none_is_chosen(options: dict[str, Any]) -> None:
    result = classify(UNFITTING, **options)
    assert result.chosen == ()
    assert "no_label_fits" in codes(result)


@pytest.mark.parametrize("options", [{}, {"threshold": 0.0}])
def test_a_single_choice_without_a_threshold_always_chooses(options: dict[str, Any]) -> None:
    result = classify(UNFITTING, **options)
    assert result.chosen == ("体育",)
    assert "no_label_fits" in codes(result)


def test_whether_any_fits_changes_no_probability() -> None:
    assert classify(UNFITTING).labels == classify(FITTING).labels


def test_one_label_is_weighed_too() -> None:
    result = classify(UNFITTING, "体育", multi=True)
    assert result.chosen == ()
    assert {"one_label", "no_label_fits"} <= set(codes(result))
    assert result.labels[0].score == 1


def test_usage_counts_what_was_read() -> None:
    usage = classify(FITTING).usage
    assert (usage.prompt_tokens, usage.scored_tokens, usage.output_tokens) == (5, 0, 0)


def test_free_decoding_is_not_to_be_had() -> None:
    result = classify(FITTING, free=True)
    assert result.free is None
    assert "free_unsupported" in codes(result)


def test_it_stops() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        Classifier(Understander())(ClassifyRequest("今天的新闻", ("体育", "财经")), stop)
