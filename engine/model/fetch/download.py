"""One file over HTTP: resumed where it stopped, checked by its SHA-256, complete or absent.

The unfinished file lies beside the wanted one with the suffix `.part` and outlives the process. Certificates
and proxies come from the variables that pip and its kin obey. It knows nothing of models.
"""

import logging
import os
import ssl
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import httpx

from engine.errors import Cancelled, WorkbenchError
from engine.model.cache import Report, raise_if_full, require_space, sha256_of
from engine.types import LoadProgress

log = logging.getLogger(__name__)

_ATTEMPTS = 3
_PAUSE_SECONDS = 1.0
_CHUNK = 1 << 16
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_CERTIFICATES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


class UnreachableError(Exception):
    """The address gave no complete file; what came is kept. The text is a plain reason."""


@dataclass(frozen=True)
class Wanted:
    """What a file should be. name: what messages call it. size: bytes, 0 where not known."""

    name: str
    sha256: str
    size: int


def download(url: str, target: Path, wanted: Wanted, *, report: Report, stop: Event, attempts: int = _ATTEMPTS) -> None:
    """Bring `url`, of http, https or file, to `target`.

    Raises:
        Cancelled: `stop` was set; the part that came is kept.
        UnreachableError: after `attempts` attempts, or at once where trying again is no use.
        WorkbenchError: `checksum_mismatch` (nothing is kept) or `disk_full`.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    have = part.stat().st_size if part.exists() else 0
    require_space(target, max(0, wanted.size - have))
    _bring(url, part, wanted, report=report, stop=stop, attempts=attempts)
    good = sha256_of(part, report, stop) == wanted.sha256
    if not good and have:
        log.warning("the unfinished download of %s was damaged; it starts again", wanted.name)
        part.unlink()
        _bring(url, part, wanted, report=report, stop=stop, attempts=attempts)
        good = sha256_of(part, report, stop) == wanted.sha256
    if not good:
        part.unlink()
        raise WorkbenchError("checksum_mismatch", name=wanted.name)
    os.replace(part, target)


def _bring(url: str, part: Path, wanted: Wanted, *, report: Report, stop: Event, attempts: int) -> None:
    if stop.is_set():
        raise Cancelled
    try:
        if urllib.parse.urlsplit(url).scheme == "file":
            _copy(url, part, wanted.name, report, stop)
            return
        for attempt in range(1, attempts + 1):
            try:
                _get(url, part, wanted, report, stop)
                return
            except httpx.TransportError as error:
                if attempt == attempts:
                    raise UnreachableError(f"{_host(url)}: {_plain(error)}") from error
                log.info("attempt %d at %s broke off (%s)", attempt, wanted.name, _plain(error))
            if stop.wait(_PAUSE_SECONDS * attempt):
                raise Cancelled
    except httpx.InvalidURL as error:
        raise UnreachableError(f"{url} is no address") from error
    except OSError as error:
        raise_if_full(error, part)
        raise UnreachableError(_plain(error)) from error


def _get(url: str, part: Path, wanted: Wanted, report: Report, stop: Event) -> None:
    have = part.stat().st_size if part.exists() else 0
    if have >= wanted.size > 0:  # whole already, or too long: the checksum tells
        return
    # identity: a byte range of a compressed answer is of no use
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    proxy = os.environ.get("PIP_PROXY") or None  # None: httpx reads the usual variables
    with (
        httpx.Client(verify=_certificates(), proxy=proxy, timeout=_TIMEOUT, follow_redirects=True) as client,
        client.stream("GET", url, headers=headers) as response,
    ):
        goes_on = _goes_on(response, have, part)
        with part.open("ab" if goes_on else "wb") as file:
            done = file.tell()
            for chunk in response.iter_raw(_CHUNK):
                if stop.is_set():
                    raise Cancelled
                file.write(chunk)
                done += len(chunk)
                report(LoadProgress("fetch", done, wanted.size or None, "bytes", wanted.name))


def _goes_on(response: httpx.Response, have: int, part: Path) -> bool:
    """Whether the answer is the rest of a part of `have` bytes, rather than the whole file.

    Raises:
        httpx.ReadError: it is neither, and another attempt may help.
        UnreachableError: it is neither, for good.
    """
    status = response.status_code
    host = response.url.host
    if status == httpx.codes.OK:
        return False
    if status == httpx.codes.PARTIAL_CONTENT and have:
        if response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            return True
        raise UnreachableError(f"{host} sent another part than was asked for")
    if status == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
        part.unlink(missing_ok=True)
        raise httpx.ReadError("the server refused to go on from where the download stopped")
    if status >= httpx.codes.INTERNAL_SERVER_ERROR or status == httpx.codes.TOO_MANY_REQUESTS:
        raise httpx.ReadError(f"the server answered {status}")
    raise UnreachableError(f"{host} answered {status}")


def _copy(url: str, part: Path, name: str, report: Report, stop: Event) -> None:
    """A file of this machine; never a part of it is kept, since copying again costs little."""
    source = Path(urllib.request.url2pathname(urllib.parse.urlsplit(url).path))
    total, done = source.stat().st_size, 0
    with source.open("rb") as reader, part.open("wb") as writer:
        while chunk := reader.read(1 << 20):
            if stop.is_set():
                raise Cancelled
            writer.write(chunk)
            done += len(chunk)
            report(LoadProgress("fetch", done, total, "bytes", name))


def _certificates() -> ssl.SSLContext | bool:
    """The authorities that pip was told to trust; True for httpx's own choice."""
    for variable in _CERTIFICATES:
        path = os.environ.get(variable)
        if path and Path(path).is_file():
            return ssl.create_default_context(cafile=path)
        if path and Path(path).is_dir():
            return ssl.create_default_context(capath=path)
    return True


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).hostname or url


def _plain(error: Exception) -> str:
    return str(error).strip().split("\n")[0] or type(error).__name__
