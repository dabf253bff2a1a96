"""Python code that a model's folder brings: which files, and whether they may be run. It runs none itself.

`auto_map`, in the configuration of the model or of its tokenizer, names a class in a file of the folder: `file.Class`.
`transformers` imports such a file, with all rights of the user, where it is told to trust it and only there.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.errors import WorkbenchError


def code_files(*configs: dict[str, Any]) -> tuple[str, ...]:
    """The files of the folder that configurations name; those of another repository (`owner/name--file.Class`) not."""
    return tuple(sorted({one.partition(".")[0] + ".py" for one in _named(configs) if _is_of_the_folder(one)}))


def may_run(folder: Path, name: str, config: dict[str, Any], tokenizer: dict[str, Any], *, trusted: bool) -> bool:
    """Whether code of the folder is to be run for the model called `name`.

    config, tokenizer: the folder's two configurations. trusted: whether the user allows it.

    Raises:
        WorkbenchError: `remote_code` where the model cannot do without and may not; `folder_without_weights` where it
            may and the file is not there.
    """
    named = _named((config, tokenizer))
    missing = [file for file in code_files(config, tokenizer) if not (folder / file).is_file()]
    if trusted and named and not missing and all(map(_is_of_the_folder, named)):
        return True
    if not config.get("auto_map") or _is_known(config):
        return False
    if not trusted:
        raise WorkbenchError("remote_code", name=name)
    what = missing[0] if missing else "code of its own: it is in another repository"
    raise WorkbenchError("folder_without_weights", path=folder, missing=what)


@contextmanager
def refused_by_name(name: str) -> Iterator[None]:
    """Turns a refusal of `transformers` to run code, which the configuration did not announce, into `remote_code`."""
    try:
        yield
    except ValueError as error:
        if "trust_remote_code" not in str(error):
            raise
        raise WorkbenchError("remote_code", name=name) from error


def _named(configs: Iterable[dict[str, Any]]) -> list[str]:
    """Every class that the configurations name."""
    named: list[object] = []
    for config in configs:
        told = config.get("auto_map")
        for one in told.values() if isinstance(told, dict) else [told]:  # a tokenizer's was once the bare list
            named += one if isinstance(one, list) else [one]
    return [one for one in named if isinstance(one, str)]


def _is_known(config: dict[str, Any]) -> bool:
    """Whether `transformers` has the model's type itself, so that the code is not needed."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    return config.get("model_type") in CONFIG_MAPPING_NAMES


def _is_of_the_folder(reference: str) -> bool:
    file, _, name = reference.partition(".")
    return file.isidentifier() and name.isidentifier()
