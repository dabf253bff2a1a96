"""Field sets kept on this disk, one JSON file each, under any name a person gives them.

The name is inside the file; the file's own name is made from it and is safe on every file system. A file is written
whole or not at all. A file that cannot be read is reported beside the others. It checks no field set.
"""

import hashlib
import json
import os
import re
import tempfile
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import WorkbenchError
from engine.text.fields import field_set_json, read_field_set
from engine.text.labels import clean_label
from engine.types import FieldSpec

NAME_LIMIT = 200
"""Characters of a name."""
FILE_LIMIT = 1_000_000
"""Bytes of a field set's file, here and where one is uploaded."""


@dataclass(frozen=True)
class Listing:
    """The names of the field sets in their order, and the files that cannot be read."""

    names: tuple[str, ...]
    unreadable: tuple[str, ...] = ()


class FieldSets:
    """The field sets of one folder, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list(self) -> Listing:
        """What there is; it never fails because of one file."""
        names, unreadable = [], []
        for path in sorted(self._folder.glob("*.json")):
            try:
                names.append(_read(path)[0])
            except WorkbenchError:
                unreadable.append(path.name)
        return Listing(tuple(sorted(set(names), key=lambda name: (name.casefold(), name))), tuple(unreadable))

    def load(self, name: str) -> tuple[FieldSpec, ...]:
        """A field set by its name.

        Raises:
            WorkbenchError: `field_set_missing`; `bad_file` where its file cannot be read.
        """
        path = self._find(name)
        if path is None:
            raise WorkbenchError("field_set_missing", name=name)
        return _read(path)[1]

    def save(self, name: str, field_set: Sequence[FieldSpec]) -> str:
        """Keep a field set, in place of one of the same name; returns the name as it is kept.

        Raises:
            WorkbenchError: `field_set_unnamed` for a blank name; `file_not_written`.
        """
        kept = clean_name(name)
        if not kept:
            raise WorkbenchError("field_set_unnamed")
        path = self._find(kept) or self._folder / _file_name(kept)
        content = json.dumps({"name": kept, "fields": field_set_json(field_set)}, ensure_ascii=False, indent=1)
        try:
            _write(path, content.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise WorkbenchError("file_not_written", path=path, reason=error.strerror or error) from None
        return kept

    def delete(self, name: str) -> None:
        """Remove a field set; none of that name is fine.

        Raises:
            WorkbenchError: `file_not_written` where the folder does not let it go.
        """
        path = self._find(name)
        try:
            if path is not None:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise WorkbenchError("file_not_written", path=path, reason=error.strerror or error) from None

    def _find(self, name: str) -> Path | None:
        """The file of a name: as we name it, else any file that says so inside (copied there by hand)."""
        wanted = clean_name(name)
        own = self._folder / _file_name(wanted)
        if own.exists():
            return own
        return next((path for path in sorted(self._folder.glob("*.json")) if _name_inside(path) == wanted), None)


def clean_name(name: str) -> str:
    """A name as it is kept: one line, its characters composed, at most 200 of them."""
    return clean_label(unicodedata.normalize("NFC", clean_label(name))[:NAME_LIMIT])


def _file_name(name: str) -> str:
    """A file name of plain ASCII: what of the name can be read, and a digest that tells names apart."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.casefold())[:40].strip("-")
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{readable}-{digest}.json" if readable else f"{digest}.json"


def _read(path: Path) -> tuple[str, tuple[FieldSpec, ...]]:
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise WorkbenchError("bad_file", path=path, reason="it is too large")
        raw = path.read_text("utf-8")
        body: Any = json.loads(raw)
        if not isinstance(body, dict) or not isinstance(body.get("name"), str):
            raise WorkbenchError("bad_file", path=path, reason="it holds no field set")
        return clean_name(body["name"]) or path.stem, read_field_set(raw)
    except OSError as error:
        raise WorkbenchError("bad_file", path=path, reason=error.strerror or error) from None
    except (ValueError, RecursionError):
        raise WorkbenchError("bad_file", path=path, reason="it is not JSON") from None
    except WorkbenchError as error:
        if error.code == "bad_file":
            raise
        raise WorkbenchError("bad_file", path=path, reason=error.message) from None


def _name_inside(path: Path) -> str | None:
    try:
        return _read(path)[0]
    except WorkbenchError:
        return None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as target:
            target.write(content)
            target.flush()
            os.fsync(target.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
