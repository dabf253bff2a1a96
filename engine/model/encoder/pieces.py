"""Text as the encoder's pieces, each with its place in the text as given.

The encoder normalises every character by itself, so each piece knows its code points, whatever vanishes or becomes
several characters. The search for the best pieces is our own: the `tokenizers` package gives the same ones (a test
compares them) but holds this vocabulary in 300 MB, a dict in 50.
"""

from dataclasses import dataclass
from itertools import pairwise

from engine.model.encoder.e5_file import Vocabulary

_BLANK = "▁"
_UNKNOWN_COST = 10.0
"""How much worse than the worst piece an unknown character is, as in SentencePiece."""


@dataclass(frozen=True)
class Pieces:
    """Ids of a text's pieces, and for each the code points [start, end) that it stands for.

    The blank before a text has an empty place.
    """

    ids: tuple[int, ...]
    places: tuple[tuple[int, int], ...]


class PieceTokenizer:
    """Cuts texts into pieces by the Unigram model (Kudo 2018, arXiv:1804.10959), by Viterbi's search."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        special = {vocabulary.begin, vocabulary.end, vocabulary.pad, vocabulary.unknown}
        # what is typed is never a control piece; <mask>, the last of them, shows by its score of 0
        special |= {at for at, score in enumerate(vocabulary.scores) if score == 0}
        self._ids = {piece: at for at, piece in enumerate(vocabulary.pieces) if at not in special and piece}
        self._scores = vocabulary.scores
        self._longest: dict[str, int] = {}
        for piece in self._ids:
            self._longest[piece[0]] = max(self._longest.get(piece[0], 1), len(piece))
        self._normalised = vocabulary.normalised
        self.borders = (vocabulary.begin, vocabulary.end)
        self._unknown = vocabulary.unknown
        self._unknown_score = min(vocabulary.scores) - _UNKNOWN_COST

    def __call__(self, text: str) -> Pieces:
        """The pieces of a text, without the ones that begin and end it."""
        written, sources = self._normalise(text)
        borders = self._borders(written)
        ids: list[int] = []
        places: list[tuple[int, int]] = []
        for start, end in pairwise(borders):
            one = self._ids.get(written[start:end], self._unknown)
            place = (max(sources[start], 0), sources[end - 1] + 1)
            if one == self._unknown and ids and ids[-1] == one:  # a run of unknown characters is one piece
                places[-1] = (places[-1][0], place[1])
                continue
            ids.append(one)
            places.append(place)
        return Pieces(tuple(ids), tuple(places))

    def _normalise(self, text: str) -> tuple[str, list[int]]:
        """The text as the pieces spell it, and the code point that each of its characters comes from.

        Runs of blanks become one; the blank that is put before a text comes from nowhere, -1.
        """
        written: list[str] = []
        sources: list[int] = []
        for at, char in enumerate(text):
            for one in self._normalised.get(char, char):
                if one == " " and written and written[-1] == _BLANK:
                    continue
                written.append(_BLANK if one == " " else one)
                sources.append(at)
        if not written or written[0] != _BLANK:
            written.insert(0, _BLANK)
            sources.insert(0, -1)
        return "".join(written), sources

    def _borders(self, written: str) -> list[int]:
        """Where the best sequence of pieces begins, cuts and ends."""
        ids, scores, longest = self._ids, self._scores, self._longest
        size = len(written)
        best = [float("-inf")] * (size + 1)
        came = [0] * (size + 1)
        best[0] = 0.0
        for start in range(size):
            base = best[start]
            for end in range(start + 1, min(size, start + longest.get(written[start], 1)) + 1):
                found = ids.get(written[start:end])
                if found is not None and base + scores[found] > best[end]:
                    best[end], came[end] = base + scores[found], start
            if base + self._unknown_score > best[start + 1]:
                best[start + 1], came[start + 1] = base + self._unknown_score, start
        borders = [size]
        while borders[-1] > 0:
            borders.append(came[borders[-1]])
        return borders[::-1]
