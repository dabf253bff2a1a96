"""The rooms: imports point one way, files stay short, and the light ones stay light."""

import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parent.parent


def test_import_contracts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_files_can_be_seen_whole() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for room in ("engine", "ui", "pages", "bench")
        for path in (ROOT / room).rglob("*.py")
        if (count := len(path.read_text("utf-8").splitlines())) > 300
    }
    assert long == {}


@pytest.mark.parametrize("module", ["engine.run.workbench", "engine.cli", "ui.sidebar", "ui.classify"])
def test_the_page_paints_before_torch_is_imported(module: str) -> None:
    """Importing torch and transformers takes seconds; only the worker's thread may do it."""
    code = f"import sys, {module}; print(sorted({{'torch', 'transformers'}} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip().splitlines()[-1:] == ["[]"], done.stderr
