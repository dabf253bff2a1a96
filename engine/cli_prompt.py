"""The command `workbench prompt`: a free prompt, written as it is told to be, in a form where one is given."""

import sys
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

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
    read_file,
    read_text,
    settings_of,
)
from engine.contracts import prompt_json, to_json
from engine.model.backend import Backend, Show, generates
from engine.settings import Settings
from engine.text.labels import parse_labels
from engine.types import PromptRequest, PromptResult, Structure, Writing


def prompt(
    text: Annotated[str, typer.Argument(help="The text; - reads it from standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    max_new_tokens: Annotated[int, typer.Option(help="Tokens of the answer at most.")] = 256,
    role: Annotated[str, typer.Option(help="What the model is told to be, before the text.")] = "",
    temperature: Annotated[float, typer.Option(help="0: the most probable token; above it, tokens are drawn.")] = 0.0,
    top_p: Annotated[float, typer.Option(help="Draw from the most probable tokens that hold this share.")] = 1.0,
    repetition_penalty: Annotated[float, typer.Option(help="Above 1: what was written becomes less probable.")] = 1.0,
    beams: Annotated[int, typer.Option(help="Above 1: a beam search, which draws nothing.")] = 1,
    seed: Annotated[int | None, typer.Option(help="The same seed draws the same answer.")] = None,
    stop: Annotated[list[str] | None, typer.Option(help="End before this string; may be given several times.")] = None,
    schema: Annotated[Path | None, typer.Option(help="A file with the JSON schema that the answer keeps to.")] = None,
    regex: Annotated[str, typer.Option(help="A regular expression that the answer matches whole.")] = "",
    choices: Annotated[str, typer.Option(help='What the answer may be: "yes,no".')] = "",
    grounded: Annotated[bool, typer.Option("--grounded", help="The schema's strings are parts of the source.")] = False,
    source: Annotated[Path | None, typer.Option(help="A file with that source; the text itself without one.")] = None,
    alternatives: Annotated[int, typer.Option(help="Other tokens told of each place, in the JSON.")] = 0,
    stream: Annotated[
        bool | None, typer.Option("--stream/--no-stream", help="Print as it is written; by default on a terminal.")
    ] = None,
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
    """Give a model a text of your own and print what it writes."""
    from engine.run.prompt import check_request

    settings = settings_of(locals())
    words = read_text(text)
    said = None if schema is None else read_file(schema)
    structure = Structure(said or "", regex, tuple(parse_labels(choices)), grounded)
    is_free = said is None and not (regex or choices or grounded)
    request = PromptRequest(
        words,
        Writing(max_new_tokens, beams, temperature, top_p, repetition_penalty, seed, tuple(stop or ())),
        role,
        None if is_free else structure,
        (words if source is None else read_file(source)) if grounded else "",
        alternatives,
    )
    check_request(request)  # before a model is loaded
    shows = not as_json and (sys.stdout.isatty() if stream is None else stream)
    growing = _Growing()
    result = _ask(settings, request, growing if shows else None)
    if as_json:
        typer.echo(to_json(prompt_json(result)))
        return
    growing(result.text)
    typer.echo("")
    print_notes(result.notes)


class _Growing:
    """Prints what an answer has more than before."""

    def __init__(self) -> None:
        self._printed = 0

    def __call__(self, text: str) -> None:
        typer.echo(text[self._printed :], nl=False)
        self._printed = len(text)


def _ask(settings: Settings, request: PromptRequest, show: Show | None) -> PromptResult:
    """The answer of the model, or of the one that writes in its place."""
    from engine.run.prompt import Prompter, writer_settings

    def ask(backend: Backend, stop: Event) -> PromptResult:
        if generates(backend):
            prompter = Prompter(backend)
            return unless_kept(settings, request, PromptResult, backend, lambda: prompter(request, stop, show=show))

        def ask_writer(writer: Backend, stop: Event) -> PromptResult:
            prompter = Prompter(writer, instead_of=backend.info.name)
            return unless_kept(
                settings, request, PromptResult, backend, lambda: prompter(request, stop, show=show), writer
            )

        return answer_once(writer_settings(settings, backend.info), ask_writer)

    return answer_once(settings, ask)
