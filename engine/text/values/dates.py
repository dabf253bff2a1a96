"""Dates as ISO 8601, from what is written alone: no clock, locale or time zone has a say.

A part that is not given is left out: 2024, 2024-05, --05-03 (5月3日), --05 (5月). A time of day follows its date
(2024-05-03T12:30, with seconds and offset where they are given). 05/03/2024 and 24年5月3日 can be read in two ways and
are not decided; yesterday and 去年 depend on a day that is not known. Weekdays are read over, lunar dates, quarters,
decades and ranges are not read. 民国113年 is 2024.
"""

import re
from datetime import date, time
from itertools import permutations

from engine.messages import Phrase
from engine.text.values.numerals import chinese_integer
from engine.text.values.plain import plain
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
    r"(?P<either>[0-9]{1,2})(?P<sep>[-/.])(?P<other>[0-9]{1,2})(?P=sep)(?P<y>[0-9]{4})",
    r"(?P<either>[0-9]{1,2})/(?P<other>[0-9]{1,2})",
    # English
    rf"{_NAME}{_GAP}{_DAY}(?:[\s,.\-/']+{_YEAR})?",
    rf"{_DAY}{_GAP}(?:of\s+)?{_NAME}(?:{_GAP}{_YEAR})?",
    rf"{_NAME}{_GAP}(?:of\s+)?(?P<y>[0-9]{{4}})",
    rf"(?P<y>[0-9]{{4}}){_GAP}{_NAME}(?:{_GAP}{_DAY})?",
]
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
_BEFORE = rf"(?:(?:on|in|the)\s+|{_WEEKDAY}[\s,.]*)*"
_AFTER = rf"(?:\s*\(?(?:(?:星期|周|礼拜)[1-6一二三四五六日天]|{_WEEKDAY})\)?)?"
_HALF_DAY = "(?P<half>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上)"
_TIME = (
    rf"(?:(?:[T\s,]+(?:at\s+)?|(?<=[日号)])|(?=[凌清早上中下傍晚])){_HALF_DAY}?\s*(?P<hour>[0-9]{{1,2}})"
    r"(?:(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<fraction>\.[0-9]{1,9})?)?)?\s*(?P<meridiem>[ap]\.?m\.?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?"
    r"|[点时](?:整|(?P<past>半)|(?P<minute_zh>[0-9]{1,2})分?(?:(?P<second_zh>[0-9]{1,2})秒)?)?))?"
)
_DATES = [re.compile(f"{_BEFORE}{form}{_AFTER}{_TIME}", re.IGNORECASE) for form in _FORMS]
