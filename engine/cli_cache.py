"""The command `workbench cache`: what is kept on this disk for speed, how large it is, and the way to clear it."""

import shutil
from typing import Annotated, Any, Literal

import typer

from engine.contracts import to_json
from engine.model.cache import converted_models, folder_bytes
from engine.model.memory import human_bytes
from engine.settings import load_settings


def cache(
    clear: Annotated[
        Literal["results", "converted"] | None,
        typer.Option(help="Delete the answers that are kept on disk, or the models converted to a precision."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what is kept on this disk: answers, where WORKBENCH_RESULT_CACHE_DISK is on, and converted models.

    A workbench that runs keeps answers in its own memory too; its sidebar has a button for both. A converted model that
    is deleted is made anew when it is next loaded in that precision.
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
    converted = converted_models(settings.cache_dir)
    if clear == "converted":
        shutil.rmtree(converted, ignore_errors=True)
    if converted.is_dir():
        shown["converted"] = {"bytes": folder_bytes(converted), "path": str(converted)}
    if as_json:
        typer.echo(to_json(shown))
        return
    for name, one in shown.items():
        count = f"{one['answers']:,} answers, " if "answers" in one else ""
        typer.echo(f"{name:10} {count}{human_bytes(one['bytes'])}  {one['path']}")
