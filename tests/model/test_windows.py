"""Windows over long texts, and windows of similar length together."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.encoder.windows import BATCH_PIECES, OVERLAP, WINDOW, batches, windows

sizes = st.lists(st.integers(0, 3000), max_size=12)


@pytest.mark.parametrize(("size", "count"), [(0, 1), (1, 1), (WINDOW, 1), (WINDOW + 1, 2), (832, 2), (833, 3)])
def test_a_text_has_as_many_windows_as_it_needs(size: int, count: int) -> None:
    assert len(list(windows([size]))) == count


@given(sizes)
def test_windows_hold_every_piece_and_overlap(given_: list[int]) -> None:
    cut = list(windows(given_))
    for text, size in enumerate(given_):
        own = [one for one in cut if one.text == text]
        assert (own[0].first, own[-1].last) == (0, size)
        assert all(one.size <= WINDOW for one in own)
        assert all(later.first == one.last - OVERLAP for one, later in pairwise(own))


@given(sizes)
def test_every_window_is_in_one_batch(given_: list[int]) -> None:
    cut = list(windows(given_))
    found = [one for batch in batches(cut) for one in batch]
    assert sorted(found, key=lambda one: (one.text, one.first)) == cut


@given(sizes)
def test_batches_are_no_larger_than_they_may_be(given_: list[int]) -> None:
    for batch in batches(list(windows(given_))):
        assert batch
        assert len(batch) * max(one.size for one in batch) <= BATCH_PIECES
