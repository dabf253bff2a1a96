"""An answer as it grows, as server-sent events: `text` events with what is new, then one `done` or `error`.

A client that goes away ends the writing.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from engine.contracts import prompt_json, to_json
from engine.errors import WorkbenchError
from engine.run.queue import Ticket
from engine.types import PromptResult

_LOOK_SECONDS = 0.03
"""How often the answer is looked at."""
_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}


def stream(
    request: Request, ticket: Ticket[PromptResult], error_json: Callable[[WorkbenchError], dict[str, str]]
) -> StreamingResponse:
    """The events of a ticket."""
    return StreamingResponse(_events(request, ticket, error_json), media_type="text/event-stream", headers=_HEADERS)


async def _events(
    request: Request, ticket: Ticket[PromptResult], error_json: Callable[[WorkbenchError], dict[str, str]]
) -> AsyncIterator[str]:
    sent = 0
    try:
        while ticket.state != "done":
            if await request.is_disconnected():
                return
            text = ticket.partial
            if len(text) > sent:
                yield _event("text", {"text": text[sent:]})
                sent = len(text)
            await asyncio.sleep(_LOOK_SECONDS)
        try:
            result = ticket.result(0)
        except WorkbenchError as error:
            yield _event("error", {"error": error_json(error)})
            return
        if len(result.text) > sent:
            yield _event("text", {"text": result.text[sent:]})
        yield _event("done", prompt_json(result))
    finally:
        ticket.cancel()  # of one that is over it changes nothing


def _event(name: str, body: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {to_json(body)}\n\n"
