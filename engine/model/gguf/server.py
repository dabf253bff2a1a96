"""llama.cpp's server inside this process (package xllamacpp): one model, asked for one token at a time.

Requests go to it directly. Only texts are turned into tokens over its HTTP port, which is on 127.0.0.1, chosen by the
system, closed to everyone without the key that is drawn for it, and gone with the model.

A request runs on a thread of its own, so that a server that hangs is left alone after a time instead of hanging its
caller; it is not asked again.
"""

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from engine.errors import Cancelled, WorkbenchError

SLOTS = 4
"""Prompts whose keys and values are kept: the next request goes on from the one that begins alike."""

_CHUNK = 256
"""Prompt tokens a forward pass: the longest wait before a stop is noticed."""
_LONG = 32
"""New tokens from which a prompt is read by a request of its own, which can be stopped."""
_PATIENCE = 600.0
"""Seconds without any sign after which the server counts as dead: a step of the slowest machine is shorter."""
_hung: list[Any] = []
"""Servers that hang: to let go of one would wait for it."""


class LlamaServer:
    """A loaded model. One caller at a time."""

    def __init__(self, path: Path, *, name: str, context: int, threads: int | None) -> None:
        """Load. context: tokens of one prompt and its answer; twice as many are kept in all.

        Raises:
            WorkbenchError: `extra_missing`, or `not_loadable` where llama.cpp refuses the file.
        """
        try:
            import xllamacpp
        except ImportError as error:
            raise WorkbenchError("extra_missing", what="A GGUF model", extra="gguf") from error
        import httpx

        key = secrets.token_hex(16)
        try:
            self._server: Any = xllamacpp.Server(_parameters(xllamacpp, path, context, threads, key))
        except (RuntimeError, ValueError) as error:
            reason = "llama.cpp refuses the file, or the memory does not suffice"
            raise WorkbenchError("not_loadable", name=name, reason=reason) from error
        self.address: str = self._server.listening_address
        self._http = httpx.Client(
            base_url=self.address, headers={"Authorization": f"Bearer {key}"}, trust_env=False, timeout=_PATIENCE
        )
        self._dead = False
        self._last: dict[int | None, list[int]] = {}

    def tokenize(self, text: str, *, markup: bool) -> list[int]:
        """Token ids of a text. markup: whether names of control tokens in it are control tokens."""
        import httpx

        self._check_alive()
        body = {"content": text, "add_special": False, "parse_special": markup}
        try:
            try:
                answer = self._http.post("/tokenize", json=body)
            except (httpx.RemoteProtocolError, httpx.ReadError):  # an idle connection was closed just now
                answer = self._http.post("/tokenize", json=body)
            answer.raise_for_status()
            return [int(token) for token in answer.json()["tokens"]]
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise self.failed(type(error).__name__) from None

    def step(self, ids: Sequence[int], body: Mapping[str, Any], stop: Event | None = None) -> dict[str, Any]:
        """What follows a prompt: one token, as the server tells it, in its own form.

        Raises:
            Cancelled: `stop` was set.
            WorkbenchError: `model_silent`.
        """
        ids, slot = list(ids), body.get("id_slot")
        if len(ids) - _alike(ids, self._last.get(slot, ())) > _LONG:
            self._read(ids[:-1], slot, stop)
        _check(stop)
        self._last[slot] = ids
        request = {"prompt": ids, "n_predict": 1, "cache_prompt": True, **body}
        answer = self._wait(lambda: self._server.handle_completions(request))
        if not isinstance(answer, dict) or not answer.get("choices"):
            raise self._refused(answer)
        return answer

    def forget(self) -> None:
        """Let go of all prompts that were read."""
        self._last.clear()
        for slot in range(SLOTS):
            body = {"prompt": [0], "n_predict": 1, "cache_prompt": False, "id_slot": slot}
            self._wait(partial(self._server.handle_completions, body))

    def close(self) -> None:
        """Free the model and close the port."""
        self._http.close()
        if self._dead and self._server is not None:
            _hung.append(self._server)
        self._server = None
        self._dead = True

    def _read(self, ids: list[int], slot: int | None, stop: Event | None) -> None:
        """Have a prompt's keys and values computed; a stop is noticed between parts of it."""
        beat = Event()
        errors: list[Any] = []

        def take(chunk: Any) -> bool:
            beat.set()
            if isinstance(chunk, dict) and "error" in chunk:
                errors.append(chunk)
            return stop is not None and stop.is_set()

        self._last.pop(slot, None)
        request = {
            "prompt": ids, "n_predict": 1, "cache_prompt": True, "stream": True, "return_progress": True,
            "sse_ping_interval": -1, "id_slot": -1 if slot is None else slot,
        }  # fmt: skip
        self._wait(lambda: self._server.handle_completions(request, take), beat)
        _check(stop)
        if errors:
            raise self._refused(errors[0])

    def _wait(self, call: Callable[[], Any], beat: Event | None = None) -> Any:
        """What a call gives. beat: set at every sign of life, after which the patience begins anew."""
        self._check_alive()
        future: Future[Any] = Future()

        def run() -> None:
            try:
                future.set_result(call())
            except BaseException as error:  # it is the caller's to see
                future.set_exception(error)

        threading.Thread(target=run, name="gguf-request", daemon=True).start()
        while True:
            try:
                return future.result(_PATIENCE)
            except NotYet:
                if beat is None or not beat.is_set():
                    self._dead = True
                    raise self.failed(f"no answer within {_PATIENCE:.0f} seconds") from None
                beat.clear()
            except (RuntimeError, ValueError) as error:
                raise self.failed(type(error).__name__) from None

    def _check_alive(self) -> None:
        if self._dead:
            raise self.failed("it is closed")

    def _refused(self, answer: Any) -> WorkbenchError:
        """What became of a request that was answered by an error; its words may hold no text of the user's."""
        error = answer.get("error") if isinstance(answer, dict) else None
        said = str(error.get("message", "")) if isinstance(error, dict) else "an answer of another form"
        if "memory" in said.lower():
            return WorkbenchError("out_of_memory")
        return self.failed(said.split("\n")[0][:200].rstrip("."))

    @staticmethod
    def failed(reason: str) -> WorkbenchError:
        """The error that says so."""
        return WorkbenchError("model_silent", reason=reason)


def _parameters(xllamacpp: Any, path: Path, context: int, threads: int | None, key: str) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    if threads:
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.n_parallel = SLOTS
    parameters.kv_unified = True
    parameters.n_ctx = 2 * context
    parameters.n_batch = parameters.n_ubatch = _CHUNK
    parameters.n_gpu_layers = 0
    parameters.fit_params = False
    parameters.cache_ram_mib = 0  # what a slot has read is kept there, and nowhere else
    parameters.verbosity = 0  # its log may hold texts
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [key]
    parameters.n_threads_http = 2
    parameters.endpoint_slots = False
    parameters.ui = False
    parameters.use_jinja = False
    parameters.chat_template = "chatml"  # the file's own is read here; one that it cannot read would end the load
    return parameters


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two prompts begin with alike."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _check(stop: Event | None) -> None:
    if stop is not None and stop.is_set():
        raise Cancelled
