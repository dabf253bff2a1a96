"""Loopback servers that stand in for the package registry and the model hub, and can be made to misbehave."""

import hashlib
import json
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Files:
    """Answers GET and HEAD from `content`, by path.

    cut: bytes after which each of the next answers of a file breaks off, one entry an answer.
    ranges: whether `Range` is honoured. shift: bytes by which a part begins too late. refused: a status by path.
    pip_only: only pip is given files. login: the Authorization that is asked for.
    """

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}
        self.headers: dict[str, dict[str, str]] = {}
        self.refused: dict[str, int] = {}
        self.cut: list[int] = []
        self.ranges = True
        self.shift = 0
        self.pip_only = False
        self.login: str | None = None
        self.stall = threading.Event()
        self.stall.set()
        self.asked: list[tuple[str, str, str]] = []
        """Method, path without its query, and Range of every request."""
        self.agents: list[str] = []
        """The program behind every request."""

    def ranges_of(self, path: str) -> list[str]:
        """The Range header of each GET of `path`; empty where it had none."""
        return [asked[2] for asked in self.asked if asked[:2] == ("GET", path)]

    def answer(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        """Answer one request."""
        path = handler.path.split("?")[0]
        asked_range = handler.headers.get("Range") or ""
        self.asked.append((method, path, asked_range))
        self.agents.append(handler.headers.get("User-Agent") or "")
        refused = self.refused.get(path)
        if self.pip_only and path.startswith("/files/") and not _is_pip(handler):
            refused = 403
        if self.login and handler.headers.get("Authorization") != self.login:
            refused = 401
        if refused or path not in self.content:
            _send(handler, refused or 404, b"", self.headers.get(path, {}), method)
            return
        body, headers = self.content[path], dict(self.headers.get(path, {}))
        status = 200
        if asked_range and self.ranges:
            start = int(asked_range.removeprefix("bytes=").split("-")[0]) + self.shift
            if start >= len(body):
                _send(handler, 416, b"", headers, method)
                return
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
            status, body = 206, body[start:]
        cut = None
        if method == "GET" and len(body) > 10_000:  # a file, not a page
            cut = self.cut.pop(0) if self.cut else None
            self.stall.wait(20)
        _send(handler, status, body, headers, method, cut)


def _is_pip(handler: BaseHTTPRequestHandler) -> bool:
    return handler.headers.get("User-Agent", "").startswith("pip/")


def _send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    headers: dict[str, str],
    method: str,
    cut: int | None = None,
) -> None:
    handler.send_response(status)
    for name, value in ({"Content-Type": "application/octet-stream"} | headers).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if method == "GET":
        handler.wfile.write(body[:cut])
        handler.wfile.flush()
    if cut is not None:
        handler.close_connection = True


@contextmanager
def serve(files: Files) -> Iterator[str]:
    """Serve `files`; gives the address, without a slash at the end."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            try:
                files.answer(self, "GET")
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def do_HEAD(self) -> None:
            files.answer(self, "HEAD")

        def log_message(self, *_: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        files.stall.set()
        server.shutdown()
        server.server_close()
        thread.join()


def build_wheel(path: Path, package: str, version: str, members: dict[str, bytes]) -> str:
    """Write a wheel that pip accepts, with `members` stored as they are; gives its SHA-256."""
    info = f"{package}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {package.replace('_', '-')}\nVersion: {version}\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def add_index(files: Files, package: str, wheels: list[Path]) -> None:
    """Offer `wheels` on a simple index page of `package`."""
    links = "".join(f'<a href="/files/{wheel.name}">{wheel.name}</a>' for wheel in wheels)
    page = f"/simple/{package}/"
    files.content[page] = f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
    files.headers[page] = {"Content-Type": "text/html"}
    for wheel in wheels:
        files.content[f"/files/{wheel.name}"] = wheel.read_bytes()


def add_repository(files: Files, hub_id: str, commit: str, content: dict[str, bytes], revision: str = "main") -> None:
    """Offer a repository as the model hub does, as far as the hub library asks."""
    siblings = [{"rfilename": name, "size": len(body)} for name, body in content.items()]
    info = {"id": hub_id, "sha": commit, "siblings": siblings, "tags": [], "downloads": 0, "likes": 0, "private": False}
    tree = [
        {"type": "file", "path": name, "size": len(body), "oid": hashlib.sha256(body).hexdigest()[:40]}
        for name, body in content.items()
    ]
    api = f"/api/models/{hub_id}"
    for path, data in ((f"{api}/revision/{revision}", info), (api, info), (f"{api}/tree/{commit}", tree)):
        files.content[path] = json.dumps(data).encode()
        files.headers[path] = {"Content-Type": "application/json"}
    for name, body in content.items():
        path = f"/{hub_id}/resolve/{commit}/{name}"
        files.content[path] = body
        files.headers[path] = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:40]}"', "X-Repo-Commit": commit}
