"""The launcher, driven through a pseudo-terminal as a person would, and its questions by themselves."""

import json
import os
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import launch
from engine.errors import WorkbenchError
from engine.launch import Plan, Question, arguments, questions
from engine.model import machine as machines
from engine.model.machine import Machine
from engine.settings import Settings, load_settings

pty = pytest.importorskip("pty", reason="pseudo-terminals are of Unix")

ROOT = Path(__file__).parents[1]
WAIT = 60
_OWN_TERMINAL = "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
STUB = (
    _OWN_TERMINAL + "from engine import cli; "
    "cli._serve = lambda s, *, port, browser: "
    "print('SERVED', s.model, s.device, s.threads, s.max_memory, port, browser); "
    "sys.argv[0] = 'workbench'; cli.main()"
)
REAL = _OWN_TERMINAL + "from engine import cli; sys.argv[0] = 'workbench'; cli.main()"
TWO_CORES = Machine(2, 8 * 2**30, 6 * 2**30, "no NVIDIA GPU or driver was found", "no Apple GPU was found")


class Terminal:
    """A program on a terminal of its own: what it shows, and what is typed."""

    def __init__(self, code: str, *arguments: str, **environment: str) -> None:
        self._own, other = pty.openpty()
        clean = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "launch", *arguments],
            stdin=other, stdout=other, stderr=other, cwd=ROOT, start_new_session=True,
            env=clean | {"WORKBENCH_MODEL": "fake", "COLUMNS": "100", "PYTHONPATH": str(ROOT)} | environment,
        )  # fmt: skip
        os.close(other)
        self.shown = ""
        self._seen = 0

    def _read(self, seconds: float) -> bool:
        if not select.select([self._own], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._own, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)

    def expect(self, text: str) -> None:
        """Wait until `text` stands after what was waited for before."""
        end = time.monotonic() + WAIT
        while text not in self.shown[self._seen :]:
            assert self._read(0.5), f"it ended without {text!r}:\n{self.shown}"
            assert time.monotonic() < end, f"no {text!r}:\n{self.shown}"
        self._seen = self.shown.index(text, self._seen) + len(text)

    def type(self, keys: str | bytes) -> None:
        os.write(self._own, keys.encode() if isinstance(keys, str) else keys)

    def answer(self, prompt: str, typed: str | bytes) -> None:
        self.expect(prompt)
        self.type(typed if isinstance(typed, bytes) else typed + "\n")

    def end(self) -> int:
        """Its exit code, once it has ended and all is read."""
        limit = time.monotonic() + WAIT
        while self._read(0.2) and time.monotonic() < limit:
            pass
        return self.process.wait(WAIT)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._own)


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*arguments: Any, **environment: str) -> Terminal:
        opened.append(Terminal(*arguments, **environment))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens on."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def command(shown: str) -> list[str]:
    found = re.search(r"^workbench run(.*)$", shown, re.MULTILINE)
    assert found is not None, shown
    return shlex.split(found[1])


def test_enter_takes_every_default_and_starts(terminal: Callable[..., Terminal]) -> None:
    screen = terminal(STUB, DISPLAY=":9")
    for prompt in ("Model [fake]", "Device [auto]", "Precision [auto]", "Threads [", "Memory limit [none]", "Port [8"):
        screen.answer(prompt, "")
    screen.answer("Open a browser [yes]", "")
    screen.answer("Start it? [yes]", "")
    assert screen.end() == 0, screen.shown
    assert set(command(screen.shown)[::2]) <= {"--port"}, "only what differs from the defaults"
    assert re.search(r"SERVED fake auto None None (None|85\d\d) True", screen.shown)
    assert "offline" in screen.shown
    assert re.search(r"seqgpt-560m +[\d.]+ GiB to fetch; about [\d.]+ GiB of memory; Apache-2.0", screen.shown)


def test_what_cannot_be_is_asked_again_with_the_reason(terminal: Callable[..., Terminal], taken: int) -> None:
    screen = terminal(STUB, "--print")
    screen.answer("Model [fake]", "no-such-model")
    screen.answer('There is no model named "no-such-model"', "9")
    screen.answer("Use a number from 1 to", b"\xe4\xbd\n")  # half a character
    screen.answer("characters that are no text", b"\x1b[A\n")  # an arrow key
    screen.answer("characters that are no text", "http://127.0.0.1:9/v1#two words")
    screen.answer("Device [auto]", "mps")
    screen.answer("The device mps is not there: no Apple GPU was found", "tpu")
    screen.answer("Use one of auto, cpu, cuda, mps", "cpu")
    screen.answer("Precision [auto]", "int4")
    screen.answer("Use one of auto, fp32", "5")
    screen.answer("Threads [", "0")
    screen.answer("The setting threads cannot be 0", "many")
    screen.answer("The setting threads cannot be many", "77")
    screen.answer("Memory limit [none]", "lots")
    screen.answer("The setting max_memory cannot be lots", "1.5g")
    screen.answer("Port [8", str(taken))
    screen.answer("Another program uses it", "70000")
    screen.answer("Use a number from 1 to 65535", "8x")
    screen.expect("Use a number from 1 to 65535")
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = other.getsockname()[1]
    screen.type(f"{free}\n")
    screen.answer("Open a browser [no]", "")
    assert screen.end() == 0
    expected = [
        "--model",
        "http://127.0.0.1:9/v1#two words",
        "--device",
        "cpu",
        "--precision",
        "int8",
        "--threads",
        "77",
    ]
    assert command(screen.shown) == [*expected, "--max-memory", "1536m", "--port", str(free), "--no-browser"]
    assert "SERVED" not in screen.shown
    assert "Start it?" not in screen.shown
    assert "Traceback" not in screen.shown


@pytest.mark.parametrize(
    ("prompt", "key", "code", "said"),
    [("Device [auto]", "\x03", 130, "Stopped"), ("Device [auto]", "\x04", 0, "The input ended")],
    ids=["Ctrl+C", "Ctrl+D"],
)
def test_it_can_be_left_at_any_question(
    terminal: Callable[..., Terminal], prompt: str, key: str, code: int, said: str
) -> None:
    screen = terminal(STUB)
    screen.answer("Model [fake]", "")
    screen.expect(prompt)
    screen.type(key)
    assert screen.end() == code, screen.shown
    assert f"{said}; nothing was started." in screen.shown
    assert "Traceback" not in screen.shown
    assert "SERVED" not in screen.shown


def test_no_at_the_end_starts_nothing(terminal: Callable[..., Terminal]) -> None:
    screen = terminal(STUB)
    screen.answer("Model [fake]", "")
    for prompt in ("Device [", "Precision [", "Threads [", "Memory limit [", "Port [", "Open a browser ["):
        screen.answer(prompt, "")
    screen.answer("Start it? [yes]", "perhaps")
    screen.answer("Type yes or no.", "no")
    assert screen.end() == 0
    assert "SERVED" not in screen.shown


def without_terminal(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", "from engine import cli; cli.main()", "launch", *arguments],
        input="\n" * 20, capture_output=True, text=True, check=False, cwd=ROOT, timeout=WAIT,
        env=os.environ | {"WORKBENCH_MODEL": "fake"},
    )  # fmt: skip


def test_without_a_terminal_it_refuses_in_one_line() -> None:
    done = without_terminal()
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "There is no terminal to ask questions in." in done.stderr


def test_yes_and_print_need_no_terminal_and_print_the_command_alone() -> None:
    done = without_terminal("--yes", "--print")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"workbench run( --port \d+)?( --no-browser)?\n", done.stdout)
    assert done.stderr == ""


def test_a_model_is_really_served(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    screen = terminal(REAL, WORKBENCH_DATA_DIR=str(tmp_path), WORKBENCH_OFFLINE="1")
    for prompt in ("Model [fake]", "Device [", "Precision [", "Threads [", "Memory limit ["):
        screen.answer(prompt, "")
    screen.answer("Port [", str(port))
    screen.answer("Open a browser [no]", "")
    screen.answer("Start it? [yes]", "y")
    assert health(f"http://127.0.0.1:{port}/api/health", screen)["status"] == "ok"
    screen.type("\x03")
    assert screen.end() == 130
    assert "Traceback" not in screen.shown


def health(url: str, screen: Terminal) -> Any:
    limit = time.monotonic() + 2 * WAIT
    while time.monotonic() < limit and screen.process.poll() is None:
        screen._read(0)
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return json.load(answer)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(screen.shown)


# The questions by themselves.


@pytest.fixture
def plan() -> Plan:
    return Plan(load_settings(), launch.FIRST_PORT, True)


def ask(plan: Plan, number: int, machine: Machine = TWO_CORES) -> Question:
    return questions(machine)[number](plan)


def test_every_model_of_the_catalog_has_a_line_of_help(plan: Plan) -> None:
    lines = dict(ask(plan, 0).choices)
    assert lines["auto"] == "seqgpt-560m where a hub answers, else offline"
    assert "classifies, extracts, free prompts by smollm2-135m" in lines["offline"]
    assert "86.9 MiB to fetch; about 350.0 MiB of memory; MIT" in lines["offline"]
    assert "fake" not in lines


def test_a_folder_is_looked_at_before_it_is_taken(plan: Plan, folders: dict[str, Path], tmp_path: Path) -> None:
    spaced = tmp_path / "my model"
    spaced.symlink_to(folders["llama"])
    chosen = ask(plan, 0).answer(f" {spaced} ")
    assert arguments(plan.settings, chosen) == ["--model", str(spaced)]
    with pytest.raises(WorkbenchError, match=r"holds no config\.json"):
        ask(plan, 0).answer(str(tmp_path))
    with pytest.raises(WorkbenchError, match="no model named"):
        ask(plan, 0).answer(str(tmp_path / "nowhere"))


def test_a_device_that_is_not_there_says_why_and_one_that_is_says_which(plan: Plan) -> None:
    lines = dict(ask(plan, 1).choices)
    assert lines["cuda"] == "not there: no NVIDIA GPU or driver was found"
    assert lines["auto"] == "cpu here"
    card = replace(TWO_CORES, cuda=None, cuda_name="Card 9000", cuda_memory=80 * 2**30)
    lines = dict(ask(plan, 1, card).choices)
    assert (lines["auto"], lines["cuda"]) == ("cuda here", "Card 9000, 80.0 GiB")
    assert ask(plan, 1, card).answer("CUDA").settings.device == "cuda"


def test_a_smaller_precision_is_said_to_need_less(plan: Plan) -> None:
    plan = replace(plan, settings=plan.settings.model_copy(update={"model": "seqgpt-560m"}))
    lines = dict(ask(plan, 2).choices)
    sizes = {name: float(re.search(r"about ([\d.]+) GiB", line)[1]) for name, line in lines.items()}  # type: ignore[index]
    assert sizes["int8"] < sizes["fp16"] == sizes["auto"] < sizes["fp32"]


def test_the_settings_are_the_defaults_and_are_not_repeated(monkeypatch: pytest.MonkeyPatch, plan: Plan) -> None:
    monkeypatch.setenv("WORKBENCH_THREADS", "3")
    monkeypatch.setenv("WORKBENCH_MAX_MEMORY", "3g")
    set_so = replace(plan, settings=load_settings())
    assert ask(set_so, 3).default == "3"
    assert ask(set_so, 4).default == "3g"
    for number in (3, 4):
        assert arguments(set_so.settings, ask(set_so, number).answer("")) == []
    assert arguments(set_so.settings, ask(set_so, 4).answer("2g")) == ["--max-memory", "2g"]
    assert ask(plan, 3).default == "2", "the machine's cores where nothing is set"


def test_the_first_free_port_is_proposed(taken: int) -> None:
    assert launch.free_port(taken) > taken
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = other.getsockname()[1]
    assert launch.free_port(free) == free


def test_a_model_that_may_not_fit_is_said(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    held = 0
    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: held)

    def remarks(**changes: object) -> list[str]:
        return launch.remarks(
            replace(plan, settings=plan.settings.model_copy(update={"model": "seqgpt-560m"} | changes))
        )

    assert "seqgpt-560m needs about" in remarks(max_memory=2**20)[0]
    assert remarks(max_memory=2**20, device="cuda") == []
    assert "int8 is taken" in remarks(max_memory=int(2.2 * 2**30))[0]
    held = 2**29
    assert "seqgpt-560m needs about" in remarks(max_memory=int(2.2 * 2**30))[0], "beside what the process holds"
    assert "int8 is taken" in remarks(max_memory=int(2.7 * 2**30))[0]
    assert launch.remarks(replace(plan, settings=plan.settings.model_copy(update={"model": "fake"}))) == []


def test_sizes_are_written_as_the_option_reads_them() -> None:
    for count in (1, 1000, 1024, 1536 * 2**20, 2**31, 3 * 2**40):
        assert Settings(max_memory=launch._short_bytes(count)).max_memory == count  # type: ignore[arg-type]


# The machine.


def test_the_machine_is_looked_at_without_torch() -> None:
    code = (
        "import sys; from engine import cli; from engine.model.machine import look_at_machine; look_at_machine();"
        "from engine.launch import first_plan, questions; from engine.settings import load_settings;"
        "plan = first_plan(load_settings()); [make(plan) for make in questions(look_at_machine())];"
        "sys.exit(str(sorted({'torch', 'transformers'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr.strip() == "[]"


def test_a_torch_without_cuda_and_a_hidden_gpu_are_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "built_for_cuda", lambda: False)
    assert "no CUDA" in str(machines.look_at_machine().cuda)
    monkeypatch.setattr(machines, "built_for_cuda", lambda: True)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert "no NVIDIA GPU" in str(machines.look_at_machine().cuda)


def test_a_driver_that_answers_gives_the_name_and_one_that_fails_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    import pynvml

    monkeypatch.setattr(machines, "built_for_cuda", lambda: True)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for name in ("nvmlInit", "nvmlShutdown"):
        monkeypatch.setattr(pynvml, name, lambda: None)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByIndex", lambda number: number)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetName", lambda _: "Card 9000")
    monkeypatch.setattr(pynvml, "nvmlDeviceGetMemoryInfo", lambda _: type("Memory", (), {"total": 7}))
    found = machines.look_at_machine()
    assert (found.cuda, found.cuda_name, found.cuda_memory) == (None, "Card 9000", 7)

    def broken(_: int) -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)

    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByIndex", broken)
    assert machines.look_at_machine().cuda is not None
