"""What values mean by their field's type, row by row; and that no text at all makes the reading fail."""

import json
import math
import subprocess
import sys
import time
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Phrase
from engine.text.values import check_pattern, dates, type_value
from engine.text.values.plain import plain
from engine.types import FieldSpec, ValueType

ROOT = Path(__file__).parents[2]
TYPES = get_args(ValueType)

NUMBERS = [
    ("12", 12), ("-5", -5), ("−5.5", -5.5), ("+7", 7), ("007", 7), (".5", 0.5), ("1.10", 1.1), ("-0", 0),
    ("1.5e3", 1500),
    # separators
    ("1,234", 1234), ("1,234.5", 1234.5), ("1.234", 1.234), ("1.234,56", 1234.56), ("1.234.567", 1234567),
    ("1 234,5", 1234.5), ("1\u202f234\u00a0567", 1234567), ("1'234.50", 1234.5), ("1,00,000", 100000),
    ("12,34,567.89", 1234567.89), ("1,5", 1.5), ("0,123", 0.123), ("1,2345", 1.2345), ("１２，５００", 12500),
    ("1\u200b2", 12),
    # percent
    ("12.5%", 12.5), ("１２．５％", 12.5), ("百分之十二点五", 12.5), ("负百分之五", -5),
    # Chinese
    ("3.5万", 35000), ("3.5 万", 35000), ("1.2亿", 120000000), ("3.3亿", 330000000), ("0.29万", 2900),
    ("2千3百", 2300), ("1亿2千万", 120000000), ("1.5千万", 15000000), ("2.5万亿", 2500000000000), ("百万", 1000000),
    ("3万5", 35000), ("一百二十三", 123), ("一百零五", 105), ("一百五", 150), ("二〇二四", 2024),
    ("两万三千", 23000), ("壹佰", 100), ("壹萬贰仟", 12000), ("二十三点五万", 235000), ("三点一四", 3.14),
    ("负五", -5), ("零下12度", -12), ("半", 0.5), ("两个半小时", 2.5), ("3年半", 3.5), ("廿", 20), ("约30人", 30),
    ("第3", 3), ("三十多人", 30),
    # English
    ("1.5k", 1500), ("5K", 5000), ("2m", 2000000), ("2m users", 2000000), ("2.5bn", 2500000000), ("7B", 7000000000),
    ("3 million", 3000000), ("2 hundred thousand", 200000), ("5 lakh", 500000), ("3 dozen", 36), ("a dozen", 12),
    ("twelve", 12), ("Twenty-one", 21), ("three hundred and five", 305), ("minus five", -5),
    ("two million five hundred thousand", 2500000), ("about 30", 30), ("No. 5", 5), ("#5", 5),
    # units
    ("12公斤", 12), ("30 km", 30), ("2 m", 2), ("5m/s", 5), ("30 km/h", 30), ("5㎡", 5), ("12千克", 12),
    ("3万千瓦", 30000), ("3千人", 3000), ("1013百帕", 1013), ("6百分点", 6), ("5兆瓦", 5), ("25℃", 25),
    ("12-inch", 12), ("5 people", 5), ("18岁以上", 18), ("100+", 100), ("12.", 12), ("3点", 3), ("$5", 5),
    ("12345678901234567890", 12345678901234567890),
]  # fmt: skip
NO_NUMBERS = [
    "", "abc", "。", "-", "3-5公斤", "3至5天", "三至五天", "10~20", "1/3", "½", "2½", "10²", "10^3", "3②", "1.2.3",
    "12:30", "2024-05-03", "1 2", "3,400,12", "5 to 6", "three or four", "one two", "a person", "十几", "几十",
    "三四个", "三五人", "一些", "一般", "万一", "十十", "三分之一", "3亿万", "5兆", "兆", "mİllion", "😀",
]  # fmt: skip

MONEY = [
    ("¥35", 35, "CNY"), ("￥3,500.00", 3500, "CNY"), ("3.5亿元", 350000000, "CNY"), ("3.5 万元", 35000, "CNY"),
    ("500块钱", 500, "CNY"), ("RMB 500", 500, "CNY"), ("rmb¥500", 500, "CNY"), ("CNY500", 500, "CNY"),
    ("人民币：500元", 500, "CNY"), ("500元人民币", 500, "CNY"), ("人民币壹万贰仟元整", 12000, "CNY"),
    ("肆仟伍佰陆拾柒圆捌角整", 4567.8, "CNY"), ("壹佰零伍元零叁分", 105.03, "CNY"), ("3元5角", 3.5, "CNY"),
    ("3元5角2分", 3.52, "CNY"), ("3块5", 3.5, "CNY"), ("3块半", 3.5, "CNY"), ("五毛", 0.5, "CNY"),
    ("1分", 0.01, "CNY"), ("约3万元", 30000, "CNY"), ("5万余元", 50000, "CNY"), ("100元左右", 100, "CNY"),
    ("99.9元起", 99.9, "CNY"), ("5000元/月", 5000, "CNY"), ("3.5元/斤", 3.5, "CNY"),
    ("$2.5 million", 2500000, "USD"), ("$1.2k", 1200, "USD"), ("$2 m", 2000000, "USD"),
    ("US$1.2bn", 1200000000, "USD"), ("US $5", 5, "USD"), ("-$5", -5, "USD"), ("$-5", -5, "USD"), ("-5$", -5, "USD"),
    ("12万美元", 120000, "USD"), ("99美金", 99, "USD"), ("30 dollars", 30, "USD"), ("100 usd", 100, "USD"),
    ("2.5m USD", 2500000, "USD"), ("$20 per hour", 20, "USD"), ("500(美元)", 500, "USD"), ("$5 CAD", 5, "CAD"),
    ("HK$30", 30, "HKD"), ("港币30", 30, "HKD"), ("30港元", 30, "HKD"), ("NT$500元", 500, "TWD"),
    ("¥500日元", 500, "JPY"), ("500円", 500, "JPY"), ("JPY 500", 500, "JPY"), ("€1.234,56", 1234.56, "EUR"),
    ("1 234,56 €", 1234.56, "EUR"), ("两百万欧元", 2000000, "EUR"), ("€5M", 5000000, "EUR"), ("£5", 5, "GBP"),
    ("5英镑", 5, "GBP"), ("₩1000", 1000, "KRW"), ("5万韩元", 50000, "KRW"), ("A$30", 30, "AUD"), ("S$30", 30, "SGD"),
    ("CHF 20", 20, "CHF"), ("Rs.500", 500, "INR"), ("₹1,00,000", 100000, "INR"), ("TRY 100", 100, "TRY"),
    ("5000", 5000, None), ("5万", 50000, None), ("50 cents", 0.5, None),
]  # fmt: skip
NO_MONEY = [
    "", "free", "免费", "元", "$", "5公斤", "5%", "3千克", "50分钟", "$5-$10", "5-10元", "十几万元", "3元50",
    "US$5 EUR", "ABC 5", "100 try", "30 USDT", "renmİnbi 5",
]  # fmt: skip

DATES = [
    # Chinese
    ("2024年5月3日", "2024-05-03"), ("2024 年 5 月 3 日。", "2024-05-03"), ("２０２４年５月３日", "2024-05-03"),
    ("2024年5月", "2024-05"), ("2024年5月份", "2024-05"), ("2024年", "2024"), ("618年", "0618"),
    ("5月3日", "--05-03"), ("五月三号", "--05-03"), ("2月29日", "--02-29"), ("5月", "--05"),
    ("二〇二四年五月三日", "2024-05-03"), ("二零二四年", "2024"), ("二○二四年十二月二十五日", "2024-12-25"),
    ("民国113年", "2024"), ("民国元年", "1912"), ("民国一百一十三年五月", "2024-05"),
    ("2024年5月3日(星期五)", "2024-05-03"), ("2024年5月3日 周五 9:30", "2024-05-03T09:30"),
    ("2024年5月3日下午3点", "2024-05-03T15:00"), ("2024年5月3日 下午3点半", "2024-05-03T15:30"),
    ("2024年5月3日15时05分", "2024-05-03T15:05"), ("2024年5月3日晚上8点", "2024-05-03T20:00"),
    ("5月3日 12:30", "--05-03T12:30"), ("2024年5月3日凌晨12点10分", "2024-05-03T00:10"),
    ("2024年5月3日中午12点", "2024-05-03T12:00"),
    # digits
    ("2024-05-03", "2024-05-03"), ("2024/5/3", "2024-05-03"), ("2024.5.3", "2024-05-03"),
    ("2024 - 05 - 03", "2024-05-03"), ("20240503", "2024-05-03"), ("2024-05", "2024-05"), ("2024.5", "2024-05"),
    ("05/2024", "2024-05"), ("2024", "2024"), ("13/05/2024", "2024-05-13"), ("05/13/2024", "2024-05-13"),
    ("05/05/2024", "2024-05-05"), ("31.12.2024", "2024-12-31"), ("12/25", "--12-25"),
    ("2024-05-03 12:30", "2024-05-03T12:30"), ("2024-05-03T12:30:00Z", "2024-05-03T12:30:00Z"),
    ("2024-05-03T12:30:45.123+0800", "2024-05-03T12:30:45.123+08:00"),
    # English
    ("May 3, 2024", "2024-05-03"), ("3 May 2024", "2024-05-03"), ("the 3rd of May 2024", "2024-05-03"),
    ("Mon 3 May 2024", "2024-05-03"), ("Monday, May 3rd, 2024", "2024-05-03"), ("Sept. 5, 2023", "2023-09-05"),
    ("3-May-2024", "2024-05-03"), ("2024 May 3", "2024-05-03"), ("May 2024", "2024-05"), ("in June 2024", "2024-06"),
    ("May 3", "--05-03"), ("Dec 25", "--12-25"), ("Feb 29", "--02-29"), ("May 3, 2024 at 5pm", "2024-05-03T17:00"),
    ("3 May 2024, 12:00 a.m.", "2024-05-03T00:00"), ("Fri, 03 May 2024 10:00:00 GMT", "2024-05-03T10:00:00Z"),
]  # fmt: skip
NO_DATES = {
    "not_a_date": [
        "", "may", "the", "sun", "June", "known", "abc", "1.5", "12", "5.3", "3日", "10:30", "12345678",
        "2024-02-30", "2023年2月29日", "Feb 30", "May 45", "30/02/2024", "99/99/99", "2024年13月",
        "2024年13月3日晚上12点", "2024-05-03 25:00", "2024-05-03 12", "2024年5月 12:30", "2024-05-03T12:30+99:00",
        "农历五月初五", "公元前221年", "2024年第一季度", "2024年底", "2024年5月3日至5日", "2018-2022", "二三月",
        "2024²",
    ],
    "date_ambiguous": [
        "05/03/2024", "03.05.2024", "5/3", "5/3/24", "24-05-03", "24年5月3日", "May '24", "3 May 24", "03-May-24",
        "2024年5月3日晚上12点", "5月3日晚上1点",
    ],
    "date_relative": [
        "昨天", "今天下午", "明晚", "后天", "次日", "去年", "明年5月", "上个月", "本周", "下周三", "周五", "三天前",
        "5年后", "两个月以前", "目前", "today", "yesterday", "next Monday", "Monday", "last year", "this morning",
        "3 days ago", "in two weeks", "now",
    ],
}  # fmt: skip

PHONES = [
    ("+8613800138000", "+8613800138000"), ("138 0013 8000", "+8613800138000"),
    ("１３８００１３８０００", "+8613800138000"), ("0086 138-0013-8000", "+8613800138000"),
    ("8613800138000", "+8613800138000"), ("电话：13800138000。", "+8613800138000"),
    ("021-12345678", "+862112345678"), ("(010) 8888 8888", "+861088888888"), ("（0755）26881234", "+8675526881234"),
    ("+86 (0)21 12345678", "+862112345678"), ("400-820-8820", "+864008208820"), ("800-820-8820", "8008208820"),
    ("13800138000转123", "+8613800138000;ext=123"), ("021-12345678-801", "+862112345678;ext=801"),
    ("+1 212 555 1234 x5", "+12125551234;ext=5"), ("+1 (212) 555-1234", "+12125551234"),
    ("+1 555 123 4567", "+15551234567"), ("+44 (0)20 7946 0958", "+442079460958"),
    ("00 44 20 7946 0958", "+442079460958"), ("212-555-1234", "2125551234"), ("212.555.1234", "2125551234"),
    ("07911 123456", "07911123456"), ("0123456789", "0123456789"), ("12345678", "12345678"), ("110", "110"),
    ("95588", "95588"),
]  # fmt: skip
NO_PHONES = [
    "", "abc", "95", "001", "123456", "+12", "+999123456789", "+86 10086", "1234567890123456", "1-800-FLOWERS",
    "2024-05-03", "3.14159265", "()",
]  # fmt: skip

EMAILS = [
    ("A.b@Example.COM", "A.b@example.com"), ("a＠ｂ.com", "a@b.com"), ("用户@例子.中国", "用户@例子.中国"),
    ("a@xn--fsqu00a.xn--fiqs8s", "a@例子.中国"), ("mailto:a@b.com", "a@b.com"), ("<a@b.com>", "a@b.com"),
    ("a@b.com。", "a@b.com"), ("a@b.test", "a@b.test"), ("a@b.example", "a@b.example"),
    ("Bob@Mail.LOCAL", "Bob@mail.local"), ("x@y.invalid", "x@y.invalid"), ("a+b_c@sub.b.co", "a+b_c@sub.b.co"),
]  # fmt: skip
NO_EMAILS = [
    "", "abc", "@b.com", "a@", "a@b", "a@localhost", "a@.local", "a..b@c.com", "a @b.com", "a@b.com,c@d.com",
    "\"a b\"@c.com", "a@[1.2.3.4]",
]  # fmt: skip

URLS = [
    ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
    ("HTTP://Example.COM/Path", "http://example.com/Path"), ("www.baidu.com", "https://www.baidu.com"),
    ("baidu.com/s?wd=1", "https://baidu.com/s?wd=1"), ("t.co/a", "https://t.co/a"),
    ("ｗｗｗ．ｂａｉｄｕ．ｃｏｍ", "https://www.baidu.com"), ("例子.中国", "https://例子.中国"),
    ("https://例子.中国/路径", "https://例子.中国/路径"), ("ftp://ftp.gnu.org/", "ftp://ftp.gnu.org/"),
    ("http://localhost:8501", "http://localhost:8501"), ("http://1.2.3.4/x", "http://1.2.3.4/x"),
    ("http://[::1]:80/", "http://[::1]:80/"), ("https://example.com。", "https://example.com"),
    ("https://zh.wikipedia.org/wiki/三体_（小说）", "https://zh.wikipedia.org/wiki/三体_（小说）"),
    ("httpſ://a.com", "https://a.com"),
]  # fmt: skip
NO_URLS = [
    "", "abc", "http://", "javascript:alert(1)", "mailto:a@b.com", "a@b.com", "file:///etc", "report.docx", "1.5",
    "1.2.3.4", "http://300.1.1.1", "www.x", "e.g.", "http://[..]", "https://a b.com", "https://a.com/x\ty",
    "https://a.com/\x00", "example.com:99999", "-a.com", "https://a.com，请访问",
]  # fmt: skip

OPTIONS = ("高", "Ｍid level", "low", "LOW")
CHOICES = [("高", "高"), (" mid  LEVEL ", "Ｍid level"), ("Low", "low"), ("ｌｏｗ", "low")]

FITTING = [
    *(("number", text, value) for text, value in NUMBERS),
    *(("money", text, {"amount": amount, "currency": currency}) for text, amount, currency in MONEY),
    *(("date", text, value) for text, value in DATES),
    *(("phone", text, value) for text, value in PHONES),
    *(("email", text, value) for text, value in EMAILS),
    *(("url", text, value) for text, value in URLS),
    *(("list", text, value) for text, value in CHOICES),
    *(("regex", text, text) for text in ("AB-12", "xy-0")),
]
UNFIT = [
    *(("number", text, "not_a_number") for text in NO_NUMBERS),
    *(("money", text, "not_money") for text in NO_MONEY),
    *(("date", text, code) for code, texts in NO_DATES.items() for text in texts),
    *(("phone", text, "not_a_phone") for text in NO_PHONES),
    *(("email", text, "not_an_email") for text in NO_EMAILS),
    *(("url", text, "not_a_url") for text in NO_URLS),
    *(("list", text, "not_in_list") for text in ("", "中", "lo w", "mid", "high")),
    *(("regex", text, "not_matching") for text in ("", "AB-", "AB-12 ", "see AB-12", "AB-12\n")),
]


def field(kind: Any) -> FieldSpec:
    return FieldSpec("f", type=kind, options=OPTIONS, pattern=r"(?i)[a-z]{2}-\d+")


@pytest.mark.parametrize(("kind", "text", "expected"), FITTING)
def test_a_value_that_fits_has_its_meaning(kind: str, text: str, expected: Any) -> None:
    typed = type_value(text, field(kind))
    assert typed is not None
    assert (typed.value, typed.problem) == (expected, "")
    assert type(typed.value) is type(expected)


@pytest.mark.parametrize(("kind", "text", "code"), UNFIT)
def test_a_value_that_does_not_fit_says_why(kind: str, text: str, code: str) -> None:
    typed = type_value(text, field(kind))
    assert typed is not None
    assert typed.value is None
    assert isinstance(typed.problem, Phrase)
    assert typed.problem.code == code


def test_plain_text_has_no_other_meaning() -> None:
    assert type_value("12", field("text")) is None


def test_the_tables_are_about_every_type() -> None:
    assert {kind for kind, _, _ in FITTING} == {kind for kind, _, _ in UNFIT} == set(TYPES) - {"text"}


def test_whole_numbers_are_exact() -> None:
    for cents in range(1, 1000):
        typed = type_value(f"{cents / 100:.2f}亿", field("number"))
        assert typed is not None
        assert (typed.value, type(typed.value)) == (cents * 10**6, int)


# The clock and the place.


def test_dates_ask_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoClock(date):
        @classmethod
        def today(cls) -> NoReturn:
            raise AssertionError("the clock was asked")

        @classmethod
        def fromtimestamp(cls, timestamp: float, /) -> NoReturn:
            raise AssertionError("the clock was asked")

    monkeypatch.setattr(dates, "date", NoClock)
    for text, value in DATES:
        assert dates.read_date(text).value == value
    for text in chain.from_iterable(NO_DATES.values()):
        assert dates.read_date(text).value is None


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its time zone")
@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles"])
def test_the_time_zone_changes_nothing(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        found = [type_value(text, field(kind)) for kind, text, _ in FITTING]
    time.tzset()
    assert found == [type_value(text, field(kind)) for kind, text, _ in FITTING]


def test_the_libraries_wait_until_they_are_needed() -> None:
    slow = {"cn2an", "phonenumbers", "email_validator", "regex"}
    code = f"import sys, engine.text.values; print(sorted({slow} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


# Any text at all.

FRAGMENTS = [text for _, text, _ in (*FITTING, *UNFIT)]
ODD = (
    "\ud800\udfff\x00\x1f\u200b\u202e\ufeffİıſKﷺ½²①٣०😀\u0301"
    + "元年月日点半百万亿千零一十$¥€@.:/,-+() \t\n%eTZkm0123456789"
)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(st.sampled_from(ODD), max_size=40),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(st.sampled_from(ODD), max_size=3)), max_size=4).map("".join),
)


@given(TEXTS, st.sampled_from(TYPES))
def test_no_text_makes_it_fail(text: str, kind: str) -> None:
    typed = type_value(text, field(kind))
    assert typed == type_value(text, field(kind))
    if kind == "text":
        assert typed is None
        return
    assert typed is not None
    assert (typed.value is None) == bool(typed.problem)
    assert json.loads(json.dumps(typed.value, allow_nan=False)) == typed.value


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15).map(lambda value: round(value, 3))
)
def test_a_number_with_separators_is_itself(value: float) -> None:
    typed = type_value(f"{value:,.3f}", field("number"))
    assert typed is not None
    assert isinstance(typed.value, int | float)
    assert math.isclose(typed.value, value, rel_tol=1e-15)


@given(st.dates())
def test_a_date_is_itself_in_every_form(day: date) -> None:
    forms = (f"{day.year:04}年{day.month}月{day.day}日", f"{day:%d %B} {day.year:04}", f"{day:%b %d}, {day.year:04}")
    for text in (day.isoformat(), *forms):
        typed = type_value(text, field("date"))
        assert typed is not None
        assert typed.value == day.isoformat()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(
    "piece", ["1", "一", "十", "1,", "1.", "(", "a@", "a.", "https://", "万", "the ", "Mon ", "9e9", "ﷺ", "\ud800"]
)
def test_ten_thousand_characters_are_no_harm(kind: str, piece: str) -> None:
    text = (piece * 10_000)[:10_000]
    typed = type_value(text, field(kind))
    assert typed is None or typed.value is None


def test_a_text_that_unfolds_is_measured_twice() -> None:
    assert plain("ﷺ" * 11) != ""
    assert plain("ﷺ" * 12) == ""


# Patterns.


@pytest.mark.parametrize(
    "pattern", ["", r"\d{4}-\d{2}", r"\p{Han}+", r"(?!000)\d{3}", r"(?P<a>.)(?P=a)", r"[A-Z]{2}(\d{3}\.){3}"]
)
def test_a_good_pattern_has_no_complaint(pattern: str) -> None:
    assert check_pattern(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("(", "missing )"),
        ("[z-a]", "bad character range"),
        ("*", "nothing to repeat"),
        (r"\L<x>", "undefined named list"),
        ("(?u)(?a)x", "incompatible"),
        ("a{99999999999}", "longer than 300"),
    ],
)
def test_a_faulty_pattern_is_complained_about(pattern: str, complaint: str) -> None:
    assert complaint in str(check_pattern(pattern))
    typed = type_value("a", FieldSpec("f", type="regex", pattern=pattern))
    assert typed is not None
    assert getattr(typed.problem, "code", "") == "bad_pattern"


@pytest.mark.parametrize(
    "pattern",
    ["x" * 5000, "(?:(?:(?:x{60000}){60000}){60000})", "(?:x{60000}){60}", "(?:" * 20 + "a" + ")+" * 20, "(?x)(a) {9}",
     "(?:a)(?#c){9}", "(?:" * 140 + "a" + ")" * 140 * 2],
)  # fmt: skip
def test_a_pattern_that_would_take_the_memory_is_never_compiled(pattern: str) -> None:
    assert getattr(check_pattern(pattern), "code", "") == "pattern_too_large"


def test_a_deep_pattern_is_refused_and_not_a_crash() -> None:
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(400)
        assert getattr(check_pattern("(" * 140 + "b" + ")" * 140), "code", "") == "pattern_too_large"
    finally:
        sys.setrecursionlimit(limit)


def test_a_match_that_hangs_is_stopped() -> None:
    typed = type_value("a" * 10_000, FieldSpec("f", type="regex", pattern="(?:a+)+b"))
    assert typed is not None
    assert getattr(typed.problem, "code", "") == "bad_pattern"


@given(
    st.text(st.sampled_from("()[]{}|*+?.^$\\abwdpLRPVx<>=!:,0159&#- 中"), max_size=30), st.text("ab中 ", max_size=20)
)
def test_no_pattern_makes_it_fail(pattern: str, text: str) -> None:
    typed = type_value(text, FieldSpec("f", type="regex", pattern=pattern))
    assert typed is not None
    assert typed.value in (None, text)
    assert (check_pattern(pattern) is None) or getattr(typed.problem, "code", "") == "bad_pattern"
