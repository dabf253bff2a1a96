"""Dates as Chinese writes them, and dates in digits: days, months, years, quarters, decades, weekdays, 昨天, 三天前.

Each end of a range is a date of its own, unless both share a unit (2019-2021年, 5月3-5日). Lunar days but 初一 and the
like, names of festivals and reigns, years of two digits alone (98年) and times of day are not found here; months and
days are not checked against each other but in digits.
"""

import re
from datetime import date

from engine.text.patterns.numerals import DASH, ZH, ZH_DIGIT
from engine.text.patterns.rules import Rule, needing, rule

_TO = DASH
_M = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_D = r"(?:3[01]|[12][0-9]|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[一二三四五六七八九])"
_ZH_YEAR = rf"[一二][{ZH_DIGIT}]{{3}}"
_NOT_IN = rf"(?<![0-9A-Za-z_.{ZH}])"
_PERIOD = (
    r"(?:上半年|下半年|年初|年中|年底|年末|[春夏秋冬][季天]?(?!装|款|训|令|游|运|粮)|[初末底中](?!国|学|心|期|央"
    r"|级|考|标|医|外))"
)
_MONTH_PERIOD = r"(?:[上中下]旬|[初末底](?!级))"
_QUARTER = r"(?:第?[一二三四1-4]季度?|前[一二三]季度|Q[1-4](?![0-9A-Za-z])|[上下]半年)"
_MONTH = rf"(?:{_M}|正|腊)\ ?月份?(?![球亮饼薪嫂])"
_WEEKDAY = r"(?:\ ?\(?(?:周|星期|礼拜)[一二三四五六日天]\)?)?"
_DAY = rf"{_D}\ ?[日号](?![线楼院店馆门机令])"

_YEAR = rf"(?:公元前?\ ?[0-9]{{1,4}}|民国[0-9]{{1,3}}|民国元|[12][0-9]{{3}}|{_ZH_YEAR})\ ?年"
_SHORT_YEAR = rf"(?:[0-9]{{2,3}}|[{ZH_DIGIT}]{{2}})年"
_THIS_YEAR = "(?:今年|明年|去年|前年|后年|当年|同年|次年)"

_FORMS = [
    rule(
        "date", "year and what follows",
        rf"{_NOT_IN}(?<![A-Za-z0-9]-)(?:{_YEAR}|{_SHORT_YEAR}(?=\ ?{_MONTH}))(?!的?历史|来的|级|版)"
        rf"(?:\ ?(?:{_MONTH}(?:\ ?(?:{_DAY}{_WEEKDAY}|初[一二三四五六七八九十]|{_MONTH_PERIOD}))?|{_PERIOD}"
        rf"|{_QUARTER}|度(?!假|过)))?",
    ),
    rule("date", "early year of the century", rf"{_NOT_IN}(?<![第近])(?:0[0-9]|[零〇][一二三四五六七八九])年(?!级)"),
    rule(
        "date", "year in words and what follows",
        rf"{_THIS_YEAR}(?:\ ?(?:{_MONTH}(?:{_DAY}|{_MONTH_PERIOD})?|[初底末]|[春夏秋冬][季天]?|{_QUARTER}))?(?!龄)",
    ),
    rule(
        "date", "month and day",
        rf"(?<![0-9A-Za-z_.{ZH}个每])(?:农历|阴历)?{_MONTH}\ ?(?:{_DAY}{_WEEKDAY}|初[一二三四五六七八九十]"
        rf"|{_MONTH_PERIOD})",
    ),
    rule(
        "date", "month",
        rf"(?<![0-9A-Za-z_.{ZH}个每第数几满近头前])(?:农历|阴历)?{_MONTH}(?!经血|余)",
    ),
    rule(
        "date", "year span",
        rf"{_NOT_IN}(?<![A-Za-z0-9]-)(?:[12][0-9]{{3}}{_TO}(?:[12][0-9]{{3}}|[0-9]{{2}})|{_ZH_YEAR}{_TO}{_ZH_YEAR})"
        r"年(?:间|度)?",
    ),
    rule(
        "date", "month span",
        rf"(?<![0-9A-Za-z_.{ZH}])(?:{_YEAR}\ ?|{_THIS_YEAR})?{_M}{_TO}{_M}月份?",
    ),
    rule(
        "date", "day span",
        rf"(?<![0-9A-Za-z_.{ZH}])(?:{_YEAR}\ ?|{_THIS_YEAR})?(?:{_M}\ ?月\ ?)(?:{_D}{_TO}{_D}|{_D}、{_D})[日号]",
    ),
    rule(
        "date", "day of the month",
        rf"(?<![0-9A-Za-z_.,:/{ZH}第近前后每共历时需约\-~–—])(?:3[01]|[12][0-9]|0?[1-9])日"
        r"(?![游内元均行本志语餐线圆用间报程])(?![之以]?后|、)",
    ),
    rule(
        "date", "day after a range",
        r"(?<=[至到])(?:3[01]|[12][0-9]|[1-9])[日号](?![线楼院店馆门机游])",
    ),
    rule("date", "numbered day", r"(?:[本上下当这]个?月|每月)[0-9]{1,2}[号日]"),
    rule("date", "first days", r"(?<=农历|阴历|大年|正月|腊月)初[一二三四五六七八九十]"),
    rule(
        "date", "decade",
        r"(?:上?(?:个)?世纪|[12][0-9]世纪|[一二]?十[一二三四五六七八九]?世纪|本世纪)?"
        r"(?<![0-9A-Za-z.])(?:(?:[1-9]0|(?:19|20)[0-9]0)|[二三四五六七八九]十)年代(?:初期?|中期?|末期?|后期|前期)?",
    ),
    rule(
        "date", "century",
        rf"{_NOT_IN}(?:公元前?)?(?:[1-9]|1[0-9]|2[0-2]|二?十[一二三四五六七八九]?)世纪(?:初期?|中期|中叶|末期?"
        rf"|后期|前期|上半叶|下半叶)?"
        r"|(?<![0-9])上个?世纪(?:初|末|中期)?",
    ),
    rule("date", "quarter",
         rf"(?<![0-9A-Za-z{ZH}])(?:第[一二三四1-4]季度|[一二三四1-4]季度|前[一二三]季度|[上下本]季度)"),
    rule(
        "date", "quarter in capitals",
        r"(?<![0-9A-Za-z])Q[1-4](?=\ ?(?:营收|净|财报|收入|业绩|季度|利润|同比|销量|出货))",
    ),
]  # fmt: skip

_UNITS = "(?:天|日|周|月|年|小时|分钟|星期|礼拜|世纪|个工作日|个季度)"
_COUNT = rf"(?:[0-9]{{1,4}}|[{ZH}]{{1,6}}|几|数|多|半|若干)(?:[余多来])?\ ?个?半?"
_RELATIVE = [
    rule(
        "date", "day in words",
        r"(?:今[天日](?!头条)|今[早晚晨夜夏春秋冬]|明[日早晚](?!星|之星|报|显)|明天|昨[天日晚夜](?!黄花)|大?前天"
        r"|大?(?<!先)后天"
        r"(?![形培养努教习因性失发获]|的努力)|当[天晚日](?!真)|[翌次同]日|次[晨年](?!级)|同[年月](?!级|龄)|日前"
        r"|近日(?!点)|近期)"
        r"(?<!目前)(?<!节日前)(?<![0-9]日前)(?<!生日前)(?<!假日前)(?<!工作日前)(?<!末日前)(?<!即日前)",
    ),
    rule("date", "this and that",
         rf"(?<![{ZH}0-9个])(?:[本下](?:个)?月(?![薪票])|上个?月(?!球)|这个?月(?!球)|本年(?!级)度?"
         rf"|[本上下这]个?(?:周|星期|礼拜))(?:(?<=[周期拜])[一二三四五六日天末](?![天次个年])|(?<=月)[初底末])?"
         rf"(?![刊报期围])"),
    rule("date", "end of a period",
         r"(?<![0-9年月一二三四五六七八九十])(?:月[底末初]|年[底末初](?!级)|年中(?!国|学|期)|岁末)(?![0-9])"),
    rule(
        "date", "weekday",
        r"(?<![一二三四五六七八九十0-9个两几数本上下这])(?:周[一二三四五六日末]|星期[一二三四五六日天]"
        r"|礼拜[一二三四五六日天])"
        r"(?![天次个年期遍回圈岁福家围些益])(?!口店)",
    ),
    rule(
        "date", "before or after now",
        rf"(?<![0-9A-Za-z.第{ZH}几数]){_COUNT}{_UNITS}[之以]?(?:前|后(?![台续者天]))(?![后提端])",
        lambda match: not re.match(rf"[12][0-9]{{3}}年|{_ZH_YEAR}年|[0-9]{{1,2}}[日月]|[{ZH}]{{1,3}}[月日]", match[0]),
    ),
    rule(
        "date", "last years",
        rf"(?:(?<![接附靠临])近|最近|过去|未来|今后)的?(?:这)?{_COUNT}{_UNITS}(?:多|来|间|内|里)?(?![前后])"
        rf"|(?<![接附靠临最])近年来?|近些年",
        lambda match: not re.search(r"[0-9]{4}年", match[0]),
    ),
]  # fmt: skip


# Digits

_LEFT = r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z][-./:])"
_RIGHT = r"(?![0-9A-Za-z_]|[-/.][0-9])"


def _is_day(match: re.Match[str]) -> bool:
    return _exists(int(match["y"]), int(match["m"]), int(match["d"]))


def _is_either_day(match: re.Match[str], century: int) -> bool:
    """With the day or the month first."""
    year, one, two = century + int(match["y"]), int(match["d"]), int(match["m"])
    return _exists(year, two, one) or _exists(year, one, two)


def _exists(year: int, month: int, day: int) -> bool:
    try:
        return bool(date(year, month, day)) and 1000 <= year < 2200
    except ValueError:
        return False


def _is_spanned(match: re.Match[str]) -> bool:
    """2016.09 is a month only beside the other end of a range: alone it is as likely a decimal."""
    after, before = match.string[match.end() : match.end() + 4], match.string[max(0, match.start() - 6) : match.start()]
    return bool(
        re.match(r"\s?[-~–—至到]", after)
        or re.search(r"(?:[0-9]{2}\s?[-~–—至到]\s?|(?:年月|日期|时间|出生|毕业|入学|入职)[:\s]{0,2})$", before)
    )


_SPAN_LEFT = r"(?<![0-9A-Za-z_])(?:(?<![0-9A-Za-z][-./:])|(?<=[0-9][-]))"
_IN_DIGITS = [
    rule(
        "date", "year first",
        rf"{_LEFT}(?P<y>[12][0-9]{{3}})(?P<gap>\ ?[-/.]\ ?)(?P<m>1[0-2]|0?[1-9])(?P=gap)(?P<d>3[01]|[12][0-9]|0?[1-9])"
        rf"(?:(?=T[0-9]{{2}}:)|{_RIGHT}|(?=[-/][12][0-9]{{3}}[-/.])){_WEEKDAY}",
        _is_day,
    ),
    rule(
        "date", "year last",
        rf"{_LEFT}(?P<d>[0-9]{{1,2}})(?P<gap>[-/.])(?P<m>[0-9]{{1,2}})(?P=gap)(?P<y>(?:19|20)[0-9]{{2}}){_RIGHT}",
        lambda match: _is_either_day(match, 0),
    ),
    rule(
        "date", "short year last",
        rf"{_LEFT}(?P<d>[0-9]{{1,2}})/(?P<m>[0-9]{{1,2}})/(?P<y>[0-9]{{2}}){_RIGHT}",
        lambda match: _is_either_day(match, 2000),
    ),
    rule("date", "year and month", rf"{_LEFT}(?:19|20)[0-9]{{2}}(?:-(?:0[1-9]|1[0-2])|/(?:0?[1-9]|1[0-2])){_RIGHT}"),
    rule(
        "date", "months of a range",
        rf"{_SPAN_LEFT}(?:19|20)[0-9]{{2}}[./](?:0?[1-9]|1[0-2])(?![0-9A-Za-z_]|[./][0-9])", _is_spanned,
    ),
    rule(
        "date", "eight digits",
        r"(?<![0-9A-Za-z_\-.+#*])(?P<y>(?:19|20)[0-9]{2})(?P<m>0[1-9]|1[0-2])(?P<d>[0-2][0-9]|3[01])"
        r"(?![0-9A-Za-z_\-.*])",
        _is_day,
    ),
    rule(
        "date", "before a time",
        rf"{_LEFT}(?:1[0-2]|0?[1-9])[-/](?:3[01]|[12][0-9]|0?[1-9])(?=\ (?:[01]?[0-9]|2[0-3]):[0-5][0-9])",
    ),
    rule(
        "date", "bare span of years",
        r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z][-./:,])(?:1[5-9]|20)[0-9]{2}\ ?[-–—~]\ ?(?:1[5-9]|20)"
        r"[0-9]{2}(?![0-9A-Za-z_元年])(?![-./,][0-9])(?!\ ?[%万])",
        lambda match: int(match[0][:4]) <= int(match[0][-4:]),
    ),
]  # fmt: skip
RULES: list[Rule] = [*needing("han", [*_FORMS, *_RELATIVE]), *needing("digit", _IN_DIGITS)]
