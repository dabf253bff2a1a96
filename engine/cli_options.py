"""What the command line's commands share: the options of a model, settings from them, texts and files."""

import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.errors import WorkbenchError
from engine.observe.log import setup_log
from engine.settings import Settings, load_settings
from engine.text.fields import parse_fields
from engine.text.labels import parse_labels
from engine.types import FieldSpec

Model = Annotated[str | None, typer.Option(help="auto, a name of `workbench models`, a folder, a hub id, or a server.")]
DeviceOption = Annotated[str | None, typer.Option("--device", help="auto, cpu, cuda or mps.")]
PrecisionOption = Annotated[str | None, typer.Option("--precision", help="auto, fp32, bf16, fp16 or int8.")]
Threads = Annotated[int | None, typer.Option(help="CPU threads of the model.")]
MaxMemory = Annotated[str | None, typer.Option(help="The most memory the model may take, such as 2g.")]
LogLevelOption = Annotated[str | None, typer.Option("--log-level", help="debug, info, warning or error.")]
LogJson = Annotated[bool | None, typer.Option("--log-json/--log-text", help="The log as one JSON object a line.")]
Offline = Annotated[bool | None, typer.Option("--offline/--online", help="Never touch the network.")]
TrustCode = Annotated[
    bool | None,
    typer.Option(
        "--trust-remote-code/--no-trust-remote-code",
        help="Run Python code that the model's folder brings, with all your rights. Off by default.",
    ),
]


def settings_of(given: dict[str, Any]) -> Settings:
    """Settings from a command's own options; sets up the log."""
    names = set(Settings.model_fields)
    settings = load_settings(**{name: value for name, value in given.items() if name in names})
    setup_log(settings)
    return settings


def read_text(text: str) -> str:
    """The text of an argument, or of standard input for `-`."""
    if text != "-":
        return text
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdin.read()


def read_fields(given: str) -> tuple[FieldSpec, ...]:
    """Fields of an option: names, JSON, or a file of either.

    Raises:
        WorkbenchError: `bad_file`; one of `engine.text.fields.FIELD_ERRORS`.
    """
    path = Path(given)
    if path.suffix.lower() not in {".json", ".txt"} or len(parse_labels(given)) > 1:
        return parse_fields(given)
    return parse_fields(read_file(path))


def read_file(path: Path) -> str:
    """The text of a file.

    Raises:
        WorkbenchError: `bad_file`.
    """
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WorkbenchError("bad_file", path=path, reason=error) from None
