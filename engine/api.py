"""The HTTP routes: liveness, readiness and classification, as JSON. They share the pages' process and model.

Routes run on the event loop, so waiting happens in a thread. Bodies are limited in size; errors are JSON with the
engine's code, sentence and hint.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from engine.contracts import classify_json, model_json
from engine.errors import WorkbenchError
from engine.run.workbench import Workbench
from engine.text.labels import parse_labels
from engine.types import ClassifyRequest

BODY_LIMIT = 1_000_000
"""Bytes of a request's body."""

_INPUT_CODES = {"text_empty", "labels_empty", "label_too_long", "labels_too_long", "bad_setting"}

Handler = Callable[[Request], Awaitable[JSONResponse]]


class ClassifyBody(BaseModel):
    """The body of POST /api/v1/classify."""

    model_config = ConfigDict(extra="forbid")

    text: str
    labels: list[str] | str
    multi: bool = False
    threshold: float | None = Field(None, ge=0, le=1)
    free: bool = False

    def request(self) -> ClassifyRequest:
        """The engine's request."""
        labels = parse_labels(self.labels) if isinstance(self.labels, str) else self.labels
        return ClassifyRequest(self.text, tuple(labels), self.multi, self.threshold, self.free)


def routes(workbench: Callable[[], Workbench]) -> list[Route]:
    """The API's routes over the process's Workbench."""

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> JSONResponse:
        state = workbench().state()
        body: dict[str, Any] = {
            "status": state.status,
            "model": model_json(state.info) if state.info else None,
        }
        if state.error is not None:
            body["error"] = _error_json(state.error)
        return JSONResponse(body, 200 if state.status == "ready" else 503)

    async def classify(request: Request) -> JSONResponse:
        body = await _read(request)
        if isinstance(body, JSONResponse):
            return body
        try:
            ticket = workbench().classify(body.request())
            return JSONResponse(classify_json(await run_in_threadpool(ticket.result)))
        except WorkbenchError as error:
            return JSONResponse({"error": _error_json(error)}, 422 if error.code in _INPUT_CODES else 503)

    return [
        Route("/api/health", health),
        Route("/api/ready", ready),
        Route("/api/v1/classify", classify, methods=["POST"]),
    ]


async def _read(request: Request) -> ClassifyBody | JSONResponse:
    """The body, or the answer that refuses it."""
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > BODY_LIMIT:
            return _refuse("body_too_large", f"The body may have at most {BODY_LIMIT} bytes.", 413)
    try:
        return ClassifyBody.model_validate(json.loads(raw))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return _refuse("bad_request", f"{where or 'body'}: {first['msg']}.", 422)
    except (ValueError, RecursionError):
        return _refuse("bad_request", "The body is not JSON.", 400)


def _refuse(code: str, message: str, status: int) -> JSONResponse:
    hint = "Send {'text': ..., 'labels': [...]} as JSON; see docs/api.md."
    return JSONResponse({"error": {"code": code, "message": message, "hint": hint}}, status)


def _error_json(error: WorkbenchError) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "hint": error.hint}
