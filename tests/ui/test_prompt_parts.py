"""The Prompt page's parts without Streamlit's pages: samples, drafts, copies, the pace, tokens."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.api import GenerateBody
from engine.cli import app as cli
from engine.errors import WorkbenchError
from engine.model.fake import FakeBackend
from engine.text.templates import fill
from engine.types import PromptRequest, PromptResult, Structure, Usage, Writing, WrittenToken
from ui.prompt.copies import command_line, curl_line, python_code
from ui.prompt.draft import Draft, Form, draft_json, read_draft, used_variables
from ui.prompt.pace import Pace, guess
from ui.prompt.state import sample_draft
from ui.prompt.tokens_view import token_rows, tokens_html, visible
from ui.source import samples


@pytest.mark.parametrize("sample", samples("prompts"), ids=lambda sample: f"{sample['language']} {sample['name']}")
def test_every_sample_is_whole(sample: dict[str, Any]) -> None:
    draft = sample_draft(sample)
    assert {name for name, _ in draft.values} == set(used_variables(draft.template))
    request = draft.request()
    assert fill(draft.template, dict(draft.values)) == request.text
    assert all(value for _, value in draft.values)
    if "form" in sample:
        assert request.structure is not None
    if request.structure and request.structure.schema:
        assert json.loads(request.structure.schema)["properties"]


def test_a_draft_comes_back_from_its_json() -> None:
    writing = Writing(9, temperature=0.3, top_p=0.5, repetition_penalty=1.5, seed=3, stop=("\n", "x"))
    draft = Draft("{a}", (("a", "1"),), "role", writing, Form("schema", "{}", True))
    assert read_draft(json.loads(json.dumps(draft_json(draft)))) == draft


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"template": 3, "values": [1], "writing": {"beams": "x", "stop": 5, "seed": True}},
        {"form": {"kind": "y", "text": None, "grounded": "yes"}, "role": {}},
    ],
)
def test_a_draft_of_anything_is_a_draft(body: Any) -> None:
    assert read_draft(body) == Draft()


REQUESTS = [
    PromptRequest("plain"),
    PromptRequest(
        "It's {raining}\n'", Writing(7, temperature=0.5, top_p=0.9, seed=0, stop=("\n", "$(x)")), "a 'role' \u96e8"
    ),
    PromptRequest("x", Writing(beams=3, repetition_penalty=1.5), structure=Structure(choices=("a, b", '"c"'))),
    PromptRequest("x", structure=Structure(regex=r"\d+'")),
    PromptRequest("x", structure=Structure(schema='{"type": "string"}')),
    PromptRequest("x", structure=Structure(schema='{"type": "string"}', grounded=True), source="x"),
    PromptRequest("x", structure=Structure(schema='{"type": "string"}', grounded=True), source="it's a source"),
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_the_command_asks_the_same(request_: PromptRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[PromptRequest] = []

    def ask(_settings: object, request: PromptRequest, _show: object) -> PromptResult:
        seen.append(request)
        raise WorkbenchError("model_missing")

    monkeypatch.setattr("engine.cli_prompt._ask", ask)
    monkeypatch.setattr("engine.run.prompt.check_request", lambda _: None)  # what it refuses is asked for too
    monkeypatch.chdir(tmp_path)
    *files, command = re.split(r"\n(?=printf|workbench)", command_line(replace(request_, alternatives=4), "fake"))
    for line in files:
        _, _, content, _, name = shlex.split(line)
        Path(name).write_text(content, "utf-8")
    CliRunner().invoke(cli, shlex.split(command)[1:])
    assert seen == [request_]


@pytest.mark.parametrize("request_", REQUESTS)
def test_python_and_curl_ask_the_same(request_: PromptRequest) -> None:
    code = python_code(replace(request_, alternatives=4), "m").partition("workbench = ")[0]
    names: dict[str, Any] = {}
    exec(code.replace("from engine.run.workbench import Workbench\n", ""), names)  # noqa: S102 - our own code
    assert names["request"] == request_

    curl = shlex.split(curl_line(request_, "http://127.0.0.1:1"))
    assert curl[2] == "http://127.0.0.1:1/api/v1/generate"
    body = json.loads(curl[-1])
    assert GenerateBody.model_validate(body).request() == request_


def test_the_pace_is_measured_once_a_run_and_by_model() -> None:
    pace = Pace()
    model = FakeBackend().info
    result = PromptResult("x", Usage(200, 0, 50, 2000.0), model)
    assert (pace.rate("fake", 1), pace.tokens("fake", "a" * 400)) == (None, 100)
    for _ in range(2):
        pace.note("run", "a" * 400, Writing(), result)
    assert pace.rate("fake", 1) == 25.0
    assert (pace.rate("fake", 4), pace.rate("other", 1)) == (None, None)
    assert pace.tokens("fake", "a" * 40) == 20
    assert pace.tokens("fake", "雨" * 40) == 40, "measured on another script"
    kept = replace(result, usage=replace(result.usage, computed_ms=2000.0, latency_ms=0.1))
    pace.note("other run", "a", Writing(), kept)
    assert pace.rate("fake", 1) == 25.0
    assert guess("雨 rain 雨") == 4


def test_tokens_are_escaped_and_say_what_they_are() -> None:
    tokens = [
        WrittenToken(7, "<b>\n", 0.25, (('"<i>', 0.5), (" ", 0.125))),
        WrittenToken(-1, "", None),
        WrittenToken(3, "\\xe4", 1.0),
    ]
    shown = tokens_html(tokens)
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert "&lt;b&gt;⏎<br>" in shown
    assert "id 7" in shown
    assert "25.0%" in shown
    assert "&quot;&lt;i&gt; 50.0%   · 12.5%" in shown
    assert 'class="wb-forced"' in shown
    rows = token_rows(tokens)
    assert [row["id"] for row in rows] == [7, None, 3]
    assert [row["text"] for row in rows] == ["<b>⏎", "∅", "\\xe4"]
    assert visible("a b\t") == "a·b⇥"
