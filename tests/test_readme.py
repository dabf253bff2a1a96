"""The README's commands are the ones that CI runs and that a newcomer types: they cannot drift apart."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
START = "pip install -c constraints.txt -e . && workbench"
TEST = 'pip install -c constraints.txt -e ".[test]" && pytest'


def test_the_readme_gives_the_two_commands() -> None:
    blocks = re.findall(r"```(?:sh|bash)?\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    assert START in lines
    assert TEST in lines


def test_ci_runs_the_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'pip install -q -c constraints.txt -e ".[test]" && pytest' in script


def test_the_readme_shows_files_that_exist() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    linked = re.findall(r"\]\(((?!https?:|#)[^)]+)\)", text)
    assert linked
    assert [path for path in linked if not (ROOT / path.partition("#")[0]).exists()] == []
