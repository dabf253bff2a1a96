"""The command `workbench cache`: what is kept on this disk for speed, how large it is, and the way to clear it."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from engine.contracts import to_json
from engine.model.memory import human_bytes
from engine.settings import load_settings


def cache(
    clear: Annotated[Literal["results"] | None, typer.Option(help="Delete the answers that are kept on disk.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what is kept on this disk: answers, where WORKBENCH_RESULT_CACHE_DISK is on, and converted models.

    A workbench that runs keeps answers in its own memory too; its sidebar has a button for both.
    """
    from engine.run.result_cache import DISK_SHARE
    from engine.run.result_file import ResultFile

    settings = load_settings()
    file = ResultFile(settings.data_dir, settings.result_cache * DISK_SHARE)
    try:
        if clear == "results":
            file.clear()
        size = file.size()
    finally:
        file.close()
    shown: dict[str, dict[str, Any]] = {
        "results": {"answers": size.answers, "bytes": size.bytes, "path": str(file.path)},
    }
    converted = settings.cache_dir / "converted"
    if converted.is_dir():
        shown["converted"] = {"bytes": _bytes_in(converted), "path": str(converted)}
    if as_json:
        typer.echo(to_json(shown))
        return
    for name, one in shown.items():
        count = f"{one['answers']:,} answers, " if "answers" in one else ""
        typer.echo(f"{name:10} {count}{human_bytes(one['bytes'])}  {one['path']}")


def _bytes_in(folder: Path) -> int:
    """Bytes of the files below a folder; those that another program removes meanwhile do not count."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() and not path.is_symlink() else 0
        except OSError:
            continue
    return total
