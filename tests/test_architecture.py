"""The rules of the tree that no other test sees."""

import ast
from pathlib import Path

import pytest
from importlinter import configuration
from importlinter.application import use_cases
from importlinter.application.use_cases import create_report, read_user_options

ROOT = Path(__file__).parents[1]
LONGEST = 350
SOURCES = sorted(path for folder in ("engine", "ui", "pages") for path in (ROOT / folder).rglob("*.py"))


def test_rooms_import_only_what_they_may() -> None:
    configuration.configure()
    report = create_report(read_user_options(str(ROOT / "pyproject.toml")), cache_dir=None)
    kept = {contract.name: check.kept for contract, check in report.get_contracts_and_checks()}
    assert len(kept) >= 3
    assert not report.could_not_run
    assert [name for name, is_kept in kept.items() if not is_kept] == []


def test_the_contracts_are_read_from_this_project() -> None:
    assert use_cases is not None
    options = read_user_options(str(ROOT / "pyproject.toml"))
    assert options.session_options["root_packages"] == ["engine", "ui"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long_and_each_says_what_it_is(path: Path) -> None:
    source = path.read_text("utf-8")
    assert len(source.splitlines()) <= LONGEST
    assert ast.get_docstring(ast.parse(source)), "a module begins with what it is"


def test_the_sources_were_found() -> None:
    assert len(SOURCES) > 30
