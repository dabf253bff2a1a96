"""What of the model hub is on this disk already, and where the hub is. It asks no network.

The layout is the hub library's own, in our cache folder, with one more file a repository: the record of a
finished fetch, since a snapshot's folder alone does not tell whether it is whole.
"""

import json
import os
from pathlib import Path

from engine.errors import WorkbenchError
from engine.model.preflight import check
from engine.settings import Settings

_TRUE = {"1", "on", "yes", "true"}


def forbidden(settings: Settings) -> bool:
    """Whether the settings or the hub library's own variable keep the model hubs out of reach."""
    return settings.offline or os.environ.get("HF_HUB_OFFLINE", "").lower() in _TRUE


def endpoint() -> str:
    """The hub's address, as HF_ENDPOINT or the library sets it."""
    from huggingface_hub import constants

    return (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")


def complete(hub_id: str, revision: str, cache_dir: Path) -> Path | None:
    """The snapshot that an earlier fetch finished, or None; without the network."""
    repository = _repository(hub_id, cache_dir)
    try:
        record = json.loads(record_of(hub_id, revision, cache_dir).read_text("utf-8"))
        folder = repository / "snapshots" / record["commit"]
        whole = all((folder / name).stat().st_size == size for name, size in record["files"].items())
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return folder if whole else None


def cached(hub_id: str, revision: str, cache_dir: Path) -> Path | None:
    """A snapshot that can be loaded, finished by us or put there by someone else, or None; without the
    network.
    """
    folder = complete(hub_id, revision, cache_dir)
    if folder is not None:
        return folder
    repository = _repository(hub_id, cache_dir)
    try:
        folder = repository / "snapshots" / (repository / "refs" / revision).read_text("utf-8").strip()
        check(folder, hub_id)
    except (OSError, WorkbenchError):
        return None
    return folder


def record_of(hub_id: str, revision: str, cache_dir: Path) -> Path:
    """The file that says that a fetch was finished, which commit it gave, and the sizes of its files."""
    return _repository(hub_id, cache_dir) / f"fetched-{revision.replace('/', '--')}.json"


def _repository(hub_id: str, cache_dir: Path) -> Path:
    return cache_dir / "hub" / ("models--" + hub_id.replace("/", "--"))
