"""What there is to ask before the workbench is started, the defaults, and the command that the answers make.

It knows no terminal: a question is its choices with a line of help each, and a way to read what was typed.
"""

import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.errors import WorkbenchError
from engine.model.about import About, describe, needs_int8
from engine.model.catalog import CATALOG
from engine.model.machine import Machine
from engine.model.memory import human_bytes, room
from engine.settings import Settings, load_settings

FIRST_PORT = 8501
_PORTS_TRIED = 100
_PRECISIONS = {
    "auto": "fp16 on a CPU that has kernels for it, and on a GPU; int8 where only that fits",
    "fp32": "as it was trained, or larger",
    "bf16": "where the hardware multiplies it itself, else fp16",
    "fp16": "answers of fp32 from half the memory",
    "int8": "for CPUs: the smallest and fastest, answers near those of fp32",
}


@dataclass(frozen=True)
class Plan:
    """What the workbench is to be started with. settings: of every source, and of the answers so far."""

    settings: Settings
    port: int
    browser: bool


@dataclass(frozen=True)
class Question:
    """One thing to ask.

    choices: values with a line of help each. default: what no answer means. also: what else may be typed.
    numbered: whether a choice may be given by its number. apply: the plan with an answer in it.
    """

    title: str
    choices: tuple[tuple[str, str], ...]
    default: str
    apply: Callable[[str], Plan]
    also: str = ""
    numbered: bool = True

    def answer(self, typed: str) -> Plan:
        """The plan with what was typed: nothing, a choice, its number, or another value.

        Raises:
            WorkbenchError: why it cannot be that.
        """
        typed = typed.strip()
        if not typed:
            return self.apply(self.default)
        if any(not char.isprintable() or char == "\ufffd" for char in typed):
            raise self._refused(typed, "It holds characters that are no text; type it again.")
        values = [value for value, _ in self.choices]
        if self.numbered and typed.isdecimal():
            if not 1 <= int(typed) <= len(values):
                raise self._refused(typed, f"Use a number from 1 to {len(values)}.")
            return self.apply(values[int(typed) - 1])
        if typed.lower() in values:
            return self.apply(typed.lower())
        if not self.also:
            raise self._refused(typed, f"Use one of {', '.join(values)}.")
        return self.apply(typed)

    def _refused(self, typed: str, hint: str) -> WorkbenchError:
        shown = "".join(char if char.isprintable() else "\ufffd" for char in typed)
        return WorkbenchError("bad_setting", name=self.title, value=shown[:100], hint=hint)


def first_plan(settings: Settings) -> Plan:
    """The defaults: the settings, the first free port, and a browser where there is a screen for one."""
    return Plan(settings, free_port(), has_screen())


def questions(machine: Machine) -> tuple[Callable[[Plan], Question], ...]:
    """In the order in which they are asked; each is made of the plan so far."""
    return (
        _model,
        lambda plan: _device(plan, machine),
        _precision,
        lambda plan: _threads(plan, machine),
        lambda plan: _max_memory(plan, machine),
        _port,
        _browser,
    )


def remarks(plan: Plan) -> list[str]:
    """What the user should know before a start: a model that may not fit."""
    settings = plan.settings
    about = describe(settings)
    most = room(settings)
    elsewhere = settings.device in {"cuda", "mps"} and not about.cpu_only
    if about.memory is None or elsewhere or about.memory.bytes <= most:
        return []
    if needs_int8(about, settings, most):
        return [f"In fp16 {about.name} would not fit into {human_bytes(most)}: int8 is taken."]
    error = WorkbenchError(
        "memory_short",
        name=about.name,
        needed=human_bytes(about.memory.bytes),
        precision=about.memory.precision or "the file's precision",
        limit=human_bytes(most),
    )
    return [str(error)]


def arguments(before: Settings, plan: Plan) -> list[str]:
    """Of `workbench run`: the options that differ from what it would take by itself.

    before: the settings without the answers.
    """
    given: list[str] = []
    for name in ("model", "device", "precision", "threads", "max_memory"):
        value = getattr(plan.settings, name)
        if value != getattr(before, name):
            given += [f"--{name.replace('_', '-')}", _short_bytes(value) if name == "max_memory" else str(value)]
    if plan.port != FIRST_PORT:
        given += ["--port", str(plan.port)]
    return given if plan.browser else [*given, "--no-browser"]


def free_port(first: int = FIRST_PORT) -> int:
    """The first port from `first` on that can be bound on 127.0.0.1; `first` where none of a hundred can."""
    tried = range(first, min(first + _PORTS_TRIED, 65536))
    return next((port for port in tried if _port_problem(port) is None), first)


def has_screen() -> bool:
    """Whether a browser can be shown: always on Windows and macOS, elsewhere where there is a display."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def model_line(about: About) -> str:
    """Size, memory, licence and abilities in one line; what is not known is left out."""
    parts = []
    if about.disk_bytes:
        parts.append(f"{human_bytes(about.disk_bytes)} on disk")
    elif about.fetch_bytes:
        parts.append(f"{human_bytes(about.fetch_bytes)} to fetch")
    if about.memory is not None:
        parts.append(f"about {human_bytes(about.memory.bytes)} of memory")
    parts += [about.licence] if about.licence else []
    parts += [_abilities(about)] if about.capabilities else []
    return "; ".join(parts)


def _abilities(about: About) -> str:
    free = "free prompts" if "generate" in about.capabilities else ""
    free = free or (f"free prompts by {about.writer}" if about.writer else "")
    return ", ".join(part for part in ("classifies", "extracts", free) if part)


def _model(plan: Plan) -> Question:
    def apply(typed: str) -> Plan:
        settings = plan.settings.model_copy(update={"model": typed})
        error = describe(settings).error
        if error is not None:
            raise error
        return replace(plan, settings=settings)

    names = ["auto", *(name for name in CATALOG if name != "fake")]
    names = names if plan.settings.model in names else [plan.settings.model, *names]
    choices = [(name, _help(plan.settings.model_copy(update={"model": name}))) for name in names]
    also = "a folder, a hub id such as owner/name, a .gguf file, or a server such as http://127.0.0.1:8080"
    return Question("Model", tuple(choices), plan.settings.model, apply, also)


def _help(settings: Settings) -> str:
    about = describe(settings)
    if settings.model != "auto":
        return model_line(about) or (about.error.message if about.error else "")
    either = f" where a hub answers, else {about.otherwise}" if about.otherwise else ""
    return f"{about.name}{either}"


def _device(plan: Plan, machine: Machine) -> Question:
    missing = {"cuda": machine.cuda, "mps": machine.mps}
    found = {
        "cpu": f"{machine.cores} cores, {human_bytes(machine.free)} of {human_bytes(machine.memory)} free",
        "cuda": f"{machine.cuda_name}, {human_bytes(machine.cuda_memory)}",
        "mps": "Apple GPU",
    }
    best = next((name for name in missing if missing[name] is None), "cpu")

    def apply(typed: str) -> Plan:
        reason = missing.get(typed)
        if reason is not None:
            raise WorkbenchError("device_missing", device=typed, reason=reason)
        return _with(plan, "device", typed)

    lines = {name: f"not there: {missing[name]}" if missing.get(name) else found[name] for name in found}
    return Question("Device", (("auto", f"{best} here"), *lines.items()), plan.settings.device, apply)


def _precision(plan: Plan) -> Question:
    def line(name: str) -> str:
        memory = describe(_with(plan, "precision", name).settings).memory
        return _PRECISIONS[name] + (f"; about {human_bytes(memory.bytes)} of memory" if memory else "")

    choices = tuple((name, line(name)) for name in _PRECISIONS)
    return Question("Precision", choices, plan.settings.precision, lambda typed: _with(plan, "precision", typed))


def _threads(plan: Plan, machine: Machine) -> Question:
    default = str(plan.settings.threads or machine.cores)

    def apply(typed: str) -> Plan:
        return plan if typed == default else _with(plan, "threads", typed)

    help_line = "as set" if plan.settings.threads else "every physical core"
    return Question("Threads", ((default, help_line),), default, apply, also="a number from 1", numbered=False)


def _max_memory(plan: Plan, machine: Machine) -> Question:
    limit = plan.settings.max_memory
    default = "none" if limit is None else _short_bytes(limit)
    free = f"what is free: {human_bytes(machine.free)} of {human_bytes(machine.memory)}"

    def apply(typed: str) -> Plan:
        return plan if typed == default else _with(plan, "max_memory", typed)

    choices = ((default, free if limit is None else "as set"),)
    return Question("Memory limit", choices, default, apply, also="a size such as 2g or 800m", numbered=False)


def _port(plan: Plan) -> Question:
    def apply(typed: str) -> Plan:
        number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 6 else 0
        problem = _port_problem(number)
        if problem is not None:
            raise WorkbenchError("bad_setting", name="Port", value=typed, hint=problem)
        return replace(plan, port=number)

    choices = ((str(plan.port), "the first free one" if plan.port != FIRST_PORT else "free"),)
    return Question("Port", choices, str(plan.port), apply, also="another from 1 to 65535", numbered=False)


def _browser(plan: Plan) -> Question:
    def apply(typed: str) -> Plan:
        return replace(plan, browser=typed == "yes")

    choices = (("yes", "opens the page once the server is up"), ("no", "only prints its address"))
    return Question("Open a browser", choices, "yes" if plan.browser else "no", apply)


def _with(plan: Plan, name: str, typed: str) -> Plan:
    """The plan with a setting of that value, read as the settings read it."""
    value = getattr(load_settings(**{name: typed}), name)
    return replace(plan, settings=plan.settings.model_copy(update={name: value}))


def _port_problem(port: int) -> str | None:
    """Why the workbench cannot listen there, or None."""
    if not 1 <= port <= 65535:
        return "Use a number from 1 to 65535."
    with socket.socket() as probe:
        if os.name == "posix":  # as servers do; on Windows it would share the port with another program
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            return "The system keeps it for itself; use one from 1024 on."
        except OSError:
            return "Another program uses it; use another one."
    return None


def _short_bytes(count: int) -> str:
    """As `--max-memory` reads it: the largest unit that leaves no rest."""
    units = (("g", 2**30), ("m", 2**20), ("k", 2**10), ("", 1))
    return next(f"{count // size}{unit}" for unit, size in units if count % size == 0)
