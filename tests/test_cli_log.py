"""The command line's log: on stderr, as text or JSON, never mixed with results, and the same options everywhere."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from engine.cli import _serve, app
from engine.cli_options import settings_of
from engine.settings import load_settings

ROOT = Path(__file__).parents[1]
CALL = ["classify", "今天的体育新闻", "--labels", "财经,体育", "--model", "fake", "--json"]


def workbench(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from engine.cli import main; main()", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def options() -> dict[str, set[str]]:
    """Every command's options."""
    commands = get_command(app).commands  # type: ignore[attr-defined]
    return {name: {option for one in command.params for option in one.opts} for name, command in commands.items()}


def test_every_command_with_a_log_has_its_options() -> None:
    logged = {name for name, found in options().items() if "--log-level" in found}
    assert {"run", "classify", "extract", "prompt"} <= logged
    assert logged == {name for name, found in options().items() if "--log-json" in found}


def test_a_command_s_log_is_json_on_stderr_and_its_result_alone_on_stdout(tmp_path: Path) -> None:
    """A damaged file of kept answers is what there is to say."""
    (tmp_path / "results.sqlite3").write_bytes(b"no database " * 1000)
    done = workbench(*CALL, "--log-json", WORKBENCH_RESULT_CACHE_DISK="1", WORKBENCH_DATA_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["chosen"] == ["体育"]
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert "WARNING" in {one["level"] for one in lines}
    assert all({"time", "level", "logger", "message"} <= set(one) for one in lines)
    assert "WARNING" not in "".join(line for line in done.stderr.splitlines() if not line.startswith("{"))
    assert "体育新闻" not in done.stderr, "texts are never logged"


@pytest.fixture
def own_log() -> Iterator[None]:
    """Loggers as they were, afterwards."""
    loggers = [logging.getLogger(name) for name in ("", "engine")]
    before = [(one.handlers[:], one.level) for one in loggers]
    yield
    logging.captureWarnings(False)
    for one, (handlers, level) in zip(loggers, before, strict=True):
        one.handlers[:] = handlers
        one.setLevel(level)


@pytest.mark.parametrize(("flag", "json_lines"), [(True, True), (False, False), (None, True)])
@pytest.mark.usefixtures("own_log")
def test_a_flag_beats_the_environment(
    flag: bool | None, json_lines: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_LOG_JSON", "1")
    settings_of({"log_json": flag})
    logging.getLogger("engine.x").warning("odd")
    assert capsys.readouterr().err.startswith("{" if json_lines else "WARNING engine.x: odd")


def test_the_pages_process_gets_the_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """`run` starts the pages in a child, with every setting in its environment."""
    seen: dict[str, str] = {}

    def call(_: list[str], *, env: dict[str, str], **_options: object) -> int:
        seen.update(env)
        return 0

    monkeypatch.setattr(subprocess, "call", call)
    with pytest.raises(SystemExit):
        _serve(load_settings(log_json=True, log_level="debug"), port=None, browser=False)
    for name in [name for name in os.environ if name.startswith("WORKBENCH_")]:
        monkeypatch.delenv(name)
    for name in ("WORKBENCH_LOG_JSON", "WORKBENCH_LOG_LEVEL", "WORKBENCH_LOG_TEXTS"):
        monkeypatch.setenv(name, seen[name])
    settings = load_settings()
    assert (settings.log_json, settings.log_level, settings.log_texts) == (True, "debug", False)
