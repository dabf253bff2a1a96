"""The command line. Results go to stdout, all else to stderr; exit 0 done, 2 wrong usage, 1 failed with one line.

It holds no logic of its own: settings in, one engine call, JSON or a few lines out.
"""

import io
import json
import logging
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from engine import __version__
from engine.contracts import classify_json
from engine.errors import WorkbenchError
from engine.model.catalog import CATALOG
from engine.model.memory import human_bytes
from engine.settings import Settings, load_settings
from engine.text.labels import parse_labels
from engine.types import ClassifyRequest, ClassifyResult, LoadProgress

app = typer.Typer(
    name="workbench",
    help="Zero-shot text understanding: classify a text by any labels. Without a command it starts the browser pages.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Model = Annotated[str | None, typer.Option(help="auto, a name of `workbench models`, a folder, or a hub id.")]
DeviceOption = Annotated[str | None, typer.Option("--device", help="auto, cpu, cuda or mps.")]
PrecisionOption = Annotated[str | None, typer.Option("--precision", help="auto, fp32, bf16 or fp16.")]
Threads = Annotated[int | None, typer.Option(help="CPU threads of the model.")]
MaxMemory = Annotated[str | None, typer.Option(help="The most memory the model may take, such as 2g.")]
LogLevelOption = Annotated[str | None, typer.Option("--log-level", help="debug, info, warning or error.")]
Offline = Annotated[bool | None, typer.Option("--offline/--online", help="Never touch the network.")]

_ROOT = Path(__file__).parent.parent


def main() -> None:
    """The console script: turns an error into one line and exit code 1."""
    try:
        app()
    except WorkbenchError as error:
        typer.echo(f"workbench: {error.message} {error.hint}", err=True)
        raise SystemExit(2 if error.code in {"bad_setting", "labels_empty", "text_empty"} else 1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        _serve(load_settings(), port=None, browser=True)


@app.command()
def run(
    port: Annotated[int | None, typer.Option(help="Port on 127.0.0.1; default 8501.", min=1, max=65535)] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    model: Model = None,
    device: DeviceOption = None,
    precision: PrecisionOption = None,
    threads: Threads = None,
    max_memory: MaxMemory = None,
    log_level: LogLevelOption = None,
    offline: Offline = None,
) -> None:
    """Start the pages and the HTTP API in one process."""
    settings = _settings(locals())
    _serve(settings, port=port, browser=browser)


@app.command()
def classify(
    text: Annotated[str, typer.Argument(help="The text; - reads it from standard input.")],
    labels: Annotated[str, typer.Option(help='Labels, separated by any of , ， 、 ; ； or newlines: "a,b,c".')],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    multi: Annotated[bool, typer.Option("--multi", help="Choose every label that reaches the threshold.")] = False,
    threshold: Annotated[float | None, typer.Option(help="Least probability of a chosen label, 0 to 1.")] = None,
    free: Annotated[bool, typer.Option("--free", help="Also decode freely, as the authors do (4 beams).")] = False,
    model: Model = None,
    device: DeviceOption = None,
    precision: PrecisionOption = None,
    threads: Threads = None,
    max_memory: MaxMemory = None,
    log_level: LogLevelOption = None,
    offline: Offline = None,
) -> None:
    """Give every label of a set its probability for a text."""
    from engine.run.classify import check_request

    settings = _settings(locals())
    if text == "-" and isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    body = sys.stdin.read() if text == "-" else text
    request = ClassifyRequest(body, tuple(parse_labels(labels)), multi, threshold, free)
    check_request(request)  # before a model is loaded
    result = _answer(settings, request)
    if as_json:
        typer.echo(json.dumps(classify_json(result), ensure_ascii=False))
        return
    for one in result.labels:
        mark = "*" if one.label in result.chosen else " "
        typer.echo(f"{mark} {one.score:6.1%}  {one.label}")
    if not result.chosen:
        typer.echo("none of these")
    if result.free is not None:
        typer.echo(f"free: {result.free.raw.strip()}")
    for note in result.notes:
        typer.echo(f"note: {note.text}", err=True)


@app.command()
def models(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the models of the catalog."""
    from dataclasses import asdict

    entries = [entry for entry in CATALOG.values() if entry.name != "fake"]
    if as_json:
        typer.echo(json.dumps([asdict(entry) for entry in entries], ensure_ascii=False, default=str))
        return
    for entry in entries:
        typer.echo(f"{entry.name:14} {entry.description}")
        size = human_bytes(entry.download_bytes)
        typer.echo(f"{'':14} {size} to fetch · {entry.parameters / 1e6:,.0f} M parameters · {entry.licence}")


def _settings(given: dict[str, Any]) -> Settings:
    """Settings from a command's own options; sets up the log."""
    names = set(Settings.model_fields)
    settings = load_settings(**{name: value for name, value in given.items() if name in names})
    logging.basicConfig(
        level=settings.log_level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    for chatty in ("httpx", "httpcore", "filelock", "urllib3"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLogger().level))
    return settings


def _answer(settings: Settings, request: ClassifyRequest) -> ClassifyResult:
    """Load the model on this thread, with its progress on stderr, and answer one request."""
    from threading import Event

    from engine.model.loader import load_backend
    from engine.run.classify import Classifier

    stop = Event()
    backend = load_backend(settings, _ProgressLine(), lambda note: typer.echo(f"note: {note.text}", err=True), stop)
    try:
        return Classifier(backend)(request, stop)
    finally:
        backend.close()


class _ProgressLine:
    """Shows a load on stderr: a moving line on a terminal, a line a phase elsewhere."""

    def __init__(self) -> None:
        self._phase = ""

    def __call__(self, progress: LoadProgress) -> None:
        terminal = sys.stderr.isatty()
        if progress.phase != self._phase:
            if terminal and self._phase:
                typer.echo("", err=True)
            self._phase = progress.phase
            if not terminal:
                typer.echo(f"{progress.phase} …", err=True)
        if terminal:
            share = "" if progress.fraction is None else f"{progress.fraction:4.0%}"
            typer.echo(f"\r{progress.phase:8} {share}", err=True, nl=False)


def _serve(settings: Settings, *, port: int | None, browser: bool) -> None:
    """Run Streamlit on serve.py as a child with the settings in its environment."""
    environment = os.environ | {
        f"WORKBENCH_{name.upper()}": str(value)
        for name, value in settings.model_dump(mode="json").items()
        if value is not None
    }
    command = [sys.executable, "-m", "streamlit", "run", str(_ROOT / "serve.py")]
    command += ["--server.headless", "false" if browser else "true"]
    if port is not None:
        command += ["--server.port", str(port)]
    logging.getLogger(__name__).debug("starting %s", shlex.join(command))
    raise SystemExit(subprocess.call(command, cwd=_ROOT, env=environment))
