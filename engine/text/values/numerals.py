"""The number a text begins with, in digits, Chinese numerals or English words, exactly; and what follows it.

It judges no units, percent signs or currencies: its callers do. Arithmetic is decimal, so that 3.3亿 is 330000000 and
no neighbour of it. Chinese whole numbers are read by cn2an. It takes no 1.5千万, 百万 or 二十三点五万, and makes
binary floats of decimals: powers of ten and decimals are read here.
"""

import re
from decimal import Context, Decimal

from engine.text.values.plain import ANY_CASE

DIGITS = "〇零一二两三四五六七八九"
EXACT = Context(prec=600)
"""More digits than any value has with its exponents: no sum or product is ever rounded."""

_AS_ARABIC = str.maketrans(DIGITS, "001223456789")
_SIMPLE = str.maketrans(
    "○壹贰貳叁參参叄肆伍陆陸柒捌玖拾佰仟萬億兩負點", "〇一二二三三三三四五六六七八九十百千万亿两负点"
)
_SIGN = re.compile(r"(?:(?P<minus>[-−–]|负|零下|(?:minus|negative)\b)|\+)\s*", ANY_CASE)
_ARABIC = re.compile(
    r"""(?: (?P<comma> [1-9][0-9]{0,2} (?:,[0-9]{3})+ (?:\.[0-9]+)?          # 1,234.5
                     | [1-9][0-9]? (?:,[0-9]{2})+ ,[0-9]{3} (?:\.[0-9]+)? )  # 12,34,567 as in India
          | (?P<point> [1-9][0-9]{0,2} (?: (?:\.[0-9]{3})+ ,[0-9]+ | (?:\.[0-9]{3}){2,} ) )  # 1.234,56
          | (?P<blank> [1-9][0-9]{0,2} (?:[ '’][0-9]{3})+ (?:[.,][0-9]+)? )  # 1 234,5 and 1'234.5
          | (?P<decimal> [0-9]+,[0-9]+                                       # 12,5: no group of three
                       | (?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+) (?:e[+-]?[0-9]{1,2}(?![0-9a-z]))? )
        ) (?![.,'’]?[0-9])""",
    re.VERBOSE | ANY_CASE,
)
_POWER = {"十": 1, "百": 2, "千": 3, "万": 4, "亿": 8}
_TENS = re.compile(r"\s*(十?(?:百(?![分帕]))?(?:千(?![克米瓦卡焦帕伏赫安]|比特|字节))?万?亿?)")
"""Powers of ten after a number; the 千 of 千克 and 千瓦 belongs to a unit."""
_MIXED = re.compile(f"[0-9]+[十百千万亿][0-9{DIGITS}十百千万亿]+")
_CHINESE = re.compile(f"(?!一[些般定样起直切共旦律致])[{DIGITS}十廿百千万亿]+")
_DECIMALS = re.compile(f"点[{DIGITS}]+")
_HALF = re.compile("一?半")
_AND_A_HALF = re.compile("(个|年|天|块|元|斤|里|米|公里|小时|倍|成|岁)半")

_SCALES = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SUFFIXES = _SCALES | {"lakh": 10**5, "crore": 10**7, "k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_SUFFIX = re.compile(rf"\s*(?:({'|'.join(_SCALES)}|lakh|crore)s?\b|(k|mn|bn|b)(?![a-z0-9]))|(m)(?=$|\s)", ANY_CASE)
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TIES = "twenty thirty forty fifty sixty seventy eighty ninety"
WORDS = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TIES.split(), 2)
}
"""English number words below a hundred, and what they are worth."""
_WORD = re.compile(r"(?:[\s-]+(?:and\s+)?)?([a-z]+)", ANY_CASE)
_ARTICLE = re.compile(rf"an?\s+(?=(?:{'|'.join(_SCALES)})\b)", ANY_CASE)


def leading_number(text: str) -> tuple[Decimal, str] | None:
    """The number at the start of a plain text, and the rest without blanks around it; None where there is none.

    A lone comma before three digits groups them, a lone point never does: 1,234 is 1234 and 1.234 is 1.234.
    百分之五 is 5 and a rest of %. An m right after the digits is a million where nothing or a blank follows it
    (2m, 2m users), else the beginning of a unit (2 m, 5m/s).

    >>> leading_number("3.5万元")[1], int(leading_number("3.5万元")[0]), int(leading_number("2千3百")[0])
    ('元', 35000, 2300)
    """
    simple = text.translate(_SIMPLE)
    sign = _SIGN.match(simple)
    start = sign.end() if sign else 0
    percent = simple.startswith("百分之", start)
    start += 3 * percent
    found = _mixed(simple, start) or _arabic(simple, start) or _chinese(simple, start) or _english(simple, start)
    if found is None:
        return None
    value, end = found
    rest = text[end:].strip()
    if (half := _AND_A_HALF.match(rest)) and _is_whole(value):
        value, rest = EXACT.add(value, Decimal("0.5")), half[1] + rest[half.end() :]
    return value.copy_negate() if sign and sign["minus"] else value, "%" + rest if percent else rest


def json_number(value: Decimal) -> int | float:
    """A whole number as int, any other as the nearest float."""
    return int(value) if _is_whole(value) else float(value)


def chinese_integer(numeral: str) -> int | None:
    """A whole number in simplified everyday numerals (一百二十三, 二〇二四), or with digits between (2千3百).

    Two neighbours such as 三四 mean three or four: None, as for anything else that is no number.
    """
    import cn2an

    if len(numeral) == 2 and (numeral in "一二三四五六七八九" or numeral == "三五"):
        return None
    if re.fullmatch("[百千][万亿]+", numeral):
        numeral = "一" + numeral
    try:
        value = cn2an.cn2an(numeral, "smart")
    except (ValueError, KeyError, IndexError):  # KeyError for 两亿五
        return None
    return value if isinstance(value, int) else None


def _is_whole(value: Decimal) -> bool:
    return value == value.to_integral_value()


def _mixed(text: str, start: int) -> tuple[Decimal, int] | None:
    match = _MIXED.match(text, start)
    value = chinese_integer(match[0]) if match else None
    return (Decimal(value), match.end()) if match and value is not None else None


def _arabic(text: str, start: int) -> tuple[Decimal, int] | None:
    match = _ARABIC.match(text, start)
    if match is None:
        return None
    numeral = match[0].translate({ord(char): None for char in " '’"})
    if match["comma"]:
        numeral = numeral.replace(",", "")
    elif match["point"]:
        numeral = numeral.replace(".", "")
    value, end = _times_ten(Decimal(numeral.replace(",", ".")), text, match.end())
    while suffix := _SUFFIX.match(text, end):
        value = EXACT.multiply(value, Decimal(_SUFFIXES[next(filter(None, suffix.groups())).casefold()]))
        end = suffix.end()
    return value, end


def _chinese(text: str, start: int) -> tuple[Decimal, int] | None:
    if half := _HALF.match(text, start):
        return Decimal("0.5"), half.end()
    match = _CHINESE.match(text, start)
    value = chinese_integer(match[0]) if match else None
    if match is None or value is None:
        return None
    decimals = _DECIMALS.match(text, match.end())
    if decimals is None:
        return Decimal(value), match.end()
    return _times_ten(Decimal(f"{value}.{decimals[0][1:].translate(_AS_ARABIC)}"), text, decimals.end())


def _times_ten(value: Decimal, text: str, end: int) -> tuple[Decimal, int]:
    """The value times the powers of ten that follow, and where they end."""
    tens = _TENS.match(text, end)
    if tens is None or not tens[1]:
        return value, end
    return value.scaleb(sum(_POWER[char] for char in tens[1]), EXACT), tens.end()


def _english(text: str, start: int) -> tuple[Decimal, int] | None:
    """Number words in falling order: three hundred and five, twenty-one thousand, a dozen."""
    article = _ARTICLE.match(text, start)
    total, current, last, end = 0, int(article is not None), 10**15, article.end() if article else start
    while word := _WORD.match(text, end):
        name = word[1].casefold()
        value, scale = WORDS.get(name), _SCALES.get(name, 0)
        if value is not None and _fits_after(current, value):
            current += value
        elif 0 < scale < 1000 and 0 < current < 100:
            current *= scale
        elif 0 < current < 1000 <= scale < last:
            total, current, last = total + current * scale, 0, scale
        else:
            break
        end = word.end()
    return (Decimal(total + current), end) if end > start else None


def _fits_after(current: int, value: int) -> bool:
    """Whether a number word may follow: five after twenty and after three hundred, not after two."""
    ten = current % 10 == 0 and current % 100 >= 20 and 0 < value < 10
    return current == 0 or ten or (current % 100 == 0 and value > 0)
