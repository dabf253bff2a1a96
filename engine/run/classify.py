"""The task classify: a text and a label set in, probabilities over the set out. Written against any backend.

One prefill of the prompt, then every label scored as a continuation of it; nothing is generated unless the official
free decoding is asked for beside it. It does not queue, load or show.
"""

import time
from collections import OrderedDict
from collections.abc import Sequence
from threading import Event

from engine.errors import WorkbenchError
from engine.model.backend import Backend, Encoded
from engine.run.free import generate_officially, official_limit
from engine.run.notes import check_text, input_notes
from engine.run.scoring import SCORING, Scoring, correct_prior, label_logits, softmax
from engine.text.answers import parse_classify
from engine.text.labels import NormalisedLabels, normalise_labels
from engine.types import ClassifyRequest, ClassifyResult, FreeAnswer, LabelScore, ModelInfo, Note, Usage

_LABEL_SHARE = 4
"""A single label may take up to one part in this many of the context."""

_PRIORS_KEPT = 64


class Classifier:
    """Classifies with one backend; keeps the label sets' priors, which cost a prefill each."""

    def __init__(self, backend: Backend, scoring: Scoring | None = None) -> None:
        self._backend = backend
        self._scoring = scoring or SCORING[backend.protocol.name]
        self._priors: OrderedDict[tuple[str, ...], list[float]] = OrderedDict()

    def __call__(self, request: ClassifyRequest, stop: Event | None = None, queue_ms: float = 0.0) -> ClassifyResult:
        """Answer one request.

        Raises:
            WorkbenchError: `text_empty`, `labels_empty`, `label_too_long`, `labels_too_long`, `cancelled`.
        """
        started = time.perf_counter()
        labels = check_request(request)
        answers = self._encode_labels(labels.labels)
        encoded = self._encode(request.text, labels.labels, answers)
        logits, scored = self._score(encoded, labels.labels, answers, stop)
        ranked = sorted(map(LabelScore, labels.labels, softmax(logits)), key=lambda one: one.score, reverse=True)
        scored_at = time.perf_counter()
        notes = _notes(request, labels, encoded, self._backend.info)
        free = None
        if request.free:
            if "generate" in self._backend.info.capabilities:
                free = self._decode_freely(request.text, labels.labels, stop)
            else:
                notes = (*notes, Note("free_unsupported", {"name": self._backend.info.name}))
        threshold = _threshold(request, len(ranked))
        return ClassifyResult(
            labels=tuple(ranked),
            chosen=_choose(ranked, multi=request.multi, threshold=threshold),
            threshold=threshold,
            prompt=encoded.prompt.string,
            usage=Usage(
                prompt_tokens=len(encoded.ids),
                scored_tokens=scored,
                output_tokens=free.output_tokens if free else 0,
                latency_ms=(scored_at - started) * 1e3,
                queue_ms=queue_ms,
            ),
            model=self._backend.info,
            notes=notes,
            free=free,
        )

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
    ) -> tuple[list[float], int]:
        """Logits in the labels' order, and the number of label tokens scored."""
        logits, scored = self._raw_logits(encoded, answers, stop)
        if self._scoring.prior is None:
            return logits, scored
        if labels not in self._priors:
            empty = self._encode(self._scoring.prior, labels, answers)
            self._priors[labels] = self._raw_logits(empty, answers, stop)[0]
            if len(self._priors) > _PRIORS_KEPT:
                self._priors.popitem(last=False)
        self._priors.move_to_end(labels)
        return correct_prior(logits, self._priors[labels], self._scoring.weight), scored

    def _raw_logits(
        self, encoded: Encoded, answers: list[tuple[int, ...]], stop: Event | None
    ) -> tuple[list[float], int]:
        vocabulary = self._scoring.variant != "siblings"
        scores = self._backend.score(encoded.ids, answers, vocabulary=vocabulary, stop=stop)
        return label_logits(scores, self._scoring.variant), scores.scored_tokens

    def _decode_freely(self, text: str, labels: Sequence[str], stop: Event | None) -> FreeAnswer:
        started = time.perf_counter()
        limit = official_limit(self._backend.info.context)
        prompt = self._backend.protocol.ask(text, labels)
        encoded = self._backend.encode_prompt(prompt, reserve=limit, labels=len(labels))
        answer = generate_officially(self._backend, encoded.ids, stop)
        chosen, notes = parse_classify(answer.text, labels)
        if not answer.finished:
            notes = (*notes, Note("free_limit", {"limit": limit}))
        if encoded.kept < len(text):
            notes = (*notes, Note("text_cut", {"kept": encoded.kept, "total": len(text)}))
        elapsed = (time.perf_counter() - started) * 1e3
        return FreeAnswer(answer.text, chosen, notes, encoded.prompt.string, answer.output_tokens, elapsed)


def check_request(request: ClassifyRequest) -> NormalisedLabels:
    """The label set as it will be asked, or an error that names what is missing; needs no model.

    Raises:
        WorkbenchError: `text_empty` for a blank text, `labels_empty`, `bad_setting`.
    """
    labels = normalise_labels(request.labels)
    if not labels.labels:
        raise WorkbenchError("labels_empty")
    check_text(request.text)
    if request.threshold is not None and not 0 <= request.threshold <= 1:
        raise WorkbenchError(
            "bad_setting",
            name="threshold",
            value=request.threshold,
            hint="Use a probability between 0 and 1.",
        )
    return labels


def _threshold(request: ClassifyRequest, labels: int) -> float:
    if request.threshold is not None:
        return request.threshold
    return 1 / labels if request.multi else 0.0


def _choose(ranked: Sequence[LabelScore], *, multi: bool, threshold: float) -> tuple[str, ...]:
    """The labels that reach the threshold, only the best of them for a single choice; none is an answer too."""
    reached = tuple(one.label for one in ranked if one.score >= threshold)
    return reached if multi else reached[:1]


def _notes(request: ClassifyRequest, labels: NormalisedLabels, encoded: Encoded, model: ModelInfo) -> tuple[Note, ...]:
    notes = input_notes(request.text, labels.labels, model)
    if encoded.kept < len(request.text):
        notes.append(Note("text_cut", {"kept": encoded.kept, "total": len(request.text)}))
    if len(labels.labels) == 1:
        notes.append(Note("one_label"))
    if labels.merged:
        notes.append(Note("labels_merged", {"labels": ", ".join(labels.merged)}))
    if labels.twins:
        notes.append(Note("labels_twins", {"labels": "; ".join(" = ".join(group) for group in labels.twins)}))
    if encoded.neutralised:
        notes.append(Note("specials_neutralised", {"tokens": ", ".join(encoded.neutralised)}))
    return tuple(notes)
