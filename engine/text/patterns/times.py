"""Times of day (12:30, 上午9点, 9:30am, noon) and spans of time (3年, 18 months, 两个小时).

A time's date is found apart from it. A span that ends in 前, 后 or ago is a date (`engine.text.patterns.dates`).
Lone 上午 and evening, 几年 and 一天 in prose, and times without a mark (at seven, 7 o' the clock) are not found.
"""

import re

from engine.text.patterns.numerals import DASH, DIGITS, ENGLISH, START, ZH, ZH_DIGIT
from engine.text.patterns.rules import ANY_CASE, Rule, needing, rule, value

_HOUR = "(?:2[0-4]|1[0-9]|0?[0-9])"
_HOUR_ZH = "(?:二十[一二三四]?|十[一二三四五六七八九]?|[一二两三四五六七八九零〇])"
_PERIOD = (
    r"(?:凌晨|清晨|清早|早上|早晨|早间|上午|中午|正午|午后|下午|傍晚|晚上|晚间|午夜|深夜|夜间|夜里|半夜|北京时间"
    r"|(?<=[0-9日号天])早|(?<![今明昨当])[早晚])\ ?"
)
_MINUTE = r"(?:[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?|[零〇][一二三四五六七八九])"
_PAST = rf"(?:\ ?(?:{_MINUTE}分(?!钟)(?:[0-9]{{1,2}}秒)?|[0-5][0-9](?![0-9.分])|半|整|[一三]刻|钟整?))"
_OTHER = r"(?![建意要原理说内问体看不共心启感优缺希改注措经])"
"""What is counted in points: 三点建议."""
_SCORE = (
    r"(?<!比分)(?<!比例)(?<!比)(?<!ratio\ )(?<!scale\ )(?<!Genesis\ )(?<!John\ )(?<!Luke\ )(?<!Mark\ )"
    r"(?<!Matthew\ )(?<!Psalm\ )"
)
_AM = r"(?:[ap]\.\ ?m\.|[AP]\.M\.|[ap]m|[AP]M)(?![A-Za-z])"
_ZONE = (
    r"(?:\ ?(?:UTC|GMT|CST|EST|EDT|PST|PDT|CET|BST|ET|PT|Z)(?![A-Za-z])(?:[+-][0-9]{1,2}(?::?[0-9]{2})?)?"
    r"|(?<=:[0-9]{2}:[0-9]{2})[+-][01][0-9]:?[0-5][0-9](?![0-9]))?"
)

_TIMES = [
    rule("time", "clock",
         rf"(?<![0-9A-Fa-f:.])(?<![0-9A-Za-z]-)(?:(?<![A-Za-z])|(?<=[0-9]T)){_SCORE}(?:{_PERIOD})?"
         rf"{_HOUR}:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{{1,9}})?)?(?![0-9]|:[0-9A-Fa-f]|\.[0-9]|%)(?:\ ?{_AM})?"
         rf"{_ZONE}", needs="digit"),
    rule("time", "clock after a dash",
         rf"(?<=[0-9]-){_HOUR}:[0-5][0-9](?::[0-5][0-9])?(?![0-9]|:[0-9A-Fa-f]|\.[0-9]|%)(?:\ ?{_AM})?", needs="digit"),
    rule("time", "am or pm", rf"(?<![0-9A-Za-z:.,$¥€£-])(?:1[0-2]|0?[1-9])(?:[:.][0-5][0-9])?\ ?{_AM}", needs="latin"),
    rule("time", "am or pm span",
         rf"(?<![0-9A-Za-z:.,$])(?:1[0-2]|0?[1-9])\ ?[-–—]\ ?(?:1[0-2]|0?[1-9])\ ?{_AM}", needs="latin"),
    rule("time", "part of day and hour",
         rf"{_PERIOD}(?:{_HOUR}|{_HOUR_ZH})\ ?[点时](?!候|期|代|常){_PAST}?(?:许|左右)?(?<!左右)", needs="han"),
    rule("time", "hour in digits and minutes", rf"(?<![0-9A-Za-z.:,]){_HOUR}\ ?[点时]{_PAST}", needs="han"),
    rule("time", "hour in digits",
         rf"(?<![0-9A-Za-z.:,涨跌升降得扣第共这提有{ZH}]){_HOUR}(?:点(?![0-9])|时(?!间|代|期|段|区|长|候|常|速|效"
         rf"|辰|不|装|差))许?{_OTHER}(?![{ZH}])", needs="han"),
    rule("time", "hour in words",
         rf"(?<![{ZH}0-9有第这])(?:{_HOUR_ZH}点(?:{_MINUTE}分(?!钟)|半|整|钟|[一三]刻)"
         rf"|零[点时](?![几一二三四五六七八九0-9]))", needs="han"),
    rule("time", "hours span",
         rf"(?<![0-9A-Za-z.:,{ZH}])(?:{_PERIOD})?{_HOUR}{DASH}{_HOUR}\ ?[点时](?!间|代|期){_OTHER}", needs="han"),
    rule("time", "name", r"(?:正午|午夜|中午)(?!12|十二)|(?<![A-Za-z-])(?:noon|midnight)(?![A-Za-z-])"),
    rule("time", "o'clock",
         r"(?<![0-9A-Za-z-])(?:1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
         r"\ o'?clock\b", None, ANY_CASE, needs="latin"),
    rule("time", "past and to",
         r"(?<![0-9A-Za-z-])(?:half|(?:a\ )?quarter|five|ten|twenty|twenty-five)\ (?:past|to)\ (?:one|two|three"
         r"|four|five|six|seven|eight|nine|ten|eleven|twelve|1[0-2]|[1-9])(?![0-9A-Za-z-])(?!\ (?:percent|years"
         r"|days|people|thousand|hundred|million))",
         lambda match: " past " in match[0] or "quarter" in match[0], ANY_CASE, needs="latin"),
]  # fmt: skip

_NOT_A_DATE = r"(?!\ ?[多余]?[之以]?(?:前|后(?![续台]))(?!提))"
_UNITS_ZH = (
    r"(?:个?半?(?:小时|钟头)半?|个半月|个(?:多)?(?:月|星期|礼拜|季度|世纪|工作日|交易日|自然日|昼夜|学期|周)(?!饼"
    r"|球)|(?:工作日|交易日|自然日)"
    r"|年半?(?![级代报初底末度岁费轻薪轮检])|天半?(?![然气才真使空地下线堂体涯花津])|周(?![岁年边末围日刊报])|星期"
    r"|分钟|秒钟?(?!杀)|(?<=[0-9])月余|分(?=[0-9]{1,2}秒)|昼夜|载(?!体|重|荷)|晚(?![上饭会餐间年])|夜(?![里晚间市])"
    r"|刻钟|代人|世纪)"
)
_COUNT_ZH = (
    rf"(?:(?<!第){START}{DIGITS}(?:\ ?[万亿])?|(?<![{ZH}第几数])(?!一[年天日]|[百千万亿]年)[{ZH}]{{1,8}}(?<![〇零])"
    rf"|半(?!天))\ ?[多余来]?"
)
_IN_PROSE = r"(?<![这那哪头每])"


def _is_span(match: re.Match[str]) -> bool:
    """Not a year: 2023年, 二〇二三年, 08年."""
    found = value(match)
    return (
        re.match(rf"[12][0-9]{{3}}\ ?年|0[0-9]|[{ZH}]?[零〇]|[一二][{ZH_DIGIT}]{{3}}年|[十百千万亿]?[万亿]", found)
        is None
    )


_DURATIONS = [
    rule("duration", "chinese",
         rf"{_IN_PROSE}(?<!公元)(?<!公元前)(?<![上下前后整大])(?<!半[年个])"
         rf"{_COUNT_ZH}{_UNITS_ZH}(?:零?{_COUNT_ZH}{_UNITS_ZH}){{0,3}}"
         rf"(?:(?<=小时)[0-9]{{1,2}}分(?!钟))?(?:[0-9]{{1,2}}晚)?"
         rf"{_NOT_A_DATE}(?![0-9一二三四五六七八九十]{{1,2}}月)",
         _is_span, needs="han"),
    rule("duration", "chinese span",
         rf"(?<![0-9A-Za-z.])(?:{DIGITS}{DASH}{DIGITS}|(?<![{ZH}])[{ZH}]{{1,4}}[到至][{ZH}]{{1,4}})"
         rf"\ ?{_UNITS_ZH}{_NOT_A_DATE}", needs="han"),
    rule("duration", "one",
         r"(?:(?<=为期)|(?<=历时)|(?<=耗时)|(?<=需要)|(?<=花了)|(?<=用了)|(?<=用时)|(?<=工期)|(?<=有效期)|(?<=不到)"
         r"|(?<=超过)|(?<=满)|(?<=长达)|(?<=期限)|(?<=限)|(?<=保修)|(?<=质保)|(?<=试用)|(?<=了))[一壹](?:年半?"
         r"|天半?)(?![度四级之到又的])" + _NOT_A_DATE),
    rule("duration", "minutes and seconds",
         r"(?<![0-9A-Za-z.:点时])[0-9]{1,3}分[0-9]{1,2}(?:\.[0-9]{1,3})?秒[0-9]{0,2}"),
    rule("duration", "seconds",
         r"(?<![0-9A-Za-z.:,分])[0-9]{1,6}(?:\.[0-9]{1,4})?\ ?(?:秒[0-9]{2}(?![0-9])|秒钟?|毫秒|微秒|纳秒)(?!杀)"),
]  # fmt: skip

_KIND = (
    r"(?:more\ |full\ |whole\ |business\ |working\ |consecutive\ |straight\ |calendar\ |additional\ |long\ |light[ -])?"
)
_UNITS = (
    r"(?:years?|yrs?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|nights?|decades?|centur(?:y|ies)|"
    r"quarters|semesters?|milliseconds?|microseconds?|fortnights?)(?![A-Za-z0-9_]|\.[A-Za-z])"
)
_NOT_OLD = r"(?!'?[\ -](?:olds?|ago|later|earlier|from\ now|before|after)\b)"
_COUNT = rf"(?:{START}{DIGITS}|{ENGLISH}|(?<![A-Za-z0-9-])one)"
_ENGLISH = [
    rule("duration", "english",
         rf"(?:{_COUNT}(?:\ ?[-–]\ ?[0-9]{{1,4}}|\ to\ (?:[0-9]{{1,4}}|{ENGLISH})|\ and\ a\ half)?)(?:[\ -]?)"
         rf"(?!light){_KIND}{_UNITS}"
         rf"(?:(?:\ and\ |,?\ )(?:{DIGITS}|{ENGLISH})[\ -]?{_UNITS}){{0,3}}{_NOT_OLD}",
         lambda match: match[0].casefold() != "one second" and "light" not in match[0], ANY_CASE, needs="latin"),
    rule("duration", "half",
         rf"(?<![A-Za-z0-9-])(?:half\ an\ hour|half\ a\ (?:day|year|century|decade)|an\ hour\ and\ a\ half"
         rf"|a\ year\ and\ a\ half|a\ (?:fortnight|decade)){_NOT_OLD}(?![A-Za-z])", None, ANY_CASE, needs="latin"),
    rule("duration", "article",
         rf"(?<![A-Za-z])(?:for|within|lasted|lasting|lasts|takes?|took|about|nearly|almost|over)"
         rf"\ (?P<value>an?\ (?:hour|minute|day|week|month|year|century)){_NOT_OLD}(?![A-Za-z-])(?!\ (?:of|or)\b)",
         None, ANY_CASE, needs="latin"),
    rule("duration", "letters",
         r"(?<![0-9A-Za-z.:])[0-9]{1,3}h\ ?(?:[0-9]{1,2}m(?:in)?)?\ ?(?:[0-9]{1,2}s)?(?<!\ )(?![0-9A-Za-z])",
         needs="latin"),
]  # fmt: skip
RULES: list[Rule] = [*needing("any", _TIMES), *needing("han", _DURATIONS), *needing("latin", _ENGLISH)]
