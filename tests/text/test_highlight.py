"""Highlighting: spans of any kind become runs that give the text back, and markup that shows nothing but the text."""

import html
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from engine.text import highlight_style as style
from engine.text.highlight import Mark, about, highlight_html, legend_html, marks_of, segments, whole_clusters
from engine.text.highlight_document import DocumentTexts, highlight_document
from engine.types import FieldAnswer, FieldSpec, FoundValue

FAMILY = "👩‍👩‍👧"
TEXTS = st.text(st.sampled_from("ab 甲。\r\n\té" + "e\u0301\u200d👩👧\u200b\ud800<&>\"'$"), max_size=30)


class Shown(HTMLParser):
    """What a browser makes of the markup: its text, and the attributes of every element."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.marked: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "mark":
            self.marked.append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.elements[-1][0] == "mark" and not self.marked[-1]:
            self.marked[-1] = data

    def tags(self) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.elements if "wb-tag" in (attributes.get("class") or "")]


def mark(start: int, end: int, field: int = 0) -> Mark:
    return Mark(start, end, field, f"field {field}", f"about {field}")


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Mark]]:
    """A text and marks anywhere, also outside it and the wrong way round."""
    text = draw(TEXTS)
    place = st.integers(-2, len(text) + 2)
    return text, draw(st.lists(st.builds(mark, place, place, st.integers(0, 30)), max_size=8))


def covers(one: Mark, start: int, end: int, length: int) -> bool:
    return max(0, one.start) <= start and end <= min(length, one.end)


@given(marked())
def test_segments_cover_the_text_once_and_name_exactly_the_marks_that_cover_them(case: tuple[str, list[Mark]]) -> None:
    text, marks = case
    found = segments(text, marks)
    assert "".join(text[one.start : one.end] for one in found) == text
    assert all(before.end == after.start for before, after in pairwise(found))
    for one in found:
        assert one.start < one.end
        assert set(one.marks) == {n for n, m in enumerate(marks) if covers(m, one.start, one.end, len(text))}
        assert list(one.marks) == sorted(one.marks, key=lambda n: (marks[n].start, -marks[n].end, n))


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], [(0, 8, ())]),
        ([(0, 8), (0, 2)], [(0, 2, (0, 1)), (2, 8, (0,))]),
        ([(1, 4), (3, 6)], [(0, 1, ()), (1, 3, (0,)), (3, 4, (0, 1)), (4, 6, (1,)), (6, 8, ())]),
        ([(2, 4), (2, 4)], [(0, 2, ()), (2, 4, (0, 1)), (4, 8, ())]),
        ([(2, 4), (4, 6)], [(0, 2, ()), (2, 4, (0,)), (4, 6, (1,)), (6, 8, ())]),
        ([(3, 3), (5, 4), (9, 12), (-4, 0)], [(0, 8, ())]),
        ([(-3, 2), (6, 99)], [(0, 2, (0,)), (2, 6, ()), (6, 8, (1,))]),
    ],
    ids=["none", "nested", "overlapping", "equal", "adjacent", "void", "clipped"],
)
def test_segments_of_each_kind(spans: list[tuple[int, int]], expected: list[tuple[int, int, tuple[int, ...]]]) -> None:
    found = segments("北京大学附属中学", [mark(*span) for span in spans])
    assert [(one.start, one.end, one.marks) for one in found] == expected


def test_no_text_has_no_segment() -> None:
    assert segments("", [mark(0, 3)]) == []


@pytest.mark.parametrize(
    ("text", "span", "widened"),
    [
        (f"a{FAMILY}b", (2, 3), (1, 6)),
        (f"a{FAMILY}b", (1, 6), (1, 6)),
        ("Ze\u0301ro", (0, 2), (0, 3)),
        ("Ze\u0301ro", (2, 4), (1, 4)),
        ("a\r\nb", (0, 2), (0, 3)),
        ("🇨🇳x", (1, 3), (0, 3)),
        ("ab", (5, 9), (2, 2)),
    ],
)
def test_a_mark_never_cuts_what_people_see_as_one_character(
    text: str, span: tuple[int, int], widened: tuple[int, int]
) -> None:
    (one,) = whole_clusters(text, [mark(*span)])
    assert (one.start, one.end) == widened


@given(marked())
def test_the_markup_shows_the_text_and_nothing_else(case: tuple[str, list[Mark]]) -> None:
    text, marks = case
    markup = highlight_html(text, marks)
    expected = re.sub("\r\n|[\r\n]", "\n", text).replace("\ud800", "\ufffd")
    shown = Shown(markup)
    assert shown.text == expected
    assert not re.search(r"[\n\r\t]", markup)  # line ends are entities: nobody can strip or indent the text
    assert markup.encode()
    assert {name for name, _ in shown.elements} <= {"div", "mark", "span"}


@given(marked())
def test_every_mark_in_the_text_has_one_label_with_its_own_offsets(case: tuple[str, list[Mark]]) -> None:
    text, marks = case
    seen = {(one.start, one.end, one.name) for one in whole_clusters(text, marks) if one.start < one.end}
    tags = Shown(highlight_html(text, marks)).tags()
    widened = whole_clusters(text, marks)
    kept = [one for one, shown in zip(marks, widened, strict=True) if (shown.start, shown.end, one.name) in seen]
    wanted = sorted((one.start, one.end, one.name) for one in kept)
    assert sorted((int(tag["data-start"] or ""), int(tag["data-end"] or ""), tag["data-tag"]) for tag in tags) == wanted


def test_the_innermost_value_gives_the_ground_and_each_value_its_underline() -> None:
    shown = Shown(highlight_html("北京大学附属中学", [mark(0, 8, 4), mark(0, 2, 7)]))
    (inner, outer) = [attributes["style"] or "" for name, attributes in shown.elements if name == "mark"]
    assert inner.endswith("var(--wb-f7)")
    assert "var(--wb-s4) 0 calc(100% - 0px)" in inner
    assert "var(--wb-s7) 0 calc(100% - 4px)" in inner
    assert outer.endswith("var(--wb-f4)")
    assert shown.marked == ["北京", "大学附属中学"]
    city, school = shown.tags()
    assert (city["data-tag"], school["data-tag"]) == ("field 7", "field 4")
    assert "var(--wb-s4)" in (city["style"] or "")  # the outer underline runs on below the inner label
    assert "var(--wb-s4)" not in (school["style"] or "")


@pytest.mark.parametrize(
    ("spans", "places"),
    [
        ([(0, 4), (2, 6), (4, 8)], [0, 1, 0]),
        ([(0, 9), (1, 2), (1, 2), (5, 6)], [0, 1, 2, 1]),
        ([(0, 2), (2, 4), (6, 8)], [0, 0, 0]),
    ],
    ids=["chain", "tower", "apart"],
)
def test_overlapping_values_never_share_an_underline(spans: list[tuple[int, int]], places: list[int]) -> None:
    markup = highlight_html("abcdefghij", [mark(*span, field=number) for number, span in enumerate(spans)])
    for number, place in enumerate(places):
        assert f"var(--wb-s{number}) 0 calc(100% - {4 * place}px)" in markup
        assert len(set(re.findall(rf"var\(--wb-s{number}\) 0 calc\(100% - (\d+)px\)", markup))) == 1


def test_text_and_names_are_never_markup(cases: dict[str, dict[str, str]]) -> None:
    text = cases["inject-html"]["text"] if "inject-html" in cases else "<img src=x onerror=alert(1)> 价格 $12 ~~删~~"
    name = '"><script>alert(1)</script><!-- --> </style> ]]>'
    markup = highlight_html(text, [Mark(0, 5, 0, name, name)])
    shown = Shown(markup)
    assert shown.text == text
    assert "<img" not in markup
    assert "<script" not in markup
    (tag,) = shown.tags()
    assert (tag["data-about"] or "").replace("\u2060", "") == name
    assert not re.search(
        r"((--!?|])>)|</(style|title|textarea)", tag["data-about"] or "", re.I
    )  # sanitisers drop those


def test_a_long_name_is_shortened_at_the_value_and_whole_on_hovering() -> None:
    (tag,) = Shown(highlight_html("abc", [Mark(0, 1, 0, "n" * 80, "n" * 80 + " · 0–1")])).tags()
    assert tag["data-tag"] == "n" * 23 + "…"
    assert tag["title"] == "n" * 80 + " · 0–1"
    assert tag["tabindex"] == "0"


def answers(*found: tuple[str, list[tuple[int | None, int | None]]]) -> list[FieldAnswer]:
    return [
        FieldAnswer(
            FieldSpec(name),
            tuple(
                FoundValue("v", start, end, 0.973, "exact" if start is not None else "absent", name)
                for start, end in spans
            ),
            0.27,
        )
        for name, spans in found
    ]


def test_marks_are_the_values_that_are_in_the_text() -> None:
    found = answers(("甲", [(0, 2), (None, None)]), ("乙", []), ("丙", [(3, 4)]))
    assert marks_of(found) == [Mark(0, 2, 0, "甲", "甲 · 97.3% · 0–2"), Mark(3, 4, 2, "丙", "丙 · 97.3% · 3–4")]
    assert about("x", FoundValue("v", 1, 2, None, "exact", "x")) == "x · 1–2"


def test_the_legend_counts_and_dims_what_was_not_found() -> None:
    markup = legend_html(answers(("<甲>", [(0, 2), (3, 4)]), ("乙", [])), "未找到")
    assert "&lt;甲&gt; <b>2</b>" in markup
    assert '<span class="wb-absent">' in markup
    assert "<small>未找到 27%</small>" in markup


def test_the_palette_reads_on_light_and_dark_and_twelve_fields_differ() -> None:
    def luminance(colour: str) -> float:
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    assert len(set(style.PALETTE)) == 12
    for colour in style.PALETTE:
        own, dark = luminance(colour), luminance("#101615")
        assert 1.05 / (own + 0.05) >= 3
        assert (own + 0.05) / (dark + 0.05) >= 3
    assert len({style.underline(number) for number in range(24)}) == 24
    assert not style.is_striped(11)
    assert style.is_striped(12)
    assert style.underline(24) == style.underline(0)


def test_a_document_stands_alone() -> None:
    text = f"北京 {FAMILY}\n<script>alert(1)</script>\ud800"
    texts = DocumentTexts("结果 <1>", "未找到", ("字段", "值"), "zh")
    document = highlight_document(text, answers(("城市", [(0, 2)])), [("城市", "北京<b>")], ["fake · cpu"], texts)
    assert document.startswith('<!DOCTYPE html>\n<html lang="zh">\n<head>\n<meta charset="utf-8">')
    assert document.encode()
    assert "prefers-color-scheme:dark" in document
    assert not re.search(r"<script|<link|<img|url\(|@import|https?://|//[a-z]", document)
    assert "<td" in document
    assert "北京&lt;b&gt;" in document
    assert "<title>结果 &lt;1&gt;</title>" in document
    body = document[document.index('<div class="wb-hl"') : document.index('<p class="facts">')]
    assert Shown(body).text.rstrip("\n") == text.replace("\ud800", "\ufffd")


def test_clusters_are_those_of_the_regex_module() -> None:
    assert regex.findall(r"\X", f"{FAMILY}🇨🇳") == [FAMILY, "🇨🇳"]
    assert html.unescape("&#10;&#9;") == "\n\t"
