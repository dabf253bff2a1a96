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
from typing import Annotated

import typer

from engine import __version__
from engine.cli_batch import batch
from engine.cli_cache import cache
from engine.cli_launch import launch
from engine.cli_once import answer_once, print_notes, unless_kept
from engine.cli_options import (
    DeviceOption,
    LogJson,
    LogLevelOption,
    MaxMemory,
    Model,
    Offline,
    PrecisionOption,
    Threads,
    TrustCode,
    read_fields,
    read_text,
    settings_of,
)
from engine.cli_prompt import prompt
from engine.contracts import classify_json, extract_json, to_json
from engine.errors import WorkbenchError
from engine.model.catalog import CATALOG
from engine.model.memory import human_bytes
from engine.settings import Settings, load_settings
from engine.text.fields import FIELD_ERRORS
from engine.text.labels import parse_labels
from engine.types import (
    ClassifyRequest,
    ClassifyResult,
    ExtractRequest,
    ExtractResult,
    FieldAnswer,
    Mentions,
)

app = typer.Typer(
    name="workbench",
    help="Zero-shot text understanding: classify a text by any labels. Without a command it starts the browser pages.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_ROOT = Path(__file__).parent.parent
_WRONG_USAGE = {
    "bad_setting",
    "bad_structure",
    "no_terminal",
    "labels_empty",
    "text_empty",
    "column_missing",
    "export_kind",
} | FIELD_ERRORS


def main() -> None:
    """The console script: turns an error into one line and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # pipes and files get UTF-8 everywhere; no character is refused
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
    try:
        app()
    except WorkbenchError as error:
        typer.echo(f"workbench: {error.message} {error.hint}", err=True)
        raise SystemExit(2 if error.code in _WRONG_USAGE else 1) from None
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
    log_json: LogJson = None,
    offline: Offline = None,
    trust_remote_code: TrustCode = None,
) -> None:
    """Start the pages and the HTTP API in one process."""
    settings = settings_of(locals())
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
    log_json: LogJson = None,
    offline: Offline = None,
    trust_remote_code: TrustCode = None,
) -> None:
    """Give every label of a set its probability for a text."""
    from engine.run.classify import Classifier, check_request

    settings = settings_of(locals())
    request = ClassifyRequest(read_text(text), tuple(parse_labels(labels)), multi, threshold, free)
    check_request(request)  # before a model is loaded
    result = answer_once(
        settings,
        lambda backend, stop: unless_kept(
            settings, request, ClassifyResult, backend, lambda: Classifier(backend)(request, stop)
        ),
    )
    if as_json:
        typer.echo(to_json(classify_json(result)))
        return
    for one in result.labels:
        mark = "*" if one.label in result.chosen else " "
        typer.echo(f"{mark} {one.score:6.1%}  {one.label}")
    if not result.chosen:
        typer.echo("none of these")
    if result.free is not None:
        typer.echo(f"free: {result.free.raw.strip()}")
    print_notes(result.notes)


@app.command()
def extract(
    text: Annotated[str, typer.Argument(help="The text; - reads it from standard input.")],
    fields: Annotated[
        str,
        typer.Option(help='Names separated by commas: "name,price"; a field set as JSON; or a file that holds one.'),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    mentions: Annotated[Mentions, typer.Option(help="Where a value is said to be.")] = "first",
    per_prompt: Annotated[int, typer.Option(help="Fields asked in one prompt at most.")] = 6,
    free: Annotated[bool, typer.Option("--free", help="Also decode freely, as the authors do (4 beams).")] = False,
    nested: Annotated[bool, typer.Option("--nested", help="Values of different fields may overlap.")] = False,
    model: Model = None,
    device: DeviceOption = None,
    precision: PrecisionOption = None,
    threads: Threads = None,
    max_memory: MaxMemory = None,
    log_level: LogLevelOption = None,
    log_json: LogJson = None,
    offline: Offline = None,
    trust_remote_code: TrustCode = None,
) -> None:
    """Find the values of fields in a text, with their exact places."""
    from engine.run.extract import Extractor, check_request

    settings = settings_of(locals())
    request = ExtractRequest(read_text(text), read_fields(fields), mentions, per_prompt, free, nested)
    check_request(request)  # before a model is loaded
    result = answer_once(
        settings,
        lambda backend, stop: unless_kept(
            settings, request, ExtractResult, backend, lambda: Extractor(backend)(request, stop)
        ),
    )
    if as_json:
        typer.echo(to_json(extract_json(result)))
        return
    for one in result.fields:
        _print_field(one)
    if result.free is not None:
        typer.echo("free:")
        for one in result.free.fields:
            _print_field(one)
    print_notes(result.notes + (result.free.notes if result.free else ()))


def _print_field(answer: FieldAnswer) -> None:
    """A line a value, its parts separated by TAB: field, value, place, probability or status."""
    for value in answer.values:
        place = "-" if value.start is None else f"{value.start}-{value.end}"
        shown = value.status if value.score is None else f"{value.score:.1%}"
        typer.echo(f"{answer.field.name}\t{value.text}\t{place}\t{shown}")
    if not answer.values:
        typer.echo(f"{answer.field.name}\tnot found\t-\t{'' if answer.absent is None else f'{answer.absent:.1%}'}")


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


@app.command()
def bench(
    repeats: Annotated[int, typer.Option(help="Times that everything is done after a warm-up.", min=1)] = 3,
    engines: Annotated[str, typer.Option(help="all, or names separated by commas.")] = "all",
    quick: Annotated[bool, typer.Option("--quick", help="One repeat, and the fastest engines alone.")] = False,
    tiny: Annotated[bool, typer.Option("--tiny", help="A checkpoint of 2 layers, to try the bench.")] = False,
    threads: Annotated[int | None, typer.Option(help="CPU threads of each engine; all cores.", min=1)] = None,
    tokens: Annotated[int, typer.Option(help="Tokens of the text.", min=16, max=1024)] = 256,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all that was measured.")] = None,
) -> None:
    """Measure speed and memory beside other engines, on a made checkpoint of SeqGPT-560M's shape."""
    from bench.speed.run import measure

    measure(
        repeats=repeats, engines=engines, quick=quick, tiny=tiny, threads=threads, tokens=tokens, json_file=json_file
    )


app.command()(cache)
app.command()(prompt)
app.command()(launch)
app.command()(batch)


def _serve(settings: Settings, *, port: int | None, browser: bool) -> None:
    """Run Streamlit on serve.py as a child with the settings in its environment."""
    environment = os.environ | {
        f"WORKBENCH_{name.upper()}": str(value)
        for name, value in settings.model_dump(mode="json").items()
        if value is not None
    }
    command = [sys.executable, "-m", "streamlit", "run", str(_ROOT / "serve.py")]
    command += ["--server.headless", "false" if browser else "true"]
    command += ["--server.maxUploadSize", str(settings.upload_limit // 2**20)]
    if port is not None:
        command += ["--server.port", str(port)]
    logging.getLogger(__name__).debug("starting %s", shlex.join(command))
    raise SystemExit(subprocess.call(command, cwd=_ROOT, env=environment))
