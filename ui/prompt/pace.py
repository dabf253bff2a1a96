"""How fast this process has answered so far: an estimate of a prompt's tokens and of an answer's time.

Measured from the answers themselves, a model and a number of beams at a time. Until there was one, tokens are guessed
from characters and times are not known.
"""

import re
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field

import streamlit as st

from engine.types import PromptResult, Writing

_EAST_ASIAN = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_PER_TOKEN = 4
"""Characters of a token, about, where words have blanks between them; elsewhere a character is about one."""
_KEPT = 20
"""Answers that count."""


@dataclass(frozen=True)
class Sample:
    """One answer: what was guessed of its prompt, what it was, and how long the answer took.

    unspaced: the prompt is mostly in a script without blanks, whose characters take other numbers of tokens.
    """

    guessed: int
    unspaced: bool
    prompt_tokens: int
    output_tokens: int
    milliseconds: float


@dataclass
class Pace:
    """The latest answers by model and beams; safe from any thread."""

    _samples: dict[tuple[str, int], deque[Sample]] = field(default_factory=dict)
    _noted: "OrderedDict[str, None]" = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def note(self, run: str, prompt: str, writing: Writing, result: PromptResult) -> None:
        """Count an answer, once a run; a kept one was not written now."""
        usage = result.usage
        with self._lock:
            if run in self._noted or usage.cached:
                return
            self._noted[run] = None
            while len(self._noted) > 200:
                self._noted.popitem(last=False)
            samples = self._samples.setdefault((result.model.name, writing.beams), deque(maxlen=_KEPT))
            samples.append(
                Sample(guess(prompt), _unspaced(prompt), usage.prompt_tokens, usage.output_tokens, usage.latency_ms)
            )

    def tokens(self, model: str | None, prompt: str) -> int:
        """About how many tokens a prompt has for a model."""
        known = [one for one in self._of(model) if one.unspaced == _unspaced(prompt)]
        guessed = sum(one.guessed for one in known)
        ratio = sum(one.prompt_tokens for one in known) / guessed if guessed else 1.0
        return round(guess(prompt) * ratio)

    def rate(self, model: str | None, beams: int) -> float | None:
        """Tokens a second, the reading of the prompt counted in; None where nothing was measured."""
        known = self._of(model, beams)
        took = sum(one.milliseconds for one in known)
        written = sum(one.output_tokens for one in known)
        return written / took * 1e3 if took and written else None

    def _of(self, model: str | None, beams: int | None = None) -> list[Sample]:
        with self._lock:
            return [
                sample
                for (name, of_beams), samples in self._samples.items()
                if name == model and beams in {None, of_beams}
                for sample in samples
            ]


def guess(text: str) -> int:
    """Tokens of a text, guessed from its characters."""
    east_asian = len(_EAST_ASIAN.findall(text))
    return east_asian + -(-(len(text) - east_asian) // _PER_TOKEN)


def _unspaced(text: str) -> bool:
    return 2 * len(_EAST_ASIAN.findall(text)) > len(text)


@st.cache_resource(show_spinner=False)
def pace() -> Pace:
    """The pace of this process."""
    return Pace()
