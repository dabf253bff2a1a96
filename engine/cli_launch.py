"""The command `workbench launch`: asks what `workbench run` is to be started with, shows that command, and starts it.

Questions go to stderr, the command to stdout. What is asked, and what an answer means, is in `engine.launch`.
"""

import io
import shlex
import shutil
import sys
import textwrap
from typing import Annotated, Any

import typer

from engine.errors import WorkbenchError
from engine.launch import Plan, Question, arguments, first_plan, questions, remarks
from engine.model.machine import look_at_machine
from engine.settings import load_settings


def launch(
    context: typer.Context,
    print_only: Annotated[bool, typer.Option("--print", help="Print the command, start nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing, take every default.")] = False,
) -> None:
    """Ask for model, device, precision, threads, memory, port and browser, then start the pages with them."""
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise WorkbenchError("no_terminal")
    try:
        given = _ask_all(ask=not yes)
        typer.echo(shlex.join(["workbench", "run", *given]))
        if print_only or not (yes or _agreed()):
            return
    except KeyboardInterrupt:
        typer.echo("\nStopped; nothing was started.", err=True)
        raise typer.Exit(130) from None
    except EOFError:
        typer.echo("\nThe input ended; nothing was started.", err=True)
        return
    _run(context, given)


def _ask_all(*, ask: bool) -> list[str]:
    """The options that the answers make; without asking, those of the defaults."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # half a character may stay where one was deleted
    before = load_settings()
    plan, machine = first_plan(before), look_at_machine()
    if ask:
        typer.echo("Enter takes what stands in brackets; Ctrl+C ends.", err=True)
    for make in questions(machine):
        question = make(plan)
        plan = _ask(question) if ask else question.answer("")
    for remark in remarks(plan):
        typer.echo(f"note: {remark}", err=True)
    return arguments(before, plan)


def _ask(question: Question) -> Plan:
    """Show the question, and read answers until one will do."""
    typer.echo(f"\n{question.title}", err=True)
    wide = max(len(value) for value, _ in question.choices)
    for number, (value, line) in enumerate(question.choices, 1):
        _show(f"  {number}  {value:{wide}}  " if question.numbered else f"  {value:{wide}}  ", line)
    if question.also:
        _show("  or ", question.also)
    while True:
        typer.echo(f"{question.title} [{question.default}]: ", err=True, nl=False)
        try:
            return question.answer(_read_line())
        except WorkbenchError as error:
            _show("  ", f"{error.message} {error.hint}")


def _agreed() -> bool:
    """Whether it is to be started; Enter means yes."""
    while True:
        typer.echo("Start it? [yes]: ", err=True, nl=False)
        typed = _read_line().strip().lower()
        if typed in {"", "y", "yes", "n", "no"}:
            return typed not in {"n", "no"}
        typer.echo("  Type yes or no.", err=True)


def _read_line() -> str:
    """A line that was typed.

    Raises:
        EOFError: there is no more.
    """
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _show(lead: str, text: str) -> None:
    """A text after a lead, wrapped to the terminal under its own beginning."""
    columns = max(40, shutil.get_terminal_size((100, 24)).columns - 1)
    typer.echo(textwrap.fill(text, columns, initial_indent=lead, subsequent_indent=" " * len(lead)) or lead, err=True)


def _run(context: typer.Context, given: list[str]) -> None:
    """The command `run` of the same program, with the very arguments that were shown."""
    parent: Any = context.parent
    command = parent.command.get_command(parent, "run")
    with command.make_context("run", list(given), parent=parent) as own:
        command.invoke(own)
