"""Which GGUF file a path means. It reads no file, only names."""

import re
from pathlib import Path

from engine.errors import WorkbenchError

SUFFIX = ".gguf"
_PART = re.compile(r"-(\d{5})-of-\d{5}\.gguf$", re.IGNORECASE)
_BESIDE = re.compile(r"mmproj|imatrix", re.IGNORECASE)
"""Files that lie beside a model: what sees pictures, and what quantisation was made with."""


def gguf_file(path: Path) -> Path | None:
    """The GGUF file that `path` is, or that a folder without another model holds; of a model in parts, the first.

    Raises:
        WorkbenchError: `gguf_several`.
    """
    if path.suffix.lower() == SUFFIX and path.is_file():
        return path
    if not path.is_dir() or (path / "config.json").is_file():
        return None
    named = sorted(one for one in path.iterdir() if one.suffix.lower() == SUFFIX and not _BESIDE.search(one.name))
    first = [one for one in named if not (part := _PART.search(one.name)) or part[1] == "00001"]
    if len(first) > 1:
        raise WorkbenchError("gguf_several", path=path, count=len(first), first=first[0])
    return first[0] if first else None


def parts_of(path: Path) -> tuple[Path, ...]:
    """All files of a model whose first part is given; the file itself where it is whole."""
    part = _PART.search(path.name)
    if part is None:
        return (path,)
    stem, tail = path.name[: part.start()], path.name[part.end() - len("-of-00000.gguf") :]
    total = int(tail[4:9])
    return tuple(path.with_name(f"{stem}-{number:05d}{tail}") for number in range(1, total + 1))
