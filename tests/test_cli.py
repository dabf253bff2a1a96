"""The command line as scripts use it: JSON on stdout and nothing else, exit codes, one clear line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def workbench(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from engine.cli import main; main()", *arguments],
        cwd=ROOT,
        env=os.environ | environment | {"PYTHONIOENCODING": "utf-8"},
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_classify_prints_the_contract_and_nothing_else() -> None:
    done = workbench("classify", "体育新闻：主队获胜", "--labels", "财经,体育", "--model", "fake", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [set(one) for one in answer["labels"]] == [{"label", "score"}] * 2
    assert answer["labels"][0]["label"] == "体育"
    assert answer["labels"][0]["score"] >= answer["labels"][1]["score"]
    assert sum(one["score"] for one in answer["labels"]) == pytest.approx(1, abs=1e-5)
    assert answer["chosen"] == ["体育"]
    assert {"prompt_tokens", "scored_tokens", "latency_ms"} <= set(answer["usage"])
    assert answer["model"]["name"] == "fake"


def test_text_from_stdin_and_quoted_labels() -> None:
    done = workbench("classify", "-", "--labels", 'a,"b, c"；d', "--model", "fake", "--json", stdin="about b, c")
    assert {one["label"] for one in json.loads(done.stdout)["labels"]} == {"a", "b, c", "d"}


def test_none_of_these() -> None:
    done = workbench("classify", "x1", "--labels", "a,b", "--model", "fake", "--threshold", "1", "--json")
    assert json.loads(done.stdout)["chosen"] == []
    done = workbench("classify", "x1", "--labels", "a,b", "--model", "fake", "--threshold", "1")
    assert "none of these" in done.stdout


def test_free_decoding_is_beside_the_scores() -> None:
    done = workbench("classify", "sports", "--labels", "sports,news", "--model", "fake", "--free", "--json")
    free = json.loads(done.stdout)["free"]
    assert free["chosen"] == ["sports"]
    assert free["raw"] == "sports\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["classify", "text", "--labels", "a,b", "--device", "tpu"], 2, "auto, cpu, cuda, mps"),
        (["classify", "text", "--labels", ",,"], 2, "no labels"),
        (["classify", " 。！ ", "--labels", "a,b"], 2, "no text"),
        (["classify", "text"], 2, "--labels"),
        (["classify", "text", "--labels", "a,b", "--threshold", "7"], 2, "threshold"),
        (["classify", "text", "--labels", "a,b", "--model", "no-such-model"], 1, "no-such-model"),
        (["classify", "text", "--labels", "a,b", "--model", "./no/such/folder"], 1, "no/such/folder"),
        (["no-such-command"], 2, "no-such-command"),
    ],
)
def test_failures_are_one_clear_line(arguments: list[str], code: int, said: str) -> None:
    done = workbench(*arguments, WORKBENCH_MODEL="fake")
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_without_weights_says_what_is_missing(tmp_path: Path) -> None:
    done = workbench("classify", "text", "--labels", "a,b", "--model", str(tmp_path))
    assert done.returncode == 1
    assert "config.json" in done.stderr
    assert len(done.stderr.strip().splitlines()[-1]) < 400


def test_models_lists_the_catalog_without_loading_torch() -> None:
    done = workbench("models", "--json")
    names = [entry["name"] for entry in json.loads(done.stdout)]
    assert names == ["seqgpt-560m", "smollm2-135m", "offline"]
    assert "seqgpt-560m" in workbench("models").stdout


def test_version() -> None:
    from engine import __version__

    assert workbench("--version").stdout.strip() == __version__
