"""The task extract: what is asked, where values are, what they score, and what is said beside them."""

import math
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from doubles import WritingBackend
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from text.test_grammar import legal, texts

from engine.errors import Cancelled, WorkbenchError
from engine.model.fake import FAKE_CONTEXT, FakeBackend
from engine.run.extract import Extractor, check_request
from engine.run.readings import LEAST
from engine.text.align import Aligner
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.text.inspect import is_blank
from engine.types import ExtractRequest, ExtractResult, FieldSpec, FoundValue

pytestmark = pytest.mark.usefixtures("one_thread")
TEXT = "李雷给李雷打电话，李雷没接。韩梅梅在北京。"


def extract(text: str, *fields: str | FieldSpec, backend: Any = None, **options: Any) -> ExtractResult:
    specs = tuple(FieldSpec(one) if isinstance(one, str) else one for one in fields)
    return Extractor(backend or FakeBackend(delay=0))(ExtractRequest(text, specs, **options))


def says(answer: str | Callable[[ExtractGrammar], str], **options: Any) -> WritingBackend:
    return WritingBackend(answer, **options)


def values(result: ExtractResult, name: str) -> list[str]:
    return [value.text for value in found(result, name)]


def places(result: ExtractResult, name: str) -> list[tuple[int | None, int | None]]:
    return [(value.start, value.end) for value in found(result, name)]


def found(result: ExtractResult, name: str) -> tuple[FoundValue, ...]:
    return next(one.values for one in result.fields if one.field.name == name)


def codes(result: ExtractResult) -> list[str]:
    return [note.code for note in result.notes]


# Values and their places.


def test_values_stand_where_the_text_has_them() -> None:
    result = extract(TEXT, "人名", "地名", backend=says("人名: 李雷\t韩梅梅\n地名: 北京\n"))
    assert values(result, "人名") == ["李雷", "韩梅梅"]
    assert places(result, "人名") == [(0, 2), (14, 17)]
    assert places(result, "地名") == [(18, 20)]
    assert all(TEXT[one.start : one.end] == one.text for field in result.fields for one in field.values)
    assert [one.prompt for one in result.prompts] == [f"输入: {TEXT}\n抽取: 人名，地名\n输出: [GEN]"]
    assert result.notes == ()


def test_first_mentions_are_each_value_once() -> None:
    result = extract(TEXT, "人名", backend=says("人名: 李雷\t李雷\t李雷\n"))
    assert places(result, "人名") == [(0, 2)]


def test_all_mentions_are_every_place_once() -> None:
    result = extract(TEXT, "人名", backend=says("人名: 李雷\t李雷\n"), mentions="all")
    assert places(result, "人名") == [(0, 2), (3, 5), (9, 11)]


def test_nested_and_overlapping_values_are_kept() -> None:
    backend = says("学校: 北京大学附属中学\t北京大学\n城市: 北京\n")
    result = extract("北京大学附属中学", "学校", "城市", backend=backend)
    assert places(result, "学校") == [(0, 4), (0, 8)]
    assert places(result, "城市") == [(0, 2)]


def test_one_value_of_several_is_the_most_probable() -> None:
    field = FieldSpec("人名", asked=("人", "人物全名"), many=False)
    result = extract(TEXT, field, backend=says("人: 韩梅梅\n人物全名: 李雷\n"))
    assert values(result, "人名") == ["李雷"], "two tokens are more probable than three"


def test_offsets_are_those_of_the_text_as_given(cases: dict[str, Any]) -> None:
    text = cases["off-crlf"]["text"]
    result = extract(text, *cases["off-crlf"]["fields"], backend=says("甲方: A公司\n乙方: B公司\n"))
    assert [text[one.start : one.end] for field in result.fields for one in field.values] == ["A公司", "B公司"]
    assert text[0] == "\ufeff"


@pytest.mark.parametrize("case", ["off-emoji", "off-repeat", "off-crlf", "ground-absent", "ground-nested", "num-copy"])
@pytest.mark.parametrize("kind", ["bloom", "llama", "fake"])
def test_reported_texts_get_exact_places(case: str, kind: str, cases: dict[str, Any], tiny: dict[str, Any]) -> None:
    backend = FakeBackend(delay=0) if kind == "fake" else tiny[kind]
    given = cases[case]
    for mentions in ("first", "all"):
        result = extract(given["text"], *given["fields"], backend=backend, mentions=mentions)
        check_legal(result, given["text"], given["fields"])


def test_half_a_character_keeps_its_place() -> None:
    text = "名称: a\ud800b 完"
    result = extract(text, "名称", backend=says("名称: a\ufffdb\n"))
    assert places(result, "名称") == [(4, 7)]
    assert values(result, "名称") == ["a\ud800b"]


# Probabilities.


def test_a_score_is_the_probability_of_the_span_and_its_end() -> None:
    result = extract(TEXT, "人名", "地名", backend=says("人名: 李雷\t韩梅梅\n地名: None\n"))
    first, second = found(result, "人名")
    assert first.score == pytest.approx(math.exp(-0.1 * len(" 李雷\t")))
    assert second.score == pytest.approx(math.exp(-0.1 * len("韩梅梅\n")))
    absent = next(one.absent for one in result.fields if one.field.name == "地名")
    assert absent == pytest.approx(math.exp(-0.1 * len(" None\n")))
    assert result.fields[0].absent is None


@pytest.mark.parametrize("kind", ["bloom", "llama"])
def test_what_is_found_has_a_score_and_what_is_not_has_the_probability_of_that(kind: str, tiny: dict[str, Any]) -> None:
    result = extract(TEXT, "人名", "地名", backend=tiny[kind])
    for one in result.fields:
        assert all(0 < value.score <= 1 for value in one.values if value.score is not None)
        assert bool(one.values) == (one.absent is None)


def test_absence_has_a_probability_only_where_every_prompt_said_so() -> None:
    text = "无关的话。" * 150 + "长。" + "无关的话。" * 150

    def answer(grammar: ExtractGrammar) -> str:
        return "甲: " + "长" * 2000 + "\n" if "长" in grammar.source else "甲: None\n"

    result = extract(text, "甲", backend=says(answer))
    assert {line.outcome for one in result.prompts for line in one.lines} == {"none", "cut"}
    assert result.fields[0].absent is None

    stop = threading.Event()

    def stopping(grammar: ExtractGrammar) -> str:
        stop.set()
        return grammar.empty_answer()

    stopped = Extractor(says(stopping))(ExtractRequest("无关的话。" * 2000, (FieldSpec("甲"),)), stop)
    assert "stopped_early" in codes(stopped)
    assert stopped.fields[0].absent is None


def test_the_least_probable_value_still_has_a_probability() -> None:
    backend = says(lambda grammar: f"值: {grammar.source}\n", log=-40.0)
    result = extract("很长的值" * 10, "值", backend=backend)
    assert found(result, "值")[0].score == LEAST > 0
    nothing = extract("无关的话。" * 2000, "值", backend=says(ExtractGrammar.empty_answer, log=-30.0))
    assert nothing.fields[0].absent == LEAST


# Fields.


def test_wordings_are_asked_and_their_field_answers() -> None:
    field = FieldSpec("姓名", asked=("人名", "谁"), description="打电话的人")
    backend = says("人名（打电话的人）: 李雷\n谁（打电话的人）: 韩梅梅\n")
    result = extract(TEXT, field, backend=backend)
    assert "抽取: 人名（打电话的人），谁（打电话的人）" in result.prompts[0].prompt
    assert [(one.text, one.asked) for one in found(result, "姓名")] == [("李雷", "人名"), ("韩梅梅", "谁")]


def test_a_wording_of_two_fields_is_asked_once() -> None:
    backend = says("人名: 李雷\t韩梅梅\n")
    result = extract(TEXT, FieldSpec("人名"), FieldSpec("联系人", asked=("人名",), many=False), backend=backend)
    assert len(backend.asked[0].lines) == 1
    assert values(result, "人名") == ["李雷", "韩梅梅"]
    assert values(result, "联系人") == ["李雷"]


@pytest.mark.parametrize(("per_prompt", "sizes"), [(6, [6, 6, 1]), (5, [5, 5, 3]), (1, [1] * 13), (50, [13])])
def test_many_fields_go_in_several_prompts_together(per_prompt: int, sizes: list[int]) -> None:
    backend = says(ExtractGrammar.empty_answer)
    result = extract(TEXT, *(f"字段{number}" for number in range(13)), backend=backend, per_prompt=per_prompt)
    assert [len(one.lines) for one in backend.asked] == sizes
    assert backend.batches == [len(sizes)]
    assert result.usage.prompts == len(sizes)
    assert [one.field.name for one in result.fields] == [f"字段{number}" for number in range(13)]


def test_typed_values_carry_their_meaning_and_misfits_are_flagged() -> None:
    text = "价格3.5万元，日期下周"
    backend = says("价格: 3.5万元\n日期: 下周\n")
    result = extract(text, FieldSpec("价格", type="money"), FieldSpec("日期", type="date"), backend=backend)
    price, date = found(result, "价格")[0].typed, found(result, "日期")[0].typed
    assert price is not None
    assert date is not None
    assert price.value == {"amount": 35000, "currency": "CNY"}
    assert date.value is None
    assert date.problem
    assert values(result, "日期") == ["下周"]
    assert "values_untyped" in codes(result)


def test_a_required_field_that_is_not_found_is_said() -> None:
    fields = (FieldSpec("人名", required=True), FieldSpec("公司", required=True))
    result = extract(TEXT, *fields, backend=says("人名: 李雷\n公司: None\n"))
    assert [note.details for note in result.notes if note.code == "fields_missing"] == [{"fields": "公司"}]


# Long texts.


def test_a_long_text_is_read_in_parts_with_overlap(cases: dict[str, Any]) -> None:
    text = "合同编号ZX-77。" + "本合同其余条款照旧执行。" * 500

    def answer(grammar: ExtractGrammar) -> str:
        return "合同编号: ZX-77\n" if "ZX-77" in grammar.source else "合同编号: None\n"

    assert cases["text-long"]["fields"] == ["合同编号"]
    backend = says(answer)
    result = extract(text, "合同编号", backend=backend)
    assert places(result, "合同编号") == [(4, 9)]
    assert "text_in_parts" in codes(result)
    parts = [(one.start, one.end) for one in result.prompts]
    assert parts[0][0] == 0
    assert parts[-1][1] == len(text)
    for (_, end), (start, _) in pairwise(parts):
        assert end - 100 <= start < end
        assert text[start - 1] == text[end - 1] == "。", "parts begin and end with sentences"
    assert [one.source for one in backend.asked] == [text[start:end] for start, end in parts]
    assert result.usage.parts == len(parts)


def test_offsets_of_later_parts_are_those_of_the_whole() -> None:
    text = "无关的话。" * 300 + "联系人：王五。" + "无关的话。" * 100

    def answer(grammar: ExtractGrammar) -> str:
        return "联系人: 王五\n" if "王五" in grammar.source else "联系人: None\n"

    result = extract(text, "联系人", backend=says(answer))
    assert places(result, "联系人") == [(text.index("王五"), text.index("王五") + 2)]


def test_a_value_of_the_overlap_is_kept_once() -> None:
    text = "甲。" * 2000

    result = extract(text, "字", backend=says("字: 甲\n"))
    assert len(places(result, "字")) == 1
    everywhere = extract(text, "字", backend=says("字: 甲\n"), mentions="all")
    assert places(everywhere, "字") == [(at, at + 1) for at in range(0, 4000, 2)]


def test_a_value_that_many_parts_give_is_looked_for_in_the_whole_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "甲。" * 2000
    searched: list[int] = []
    align = Aligner.align
    monkeypatch.setattr(Aligner, "align", lambda self, value: (searched.append(len(self._text)), align(self, value))[1])
    result = extract(text, "字", backend=says("字: 甲\n"), mentions="all")
    assert result.usage.parts > 5
    assert searched.count(len(text)) == 1


@pytest.mark.parametrize(
    "text", ["x" * 5000, "一" * 5000, "a" + "👨🏻‍🚒" * 1500, "é́" * 3000, "\n" * 3000 + "a" + "\n" * 3000]
)
def test_parts_cover_a_text_without_sentences(text: str) -> None:
    backend = says(ExtractGrammar.empty_answer)
    result = extract(text, "字段", backend=backend)
    read = 0
    for one in result.prompts:
        assert one.start <= read < one.end
        read = one.end
    assert read == len(text)
    assert "parts_cut" not in codes(result)


# Limits, stops, errors.


def test_an_answer_at_its_limit_is_cut_and_said() -> None:
    text = "很长的值" * 100
    result = extract(text, "甲", "乙", backend=says(f"甲: {text}\n乙: None\n"))
    assert values(result, "甲") == []
    assert [line.outcome for line in result.prompts[0].lines] == ["cut", "cut"]
    assert [note.details["fields"] for note in result.notes if note.code == "answer_cut"] == ["甲, 乙"]
    assert all(one.absent is None for one in result.fields)


def test_a_stop_keeps_what_is_answered() -> None:
    stop = threading.Event()

    def answer(grammar: ExtractGrammar) -> str:
        stop.set()
        return f"字: {grammar.source[0]}\n"

    request = ExtractRequest("甲乙丙。" * 2000, (FieldSpec("字"),), free=True)
    result = Extractor(says(answer))(request, stop)
    assert {"stopped_early", "stopped_free"} <= set(codes(result))
    assert result.usage.prompts == len(result.prompts) < 12
    assert values(result, "字") == ["甲"]


def test_a_stop_before_the_first_answer_is_a_stop() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        Extractor(says("字: 甲\n"))(ExtractRequest("甲", (FieldSpec("字"),)), stop)


def test_a_stop_is_noticed_while_prompts_are_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    backend = says("字: None\n")
    encode = backend.encode_prompt

    def stopping(*arguments: Any, **options: Any) -> Any:
        stop.set()
        return encode(*arguments, **options)

    monkeypatch.setattr(backend, "encode_prompt", stopping)
    with pytest.raises(Cancelled):
        Extractor(backend)(ExtractRequest("甲乙丙。" * 2000, (FieldSpec("字"),)), stop)
    assert backend.batches == []


@pytest.mark.parametrize("order", [1, -1])
def test_parts_fit_the_wordings_that_take_most_tokens(order: int, tiny: dict[str, Any]) -> None:
    """Twenty emoji are fewer characters than a long word, but more tokens."""
    names = ["👨🏻‍🚒" * 20, "of the positive science " * 6][::order]
    result = extract("今天天气很好。" * 200, *names, backend=tiny["bloom"], per_prompt=1)
    assert result.usage.parts > 1
    assert "parts_cut" not in codes(result)


def test_progress_counts_prompts() -> None:
    seen: list[tuple[int, int]] = []
    request = ExtractRequest("甲乙丙。" * 1000, (FieldSpec("字"),), free=True)
    Extractor(says("字: None\n", says="字: None\n"))(request, report=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    assert len(seen) > 4


@pytest.mark.parametrize(
    ("text", "fields", "options", "code"),
    [
        ("", ["a"], {}, "text_empty"),
        (" \n\u200b", ["a"], {}, "text_empty"),
        ("x", [], {}, "fields_empty"),
        ("x", [" "], {}, "fields_empty"),
        ("x", [f"f{number}" for number in range(201)], {}, "fields_too_many"),
        ("x", [FieldSpec("a", type="list")], {}, "field_without_options"),
        ("x", [FieldSpec("a", type="regex", pattern="(")], {}, "field_pattern"),
        ("x", ["a"], {"per_prompt": 0}, "bad_setting"),
        ("x", ["a"], {"per_prompt": 51}, "bad_setting"),
    ],
)
def test_requests_that_no_model_could_answer(text: str, fields: list[Any], options: Any, code: str) -> None:
    specs = tuple(FieldSpec(one) if isinstance(one, str) else one for one in fields)
    with pytest.raises(WorkbenchError) as refused:
        check_request(ExtractRequest(text, specs, **options))
    assert refused.value.code == code


def test_fields_that_leave_the_text_no_room_are_refused() -> None:
    with pytest.raises(WorkbenchError) as refused:
        extract("text " * 50, *(f"{number}" * FAKE_CONTEXT for number in range(1, 4)))
    assert refused.value.code == "fields_too_long"
    assert refused.value.details["count"] == 3


def test_hints_on_hard_texts(cases: dict[str, Any]) -> None:
    symbols = cases["ground-symbols"]
    result = extract(symbols["text"], *symbols["fields"], backend=says("股票代码: 600837\n价格: 10.25\n"))
    assert "text_symbols" in codes(result)
    assert "text_invisible" in codes(extract("A\u200bB公司签约", "公司"))
    assert "script_mismatch" in codes(extract("Ann Lee lives in Paris", "人名", "地名"))
    assert "specials_neutralised" in codes(extract("天气[GEN]很好", "天气"))


# Free decoding.


def test_free_values_are_grounded_and_compared() -> None:
    text = "服用阿司匹林２片，每日三次"
    free_answer = "药名: 阿司匹林\n剂量: 2片\n医院: 协和医院\n"
    backend = says("药名: 阿司匹林\n剂量: ２片\n医院: None\n", says=free_answer)
    result = extract(text, "药名", "剂量", "医院", backend=backend, free=True)
    assert result.free is not None
    by_name = {one.field.name: one.values for one in result.free.fields}
    assert [(one.text, one.status, one.start) for one in by_name["药名"]] == [("阿司匹林", "exact", 2)]
    assert [(one.text, one.status, one.start) for one in by_name["剂量"]] == [("２片", "normalised", 6)]
    assert [(one.text, one.status, one.start) for one in by_name["医院"]] == [("协和医院", "absent", None)]
    assert all(one.score is None for values in by_name.values() for one in values)
    assert result.free.grounded == pytest.approx(2 / 3)
    assert [(one.field, one.constrained, one.free) for one in result.free.differences] == [("医院", (), ("协和医院",))]
    assert (backend.generated[0]["beams"], backend.generated[0]["max_new_tokens"]) == (4, 256)
    assert result.free.prompts[0].raw == free_answer


def test_free_answers_that_do_not_parse_are_said() -> None:
    backend = says("时间: None\n地点: None\n", says="时间: 三点\n地点 None\n- 备注：无\n", finished=False)
    result = extract("三点开会", "时间", "地点", backend=backend, free=True)
    assert result.free is not None
    assert [line.outcome for line in result.free.prompts[0].lines] == ["values", "unparsed", "unparsed"]
    assert {"free_unparsed", "free_limit"} <= {note.code for note in result.free.notes}


def test_without_values_there_is_no_grounded_rate() -> None:
    result = extract("今天下雨。", "公司", backend=says("公司: None\n", says="公司: None\n"), free=True)
    assert result.free is not None
    assert result.free.grounded is None
    assert result.free.differences == ()


# Any text, any fields: always legal.


def check_legal(result: ExtractResult, text: str, names: list[str]) -> None:
    """The promise: the answers parse, the labels are the asked ones, the values are in the text."""
    assert [one.field.name for one in result.fields] == names
    assert result.usage.forced_tokens <= result.usage.output_tokens
    assert result.usage.forwards_saved >= 0
    for one in result.fields:
        for value in one.values:
            assert value.status == "exact"
            assert value.start is not None
            assert text[value.start : value.end] == value.text != ""
        spans = [(value.start, value.end) for value in one.values]
        assert len(set(spans)) == len(spans), "no two values of a field on one place"
    for record in result.prompts:
        source = text[record.start : record.end]
        labels = [line.asked for line in record.lines]
        assert None not in labels
        if all(line.outcome != "cut" for line in record.lines):
            assert legal(ExtractGrammar(source, tuple(GrammarLine(str(one), True) for one in labels)), record.raw)
        assert all(line.outcome in {"values", "none", "cut"} for line in record.lines)


@pytest.fixture(scope="module")
def tiny(build: Callable[..., Any]) -> dict[str, Any]:
    """Both kinds with a context that the examples of the plain prompt leave room in."""
    return {kind: build(kind, context=1024) for kind in ("bloom", "llama")}


names = st.lists(
    st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters=',，、;；"“'), min_size=1, max_size=6),
    min_size=1,
    max_size=8,
    unique=True,
)


@given(texts(), names, st.sampled_from(["first", "all"]))
@settings(max_examples=60, phases=[Phase.generate])
def test_any_text_and_fields_give_a_legal_answer(
    tiny: dict[str, Any], text: str, names: list[str], mentions: Any
) -> None:
    if is_blank(text):
        return
    for kind in ("bloom", "llama"):
        result = extract(text, *names, backend=tiny[kind], mentions=mentions, per_prompt=3)
        check_legal(result, text, names)
