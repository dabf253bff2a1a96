"""The authors' own decoding, which both tasks can show beside ours: 4 beams, 256 new tokens, no sampling."""

from collections.abc import Sequence
from threading import Event

from engine.model.backend import Generation, LanguageModel

OFFICIAL_BEAMS = 4
OFFICIAL_NEW_TOKENS = 256
"""README, inference.py and the ModelScope pipeline of SeqGPT agree on both."""


def official_limit(context: int) -> int:
    """New tokens of a free answer: the official number, or what a short context leaves."""
    return min(OFFICIAL_NEW_TOKENS, context // 4)


def generate_officially(backend: LanguageModel, prompt: Sequence[int], stop: Event | None) -> Generation:
    """A free answer to a prompt."""
    limit = official_limit(backend.info.context)
    return backend.generate(prompt, beams=OFFICIAL_BEAMS, max_new_tokens=limit, stop=stop)
