"""A trie of label token sequences, flattened for one forward pass. Pure Python; it knows no tensors.

Every node stands for a prefix shared by some labels. Its own token is fed once, at the position right after its
parent's, so a label set costs as many positions as it has distinct prefixes, whatever the number of labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

ROOT = -1
"""The parent of first tokens: the prompt's last position."""


@dataclass
class Trie:
    """Parallel lists, a parent always before its children: `tokens`, `parents` (ROOT for first tokens), `depths`."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    paths: list[list[int]] = field(default_factory=list)
    """For each sequence, the nodes of its tokens from first to last."""

    @classmethod
    def build(cls, sequences: Sequence[Sequence[int]]) -> "Trie":
        """The trie of non-empty token sequences.

        >>> trie = Trie.build([[5, 6], [5, 7]])
        >>> trie.tokens, trie.parents, trie.paths
        ([5, 6, 7], [-1, 0, 0], [[0, 1], [0, 2]])
        """
        trie = cls()
        index: dict[tuple[int, int], int] = {}
        for sequence in sequences:
            node, path = ROOT, []
            for depth, token in enumerate(sequence):
                key = (node, token)
                if key not in index:
                    index[key] = len(trie.tokens)
                    trie.tokens.append(token)
                    trie.parents.append(node)
                    trie.depths.append(depth)
                node = index[key]
                path.append(node)
            trie.paths.append(path)
        return trie

    def inner(self) -> list[int]:
        """The nodes that have children: the only ones a model must read."""
        return sorted(set(self.parents) - {ROOT})

    def children(self) -> dict[int, list[int]]:
        """Nodes grouped by parent; the key ROOT holds the first tokens."""
        groups: dict[int, list[int]] = {}
        for node, parent in enumerate(self.parents):
            groups.setdefault(parent, []).append(node)
        return groups

    def ancestors(self, node: int) -> list[int]:
        """The node's path from the root down, itself included."""
        path = [node]
        while self.parents[path[-1]] != ROOT:
            path.append(self.parents[path[-1]])
        return path[::-1]
