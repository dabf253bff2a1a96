"""Pieces of patterns for numbers: digits with separators, Chinese numerals, English number words. It finds nothing.

All are for folded text (`engine.text.patterns.rules`) and verbose patterns, so a blank is written as an escape.
"""

from engine.text.values.numerals import WORDS

ZH = "〇零一二两三四五六七八九十百千万亿廿壹贰叁肆伍陆柒捌玖拾佰仟萬億兩"
"""For a class: the characters of Chinese numerals, those of cheques among them."""
ZH_DIGIT = "〇零一二三四五六七八九"

START = r"(?<![0-9A-Za-z_.])(?<![0-9],)(?<![A-Za-z0-9][-_/:])"
"""Where a number in digits may begin: inside no word, number or code."""
_END = r"(?![0-9])(?!\.[0-9])(?!,[0-9]{3}(?![0-9]))"
DIGITS = rf"(?:(?:[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,6}}+|[0-9]{{1,15}}+)(?:\.[0-9]{{1,10}}+)?{_END})"
"""1,234.5 or 1234.5."""
SCALE_ZH = r"(?:[多余]?\ ?(?:[十百千]?万亿|[十百千]?[万亿](?!能)|[百千](?![克米瓦卡赫伏帕安焦分])))"
SCALE_EN = r"(?:(?:[\ -]?(?:hundred|thousand|million|billion|trillion)\b){1,2}|\ ?(?:mn|bn|tn|k|m|b)(?![A-Za-z0-9]))"
ARABIC = rf"(?:{DIGITS}(?:{SCALE_ZH})?)"
"""Digits with a Chinese power of ten: 3.5万, 10余万, 2千."""
CHINESE = rf"(?:(?<![{ZH}第几数])[{ZH}]{{1,16}}+(?:点[{ZH_DIGIT}]{{1,8}}+[万亿]?)?)"
"""A run of Chinese numerals, whole; whether they are a number is for the pattern around it to say."""
NUMBER = rf"(?:{START}{ARABIC}|{CHINESE})"
DASH = r"\ ?(?:[-~–—至到]|--)\ ?"
RANGE = rf"(?:{START}{ARABIC}{DASH}{ARABIC}|{CHINESE}{DASH}[{ZH}]{{1,16}}+)"
"""Two numbers that share what follows: 3-5, 三到五, 8000~12000."""

_SMALL = "|".join(sorted((word for word in WORDS if word not in ("zero", "one")), key=len, reverse=True))
_ALL = "|".join(sorted(WORDS, key=len, reverse=True))
_TENS = "hundred|thousand|million|billion|trillion"
ENGLISH = (
    rf"(?:(?<![A-Za-z0-9-])(?:(?:{_SMALL}|one(?=\ (?:{_TENS}))|an?(?=\ (?:{_TENS}|dozen)))"
    rf"(?:(?:\ and\ |[\ -])(?:{_TENS}|dozen|{_ALL})\b){{0,8}}+)\b)"
)
"""Number words from two on: twenty-five, a million, three hundred and five. One alone is rarely a number."""
NUMBER_EN = rf"(?:{START}{DIGITS}{SCALE_EN}?|{ENGLISH})"
