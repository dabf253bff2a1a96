"""The rules of the tree: imports point one way, files stay short, and the light rooms stay light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 350
SOURCES = sorted(path for room in ("engine", "ui", "pages", "bench") for path in (ROOT / room).rglob("*.py"))


def test_rooms_import_only_what_they_may() -> None:
    """In a process of its own: the linter sets up logging for its own ends."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout
    assert "3 kept, 0 broken" in done.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_can_be_seen_whole_and_says_what_it_is(path: Path) -> None:
    source = path.read_text("utf-8")
    assert len(source.splitlines()) <= LONGEST
    assert not source or ast.get_docstring(ast.parse(source)), "a module begins with what it is"


def test_no_two_files_of_tests_have_one_name() -> None:
    """Folders of tests are no packages, but for one: of two with one name the second is not collected."""
    files = (ROOT / "tests").rglob("test_*.py")
    names = [path.name for path in files if not (path.parent / "__init__.py").exists()]
    assert sorted(names) == sorted(set(names))


def test_the_sources_were_found() -> None:
    assert len(SOURCES) > 30


@pytest.mark.parametrize(
    "module", ["engine.run.workbench", "engine.cli", "engine.api", "ui.sidebar", "ui.classify", "ui.prompt.page"]
)
def test_nothing_is_slow_to_import(module: str) -> None:
    """Importing torch and transformers takes seconds; only the worker's thread may do it."""
    code = f"import sys, {module}; print(sorted({{'torch', 'transformers'}} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.strip().splitlines()[-1:] == ["[]"], done.stderr
