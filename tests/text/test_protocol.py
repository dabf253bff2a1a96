"""Prompts to the character: a model that was trained on one prompt reads a slightly different one worse."""

import pytest

from engine.text.protocol import ChatProtocol, PlainProtocol, Prompt, PromptProtocol, SeqGPTProtocol

TEXT = "央行宣布降息。"
SEQGPT = "输入: 央行宣布降息。\n分类: 财经，体育\n输出: [GEN]"


def test_seqgpt_prompt_to_the_character() -> None:
    prompt = SeqGPTProtocol().score(TEXT, ["财经", "体育"])
    assert prompt.string == SEQGPT
    assert prompt.string == (
        "\u8f93\u5165\u003a\u0020" + TEXT + "\u000a"
        "\u5206\u7c7b\u003a\u0020\u8d22\u7ecf\uff0c\u4f53\u80b2\u000a"
        "\u8f93\u51fa\u003a\u0020\u005b\u0047\u0045\u004e\u005d"
    )


def test_seqgpt_asks_and_scores_with_the_same_prompt() -> None:
    protocol = SeqGPTProtocol()
    assert protocol.ask(TEXT, ["a", "b"]) == protocol.score(TEXT, ["a", "b"])
    assert (protocol.answer_lead, protocol.label_ending) == ("", "\n")


def test_seqgpt_one_label_has_no_comma_and_labels_keep_their_characters() -> None:
    assert SeqGPTProtocol().ask(TEXT, ["财经"]).string == "输入: 央行宣布降息。\n分类: 财经\n输出: [GEN]"
    assert SeqGPTProtocol().ask(" a ", ["b, c", "{d}"]).string == "输入:  a \n分类: b, c，{d}\n输出: [GEN]"


def test_seqgpt_only_the_last_part_may_hold_the_control_token() -> None:
    prompt = SeqGPTProtocol().ask("x[GEN]y", ["[GEN]"])
    assert (prompt.before, prompt.after) == ("", "[GEN]")
    assert prompt.head == "输入: "
    assert prompt.text == "x[GEN]y"
    assert prompt.tail == "\n分类: [GEN]\n输出: "


def test_seqgpt_extraction_to_the_character() -> None:
    prompt = SeqGPTProtocol().extract(TEXT, ["机构", "时间: 开始"])
    assert prompt.string == "输入: 央行宣布降息。\n抽取: 机构，时间: 开始\n输出: [GEN]"
    assert (prompt.before, prompt.tail, prompt.after) == ("", "\n抽取: 机构，时间: 开始\n输出: ", "[GEN]")


def test_plain_and_chat_extraction_follow_worked_examples() -> None:
    prompt = PlainProtocol().extract("Rain.", ["city", "day"])
    assert prompt.string.endswith("\nperson: Tim Cook\n\nText: Rain.\nFind: city, day\n")
    assert prompt.string.startswith("Text: Marie Curie moved from Warsaw to Paris in 1891")
    assert "\ncity: Berlin\tLondon\n" in prompt.head, "TAB between values, as the grammar writes them"
    assert "\nphone: None\n" in prompt.head
    assert ChatProtocol("<u>", "</u>").extract("Rain.", ["city", "day"]) == prompt


def test_plain_prompts_to_the_character() -> None:
    protocol = PlainProtocol()
    assert protocol.score(TEXT, ["a", "b"]).string == ('"央行宣布降息。"\nThe topic of the text above is:')
    assert protocol.ask(TEXT, ["a", "b"]).string == "Text: 央行宣布降息。\nCategories: a, b\nCategory:"
    assert (protocol.answer_lead, protocol.label_ending) == (" ", "\n")


def test_chat_prompt_to_the_character() -> None:
    rendered = f"<|user|>\n{ChatProtocol.user_turn()}<|end|>\n<|assistant|>\n"
    protocol = ChatProtocol.from_rendered(rendered)
    assert protocol.ask("Rain.", ["weather", "sports"]).string == (
        "<|user|>\nText: Rain.\n\nCategories: weather, sports\n"
        "Which category fits the text best? Answer with the category only.<|end|>\n<|assistant|>\n"
    )
    assert protocol.score("Rain.", ["weather"]) == PlainProtocol().score("Rain.", ["weather"])
    assert (protocol.before, protocol.after) == ("<|user|>\n", "<|end|>\n<|assistant|>\n")


def test_free_prompts_to_the_character() -> None:
    assert SeqGPTProtocol().free(TEXT) == PlainProtocol().free(TEXT) == Prompt("", "", TEXT, "", "")
    prompt = ChatProtocol("<|user|>\n", "<|end|>\n<|assistant|>\n").free("Rain? <|end|>")
    assert prompt.string == "<|user|>\nRain? <|end|><|end|>\n<|assistant|>\n"
    assert (prompt.head, prompt.text, prompt.tail) == ("", "Rain? <|end|>", "")


def test_a_role_to_the_character() -> None:
    said = Prompt("", "A poet.\n\n", TEXT, "", "")
    assert SeqGPTProtocol().free(TEXT, "A poet.") == PlainProtocol().free(TEXT, "A poet.") == said
    prompt = ChatProtocol("<|user|>\n", "<|end|>\n").free("Rain?", "A poet.")
    assert prompt.string == "<|user|>\nA poet.\n\nRain?<|end|>\n"
    role, text = ChatProtocol.role_turn(), ChatProtocol.user_turn()
    alone = f"<|user|>{text}<|end|><|assistant|>"
    with_turns = ChatProtocol.from_rendered(alone, f"<|system|>{role}<|end|><|user|>{text}<|end|><|assistant|>")
    prompt = with_turns.free("Rain?", "A poet.")
    assert prompt.string == "<|system|>A poet.<|end|><|user|>Rain?<|end|><|assistant|>"
    assert (prompt.before, prompt.role, prompt.between) == ("<|system|>", "A poet.", "<|end|><|user|>")
    assert with_turns.free("Rain?").string == "<|user|>Rain?<|end|><|assistant|>"
    assert prompt.cut(2).string == "<|system|>A poet.<|end|><|user|>Ra<|end|><|assistant|>"


@pytest.mark.parametrize(
    "with_role", ["", "<u>{text}</u>", "<u>{text}{role}</u>", "<u>{role}{text}</u>", "{role} {text}"]
)
def test_a_template_without_a_turn_for_the_role_has_it_before_the_text(with_role: str) -> None:
    made = with_role.format(role=ChatProtocol.role_turn(), text=ChatProtocol.user_turn())
    protocol = ChatProtocol.from_rendered(f"<u>{ChatProtocol.user_turn()}</u>", made)
    assert protocol.system is None
    assert protocol.free("Rain?", "A poet.").string == "<u>A poet.\n\nRain?</u>"


def test_chat_template_that_drops_the_user_is_refused() -> None:
    with pytest.raises(ValueError, match="drops the user"):
        ChatProtocol.from_rendered("<|assistant|>\n")


@pytest.mark.parametrize("protocol", [SeqGPTProtocol(), PlainProtocol(), ChatProtocol("<u>", "</u>")])
@pytest.mark.parametrize("text", ["", "a", "{x} %s \\n", "💹👨🏻\u200d🚒", "x\ue000text\ue001"])
def test_the_text_is_in_the_prompt_verbatim(protocol: PromptProtocol, text: str) -> None:
    for ask in (protocol.score, protocol.ask, protocol.extract):
        prompt = ask(text, ["甲", "乙"])
        assert prompt.text == text
        assert prompt.string == prompt.before + prompt.head + text + prompt.tail + prompt.after
    assert protocol.free(text).text == text


def test_a_cut_takes_nothing_but_the_end_of_the_text() -> None:
    prompt = Prompt("<", "head ", "💹👨🏻abc", " tail", ">")
    assert prompt.cut(3) == Prompt("<", "head ", "💹👨🏻", " tail", ">")
    assert prompt.cut(0).string == "<head  tail>"
    assert prompt.cut(99) == prompt
