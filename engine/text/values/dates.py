"""Dates as ISO 8601, from what is written alone: no clock, locale or time zone has a say.

A part that is not given is left out: 2024, 2024-05, --05-03 (5月3日), --05 (5月). A time of day follows its date
(2024-05-03T12:30, with seconds and offset where they are given). 05/03/2024 and 24年5月3日 can be read in two ways and
are not decided; yesterday and 去年 depend on a day that is not known. Weekdays are read over, lunar dates, quarters,
decades and ranges are not read. 民国113年 is 2024.
"""

import re
from collections.abc import Iterator
from datetime import date, time
from functools import cache

from engine.messages import Phrase
from engine.text.values.numerals import chinese_integer
from engine.text.values.plain import ANY_CASE, plain
from engine.types import TypedValue

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_GAP = r"[\s,.\-/]*"
_DAY = r"(?P<d>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:(?P<y>[0-9]{4})|'?(?P<short>[0-9]{2}))"
_FORMS = [
    # Chinese
    r"(?:公元)?(?:(?P<y>[0-9]{3,4})|(?P<short>[0-9]{2})|民国(?P<republic>[0-9]{1,3}|元))年"
    r"(?:(?P<m>[0-9]{1,2})月份?(?:(?P<d>[0-9]{1,2})[日号]?)?)?",
    r"(?P<m>[0-9]{1,2})月份?(?:(?P<d>[0-9]{1,2})[日号]?)?",
    # digits
    r"(?P<y>[0-9]{4})(?:(?P<sep>[-/.])(?P<m>[0-9]{1,2})(?:(?P=sep)(?P<d>[0-9]{1,2}))?)?",
    r"(?P<y>[12][0-9]{3})(?P<m>[0-9]{2})(?P<d>[0-9]{2})",
    r"(?P<m>[0-9]{1,2})[-/](?P<y>[0-9]{4})",
    r"(?P<one>[0-9]{1,2})(?P<sep>[-/.])(?P<two>[0-9]{1,2})(?P=sep)(?:(?P<y>[0-9]{4})|(?P<three>[0-9]{2}))",
    r"(?P<one>[0-9]{1,2})/(?P<two>[0-9]{1,2})",
    # English
    rf"{_NAME}{_GAP}{_DAY}(?:[\s,.\-/']+{_YEAR})?",
    rf"{_DAY}{_GAP}(?:of\s+)?{_NAME}(?:{_GAP}{_YEAR})?",
    rf"{_NAME}{_GAP}(?:of\s+)?(?P<y>[0-9]{{4}})",
    rf"{_NAME}\s*'(?P<short>[0-9]{{2}})",
    rf"(?P<y>[0-9]{{4}}){_GAP}{_NAME}(?:{_GAP}{_DAY})?",
]
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
_WHOLE_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WEEKDAY_ZH = "(?:星期|周|礼拜)[1-6一二三四五六日天]"
_BEFORE = rf"(?:(?:on|in|the)\s+|{_WEEKDAY}[\s,.]*)*"
_AFTER = rf"(?:[\s,]*\(?(?:{_WEEKDAY_ZH}|{_WEEKDAY})\)?)?"
_TIME = (
    r"(?:(?:[T\s,]+(?:at\s+)?|(?<=[日号天)])|(?=[凌清早上中下傍晚]))"
    r"(?P<half>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上)?\s*(?P<hour>[0-9]{1,2})"
    r"(?:[点时](?:整|(?P<past>半)|(?P<minute_zh>[0-9]{1,2})分?(?:(?P<second_zh>[0-9]{1,2})秒)?)?"
    r"|(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<fraction>\.[0-9]{1,9})?)?|(?=\s*[ap]\.?m))"
    r"\s*(?P<meridiem>[ap])?(?(meridiem)\.?m\b\.?)\s*(?P<zone>Z|UTC|GMT|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?))?"
)
_NUMERAL = re.compile("[〇零○一二三四五六七八九十百廿]+(?=[年月日号点时分秒])")
_UNIT = r"(?:days?|week(?:end)?s?|months?|years?|quarters?|hours?|minutes?)"
_RELATIVE = re.compile(
    r"今[天日晚早晨年]|[明后昨前次翌同当][天日年早晚夜]|去年|[当同次]月|[本这](?:个?月|周|年|季度)|[上下]个?(?:月|周|星期|礼拜|季度)"
    r"|[个0-9一二两三四五六七八九十几半](?:天|日|周|月|年|小时|分钟|星期|礼拜)[之以]?[前后]|刚[才刚]|现在|目前|近[日期]|最近|日前"
    rf"|{_WEEKDAY_ZH}|\b(?:today|tonight|tomorrow|yesterday|now|recently|ago|{_WHOLE_WEEKDAY}"
    rf"|(?:last|next|this|past|previous|coming|following)\s+(?:\w+\s+)?(?:{_UNIT}|morning|afternoon|evening|night"
    rf"|spring|summer|autumn|fall|winter|{_WEEKDAY}|{'|'.join(_MONTHS)})|in\s+(?:\w+\s+){{1,3}}{_UNIT})\b",
    ANY_CASE,
)


def read_date(text: str) -> TypedValue:
    """The date a text is, as ISO 8601."""
    bare = _tidy(text)
    match = next(filter(None, (pattern.fullmatch(bare) for pattern in _patterns())), None)
    if match is None:
        return TypedValue(None, Phrase("date_relative" if _RELATIVE.search(bare) else "not_a_date"))
    given = {name: value for name, value in match.groupdict().items() if value}
    readings = set(filter(None, (_iso(*reading) for reading in _readings(given))))
    clock = _clock(given)
    if not readings or clock is None or (clock and not given.keys() & {"d", "one"}):
        return TypedValue(None, Phrase("not_a_date"))
    if len(readings) > 1 or _is_past_midnight(given):
        return TypedValue(None, Phrase("date_ambiguous"))
    return TypedValue(readings.pop() + clock)


@cache
def _patterns() -> list[re.Pattern[str]]:
    """Compiled at the first date: it takes a while."""
    return [re.compile(f"{_BEFORE}{form}{_AFTER}{_TIME}", ANY_CASE) for form in _FORMS]


def _tidy(text: str) -> str:
    """Plain, Chinese numerals before 年, 月, 日 and times as digits, no blanks inside a date of digits."""
    bare = re.sub(r"\s*([年月日号点时分])\s*", r"\1", plain(text))
    bare = re.sub(r"(?<=[0-9])\s*([-/.])\s*(?=[0-9])", r"\1", bare).rstrip(" .,;。、")
    return _NUMERAL.sub(lambda run: str(_number(run[0])), bare)


def _number(numeral: str) -> int | str:
    value = chinese_integer(numeral.replace("○", "〇"))
    return numeral if value is None else value


def _readings(given: dict[str, str]) -> Iterator[tuple[int | None, int | None, int | None]]:
    """Every (year, month, day) the text may mean; those that are no date among them."""
    month = _MONTHS.index(given["name"][:3].casefold()) + 1 if "name" in given else _int(given.get("m"))
    years = _years(given)
    if "one" not in given:
        yield from ((year, month, _int(given.get("d"))) for year in years)
        return
    one, two = int(given["one"]), int(given["two"])
    yield from ((year, *pair) for year in years for pair in ((one, two), (two, one)))
    if "three" in given:
        yield from ((year, two, int(given["three"])) for year in _centuries(one))


def _years(given: dict[str, str]) -> list[int | None]:
    if "republic" in given:
        return [1911 + (1 if given["republic"] == "元" else int(given["republic"]))]
    short = given.get("short", given.get("three"))
    return [_int(given.get("y"))] if short is None else _centuries(int(short))


def _centuries(short: int) -> list[int | None]:
    return [1900 + short, 2000 + short]


def _int(digits: str | None) -> int | None:
    return None if digits is None else int(digits)


def _iso(year: int | None, month: int | None, day: int | None) -> str | None:
    """The given parts as ISO 8601; None where there is no such day."""
    try:
        date(2000 if year is None else year, 1 if month is None else month, 1 if day is None else day)
    except ValueError:
        return None
    parts = [f"{part:02}" for part in (month, day) if part is not None]
    return "-".join(["-" if year is None else f"{year:04}", *parts])


def _is_past_midnight(given: dict[str, str]) -> bool:
    """晚上12点 and 晚上1点 may belong to the day that is named or to the next."""
    return given.get("half") == "晚上" and (int(given["hour"]) == 12 or int(given["hour"]) < 5)


def _clock(given: dict[str, str]) -> str | None:
    """The time of day from its T on, empty where none is given, None where there is no such time."""
    if "hour" not in given:
        return ""
    hour, half, meridiem = int(given["hour"]), given.get("half", ""), given.get("meridiem", "").casefold()
    if (half in ("下午", "傍晚", "晚上") or meridiem == "p" or (half == "中午" and hour < 10)) and hour < 12:
        hour += 12
    elif (half in ("凌晨", "清晨", "早上", "早晨", "上午") or meridiem == "a") and hour == 12:
        hour = 0
    minute = 30 if "past" in given else int(given.get("minute", given.get("minute_zh", 0)))
    second = given.get("second", given.get("second_zh"))
    try:
        time(hour, minute, int(second or 0))
    except ValueError:
        return None
    seconds = "" if second is None else f":{int(second):02}" + given.get("fraction", "")
    return f"T{hour:02}:{minute:02}{seconds}" + _offset(given.get("zone", ""))


def _offset(zone: str) -> str:
    """Z for UTC, +08:00 for +0800."""
    if zone[:1] not in ("+", "-"):
        return "Z" if zone else ""
    return f"{zone[:3]}:{zone[-2:]}"
