"""What the files of a model state of it, looked at once for a state of them. Nothing is run, no weight is read."""

import functools
from pathlib import Path
from typing import Any

from engine.model.gguf.files import parts_of
from engine.model.gguf.header import GgufHeader
from engine.model.gguf.load import read_whole
from engine.model.preflight import ModelFiles, check

LONGEST = 120
"""Characters taken at most of what a model says of itself."""
_LONGEST_CARD = 1_000_000
Stamp = tuple[tuple[str, int, int], ...]


def folder_files(folder: Path, name: str, *, trusted: bool) -> ModelFiles:
    """`preflight.check`: pages ask at every run, and a tokenizer has megabytes.

    Raises:
        WorkbenchError: as there.
    """
    return _checked(folder, name, trusted, _stamp(folder))


def gguf_header(path: Path, name: str) -> GgufHeader:
    """The head of a GGUF file, over all its parts; it holds the whole vocabulary.

    Raises:
        WorkbenchError: `file_damaged`, or `folder_without_weights`.
    """
    return _header(path, name, tuple(_stamp(part.parent, part.name) for part in parts_of(path)))


def bytes_of(folder: Path) -> int:
    """Of the files that lie in the folder itself; links are followed, as the hub's cache holds nothing else."""
    return sum(size for _, size, _ in _stamp(folder))


def card(folder: Path) -> dict[str, Any]:
    """Licence and languages by the head of the folder's README, as model hubs have it; only text of a usual form."""
    from huggingface_hub.repocard import metadata_load

    readme, said = folder / "README.md", dict[str, Any]()
    try:
        said = (metadata_load(readme) or said) if readme.stat().st_size < _LONGEST_CARD else said
    except Exception:  # there is none, or it holds anything
        said = {}
    licence = said.get("license_name") or said.get("license")
    file = next((one.name for one in sorted(folder.glob("LICENSE*")) if one.is_file()), "")
    return {
        "licence": licence[:LONGEST] if isinstance(licence, str) else "",
        "licence_file": file[:LONGEST],
        "languages": codes(said.get("language")),
    }


def codes(said: object) -> tuple[str, ...]:
    """Codes of languages, as a model states one or several."""
    several = said if isinstance(said, list) else [said]
    return tuple(one[:8] for one in several if isinstance(one, str) and one)[:12]


def _stamp(folder: Path, only: str = "*") -> Stamp:
    """Name, size and time of every file of a folder, or of those of a name: another one where anything changed."""
    files = sorted(one for one in folder.iterdir() if one.is_file() and only in {"*", one.name})
    return tuple((one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in files)


@functools.lru_cache(maxsize=16)
def _checked(folder: Path, name: str, trusted: bool, stamp: Stamp) -> ModelFiles:
    return check(folder, name, trusted=trusted)


@functools.lru_cache(maxsize=16)
def _header(path: Path, name: str, stamp: tuple[Stamp, ...]) -> GgufHeader:
    return read_whole(path, name)
