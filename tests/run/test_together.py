"""What goes together, and what each bears of the cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled, WorkbenchError
from engine.run.together import attempt, grouped, packed, shares, whole_shares

SIZES = st.lists(st.integers(0, 60))


@given(SIZES, st.integers(1, 200), st.none() | st.integers(1, 5))
def test_everything_goes_once_by_size_and_within_the_budget(sizes: list[int], budget: int, most: int | None) -> None:
    batches = list(packed(sizes, budget, most))
    places = [place for batch in batches for place in batch]
    assert sorted(places) == list(range(len(sizes)))
    assert [sizes[place] for place in places] == sorted(sizes)
    for batch in batches:
        assert len(batch) <= (most or len(sizes))
        assert len(batch) == 1 or max(sizes[place] for place in batch) * len(batch) <= budget


def test_as_many_as_possible_go_together() -> None:
    assert list(packed([3, 1, 1, 1, 9], 6)) == [[1, 2, 3], [0], [4]]
    assert list(packed([1] * 5, 100, 2)) == [[0, 1], [2, 3], [4]]


@given(st.integers(0, 1000), st.lists(st.integers(0, 1000), min_size=1))
def test_shares_add_up(total: int, weights: list[int]) -> None:
    assert sum(shares(total, weights)) == pytest.approx(total)
    whole = whole_shares(total, weights)
    assert sum(whole) == total
    assert all(abs(one - exact) < 1 + 1e-6 for one, exact in zip(whole, shares(total, weights), strict=True))
    assert min(whole) >= 0


def test_shares_follow_weights() -> None:
    assert shares(12, [1, 2, 3]) == [2, 4, 6]
    assert shares(6, [0, 0, 0]) == [2, 2, 2]
    assert shares(6, []) == []
    assert whole_shares(10, [1, 1, 1]) == [3, 4, 3]


def test_groups_keep_the_order() -> None:
    assert list(grouped("abcab").items()) == [("a", [0, 3]), ("b", [1, 4]), ("c", [2])]


@pytest.mark.parametrize("error", [WorkbenchError("text_empty"), Cancelled()])
def test_a_refusal_is_kept_without_its_frames(error: WorkbenchError) -> None:
    def refuse() -> None:
        raise error

    assert attempt(refuse) is error
    assert error.__traceback__ is None


def test_a_fault_goes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        attempt(lambda: 1 / 0)
