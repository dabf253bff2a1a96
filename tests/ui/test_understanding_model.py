"""The pages over a model that is asked by no prompt: what they leave out, what they offer instead, what survives."""

import json
import re
import shlex
from collections.abc import Callable

import pytest
from page_driver import markup, notes, press
from streamlit.testing.v1 import AppTest

from engine.types import FieldSpec
from ui.engine import workbench
from ui.fields.table import rows_of
from ui.i18n import table

Open = Callable[..., AppTest]

EXTRACT, CLASSIFY = "pages/extract.py", "pages/classify.py"
TEXTS = {
    "en": "In March 2023, Maria Jensen joined Siemens in Munich on a salary of €72,000 a year.",
    "zh": "2023年，张三就职于阿里巴巴集团，入职月薪35000元。",
}
FIELDS = {"en": ["name", "company"], "zh": ["姓名", "公司"]}
FOUND = {"en": ["Maria Jensen", "Siemens"], "zh": ["张三", "阿里巴巴集团"]}
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
NESTED, PER_PROMPT, FREE = "extract_nested", "extract_per_prompt", "extract_free"


@pytest.fixture
def open_page(open_app: Open) -> Open:
    """Opens a page once the model is loaded; the keywords are the link's."""

    def open_(page: str, **link: str) -> AppTest:
        app = open_app(**link)
        workbench().ensure_loaded().result(30)
        app.switch_page(page).run()
        assert not app.exception
        return app

    return open_


def load_another(app: AppTest) -> AppTest:
    """Load what the name `fake` means now."""
    workbench().unload().result(30)
    workbench().load().result(30)
    return app.run()


def give(app: AppTest, text: str, names: list[str]) -> AppTest:
    """Type a text, and give fields as other code would."""
    app.text_area(key="extract_text").set_value(text)
    app.session_state["extract_fields"] = rows_of(map(FieldSpec, names))
    return app.run()


def facts(app: AppTest) -> list[str]:
    """The costs under the answer."""
    block = re.search(r'<div class="wb-facts"[^>]*>(.*?)</div>', markup(app), re.S)
    assert block is not None
    return re.findall(r"<span>(.*?)</span>", block[1])


def keys(app: AppTest) -> set[str]:
    """The keys of the options that are shown."""
    return {str(one.key) for one in (*app.main.toggle, *app.main.slider)}


@pytest.mark.usefixtures("understanding")
@LANGUAGES
def test_an_extraction_shows_no_prompt_and_counts_none(open_page: Open, language: str) -> None:
    app = press(give(open_page(EXTRACT, lang=language), TEXTS[language], FIELDS[language]))
    texts, text = table(language), TEXTS[language]
    assert app.main.dataframe[1].value["value"].tolist() == FOUND[language]
    assert [tab.label for tab in app.tabs] == [texts[f"behind.{name}"] for name in ("record", "json", "command")]
    assert facts(app)[1:] == [texts["result.text_tokens"].format(count=len(text)), "offline · cpu · fp32"]
    assert json.loads(app.main.code[-2].value)["prompts"] == []
    assert not notes(app)


@pytest.mark.usefixtures("understanding")
@LANGUAGES
def test_a_long_text_counts_its_parts(open_page: Open, language: str) -> None:
    app = press(give(open_page(EXTRACT, lang=language), TEXTS[language] + "。\n" * 500, FIELDS[language]))
    texts = table(language)
    assert facts(app)[1] == texts["extract.parts_read"].format(count=3)
    assert texts["behind.parts"] not in [tab.label for tab in app.tabs]


@pytest.mark.usefixtures("understanding")
@LANGUAGES
def test_a_classification_shows_no_prompt_and_counts_none(open_page: Open, language: str) -> None:
    app = open_page(CLASSIFY, lang=language)
    texts, text = table(language), app.text_area(key="classify_text").value
    others = {"en": ["yyy", "zzz"], "zh": ["鱼类", "鸟类"]}[language]
    app.session_state["classify_labels"] = [text[:6], *others]
    press(app)
    assert [tab.label for tab in app.tabs] == [texts["behind.json"], texts["behind.command"]]
    assert facts(app)[1:] == [texts["result.text_tokens"].format(count=len(text)), "offline · cpu · fp32"]
    assert not notes(app)
    app.session_state["classify_labels"] = others
    press(app)
    said = {"en": "None of the labels seems to fit this text.", "zh": "似乎没有一个标签适合这段文本。"}
    assert notes(app) == [said[language]]


@pytest.mark.usefixtures("understanding")
@LANGUAGES
def test_fields_overlap_where_they_may(open_page: Open, language: str) -> None:
    names = [FIELDS[language][0], {"en": "person", "zh": "人物"}[language]]
    app = press(give(open_page(EXTRACT, lang=language), TEXTS[language], names))
    assert app.toggle(key=NESTED).label == table(language)["extract.nested"]
    found = FOUND[language][0]
    assert app.main.dataframe[1].value["value"].tolist() == [found]
    assert "--nested" not in app.main.code[-1].value
    app.toggle(key=NESTED).set_value(True)
    press(app)
    assert app.main.dataframe[1].value["value"].tolist() == [found, found]
    assert "--nested" in shlex.split(app.main.code[-1].value)


@pytest.mark.usefixtures("understanding")
def test_wordings_that_mean_the_same_each_find_it(open_page: Open) -> None:
    app = give(open_page(EXTRACT), TEXTS["en"], ["name"])
    app.text_area(key="wordings_lines").set_value("name\nperson").run()
    press(app, "wordings_run")
    assert app.main.dataframe[-1].value["same"].tolist()[0] == "="


@pytest.mark.usefixtures("understanding")
@LANGUAGES
def test_the_sidebar_says_what_the_model_is_good_at(open_page: Open, open_app: Open, language: str) -> None:
    open_page(EXTRACT)
    app = open_app(lang=language)  # AppTest shows the sidebar after the first run of a session only
    about = next(one for one in app.sidebar.caption if one.value == table(language)["model.about.offline"])
    assert "SeqGPT-560M" in about.proto.help
    assert {"en": "organisations", "zh": "机构"}[language] in about.proto.help


def test_the_options_are_those_of_the_model(
    open_page: Open, understanding_backend: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(EXTRACT)
    assert keys(app) == {PER_PROMPT, FREE}
    app.slider(key=PER_PROMPT).set_value(2)
    app.toggle(key=FREE).set_value(True).run()
    with monkeypatch.context() as patch:
        patch.setattr("engine.model.loader.FakeBackend", understanding_backend)
        app = load_another(app)
        assert keys(app) == {NESTED}
        app.toggle(key=NESTED).set_value(True)
        press(give(app, TEXTS["en"], FIELDS["en"]))
        assert not notes(app)  # what is not shown is not asked
        assert "--per-prompt" not in app.main.code[-1].value
        app.switch_page(CLASSIFY).run()
        assert keys(app) == {"classify_least_one"}
        app.switch_page(EXTRACT).run()
        assert app.toggle(key=NESTED).value
    app = load_another(app)
    assert keys(app) == {PER_PROMPT, FREE}
    assert (app.slider(key=PER_PROMPT).value, app.toggle(key=FREE).value) == (2, True)
    press(app)
    assert {"--per-prompt", "--free"} <= set(shlex.split(app.main.code[-1].value))
    assert "--nested" not in app.main.code[-1].value


@pytest.mark.usefixtures("understanding")
def test_while_no_model_is_loaded_the_options_are_those_of_prompts(open_page: Open) -> None:
    app = open_page(EXTRACT)
    app.toggle(key=NESTED).set_value(True).run()
    workbench().unload().result(30)
    app.run()
    assert keys(app) == {PER_PROMPT, FREE}
    workbench().load().result(30)
    app.run()
    assert keys(app) == {NESTED}
    assert app.toggle(key=NESTED).value
