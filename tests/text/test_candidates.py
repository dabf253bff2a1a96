"""How candidates compete for a place in the text."""

from hypothesis import given
from hypothesis import strategies as st

from engine.text.candidates import Candidate, compete

candidates = st.lists(
    st.builds(
        lambda start, length, query, probability, bonus: Candidate(start, start + length, query, probability, bonus),
        st.integers(0, 30),
        st.integers(1, 8),
        st.integers(0, 3),
        st.floats(0, 1),
        st.sampled_from([0.0, 0.0, 0.2]),
    ),
    max_size=20,
)


def kept(*given_: Candidate, nested: bool = False) -> list[tuple[int, int, int]]:
    return [(one.start, one.end, one.query) for one in compete(given_, 0.5, nested=nested)]


def overlap(one: Candidate, other: Candidate) -> bool:
    return one.start < other.end and other.start < one.end


def test_nothing_of_nothing() -> None:
    assert kept() == []


def test_the_threshold_is_inclusive() -> None:
    assert kept(Candidate(0, 1, 0, 0.5), Candidate(2, 3, 0, 0.49)) == [(0, 1, 0)]


def test_a_bonus_does_not_lift_over_the_threshold() -> None:
    assert kept(Candidate(0, 1, 0, 0.4, 0.3)) == []


def test_the_more_probable_of_two_that_overlap_stays() -> None:
    assert kept(Candidate(0, 3, 0, 0.6), Candidate(2, 5, 1, 0.7)) == [(2, 5, 1)]


def test_candidates_side_by_side_both_stay_best_first() -> None:
    assert kept(Candidate(0, 2, 0, 0.6), Candidate(2, 4, 0, 0.7)) == [(2, 4, 0), (0, 2, 0)]


def test_a_bonus_decides_between_two_of_a_place() -> None:
    assert kept(Candidate(0, 2, 0, 0.7), Candidate(0, 2, 1, 0.6, 0.3)) == [(0, 2, 1)]


def test_of_two_alike_the_longer_stays() -> None:
    assert kept(Candidate(0, 2, 0, 0.7), Candidate(0, 4, 1, 0.7)) == [(0, 4, 1)]


def test_of_two_of_one_place_alike_the_earlier_wording_stays() -> None:
    assert kept(Candidate(0, 2, 1, 0.7), Candidate(0, 2, 0, 0.7)) == [(0, 2, 0)]


def test_nested_values_of_two_wordings_both_stay() -> None:
    assert kept(Candidate(0, 4, 0, 0.8), Candidate(0, 2, 1, 0.6), nested=True) == [(0, 4, 0), (0, 2, 1)]


def test_nested_values_of_one_wording_compete() -> None:
    assert kept(Candidate(0, 4, 0, 0.8), Candidate(0, 2, 0, 0.6), nested=True) == [(0, 4, 0)]


@given(candidates, st.booleans())
def test_no_two_that_are_kept_overlap(given_: list[Candidate], nested: bool) -> None:
    won = compete(given_, 0.5, nested=nested)
    for at, one in enumerate(won):
        assert one.probability >= 0.5
        assert not any(overlap(one, other) for other in won[:at] if not nested or one.query == other.query)


@given(candidates, st.booleans())
def test_what_is_not_kept_lost_to_a_better_one(given_: list[Candidate], nested: bool) -> None:
    won = compete(given_, 0.5, nested=nested)
    for one in given_:
        if one.probability >= 0.5 and one not in won:
            rivals = [other for other in won if overlap(one, other) and (not nested or one.query == other.query)]
            assert max(other.probability + other.bonus for other in rivals) >= one.probability + one.bonus


@given(candidates, st.randoms())
def test_the_order_that_they_come_in_changes_nothing(given_: list[Candidate], draw: st.DataObject) -> None:
    mixed = list(given_)
    draw.shuffle(mixed)
    places = {(one.place, one.query) for one in compete(given_, 0.5, nested=False)}
    assert places == {(one.place, one.query) for one in compete(mixed, 0.5, nested=False)}
