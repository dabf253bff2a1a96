"""The command line: what it prints where, and how it exits."""

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from doubles import Load, RecordingBackend

from engine import __version__, cli
from engine.cli_once import ProgressLine
from engine.model.catalog import CATALOG
from engine.model.fake import FakeBackend
from engine.types import ExtractRequest, LoadProgress, PromptRequest, Structure, Writing

ROOT = Path(__file__).parents[1]
EXTRACT = ["extract", "甲方：A公司，金额：3.5万元", "--fields", "甲方,金额,日期", "--model", "fake"]
CALL = ["classify", "今天的体育新闻", "--labels", "财经,体育", "--model", "fake"]


class Outcome(NamedTuple):
    """An exit code and what was printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """The console script in this process."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    monkeypatch.setenv("COLUMNS", "200")
    root.handlers.clear()

    def call(*arguments: str, stdin: str | None = None) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", StringIO(stdin))
        try:
            cli.main()
            code: Any = 0
        except SystemExit as end:
            code = end.code or 0
        return Outcome(code, *capsys.readouterr())

    yield call
    root.handlers[:], root.level = before


def plain(text: str) -> str:
    """Without colours and boxes."""
    return re.sub(r"\x1b\[[0-9;]*m|[│╭╮╰╯─]", "", text)


def test_json_keeps_the_contract(run: Any) -> None:
    outcome = run(*CALL, "--json")
    assert outcome.code == 0
    assert outcome.out.count("\n") == 1
    answer = json.loads(outcome.out)
    assert list(answer) == ["labels", "chosen", "usage", "model", "notes"]
    assert [set(one) for one in answer["labels"]] == [{"label", "score"}] * 2
    assert [one["label"] for one in answer["labels"]] == ["体育", "财经"]
    assert sum(one["score"] for one in answer["labels"]) == pytest.approx(1, abs=1e-5)
    assert answer["chosen"] == ["体育"]
    assert list(answer["usage"]) == [
        *("prompt_tokens", "scored_tokens", "output_tokens", "latency_ms", "queue_ms", "computed_ms", "cached")
    ]
    assert (answer["usage"]["cached"], answer["usage"]["computed_ms"]) == (False, None)
    assert answer["model"] == {
        "name": "fake",
        "revision": "1",
        "protocol": "seqgpt",
        "device": "cpu",
        "precision": "fp32",
        "context": 1024,
    }
    assert answer["notes"] == []


def test_json_with_everything(run: Any) -> None:
    outcome = run(*CALL[:2], "--labels", "财经,财经", "--model", "fake", "--json", "--free", "--multi")
    answer = json.loads(outcome.out)
    assert set(answer["free"]) == {"raw", "chosen", "output_tokens", "latency_ms", "notes"}
    assert answer["free"]["raw"] == "财经\n"
    assert [note["code"] for note in answer["notes"]] == ["one_label", "labels_merged"]
    assert all(set(note) == {"code", "text"} for note in answer["notes"])


def test_text_has_the_result_on_stdout_and_all_else_on_stderr(run: Any) -> None:
    outcome = run("classify", "体育", "--labels", "体育，体育", "--model", "fake", "--free")
    assert outcome.code == 0
    assert outcome.out == "* 100.0%  体育\nfree: 体育\n"
    assert "resolve …\n" in outcome.err
    assert "note: With one label" in outcome.err
    assert "note: Merged duplicates: 体育." in outcome.err


def test_none_of_these(run: Any) -> None:
    outcome = run(*CALL, "--threshold", "1")
    assert outcome.out.splitlines()[-1] == "none of these"
    assert "*" not in outcome.out


def test_several_labels_are_marked(run: Any) -> None:
    outcome = run(*CALL, "--multi", "--threshold", "0")
    assert [line[0] for line in outcome.out.splitlines()] == ["*", "*"]


def test_a_dash_reads_standard_input(run: Any) -> None:
    outcome = run("classify", "-", "--labels", "a;b", "--model", "fake", "--json", stdin="体育\n新闻\n")
    assert json.loads(outcome.out)["usage"]["prompt_tokens"] == len("输入: 体育\n新闻\n\n分类: a，b\n输出: ") + 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["classify", "x", "--labels", ""], "There are no labels"),
        (["classify", "x", "--labels", " ,，"], "There are no labels"),
        (["classify", " ", "--labels", "a,b"], "There is no text"),
        ([*CALL, "--threshold", "2"], "threshold cannot be 2"),
        ([*CALL, "--device", "tpu"], "Use one of auto, cpu, cuda, mps."),
        ([*CALL, "--precision", "int4"], "precision cannot be int4"),
        ([*CALL, "--max-memory", "lots"], "max_memory cannot be lots"),
        ([*CALL, "--threads", "0"], "threads cannot be 0"),
        ([*CALL, "--log-level", "loud"], "log_level cannot be loud"),
        (["classify", "x"], "--labels"),
        (["classify"], "text"),
        (["clasify"], "No such command"),
        ([*CALL, "--nonsense"], "--nonsense"),
        (["run", "--port", "70000"], "--port"),
    ],
)
def test_wrong_usage_exits_with_2_and_prints_nothing_on_stdout(run: Any, arguments: list[str], said: str) -> None:
    outcome = run(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert said.casefold() in plain(outcome.err).casefold()
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["classify", "x", "--labels", "a", "--model", "no-such-model"], 'no model named "no-such-model"'),
        (["classify", "x", "--labels", "a", "--model", "/no/such/folder"], "/no/such/folder"),
        (["classify", "x", "--labels", "a" * 300, "--model", "fake"], "is 301 tokens long"),
        (["classify", "x", "--labels", "a", "--model", "owner/name", "--offline"], "offline mode"),
    ],
)
def test_a_failure_exits_with_1_and_one_line(run: Any, arguments: list[str], said: str) -> None:
    outcome = run(*arguments)
    assert outcome.code == 1
    assert outcome.out == ""
    last = outcome.err.splitlines()[-1]
    assert last.startswith("workbench: ")
    assert said in last
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(("text", "labels"), [("ab\udcff", "a,b"), ("ab", "a\udcff,b")])
def test_bytes_that_are_no_text_are_answered_or_refused_in_one_line(run: Any, text: str, labels: str) -> None:
    """Python hands undecodable bytes of an argument over as lone surrogates."""
    outcome = run("classify", text, "--labels", labels, "--model", "fake", "--json")
    assert outcome.code in {0, 1, 2}
    assert "Traceback" not in outcome.err


def test_a_folder_without_a_model_says_what_is_missing(run: Any, tmp_path: Path) -> None:
    outcome = run("classify", "x", "--labels", "a,b", "--model", str(tmp_path))
    assert outcome.code == 1
    assert "config.json" in outcome.err.splitlines()[-1]
    assert len(outcome.err.splitlines()[-1]) < 400


def test_a_failure_without_a_model_fetches_nothing(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("engine.model.loader.load_backend", never)
    assert run("classify", "", "--labels", "a,b").code == 2


def test_an_interrupt_exits_with_130(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "answer_once", interrupted)
    assert run(*CALL).code == 130


def test_models(run: Any) -> None:
    outcome = run("models")
    assert outcome.code == 0
    assert "seqgpt-560m" in outcome.out
    assert "Apache-2.0" in outcome.out
    assert "fake" not in outcome.out
    assert outcome.err == ""
    entries = json.loads(run("models", "--json").out)
    names = [entry["name"] for entry in entries]
    assert names == [name for name in CATALOG if name != "fake"]
    assert {"seqgpt-560m", "smollm2-135m", "offline"} <= set(names)
    assert all(entry["licence"] and entry["parameters"] > 0 for entry in entries)


def test_version_and_help(run: Any) -> None:
    assert run("--version").out == f"{__version__}\n"
    outcome = run("-h")
    assert outcome.code == 0
    assert all(command in outcome.out for command in ("run", "classify", "models"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["--server.headless", "false"]),
        (["run"], ["--server.headless", "false"]),
        (["run", "--no-browser", "--port", "9000"], ["--server.headless", "true", "--server.port", "9000"]),
    ],
)
def test_run_starts_the_server_with_the_settings_in_its_environment(
    run: Any, monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: list[str]
) -> None:
    started: dict[str, Any] = {}
    monkeypatch.setattr(cli.subprocess, "call", lambda command, **o: started.update(command=command, **o) or 7)
    options = ["--model", "fake", "--threads", "2", "--offline", "--max-memory", "1g"] if arguments else []
    assert run(*arguments, *options).code == 7
    assert started["command"][:4] == [sys.executable, "-m", "streamlit", "run"]
    assert started["command"][4] == str(ROOT / "serve.py")
    assert started["command"][5:] == [*expected[:2], "--server.maxUploadSize", "200", *expected[2:]]
    assert started["cwd"] == ROOT
    if arguments:
        environment = started["env"]
        assert (environment["WORKBENCH_MODEL"], environment["WORKBENCH_THREADS"]) == ("fake", "2")
        assert (environment["WORKBENCH_OFFLINE"], environment["WORKBENCH_MAX_MEMORY"]) == ("True", str(2**30))


def test_progress_is_a_line_a_phase_elsewhere_and_one_moving_line_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        LoadProgress("fetch", 0, None),
        LoadProgress("fetch", 50, 100, "bytes"),
        LoadProgress("weights", 1, 4, "tensors"),
    ]
    line = ProgressLine()
    for step in steps:
        line(step)
    assert capsys.readouterr() == ("", "fetch …\nweights …\n")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = ProgressLine()
    for step in steps:
        line(step)
    out, err = capsys.readouterr()
    assert out == ""
    assert re.findall(r"\r(\w+) +(\d+%)?", err) == [("fetch", ""), ("fetch", "50%"), ("weights", "25%")]


def test_the_console_script_in_a_process_of_its_own() -> None:
    command = [sys.executable, "-c", "from engine.cli import main; main()", *CALL, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout.decode("utf-8"))["chosen"] == ["体育"]
    assert b"Traceback" not in done.stderr


def test_whatever_is_found_can_be_printed_in_every_locale() -> None:
    """As under en_US.UTF-8, where standard output takes no lone surrogate, and on a Windows code page."""
    call = [sys.executable, "-c", "from engine.cli import main; main()", "extract", "--model", "fake", "--fields", "名"]
    for encoding in ("utf-8:strict", "cp1252"):
        environment = os.environ | {"PYTHONIOENCODING": encoding}
        shown = subprocess.run(
            [*call, b"\xe5\x90\x8d: \xffab"], env=environment, capture_output=True, cwd=ROOT, check=False
        )
        assert (shown.returncode, shown.stdout.decode()) == (0, "名\t\\udcffab\t3-6\t98.0%\n"), shown.stderr


def test_the_fake_model_and_help_need_no_torch() -> None:
    """They must answer at once."""
    code = (
        "import sys; from engine.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'torch', 'transformers', 'streamlit'} & set(sys.modules)\n"
        "print(heavy, file=sys.stderr); sys.exit(len(heavy))"
    )
    for arguments in (CALL, ["models"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr.decode()


def test_extract_json_keeps_the_contract(run: Any) -> None:
    outcome = run(*EXTRACT, "--json")
    assert outcome.code == 0
    answer = json.loads(outcome.out)
    assert list(answer) == ["fields", "not_found", "usage", "model", "notes", "prompts"]
    (value,) = answer["fields"]["甲方"]
    assert EXTRACT[1][value["start"] : value["end"]] == value["text"] == "A公司"
    assert set(answer["usage"]) >= {"forwards", "forwards_saved", "forced_tokens", "prompts", "latency_ms"}


def test_extract_prints_a_line_a_value(run: Any) -> None:
    outcome = run(*EXTRACT)
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert lines[0][:3] == ["甲方", "A公司", "3-6"]
    assert {line[0] for line in lines} == {"甲方", "金额", "日期"}


def test_extract_reads_a_field_set_from_a_file_and_a_text_from_stdin(run: Any, tmp_path: Path) -> None:
    fields = [{"name": "总价", "asked": ["金额"], "type": "money"}]
    path = tmp_path / "fields.json"
    path.write_text(json.dumps(fields), "utf-8")
    outcome = run("extract", "-", "--fields", str(path), "--json", "--model", "fake", stdin=EXTRACT[1])
    (value,) = json.loads(outcome.out)["fields"]["总价"]
    assert value["normalised"] == {"amount": 35000, "currency": "CNY"}


def test_names_that_end_like_a_file_are_names(run: Any) -> None:
    outcome = run("extract", "x: 1, readme.txt: 2", "--fields", "x,readme.txt", "--json", "--model", "fake")
    assert list(json.loads(outcome.out)["fields"]) == ["x", "readme.txt"]


def test_extract_free_shows_what_is_not_in_the_text(run: Any) -> None:
    outcome = run("extract", "name: Ann", "--fields", "name,city", "--free", "--model", "fake")
    assert "free:" in outcome.out
    assert "city\tACME\t-\tabsent" in outcome.out


def test_extract_lets_fields_overlap_where_told(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def check(request: ExtractRequest) -> ExtractRequest:
        asked.append(request.nested)
        return request

    monkeypatch.setattr("engine.run.extract.check_request", check)
    assert run(*EXTRACT).code == 0
    assert run(*EXTRACT, "--nested").code == 0
    assert asked == [False, False, True, True]  # before and after the load


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (["--fields", ""], 2),
        (["--fields", '[{"nome": 1}]'], 2),
        (["--fields", "missing.json"], 1),
        (["--mentions", "some"], 2),
        (["--per-prompt", "0"], 2),
    ],
)
def test_extract_wrong_usage_is_one_line(run: Any, change: list[str], code: int) -> None:
    outcome = run(*EXTRACT, *change)
    assert outcome.code == code
    assert outcome.out == ""
    assert "Traceback" not in outcome.err


def test_prompt_prints_the_answer_alone_on_stdout(run: Any) -> None:
    outcome = run("prompt", "-", "--model", "fake", "--max-new-tokens", "5", stdin="Say something")
    assert (outcome.code, outcome.out) == (0, "Say s\n")
    assert "note: The free answer stopped at its limit of 5 tokens." in outcome.err


def test_prompt_json_keeps_the_contract(run: Any) -> None:
    outcome = run("prompt", "说点什么", "--model", "fake", "--json")
    assert (outcome.code, outcome.out.count("\n")) == (0, 1)
    answer = json.loads(outcome.out)
    assert list(answer) == ["text", "usage", "model", "notes", "finish", "prompt"]
    assert (answer["text"], answer["model"]["name"], answer["notes"]) == ("说点什么", "fake", [])


def test_prompt_takes_every_setting(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[PromptRequest] = []
    monkeypatch.setattr("engine.run.prompt.check_request", asked.append)
    schema, source = tmp_path / "schema.json", tmp_path / "source.txt"
    schema.write_text('{"type": "null"}', "utf-8-sig")
    source.write_text("Ann", "utf-8")
    settings = ["--role", "r", "--temperature", "0.5", "--top-p", "0.9", "--repetition-penalty", "1.2", "--seed", "3"]
    call = ["prompt", "x", "--model", "fake", "--json"]
    assert run(*call, *settings, "--stop", "a", "--stop", "\n", "--alternatives", "2", "--beams", "2").code == 0
    assert asked[0] == PromptRequest("x", Writing(256, 2, 0.5, 0.9, 1.2, 3, ("a", "\n")), "r", alternatives=2)
    for given, structure, grounds in (
        (["--schema", str(schema)], Structure('{"type": "null"}'), ""),
        (["--schema", str(schema), "--grounded"], Structure('{"type": "null"}', grounded=True), "x"),
        (
            ["--schema", str(schema), "--grounded", "--source", str(source)],
            Structure('{"type": "null"}', grounded=True),
            "Ann",
        ),
        (["--regex", "a+"], Structure(regex="a+"), ""),
        (["--choices", "a，b"], Structure(choices=("a", "b")), ""),
    ):
        asked.clear()
        run(*call, *given)
        assert (asked[0].structure, asked[0].source) == (structure, grounds)


def test_prompt_holds_the_answer_to_a_structure(run: Any, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}', "utf-8")
    outcome = run("prompt", "Ann", "--model", "fake", "--schema", str(schema), "--grounded")
    assert (outcome.code, outcome.out) == (0, '{"a":""}\n')
    schema.write_text("{", "utf-8")
    outcome = run("prompt", "Ann", "--model", "fake", "--schema", str(schema))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("workbench: The answer cannot be held to this structure: the schema is not JSON")
    assert run("prompt", "Ann", "--model", "fake", "--schema", str(tmp_path / "none.json")).code == 1


@pytest.mark.parametrize(("flag", "pieces"), [("--stream", 7), ("--no-stream", 1)])
def test_prompt_prints_as_it_is_written(run: Any, flag: str, pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []
    own = typer.echo

    def echo(message: Any = "", nl: bool = True, err: bool = False) -> None:
        if message and not nl and not err:
            printed.append(message)
        own(message, nl=nl, err=err)

    monkeypatch.setattr("typer.echo", echo)
    outcome = run("prompt", "Say it!", "--model", "fake", flag)
    assert (outcome.code, outcome.out, len(printed)) == (0, "Say it!\n", pieces)


def test_prompt_is_answered_by_the_writer_of_a_model_that_cannot(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    load = Load(lambda: RecordingBackend(generates=False, writer="smollm2-135m"), FakeBackend)
    monkeypatch.setattr("engine.model.loader.load_backend", load)
    outcome = run("prompt", "Say", "--model", "offline")
    assert (outcome.code, outcome.out) == (0, "Say\n")
    assert "cannot write." in outcome.err
    assert [call.model for call in load.calls] == ["offline", "smollm2-135m"]
    monkeypatch.setattr("engine.model.loader.load_backend", Load(lambda: RecordingBackend(generates=False)))
    outcome = run("prompt", "Say", "--model", "offline")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.splitlines()[-1].startswith("workbench: The model fake cannot write")


@pytest.mark.parametrize("arguments", [[" "], ["x", "--max-new-tokens", "0"], ["x", "--max-new-tokens", "513"], []])
def test_prompt_wrong_usage(run: Any, arguments: list[str]) -> None:
    outcome = run("prompt", *arguments, "--model", "fake")
    assert (outcome.code, outcome.out) == (2, "")
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("call", [CALL, EXTRACT, ["prompt", "Say", "--model", "fake"]], ids=lambda call: call[0])
def test_answers_are_kept_on_disk_where_that_is_switched_on(
    run: Any, call: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def ask() -> tuple[bool, dict[str, Any]]:
        answer = json.loads(run(*call, "--json").out)
        return answer.pop("usage")["cached"], answer

    assert [ask()[0], ask()[0]] == [False, False]
    assert not (tmp_path / "data").exists()
    monkeypatch.setenv("WORKBENCH_RESULT_CACHE_DISK", "1")
    (first, answer), (again, kept) = ask(), ask()
    assert (first, again, kept) == (False, True, answer)
    monkeypatch.setenv("WORKBENCH_RESULT_CACHE", "0")
    assert ask()[0] is False


def test_a_writers_answer_is_kept_as_its_own(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_RESULT_CACHE_DISK", "1")
    load = Load(lambda: RecordingBackend(generates=False, writer="smollm2-135m"), FakeBackend)
    for cached in (False, True):
        load.calls.clear()
        monkeypatch.setattr("engine.model.loader.load_backend", load)
        answer = json.loads(run("prompt", "Say", "--model", "offline", "--json").out)
        assert (answer["text"], answer["usage"]["cached"]) == ("Say", cached)


def test_cache_shows_sizes_and_clears_results(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    outcome = run("cache")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [f"results    0 answers, 0 B  {tmp_path / 'data' / 'results.sqlite3'}"]
    assert not (tmp_path / "data").exists()
    monkeypatch.setenv("WORKBENCH_RESULT_CACHE_DISK", "1")
    run(*CALL)
    (tmp_path / "cache" / "converted" / "m").mkdir(parents=True)
    (tmp_path / "cache" / "converted" / "m" / "model.safetensors").write_bytes(b"x" * 3000)
    shown = json.loads(run("cache", "--json").out)
    assert (list(shown), shown["results"]["answers"]) == (["results", "converted"], 1)
    assert (shown["results"]["bytes"] > 500, shown["converted"]["bytes"]) == (True, 3000)
    assert run("cache").out.splitlines()[1].startswith("converted  2.9 KiB")
    cleared = run("cache", "--clear", "results")
    assert (cleared.code, "0 answers, 0 B" in cleared.out) == (0, True)
    assert (tmp_path / "cache" / "converted" / "m" / "model.safetensors").exists()
    assert run("cache", "--clear", "models").code == 2


def test_cache_shows_and_clears_converted_models(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "converted" / "tiny-int8-0123"
    folder.mkdir(parents=True)
    (folder / "layers.safetensors").write_bytes(bytes(2048))
    assert json.loads(run("cache", "--json").out)["converted"]["bytes"] == 2048
    assert "converted" not in json.loads(run("cache", "--clear", "converted", "--json").out)
    assert not folder.exists()


def test_a_damaged_cache_file_is_said_and_cleared(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("WORKBENCH_RESULT_CACHE_DISK", "1")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "results.sqlite3").write_bytes(b"no database " * 1000)
    outcome = run(*CALL, "--json")
    assert (outcome.code, json.loads(outcome.out)["chosen"]) == (0, ["体育"])
    assert "until the result cache is cleared" in caplog.text
    assert run("cache", "--clear", "results").code == 0
    run(*CALL)
    assert json.loads(run(*CALL, "--json").out)["usage"]["cached"] is True
