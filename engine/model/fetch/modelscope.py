"""Models from ModelScope, through its own package, which is an extra.

Its downloads cannot be stopped from outside: after a stop, a file may go on in the background until it is
done. ModelScope gives no commit, so the branch's name stands for the revision.
"""

from dataclasses import dataclass
from pathlib import Path
from threading import Event

from engine.errors import WorkbenchError
from engine.model.cache import Manifest, Report, folder_bytes, raise_if_full, read_manifest, write_manifest
from engine.model.fetch import background
from engine.types import LoadProgress

_PATTERNS = ["*.json", "*.safetensors", "pytorch_model*.bin", "*.txt", "*.model", "*.jinja", "LICENSE*"]


@dataclass(frozen=True)
class Wanted:
    """A repository. size: bytes that are expected, for the progress; 0 where not known."""

    model_id: str
    revision: str
    size: int


def fetch(wanted: Wanted, cache_dir: Path, *, offline: bool, report: Report, stop: Event) -> Path:
    """Bring a repository's model files here and give their folder; a finished fetch asks no network again.

    Raises:
        Cancelled: `stop` was set.
        WorkbenchError: `extra_missing`, `offline_missing`, `download_failed` or `disk_full`.
    """
    folder = cache_dir / "modelscope" / wanted.model_id.replace("/", "--")
    if read_manifest(folder) is not None:
        return folder
    if offline:
        raise WorkbenchError("offline_missing", name=wanted.model_id)
    try:
        from modelscope.hub.snapshot_download import snapshot_download
    except ImportError as error:
        raise WorkbenchError("extra_missing", what="ModelScope", extra="modelscope") from error

    def tell() -> None:
        done = folder_bytes(folder)
        report(LoadProgress("fetch", done, wanted.size or None, "bytes", wanted.model_id))

    def call() -> object:
        return snapshot_download(
            wanted.model_id, revision=wanted.revision, local_dir=str(folder), allow_patterns=_PATTERNS
        )

    try:
        background.run(call, stop, tell, seconds=0.5)
    except WorkbenchError:
        raise
    except Exception as error:  # the package raises many kinds, of requests and of its own
        raise_if_full(error, cache_dir)
        reason = str(error).split("\n")[0]
        raise WorkbenchError("download_failed", name=wanted.model_id, reason=reason) from error
    write_manifest(folder, Manifest(wanted.model_id, wanted.model_id, wanted.revision, "", {}))
    return folder
