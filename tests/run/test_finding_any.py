"""Fields by a model that understands, of any text and any spans: a value is always what stands at its place."""

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from understanding import Understander

from engine.run.extract import Extractor
from engine.types import ExtractRequest, ExtractResult, FieldSpec

PARTS = [
    "型号：",
    "签订日期：",
    "2024年1月5日",
    "$5",
    "13800138000",
    "a@b.com",
    "（",
    "）",
    "\n",
    " ",
    "李雷",
    "👍🏽",
    "\ud800",
]
FIELDS = (
    FieldSpec("型号"),
    FieldSpec("签订日期", type="date"),
    FieldSpec("交货期"),
    FieldSpec("人名", asked=("人", "姓名"), many=False),
    FieldSpec("金额", type="money"),
    FieldSpec("城市", type="list", options=("李雷", "5")),
    FieldSpec("x", type="regex", pattern=r"\d+|$"),
)
NAMES = ["型号", "签订日期", "交货期", "人", "姓名"]


def extract(text: str, finds: Any, **options: Any) -> ExtractResult:
    return Extractor(Understander(finds))(ExtractRequest(text, FIELDS, **options))


texts = st.lists(st.sampled_from(PARTS) | st.text(max_size=4), min_size=1, max_size=12).map("".join)


@st.composite
def readings(draw: st.DrawFn) -> tuple[str, dict[str, list[tuple[tuple[int, int], float]]]]:
    """A text and spans of it."""
    text = draw(texts.filter(lambda text: text.strip("\u200b\x00") and any(char.isalnum() for char in text)))
    spans: dict[str, list[tuple[tuple[int, int], float]]] = {}
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=8)):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        spans.setdefault(name, []).append(((start, end), draw(st.floats(0.02, 1))))
    return text, spans


@given(readings(), st.sampled_from(["first", "all"]), st.booleans())
def test_a_value_is_always_what_stands_at_its_place(reading: Any, mentions: Any, nested: bool) -> None:
    text, finds = reading
    result = extract(text, finds, mentions=mentions, nested=nested)
    for one in result.fields:
        assert bool(one.values) == (one.absent is None)
        assert one.absent is None or 0 < one.absent <= 1
        for value in one.values:
            assert value.text == text[value.start : value.end] != ""
            assert value.score is not None
            assert 0.5 <= value.score <= 1


@given(readings(), st.sampled_from(["first", "all"]))
def test_values_overlap_only_when_nested(reading: Any, mentions: Any) -> None:
    text, finds = reading
    result = extract(text, finds, mentions=mentions)
    found = sorted((value.start, value.end) for one in result.fields for value in one.values)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
