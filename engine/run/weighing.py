"""How labels are weighed for texts: by scoring them after a prompt, or by a model that understands at once.

One prefill of the prompt, then every label scored as a continuation of it; nothing is generated. Both ways give a
logit a label. A model that understands reads many texts together; prompts are scored one after the other, which is as
fast on a CPU. It chooses nothing.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from engine.errors import Cancelled, WorkbenchError
from engine.model.backend import Backend, Encoded, LanguageModel, Understanding, understands, writes
from engine.run.scoring import SCORING, Scoring, correct_prior, label_logits
from engine.run.together import CHARACTERS, attempt, packed, stopped
from engine.types import ModelInfo, Note

_LABEL_SHARE = 4
"""A single label may take up to one part in this many of the context."""

_PRIORS_KEPT = 64


@dataclass(frozen=True)
class Weighed:
    """Labels weighed for a text.

    logits: one a label; their softmax is the labels' probabilities.
    prompt: what the model read. tokens: of it. scored: label tokens scored after it.
    kept: code points of the text that were read.
    neutralised: control tokens typed in the input, read as plain characters.
    fits: the probability that any of the labels fits at all; None where the model cannot tell.
    notes: what could not be known.
    """

    logits: list[float]
    prompt: str
    tokens: int
    scored: int
    kept: int
    neutralised: tuple[str, ...] = ()
    fits: float | None = None
    notes: tuple[Note, ...] = ()


class Weigh(Protocol):
    """Weighs labels for texts."""

    def __call__(
        self, texts: Sequence[str], labels: tuple[str, ...], stop: Event | None
    ) -> list[Weighed | WorkbenchError]:
        """Weigh them for each text; where that fails, `label_too_long`, `labels_too_long` or `cancelled`."""


def weighs_together(model: ModelInfo) -> bool:
    """Whether a model takes several texts at once, so that weighing them together pays."""
    return "understand" in model.capabilities


def weigher(backend: Backend, scoring: Scoring | None = None) -> Weigh:
    """The way that a model has. `scoring`: in place of the one its prompt protocol is known to do well with."""
    if understands(backend):
        return Understood(backend)
    if writes(backend):
        return Prompted(backend, scoring)
    raise TypeError(f"{backend.info.name} neither understands nor writes")


class Understood:
    """Weighs by a model that understands."""

    def __init__(self, backend: Understanding) -> None:
        self._backend = backend

    def __call__(
        self, texts: Sequence[str], labels: tuple[str, ...], stop: Event | None
    ) -> list[Weighed | WorkbenchError]:
        """See `Weigh`."""
        made: dict[int, Weighed | WorkbenchError] = {}
        for places in packed(list(map(len, texts)), CHARACTERS):
            own = [texts[place] for place in places]
            answer = attempt(self._backend.weigh_labels, own, labels, stop)
            if isinstance(answer, WorkbenchError):
                made |= dict.fromkeys(places, answer)
                continue
            for place, text, one in zip(places, own, answer, strict=True):
                made[place] = Weighed(list(one.logits), "", one.tokens, 0, len(text), fits=one.fits)
        return [made[place] for place in range(len(texts))]


class Prompted:
    """Weighs by scores after a prompt; keeps the label sets' priors, which cost a prefill each."""

    def __init__(self, backend: LanguageModel, scoring: Scoring | None = None) -> None:
        self._backend = backend
        self._scoring = scoring or SCORING[backend.protocol.name]
        self._priors: OrderedDict[tuple[str, ...], list[float]] = OrderedDict()

    def __call__(
        self, texts: Sequence[str], labels: tuple[str, ...], stop: Event | None
    ) -> list[Weighed | WorkbenchError]:
        """See `Weigh`."""
        answers = attempt(self._encode_labels, labels)
        if isinstance(answers, WorkbenchError):
            return [answers for _ in texts]
        return [Cancelled() if stopped(stop) else attempt(self._weigh, text, labels, answers, stop) for text in texts]

    def _weigh(self, text: str, labels: tuple[str, ...], answers: list[tuple[int, ...]], stop: Event | None) -> Weighed:
        encoded = self._encode(text, labels, answers)
        logits, scored, notes = self._score(encoded, labels, answers, stop)
        prompt = encoded.prompt.string
        return Weighed(logits, prompt, len(encoded.ids), scored, encoded.kept, encoded.neutralised, notes=notes)

    def _encode_labels(self, labels: Sequence[str]) -> list[tuple[int, ...]]:
        answers = [self._backend.encode_answer(label) for label in labels]
        limit = self._backend.info.context // _LABEL_SHARE
        for label, answer in zip(labels, answers, strict=True):
            if len(answer) > limit:
                shown = label if len(label) <= 40 else label[:40] + "…"
                raise WorkbenchError("label_too_long", label=shown, tokens=len(answer), limit=limit)
        return answers

    def _encode(self, text: str, labels: Sequence[str], answers: list[tuple[int, ...]]) -> Encoded:
        prompt = self._backend.protocol.score(text, labels)
        return self._backend.encode_prompt(prompt, reserve=max(map(len, answers)), labels=len(labels))

    def _score(
        self, encoded: Encoded, labels: tuple[str, ...], answers: list[tuple[int, ...]], stop: Event | None
    ) -> tuple[list[float], int, tuple[Note, ...]]:
        """Logits in the labels' order, the number of label tokens scored, and what could not be known."""
        logits, scored, notes = self._raw_logits(encoded, answers, stop)
        if self._scoring.prior is None:
            return logits, scored, notes
        if labels not in self._priors:
            empty = self._encode(self._scoring.prior, labels, answers)
            self._priors[labels] = self._raw_logits(empty, answers, stop)[0]
            if len(self._priors) > _PRIORS_KEPT:
                self._priors.popitem(last=False)
        self._priors.move_to_end(labels)
        return correct_prior(logits, self._priors[labels], self._scoring.weight), scored, notes

    def _raw_logits(
        self, encoded: Encoded, answers: list[tuple[int, ...]], stop: Event | None
    ) -> tuple[list[float], int, tuple[Note, ...]]:
        vocabulary = self._scoring.variant != "siblings"
        scores = self._backend.score(encoded.ids, answers, vocabulary=vocabulary, stop=stop)
        return label_logits(scores, self._scoring.variant), scores.scored_tokens, scores.notes
