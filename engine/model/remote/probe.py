"""What a server can do: asked once, by requests whose right answer is known, since servers ignore unknown fields."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.errors import WorkbenchError
from engine.model.remote.client import Body, Client
from engine.model.remote.failures import read_as_expected
from engine.model.remote.shapes import choice, read_prompt, text_of, tokens_of
from engine.model.remote.structured import DIALECTS, Dialect, fields
from engine.types import Structure

COMPLETIONS, CHAT = "/completions", "/chat/completions"

_TOPS = (500, 20, 5)
"""Log-probabilities of one place that are asked for: llama.cpp gives as many as there are, vLLM 20 by default, and 5 is
the older limit."""
_PROMPT = "one, two, three,"
_MARK = "zq-4711"
"""What no model writes by itself."""
_CHOICE = Structure(choices=(_MARK,))
_SCHEMA = Structure(
    schema=json.dumps(
        {
            "type": "object",
            "properties": {"zq": {"type": "string", "enum": [_MARK]}},
            "required": ["zq"],
            "additionalProperties": False,
        }
    )
)
_TURN = "Say hello."
_SURE = -0.5
"""A log-probability that such a token does not reach by itself."""
_ROOM = 64
"""Tokens for the known answers, even if each byte is one."""

PromptKind = Literal["prompt_logprobs", "echo", ""]
_NONE: PromptKind = ""


@dataclass(frozen=True)
class Abilities:
    """What a server honours.

    top: log-probabilities of one place that it tells at most; 0: none. prompt: how it tells those of a prompt's tokens.
    structure: how it is asked to hold an answer to a structure. raw: whether a token of such an answer still has its
    probability among all tokens, not among the legal ones.
    """

    completions: bool
    chat: bool
    top: int
    prompt: PromptKind
    structure: Dialect
    raw: bool = False


async def find_model(client: Client, wanted: str) -> dict[str, Any]:
    """The server's entry of the wanted model, or of its only one.

    Raises:
        WorkbenchError: `remote_models` where that is not one; `remote_garbage`, and those of `Client.get`.
    """
    try:
        body = await client.get("/models")
    except WorkbenchError as error:
        if error.code != "remote_missing" or not wanted:
            raise
        return {"id": wanted}  # a server need not list what it has
    with read_as_expected(client.url):
        models: list[dict[str, Any]] = [one for one in body["data"] if isinstance(one["id"], str)]
    if wanted:
        return next((one for one in models if one["id"] == wanted), {"id": wanted})  # an alias need not be listed
    if len(models) != 1:
        names = ", ".join(one["id"] for one in models[:20])
        raise WorkbenchError("remote_models", url=client.url, count=len(models), names=names or "-")
    return models[0]


async def probe(client: Client, model: str) -> Abilities:
    """Ask a server's model what it honours.

    Raises:
        WorkbenchError: `remote_missing` where it has neither completions nor chats; those of `Client.post`.
    """
    plain = {"model": model, "prompt": _PROMPT, "max_tokens": 1, "temperature": 0}
    turn = {"model": model, "messages": [{"role": "user", "content": _TURN}], "max_tokens": 1, "temperature": 0}
    completions = await _has(client, COMPLETIONS, plain)
    chat = await _has(client, CHAT, turn)
    if not completions and not chat:
        raise WorkbenchError("remote_missing", url=client.url, said=f"{COMPLETIONS}, {CHAT}")
    top, prompt = 0, _NONE
    if completions:
        top = await _most_logprobs(client, COMPLETIONS, [plain | {"logprobs": most} for most in _TOPS])
        prompt = await _prompt_kind(client, plain)
    else:
        asked = [turn | {"logprobs": True, "top_logprobs": most} for most in _TOPS]
        top = await _most_logprobs(client, CHAT, asked)
    body = {**(turn if chat else plain), "max_tokens": _ROOM}
    dialect = await _dialect(client, CHAT if chat else COMPLETIONS, body)
    raw = bool(completions and top and dialect) and await _is_raw(
        client, plain | {"logprobs": top} | fields(dialect, _CHOICE)
    )
    return Abilities(completions, chat, top, prompt, dialect, raw)


async def _has(client: Client, path: str, body: Body) -> bool:
    """Whether a path answers; a refusal of the request itself counts as no."""
    try:
        answer = await client.post(path, body)
        text_of(choice(answer))
    except WorkbenchError as error:
        if error.code in {"remote_missing", "remote_rejected", "remote_garbage"}:
            return False
        raise
    except (LookupError, TypeError, AttributeError):
        return False
    return True


async def _tried(client: Client, path: str, body: Body) -> Any:
    """The one answer to a request that a server may refuse; None where it does, if only by a failure of its own."""
    try:
        try:
            answer = await client.post(path, body, retries=0)
        except WorkbenchError as error:
            if error.code != "remote_busy" or error.details["status"] == 500:
                raise
            answer = await client.post(path, body)
        return choice(answer)
    except WorkbenchError as error:
        broken = error.code == "remote_busy" and error.details["status"] == 500
        if broken or error.code in {"remote_missing", "remote_rejected", "remote_garbage", "remote_too_long"}:
            return None
        raise
    except (LookupError, TypeError, AttributeError):
        return None


async def _most_logprobs(client: Client, path: str, asked: Sequence[Body]) -> int:
    """The first of `_TOPS` that is answered; asked: a request for each."""
    for top, body in zip(_TOPS, asked, strict=True):
        one = await _tried(client, path, body)
        try:
            if one is not None and tokens_of(one)[0].others:
                return top
        except (LookupError, TypeError, ValueError, AttributeError):
            continue
    return 0


async def _prompt_kind(client: Client, plain: Body) -> PromptKind:
    kinds: dict[PromptKind, Body] = {"prompt_logprobs": {"prompt_logprobs": 0}, "echo": {"echo": True, "logprobs": 1}}
    for kind, more in kinds.items():
        one = await _tried(client, COMPLETIONS, plain | more)
        try:
            told = read_prompt(one, kind) if one is not None else []
        except (LookupError, TypeError, ValueError, AttributeError, StopIteration):
            continue
        if len(told) > 2 and all(log is not None for _, log in told[1:]):
            if kind == "echo" and not text_of(one).startswith(_PROMPT):
                continue
            return kind
    return ""


async def _dialect(client: Client, path: str, body: Body) -> Dialect:
    """The first dialect that is honoured."""
    for dialect in DIALECTS:
        asked = _SCHEMA if dialect == "response_format" else _CHOICE
        one = await _tried(client, path, body | fields(dialect, asked))
        try:
            if one is not None and _keeps(text_of(one), asked):
                return dialect
        except (LookupError, TypeError, AttributeError):
            continue
    return ""


def _keeps(text: str, asked: Structure) -> bool:
    if asked.choices:
        return text.strip() == _MARK
    try:
        return bool(json.JSONDecoder().raw_decode(text.strip())[0] == {"zq": _MARK})  # blanks may follow without end
    except (ValueError, RecursionError):
        return False


async def _is_raw(client: Client, body: Body) -> bool:
    """Whether a token that no model would write still counts as improbable where it is the only legal one."""
    one = await _tried(client, COMPLETIONS, body)
    try:
        return one is not None and tokens_of(one)[0].log < _SURE
    except (LookupError, TypeError, ValueError, AttributeError):
        return False
