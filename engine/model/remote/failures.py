"""What can go wrong with a server, each as one sentence and what to do. Keys are never in them."""

import json
import re
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime

import httpx

from engine.errors import WorkbenchError
from engine.messages import Phrase

RETRIED = {429, 500, 502, 503, 504}
"""Answers after which the same request may go well."""

_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|size|window)|exceed_context|max_model_len|maximum.{0,40}token|too long", re.IGNORECASE
)
_NAME = re.compile(r"[A-Za-z_]{1,40}")
_SAID = 300
"""Characters of a server's own words that are shown."""


def unreachable(url: str, error: httpx.TransportError) -> WorkbenchError:
    """Why no answer came at all."""
    return WorkbenchError("remote_unreachable", url=url, reason=_why(error))


def _why(error: BaseException) -> str:
    chain: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in chain:
        chain.append(one)
        one = one.__cause__ or one.__context__
    said = " ".join(map(str, chain)).lower()
    if any(isinstance(part, ssl.SSLError) for part in chain) or "ssl" in said or "certificate" in said:
        return Phrase("server_tls")
    if any(part in said for part in ("name or service", "getaddrinfo", "nodename", "name resolution", "look up")):
        return Phrase("server_unknown_host")
    if isinstance(error, httpx.TimeoutException):
        return Phrase("server_silent")
    if "refused" in said or "all connection attempts failed" in said:
        return Phrase("server_refused")
    if isinstance(error, httpx.ProxyError):
        return Phrase("server_proxy")
    return Phrase("server_dropped")


def refusal(url: str, status: int, said: str, tries: int) -> WorkbenchError:
    """Why a server answered with an error. tries: requests that were made."""
    if status in {401, 403}:
        return WorkbenchError("remote_denied", url=url, status=status)
    if status in RETRIED:
        return WorkbenchError("remote_busy", url=url, status=status, tries=tries)
    if _TOO_LONG.search(said):
        return WorkbenchError("remote_too_long", url=url, said=said)
    if status == 404:
        return WorkbenchError("remote_missing", url=url, said=said or "404")
    return WorkbenchError("remote_rejected", url=url, status=status, said=said or Phrase("server_says_nothing"))


def own_words(body: bytes, key: str) -> str:
    """What a server says about its refusal, in short; empty where it says nothing readable. key: never shown."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = "" if "<" in text else text
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    if not isinstance(found, str):
        found = "" if found is None else json.dumps(found, ensure_ascii=False)
    if key:
        found = found.replace(key, "…")
    said = " ".join(found.split())
    return (said if len(said) <= _SAID else said[:_SAID] + "…").rstrip(".")


def wanted_pause(header: str | None) -> float | None:
    """Seconds that a `Retry-After` header asks for, as a number or a date; None where it does not."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


@contextmanager
def read_as_expected(url: str) -> Iterator[None]:
    """While it lasts, an answer that lacks what is read from it becomes an error of its server's.

    Raises:
        WorkbenchError: `remote_garbage`.
    """
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
        said = str(error).strip("'")
        lacks = said if _NAME.fullmatch(said) else "choices"  # the name of a part, or a fault in reading one
        raise WorkbenchError("remote_garbage", url=url, reason=Phrase("server_shape", what=lacks)) from None
