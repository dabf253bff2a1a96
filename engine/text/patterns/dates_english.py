"""Dates as English writes them: May 3, 2024, 3rd of May, Q3 2024, the 1990s, last Monday, two years ago.

A month's name alone is a date where a preposition or its capitals tell it from a word (may, march, august), a year of
four digits where something before or around it does. Names of holidays are not found.
"""

from engine.text.patterns.numerals import ENGLISH
from engine.text.patterns.rules import ANY_CASE, Rule, needing, rule

_LONG = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTH = (
    rf"(?:{_LONG}|{_LONG.upper()}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
    r"|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEPT?|OCT|NOV|DEC"
    r"|january|february|april|june|july|august|september|october|november|december)"
)
_SURE = "January|February|September|October|November|December|July"
_DAY = r"(?:3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?(?![0-9A-Za-z:]|[.,][0-9])"
_YEAR = r"(?:1[0-9]|20)[0-9]{2}(?![0-9A-Za-z])(?!,[0-9]{3})"
_SHORT = r"'[0-9]{2}(?![0-9A-Za-z])"
_WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_SHORT_DAY = r"(?:Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun)\b\.?"
_ON = rf"(?:(?:{_WEEKDAY}|{_SHORT_DAY}),?\ )?"
_B = r"(?<![0-9A-Za-z_'-])(?<![0-9][.,/])"
_SPAN = r"\ ?[-–—]\ ?"
_PART = "(?:(?:early|late|mid|Early|Late|Mid)[ -])?"
_SEASON = "(?:[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)"
_UNIT = "(?:day|night|week|weekend|month|quarter|season|year|decade|century)"
_PLURAL = "(?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?|quarters?|years?|decades?|centuries)"
_A_FEW = rf"(?:an?|one|two|few|several|(?:a\ )?(?:few|couple\ of)|many|[0-9]{{1,4}}(?:\.5)?|{ENGLISH})"

_NOT_A_COUNT = (
    r"(?!\ ?(?:%|percent|per\ cent|million|billion|thousand|dollars?|euros?|pounds|people|men|women|children|square|"
    r"cubic|miles?|km|kg|tons?|tonnes|feet|ft|meters|metres|mph|hp|yuan|calories|cc|rpm|"
    r"[a-z]{3,14}(?:[^sui\W]s)\b(?<!\bseries)(?<!\bdoes)))"
)
"""What follows a number of four digits that counts things: 2000 people, 1500 units."""
_YEAR_ALONE = rf"(?:1[5-9][0-9]{{2}}|20[0-9]{{2}})(?![0-9A-Za-z_%])(?![.,:/][0-9])(?!-[A-Za-z0-9]){_NOT_A_COUNT}"

_FORMS = [
    rule("date", "month day year", rf"{_B}{_ON}{_PART}{_MONTH}\ ?{_DAY}(?:(?:,\ ?|\ |\ of\ ){_YEAR}|,?\ ?{_SHORT})?"),
    rule("date", "day month year",
         rf"{_B}{_ON}(?:the\ )?(?P<value>{_DAY}(?:\ |-|\ of\ ){_MONTH}(?:,?[\ -](?:of\ )?{_YEAR}|,?\ ?{_SHORT})?)"
         rf"(?![A-Za-z0-9])"),
    rule("date", "day span", rf"{_B}{_ON}{_MONTH}\ {_DAY}{_SPAN}{_DAY}(?:,?\ {_YEAR})?"),
    rule("date", "day span month", rf"{_B}{_DAY}{_SPAN}{_DAY}\ (?:of\ )?{_MONTH}(?:,?\ {_YEAR})?(?![A-Za-z0-9])"),
    rule("date", "month year", rf"{_B}{_PART}{_MONTH}(?:,?\ |\ of\ |-){_YEAR}|{_B}{_MONTH}\ ?{_SHORT}"),
    rule("date", "lower case month year", rf"{_B}(?:may|march)\ (?:[0-9]{{1,2}}(?:st|nd|rd|th)?,\ )?{_YEAR}"),
    rule("date", "month span", rf"{_B}{_MONTH}{_SPAN}{_MONTH}(?:\ {_YEAR})?(?![A-Za-z0-9])"),
    rule("date", "month alone", rf"{_B}{_PART}(?:{_SURE})(?![A-Za-z0-9_'-]|\ [0-9])"),
    rule("date", "month after a word",
         r"(?<![A-Za-z])(?:[Ii]n|[Ss]ince|[Bb]y|[Uu]ntil|[Tt]ill|[Ff]rom|[Tt]hrough|[Dd]uring|[Bb]etween|[Bb]efore"
         r"|[Aa]fter|[Ee]very|to)\ "
         rf"(?P<value>{_PART}(?:{_LONG}))(?![A-Za-z0-9_'-]|\ (?:[0-9]|[A-Z]))"),
    rule("date", "part of a month",
         rf"{_B}(?:[Ee]arly|[Ll]ate|[Mm]id|[Ll]ast|[Nn]ext|[Tt]his)[ -](?:{_LONG})(?![A-Za-z0-9_'-])"),
    rule("date", "ordinal day",
         r"(?<![A-Za-z])[Oo]n\ the\ (?P<value>(?:[12]?[0-9]|3[01])(?:st|nd|rd|th))(?=[.,;!?\n]|$|\ of\ (?:this"
         r"|next|last|the|every)\ month)"),
    rule("date", "season year", rf"{_B}(?:{_PART}{_SEASON}(?:\ of)?,?\ {_YEAR})"),
    rule("date", "quarter",
         r"(?<![0-9A-Za-z])(?:[QH][1-4](?:\ of)?[,\ ]{1,2}(?:FY\ ?)?(?:20[0-9]{2}|'[0-9]{2})|(?:20[0-9]{2}"
         r"|FY[0-9]{2,4})[\ -]?[QH][1-4]|(?:FY|fiscal(?:\ year)?|Fiscal(?:\ Year)?)\ ?20[0-9]{2}"
         r"|FY[0-9]{2})(?![0-9A-Za-z])"),
    rule("date", "quarter alone",
         r"(?<![A-Za-z])(?:in|for|during|of|by|since|In|For|During)\ (?P<value>[QH][1-4])(?![0-9A-Za-z-])"),
    rule("date", "quarter in words",
         rf"{_B}(?:first|second|third|fourth|last|next|previous)(?:\ fiscal)?[ -](?:quarter|half)(?:(?:\ of)?"
         rf"\ {_YEAR}|\ of\ (?:this|last|next|the)\ year)"
         rf"|{_B}(?:first|second|third|fourth)(?:\ fiscal)?\ quarter(?!\ of\ (?!20|19|this|last|next|the\ (?:year"
         rf"|fiscal))|[a-z-]|\ final)", None, ANY_CASE),
    rule("date", "decade",
         rf"{_B}(?:(?:early|late|mid)[ -])?(?:(?:1[5-9]|20)[0-9]0s|'[2-9]0s)(?![0-9A-Za-z])", None, ANY_CASE),
    rule("date", "century",
         rf"{_B}(?:(?:early|late|mid)[ -])?(?:[1-9](?:st|nd|rd|th)|[12][0-9](?:st|nd|rd|th)|(?:seven|eigh|nine)"
         rf"teenth|twentieth|twenty-first)"
         r"[ -]century(?:\ (?:BC|BCE|AD|CE))?(?![a-z])", None, ANY_CASE),
    rule("date", "era",
         rf"{_B}(?:(?:AD|A\.D\.)\ [0-9]{{1,4}}|[0-9]{{1,4}}\ (?:BCE?|B\.C\.|CE|A\.D\.|AD))(?![0-9A-Za-z])"),
    rule("date", "weekday",
         rf"{_B}(?:(?:last|next|this|Last|Next|This)\ )?{_WEEKDAY}(?:\ (?:morning|afternoon|evening|night)"
         rf"(?!\ (?:Live|Fever|Lights)))?(?![A-Za-z0-9_-]|\ (?:Times|Mail|Telegraph|School|Night))"),
]  # fmt: skip
_RELATIVE = [
    rule("date", "day in words",
         rf"{_B}(?<!USA\ )(?:the\ day\ (?:before\ yesterday|after\ tomorrow)|(?:yesterday|tomorrow|today)"
         rf"(?:\ (?:morning|afternoon|evening|night))?(?=\b)|tonight)(?![A-Za-z0-9_-])",
         None, ANY_CASE),
    rule("date", "this and that",
         rf"{_B}(?:(?:earlier|later)\ )?(?:(?:last|next)\ (?:{_UNIT}|{_SEASON})|this\ (?:morning|afternoon|evening"
         rf"|week|weekend|month|quarter|season|year|decade|century|{_SEASON}))(?![A-Za-z0-9_-])"
         rf"|{_B}(?:the\ )?(?:past|last|next|previous|coming|following)\ (?:{_A_FEW}\ )?(?:days|nights|weeks"
         rf"|months|quarters|years|decades)(?![A-Za-z0-9_-])"
         rf"|{_B}the\ (?:past|previous|following|coming)\ (?:day|week|weekend|month|year|decade)(?![A-Za-z0-9_-])",
         None, ANY_CASE),
    rule("date", "before now",
         rf"{_B}{_A_FEW}\ {_PLURAL}\ (?:ago|earlier|from\ now|later)(?![A-Za-z-])"
         rf"|{_B}(?:half\ an?\ (?:hour|year|century)|a\ year\ and\ a\ half)\ ago(?![A-Za-z-])", None, ANY_CASE),
]  # fmt: skip
_YEARS = [
    rule("date", "year after a word",
         r"(?<![A-Za-z])(?:in|since|during|until|till|before|after|circa|around|from|by|c\.|year|late|early|mid)[\ -]"
         rf"(?P<value>{_YEAR_ALONE})(?!\ (?:to|or|and|of)\ (?!(?:1[5-9]|20)[0-9]{{2}}))", None, ANY_CASE),
    rule("date", "end of a span of years",
         r"(?<![0-9])(?:from|between|since|in)\ (?:1[5-9]|20)[0-9]{2}\ (?:to|and|until|till|through|or)\ "
         rf"(?P<value>{_YEAR_ALONE})", None, ANY_CASE),
    rule("date", "begin of a span of years",
         rf"(?<![A-Za-z])(?:from|between)\ (?P<value>{_YEAR_ALONE})(?=\ (?:to|and|until|till|through)"
         rf"\ (?:(?:1[5-9]|20)[0-9]{{2}}|now|today|the\ present))", None, ANY_CASE),
    rule("date", "year of something",
         rf"(?<![A-Za-z])(?:end|start|beginning|spring|summer|autumn|fall|winter|quarter|half|class|middle"
         rf"|election|census|crisis|Act|Treaty|Battle|Code|Law)\ of\ (?P<value>{_YEAR_ALONE})"),
    rule("date", "year in brackets",
         rf"\((?:(?:born|b\.|d\.|died|released|since|est\.|founded|c\.)\ ?)?(?P<value>{_YEAR_ALONE})(?=\)|[,;]"
         rf"|\ (?:film|album|novel|book|song|TV)\b)"),
    rule("date", "year with its right", rf"(?:©|\([cC]\)|[Cc]opyright(?:\ ©|\ \([cC]\))?)\ (?P<value>{_YEAR_ALONE})"),
    rule("date", "year of an event",
         r"(?<![A-Za-z])[Tt]he\ (?P<value>(?:19|20)[0-9]{2})(?=\ (?:[A-Z][A-Za-z]{2,20}|election|season|film|movie"
         r"|novel|edition|tournament|census|budget|report|final|war|revolution|crisis|tour|album|presidential"
         r"|general|annual|earthquake|World|financial)\b)"),
    rule("date", "short year",
         rf"(?<![A-Za-z])(?:in|of|since|[Ss]pring|[Ss]ummer|[Ff]all|[Ww]inter)\ (?P<value>{_SHORT})"),
]  # fmt: skip
RULES: list[Rule] = [*needing("latin", [*_FORMS, *_RELATIVE]), *needing("digit", _YEARS)]
