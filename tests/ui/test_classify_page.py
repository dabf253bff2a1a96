"""The Classify page without a browser: what it shows, what it says, and what it keeps."""

import html
import re
from collections.abc import Callable

import pytest
from page_driver import errors, markup, notes, press, waits
from streamlit.testing.v1 import AppTest

TEXT, LABELS, MULTI, FREE = "classify_text", "classify_labels", "classify_multi", "classify_free"
MARKUP = "<img src=x onerror=alert(1)> $12 and $15 :smile: ~~x~~"

Open = Callable[..., AppTest]


def give(app: AppTest, text: str | None = None, labels: list[str] | None = None) -> AppTest:
    """Type a text; give labels as the editor would."""
    if text is not None:
        app.text_area(key=TEXT).set_value(text)
    if labels is not None:
        app.session_state[LABELS] = labels
    return app.run()


def bars(app: AppTest) -> dict[str, float]:
    """Label to percentage, in the order shown."""
    found = re.findall(r'class="wb-label"[^>]*>(.*?)</div>.*?class="wb-score"[^>]*>([\d.]+)%<', markup(app), re.S)
    return {html.unescape(label): float(score) for label, score in found}


def chosen(app: AppTest) -> list[str]:
    """The chosen labels of the answer."""
    block = re.search(r'<div class="wb-chosen">(.*?)</div>', markup(app), re.S)
    assert block is not None
    return [html.unescape(label) for label in re.findall(r"<b>(.*?)</b>", block[1], re.S)]


def test_it_opens_with_a_text_and_labels_and_says_what_to_do(open_app: Open) -> None:
    app = open_app()
    assert not app.exception
    assert app.title[0].value == "Classify"
    assert len(app.text_area(key=TEXT).value) > 20
    assert len(app.session_state[LABELS]) >= 2
    assert "Press Run" in app.info[0].value
    assert app.query_params["labels"] == ",".join(app.session_state[LABELS])


def test_run_gives_every_label_its_probability(open_app: Open) -> None:
    app = press(open_app())
    shown = bars(app)
    assert set(shown) == set(app.session_state[LABELS])
    assert sum(shown.values()) == pytest.approx(100, abs=0.05 * len(shown))
    assert list(shown.values()) == sorted(shown.values(), reverse=True)
    assert chosen(app) == [next(iter(shown))]
    assert not notes(app)
    assert not errors(app)
    assert app.session_state[TEXT] in app.main.code[0].value


def test_a_run_that_takes_longer_can_be_stopped(open_app: Open) -> None:
    app = open_app(delay=20)
    app.button(key="run").click().run()
    assert waits(app)
    press(app, "stop")
    assert "The run was stopped." in app.info[0].value.replace("\\", "")
    assert not errors(app)


def test_a_blank_text_is_one_plain_error_and_nothing_is_lost(open_app: Open) -> None:
    app = press(give(open_app(), "  \n\t", ["a", "b"]))
    assert [error.startswith("There is no text to read.") for error in errors(app)] == [True]
    assert app.text_area(key=TEXT).value == "  \n\t"
    assert app.session_state[LABELS] == ["a", "b"]
    assert not bars(app)


def test_no_labels_are_one_plain_error_and_the_text_stays(open_app: Open, cases: dict[str, dict[str, str]]) -> None:
    text = cases["labels-none"]["text"]
    app = press(give(open_app(), text, []))
    assert [error.startswith("There are no labels to choose from.") for error in errors(app)] == [True]
    assert app.text_area(key=TEXT).value == text
    assert not bars(app)


def test_a_text_without_words_is_answered_with_a_hint(open_app: Open, cases: dict[str, dict[str, str]]) -> None:
    app = press(give(open_app(), cases["text-empty"]["text"], ["a", "b"]))
    assert bars(app)
    assert any(note.startswith("The text holds no words") for note in notes(app))


def test_an_error_leaves_the_earlier_answer_and_goes_with_the_next_run(open_app: Open) -> None:
    app = press(open_app())
    before = bars(app)
    press(give(app, text=""))
    assert errors(app)
    assert bars(app) == before
    press(give(app, text="Stocks fell."))
    assert not errors(app)
    assert bars(app) != before


def test_one_label_is_certain_and_says_so(open_app: Open) -> None:
    app = press(give(open_app(), labels=["only"]))
    assert bars(app) == {"only": 100.0}
    assert notes(app) == ["With one label its probability is always 1: add another label to compare."]


def test_two_hundred_labels_are_all_there(open_app: Open) -> None:
    labels = [f"L{number}" for number in range(200)]
    app = press(give(open_app(), "L7 and nothing else", labels))
    assert not errors(app)
    shown = bars(app)
    assert set(shown) == set(labels)
    assert sum(shown.values()) == pytest.approx(100, abs=10)
    assert app.expander[-1].label == "188 more labels"


def test_labels_that_do_not_fit_are_a_plain_error(open_app: Open) -> None:
    labels = [f"label number {number}" for number in range(200)]
    app = press(give(open_app(), labels=labels))
    assert ["The 200 labels take" in error for error in errors(app)] == [True]
    assert app.session_state[LABELS] == labels


def test_a_long_text_is_cut_and_says_so(open_app: Open) -> None:
    app = press(give(open_app(), "word " * 2000))
    assert any(note.startswith("The text was cut:") for note in notes(app))
    assert len(app.text_area(key=TEXT).value) == 10_000


def test_chinese_by_the_link(open_app: Open) -> None:
    app = open_app(lang="zh")
    assert app.title[0].value == "分类"
    assert "财经" in app.session_state[LABELS]
    press(app)
    assert [tab.label for tab in app.tabs] == ["提示词", "JSON", "命令"]
    press(give(app, labels=[]))
    assert errors(app)[0].startswith("没有可选的标签。")


def test_an_unknown_language_in_the_link_is_english(open_app: Open) -> None:
    assert open_app(lang="xx").title[0].value == "Classify"


def test_the_language_switch_keeps_everything(open_app: Open) -> None:
    app = open_app()
    app.text_area(key=TEXT).set_value("Typed.")
    app.session_state[LABELS] = ["a", "b"]
    app.sidebar.segmented_control[0].set_value("zh").run()
    assert app.title[0].value == "分类"
    assert (app.text_area(key=TEXT).value, app.session_state[LABELS]) == ("Typed.", ["a", "b"])
    assert app.query_params["lang"] == "zh"


def test_labels_come_from_the_link_in_order(open_app: Open) -> None:
    app = open_app(labels='b,"x, y",水、a')
    assert app.session_state[LABELS] == ["b", "x, y", "水", "a"]


def test_several_labels_are_those_that_reach_the_least_probability(open_app: Open) -> None:
    app = give(open_app(), "a b c", ["a", "b", "c", "zzz"])
    app.segmented_control(key=MULTI).set_value(True).run()
    assert app.slider(key="classify_least_several").value == 20
    press(app)
    assert set(chosen(app)) == {label for label, score in bars(app).items() if score >= 20}
    assert len(chosen(app)) > 1
    app.slider(key="classify_least_several").set_value(99)
    press(app)
    assert chosen(app) == []
    assert "None of these" in markup(app)


def test_one_label_below_the_least_probability_is_none_of_these(open_app: Open) -> None:
    app = open_app()
    app.slider(key="classify_least_one").set_value(99)
    press(app)
    assert chosen(app) == []
    assert "None of these" in markup(app)
    assert 'class="wb-mark" style="left:99.00%"' in markup(app)


def test_each_mode_keeps_its_own_least_probability(open_app: Open) -> None:
    app = open_app()
    app.slider(key="classify_least_one").set_value(70).run()
    app.segmented_control(key=MULTI).set_value(True).run()
    assert app.slider(key="classify_least_several").value == 20
    app.segmented_control(key=MULTI).set_value(False).run()
    assert app.slider(key="classify_least_one").value == 70


def test_free_decoding_is_shown_beside_the_scores(open_app: Open) -> None:
    app = open_app()
    app.toggle(key=FREE).set_value(True)
    press(app)
    assert [tab.label for tab in app.tabs] == ["Prompt", "Raw output", "JSON", "Command"]
    assert "Agrees with the best label" in markup(app)
    assert app.main.code[1].value.strip() == chosen(app)[0]
    assert "--free" in app.main.code[3].value


def test_an_answer_is_marked_once_its_input_changes_and_not_before(open_app: Open) -> None:
    app = press(open_app())
    hint = "This answer is for an earlier input"
    labels = app.session_state[LABELS]
    assert not any(hint in caption.value for caption in app.main.caption)
    before = bars(app)
    give(app, labels=[*labels, "new"])
    assert any(hint in caption.value for caption in app.main.caption)
    assert bars(app) == before
    give(app, labels=labels)
    assert not any(hint in caption.value for caption in app.main.caption)
    give(app, text="Another text.")
    assert any(hint in caption.value for caption in app.main.caption)
    press(app)
    assert not any(hint in caption.value for caption in app.main.caption)


def test_markup_stays_text(open_app: Open) -> None:
    app = press(give(open_app(), f"{MARKUP} [GEN]", [MARKUP, MARKUP.upper(), "plain"]))
    assert "<img" not in markup(app).lower()
    assert MARKUP in bars(app)
    assert any(MARKUP in note for note in notes(app))
    assert MARKUP in app.main.code[0].value


def test_a_sample_replaces_text_and_labels_in_one_step_back(open_app: Open) -> None:
    app = give(open_app(), labels=["mine"])
    text = app.text_area(key=TEXT).value
    app.button(key="sample_1").click().run()
    assert app.text_area(key=TEXT).value != text
    assert app.session_state[LABELS] != ["mine"]
    assert app.session_state[f"{LABELS}_edits"].past == [["mine"]]


# AppTest shows what stands outside the page, such as the sidebar, after the first run of a session only: each step in
# the sidebar below is a session of its own over the one model.


def test_the_sidebar_unloads_and_loads_the_model(open_app: Open) -> None:
    app = open_app()
    app.button(key="model_unload").click().run()
    press(app)
    assert [error.startswith("No model is loaded.") for error in errors(app)] == [True]
    app = open_app()
    assert "No model is loaded." in [caption.value for caption in app.sidebar.caption]
    app.button(key="model_load").click().run()
    press(app)
    assert not errors(app)
    assert bars(app)


def test_an_unknown_model_is_a_plain_error_beside_what_was_typed(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_MODEL", "no-such-model")
    app = press(give(open_app(), "Typed.", ["a", "b"]))
    sentence = 'There is no model named "no-such-model".'
    assert [error.startswith(sentence) for error in errors(app)] == [True]
    assert (app.text_area(key=TEXT).value, app.session_state[LABELS]) == ("Typed.", ["a", "b"])
    assert sentence in open_app().sidebar.error[0].value.replace("\\", "")
