"""An answer's characters as its tokens come: whole ones, up to the first stop string."""

import codecs
from collections.abc import Sequence

from engine.model.backend import Show


class AnswerText:
    """Takes an answer's bytes, and shows as much as will stay."""

    def __init__(self, stops: Sequence[str] = (), show: Show | None = None, *, drops_first_blank: bool = False) -> None:
        self._drops_blank = drops_first_blank
        self._stops = [stop for stop in stops if stop]
        self._longest = max(map(len, self._stops), default=0)
        self._show = show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._shown = 0
        self.text = ""
        """All whole characters, which may end in a part of a stop string."""
        self.stopped = False

    def add(self, piece: bytes) -> None:
        """Take a token's bytes; `stopped` from the first stop string on, which the text then ends before."""
        if self._drops_blank and piece:
            piece, self._drops_blank = piece.removeprefix(b" "), False
        self.add_text(self._decoder.decode(piece))

    def add_text(self, more: str) -> None:
        """The same with whole characters."""
        before = len(self.text)
        self.text += more
        places = [self.text.find(stop, max(0, before - self._longest + 1)) for stop in self._stops]
        if found := [place for place in places if place >= 0]:
            self.text, self.stopped = self.text[: min(found)], True
        self.tell(len(self.text) - (0 if self.stopped else self._held()))

    def end(self) -> str:
        """All of it: what could have begun a stop string did not; half of a character is left out."""
        self.tell(len(self.text))
        return self.text

    def tell(self, length: int) -> None:
        """Show the first characters, if that is more than was shown."""
        if length > self._shown:
            self._shown = length
            if self._show is not None:
                self._show(self.text[:length])

    def _held(self) -> int:
        """Characters at the end that a stop string may begin with."""
        most = min(self._longest - 1, len(self.text))
        return next(
            (
                length
                for length in range(most, 0, -1)
                if any(len(stop) > length and self.text.endswith(stop[:length]) for stop in self._stops)
            ),
            0,
        )
