"""Exact figures of values are those of seqeval over characters; overlap, texts and probabilities beside them."""

import random
import warnings

import pytest
from sklearn.metrics import brier_score_loss

with warnings.catch_warnings():  # of its imports, not ours to correct
    warnings.simplefilter("ignore")
    from seqeval.metrics import f1_score, precision_score, recall_score
    from seqeval.scheme import IOB2

from engine.jobs.gold import GoldSpan
from engine.lab.evaluate import evaluate_spans
from engine.lab.pairs import SpanPair
from engine.lab.span_matching import match_field

FIELDS = ("人名", "地名", "never")
LENGTH = 24


def spans_of(draw: random.Random, names: tuple[str, ...], most: int) -> tuple[GoldSpan, ...]:
    """Spans of a text that do not overlap; some touch."""
    cuts = sorted(draw.sample(range(LENGTH + 1), 2 * draw.randint(0, most)))
    return tuple(
        GoldSpan(draw.choice(names), "x" * (end - start), start, end)
        for start, end in zip(cuts[::2], cuts[1::2], strict=True)
    )


def tags(spans: tuple[GoldSpan, ...]) -> list[str]:
    """A tag a character, IOB2."""
    found = ["O"] * LENGTH
    for span in spans:
        assert span.start is not None
        for at in range(span.start, span.end or 0):
            found[at] = f"{'B' if at == span.start else 'I'}-{span.field}"
    return found


def pairs_of(seed: int, names: tuple[str, ...] = FIELDS[:2]) -> list[SpanPair]:
    draw = random.Random(seed)
    rows = []
    for number in range(60):
        gold = spans_of(draw, FIELDS[:2], 4)
        kept = tuple(span for span in gold if draw.random() < 0.5)
        rows.append(SpanPair(number, gold, kept if draw.random() < 0.6 else spans_of(draw, names, 4)))
    return rows


@pytest.mark.parametrize("seed", range(8))
def test_exact_figures_equal_seqeval(seed: int) -> None:
    rows = pairs_of(seed)
    shown = evaluate_spans(iter(rows), FIELDS)
    gold, found = [tags(row.gold) for row in rows], [tags(row.found) for row in rows]
    for mode in ({}, {"mode": "strict", "scheme": IOB2}):
        assert shown.exact_f1.value == pytest.approx(f1_score(gold, found, zero_division=0, **mode))
        assert shown.exact.precision == pytest.approx(precision_score(gold, found, zero_division=0, **mode))
        assert shown.exact.recall == pytest.approx(recall_score(gold, found, zero_division=0, **mode))
        assert shown.macro_f1 == pytest.approx(f1_score(gold, found, average="macro", zero_division=0, **mode))
    assert shown.fields[2].exact.f1 is None
    assert shown.whole.value == sum(set(row.gold) == set(row.found) for row in rows) / len(rows)
    assert shown.exact_f1.interval is not None
    assert shown.exact_f1.interval.low < (shown.exact_f1.value or 0) < shown.exact_f1.interval.high


def test_nothing_found_equals_seqeval() -> None:
    rows = [SpanPair(row.number, row.gold, ()) for row in pairs_of(1)]
    shown = evaluate_spans(rows, FIELDS)
    gold = [tags(row.gold) for row in rows]
    assert shown.exact_f1.value == f1_score(gold, [["O"] * LENGTH] * len(rows), zero_division=0) == 0.0
    assert (shown.exact.precision, shown.exact.recall, shown.grounded) == (None, 0.0, None)


def test_no_gold_and_nothing_found_has_no_figure() -> None:
    shown = evaluate_spans([SpanPair(0, (), ()), SpanPair(1, (), ())], FIELDS)
    assert (shown.exact_f1.value, shown.overlap_f1.value, shown.macro_f1, shown.whole.value) == (None, None, None, 1.0)
    assert shown.best is None


def test_an_overlap_counts_once_and_the_largest_first() -> None:
    gold = [GoldSpan("a", "x" * 10, 0, 10), GoldSpan("a", "x" * 4, 10, 14)]
    found = [GoldSpan("a", "x" * 2, 0, 2), GoldSpan("a", "x" * 9, 4, 13)]
    match = match_field(gold, found)
    # the long value is nearest to the first span, so the short one and the second span are left without a partner
    assert (match.overlap.tp, match.overlap.fp, match.overlap.fn) == (1, 1, 1)
    assert (match.exact.tp, match.exact.fp, match.exact.fn) == (0, 2, 2)
    touching = match_field([GoldSpan("a", "xx", 0, 2)], [GoldSpan("a", "xx", 2, 4)])
    assert touching.overlap.tp == 0


@pytest.mark.parametrize("seed", range(30))
def test_overlap_is_never_below_exact_and_never_counts_twice(seed: int) -> None:
    draw = random.Random(seed)

    def some() -> list[GoldSpan]:
        starts = [draw.randrange(12) for _ in range(draw.randint(0, 5))]
        return [GoldSpan("a", "", start, start + draw.randint(1, 5)) for start in starts]

    gold, found = some(), some()
    match = match_field(gold, found)
    assert match.exact.tp <= match.overlap.tp <= min(len(set(gold)), len(set(found)))
    assert match.overlap.support == match.exact.support == len(set(gold))
    assert match.overlap.given == match.exact.given == len(set(found))


def test_gold_without_places_is_compared_by_distinct_texts() -> None:
    gold = (GoldSpan("地名", "北京"), GoldSpan("地名", "上海市"))
    found = (GoldSpan("地名", "北京", 0, 2), GoldSpan("地名", "北京", 8, 10), GoldSpan("地名", "上海", 4, 6))
    shown = evaluate_spans([SpanPair(0, gold, found)], ["地名"])
    assert (shown.exact.tp, shown.exact.fp, shown.exact.fn) == (1, 1, 1)
    assert (shown.overlap.tp, shown.overlap.fp, shown.overlap.fn) == (2, 0, 0)


def test_the_right_text_at_another_place_is_right_by_text_alone() -> None:
    gold, found = (GoldSpan("地名", "北京", 8, 10),), (GoldSpan("地名", "北京", 0, 2),)
    shown = evaluate_spans([SpanPair(0, gold, found)], ["地名"])
    assert (shown.exact.tp, shown.text.tp, shown.overlap.tp) == (0, 1, 0)


def test_values_that_are_not_in_the_text_are_wrong_and_not_grounded() -> None:
    found = (GoldSpan("地名", "北京", 0, 2), GoldSpan("地名", "东京"), GoldSpan("地名", "南京"))
    shown = evaluate_spans([SpanPair(0, (GoldSpan("地名", "北京", 0, 2),), found)], ["地名"])
    assert shown.grounded == pytest.approx(1 / 3)
    assert (shown.exact.tp, shown.exact.fp) == (1, 2)
    assert (shown.fields[0].values, shown.fields[0].grounded, shown.fields[0].wrong) == (3, 1, (0,))


def test_another_field_is_no_match() -> None:
    pair = SpanPair(0, (GoldSpan("人名", "北京", 0, 2),), (GoldSpan("地名", "北京", 0, 2),))
    shown = evaluate_spans([pair], FIELDS)
    assert (shown.exact.tp, shown.overlap.tp, shown.text.tp) == (0, 0, 0)
    assert [one.missed for one in shown.fields] == [(0,), (), ()]


def test_gold_of_fields_that_were_not_asked_is_told_apart() -> None:
    pair = SpanPair(0, (GoldSpan("人名", "甲", 0, 1), GoldSpan("职务", "乙", 1, 2)), (GoldSpan("人名", "甲", 0, 1),))
    shown = evaluate_spans([pair], ["人名"])
    assert (shown.exact.fn, shown.whole.value, shown.unasked) == (0, 1.0, {"职务": 1})


def test_probabilities_of_values_are_weighed_against_being_exact() -> None:
    draw = random.Random(5)
    rows, rights, shares = [], [], []
    for number in range(50):
        gold = (GoldSpan("b", "x", 5, 6), GoldSpan("a", "x", 0, 1))
        found = tuple(draw.choice([GoldSpan("a", "x", 0, 1), GoldSpan("a", "x", 2, 3)]) for _ in range(1))
        found += (GoldSpan("b", "x", 5, 6),)
        scores = (draw.random(), draw.random())
        rights += [found[0] in gold, True]
        shares += scores
        rows.append(SpanPair(number, gold, found, scores))
    rows.append(SpanPair(50, (), (GoldSpan("a", "x", 0, 1),), (None,)))
    shown = evaluate_spans(rows, ["a", "b"])
    assert shown.unscored == 1
    assert shown.calibration.count == 100
    assert shown.calibration.brier == pytest.approx(brier_score_loss(rights, shares))
    half = shown.curve[50]
    kept = [right for right, share in zip(rights, shares, strict=True) if share >= 0.5]
    assert half.precision == pytest.approx(sum(kept) / len(kept))
    assert half.recall == pytest.approx(sum(kept) / 100)
