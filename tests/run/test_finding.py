"""Fields by a model that understands: its spans, rules, named values, and how they compete."""

import threading
from typing import Any

import pytest
from understanding import Understander

from engine.errors import Cancelled
from engine.run.extract import Extractor
from engine.run.finding import sought_of
from engine.types import ExtractRequest, ExtractResult, FieldAnswer, FieldSpec

TEXT = "李雷给李雷打电话，李雷没接。韩梅梅在北京大学。"


def extract(text: str, *fields: str | FieldSpec, finds: Any = None, windows: int = 1, **options: Any) -> ExtractResult:
    specs = tuple(FieldSpec(one) if isinstance(one, str) else one for one in fields)
    return Extractor(Understander(finds, windows=windows))(ExtractRequest(text, specs, **options))


def answer(result: ExtractResult, name: str) -> FieldAnswer:
    return next(one for one in result.fields if one.field.name == name)


def values(result: ExtractResult, name: str) -> list[str]:
    return [one.text for one in answer(result, name).values]


def places(result: ExtractResult, name: str) -> list[tuple[int | None, int | None]]:
    return [(one.start, one.end) for one in answer(result, name).values]


def score(result: ExtractResult, name: str) -> float | None:
    return answer(result, name).values[0].score


# The model's own spans.


def test_spans_from_the_threshold_on_are_values() -> None:
    result = extract(TEXT, "人名", finds={"人名": [("韩梅梅", 0.5), ("李雷", 0.8), ("北京", 0.49)]})
    assert values(result, "人名") == ["李雷", "韩梅梅"]
    assert [one.score for one in answer(result, "人名").values] == [0.8, 0.5]
    assert {one.status for one in answer(result, "人名").values} == {"exact"}
    assert {one.asked for one in answer(result, "人名").values} == {"人名"}


def test_a_name_is_asked_with_what_it_means() -> None:
    backend = Understander()
    Extractor(backend)(ExtractRequest(TEXT, (FieldSpec("人名"), FieldSpec("zorp"), FieldSpec("生日", type="date"))))
    assert [(one.name, one.concepts) for one in backend.asked] == [
        ("人名", ("person",)), ("zorp", ()), ("生日", ("birth_date",))
    ]  # fmt: skip


def test_a_description_says_what_a_name_does_not() -> None:
    assert sought_of(FieldSpec("zorp", description="人名"), "zorp（人名）", "zorp").concepts == ("person",)


def test_the_type_has_the_last_word() -> None:
    assert sought_of(FieldSpec("人名", type="date"), "人名", "人名").concepts == ("date",)


def test_every_wording_of_a_field_is_asked() -> None:
    field = FieldSpec("谁", asked=("人名", "联系人"))
    result = extract(TEXT, field, finds={"人名": [("李雷", 0.7)], "联系人": [("韩梅梅", 0.8)]})
    assert values(result, "谁") == ["李雷", "韩梅梅"]
    assert [one.asked for one in answer(result, "谁").values] == ["人名", "联系人"]


def test_of_overlapping_values_the_most_probable_stays() -> None:
    finds = {"学校": [("北京大学", 0.9)], "城市": [("北京", 0.8)]}
    result = extract(TEXT, "学校", "城市", finds=finds)
    assert (values(result, "学校"), values(result, "城市")) == (["北京大学"], [])


def test_nested_values_of_different_fields_are_kept_when_asked_for() -> None:
    finds = {"学校": [("北京大学", 0.9)], "城市": [("北京", 0.8)]}
    result = extract(TEXT, "学校", "城市", finds=finds, nested=True)
    assert (values(result, "学校"), values(result, "城市")) == (["北京大学"], ["北京"])


def test_values_of_one_field_never_overlap_by_one_wording() -> None:
    result = extract(TEXT, "学校", finds={"学校": [("北京大学", 0.9), ("北京", 0.8)]}, nested=True)
    assert values(result, "学校") == ["北京大学"]


def test_of_a_single_value_the_most_probable_stays() -> None:
    field = FieldSpec("人名", many=False)
    result = extract(TEXT, field, finds={"人名": [("李雷", 0.6), ("韩梅梅", 0.7)]})
    assert values(result, "人名") == ["韩梅梅"]


# Mentions.


def test_first_mentions_are_each_value_once() -> None:
    result = extract(TEXT, "人名", finds={"人名": [((0, 2), 0.6), ((3, 5), 0.9)]})
    assert places(result, "人名") == [(0, 2)]
    assert score(result, "人名") == 0.9


def test_all_mentions_are_every_place_of_the_value() -> None:
    result = extract(TEXT, "人名", finds={"人名": [((3, 5), 0.9)]}, mentions="all")
    assert places(result, "人名") == [(0, 2), (3, 5), (9, 11)]


def test_other_mentions_take_no_place_of_another_value() -> None:
    finds = {"学校": [("北京大学", 0.9)], "城市": [((0, 2), 0.8)]}
    result = extract("北京的北京大学", "学校", "城市", finds=finds, mentions="all")
    assert places(result, "城市") == [(0, 2)]


def test_nested_mentions_may_stand_in_values_of_other_fields() -> None:
    finds = {"学校": [("北京大学", 0.9)], "城市": [((0, 2), 0.8)]}
    result = extract("北京的北京大学", "学校", "城市", finds=finds, mentions="all", nested=True)
    assert places(result, "城市") == [(0, 2), (3, 5)]


def test_a_mention_is_a_word_of_its_own() -> None:
    result = extract("Ann and Anna met Ann", "person", finds={"person": [("Ann", 0.9)]}, mentions="all")
    assert places(result, "person") == [(0, 3), (17, 20)]


# Values that have a form.


@pytest.mark.parametrize(
    ("field", "text", "found"),
    [
        (FieldSpec("日期", type="date"), "我们2024年3月5日见面。", ["2024年3月5日"]),
        (FieldSpec("合同金额", type="money"), "总价人民币3.5万元整", ["人民币3.5万元整"]),
        (FieldSpec("amount", type="money"), "It costs $12.50 now", ["$12.50"]),
        (FieldSpec("联系方式", type="phone"), "请拨打13800138000联系", ["13800138000"]),
        (FieldSpec("邮箱", type="email"), "写信给 a.b@example.com，谢谢", ["a.b@example.com"]),
        (FieldSpec("电话"), "请拨打13800138000联系", ["13800138000"]),
    ],
)
def test_rules_find_what_the_model_does_not(field: FieldSpec, text: str, found: list[str]) -> None:
    result = extract(text, field)
    assert values(result, field.name) == found
    assert answer(result, field.name).values[0].score == 0.9


def test_a_typed_value_is_read() -> None:
    result = extract("我们2024年3月5日见面。", FieldSpec("日期", type="date"))
    typed = answer(result, "日期").values[0].typed
    assert typed is not None
    assert typed.value == "2024-03-05"


def test_where_all_values_have_a_form_the_model_is_not_believed() -> None:
    result = extract("张三的电话是分机九", "电话", finds={"电话": [("分机九", 0.99)]})
    assert values(result, "电话") == []


def test_a_form_of_a_wider_concept_is_less_probable() -> None:
    result = extract("生于1990年1月2日。", "生日")
    assert values(result, "生日") == ["1990年1月2日"]
    assert score(result, "生日") == 0.6


def test_the_model_tells_which_of_a_wider_form_is_meant() -> None:
    finds = {"生日": [("1990年1月2日", 0.95)]}
    result = extract("生于1990年1月2日，2020年5月6日入职。", FieldSpec("生日", many=False), finds=finds)
    assert values(result, "生日") == ["1990年1月2日"]


# The user's own lists and expressions.


def test_a_list_field_finds_its_options_alone() -> None:
    field = FieldSpec("城市", type="list", options=("北京", "上海"))
    result = extract("城市：广州，去过北京和上海", field, finds={"城市": [("广州", 0.99)]})
    assert values(result, "城市") == ["北京", "上海"]
    assert score(result, "城市") == 0.95


def test_a_regex_field_finds_its_matches_alone() -> None:
    field = FieldSpec("code", type="regex", pattern=r"[A-Z]{2}-\d+")
    result = extract("code: none, but AB-12 and CD-345", field, finds={"code": [("none", 0.99)]})
    assert values(result, "code") == ["AB-12", "CD-345"]


# Values that the text names.


@pytest.mark.parametrize(
    ("field", "text", "found"),
    [
        ("型号", "产品型号：BY-300，数量：5台", ["BY-300"]),
        ("Warranty", "Price: $5\nWarranty: 2 years\n", ["2 years"]),
        ("zorp", "zorp: blue frog", ["blue frog"]),
        ("甲方", "甲方：甲骨文（中国）有限公司", ["甲骨文（中国）有限公司"]),
    ],
)
def test_a_value_that_the_text_names(field: str, text: str, found: list[str]) -> None:
    result = extract(text, field)
    assert values(result, field) == found
    assert score(result, field) == 0.9


def test_of_a_named_value_only_what_has_the_form_counts() -> None:
    result = extract("电话：请打13800138000找张三", "电话")
    assert values(result, "电话") == ["13800138000"]


def test_a_named_value_without_the_form_that_it_must_have_is_none() -> None:
    assert values(extract("电话：无", "电话"), "电话") == []


def test_a_named_value_beats_a_less_probable_span_inside() -> None:
    finds = {"公司": [("甲骨文", 0.7)]}
    result = extract("甲方：甲骨文（中国）有限公司", "甲方", "公司", finds=finds)
    assert (values(result, "甲方"), values(result, "公司")) == (["甲骨文（中国）有限公司"], [])


# Two fields of one concept.


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("签订日期：2024年1月5日，交货期：2024年3月1日。", {"签订日期": "2024年1月5日", "交货期": "2024年3月1日"}),
        ("交货期2024年3月1日；签订日期2024年1月5日", {"签订日期": "2024年1月5日", "交货期": "2024年3月1日"}),
        ("The start date is May 3, 2024 and the end date is June 4, 2024.",
         {"start date": "May 3, 2024", "end date": "June 4, 2024"}),
        ("start: 2024-05-03, end: 2024-06-04", {"end date": "2024-06-04", "start date": "2024-05-03"}),
        ("合同金额5000元，定金1000元", {"定金金额": "1000元", "合同金额": "5000元"}),
        ("月薪8000元，奖金2000元", {"月薪": "8000元", "奖金": "2000元"}),
        ("生日1990年1月2日，入职日期2020年3月4日", {"入职日期": "2020年3月4日", "生日": "1990年1月2日"}),
    ],
)  # fmt: skip
def test_fields_of_one_concept_or_form_are_told_apart_by_their_names(text: str, fields: dict[str, str]) -> None:
    specs = [FieldSpec(name) for name in fields]
    result = extract(text, *specs)
    assert {name: values(result, name) for name in fields} == {name: [value] for name, value in fields.items()}


def test_nearness_is_no_part_of_the_score() -> None:
    result = extract("签订日期2024年1月5日，交货期2024年3月1日。", "签订日期", "交货期")
    assert (score(result, "签订日期"), score(result, "交货期")) == (0.9, 0.9)


# What is not found, and what is said.


def test_what_is_not_found_has_the_probability_of_that() -> None:
    result = extract(TEXT, "人名", "颜色", finds={"人名": [("李雷", 0.8)], "颜色": [("北京", 0.3)]})
    assert answer(result, "人名").absent is None
    assert answer(result, "颜色").absent == pytest.approx(0.7)


def test_what_nothing_was_proposed_for_is_surely_not_there() -> None:
    assert answer(extract(TEXT, "颜色"), "颜色").absent == 1


def test_of_several_wordings_all_must_be_absent() -> None:
    field = FieldSpec("x", asked=("颜色", "形状"))
    result = extract(TEXT, field, finds={"颜色": [("北京", 0.3)], "形状": [("北京", 0.2)]})
    assert answer(result, "x").absent == pytest.approx(0.7 * 0.8)


def test_a_required_field_without_a_value_is_noted() -> None:
    result = extract(TEXT, FieldSpec("颜色", required=True), FieldSpec("型号"))
    notes = {note.code: note.details for note in result.notes}
    assert notes["fields_missing"] == {"fields": "颜色"}


def test_a_text_in_several_windows_is_noted_and_counted() -> None:
    result = extract(TEXT, "人名", windows=3)
    assert [note.code for note in result.notes] == ["text_in_parts"]
    assert (result.usage.parts, result.usage.prompts, result.usage.prompt_tokens) == (3, 0, len(TEXT))


def test_free_decoding_is_not_to_be_had() -> None:
    result = extract(TEXT, "人名", free=True)
    assert result.free is None
    assert "free_unsupported" in [note.code for note in result.notes]


def test_it_stops() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        Extractor(Understander())(ExtractRequest(TEXT, (FieldSpec("人名"),)), stop)
