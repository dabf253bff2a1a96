"""The task prompt: a text of the user's own in, what a model writes after it out, in a form where one is given.

Written against any model that writes. It does not queue, load or show.
"""

import math
import time
from threading import Event

from engine.errors import WorkbenchError
from engine.model.backend import Backend, Encoded, LanguageModel, Show, Written, generates
from engine.run.notes import check_text, input_notes
from engine.settings import Settings
from engine.text.structure import AnswerForm, make_form
from engine.types import ModelInfo, Note, PromptRequest, PromptResult, Usage, Writing

MOST_BEAMS = 16
MOST_TEMPERATURE = 5.0
LEAST_PENALTY, MOST_PENALTY = 0.5, 5.0
MOST_SEED = 2**63 - 1
MOST_STOPS = 16
LONGEST_STOP = 200
"""Characters of a stop string."""
MOST_ALTERNATIVES = 20


class Prompter:
    """Writes with one model. `instead_of`: the name of a loaded model that cannot write, for a note.

    Raises:
        WorkbenchError: `prompt_unsupported` for a model that cannot write either.
    """

    def __init__(self, backend: Backend, instead_of: str = "") -> None:
        if not generates(backend):
            raise WorkbenchError("prompt_unsupported", name=backend.info.name)
        self._model: LanguageModel = backend
        self._instead_of = instead_of

    def __call__(
        self,
        request: PromptRequest,
        stop: Event | None = None,
        queue_ms: float = 0.0,
        show: Show | None = None,
    ) -> PromptResult:
        """Answer one request. The time does not count the load of a model.

        show: told the answer's text as it grows.

        Raises:
            WorkbenchError: `text_empty`, `bad_setting`, `bad_structure`, `structure_unsupported`, `role_too_long`,
                `cancelled`.
        """
        started = time.perf_counter()
        form = check_request(request)
        encoded = self._encode(request)
        answer = self._model.write(
            encoded.ids, request.writing, form=form, alternatives=request.alternatives, show=show, stop=stop
        )
        notes = [*self._notes(request, encoded), *answer.notes, *_ending_notes(answer, request.writing, form)]
        usage = Usage(
            prompt_tokens=len(encoded.ids),
            scored_tokens=0,
            output_tokens=answer.output_tokens,
            latency_ms=(time.perf_counter() - started) * 1e3,
            queue_ms=queue_ms,
        )
        said = encoded.prompt.string
        return PromptResult(answer.text, usage, self._model.info, tuple(notes), answer.finish, said, answer.tokens)

    def _encode(self, request: PromptRequest) -> Encoded:
        most = self._model.info.context // 2
        if request.writing.max_new_tokens > most:
            raise _bad_limit(request, f"Use a number from 1 to {most}.")
        limit = request.writing.max_new_tokens
        prompt = self._model.protocol.free(request.text, request.role.strip())
        try:
            return self._model.encode_prompt(prompt, reserve=limit)
        except WorkbenchError as error:
            if error.code != "labels_too_long":
                raise
            if request.role.strip():
                raise WorkbenchError("role_too_long", limit=limit, context=self._model.info.context) from None
            raise _bad_limit(request, "Use a smaller number: it leaves too little room for the text.") from None

    def _notes(self, request: PromptRequest, encoded: Encoded) -> list[Note]:
        model = self._model.info
        notes = []
        if self._instead_of:
            notes.append(Note("written_by", {"writer": model.name, "name": self._instead_of}))
        notes += input_notes(request.text, (request.role,) if request.role.strip() else (), model)
        if encoded.kept < len(request.text):
            notes.append(Note("text_cut", {"kept": encoded.kept, "total": len(request.text)}))
        if encoded.neutralised:
            notes.append(Note("specials_neutralised", {"tokens": ", ".join(encoded.neutralised)}))
        return notes


def check_request(request: PromptRequest) -> AnswerForm | None:
    """Refuse what no model could answer; needs no model. Returns what the answer must be.

    Raises:
        WorkbenchError: `text_empty` for a blank text, `bad_setting` for a setting out of its range, `bad_structure`.
    """
    check_text(request.text)
    if request.writing.max_new_tokens < 1:
        raise _bad_limit(request, "Use a number from 1 on.")
    _check_writing(request.writing)
    _within("alternatives", request.alternatives, 0, MOST_ALTERNATIVES)
    if request.structure is None:
        return None
    if request.writing.beams > 1:
        raise _bad_setting("beams", request.writing.beams, "Use 1: a beam search keeps to no structure.")
    if request.writing.stop:
        raise _bad_setting("stop", ", ".join(request.writing.stop), "Leave it out: a structure ends by itself.")
    return make_form(request.structure, request.source)


def _check_writing(writing: Writing) -> None:
    _within("beams", writing.beams, 1, MOST_BEAMS)
    _within("temperature", writing.temperature, 0, MOST_TEMPERATURE)
    _within("top_p", writing.top_p, 0, 1)
    if not writing.top_p:
        raise _bad_setting("top_p", writing.top_p, "Use a number above 0, up to 1.")
    _within("repetition_penalty", writing.repetition_penalty, LEAST_PENALTY, MOST_PENALTY)
    if writing.seed is not None:
        _within("seed", writing.seed, 0, MOST_SEED)
    if len(writing.stop) > MOST_STOPS:
        raise _bad_setting("stop", f"{len(writing.stop)} strings", f"Use {MOST_STOPS} at most.")
    for one in writing.stop:
        if not 0 < len(one) <= LONGEST_STOP:
            raise _bad_setting("stop", repr(one[:LONGEST_STOP]), f"Use from 1 to {LONGEST_STOP} characters.")


def _within(name: str, value: float, least: float, most: float) -> None:
    if not (math.isfinite(value) and least <= value <= most):
        raise _bad_setting(name, value, f"Use a number from {least:g} to {most:g}.")


def _ending_notes(answer: Written, writing: Writing, form: AnswerForm | None) -> list[Note]:
    """What is said of an answer that its limit ended."""
    if answer.finish != "limit":
        return []
    limit: dict[str, object] = {"limit": writing.max_new_tokens}
    if form is None:
        return [Note("free_limit", limit)]
    return [Note("answer_unclosed", limit) if form.problem(answer.text) else Note("answer_closed", limit)]


def writer_settings(settings: Settings, loaded: ModelInfo) -> Settings:
    """The settings for the model that writes in the place of a loaded one; both are within the same `max_memory`.

    Raises:
        WorkbenchError: `prompt_unsupported` where there is none.
    """
    if loaded.writer is None:
        raise WorkbenchError("prompt_unsupported", name=loaded.name)
    return settings.model_copy(update={"model": loaded.writer, "trust_remote_code": False})


def _bad_limit(request: PromptRequest, hint: str) -> WorkbenchError:
    return _bad_setting("max_new_tokens", request.writing.max_new_tokens, hint)


def _bad_setting(name: str, value: object, hint: str) -> WorkbenchError:
    return WorkbenchError("bad_setting", name=name, value=value, hint=hint)
