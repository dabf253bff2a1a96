"""The folder of fetched and converted models: complete or absent, never half there, and written by one at a
time.

A model's folder is built beside its place, gets its manifest last and is moved there in one step. It knows
nothing of where models come from.
"""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event

from filelock import FileLock, Timeout

from engine.errors import Cancelled, WorkbenchError
from engine.model.memory import human_bytes
from engine.types import LoadProgress

CONVERTER = 1
"""Raised when the converters write something else; folders of another version are built again."""

MANIFEST = "manifest.json"
_CHUNK = 1 << 20
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}

Report = Callable[[LoadProgress], None]


@dataclass(frozen=True)
class Manifest:
    """What a built model folder is made of.

    source: a hub id, or a package and its version. revision: the commit or version that was fetched.
    sha256: checksums of the files it was made from, by name. files: sizes in bytes of the folder's files, by
    name.
    """

    name: str
    source: str
    revision: str
    licence: str
    sha256: dict[str, str]
    converter: int = CONVERTER
    files: dict[str, int] = field(default_factory=dict)


def model_folder(cache_dir: Path, folder: str) -> Path:
    """Where the built model of that folder name lies or will lie."""
    return cache_dir / "models" / folder


def converted_models(cache_dir: Path) -> Path:
    """Where models lie that were converted to a precision."""
    return cache_dir / "converted"


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a complete folder; None if anything is missing, cut short or of another converter."""
    try:
        manifest = Manifest(**json.loads((folder / MANIFEST).read_text("utf-8")))
        whole = all((folder / name).stat().st_size == size for name, size in manifest.files.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return manifest if whole and manifest.converter == CONVERTER and manifest.files else None


@contextmanager
def building(final: Path) -> Iterator[Path]:
    """An empty folder that becomes `final` when the block ends well, and vanishes when it does not.

    The caller holds the model's lock. What stood at `final` is replaced.
    """
    draft = final.with_name(final.name + ".partial")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        yield draft
        shutil.rmtree(final, ignore_errors=True)
        os.replace(draft, final)
    except OSError as error:
        raise_if_full(error, final)
        raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest with the sizes of the files that `folder` now holds."""
    files = {
        path.name: path.stat().st_size for path in sorted(folder.iterdir()) if path.is_file() and path.name != MANIFEST
    }
    data = asdict(manifest) | {"files": files}
    (folder / MANIFEST).write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", "utf-8")


@contextmanager
def locked(cache_dir: Path, name: str, stop: Event) -> Iterator[None]:
    """Hold the lock of one model against other threads and processes.

    Raises:
        Cancelled: `stop` was set while waiting.
    """
    folder = cache_dir / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock", thread_local=False)
    while True:
        if stop.is_set():
            raise Cancelled
        try:
            lock.acquire(timeout=0.2, poll_interval=0.05)
            break
        except Timeout:
            continue
    try:
        yield
    finally:
        lock.release()


def require_space(path: Path, needed: int) -> None:
    """Check that `needed` bytes fit on the disk of `path`, which need not exist yet.

    Raises:
        WorkbenchError: `disk_full`.
    """
    existing = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise WorkbenchError("disk_full", path=path, needed=human_bytes(needed), free=human_bytes(free))


def raise_if_full(error: BaseException, path: Path) -> None:
    """Turn an error of a full disk into `disk_full`; do nothing about any other."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        existing = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
        free = human_bytes(shutil.disk_usage(existing).free)
        raise WorkbenchError("disk_full", path=path, needed="more bytes", free=free) from error


def folder_bytes(folder: Path) -> int:
    """The size of all files below `folder`, which others may be changing meanwhile."""
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            size += 0 if path.is_symlink() or path.is_dir() else path.stat().st_size
    return size


def sha256_of(path: Path, report: Report, stop: Event) -> str:
    """The file's SHA-256 in hexadecimal, with progress of the phase `verify`."""
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if stop.is_set():
                raise Cancelled
            digest.update(chunk)
            done += len(chunk)
            report(LoadProgress("verify", done, total, "bytes", path.name))
    return digest.hexdigest()
