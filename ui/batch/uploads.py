"""Files that were given to the page and are no job yet: on the disk at once, under an id that cannot be guessed.

They lie in a folder of the data folder that the user alone may read; those that nobody made a job of go after a day.
"""

import hashlib
import json
import re
import secrets
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from engine.errors import WorkbenchError
from ui.engine import workbench

_TOKEN = re.compile(r"[0-9a-f]{32}")
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")
_CHUNK = 2**20
_DAY = 24 * 3600.0


@dataclass(frozen=True)
class Upload:
    """A file on the disk. name: as the user has it. size: bytes. digest: SHA-256, as `engine.jobs.tables.digest`."""

    token: str
    name: str
    path: str
    size: int
    digest: str


def take(name: str, source: BinaryIO) -> Upload:
    """Copy a file that was given to the disk.

    Raises:
        WorkbenchError: `file_not_written`; `upload_too_large`, where it is larger than the limit of the settings.
    """
    drop_old()
    limit = workbench().settings.upload_limit
    token = secrets.token_hex(16)
    folder = _folder() / token
    suffix = Path(name).suffix.lower()
    path = folder / f"data{suffix if _SUFFIX.fullmatch(suffix) else ''}"
    digest, size = hashlib.sha256(), 0
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
        with path.open("wb") as target:
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                if size > limit:
                    raise WorkbenchError("upload_too_large", name=name, limit=limit // 2**20)
                digest.update(chunk)
                target.write(chunk)
        given = Upload(token, name, str(path), size, digest.hexdigest())
        (folder / "upload.json").write_text(json.dumps(asdict(given)), "utf-8")
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise WorkbenchError("file_not_written", path=path, reason=error.strerror or error) from None
    except WorkbenchError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return given


def find(token: object) -> Upload | None:
    """The file of an id, which may come from a browser; None where there is none such, or no longer."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        return None
    folder = _folder() / token
    try:
        given = Upload(**json.loads((folder / "upload.json").read_text("utf-8")))
        return given if Path(given.path).is_file() else None
    except (OSError, ValueError, TypeError):
        return None


def drop(token: object) -> None:
    """Delete a file that is not wanted; jobs have copies of their own."""
    if find(token) is not None:
        shutil.rmtree(_folder() / str(token), ignore_errors=True)


def drop_old() -> None:
    """Delete what has lain there for more than a day."""
    try:
        folders = list(_folder().iterdir())
    except OSError:
        return
    for folder in folders:
        try:
            old = time.time() - folder.stat().st_mtime > _DAY
        except OSError:
            continue
        if old and _TOKEN.fullmatch(folder.name):
            shutil.rmtree(folder, ignore_errors=True)


def _folder() -> Path:
    return workbench().settings.data_dir / "uploads"
