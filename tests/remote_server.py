"""A small server that speaks the OpenAI-compatible protocol, over a model of a few rules, and can be made to fail."""

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_TOKEN = re.compile(r" ?[A-Za-z0-9_]+|.", re.DOTALL)
_FILLERS = (" the", " of", "\n", " a", ".", " and")


def tokens_of(text: str) -> list[str]:
    """The model's tokens: a word with the blank before it, or one character."""
    return _TOKEN.findall(text)


def log_of(before: str, token: str) -> float:
    """What the model thinks of a token after a text: the likelier, the more often the text says that word."""
    said = before.count(token.strip()) if len(token.strip()) > 1 else 0
    return -4.0 / (1 + said) - len(token) / 50


@dataclass
class Remote:
    """What the server has, honours, and does wrong.

    says: what is written after a request, where no structure is kept to. dialects: of structured outputs.
    kinds: ways of telling a prompt's log-probabilities. top: logprobs that may be asked for; 0: none are told.
    statuses: of the next answers, each with a body; None: as it should be; 0: the connection is closed.
    raw: sent in place of any JSON.
    drop_after, hang_after: events of a stream after which it breaks off or stands still. pace: seconds between events.
    """

    models: list[dict[str, Any]] = field(default_factory=lambda: [{"id": "tiny", "max_model_len": 2048}])
    says: Callable[[dict[str, Any]], str] = lambda _: " It falls from clouds."
    completions: bool = True
    chat: bool = True
    dialects: tuple[str, ...] = ("structured_outputs",)
    kinds: tuple[str, ...] = ("prompt_logprobs", "echo")
    top: int = 20
    objects: bool = False
    key: str | None = None
    statuses: list[tuple[int, dict[str, str], bytes] | None] = field(default_factory=list)
    raw: bytes | None = None
    drop_after: int | None = None
    hang_after: int | None = None
    pings: bool = False
    endless: bool = False
    pace: float = 0.0
    cut: bool = False
    keeps_stops: bool = True
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    gone: threading.Event = field(default_factory=threading.Event)
    open: threading.Event = field(default_factory=threading.Event)

    def bodies(self, path: str = "/completions") -> list[dict[str, Any]]:
        """The requests to a path, without those made at load."""
        return [body for asked, body in self.asked if asked == path]

    # The answers.

    def answer(self, handler: "_Handler", path: str, body: dict[str, Any]) -> None:
        """Answer one request."""
        self.asked.append((path, body))
        self.keys.append(handler.headers.get("Authorization"))
        told = self.statuses.pop(0) if self.statuses else None
        if self.key is not None and self.keys[-1] != f"Bearer {self.key}":
            told = (401, {}, b'{"error": {"message": "no key"}}')
        if told is None and path != "/models":
            there = {"/completions": self.completions, "/chat/completions": self.chat}.get(path, False)
            told = None if there else (404, {}, b'{"error": {"message": "Not Found"}}')
        if told is None:
            told = self._refused(path, body)
        if told is not None and told[0] == 0:
            handler.close_connection = True
        elif told is not None:
            handler.send(told[0], told[2], told[1])
        elif self.raw is not None:
            handler.send(200, self.raw, {})
        elif path == "/models":
            handler.send(200, json.dumps({"object": "list", "data": self.models}).encode(), {})
        elif body.get("stream"):
            self._stream(handler, path, body)
        else:
            if self.hang_after == 0:
                self.open.wait(30)
            handler.send(200, json.dumps(self._whole(path, body)).encode(), {})

    def _refused(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes] | None:
        wanted = body.get("top_logprobs", body.get("logprobs")) or 0
        if path != "/models" and not isinstance(wanted, bool) and wanted > self.top > 0:
            return 400, {}, b'{"error": {"message": "too many logprobs"}}'
        limit = self.models[0].get("max_model_len", 1 << 30) if self.models else 0
        if len(tokens_of(body.get("prompt", ""))) > limit:
            said = f"This model's maximum context length is {limit} tokens."
            return 400, {}, json.dumps({"error": {"message": said}}).encode()
        return None

    def _text(self, body: dict[str, Any]) -> tuple[str, str]:
        """What is written, and why it ends."""
        forced = self._forced(body)
        text = self.says(body) if forced is None else forced
        reason = "stop"
        for stop in body.get("stop", ()) if self.keeps_stops else ():
            text = text.split(stop)[0]
        parts = tokens_of(text)
        if len(parts) > body["max_tokens"] or self.cut:
            text, reason = "".join(parts[: body["max_tokens"]]), "length"
        return text, reason

    def _forced(self, body: dict[str, Any]) -> str | None:
        structure = body.get("structured_outputs") or {k[7:]: v for k, v in body.items() if k.startswith("guided_")}
        name = "structured_outputs" if "structured_outputs" in body else "guided"
        if name in self.dialects and "choice" in structure:
            said = _said(body)
            return max(structure["choice"], key=lambda one: log_of(said, one))
        if "llama" in self.dialects and "grammar" in body:
            ways = [json.loads(one) for one in body["grammar"].removeprefix("root ::= ").split(" | ")]
            return max(ways, key=lambda one: log_of(_said(body), one))
        schema = structure.get("json") if name in self.dialects else None
        schema = body.get("json_schema") if "llama" in self.dialects and "json_schema" in body else schema
        if "response_format" in self.dialects and "response_format" in body:
            schema = body["response_format"]["json_schema"]["schema"]
        if schema and "zq" in schema["properties"]:
            return json.dumps({"zq": schema["properties"]["zq"]["enum"][0]})
        return None

    def _whole(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        text, reason = self._text(body)
        chat = path == "/chat/completions"
        choice: dict[str, Any] = {"index": 0, "finish_reason": reason}
        choice |= {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        if self.top and body.get("logprobs"):
            choice["logprobs"] = self._logprobs(body, text, chat)
        if not chat and "prompt_logprobs" in self.kinds and body.get("prompt_logprobs") is not None:
            choice["prompt_logprobs"] = self._of_prompt(body["prompt"])
        if not chat and "echo" in self.kinds and body.get("echo"):
            choice["text"] = body["prompt"] + text
            echoed = [None, *(next(iter(one.values()))["logprob"] for one in self._of_prompt(body["prompt"])[1:])]
            told = choice["logprobs"]
            told["tokens"] = tokens_of(body["prompt"]) + told["tokens"]
            told["token_logprobs"] = echoed + told["token_logprobs"]
        return {"choices": [choice], "usage": {"completion_tokens": len(tokens_of(text))}}

    @staticmethod
    def _of_prompt(prompt: str) -> list[Any]:
        told: list[Any] = [None]
        parts = tokens_of(prompt)
        for place in range(1, len(parts)):
            log = log_of("".join(parts[:place]), parts[place])
            told.append({str(abs(hash(parts[place]))): {"logprob": log, "rank": 1, "decoded_token": parts[place]}})
        return told

    def _logprobs(self, body: dict[str, Any], text: str, chat: bool) -> dict[str, Any]:
        count = body.get("top_logprobs", body["logprobs"])
        before = _said(body)
        places = []
        for token in tokens_of(text):
            known = {one: log_of(before, one) for one in (*tokens_of(before)[-400:], *_FILLERS) if one != token}
            best = sorted(known.items(), key=lambda one: -one[1])[: int(count)]
            places.append((token, log_of(before, token), best))
            before += token
        if chat or self.objects:
            content = [
                {
                    "token": token,
                    "bytes": list(token.encode()),
                    "logprob": log,
                    "top_logprobs": [{"token": one, "bytes": list(one.encode()), "logprob": at} for one, at in best],
                }
                for token, log, best in places
            ]
            return {"content": content}
        return {
            "tokens": [token for token, _, _ in places],
            "token_logprobs": [log for _, log, _ in places],
            "top_logprobs": [{token: log} | dict(best) for token, log, best in places],
        }

    def _stream(self, handler: "_Handler", path: str, body: dict[str, Any]) -> None:
        text, reason = self._text(body)
        chat = path == "/chat/completions"
        parts = tokens_of(text)
        if self.endless:
            parts = parts * 10_000
        handler.begin()
        try:
            for number, part in enumerate(parts):
                if number == self.drop_after:
                    handler.close_connection = True
                    return
                if number == self.hang_after:
                    self._wait(handler)
                    return
                choice: dict[str, Any] = {"index": 0, "finish_reason": None}
                choice |= {"delta": {"content": part}} if chat else {"text": part}
                if self.top and body.get("logprobs"):
                    choice["logprobs"] = self._logprobs(
                        body | {"prompt": _said(body) + "".join(parts[:number])}, part, chat
                    )
                handler.event({"choices": [choice]})
                time.sleep(self.pace)
            last: dict[str, Any] = {"index": 0, "finish_reason": reason}
            last |= {"delta": {}} if chat else {"text": ""}
            handler.event({"choices": [last]})
            handler.event({"choices": [], "usage": {"completion_tokens": len(parts)}})
            handler.chunk(b"data: [DONE]\n\n")
            handler.chunk(b"")
        except OSError:
            self.gone.set()
            handler.close_connection = True

    def _wait(self, handler: "_Handler") -> None:
        """Stand still until the client goes, or the test ends."""
        handler.connection.settimeout(0.02)
        end = time.monotonic() + 30
        while time.monotonic() < end and not self.open.is_set():
            if self.pings:
                handler.chunk(b": ping\n\n")
            try:
                if handler.connection.recv(1) == b"":
                    raise ConnectionResetError
            except TimeoutError:
                continue


def ignoring() -> Remote:
    """A server that honours nothing beyond plain completions and chats."""
    return Remote(dialects=(), kinds=(), top=0)


def _said(body: dict[str, Any]) -> str:
    return str(body["prompt"]) if "prompt" in body else "".join(one["content"] for one in body["messages"])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    remote: Remote

    def do_GET(self) -> None:
        self.remote.answer(self, self.path.removeprefix("/v1"), {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            self.remote.answer(self, self.path.removeprefix("/v1"), body)
        except OSError:
            self.remote.gone.set()
            self.close_connection = True

    def send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """One whole answer."""
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def begin(self) -> None:
        """The head of a stream."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def event(self, data: dict[str, Any]) -> None:
        """One event, in two pieces that are cut anywhere."""
        raw = f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
        self.chunk(raw[: len(raw) // 2])
        self.chunk(raw[len(raw) // 2 :])

    def chunk(self, raw: bytes) -> None:
        """A chunk of the stream; an empty one ends it."""
        self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Clients go as they please."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(*_)


@contextmanager
def serve_remote(remote: Remote) -> Iterator[str]:
    """Serve it on a free port of this machine; gives the address with its /v1."""
    handler = type("Handler", (_Handler,), {"remote": remote})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        remote.open.set()
        server.shutdown()
        server.server_close()
        thread.join()
