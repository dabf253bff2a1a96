"""Reads what servers answer: texts, reasons of their ends, tokens with their probabilities.

Two shapes of log-probabilities are about: parallel lists, of the older completions, and a list of objects, of chats and
of llama.cpp. Whatever lacks what is read raises LookupError, TypeError or ValueError, for the caller to translate.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.types import Finish

_ESCAPED = re.compile(r"\\x([0-9a-fA-F]{2})")
_CONTROL = re.compile(r"<[|｜].{1,40}[|｜]>|</s>|<eos>|<end_of_turn>")


@dataclass(frozen=True)
class Told:
    """A token as a server tells it: its bytes, its log-probability, and those of others at its place, best first."""

    raw: bytes
    log: float
    others: tuple[tuple[bytes, float], ...] = ()


def choice(body: Any) -> Any:
    """The one answer of a response; None in an event that has none."""
    choices = body["choices"]
    if not isinstance(choices, list):
        raise TypeError("choices")
    return choices[0] if choices else None


def text_of(one: Any) -> str:
    """The text of an answer or of a stream's next piece, of either kind; empty where there is none."""
    for part in ("message", "delta"):
        if part in one:
            text = (one[part] or {}).get("content")
            break
    else:
        text = one["text"]
    if text is None:
        return ""
    if not isinstance(text, str):
        raise TypeError("text")
    return text


def finish_of(one: Any, stops: Sequence[str] = ()) -> Finish | None:
    """Why an answer ended; None while it has not. stops: the strings that were asked to end it."""
    reason = one.get("finish_reason")
    if reason is None:
        return None
    if reason in {"abort", "error"}:
        raise ValueError("finish_reason")
    if reason == "length":
        return "limit"
    return "stop" if one.get("stop_reason") in stops else "end"


def tokens_of(one: Any) -> list[Told]:
    """The tokens of an answer or of a stream's next piece; none where the server tells none."""
    told = one.get("logprobs")
    if not told:
        return []
    if told.get("content") is not None:
        return [_of_object(token) for token in told["content"]]
    if told.get("tokens") is None:
        return []
    others = told.get("top_logprobs") or [None] * len(told["tokens"])
    return [
        Told(
            as_bytes(text), _log(log), _ranked({as_bytes(other): _log(value) for other, value in (most or {}).items()})
        )
        for text, log, most in zip(told["tokens"], told["token_logprobs"], others, strict=True)
        if log is not None
    ]


def read_prompt(one: Any, kind: str) -> list[tuple[str, float | None]]:
    """The prompt's own tokens, each by a key that tells it from others, and its log-probability; None for the first.

    kind: `prompt_logprobs`: a list of objects by token id; `echo`: parallel lists, which end with what was generated.
    """
    if kind == "echo":
        told = one["logprobs"]
        pairs = zip(told["tokens"], told["token_logprobs"], strict=True)
        return [(str(token), None if log is None else _log(log)) for token, log in pairs]
    read: list[tuple[str, float | None]] = []
    for place in one["prompt_logprobs"]:
        if place is None:
            read.append(("", None))
            continue
        (key, value), *_ = place.items()  # the prompt's own token comes first, then the most probable ones
        read.append((str(key), _log(value["logprob"])))
    return read


def written_count(body: Any) -> int | None:
    """How many tokens the server says that it wrote."""
    count = (body.get("usage") or {}).get("completion_tokens")
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None


def as_bytes(text: str) -> bytes:
    """A token's bytes, also where they are written as `bytes:\\xe4\\xb8`."""
    if text.startswith("bytes:"):
        return bytes(int(one, 16) for one in _ESCAPED.findall(text))
    return text.encode("utf-8", "replace")


def readable(raw: bytes) -> str:
    """A token's characters; bytes of an unfinished one as \\x..."""
    return raw.decode("utf-8", "backslashreplace")


def ends_a_turn(raw: bytes) -> bool:
    """Whether a token looks like one that ends an answer."""
    return not raw or _CONTROL.fullmatch(readable(raw)) is not None


def _of_object(token: Any) -> Told:
    others = {_raw(other): _log(other["logprob"]) for other in token.get("top_logprobs") or []}
    return Told(_raw(token), _log(token["logprob"]), _ranked(others))


def _raw(token: Any) -> bytes:
    return bytes(token["bytes"]) if token.get("bytes") else as_bytes(token["token"])


def _ranked(others: dict[bytes, float]) -> tuple[tuple[bytes, float], ...]:
    return tuple(sorted(others.items(), key=lambda one: -one[1]))


def _log(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or math.isnan(value):
        raise TypeError("logprob")
    return min(0.0, float(value))
