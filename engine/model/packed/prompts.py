"""Prompts by which a model's activations are measured: short texts of our own in both languages, asked as users ask."""

from collections.abc import Iterator

from engine.text.protocol import Prompt, PromptProtocol

_ASKED = (
    ("华为上海研究所今年招聘了三百名工程师，王丽说新的实验室将在九月十五日启用。", "人名，机构，地点，日期"),
    ("这家餐厅的牛肉面很好吃，就是排队太久，等了四十分钟才有座位。", "好评，差评，中性"),
    ("昨夜的比赛里，客队在最后三分钟连进两球，以三比二取胜。", "体育，财经，科技，娱乐"),
    ("股东大会决定每股派息0.35元，总计约1.2亿元，股价午后上涨了4.7%。", "公司，金额，涨幅"),
    ("患者女，46岁，反复咳嗽两周，体温38.2℃，予阿莫西林口服。", "症状，药物，年龄"),
    ("Our flight to Lisbon was cancelled; the airline refunded 240 euros after two weeks.", "complaint, praise"),
    ("Dr Amara Okafor joined the Nairobi office of Greenfield Labs on 3 March 2025.", "person, organization, date"),
    ("The new phone has a brighter screen, but its battery lasts barely a day.", "positive, negative, neutral"),
    ("Play some quiet jazz in the kitchen and set a timer for twenty minutes.", "music, timer, weather"),
    ("def area(r):\n    return 3.14159 * r ** 2  # see https://example.org/circles?id=42", "code, prose"),
)


def calibration_prompts(protocol: PromptProtocol) -> Iterator[Prompt]:
    """Each text once to be classified and once to be extracted from."""
    for text, asked in _ASKED:
        labels = [one.strip() for one in asked.replace("，", ",").split(",")]
        yield protocol.score(text, labels)
        yield protocol.extract(text, labels)
