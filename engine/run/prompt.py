"""The task prompt: a text of the user's own in, what a model writes after it out.

Written against any model that writes. Greedy decoding: one beam, no sampling. It does not queue, load or show.
"""

import time
from threading import Event

from engine.errors import WorkbenchError
from engine.model.backend import Backend, Encoded, LanguageModel, generates
from engine.run.notes import check_text, input_notes
from engine.settings import Settings
from engine.types import ModelInfo, Note, PromptRequest, PromptResult, Usage


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

    def __call__(self, request: PromptRequest, stop: Event | None = None, queue_ms: float = 0.0) -> PromptResult:
        """Answer one request. The time does not count the load of a model.

        Raises:
            WorkbenchError: `text_empty`, `bad_setting`, `cancelled`.
        """
        started = time.perf_counter()
        check_request(request)
        encoded = self._encode(request)
        limit = request.writing.max_new_tokens
        answer = self._model.generate(encoded.ids, beams=1, max_new_tokens=limit, stop=stop)
        notes = self._notes(request, encoded)
        if not answer.finished:
            notes.append(Note("free_limit", {"limit": limit}))
        usage = Usage(
            prompt_tokens=len(encoded.ids),
            scored_tokens=0,
            output_tokens=answer.output_tokens,
            latency_ms=(time.perf_counter() - started) * 1e3,
            queue_ms=queue_ms,
        )
        return PromptResult(answer.text, usage, self._model.info, tuple(notes))

    def _encode(self, request: PromptRequest) -> Encoded:
        most = self._model.info.context // 2
        if request.writing.max_new_tokens > most:
            raise _bad_limit(request, f"Use a number from 1 to {most}.")
        prompt = self._model.protocol.free(request.text)
        try:
            return self._model.encode_prompt(prompt, reserve=request.writing.max_new_tokens)
        except WorkbenchError as error:
            if error.code != "labels_too_long":
                raise
            raise _bad_limit(request, "Use a smaller number: it leaves too little room for the text.") from None

    def _notes(self, request: PromptRequest, encoded: Encoded) -> list[Note]:
        model = self._model.info
        notes = []
        if self._instead_of:
            notes.append(Note("written_by", {"writer": model.name, "name": self._instead_of}))
        notes += input_notes(request.text, (), model)
        if encoded.kept < len(request.text):
            notes.append(Note("text_cut", {"kept": encoded.kept, "total": len(request.text)}))
        if encoded.neutralised:
            notes.append(Note("specials_neutralised", {"tokens": ", ".join(encoded.neutralised)}))
        return notes


def check_request(request: PromptRequest) -> None:
    """Refuse what no model could answer; needs no model.

    Raises:
        WorkbenchError: `text_empty` for a blank text, `bad_setting` for a limit below 1.
    """
    check_text(request.text)
    if request.writing.max_new_tokens < 1:
        raise _bad_limit(request, "Use a number from 1 on.")


def writer_settings(settings: Settings, loaded: ModelInfo) -> Settings:
    """The settings for the model that writes in the place of a loaded one, beside which it must fit.

    Raises:
        WorkbenchError: `prompt_unsupported` where there is none.
    """
    if loaded.writer is None:
        raise WorkbenchError("prompt_unsupported", name=loaded.name)
    memory = settings.max_memory
    left = None if memory is None else max(1, memory - loaded.memory)
    return settings.model_copy(update={"model": loaded.writer, "max_memory": left, "trust_remote_code": False})


def _bad_limit(request: PromptRequest, hint: str) -> WorkbenchError:
    return WorkbenchError("bad_setting", name="max_new_tokens", value=request.writing.max_new_tokens, hint=hint)
