"""The task classify: a text and a label set in, probabilities over the set out. Written against any backend.

Nothing is generated unless the official free decoding is asked for beside it. It does not queue, load or show.
"""

import time
from collections.abc import Sequence
from threading import Event

from engine.errors import WorkbenchError
from engine.model.backend import Backend, LanguageModel, generates
from engine.run.free import generate_officially, official_limit
from engine.run.notes import check_text, input_notes
from engine.run.scoring import Scoring, softmax
from engine.run.weighing import Weighed, weigher
from engine.text.answers import parse_classify
from engine.text.labels import NormalisedLabels, normalise_labels
from engine.types import ClassifyRequest, ClassifyResult, FreeAnswer, LabelScore, ModelInfo, Note, Usage

_FITS = 0.5
"""A probability that any label fits, below which none may."""


class Classifier:
    """Classifies with one backend."""

    def __init__(self, backend: Backend, scoring: Scoring | None = None) -> None:
        self._backend = backend
        self._weigh = weigher(backend, scoring)

    def __call__(self, request: ClassifyRequest, stop: Event | None = None, queue_ms: float = 0.0) -> ClassifyResult:
        """Answer one request.

        Raises:
            WorkbenchError: `text_empty`, `labels_empty`, `label_too_long`, `labels_too_long`, `cancelled`.
        """
        started = time.perf_counter()
        labels = check_request(request)
        weighed = self._weigh(request.text, labels.labels, stop)
        probabilities = softmax(weighed.logits)
        ranked = sorted(map(LabelScore, labels.labels, probabilities), key=lambda one: one.score, reverse=True)
        scored_at = time.perf_counter()
        notes = _notes(request, labels, weighed, self._backend.info)
        free = None
        if request.free:
            if generates(self._backend):
                free = self._decode_freely(self._backend, request.text, labels.labels, stop)
            else:
                notes = (*notes, Note("free_unsupported", {"name": self._backend.info.name}))
        threshold = _threshold(request, len(ranked))
        return ClassifyResult(
            labels=tuple(ranked),
            chosen=_choose(ranked, request, threshold, weighed.fits),
            threshold=threshold,
            prompt=weighed.prompt,
            usage=Usage(
                prompt_tokens=weighed.tokens,
                scored_tokens=weighed.scored,
                output_tokens=free.output_tokens if free else 0,
                latency_ms=(scored_at - started) * 1e3,
                queue_ms=queue_ms,
            ),
            model=self._backend.info,
            notes=notes,
            free=free,
        )

    @staticmethod
    def _decode_freely(model: LanguageModel, text: str, labels: Sequence[str], stop: Event | None) -> FreeAnswer:
        started = time.perf_counter()
        limit = official_limit(model.info.context)
        prompt = model.protocol.ask(text, labels)
        encoded = model.encode_prompt(prompt, reserve=limit, labels=len(labels))
        answer = generate_officially(model, encoded.ids, stop)
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


def _choose(
    ranked: Sequence[LabelScore], request: ClassifyRequest, threshold: float, fits: float | None
) -> tuple[str, ...]:
    """The labels that reach the threshold, only the best of them for a single choice; none is an answer too.

    Where a model can tell that no label fits, asking for a threshold or for several labels asks for that as well.
    """
    if (request.multi or request.threshold) and fits is not None and fits < _FITS:
        return ()
    reached = tuple(one.label for one in ranked if one.score >= threshold)
    return reached if request.multi else reached[:1]


def _notes(request: ClassifyRequest, labels: NormalisedLabels, weighed: Weighed, model: ModelInfo) -> tuple[Note, ...]:
    notes = input_notes(request.text, labels.labels, model)
    if weighed.kept < len(request.text):
        notes.append(Note("text_cut", {"kept": weighed.kept, "total": len(request.text)}))
    if len(labels.labels) == 1:
        notes.append(Note("one_label"))
    if labels.merged:
        notes.append(Note("labels_merged", {"labels": ", ".join(labels.merged)}))
    if labels.twins:
        notes.append(Note("labels_twins", {"labels": "; ".join(" = ".join(group) for group in labels.twins)}))
    if weighed.neutralised:
        notes.append(Note("specials_neutralised", {"tokens": ", ".join(weighed.neutralised)}))
    if weighed.fits is not None and weighed.fits < _FITS:
        notes.append(Note("no_label_fits"))
    return tuple(notes)
