"""The Extract page without a browser: what it shows, what it says, and what it keeps."""

import html
import json
import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from page_driver import captions, errors, markup, notes, press, waits
from streamlit.testing.v1 import AppTest

from engine.text.concepts import lookup
from engine.text.fields import read_field_set
from engine.types import FieldSpec
from ui.fields.table import rows_of
from ui.source import samples

TEXT, FIELDS, MENTIONS, FREE = "extract_text", "extract_fields", "extract_mentions", "extract_free"
MARKUP = "<img src=x onerror=alert(1)> $12 and $15 :smile: ~~x~~"
CONTRACT = "甲方：苏州公司 乙方：上海公司 日期：2026-11-30 甲方：苏州公司"

Open = Callable[..., AppTest]


@pytest.fixture
def open_page(open_app: Open) -> Open:
    """Opens the app at its Extract page; the keywords are the link's."""

    def open_(delay: float = 0, **link: str) -> AppTest:
        app = open_app(delay, **link).switch_page("pages/extract.py").run()
        assert not app.exception
        return app

    return open_


def give(app: AppTest, text: str | None = None, fields: list[FieldSpec | str] | None = None) -> AppTest:
    """Type a text; give fields as other code would."""
    if text is not None:
        app.text_area(key=TEXT).set_value(text)
    if fields is not None:
        app.session_state[FIELDS] = rows_of(FieldSpec(one) if isinstance(one, str) else one for one in fields)
    return app.run()


def marked(app: AppTest) -> list[tuple[str, int, int]]:
    """Name and offsets of each value's label in the highlight, in the text's order."""
    found = re.findall(r'data-tag="([^"]*)" data-start="(\d+)" data-end="(\d+)"', markup(app))
    return [(html.unescape(name), int(start), int(end)) for name, start, end in found]


def record(app: AppTest) -> Any:
    """The record of the answer."""
    return json.loads(app.main.code[0].value)


def tabs(app: AppTest) -> list[str]:
    """The tabs under the answer."""
    return [tab.label for tab in app.tabs]


def test_it_opens_with_a_sample_and_says_what_to_do(open_page: Open) -> None:
    app = open_page()
    assert app.title[0].value == "Extract"
    assert len(app.text_area(key=TEXT).value) > 20
    assert [row["name"] for row in app.session_state[FIELDS]] == ["name", "company", "city", "date", "amount"]
    assert "Press Run" in app.info[0].value
    assert app.query_params["fields"].startswith("~")


def test_run_shows_every_value_at_its_place(open_page: Open) -> None:
    app = press(give(open_page(), CONTRACT, ["甲方", "乙方", "日期"]))
    assert [CONTRACT[start:end] for _, start, end in marked(app)] == ["苏州公司", "上海公司", "2026-11-30"]
    assert record(app) == {"甲方": ["苏州公司"], "乙方": ["上海公司"], "日期": ["2026-11-30"]}
    assert tabs(app) == ["Record", "Prompt", "JSON", "Command"]
    assert "甲方，乙方，日期" in app.main.code[1].value
    assert "甲方: 苏州公司" in app.main.code[2].value
    values = app.main.dataframe[1].value
    assert values["value"].tolist() == ["苏州公司", "上海公司", "2026-11-30"]
    assert values["start"].tolist() == [3, 11, 19]
    assert not errors(app)
    assert not notes(app)


def test_every_mention_is_an_option(open_page: Open) -> None:
    app = give(open_page(), CONTRACT, ["甲方"])
    app.segmented_control(key=MENTIONS).set_value("all")
    press(app)
    assert [CONTRACT[start:end] for _, start, end in marked(app)] == ["苏州公司", "苏州公司"]
    assert "--mentions all" in app.main.code[-1].value


def test_types_give_meanings_or_say_why_not(open_page: Open) -> None:
    fields = [FieldSpec("日期", type="date", many=False), FieldSpec("甲方", type="number", required=True)]
    app = press(give(open_page(), CONTRACT, [*fields, FieldSpec("nothing", required=True)]))
    meanings = app.main.dataframe[1].value["meaning"].tolist()
    assert meanings[0] == "2026-11-30"
    assert meanings[1].startswith("⚠")
    assert record(app)["日期"] == "2026-11-30"


def test_what_is_not_found_is_shown_with_its_probability(open_page: Open) -> None:
    app = press(give(open_page(), "今天", ["公司"]))
    chips = re.findall(r'<span class="wb-absent">.*?</i>(.*?)</span>', markup(app))
    found = marked(app)
    assert bool(chips) != bool(found)
    if chips:
        assert re.fullmatch(r"公司 <small>not found \d+%</small>", chips[0])


def test_more_wordings_than_a_prompt_takes_are_asked_in_several(open_page: Open) -> None:
    app = give(open_page(), CONTRACT, ["甲方", "乙方", "日期"])
    app.slider(key="extract_per_prompt").set_value(1)
    press(app)
    assert "prompts: 3" in markup(app)
    assert len(app.selectbox(key="prompt_shown").options) == 3
    app.selectbox(key="prompt_shown").select_index(1).run()
    assert "乙方" in app.main.code[1].value
    assert "--per-prompt 1" in app.main.code[-1].value


def test_a_long_text_is_read_in_parts_and_says_where(open_page: Open) -> None:
    text = "合同编号：ZX-77。" + "本合同其余条款照旧执行。" * 200
    app = press(give(open_page(), text, ["合同编号"]))
    assert ("合同编号", 5, 10) in marked(app)
    assert "Parts" in tabs(app)
    assert any("parts" in note for note in notes(app))
    parts = next(frame.value for frame in app.main.dataframe if "characters" in frame.value)
    assert parts["start"].tolist()[0] == 0
    assert parts["end"].tolist()[-1] == len(text)
    assert "of the text" in markup(app)


def test_free_decoding_shows_what_is_in_the_text_and_what_differs(open_page: Open) -> None:
    app = give(open_page(), CONTRACT, ["甲方", "金额", "日期"])
    app.toggle(key=FREE).set_value(True)
    press(app)
    shown = markup(app)
    assert "values are in the text (" in shown
    assert 'class="wb-exact"' in shown
    assert tabs(app) == ["Record", "Prompt", "Raw output", "JSON", "Command"]
    assert "--free" in app.main.code[-1].value


def test_the_exports_hold_the_answer(open_page: Open) -> None:
    app = press(give(open_page(), CONTRACT, ["甲方"]))
    labels = [button.label for button in app.main.get("download_button")]
    assert labels[-4:] == ["JSON", "JSONL", "CSV", "HTML"]
    whole = json.loads(app.main.code[-2].value)
    assert whole["fields"]["甲方"][0]["start"] == 3


def test_the_command_gives_the_fields_as_names_or_as_json(open_page: Open) -> None:
    app = press(give(open_page(), CONTRACT, ["甲方", "a, b"]))
    command = shlex.split(app.main.code[-1].value)
    assert command[:5] == ["workbench", "extract", CONTRACT, "--fields", '甲方,"a, b"']
    fields = (FieldSpec("日期", type="date"),)
    app = press(give(app, fields=list(fields)))
    command = shlex.split(app.main.code[-1].value)
    assert read_field_set(command[4]) == fields


def test_a_run_that_takes_longer_can_be_stopped(open_page: Open) -> None:
    app = open_page(delay=20)
    app.button(key="run").click().run()
    assert waits(app)
    press(app, "stop")
    assert "The run was stopped." in app.info[0].value.replace("\\", "")


@pytest.mark.parametrize(
    ("text", "fields", "sentence"),
    [
        ("  \n\t", ["甲方"], "There is no text to read."),
        (CONTRACT, [], "There are no fields to look for."),
        (CONTRACT, [FieldSpec("甲方", type="list")], 'The field "甲方" is one of a list, but the list is empty.'),
        (CONTRACT, [FieldSpec("甲方", type="regex", pattern="(")], 'The regular expression of the field "甲方"'),
    ],
    ids=["no text", "no fields", "no list", "bad pattern"],
)
def test_missing_input_is_one_plain_error_and_nothing_is_lost(
    open_page: Open, text: str, fields: list[FieldSpec | str], sentence: str
) -> None:
    app = press(give(open_page(), text, fields))
    assert [error.startswith(sentence) for error in errors(app)] == [True]
    assert app.text_area(key=TEXT).value == text
    assert len(app.session_state[FIELDS]) == len(fields)
    assert not marked(app)


def test_an_answer_is_marked_once_its_input_changes_and_not_before(open_page: Open) -> None:
    hint = "This answer is for an earlier input"
    app = press(give(open_page(), CONTRACT, ["甲方"]))
    assert not any(hint in caption for caption in captions(app))
    before = marked(app)
    give(app, text="Another text.")
    assert any(hint in caption for caption in captions(app))
    assert marked(app) == before  # on the text that it is of
    give(app, text=CONTRACT)
    assert not any(hint in caption for caption in captions(app))
    give(app, fields=["甲方", "乙方"])
    assert any(hint in caption for caption in captions(app))
    press(app)
    assert not any(hint in caption for caption in captions(app))


def test_markup_stays_text(open_page: Open) -> None:
    app = give(open_page(), f"{MARKUP} [GEN]", [FieldSpec(MARKUP, description="<b>"), "price"])
    app.toggle(key=FREE).set_value(True)
    press(app)
    assert "<img" not in markup(app).lower()
    assert MARKUP in html.unescape(markup(app))


def test_hidden_characters_are_shown_only_where_there_are_some(open_page: Open) -> None:
    app = give(open_page(), "plain", ["a"])
    assert not any("Hidden" in (expander.label or "") for expander in app.main.expander)
    give(app, text="A\u200bB p\u0430y")
    assert any(expander.label == "Hidden or look-alike characters: 2" for expander in app.main.expander)
    assert "U+200B</span>" in markup(app)
    assert "U+0430" in markup(app)


def test_wordings_are_compared_each_alone(open_page: Open) -> None:
    app = give(open_page(), CONTRACT, [FieldSpec("公司", ("甲方", "乙方")), "日期"])
    assert app.text_area(key="wordings_lines").value == "甲方\n乙方"
    press(app, "wordings_run")
    table = app.main.dataframe[-1].value
    assert table["value"].tolist() == ["苏州公司", "上海公司", "not found"]
    assert table["same"].tolist() == ["≠", "≠", ""]
    assert any("not every wording found: 2" in block.value for block in app.main.markdown)
    give(app, fields=[FieldSpec("公司", ("甲方", "乙方", "公司名")), "日期"])
    assert app.text_area(key="wordings_lines").value == "甲方\n乙方\n公司名"  # it follows until somebody types
    app.text_area(key="wordings_lines").set_value("甲方").run()
    give(app, fields=[FieldSpec("公司", ("甲方",)), "日期"])
    assert app.text_area(key="wordings_lines").value == "甲方"
    assert app.button(key="wordings_run").disabled
    app.selectbox(key="wordings_field").set_value("日期").run()
    assert app.text_area(key="wordings_lines").value == "日期"


def test_chinese_by_the_link(open_page: Open) -> None:
    app = open_page(lang="zh")
    assert app.title[0].value == "抽取"
    assert app.text_area(key=TEXT).value == "2023年，张三就职于阿里巴巴集团，入职月薪35000元。"
    assert [row["name"] for row in app.session_state[FIELDS]] == ["姓名", "公司", "时间", "金额"]
    press(give(app, fields=["甲方"]))
    assert tabs(app) == ["记录", "提示词", "JSON", "命令"]
    press(give(app, fields=[]))
    assert errors(app)[0].startswith("没有")


def test_a_sample_replaces_text_and_fields_in_one_step_back(open_page: Open) -> None:
    app = give(open_page(), "mine", ["mine"])
    app.button(key="sample_1").click().run()
    assert app.text_area(key=TEXT).value != "mine"
    assert len(app.session_state[FIELDS]) > 3
    app.button(key=f"{FIELDS}_undo").click().run()
    assert [row["name"] for row in app.session_state[FIELDS]] == ["mine"]


def test_text_options_and_answer_survive_another_page(open_page: Open) -> None:
    app = give(open_page(), CONTRACT, ["甲方"])
    app.segmented_control(key=MENTIONS).set_value("all")
    press(app)
    before = marked(app)
    app.switch_page("pages/classify.py").run()
    app.text_area(key="classify_text").set_value("kept too").run()
    app.switch_page("pages/extract.py").run()
    assert app.text_area(key=TEXT).value == CONTRACT
    assert app.segmented_control(key=MENTIONS).value == "all"
    assert marked(app) == before
    app.switch_page("pages/classify.py").run()
    assert app.text_area(key="classify_text").value == "kept too"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_samples_are_whole(language: str) -> None:
    own = [sample for sample in samples("extract") if sample["language"] == language]
    assert len(own) == 4
    sets = [read_field_set(json.dumps(sample["fields"])) for sample in own]
    assert max(map(len, sets)) == 12
    assert len({field.type for fields in sets for field in fields}) >= 6
    assert all(len(sample["text"]) > 100 for sample in own[1:])  # the first one is short
    asked = [one for fields in sets for field in fields for one in field.asked or (field.name,)]
    assert [one for one in asked if not lookup(one)] == ["delivered on"] * (language == "en")
