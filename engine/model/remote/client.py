"""Talks HTTP with one server: JSON and event streams, with timeouts, retries, limits, and a stop that ends all at once.

An event loop of its own runs on the caller's thread, for as long as a call lasts: a call that waits for bytes can so be
given up at any time, which closes its connection. It knows no fields of the protocol but where errors stand.
"""

import asyncio
import json
import random
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from threading import Event
from typing import Any, TypeVar

import httpx

from engine.errors import Cancelled, WorkbenchError
from engine.messages import Phrase
from engine.model.remote.address import Address
from engine.model.remote.events import EventReader
from engine.model.remote.failures import own_words, read_as_expected, refusal, unreachable, wanted_pause
from engine.settings import Settings

Result = TypeVar("Result")
Body = dict[str, Any]

_MOST = 32 * 2**20
"""Bytes of one answer."""
_MOST_ERROR = 2**16
_LOOK = 0.05
"""Seconds between looks at a stop."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
"""Seconds: before the first retry, doubled before each further one; and what a server may ask for at most."""
_AT_ONCE = 8
"""Requests that wait for answers side by side: servers answer many together faster than one after the other."""


class Client:
    """A server and how to reach it. One owner thread."""

    def __init__(self, address: Address, settings: Settings) -> None:
        self.url = address.url
        self._key = settings.remote_key.get_secret_value() if settings.remote_key else ""
        self._retries = settings.remote_retries
        self._silence = settings.remote_read_timeout
        self._first_pause = _FIRST_PAUSE
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        # nothing is trusted where nothing is secured: to read the certificates of authorities takes a moment
        secure = httpx.create_ssl_context() if address.url.startswith("https:") else _unused_context()
        try:
            httpx.URL(address.url)
        except httpx.InvalidURL:
            raise WorkbenchError("remote_address", name=address.url, reason=Phrase("address_malformed")) from None
        self._http = httpx.AsyncClient(
            headers=headers,
            verify=secure,
            timeout=httpx.Timeout(self._silence, connect=settings.remote_connect_timeout),
            follow_redirects=False,  # a key is for one server
            transport=httpx.AsyncHTTPTransport(verify=secure) if address.loopback else None,  # no proxy to ourselves
        )
        self._loop = asyncio.new_event_loop()

    def close(self) -> None:
        """Close every connection; the client is not used again."""
        if not self._loop.is_closed():
            self._loop.run_until_complete(self._http.aclose())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    # For the owner's thread.

    def run(self, work: Coroutine[Any, Any, Result], stop: Event | None = None) -> Result:
        """Do the work; a stop ends it wherever it waits.

        Raises:
            Cancelled: `stop` was set.
        """
        return self._loop.run_until_complete(_until(work, stop))

    # For work.

    async def get(self, path: str) -> Any:
        """The JSON at a path.

        Raises:
            WorkbenchError: one of `failures`, or `remote_garbage`, `remote_too_big`, `remote_silent`, `remote_broken`.
        """
        return await self._json("GET", path, None, self._retries)

    async def post(self, path: str, body: Body, *, retries: int | None = None) -> Any:
        """The JSON that answers a request; as for `get`. retries: None for the setting's number."""
        return await self._json("POST", path, body, self._retries if retries is None else retries)

    async def post_all(self, path: str, bodies: Sequence[Body], read: Callable[[Any], Result]) -> list[Result]:
        """What is read of the answers to requests of one kind, asked side by side; the first failure ends all.

        Raises:
            WorkbenchError: as for `get`; `remote_garbage` where `read` finds less than it needs.
        """
        free = asyncio.Semaphore(_AT_ONCE)

        async def one(body: Body) -> Result:
            async with free:
                answer = await self.post(path, body)
            with read_as_expected(self.url):
                return read(answer)

        tasks = [asyncio.ensure_future(one(body)) for body in bodies]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def events(self, path: str, body: Body) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of an event stream, until its `[DONE]` or its end.

        Raises:
            WorkbenchError: as for `get`.
        """
        async with aclosing(self._data(path, body)) as source:
            while True:
                try:
                    async with asyncio.timeout(self._silence):  # a stream of comments is silence too
                        data = await anext(source, None)
                except TimeoutError:
                    raise self._silent() from None
                if data is None or data.strip() == b"[DONE]":
                    return
                event = self._parsed(data)
                if not isinstance(event, dict):
                    raise self._garbage(Phrase("server_shape", what="{}"))
                if event.get("error"):
                    said = own_words(data, self._key)
                    raise WorkbenchError("remote_rejected", url=self.url, status=200, said=said)
                yield event

    async def _data(self, path: str, body: Body) -> AsyncGenerator[bytes, None]:
        reader, total = EventReader(), 0
        async with self._opened("POST", path, body, self._retries) as response:
            async with aclosing(self._chunks(response)) as chunks:
                async for chunk in chunks:
                    total += len(chunk)
                    if total > _MOST:
                        raise WorkbenchError("remote_too_big", url=self.url, limit=_MOST // 2**20)
                    for data in reader.feed(chunk):
                        yield data
            for data in reader.end():
                yield data

    async def _json(self, method: str, path: str, body: Body | None, retries: int) -> Any:
        raw = bytearray()
        opened = self._opened(method, path, body, retries)
        async with opened as response, aclosing(self._chunks(response)) as chunks:
            async for chunk in chunks:
                raw += chunk
                if len(raw) > _MOST:
                    raise WorkbenchError("remote_too_big", url=self.url, limit=_MOST // 2**20)
        return self._parsed(bytes(raw))

    def _parsed(self, raw: bytes) -> Any:
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise self._garbage(Phrase("not_json")) from None

    @asynccontextmanager
    async def _opened(self, method: str, path: str, body: Body | None, retries: int) -> AsyncIterator[httpx.Response]:
        """A response of a good status; others are retried where that may help."""
        content = None if body is None else json.dumps(body).encode("ascii")  # half a character is escaped, not refused
        tries = 0
        while True:
            tries += 1
            async with AsyncExitStack() as stack:
                try:
                    asked = self._http.stream(method, f"{self.url}{path}", content=content)
                    response = await stack.enter_async_context(asked)
                except (httpx.TransportError, OSError) as error:
                    # a connection that was kept open may be closed just when it is used again
                    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError) and tries <= retries:
                        continue
                    raise self._no_answer(error) from None
                if response.is_success:
                    yield response
                    return
                failure = await self._refusal(response, tries)
                asked_for = wanted_pause(response.headers.get("Retry-After"))
            if tries > retries or failure.code != "remote_busy" or (asked_for or 0) > _LONGEST_PAUSE:
                raise failure
            own = self._first_pause * 2 ** (tries - 1) * random.uniform(0.5, 1.5)  # noqa: S311 - spreads, guards nothing
            await asyncio.sleep(min(own, _LONGEST_PAUSE) if asked_for is None else asked_for)

    async def _refusal(self, response: httpx.Response, tries: int) -> WorkbenchError:
        raw = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                raw += chunk
                if len(raw) > _MOST_ERROR:
                    break
        except (httpx.TransportError, OSError):
            pass  # the status says enough
        return refusal(self.url, response.status_code, own_words(bytes(raw), self._key), tries)

    async def _chunks(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        try:
            async for chunk in response.aiter_bytes():
                yield chunk
        except httpx.TimeoutException:
            raise self._silent() from None
        except (httpx.TransportError, httpx.DecodingError, OSError):
            raise self.broken() from None

    def _no_answer(self, error: Exception) -> WorkbenchError:
        if isinstance(error, httpx.ReadTimeout):
            return self._silent()
        if isinstance(error, httpx.TransportError):
            return unreachable(self.url, error)
        return WorkbenchError("remote_unreachable", url=self.url, reason=Phrase("server_dropped"))

    def _silent(self) -> WorkbenchError:
        return WorkbenchError("remote_silent", url=self.url, seconds=f"{self._silence:g}")

    def broken(self) -> WorkbenchError:
        """The error of an answer that broke off."""
        return WorkbenchError("remote_broken", url=self.url)

    def _garbage(self, reason: str) -> WorkbenchError:
        return WorkbenchError("remote_garbage", url=self.url, reason=reason)


def _unused_context() -> ssl.SSLContext:
    """One that trusts no authority."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


async def _until(work: Coroutine[Any, Any, Result], stop: Event | None) -> Result:
    """The work's result, unless a stop comes first."""
    if stop is not None and stop.is_set():
        work.close()
        raise Cancelled
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=_LOOK)
            if not task.done() and stop is not None and stop.is_set():
                raise Cancelled
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
