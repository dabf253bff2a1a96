"""The task classify: texts with their label sets in, probabilities over the sets out. Written against any backend.

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
from engine.run.together import attempt, grouped, shares
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
        (answer,) = self.many([request], stop, queue_ms)
        if isinstance(answer, WorkbenchError):
            raise answer
        return answer

    def many(
        self, requests: Sequence[ClassifyRequest], stop: Event | None = None, queue_ms: float = 0.0
    ) -> list[ClassifyResult | WorkbenchError]:
        """Answer requests together, in their order; an error stands in the place of the request that has it.

        Texts of the same label set are weighed together, where the model does that. Stopped, it keeps what is answered;
        the others have `cancelled`.
        """
        started = time.perf_counter()
        weighed = self._weighed(requests, stop)
        elapsed = (time.perf_counter() - started) * 1e3
        costs = [0 if isinstance(one, WorkbenchError) else one[1].tokens + one[1].scored for one in weighed]
        return [
            one if isinstance(one, WorkbenchError) else attempt(self._result, request, *one, share, queue_ms, stop)
            for request, one, share in zip(requests, weighed, shares(elapsed, costs), strict=True)
        ]

    def _weighed(
        self, requests: Sequence[ClassifyRequest], stop: Event | None
    ) -> list[tuple[NormalisedLabels, Weighed] | WorkbenchError]:
        """Each request's labels, and how they are weighed for its text."""
        made: dict[int, tuple[NormalisedLabels, Weighed] | WorkbenchError] = {}
        for labels, places in grouped(attempt(check_request, one) for one in requests).items():
            if isinstance(labels, WorkbenchError):
                made |= dict.fromkeys(places, labels)
                continue
            answers = self._weigh([requests[place].text for place in places], labels.labels, stop)
            for place, one in zip(places, answers, strict=True):
                made[place] = one if isinstance(one, WorkbenchError) else (labels, one)
        return [made[place] for place in range(len(requests))]

    def _result(
        self,
        request: ClassifyRequest,
        labels: NormalisedLabels,
        weighed: Weighed,
        latency_ms: float,
        queue_ms: float,
        stop: Event | None,
    ) -> ClassifyResult:
        """The answer by weighed labels, with the free one where that is wanted."""
        probabilities = softmax(weighed.logits)
        ranked = sorted(map(LabelScore, labels.labels, probabilities), key=lambda one: one.score, reverse=True)
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
                latency_ms=latency_ms,
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
    notes += weighed.notes
    return tuple(notes)
