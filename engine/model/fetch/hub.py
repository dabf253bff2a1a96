"""Models from the Hugging Face hub, into our own cache folder; interrupted downloads go on where they
stopped.

Only configuration, tokenizer and weights are taken, and code only where the user trusts it; of the weights safetensors
if there are any, else .bin. The snapshot's folder is named after the commit.
"""

import json
import logging
from pathlib import Path
from threading import Event, Lock
from typing import Any

from engine.errors import Cancelled, WorkbenchError
from engine.model.cache import Report, folder_bytes, raise_if_full, require_space
from engine.model.fetch import background
from engine.model.hub_cache import cached, complete, endpoint, record_of
from engine.model.own_code import code_files
from engine.types import LoadProgress

log = logging.getLogger(__name__)

_REST = (".json", ".jinja", ".txt", ".model")
_LICENCES = ("LICENSE", "LICENSE.txt", "LICENSE.md")


def fetch(
    hub_id: str,
    revision: str,
    cache_dir: Path,
    *,
    offline: bool,
    report: Report,
    stop: Event,
    code: bool = False,
    only: str = "",
) -> Path:
    """Bring a repository's model files here and give their folder, whose name is the commit.

    The network is not asked when an earlier fetch was finished.

    code: whether Python files are taken too. only: the one file that is taken, beside licences.

    Raises:
        Cancelled: `stop` was set; what was fetched is kept.
        WorkbenchError: `unknown_model`, `offline_missing`, `download_failed` or `disk_full`.
    """
    folder = complete(hub_id, revision, cache_dir) or (cached(hub_id, revision, cache_dir) if offline else None)
    if folder is not None and (offline or not code or _has_its_code(folder)):
        return folder
    if offline:
        raise WorkbenchError("offline_missing", name=hub_id)
    try:
        return _download(hub_id, revision, cache_dir, report, stop, code, only)
    except WorkbenchError:
        raise
    except Exception as error:  # the library raises kinds of its own, of httpx and of the system
        folder = cached(hub_id, revision, cache_dir)
        if folder is not None and not stop.is_set():  # the hub is away, the model is here
            log.warning("the hub failed (%s); the snapshot on the disk is used: %s", error, folder)
            return folder
        raise _translated(error, hub_id, cache_dir) from error


def _has_its_code(folder: Path) -> bool:
    """Whether the Python files are there that the configuration names: an earlier fetch may have left them out."""
    configs = []
    for name in ("config.json", "tokenizer_config.json"):
        try:
            config = json.loads((folder / name).read_text("utf-8"))
        except (OSError, ValueError):
            continue
        configs.append(config if isinstance(config, dict) else {})
    return all((folder / file).is_file() for file in code_files(*configs))


def wanted_files(sizes: dict[str, int], *, code: bool = False, only: str = "") -> dict[str, int]:
    """Of a repository's files with their sizes, those a model needs. Subfolders hold other formats.

    code: whether Python files are among them. only: one file, beside licences.
    """
    if only:
        return {name: size for name, size in sizes.items() if name == only or name in _LICENCES}
    top = {name: size for name, size in sizes.items() if "/" not in name}
    weights = [name for name in top if name.endswith(".safetensors")]
    if not weights:
        weights = [name for name in top if name.startswith("pytorch_model") and name.endswith(".bin")]
    kind = ".bin" if weights and weights[0].endswith(".bin") else ".safetensors"
    indexes = {name for name in top if name.endswith(".index.json") and kind not in name}
    suffixes = (*_REST, ".py") if code else _REST
    rest = [name for name in top if name.endswith(suffixes) or name in _LICENCES]
    return {name: top[name] for name in (*weights, *rest) if name not in indexes}


def _download(hub_id: str, revision: str, cache_dir: Path, report: Report, stop: Event, code: bool, only: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download

    report(LoadProgress("fetch", unit="bytes", detail=hub_id))
    where = endpoint()
    info = background.run(
        lambda: HfApi(endpoint=where).model_info(hub_id, revision=revision, files_metadata=True, timeout=20.0),
        stop,
        _nothing,
    )
    files = wanted_files({file.rfilename: file.size or 0 for file in info.siblings or ()}, code=code, only=only)
    if only and only not in files:
        raise WorkbenchError("download_failed", name=hub_id, reason=f"it holds no {only}")
    total = sum(files.values())
    here = folder_bytes(record_of(hub_id, revision, cache_dir).parent)
    require_space(cache_dir, max(0, total - here))
    counter = _Counter(stop)

    def call() -> str:
        return snapshot_download(
            hub_id,
            revision=revision,
            cache_dir=cache_dir / "hub",
            allow_patterns=sorted(files),
            tqdm_class=counter.bar_class(),
            endpoint=where,
        )

    def tell() -> None:
        report(LoadProgress("fetch", min(counter.done, total), total, "bytes", hub_id))

    folder = Path(background.run(call, stop, tell))
    if _drop_damaged(folder, files):
        folder = Path(background.run(call, stop, tell))
    tell()
    record = {"commit": folder.name, "files": {name: (folder / name).stat().st_size for name in files}}
    record_of(hub_id, revision, cache_dir).write_text(json.dumps(record, indent=2), "utf-8")
    return folder


def _drop_damaged(folder: Path, sizes: dict[str, int]) -> list[str]:
    """Delete the files that are not as long as the hub says: the library takes any file that is there for whole."""
    damaged = [name for name, size in sizes.items() if size and (folder / name).stat().st_size != size]
    for name in damaged:
        log.warning("%s was damaged and is fetched again", folder / name)
        (folder / name).resolve().unlink()
        (folder / name).unlink(missing_ok=True)
    return damaged


class _Counter:
    """Bytes that the hub library's progress bars have counted.

    It draws two bars of bytes, one for what came over the network and one for what was written; the larger is
    taken.
    """

    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._lock = Lock()
        self._bars: dict[int, int] = {}

    @property
    def done(self) -> int:
        """Bytes so far."""
        with self._lock:
            return max(self._bars.values(), default=0)

    def add(self, bar: int, count: int) -> None:
        """Count bytes of one bar; from the thread that downloads."""
        if self._stop.is_set():
            raise Cancelled
        with self._lock:
            self._bars[bar] = self._bars.get(bar, 0) + count

    def bar_class(self) -> type[Any]:
        """A class of silent progress bars that count here."""
        from tqdm.auto import tqdm

        counter = self

        class Bar(tqdm):  # type: ignore[type-arg,misc,unused-ignore]
            def __init__(self, *args: Any, **options: Any) -> None:
                options.pop("name", None)
                self._counts = options.get("unit") == "B"
                super().__init__(*args, **(options | {"disable": True}))
                if self._counts and options.get("initial"):
                    counter.add(id(self), int(options["initial"]))

            def update(self, n: float | None = 1) -> bool | None:
                if self._counts and n:
                    counter.add(id(self), int(n))
                shown: bool | None = super().update(n)
                return shown

        return Bar


def _translated(error: Exception, hub_id: str, cache_dir: Path) -> WorkbenchError:
    from huggingface_hub import errors

    raise_if_full(error, cache_dir)
    if isinstance(error, errors.GatedRepoError):
        return WorkbenchError("download_failed", name=hub_id, reason="its owner asks for a login and an agreement")
    if isinstance(error, (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.HFValidationError)):
        from engine.model.catalog import CATALOG

        return WorkbenchError("unknown_model", name=hub_id, known=", ".join(CATALOG))
    if isinstance(error, errors.OfflineModeIsEnabled):
        return WorkbenchError("offline_missing", name=hub_id)
    return WorkbenchError("download_failed", name=hub_id, reason=str(error).strip().split("\n")[0])


def _nothing() -> None:
    """No progress to tell."""
