"""The HTTP routes in the pages' process: liveness, readiness, metrics, classification, extraction and free prompts.

Routes run on the event loop: what takes time is done in a thread, and a client that goes away cancels its request.
Bodies are limited in size; errors are JSON with the engine's code, sentence and hint.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.api_stream import stream
from engine.contracts import classify_json, extract_json, model_json, prompt_json, to_json
from engine.errors import WorkbenchError
from engine.observe.prometheus import CONTENT_TYPE, metrics_text, model_labels
from engine.run.queue import Ticket
from engine.run.workbench import Workbench
from engine.text.fields import FIELD_ERRORS, parse_fields
from engine.text.labels import parse_labels
from engine.types import ClassifyRequest, ExtractRequest, Mentions, PromptRequest, Structure, Writing

BODY_LIMIT = 1_000_000
"""Bytes of a request's body."""

_LOOK_SECONDS = 0.5
"""Between two looks whether a client is still there."""

_INPUT_CODES = FIELD_ERRORS | {
    "text_empty",
    "labels_empty",
    "label_too_long",
    "labels_too_long",
    "fields_too_long",
    "bad_setting",
    "bad_structure",
    "role_too_long",
}


class ClassifyBody(BaseModel):
    """The body of POST /api/v1/classify. `cache`: whether a kept answer will do, and the answer is kept."""

    model_config = ConfigDict(extra="forbid")

    text: str
    labels: list[str] | str
    multi: bool = False
    threshold: float | None = Field(None, ge=0, le=1)
    free: bool = False
    cache: bool = True

    def request(self) -> ClassifyRequest:
        """The engine's request."""
        labels = parse_labels(self.labels) if isinstance(self.labels, str) else self.labels
        return ClassifyRequest(self.text, tuple(labels), self.multi, self.threshold, self.free)


class ExtractBody(BaseModel):
    """The body of POST /api/v1/extract. `fields`: names, objects of a field set, or one string of names.

    cache: as above.
    """

    model_config = ConfigDict(extra="forbid")

    text: str
    fields: list[str | dict[str, Any]] | str
    mentions: Mentions = "first"
    per_prompt: int = 6
    free: bool = False
    nested: bool = False
    cache: bool = True

    def request(self) -> ExtractRequest:
        """The engine's request."""
        raw = self.fields if isinstance(self.fields, str) else json.dumps(self.fields)
        return ExtractRequest(self.text, parse_fields(raw), self.mentions, self.per_prompt, self.free, self.nested)


class GenerateBody(BaseModel):
    """The body of POST /api/v1/generate. `cache`: as above.

    json_schema: an object, or its text. source: what grounded strings are parts of; without it the text itself.
    stream: whether the answer comes as server-sent events while it is written.
    """

    model_config = ConfigDict(extra="forbid")

    text: str
    role: str = ""
    max_new_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    beams: int = 1
    seed: int | None = None
    stop: list[str] | str = []
    json_schema: dict[str, Any] | str = Field("", alias="schema")
    regex: str = ""
    choices: list[str] | str = []
    grounded: bool = False
    source: str = ""
    alternatives: int = 0
    stream: bool = False
    cache: bool = True

    def request(self) -> PromptRequest:
        """The engine's request."""
        schema = self.json_schema if isinstance(self.json_schema, str) else json.dumps(self.json_schema)
        choices = parse_labels(self.choices) if isinstance(self.choices, str) else self.choices
        structure = Structure(schema, self.regex, tuple(choices), self.grounded)
        return PromptRequest(
            self.text,
            Writing(
                self.max_new_tokens,
                self.beams,
                self.temperature,
                self.top_p,
                self.repetition_penalty,
                self.seed,
                (self.stop,) if isinstance(self.stop, str) else tuple(self.stop),
            ),
            self.role,
            None if structure == Structure() else structure,
            (self.source or self.text) if self.grounded else "",
            self.alternatives,
        )


Body = TypeVar("Body", ClassifyBody, ExtractBody, GenerateBody)


class _Json(JSONResponse):
    """JSON as the command line prints it: half of a character, which no encoding takes, is an escape."""

    def render(self, content: Any) -> bytes:
        return to_json(content).encode()


def routes(workbench: Callable[[], Workbench]) -> list[Route]:
    """The API's routes over the process's Workbench."""

    async def health(_: Request) -> _Json:
        return _Json({"status": "ok"})

    async def ready(_: Request) -> _Json:
        state = workbench().state()
        body: dict[str, Any] = {
            "status": state.status,
            "model": model_json(state.info) if state.info else None,
        }
        if state.error is not None:
            body["error"] = _error_json(state.error)
        return _Json(body, 200 if state.status == "ready" else 503)

    async def metrics(_: Request) -> Response:
        def read() -> bytes:
            state = workbench().state()
            return metrics_text(workbench().monitor, state.status, model_labels(state.info))

        return Response(await run_in_threadpool(read), media_type=CONTENT_TYPE)

    async def classify(request: Request) -> Response:
        def ask(body: ClassifyBody) -> Ticket[Any]:
            return workbench().classify(body.request(), cache=body.cache)

        return await _answer(request, await _read(request, ClassifyBody), ask, classify_json)

    async def extract(request: Request) -> Response:
        def ask(body: ExtractBody) -> Ticket[Any]:
            return workbench().extract(body.request(), cache=body.cache)

        return await _answer(request, await _read(request, ExtractBody), ask, extract_json)

    async def generate(request: Request) -> Response:
        def ask(body: GenerateBody) -> Ticket[Any]:
            return workbench().prompt(body.request(), cache=body.cache)

        body = await _read(request, GenerateBody)
        if isinstance(body, _Json) or not body.stream:
            return await _answer(request, body, ask, prompt_json)
        try:
            ticket = await run_in_threadpool(ask, body)
        except WorkbenchError as error:
            return _failure(error)
        return stream(request, ticket, _error_json)

    async def cache(request: Request) -> _Json:
        def size() -> dict[str, int]:
            if request.method == "DELETE":
                workbench().clear_cache()
            return asdict(workbench().cache_size())

        try:
            return _Json(await run_in_threadpool(size))
        except WorkbenchError as error:
            return _Json({"error": _error_json(error)}, 503)

    return [
        Route("/api/health", health),
        Route("/api/ready", ready),
        Route("/api/metrics", metrics),
        Route("/api/v1/classify", classify, methods=["POST"]),
        Route("/api/v1/extract", extract, methods=["POST"]),
        Route("/api/v1/generate", generate, methods=["POST"]),
        Route("/api/v1/cache", cache, methods=["GET", "DELETE"]),
    ]


async def _answer(
    request: Request, body: Body | _Json, ask: Callable[[Body], Ticket[Any]], shown: Callable[[Any], dict[str, Any]]
) -> Response:
    """Answer a body, unless it is refused already; no thread waits meanwhile."""
    if isinstance(body, _Json):
        return body
    try:
        ticket = await run_in_threadpool(ask, body)
    except WorkbenchError as error:
        return _failure(error)
    named = {"X-Request-Id": ticket.id}
    try:
        result = await _result(request, ticket)
    except WorkbenchError as error:
        return _failure(error, named)
    return _Json(await run_in_threadpool(shown, result), headers=named)


async def _result(request: Request, ticket: Ticket[Any]) -> Any:
    """Wait for a ticket, which a client that goes away cancels."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()

    def end() -> None:
        with suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(over.set)

    ticket.then(end)
    while not ticket.wait(0):
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), _LOOK_SECONDS)
        if not over.is_set() and await request.is_disconnected():
            ticket.cancel()
    return ticket.result(0)


def _failure(error: WorkbenchError, headers: dict[str, str] | None = None) -> _Json:
    return _Json({"error": _error_json(error)}, 422 if error.code in _INPUT_CODES else 503, headers)


async def _read(request: Request, form: type[Body]) -> Body | _Json:
    """The body, or the answer that refuses it."""
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > BODY_LIMIT:
            return _refuse("body_too_large", f"The body may have at most {BODY_LIMIT} bytes.", 413)
    try:
        return form.model_validate(json.loads(raw))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return _refuse("bad_request", f"{where or 'body'}: {first['msg']}.", 422)
    except (ValueError, RecursionError):
        return _refuse("bad_request", "The body is not JSON.", 400)


def _refuse(code: str, message: str, status: int) -> _Json:
    hint = "Send {'text': ..., 'labels': [...]}, {'text': ..., 'fields': [...]} or {'text': ...}, see docs/api.md."
    return _Json({"error": {"code": code, "message": message, "hint": hint}}, status)


def _error_json(error: WorkbenchError) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "hint": error.hint}
