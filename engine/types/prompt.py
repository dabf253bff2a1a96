"""Free prompts: how an answer is written, and what it is."""

from dataclasses import dataclass
from typing import Literal

from engine.types.common import ModelInfo, Note, Usage

Finish = Literal["end", "stop", "limit"]


@dataclass(frozen=True)
class Writing:
    """How a model writes an answer.

    max_new_tokens: of the answer at most, from 1 to half the model's context.
    beams: 1, or a beam search, which does not sample and shows nothing before its end.
    temperature: what logits are divided by before a token is drawn; 0 takes the most probable one.
    top_p: tokens are drawn from the smallest set that holds this much probability (Holtzman et al. 2020,
        arXiv:1904.09751).
    repetition_penalty: what the logits of tokens that the answer holds already are divided by, or multiplied where
        they are below 0 (Keskar et al. 2019, arXiv:1909.05858); tokens of the prompt do not count. 1 is none.
    seed: of what is drawn; None draws anew each time.
    stop: strings before which the answer ends; they are not part of it.
    """

    max_new_tokens: int = 256
    beams: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    stop: tuple[str, ...] = ()

    @property
    def varies(self) -> bool:
        """Whether the same request may be answered otherwise the next time."""
        return self.beams == 1 and self.temperature > 0 and self.seed is None


@dataclass(frozen=True)
class Structure:
    """What a written answer must be, of which exactly one is given.

    schema: JSON that this JSON schema, as text, takes. regex: what this expression matches whole. choices: one of
        these.
    grounded: with a schema, strings of the answer that the schema leaves free are parts of the request's `source`.
    """

    schema: str = ""
    regex: str = ""
    choices: tuple[str, ...] = ()
    grounded: bool = False


@dataclass(frozen=True)
class PromptRequest:
    """A free prompt.

    role: said to the model before the text: its system turn where it has those.
    source: the text that grounded strings are parts of.
    alternatives: how many other tokens the answer tells of each place.
    """

    text: str
    writing: Writing = Writing()
    role: str = ""
    structure: Structure | None = None
    source: str = ""
    alternatives: int = 0


@dataclass(frozen=True)
class WrittenToken:
    """A token of an answer.

    id: -1 where a server does not tell it.
    text: its characters; bytes of an unfinished one as \\x... probability: that the model gave it, over the tokens
        that were legal, before any sampling setting; None where there was no choice, or where the server does not say.
    alternatives: (text, probability) of the most probable others, best first.
    """

    id: int
    text: str
    probability: float | None
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class PromptResult:
    """What a model wrote after a free prompt. `model`: the one that wrote, which may not be the one that is loaded.

    finish: end: by the model's own end token, or the structure's; stop: at a stop string; limit: cut off.
    prompt: as the model read it. tokens: empty where the backend does not tell them (beam search).
    """

    text: str
    usage: Usage
    model: ModelInfo
    notes: tuple[Note, ...] = ()
    finish: Finish = "end"
    prompt: str = ""
    tokens: tuple[WrittenToken, ...] = ()
