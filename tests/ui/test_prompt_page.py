"""The Prompt page without a browser: what it shows, what it asks, and what it says."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from page_driver import captions, errors, markup
from prompt_driver import ROLE, TEMPLATE, TEXT, Open, entries, open_prompt, run, write, written

from engine.errors import Cancelled, WorkbenchError
from engine.run.queue import Ticket
from engine.run.workbench import Workbench
from engine.types import PromptRequest, PromptResult, Structure, Writing

MARKUP = "<img src=x onerror=alert(1)> $12 and $15 :smile: ~~x~~ {text}"


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
    """Opens the app at its Prompt page."""
    return partial(open_prompt, open_app)


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
