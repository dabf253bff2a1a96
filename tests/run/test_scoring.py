"""From token log-probabilities to probabilities, by hand-made figures."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.backend import Scores
from engine.run.scoring import SCORING, VARIANTS, correct_prior, label_logits, softmax

SCORES = Scores(
    siblings=((-0.1, -0.2), (-1.0, 0.0, 0.0)), vocabulary=((-2.0, -4.0), (-3.0, -3.0, -3.0)), scored_tokens=5
)


def test_variants() -> None:
    assert label_logits(SCORES, "siblings") == pytest.approx([-0.3, -1.0])
    assert label_logits(SCORES, "sum") == [-6.0, -9.0]
    assert label_logits(SCORES, "mean") == [-3.0, -3.0]


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one != "siblings"])
def test_vocabulary_variants_refuse_to_guess(variant: str) -> None:
    with pytest.raises(ValueError, match="vocabulary"):
        label_logits(Scores(SCORES.siblings, None, 5), variant)  # type: ignore[arg-type]


def test_prior_is_subtracted_in_its_share() -> None:
    assert correct_prior([-1.0, -2.0], [-3.0, -1.0]) == [2.0, -1.0]
    assert correct_prior([-1.0, -2.0], [-3.0, -1.0], 0.5) == [0.5, -1.5]
    assert correct_prior([-1.0, -2.0], [-3.0, -1.0], 0.0) == [-1.0, -2.0]


def test_prior_of_another_label_set_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        correct_prior([-1.0, -2.0], [-3.0])


def test_softmax_by_hand() -> None:
    assert softmax([0.0]) == [1.0]
    assert softmax([math.log(3), 0.0]) == pytest.approx([0.75, 0.25])
    assert softmax([-1e5, -1e5]) == [0.5, 0.5]
    assert softmax([800.0, 0.0]) == pytest.approx([1.0, 0.0])


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=200))
def test_softmax_sums_to_one_and_keeps_the_order(logits: list[float]) -> None:
    scores = softmax(logits)
    assert sum(scores) == pytest.approx(1)
    assert all(0 <= score <= 1 for score in scores)
    ranked = sorted(range(len(logits)), key=logits.__getitem__)
    assert all(scores[low] <= scores[high] for low, high in pairwise(ranked))


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.floats(-100, 100))
def test_softmax_ignores_a_common_shift(logits: list[float], shift: float) -> None:
    assert softmax([logit + shift for logit in logits]) == pytest.approx(softmax(logits), abs=1e-9)


def test_every_protocol_has_a_scoring() -> None:
    assert set(SCORING) == {"seqgpt", "chat", "plain", "listed"}
