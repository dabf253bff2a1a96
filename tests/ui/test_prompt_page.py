"""The Prompt page without a browser: what it shows, what it asks, and what it keeps."""

import html
import json
import re
import shlex
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_driver import captions, errors, markup
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from engine.api import GenerateBody
from engine.cli import app as cli
from engine.errors import Cancelled, WorkbenchError
from engine.run.queue import Ticket
from engine.run.workbench import Workbench
from engine.store.history import NAME, PromptHistory
from engine.text.templates import fill
from engine.types import PromptRequest, PromptResult, Structure, Writing
from ui.prompt.copies import command_line, curl_line, python_code
from ui.prompt.draft import Draft, Form, draft_json, read_draft, used_variables
from ui.prompt.pace import Pace, guess
from ui.prompt.state import sample_draft
from ui.prompt.tokens_view import token_rows, tokens_html, visible
from ui.source import samples

MARKUP = "<img src=x onerror=alert(1)> $12 and $15 :smile: ~~x~~ {text}"
TEMPLATE, ROLE, TEXT, KEEP = "prompt_template", "prompt_role", "prompt_value_text", "prompt_keep"

Open = Callable[..., AppTest]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[PromptRequest]:
    """Every request that the page makes, in order."""
    seen: list[PromptRequest] = []
    prompt = Workbench.prompt

    def recorded(self: Workbench, request: PromptRequest, *rest: Any, **options: Any) -> Ticket[PromptResult]:
        seen.append(request)
        return prompt(self, request, *rest, **options)

    monkeypatch.setattr(Workbench, "prompt", recorded)
    return seen


@pytest.fixture
def open_page(open_app: Open) -> Open:
    """Opens the app at its Prompt page, without the first sample's form."""

    def open_(delay: float = 0, form: bool = False, **link: str) -> AppTest:
        app = open_app(delay, **link).switch_page("pages/prompt.py").run()
        assert not app.exception
        if form:
            return app
        app.text_area(key=ROLE).set_value("")
        return write(app, "Say: {text}", text="It rains.", kind="none")

    return open_


def write(app: AppTest, template: str | None = None, *, kind: str | None = None, **values: str) -> AppTest:
    """Type a template, then values; choose a form."""
    if template is not None:
        app.text_area(key=TEMPLATE).set_value(template).run()
    for name, value in values.items():
        app.text_area(key=f"prompt_value_{name}").set_value(value)
    if kind is not None:
        app.selectbox(key="prompt_kind").set_value(kind)
    app.run()
    assert not app.exception
    return app


def run(app: AppTest) -> AppTest:
    """Press Run; the page itself waits for the answer."""
    app.button(key="run").click().run()
    assert not app.exception
    return app


def written(app: AppTest) -> list[str]:
    """The answers shown."""
    return [html.unescape(text) for text in re.findall(r'data-testid="written">(.*?)</div>', markup(app), re.S)]


def entries() -> list[str]:
    """The prompts in the history, newest first."""
    from engine.settings import load_settings

    return [entry.prompt for entry in PromptHistory(load_settings().data_dir).list().entries]


def test_it_opens_with_a_sample_and_says_what_to_do(open_page: Open) -> None:
    app = open_page(form=True)
    assert app.title[0].value == "Prompt"
    assert [area.key for area in app.text_area][:2] == [ROLE, TEMPLATE]
    assert app.text_area(key="prompt_value_fields").value == "person, company, city, salary"
    assert json.loads(app.text_area(key="prompt_schema").value)["required"][0] == "person"
    assert "Press Run" in app.info[0].value
    assert any("no estimate of the time yet" in caption for caption in captions(app))
    chinese = open_page(form=True, lang="zh")
    assert chinese.title[0].value == "提示词"
    assert "人物，公司" in chinese.text_area(key="prompt_value_fields").value


def test_only_variables_of_the_template_have_boxes_and_values_stay(open_page: Open) -> None:
    app = write(open_page(), "{a} and {b} {{c}}", a="1", b="2")
    boxes = [area.key for area in app.text_area if (area.key or "").startswith("prompt_value_")]
    assert boxes == ["prompt_value_a", "prompt_value_b"]
    write(app, "{b} {text}")
    assert app.text_area(key="prompt_value_b").value == "2"
    assert app.text_area(key=TEXT).value == "It rains."
    write(app, "{text} {c}")
    assert any("Empty: c" in caption for caption in captions(app))


def test_run_asks_for_what_is_typed_and_shows_what_was_written(open_page: Open, asked: list[PromptRequest]) -> None:
    app = open_page()
    app.text_area(key=ROLE).set_value(" You are brief. ")
    run(app)
    assert asked == [PromptRequest("Say: It rains.", Writing(160), "You are brief.", alternatives=4)]
    assert written(app) == ["You are brief.\n\nSay: It rains."]
    assert 'data-testid="finish">complete<' in markup(app)
    assert "tokens/s" in markup(app)
    assert [tab.label for tab in app.tabs][:3] == ["Tokens", "Prompt", "Raw output"]
    assert any("up to about" in caption for caption in captions(app))
    count = re.findall(r"(\d+) prompt tokens", markup(app))[0]
    assert any(caption.startswith(f"About {count} tokens") for caption in captions(app)), "measured by now"


def test_an_edit_makes_the_answer_stale_and_back_again(open_page: Open) -> None:
    app = run(open_page())
    assert "wb-fresh" in markup(app)
    write(app, text="It snows.")
    assert "wb-stale" in markup(app)
    assert any("earlier input" in caption for caption in captions(app))
    write(app, text="It rains.")
    assert "wb-fresh" in markup(app)
    app.segmented_control(key="prompt_a_mode").set_value("sample").run()
    assert "wb-stale" in markup(app)


def test_settings_that_a_mode_does_not_honour_are_not_asked_for(open_page: Open, asked: list[PromptRequest]) -> None:
    app = open_page()
    app.segmented_control(key="prompt_a_mode").set_value("sample").run()
    app.slider(key="prompt_a_temperature").set_value(0.5)
    app.number_input(key="prompt_a_seed").set_value(7)
    app.number_input(key="prompt_a_limit").set_value(5)
    app.text_area(key="prompt_a_stop").set_value("\\n\nEND\n\n").run()
    run(app)
    app.segmented_control(key="prompt_a_mode").set_value("beams").run()
    app.slider(key="prompt_a_penalty").set_value(1.2).run()
    run(app)
    app.segmented_control(key="prompt_a_mode").set_value("greedy").run()
    run(app)
    stop = ("\n", "END")
    assert [one.writing for one in asked] == [
        Writing(5, temperature=0.5, top_p=0.95, seed=7, stop=stop),
        Writing(5, beams=4, repetition_penalty=1.2, stop=stop),
        Writing(5, repetition_penalty=1.2, stop=stop),
    ]
    assert 'wb-cut" data-testid="finish">cut off at the limit<' in markup(app)


def test_every_form_is_asked_for(open_page: Open, asked: list[PromptRequest]) -> None:
    app = write(open_page(), kind="choices")
    app.text_area(key="prompt_choices").set_value(" yes \n\nno\nyes").run()
    run(app)
    write(app, kind="regex")
    app.text_input(key="prompt_regex").set_value(r"\d+").run()
    run(app)
    write(app, kind="schema")
    app.text_area(key="prompt_schema").set_value('{"type": "string"}').run()
    app.toggle(key="prompt_grounded").set_value(True).run()
    run(app)
    write(app, kind="fields")
    run(app)
    assert [one.structure for one in asked[:3]] == [
        Structure(choices=("yes", "no")),
        Structure(regex=r"\d+"),
        Structure(schema='{"type": "string"}', grounded=True),
    ]
    assert [one.source for one in asked[:3]] == ["", "", "It rains."]
    fields = json.loads(asked[3].structure.schema if asked[3].structure else "")
    assert list(fields["properties"]) == ["name", "company", "city", "date", "amount"]


def test_a_form_without_content_is_said(open_page: Open, asked: list[PromptRequest]) -> None:
    app = write(open_page(), kind="regex")
    assert any("the answer is free text" in caption for caption in captions(app))
    run(app)
    assert asked[0].structure is None


def test_labels_and_fields_of_other_pages_are_taken_over(open_page: Open) -> None:
    app = open_page().switch_page("pages/classify.py").run()
    app.session_state["classify_labels"] = ["rain", "sun, warm"]
    app.run()
    app.switch_page("pages/prompt.py").run()
    write(app, "{labels} {fields} {schema}")
    for name in ("labels", "fields", "schema"):
        app.button(key=f"prompt_take_{name}").click().run()
    assert app.text_area(key="prompt_value_labels").value == 'rain, "sun, warm"'
    assert app.text_area(key="prompt_value_fields").value == "name, company, city, date, amount"
    assert json.loads(app.text_area(key="prompt_value_schema").value)["type"] == "object"


def test_a_brace_without_a_partner_loses_nothing(open_page: Open, asked: list[PromptRequest]) -> None:
    app = write(open_page(), "Say: {text} {")
    assert "line 1, column 13" in app.warning[0].value.replace("\\", "")
    run(app)
    assert "has no partner" in errors(app)[0]
    assert asked == []
    write(app, "Say: {text}")
    assert app.text_area(key=TEXT).value == "It rains."


@pytest.mark.parametrize(("template", "said"), [("", "no text"), (" {text}", "no text")])
def test_an_empty_prompt_is_refused(open_page: Open, template: str, said: str) -> None:
    app = open_page()
    write(app, "{text}", text="")
    write(app, template)
    run(app)
    assert said in errors(app)[0]


def test_markup_is_shown_as_typed(open_page: Open) -> None:
    app = run(write(open_page(), "{text}", text=MARKUP))
    assert written(app)[0].endswith(MARKUP)
    assert "<img" not in markup(app)
    assert app.main.markdown == [] or all("<img" not in block.value for block in app.main.markdown)
    assert MARKUP in app.code[0].value


def test_an_error_of_the_model_is_said_and_what_was_written_stays(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(error: WorkbenchError) -> Callable[..., Ticket[PromptResult]]:
        def work(ticket: Ticket[PromptResult]) -> PromptResult:
            ticket.partial = "It rai"
            raise error

        def prompt(self: Workbench, request: PromptRequest) -> Ticket[PromptResult]:
            ticket = Ticket(work)
            ticket.run()
            return ticket

        return prompt

    monkeypatch.setattr(Workbench, "prompt", fails(WorkbenchError("out_of_memory")))
    app = run(open_page())
    assert "memory ran out" in errors(app)[0]
    assert written(app) == ["It rai"]
    assert entries() == []
    monkeypatch.setattr(Workbench, "prompt", fails(Cancelled()))
    run(app)
    assert "was stopped" in app.main.info[0].value.replace("\\", "")
    assert written(app) == ["It rai"]
    assert entries() == ["Say: It rains."]


def test_two_settings_side_by_side(open_page: Open, asked: list[PromptRequest]) -> None:
    app = open_page()
    app.toggle(key="prompt_compare").set_value(True).run()
    run(app)
    assert [one.writing.temperature for one in asked] == [0.0, 0.8]
    assert {one.text for one in asked} == {"Say: It rains."}
    assert len(written(app)) == 2
    assert any("Both answers are the same" in caption for caption in captions(app))
    app.number_input(key="prompt_b_limit").set_value(5).run()
    assert markup(app).count("wb-stale") - markup(app).count(".wb-stale") == 1, "only B's settings changed"
    run(app)
    assert any("differ from character 6 on" in caption for caption in captions(app))


def test_a_model_that_cannot_write_is_said_before_a_run(open_page: Open, understanding: None) -> None:
    app = open_page()
    assert "cannot write, and no other model writes" in errors(app)[0]
    run(app)
    assert app.text_area(key=TEXT).value == "It rains."


# The history.


def test_an_answer_is_kept_once_and_comes_back_into_the_editor(open_page: Open) -> None:
    app = open_page()
    app.segmented_control(key="prompt_a_mode").set_value("sample").run()
    run(app)
    app.run()
    assert entries() == ["Say: It rains."]
    write(app, "Other {text}", text="now", kind="regex")
    app.segmented_control(key="prompt_a_mode").set_value("greedy").run()
    reuse = next(button for button in app.button if (button.key or "").startswith("prompt_history_reuse_"))
    reuse.click().run()
    assert app.text_area(key=TEMPLATE).value == "Say: {text}"
    assert app.text_area(key=TEXT).value == "It rains."
    assert app.segmented_control(key="prompt_a_mode").value == "sample"
    assert app.selectbox(key="prompt_kind").value == "none"
    assert "wb-fresh" in markup(app), "it is what was asked"


def test_search_stars_and_deletions(open_page: Open) -> None:
    app = open_page()
    for text in ("晴天", "rain", "snow"):
        run(write(app, text=text))

    def listed() -> list[str]:
        return re.findall(r"history-entry.*?<div>Say: (.*?)</div>", markup(app), re.S)

    def press(beginning: str, place: int = 0) -> None:
        [button for button in app.button if (button.key or "").startswith(beginning)][place].click().run()

    assert listed() == ["snow", "rain", "晴天"]
    app.text_input(key="prompt_history_search").set_value("晴").run()
    assert listed() == ["晴天"]
    app.text_input(key="prompt_history_search").set_value("hail").run()
    assert "Nothing was found." in captions(app)
    app.text_input(key="prompt_history_search").set_value("").run()
    press("prompt_history_star_", 1)
    app.toggle(key="prompt_history_starred").set_value(True).run()
    assert listed() == ["rain"]
    app.toggle(key="prompt_history_starred").set_value(False).run()
    press("prompt_history_delete_", 0)
    app.run()
    assert listed() == ["rain", "晴天"], "the deleted one, whose answer is still shown, does not come back"
    press("prompt_history_clear_unstarred")
    assert listed() == ["rain", "晴天"], "the first press asks"
    press("prompt_history_clear_unstarred")
    assert listed() == ["rain"]
    press("prompt_history_clear_all")
    press("prompt_history_clear_all")
    assert "Nothing is kept yet." in captions(app)


def test_with_the_history_off_nothing_is_written(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_HISTORY", "false")
    app = run(open_page())
    assert not app.toggle(key=KEEP).value
    assert any("nothing is written" in caption for caption in captions(app))
    assert not (tmp_path / "data").exists()
    app.toggle(key=KEEP).set_value(True).run()
    assert not (tmp_path / "data").exists(), "it was asked for with the history off"
    run(write(app, text="again"))
    assert entries() == ["Say: again"]


@pytest.mark.parametrize("kind", ["damaged", "folder"])
def test_the_page_works_without_a_history_that_cannot_be_used(open_page: Open, tmp_path: Path, kind: str) -> None:
    if kind == "damaged":
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / NAME).write_bytes(b"no database " * 200)
    else:
        (tmp_path / "data").write_text("a file in the way")
    app = run(open_page())
    assert written(app)[0].endswith("Say: It rains.")
    said = [error for error in errors(app) if "history" in error.lower()]
    assert len(said) == 1
    run(write(app, text="again"))
    assert written(app)[0].endswith("Say: again")


def test_an_entry_of_another_version_comes_back_as_far_as_it_can(open_page: Open, tmp_path: Path) -> None:
    run(open_page())
    file = sqlite3.connect(tmp_path / "data" / NAME)
    file.execute("UPDATE prompts SET body = '[1', prompt = 'as {it} was'")
    file.commit()
    file.close()
    app = open_page()
    next(button for button in app.button if (button.key or "").startswith("prompt_history_reuse_")).click().run()
    assert app.text_area(key=TEMPLATE).value == "as {{it}} was"


# The parts without Streamlit.


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


def test_a_structure_goes_without_beams_and_stop_strings(open_page: Open, asked: list[PromptRequest]) -> None:
    app = open_page()
    app.text_area(key="prompt_a_stop").set_value("END").run()
    app.segmented_control(key="prompt_a_mode").set_value("beams").run()
    write(app, kind="choices")
    app.text_area(key="prompt_choices").set_value("yes\nno").run()
    assert any("A beam search keeps to no structure" in caption for caption in captions(app))
    run(app)
    assert asked[0].writing == Writing(160)
    assert not errors(app)
    run(write(app, kind="none"))
    assert asked[1].writing == Writing(160, beams=4, stop=("END",))


def test_the_pace_is_measured_once_a_run_and_by_model() -> None:
    from engine.model.fake import FakeBackend
    from engine.types import Usage

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


def test_tokens_are_escaped_and_say_what_they_are(open_page: Open) -> None:
    from engine.types import WrittenToken

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
