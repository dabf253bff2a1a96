"""The trie of label tokens: every sequence is a path, every shared prefix one node."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.trie import ROOT, Trie

SEQUENCES = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=12)


def test_by_hand() -> None:
    trie = Trie.build([[5, 6, 9], [5, 7, 9], [5, 6, 9], [8]])
    assert trie.tokens == [5, 6, 9, 7, 9, 8]
    assert trie.parents == [ROOT, 0, 1, 0, 3, ROOT]
    assert trie.depths == [0, 1, 2, 1, 2, 0]
    assert trie.paths == [[0, 1, 2], [0, 3, 4], [0, 1, 2], [5]]
    assert trie.inner() == [0, 1, 3]
    assert trie.children() == {ROOT: [0, 5], 0: [1, 3], 1: [2], 3: [4]}
    assert trie.ancestors(4) == [0, 3, 4]
    assert trie.ancestors(5) == [5]


def test_a_sequence_that_begins_another_shares_its_nodes() -> None:
    trie = Trie.build([[1, 2], [1, 2, 3]])
    assert trie.paths == [[0, 1], [0, 1, 2]]
    assert trie.inner() == [0, 1]


@pytest.mark.parametrize("sequences", [[], [[7]], [[7], [8]]])
def test_nothing_to_read_where_every_label_is_one_token(sequences: list[list[int]]) -> None:
    assert Trie.build(sequences).inner() == []


@given(SEQUENCES)
def test_paths_give_the_sequences_back(sequences: list[list[int]]) -> None:
    trie = Trie.build(sequences)
    assert [[trie.tokens[node] for node in path] for path in trie.paths] == sequences
    for path in trie.paths:
        assert [trie.parents[node] for node in path] == [ROOT, *path[:-1]]
        assert [trie.depths[node] for node in path] == list(range(len(path)))
        assert trie.ancestors(path[-1]) == path


@given(SEQUENCES)
def test_there_is_one_node_a_distinct_prefix(sequences: list[list[int]]) -> None:
    trie = Trie.build(sequences)
    prefixes = {tuple(sequence[:end]) for sequence in sequences for end in range(1, len(sequence) + 1)}
    assert len(trie.tokens) == len(trie.parents) == len(trie.depths) == len(prefixes)
    assert all(parent < node for node, parent in enumerate(trie.parents))


@given(SEQUENCES)
def test_siblings_differ_and_inner_nodes_are_those_with_children(sequences: list[list[int]]) -> None:
    trie = Trie.build(sequences)
    groups = trie.children()
    assert sorted(node for nodes in groups.values() for node in nodes) == list(range(len(trie.tokens)))
    for nodes in groups.values():
        tokens = [trie.tokens[node] for node in nodes]
        assert len(set(tokens)) == len(tokens)
    assert trie.inner() == sorted(set(groups) - {ROOT})
