"""The prompts of a model behind a server, character by character."""

import pytest

from engine.text.protocol import (
    ANSWER_TURN,
    ROLE_END,
    SYSTEM_TURN,
    USER_TURN,
    ChatProtocol,
    PlainProtocol,
    ServedProtocol,
)

TEXT, LABELS = "Rain falls.", ["weather", 'a "b"']


def test_labels_are_completed_or_listed() -> None:
    for turns in (True, False):
        assert ServedProtocol(turns=turns, listed=False).score(TEXT, LABELS) == PlainProtocol().score(TEXT, LABELS)
        listed = ServedProtocol(turns=turns, listed=True).score(TEXT, LABELS)
        assert listed.string == 'Text: Rain falls.\nCategories: weather, a "b"\nCategory:'


def test_a_chat_asks_for_json_in_a_turn() -> None:
    prompt = ServedProtocol(turns=True, listed=True).extract(TEXT, LABELS)
    assert (prompt.before, prompt.after) == (USER_TURN, ANSWER_TURN)
    assert prompt.head + prompt.text + prompt.tail == (
        "Text: Rain falls.\n\n"
        'Find the values of these in the text above: ["weather", "a \\"b\\""]\n'
        "Answer with one JSON object and nothing else: a list of strings for each of these names, in this order. "
        "Copy values from the text letter by letter; the list is empty where the text has none."
    )


def test_a_completion_goes_on_from_examples() -> None:
    prompt = ServedProtocol(turns=False, listed=True).extract(TEXT, ["天气"])
    assert (prompt.before, prompt.after) == ("", "")
    assert prompt.string.endswith('\n\nText: Rain falls.\nFind: ["天气"]\nJSON:')
    assert prompt.string.count("JSON: {") == 2


def test_free_prompts_and_questions() -> None:
    chat, plain = ServedProtocol(turns=True, listed=True), ServedProtocol(turns=False, listed=True)
    assert plain.free(TEXT, "Be short.").string == "Be short.\n\nRain falls."
    said = chat.free(TEXT, "Be short.")
    assert (said.before, said.role, said.between, said.text, said.after) == (
        SYSTEM_TURN,
        "Be short.",
        ROLE_END,
        TEXT,
        ANSWER_TURN,
    )
    assert chat.free(TEXT).string == f"{USER_TURN}{TEXT}{ANSWER_TURN}"
    assert chat.ask(TEXT, LABELS) == ChatProtocol(USER_TURN, ANSWER_TURN).ask(TEXT, LABELS)
    assert plain.ask(TEXT, LABELS) == PlainProtocol().ask(TEXT, LABELS)


@pytest.mark.parametrize(
    ("turns", "listed", "name"), [(True, False, "chat"), (False, False, "plain"), (True, True, "listed")]
)
def test_the_name_says_how_labels_are_scored(turns: bool, listed: bool, name: str) -> None:
    assert ServedProtocol(turns=turns, listed=listed).name == name
