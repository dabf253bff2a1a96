"""Scores answers by a walk over the trie of their tokens: one forward pass, or two, at each place to go on from.

Parents are visited in the order in which the answers were given, each with its children, so that the server's cache of
what it has read leaves one token to be read at each.
"""

from collections.abc import Sequence
from threading import Event

from engine.model.backend import Scores
from engine.model.gguf.probabilities import Probabilities
from engine.model.trie import ROOT, Trie


def score(
    ask: Probabilities,
    prompt: Sequence[int],
    answers: Sequence[Sequence[int]],
    *,
    vocabulary: bool,
    stop: Event | None,
) -> Scores:
    """Scores of all answers. A token without siblings costs nothing, unless the whole vocabulary is asked for."""
    trie = Trie.build(answers)
    siblings: dict[int, float] = {}
    whole: dict[int, float] = {}
    for parent, nodes in _walk(trie):
        ids = [*prompt, *(trie.tokens[node] for node in (trie.ancestors(parent) if parent != ROOT else ()))]
        tokens = [trie.tokens[node] for node in nodes]
        if vocabulary:
            for node, (among, own) in zip(nodes, ask.levels(ids, tokens, stop).values(), strict=True):
                siblings[node], whole[node] = among, own
        else:
            told = dict(ask.all_of(ids, tokens, stop))
            siblings |= {node: told[trie.tokens[node]] for node in nodes}
    return Scores(
        tuple(tuple(siblings[node] for node in path) for path in trie.paths),
        tuple(tuple(whole[node] for node in path) for path in trie.paths) if vocabulary else None,
        len(trie.tokens),
    )


def _walk(trie: Trie) -> list[tuple[int, list[int]]]:
    """Parents with their children, those below a node right after it."""
    children = trie.children()
    found, ahead = [], [ROOT]
    while ahead:
        parent = ahead.pop()
        if nodes := children.get(parent):
            found.append((parent, nodes))
            ahead += reversed(nodes)
    return found
